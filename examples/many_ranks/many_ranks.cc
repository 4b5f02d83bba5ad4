// deal.II's tutorial step-40 with our multigrid as the preconditioner of its SolverCG (docs/add_to_dealii.md):
//
//   -Laplace u = f in the unit square,   u = 0 on the boundary,   f = 1 above the line y = 1/2 + sin(4 pi x) / 4, else -1,
//
// on meshes of p4est, spread over MPI ranks and refined by Kelly's estimator. What was added to step-40 is marked with
// "added". Each cycle also solves with the preconditioner that step-40 has, Trilinos' ML.
//
//   mpirun -np 4 many_ranks [GLOBAL_REFINEMENTS [host | cuda]]

#include "dealii/preconditioner.h" // added
#include "fem/spaces/field.h"

#include <deal.II/base/conditional_ostream.h>
#include <deal.II/base/index_set.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/base/timer.h>
#include <deal.II/distributed/grid_refinement.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/sparsity_tools.h>
#include <deal.II/lac/trilinos_precondition.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>
#include <deal.II/lac/trilinos_vector.h>
#include <deal.II/numerics/error_estimator.h>
#include <deal.II/numerics/vector_tools.h>

#include <cmath>
#include <iostream>
#include <string>

using namespace dealii;
using ParallelVector = TrilinosWrappers::MPI::Vector;

template <int dim>
class LaplaceProblem
{
public:
  explicit LaplaceProblem(const adamant::Device &device)
    : triangulation(MPI_COMM_WORLD)
    , fe(2)
    , quadrature(fe.degree + 1)
    , dof_handler(triangulation)
    , pcout(std::cout, Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) == 0)
    , device(device)
  {}
  void run(unsigned int global_refinements);

private:
  void setup_system();
  void assemble_system();
  template <class Preconditioner>
  void solve(const std::string &name, const Timer &setup, const Preconditioner &preconditioner);
  void solve_with_ml();
  void solve_with_multigrid();
  void refine_grid();

  parallel::distributed::Triangulation<dim> triangulation;
  FE_Q<dim>                                 fe;
  QGauss<dim>                               quadrature;
  DoFHandler<dim>                           dof_handler;
  IndexSet                                  locally_owned_dofs, locally_relevant_dofs;
  AffineConstraints<double>                 constraints;
  TrilinosWrappers::SparseMatrix            system_matrix;
  ParallelVector                            solution, locally_relevant_solution, system_rhs;
  ConditionalOStream                        pcout;
  adamant::Device                           device; // added
};

template <int dim>
void LaplaceProblem<dim>::setup_system()
{
  dof_handler.distribute_dofs(fe);
  locally_owned_dofs = dof_handler.locally_owned_dofs();
  DoFTools::extract_locally_relevant_dofs(dof_handler, locally_relevant_dofs);
  locally_relevant_solution.reinit(locally_owned_dofs, locally_relevant_dofs, MPI_COMM_WORLD);
  solution.reinit(locally_owned_dofs, MPI_COMM_WORLD);
  system_rhs.reinit(locally_owned_dofs, MPI_COMM_WORLD);
  constraints.clear();
  constraints.reinit(locally_relevant_dofs);
  DoFTools::make_hanging_node_constraints(dof_handler, constraints);
  VectorTools::interpolate_boundary_values(dof_handler, 0, Functions::ZeroFunction<dim>(), constraints);
  constraints.close();
  DynamicSparsityPattern dsp(locally_relevant_dofs);
  DoFTools::make_sparsity_pattern(dof_handler, dsp, constraints, false);
  SparsityTools::distribute_sparsity_pattern(dsp, locally_owned_dofs, MPI_COMM_WORLD, locally_relevant_dofs);
  system_matrix.reinit(locally_owned_dofs, locally_owned_dofs, dsp, MPI_COMM_WORLD);
}

template <int dim>
void LaplaceProblem<dim>::assemble_system()
{
  FEValues<dim>                        fe_values(fe, quadrature,
                                                 update_values | update_gradients | update_quadrature_points | update_JxW_values);
  const unsigned int                   n = fe.n_dofs_per_cell();
  FullMatrix<double>                   cell_matrix(n, n);
  Vector<double>                       cell_rhs(n);
  std::vector<types::global_dof_index> dofs(n);
  for (const auto &cell : dof_handler.active_cell_iterators())
    if (cell->is_locally_owned())
      {
        fe_values.reinit(cell);
        cell_matrix = 0;
        cell_rhs    = 0;
        for (const unsigned int q : fe_values.quadrature_point_indices())
          {
            const auto  &p = fe_values.quadrature_point(q);
            const double f = p[1] > 0.5 + 0.25 * std::sin(4. * numbers::PI * p[0]) ? 1. : -1.;
            for (const unsigned int i : fe_values.dof_indices())
              {
                for (const unsigned int j : fe_values.dof_indices())
                  cell_matrix(i, j) += fe_values.shape_grad(i, q) * fe_values.shape_grad(j, q) * fe_values.JxW(q);
                cell_rhs(i) += f * fe_values.shape_value(i, q) * fe_values.JxW(q);
              }
          }
        cell->get_dof_indices(dofs);
        constraints.distribute_local_to_global(cell_matrix, cell_rhs, dofs, system_matrix, system_rhs);
      }
  system_matrix.compress(VectorOperation::add);
  system_rhs.compress(VectorOperation::add);
}

template <int dim>
template <class Preconditioner>
void LaplaceProblem<dim>::solve(const std::string &name, const Timer &setup, const Preconditioner &preconditioner)
{
  const double             set_up = setup.wall_time();
  SolverControl            control(200, 1e-8 * system_rhs.l2_norm());
  SolverCG<ParallelVector> solver(control);
  solution = 0;
  const Timer timer;
  solver.solve(system_matrix, solution, system_rhs, preconditioner);
  pcout << "  " << name << ": " << control.last_step() << " iterations, " << timer.wall_time() << " s, set-up "
        << set_up << " s" << std::endl;
  constraints.distribute(solution);
}

template <int dim>
void LaplaceProblem<dim>::solve_with_ml()
{
  const Timer                                       timer;
  TrilinosWrappers::PreconditionAMG                 preconditioner;
  TrilinosWrappers::PreconditionAMG::AdditionalData data;
  data.elliptic              = true;
  data.higher_order_elements = true;
  preconditioner.initialize(system_matrix, data);
  solve("ML", timer, preconditioner);
}

// added: the levels of the adaptive mesh, their matrices, and the V-cycle as one more preconditioner.
template <int dim>
void LaplaceProblem<dim>::solve_with_multigrid()
{
  const Timer timer;
  const auto  local_matrix = [](const adamant::CellContext<dim> &cell, FullMatrix<double> &local) {
    for (const unsigned int q : cell.quadrature_point_indices())
      for (const unsigned int i : cell.dof_indices())
        for (const unsigned int j : cell.dof_indices())
          local(i, j) += cell.gradient(i, q) * cell.gradient(j, q) * cell.JxW(q);
  };
  const MappingQ1<dim>            mapping;
  const adamant::LevelMeshes<dim> meshes(triangulation, {/*coarsest_cells*/ 50});
  const adamant::Field<dim>       u(meshes, "u", fe, {{0, ComponentMask()}});
  adamant::Form<dim> A("A", u, unknowns(u), mapping, quadrature, update_gradients | update_JxW_values, local_matrix,
                       adamant::Levels::all);
  A.update();
  adamant::MultigridOptions options;
  options.smoother.chebyshev = true;
  options.pre_steps = options.post_steps = 3;
  adamant::DealiiPreconditioner<> multigrid(device, u, A, dof_handler, options);
  multigrid.scale_constrained(system_matrix);
  solve("multigrid", timer, multigrid);
}

template <int dim>
void LaplaceProblem<dim>::refine_grid()
{
  Vector<float> errors(triangulation.n_active_cells());
  KellyErrorEstimator<dim>::estimate(dof_handler, QGauss<dim - 1>(fe.degree + 1), {}, locally_relevant_solution,
                                     errors);
  parallel::distributed::GridRefinement::refine_and_coarsen_fixed_number(triangulation, errors, 0.3, 0.03);
  triangulation.execute_coarsening_and_refinement();
}

template <int dim>
void LaplaceProblem<dim>::run(unsigned int global_refinements)
{
  for (unsigned int cycle = 0; cycle < 5; ++cycle)
    {
      if (cycle == 0)
        {
          GridGenerator::hyper_cube(triangulation);
          triangulation.refine_global(global_refinements);
        }
      else
        refine_grid();
      setup_system();
      assemble_system();
      pcout << "cycle " << cycle << ": " << triangulation.n_global_active_cells() << " cells, " << dof_handler.n_dofs()
            << " unknowns" << std::endl;
      solve_with_ml();
      const ParallelVector reference = solution;
      solve_with_multigrid();
      ParallelVector difference = reference;
      difference -= solution;
      const double relative = difference.l2_norm() / reference.l2_norm();
      pcout << "  relative difference " << relative << std::endl;
      locally_relevant_solution = solution;
    }
}

int main(int argc, char **argv)
{
  const Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  const unsigned int                     global_refinements = argc > 1 ? std::stoi(argv[1]) : 5;
  // added: where the V-cycle runs, one thread or GPU a rank.
  const adamant::Communicator ranks(MPI_COMM_WORLD);
  const adamant::Device       device =
    argc > 2 && argv[2] == std::string("cuda") ? adamant::Device::cuda(ranks) : adamant::Device::host(1, ranks);
  LaplaceProblem<2>(device).run(global_refinements);
}
