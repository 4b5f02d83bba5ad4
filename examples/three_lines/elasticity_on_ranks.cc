// A clamped beam under its weight on MPI ranks, with multigrid as the preconditioner of Trilinos' CG. Lame's parameters
// are 1. Then the beam becomes stiffer, and multigrid takes over the new values.
//
//   mpirun -np 4 elasticity_on_ranks
//
// The lines that adamant adds to such a program are marked with "added".

#include "dealii/trilinos.h" // added

#include <deal.II/base/conditional_ostream.h>
#include <deal.II/base/function.h>
#include <deal.II/base/index_set.h>
#include <deal.II/base/mpi.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/sparsity_tools.h>
#include <deal.II/lac/trilinos_solver.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>
#include <deal.II/lac/trilinos_vector.h>
#include <deal.II/numerics/vector_tools.h>

#include <iostream>

using namespace dealii;

class Beam
{
public:
  void run();

private:
  static constexpr int dim = 3;

  void set_up();
  void assemble(double stiffness);
  void solve();

  const MPI_Comm                            ranks = MPI_COMM_WORLD;
  ConditionalOStream                        out{std::cout, Utilities::MPI::this_mpi_process(ranks) == 0};
  parallel::distributed::Triangulation<dim> mesh{ranks};
  const FESystem<dim>                       fe{FE_Q<dim>(1), dim};
  DoFHandler<dim>                           dof_handler{mesh};
  IndexSet                                  owned;
  AffineConstraints<double>                 constraints;
  TrilinosWrappers::SparseMatrix            system_matrix;
  TrilinosWrappers::MPI::Vector             solution, rhs;
  adamant::DealiiPreconditioner<>           multigrid; // added
};

void Beam::set_up()
{
  dof_handler.distribute_dofs(fe);
  owned = dof_handler.locally_owned_dofs();
  IndexSet relevant;
  DoFTools::extract_locally_relevant_dofs(dof_handler, relevant);
  constraints.reinit(relevant);
  DoFTools::make_hanging_node_constraints(dof_handler, constraints);
  VectorTools::interpolate_boundary_values(dof_handler, 0, Functions::ZeroFunction<dim>(dim), constraints);
  constraints.close();
  DynamicSparsityPattern dsp(relevant);
  DoFTools::make_sparsity_pattern(dof_handler, dsp, constraints, false);
  SparsityTools::distribute_sparsity_pattern(dsp, owned, ranks, relevant);
  system_matrix.reinit(owned, owned, dsp, ranks);
  solution.reinit(owned, ranks);
  rhs.reinit(owned, ranks);
}

void Beam::assemble(double stiffness)
{
  system_matrix = 0.;
  rhs           = 0.;
  const FEValuesExtractors::Vector     u(0);
  FEValues<dim>                        values(fe, QGauss<dim>(2), update_values | update_gradients | update_JxW_values);
  const unsigned int                   n = fe.n_dofs_per_cell();
  FullMatrix<double>                   local(n, n);
  Vector<double>                       local_rhs(n);
  std::vector<types::global_dof_index> indices(n);
  for (const auto &cell : dof_handler.active_cell_iterators())
    if (cell->is_locally_owned())
      {
        values.reinit(cell);
        local     = 0.;
        local_rhs = 0.;
        for (const unsigned int q : values.quadrature_point_indices())
          for (const unsigned int i : values.dof_indices())
            {
              for (const unsigned int j : values.dof_indices())
                local(i, j) += stiffness *
                               (values[u].divergence(i, q) * values[u].divergence(j, q) +
                                2. * (values[u].symmetric_gradient(i, q) * values[u].symmetric_gradient(j, q))) *
                               values.JxW(q);
              local_rhs(i) -= values[u].value(i, q)[dim - 1] * values.JxW(q);
            }
        cell->get_dof_indices(indices);
        constraints.distribute_local_to_global(local, local_rhs, indices, system_matrix, rhs);
      }
  system_matrix.compress(VectorOperation::add);
  rhs.compress(VectorOperation::add);
}

void Beam::solve()
{
  const adamant::TrilinosPreconditioner preconditioner(multigrid, system_matrix); // added
  SolverControl                         control(100, 1e-7 * rhs.l2_norm());
  TrilinosWrappers::SolverCG            cg(control);
  cg.solve(system_matrix, solution, rhs, preconditioner);
  constraints.distribute(solution);
  out << dof_handler.n_dofs() << " unknowns: " << control.last_step() << " iterations, largest displacement "
      << solution.linfty_norm() << std::endl;
}

void Beam::run()
{
  GridGenerator::subdivided_hyper_rectangle(mesh, {4, 1, 1}, Point<dim>(), Point<dim>(4., 1., 1.), true);
  mesh.refine_global(3);
  for (const auto &cell : mesh.active_cell_iterators())
    if (cell->is_locally_owned() && cell->center()[0] < 0.5)
      cell->set_refine_flag();
  mesh.execute_coarsening_and_refinement();
  set_up();
  assemble(1.);
  multigrid.initialize(system_matrix, dof_handler, constraints); // added
  solve();
  assemble(10.);
  multigrid.initialize(system_matrix); // added: the same mesh, new values
  solve();
}

int main(int argc, char **argv)
{
  const Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  Beam().run();
}
