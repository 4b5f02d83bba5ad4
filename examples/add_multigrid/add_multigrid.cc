// deal.II's tutorial step-6 with our multigrid as the preconditioner of its own SolverCG (docs/add_to_dealii.md):
//
//   -div(a grad u) = 1 in the unit disc,   u = 0 on the boundary,   a = 20 for |x| < 1/2, else 1,
//
// on meshes refined by Kelly's estimator. What was added to step-6 is marked with "added"; the rest is as it was. Each
// cycle also solves with the preconditioner that step-6 has, for comparison.

#include "coefficients/coarser_values.h" // added
#include "dealii/preconditioner.h"       // added
#include "fem/forms/form.h"              // added

#include <deal.II/base/multithread_info.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/base/timer.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_refinement.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/precondition.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/sparse_matrix.h>
#include <deal.II/lac/vector.h>
#include <deal.II/numerics/error_estimator.h>
#include <deal.II/numerics/vector_tools.h>

#include <iostream>
#include <string>

using namespace dealii;

template <int dim>
double coefficient(const Point<dim> &p)
{
  return p.square() < 0.5 * 0.5 ? 20 : 1;
}

template <int dim>
class Step6
{
public:
  explicit Step6(const adamant::Device &device)
    : fe(2)
    , quadrature(fe.degree + 1)
    , dof_handler(triangulation)
    , device(device)
  {}
  void run();

private:
  void setup_system();
  void assemble_system();
  template <class Preconditioner>
  unsigned int solve(const Preconditioner &preconditioner);
  void         solve_with_ssor();
  void         solve_with_multigrid();
  void         refine_grid();

  Triangulation<dim>        triangulation;
  FE_Q<dim>                 fe;
  QGauss<dim>               quadrature;
  DoFHandler<dim>           dof_handler;
  AffineConstraints<double> constraints;
  SparsityPattern           sparsity_pattern;
  SparseMatrix<double>      system_matrix;
  Vector<double>            solution, system_rhs;
  adamant::Device           device; // added
};

template <int dim>
void Step6<dim>::setup_system()
{
  dof_handler.distribute_dofs(fe);
  solution.reinit(dof_handler.n_dofs());
  system_rhs.reinit(dof_handler.n_dofs());
  constraints.clear();
  DoFTools::make_hanging_node_constraints(dof_handler, constraints);
  VectorTools::interpolate_boundary_values(dof_handler, 0, Functions::ZeroFunction<dim>(), constraints);
  constraints.close();
  DynamicSparsityPattern dsp(dof_handler.n_dofs());
  DoFTools::make_sparsity_pattern(dof_handler, dsp, constraints, /*keep_constrained_dofs*/ false);
  sparsity_pattern.copy_from(dsp);
  system_matrix.reinit(sparsity_pattern);
}

template <int dim>
void Step6<dim>::assemble_system()
{
  FEValues<dim>                        fe_values(fe, quadrature, update_values | update_gradients | update_JxW_values);
  const unsigned int                   n = fe.n_dofs_per_cell();
  FullMatrix<double>                   cell_matrix(n, n);
  Vector<double>                       cell_rhs(n);
  std::vector<types::global_dof_index> dofs(n);
  for (const auto &cell : dof_handler.active_cell_iterators())
    {
      fe_values.reinit(cell);
      cell_matrix    = 0;
      cell_rhs       = 0;
      const double a = coefficient(cell->center());
      for (const unsigned int q : fe_values.quadrature_point_indices())
        for (const unsigned int i : fe_values.dof_indices())
          {
            for (const unsigned int j : fe_values.dof_indices())
              cell_matrix(i, j) += a * fe_values.shape_grad(i, q) * fe_values.shape_grad(j, q) * fe_values.JxW(q);
            cell_rhs(i) += fe_values.shape_value(i, q) * fe_values.JxW(q);
          }
      cell->get_dof_indices(dofs);
      constraints.distribute_local_to_global(cell_matrix, cell_rhs, dofs, system_matrix, system_rhs);
    }
}

template <int dim>
template <class Preconditioner>
unsigned int Step6<dim>::solve(const Preconditioner &preconditioner)
{
  SolverControl            control(1000, 1e-8 * system_rhs.l2_norm());
  SolverCG<Vector<double>> solver(control);
  solution = 0;
  solver.solve(system_matrix, solution, system_rhs, preconditioner);
  constraints.distribute(solution);
  return control.last_step();
}

template <int dim>
void Step6<dim>::solve_with_ssor()
{
  const Timer                            timer;
  PreconditionSSOR<SparseMatrix<double>> preconditioner;
  preconditioner.initialize(system_matrix, 1.2);
  const unsigned int iterations = solve(preconditioner);
  std::cout << "  SSOR: " << iterations << " iterations, " << timer.wall_time() << " s" << std::endl;
}

// added: a coarser cell, in which the coefficient may jump, has its average over the cells of the finest mesh in it.
template <int dim>
std::vector<adamant::Array<double>> coefficients(const adamant::Field<dim> &u)
{
  const adamant::Device      host = adamant::Device::host(MultithreadInfo::n_threads());
  adamant::CellAverages<dim> averages(host, u, adamant::Average::arithmetic);
  adamant::Array<double>     finest;
  for (const auto &cell : u.finest().active_cells())
    finest.push_back(coefficient(cell->center()));
  averages.update(adamant::Vector<double>(host, finest));
  std::vector<adamant::Array<double>> of_level;
  for (std::size_t level = 0; level < u.n_levels(); ++level)
    of_level.push_back(adamant::to_host(averages[level]));
  return of_level;
}

// added: the levels of the adaptive mesh, their matrices, and the V-cycle as one more preconditioner.
template <int dim>
void Step6<dim>::solve_with_multigrid()
{
  const Timer                         timer;
  std::vector<adamant::Array<double>> a_of; // the coefficient in the cells of each level
  const auto local_matrix = [&a_of](const adamant::CellContext<dim> &cell, FullMatrix<double> &local) {
    const double a = a_of[cell.level()][cell.cell_number()];
    for (const unsigned int q : cell.quadrature_point_indices())
      for (const unsigned int i : cell.dof_indices())
        for (const unsigned int j : cell.dof_indices())
          local(i, j) += a * cell.gradient(i, q) * cell.gradient(j, q) * cell.JxW(q);
  };
  const MappingQ1<dim>            mapping;
  const adamant::LevelMeshes<dim> meshes(triangulation, {/*coarsest_cells*/ 50});
  const adamant::Field<dim>       u(meshes, "u", fe, {{0, ComponentMask()}});
  adamant::Form<dim> A("A", u, unknowns(u), mapping, quadrature, update_gradients | update_JxW_values, local_matrix,
                       adamant::Levels::all);
  a_of = coefficients(u);
  A.update();
  adamant::MultigridOptions options;
  options.smoother.chebyshev = true;
  options.pre_steps = options.post_steps = 3;
  adamant::DealiiPreconditioner<> multigrid(device, u, A, dof_handler, options);
  multigrid.scale_constrained(system_matrix);
  const unsigned int iterations = solve(multigrid);
  std::cout << "  multigrid: " << iterations << " iterations, " << timer.wall_time() << " s, " << u.n_levels()
            << " levels" << std::endl;
}

template <int dim>
void Step6<dim>::refine_grid()
{
  Vector<float> errors(triangulation.n_active_cells());
  KellyErrorEstimator<dim>::estimate(dof_handler, QGauss<dim - 1>(fe.degree + 1), {}, solution, errors);
  GridRefinement::refine_and_coarsen_fixed_number(triangulation, errors, 0.3, 0.03);
  triangulation.execute_coarsening_and_refinement();
}

template <int dim>
void Step6<dim>::run()
{
  for (unsigned int cycle = 0; cycle < 6; ++cycle)
    {
      if (cycle == 0)
        {
          GridGenerator::hyper_ball(triangulation);
          triangulation.refine_global(2);
        }
      else
        refine_grid();
      setup_system();
      assemble_system();
      std::cout << "cycle " << cycle << ": " << triangulation.n_active_cells() << " cells, " << dof_handler.n_dofs()
                << " unknowns" << std::endl;
      solve_with_ssor();
      const Vector<double> reference = solution;
      solve_with_multigrid();
      Vector<double> difference = reference;
      difference -= solution;
      std::cout << "  relative difference " << difference.l2_norm() / reference.l2_norm() << std::endl;
    }
}

// added: `add_multigrid cuda` runs the V-cycle on a GPU.
int main(int argc, char **argv)
{
  Step6<2>(argc > 1 && argv[1] == std::string("cuda") ? adamant::Device::cuda() :
                                                        adamant::Device::host(MultithreadInfo::n_threads()))
    .run();
}
