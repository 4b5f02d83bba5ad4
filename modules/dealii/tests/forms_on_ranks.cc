// deal.II's vectors of a distributed mesh at the door of multigrid: a program's own DoFHandler, constraints and matrix.
#include "dealii/preconditioner.h"
#include "fem/spaces/field.h"
#include "ranks/cuda_ranks.h"
#include "ranks/rows.h"

#include <deal.II/dofs/dof_tools.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/sparsity_tools.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>
#include <deal.II/lac/trilinos_vector.h>
#include <deal.II/numerics/vector_tools.h>

using namespace test;

namespace
{
constexpr int dim = 2;

void local_matrix(const adamant::CellContext<dim> &cell, FullMatrix<double> &local)
{
  for (const unsigned int q : cell.quadrature_point_indices())
    for (const unsigned int i : cell.dof_indices())
      for (const unsigned int j : cell.dof_indices())
        local(i, j) += (cell.value(i, q) * cell.value(j, q) + cell.gradient(i, q) * cell.gradient(j, q)) * cell.JxW(q);
}

// (u, v) + (grad u, grad v) with u = 0 on one side, as a program with vectors over ranks assembles it.
struct Dealii
{
  Dealii(const Triangulation<dim> &mesh, const FiniteElement<dim> &fe)
    : dofs(mesh)
  {
    dofs.distribute_dofs(fe);
    owned = dofs.locally_owned_dofs();
    IndexSet relevant;
    DoFTools::extract_locally_relevant_dofs(dofs, relevant);
    constraints.reinit(relevant);
    DoFTools::make_hanging_node_constraints(dofs, constraints);
    VectorTools::interpolate_boundary_values(dofs, 0, Functions::ZeroFunction<dim>(), constraints);
    constraints.close();
    DynamicSparsityPattern dsp(relevant);
    DoFTools::make_sparsity_pattern(dofs, dsp, constraints, false);
    SparsityTools::distribute_sparsity_pattern(dsp, owned, world, relevant);
    matrix.reinit(owned, owned, dsp, world);
    FEValues<dim>                        values(fe, QGauss<dim>(3), flags);
    const unsigned int                   n = fe.n_dofs_per_cell();
    FullMatrix<double>                   local(n, n);
    std::vector<types::global_dof_index> indices(n);
    for (const auto &cell : dofs.active_cell_iterators())
      if (cell->is_locally_owned())
        {
          values.reinit(cell);
          local = 0;
          for (const unsigned int q : values.quadrature_point_indices())
            for (const unsigned int i : values.dof_indices())
              for (const unsigned int j : values.dof_indices())
                local(i, j) += (values.shape_value(i, q) * values.shape_value(j, q) +
                                values.shape_grad(i, q) * values.shape_grad(j, q)) *
                               values.JxW(q);
          cell->get_dof_indices(indices);
          constraints.distribute_local_to_global(local, indices, matrix);
        }
    matrix.compress(VectorOperation::add);
  }

  DoFHandler<dim>                dofs;
  IndexSet                       owned;
  AffineConstraints<double>      constraints;
  TrilinosWrappers::SparseMatrix matrix;
};

template <class DealiiVector>
void solve_with(const Dealii &dealii, const adamant::Field<dim> &field, const adamant::Form<dim> &form,
                const adamant::Device &device, const std::string &what)
{
  SCOPED_TRACE(what);
  DealiiVector x(dealii.owned, world), b(dealii.owned, world), r(dealii.owned, world);
  for (const auto i : dealii.owned)
    b(i) = 1. + std::sin(3. * static_cast<double>(i)); // in constrained rows, too
  b.compress(VectorOperation::insert);
  adamant::MultigridOptions options;
  options.smoother.chebyshev = true;
  adamant::DealiiPreconditioner<double> preconditioner(device, field, form, dealii.dofs, options);
  preconditioner.scale_constrained(dealii.matrix);
  SolverControl control(30, 1e-10 * b.l2_norm());
  SolverCG<DealiiVector>(control).solve(dealii.matrix, x, b, preconditioner);
  EXPECT_LE(control.last_step(), 20u);

  adamant::LinearSolverOptions solver_options;
  solver_options.type              = adamant::SolverType::cg;
  solver_options.control.tolerance = 1e-10;
  adamant::DealiiSolver solver(device, field, form, dealii.dofs, solver_options);
  solver.scale_constrained(dealii.matrix);
  x = 0.;
  EXPECT_LE(solver.solve(x, b).iterations, 25);
  dealii.matrix.vmult(r, x);
  r -= b;
  EXPECT_LE(r.l2_norm(), 1e-9 * b.l2_norm()) << "of deal.II's own matrix";
}

void compare(const FiniteElement<dim> &fe, const adamant::Device &device)
{
  SCOPED_TRACE(fe.get_name());
  const auto                      mesh = adaptive_mesh<dim>(world);
  const Dealii                    dealii(*mesh, fe);
  const adamant::LevelMeshes<dim> meshes(*mesh, {16});
  const adamant::Field<dim>       field(meshes, "u", fe, {{0, ComponentMask()}});
  const MappingQ1<dim>            mapping;
  adamant::Form<dim>              form("A", field, unknowns(field), mapping, QGauss<dim>(3), flags, local_matrix,
                                       adamant::Levels::all);
  form.update();
  solve_with<LinearAlgebra::distributed::Vector<double>>(dealii, field, form, device, "deal.II's own vector");
  solve_with<TrilinosWrappers::MPI::Vector>(dealii, field, form, device, "Trilinos' vector");
}
} // namespace

TEST(DealiiVectors, OfAnyFamilyOnRanks)
{
  const auto device = adamant::Device::host(1, adamant::Communicator(world));
  compare(FE_Q<dim>(1), device);
  compare(FE_Q<dim>(2), device);
}

TEST_F(CudaRanks, VectorsOfDealii)
{
  compare(FE_Q<dim>(1), device);
}
