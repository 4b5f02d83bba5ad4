// Poisson's equation on a ball that is refined by Kelly's estimator, with multigrid as the preconditioner of SolverCG:
//
//   -div (a grad u) = 1 in the unit ball,   u = 0 on its surface,   a = 1 + 0.9 sin(6 x) cos(5 y).
//
// The lines that adamant adds to such a program are marked with "added". On each mesh the whole solve also runs on the
// device, which here is the host.

#include "dealii/preconditioner.h" // added

#include <deal.II/base/function.h>
#include <deal.II/base/quadrature_lib.h>
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
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/sparse_matrix.h>
#include <deal.II/lac/vector.h>
#include <deal.II/numerics/error_estimator.h>
#include <deal.II/numerics/vector_tools.h>

#include <cmath>
#include <iostream>

using namespace dealii;

class Poisson
{
public:
  void run();

private:
  static constexpr int dim = 3;

  void set_up();
  void assemble();
  void solve();
  void refine();

  Triangulation<dim>              mesh;
  const FE_Q<dim>                 fe{2};
  DoFHandler<dim>                 dof_handler{mesh};
  AffineConstraints<double>       constraints;
  SparsityPattern                 pattern;
  SparseMatrix<double>            system_matrix;
  Vector<double>                  solution, rhs;
  adamant::DealiiPreconditioner<> multigrid; // added
};

void Poisson::set_up()
{
  dof_handler.distribute_dofs(fe);
  constraints.clear();
  DoFTools::make_hanging_node_constraints(dof_handler, constraints);
  VectorTools::interpolate_boundary_values(dof_handler, 0, Functions::ZeroFunction<dim>(), constraints);
  constraints.close();
  DynamicSparsityPattern dsp(dof_handler.n_dofs());
  DoFTools::make_sparsity_pattern(dof_handler, dsp, constraints, false);
  system_matrix.clear();
  pattern.copy_from(dsp);
  system_matrix.reinit(pattern);
  solution.reinit(dof_handler.n_dofs());
  rhs.reinit(dof_handler.n_dofs());
}

void Poisson::assemble()
{
  const UpdateFlags  flags = update_values | update_gradients | update_quadrature_points | update_JxW_values;
  FEValues<dim>      values(fe, QGauss<dim>(3), flags);
  const unsigned int n = fe.n_dofs_per_cell();
  FullMatrix<double> local(n, n);
  Vector<double>     local_rhs(n);
  std::vector<types::global_dof_index> indices(n);
  for (const auto &cell : dof_handler.active_cell_iterators())
    {
      values.reinit(cell);
      local     = 0.;
      local_rhs = 0.;
      for (const unsigned int q : values.quadrature_point_indices())
        {
          const Point<dim> &x = values.quadrature_point(q);
          const double      a = 1. + 0.9 * std::sin(6. * x[0]) * std::cos(5. * x[1]);
          for (const unsigned int i : values.dof_indices())
            {
              for (const unsigned int j : values.dof_indices())
                local(i, j) += a * values.shape_grad(i, q) * values.shape_grad(j, q) * values.JxW(q);
              local_rhs(i) += values.shape_value(i, q) * values.JxW(q);
            }
        }
      cell->get_dof_indices(indices);
      constraints.distribute_local_to_global(local, local_rhs, indices, system_matrix, rhs);
    }
}

void Poisson::solve()
{
  multigrid.initialize(system_matrix, dof_handler, constraints); // added, in place of the former preconditioner's line
  SolverControl            control(100, 1e-8 * rhs.l2_norm());
  SolverCG<Vector<double>> cg(control);
  cg.solve(system_matrix, solution, rhs, multigrid);
  std::cout << mesh.n_active_cells() << " cells, " << dof_handler.n_dofs() << " unknowns: " << control.last_step()
            << " iterations";

  Vector<double> on_device(rhs.size());
  adamant::solve(system_matrix, on_device, rhs, multigrid, control); // or the whole solve on the device
  on_device -= solution;
  std::cout << ", on the device " << control.last_step() << ", relative difference "
            << on_device.l2_norm() / solution.l2_norm() << std::endl;
  constraints.distribute(solution);
}

void Poisson::refine()
{
  Vector<float> errors(mesh.n_active_cells());
  KellyErrorEstimator<dim>::estimate(dof_handler, QGauss<dim - 1>(3), {}, solution, errors);
  GridRefinement::refine_and_coarsen_fixed_number(mesh, errors, 0.3, 0.03);
  mesh.execute_coarsening_and_refinement();
}

void Poisson::run()
{
  GridGenerator::hyper_ball(mesh);
  mesh.refine_global(2);
  for (int cycle = 0; cycle < 4; ++cycle)
    {
      if (cycle > 0)
        refine();
      set_up();
      assemble();
      solve();
    }
}

int main()
{
  Poisson().run();
}
