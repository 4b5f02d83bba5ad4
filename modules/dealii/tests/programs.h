#pragma once

#include "base/exceptions.h"
#include "dealii/preconditioner.h"

#include <deal.II/base/index_set.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_renumbering.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/sparse_matrix.h>
#include <deal.II/lac/sparsity_tools.h>
#include <deal.II/lac/vector.h>
#include <deal.II/numerics/vector_tools.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

/// Programs as users of deal.II write them, for the preconditioner.
namespace test
{
using namespace dealii;

inline unsigned int seed_of(const CellId &id)
{
  unsigned int hash = 17;
  for (const char c : id.to_string())
    hash = hash * 31 + static_cast<unsigned char>(c);
  return hash;
}

/// Refines about a fifth of the cells, by their ids, so that meshes do not depend on the ranks.
template <int dim>
void refine_some(Triangulation<dim> &mesh, unsigned int cycles)
{
  for (unsigned int cycle = 0; cycle < cycles; ++cycle)
    {
      for (const auto &cell : mesh.active_cell_iterators())
        if (cell->is_locally_owned() && seed_of(cell->id()) % 100 < (dim == 2 ? 20 : 10))
          cell->set_refine_flag();
      mesh.execute_coarsening_and_refinement();
    }
}

/// A cube whose faces have ids of their own, with hanging nodes.
template <int dim>
void make_mesh(Triangulation<dim> &mesh, unsigned int global = dim == 2 ? 3 : 2, unsigned int cycles = dim == 2 ? 3 : 2)
{
  GridGenerator::hyper_cube(mesh, 0., 1., true);
  mesh.refine_global(global);
  refine_some(mesh, cycles);
}

/// Elasticity for dim components, else (a grad u, grad v) + mass (u, v) for each component.
template <int dim>
struct Equation
{
  double                                    mass = 0.;
  std::function<double(const Point<dim> &)> a    = [](const Point<dim> &) { return 1.; };

  double operator()(const FEValues<dim> &fe, unsigned int i, unsigned int j, unsigned int q) const
  {
    const auto  &element = fe.get_fe();
    const double factor  = a(fe.quadrature_point(q));
    if (element.n_components() != dim)
      return element.system_to_component_index(i).first != element.system_to_component_index(j).first ?
               0. :
               factor * (fe.shape_grad(i, q) * fe.shape_grad(j, q)) +
                 mass * fe.shape_value(i, q) * fe.shape_value(j, q);
    const FEValuesExtractors::Vector u(0);
    return factor * (fe[u].divergence(i, q) * fe[u].divergence(j, q) +
                     2. * (fe[u].symmetric_gradient(i, q) * fe[u].symmetric_gradient(j, q))) +
           mass * (fe[u].value(i, q) * fe[u].value(j, q));
  }
};

template <int dim, class Matrix = SparseMatrix<double>, class VectorType = Vector<double>>
struct Program
{
  static constexpr bool serial = std::is_same_v<Matrix, SparseMatrix<double>>;

  Program(const Triangulation<dim> &mesh, const FiniteElement<dim> &fe)
    : dofs(mesh)
  {
    dofs.distribute_dofs(fe);
    start_constraints();
  }
  void start_constraints()
  {
    owned = dofs.locally_owned_dofs();
    DoFTools::extract_locally_relevant_dofs(dofs, relevant);
    constraints.clear();
    constraints.reinit(relevant);
    DoFTools::make_hanging_node_constraints(dofs, constraints);
  }
  void prescribe(types::boundary_id id, const ComponentMask &mask = {}, double value = 0.)
  {
    VectorTools::interpolate_boundary_values(
      dofs, id, Functions::ConstantFunction<dim>(value, dofs.get_fe().n_components()), constraints, mask);
  }
  /// Closes the constraints and makes the pattern.
  void set_up(bool keep_constrained = false)
  {
    constraints.close();
    DynamicSparsityPattern dsp(relevant);
    DoFTools::make_sparsity_pattern(dofs, dsp, constraints, keep_constrained);
    const MPI_Comm comm = dofs.get_communicator();
    if constexpr (serial)
      {
        matrix.clear();
        pattern.copy_from(dsp);
        matrix.reinit(pattern);
        rhs.reinit(dofs.n_dofs());
        solution.reinit(dofs.n_dofs());
      }
    else
      {
        SparsityTools::distribute_sparsity_pattern(dsp, owned, comm, relevant);
        matrix.reinit(owned, owned, dsp, comm);
        rhs.reinit(owned, comm);
        solution.reinit(owned, comm);
      }
  }
  void assemble(const Equation<dim> &equation = {})
  {
    matrix                   = 0.;
    rhs                      = 0.;
    const auto        &fe    = dofs.get_fe();
    const unsigned int n     = fe.n_dofs_per_cell();
    const UpdateFlags  flags = update_values | update_gradients | update_quadrature_points | update_JxW_values;
    FEValues<dim>      values(mapping, fe, QGauss<dim>(fe.degree + 1), flags);
    FullMatrix<double> local(n, n);
    Vector<double>     local_rhs(n);
    std::vector<types::global_dof_index> indices(n);
    for (const auto &cell : dofs.active_cell_iterators())
      if (cell->is_locally_owned())
        {
          values.reinit(cell);
          local     = 0.;
          local_rhs = 0.;
          for (const unsigned int q : values.quadrature_point_indices())
            for (unsigned int i = 0; i < n; ++i)
              {
                const unsigned int component = fe.system_to_component_index(i).first;
                local_rhs[i] +=
                  std::cos(3. * values.quadrature_point(q)[0] + component) * values.shape_value(i, q) * values.JxW(q);
                for (unsigned int j = 0; j < n; ++j)
                  local(i, j) += equation(values, i, j, q) * values.JxW(q);
              }
          cell->get_dof_indices(indices);
          constraints.distribute_local_to_global(local, local_rhs, indices, matrix, rhs, true);
        }
    if constexpr (!serial)
      {
        matrix.compress(VectorOperation::add);
        rhs.compress(VectorOperation::add);
      }
  }
  /// Everything at once, with values prescribed on boundary 0.
  void make(const Equation<dim> &equation = {})
  {
    prescribe(0);
    set_up();
    assemble(equation);
  }

  /// Returns deal.II's CG's steps to 1e-8.
  template <class Preconditioner>
  unsigned int cg(const Preconditioner &M, double tolerance = 1e-8)
  {
    solution = 0.;
    SolverControl        control(200, tolerance * rhs.l2_norm());
    SolverCG<VectorType> solver(control);
    solver.solve(matrix, solution, rhs, M);
    return control.last_step();
  }
  /// Returns the norm of the residual relative to that of the right-hand side.
  double residual() const
  {
    VectorType r(rhs);
    matrix.vmult(r, solution);
    r -= rhs;
    return r.l2_norm() / rhs.l2_norm();
  }

  MappingQ1<dim>            mapping;
  DoFHandler<dim>           dofs;
  IndexSet                  owned, relevant;
  AffineConstraints<double> constraints;
  SparsityPattern           pattern; // before the matrix, which refers to it
  Matrix                    matrix;
  VectorType                rhs, solution;
};

/// Expects RunError with a part of its message.
template <class Action>
void expect_refusal(const Action &action, const std::string &part)
{
  try
    {
      action();
      FAIL() << "expected RunError with: " << part;
    }
  catch (const adamant::RunError &error)
    {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
}

/// Expects that initialize() refuses a constraint between two DoFs, neither of which hangs, and that it names them.
template <class Program, class Multigrid>
void expect_refused_pair(const Program &program, Multigrid &multigrid)
{
  AffineConstraints<double> hanging(program.relevant);
  DoFTools::make_hanging_node_constraints(program.dofs, hanging);
  try
    {
      multigrid.initialize(program.matrix, program.dofs, program.constraints);
      FAIL() << "expected RunError";
    }
  catch (const adamant::RunError &error)
    {
      const std::string text = error.what();
      unsigned int      i = 0, j = 0;
      const auto        place = text.find("DoF ");
      ASSERT_NE(place, std::string::npos) << text;
      ASSERT_EQ(std::sscanf(text.c_str() + place, "DoF %u is constrained to DoF %u, but is no hanging node", &i, &j), 2)
        << text;
      if (!program.relevant.is_element(i)) // another rank knows it
        return;
      EXPECT_FALSE(hanging.is_constrained(i)) << text;
      const auto *entries = program.constraints.get_constraint_entries(i);
      ASSERT_NE(entries, nullptr) << text;
      EXPECT_EQ(entries->front().first, j) << text;
    }
}
} // namespace test
