#pragma once

#include "fem/forms/form.h"
#include "fem/meshes/level_meshes.h"
#include "fem/spaces/field.h"
#include "fem/support.h"
#include "multigrid/linear_solver.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/sparse_direct.h>
#include <deal.II/lac/sparse_matrix.h>

#include <vector>

namespace test
{
const UpdateFlags poisson_flags = update_values | update_gradients | update_JxW_values;

// -Laplace u = 1, u = SmoothFunction on the boundary; the library's matrices and deal.II's own.
template <int dim>
struct Poisson
{
  Poisson(Triangulation<dim> &mesh, const FiniteElement<dim> &fe, unsigned int coarsest_cells)
    : quadrature(fe.degree + 1)
    , meshes(mesh, {coarsest_cells})
    , field(meshes, "u", fe, {{0, ComponentMask()}})
    , form("A", field, unknowns(field), mapping, quadrature, poisson_flags, laplace<dim>, adamant::Levels::all)
  {
    form.update();
  }

  const adamant::LevelSpace<dim> &space() const { return field.finest(); }
  std::vector<adamant::LevelData> levels() const { return levels_of(field, form); }

  void assemble_with_dealii()
  {
    const auto &dofs = space().dof_handler();
    assemble_with_dealii(dofs, dealii_constraints(space(), mapping, {{0, ComponentMask()}}, SmoothFunction<dim>()));
  }

  void assemble_with_dealii(const DoFHandler<dim> &dofs, const AffineConstraints<double> &dof_constraints)
  {
    constraints.copy_from(dof_constraints);
    DynamicSparsityPattern dynamic(dofs.n_dofs());
    DoFTools::make_sparsity_pattern(dofs, dynamic, constraints, false);
    pattern.copy_from(dynamic);
    matrix.reinit(pattern);
    rhs.reinit(dofs.n_dofs());
    const unsigned int                   n = dofs.get_fe().n_dofs_per_cell();
    FEValues<dim>                        fe_values(mapping, dofs.get_fe(), quadrature, poisson_flags);
    FullMatrix<double>                   local(n, n);
    Vector<double>                       local_rhs(n);
    std::vector<types::global_dof_index> indices(n);
    for (const auto &cell : dofs.active_cell_iterators())
      {
        fe_values.reinit(cell);
        local     = 0.;
        local_rhs = 0.;
        laplace<dim>(DealiiCell<dim>{cell, fe_values}, local);
        for (const unsigned int q : fe_values.quadrature_point_indices())
          for (unsigned int i = 0; i < n; ++i)
            local_rhs[i] += fe_values.shape_value(i, q) * fe_values.JxW(q);
        cell->get_dof_indices(indices);
        constraints.distribute_local_to_global(local, local_rhs, indices, matrix, rhs, true);
      }
  }

  // deal.II's matrix with its direct solver.
  Vector<double> direct_solution()
  {
    SparseDirectUMFPACK direct;
    direct.initialize(matrix);
    Vector<double> u(rhs.size());
    direct.vmult(u, rhs);
    constraints.distribute(u);
    return u;
  }

  MappingQ1<dim>            mapping;
  QGauss<dim>               quadrature;
  adamant::LevelMeshes<dim> meshes;
  adamant::Field<dim>       field;
  adamant::Form<dim>        form;
  AffineConstraints<double> constraints;
  SparsityPattern           pattern;
  SparseMatrix<double>      matrix;
  Vector<double>            rhs;
};

inline adamant::LinearSolverOptions options(adamant::SolverType type, double tolerance)
{
  adamant::LinearSolverOptions o;
  o.type              = type;
  o.control.tolerance = tolerance;
  return o;
}
} // namespace test
