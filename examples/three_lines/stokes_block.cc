// Stokes' equations in a square with a moving lid, by MINRES. Multigrid preconditions the velocity block of a
// BlockSparseMatrix, and the pressure's mass matrix its Schur complement.
//
// The lines that adamant adds to such a program are marked with "added".

#include "dealii/preconditioner.h" // added

#include <deal.II/base/function.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_renumbering.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/block_sparse_matrix.h>
#include <deal.II/lac/block_sparsity_pattern.h>
#include <deal.II/lac/block_vector.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/precondition.h>
#include <deal.II/lac/solver_minres.h>
#include <deal.II/numerics/vector_tools.h>

#include <iostream>
#include <vector>

using namespace dealii;

class Stokes
{
public:
  void run();

  // The preconditioner: V-cycle of the velocity, diagonal of the pressure's mass matrix.
  void vmult(BlockVector<double> &dst, const BlockVector<double> &src) const
  {
    multigrid.vmult(dst.block(0), src.block(0)); // added
    for (types::global_dof_index i = 0; i < mass.size(); ++i)
      dst.block(1)[i] = src.block(1)[i] / mass[i];
  }

private:
  static constexpr int dim = 2;

  void set_up();
  void assemble();
  void solve();

  const FEValuesExtractors::Vector velocities{0};
  const FEValuesExtractors::Scalar pressure{dim};
  Triangulation<dim>               mesh;
  const FESystem<dim>              fe{FE_Q<dim>(2), dim, FE_Q<dim>(1), 1};
  DoFHandler<dim>                  dof_handler{mesh};
  AffineConstraints<double>        constraints;
  BlockSparsityPattern             pattern;
  BlockSparseMatrix<double>        system_matrix;
  BlockVector<double>              solution, rhs;
  Vector<double>                   mass;      // sums of the rows of the pressure's mass matrix
  adamant::DealiiPreconditioner<>  multigrid; // added
};

void Stokes::set_up()
{
  dof_handler.distribute_dofs(fe);
  const std::vector<unsigned int> blocks = {0, 0, 1};
  DoFRenumbering::component_wise(dof_handler, blocks); // the DoFs of the velocity follow each other
  DoFTools::make_hanging_node_constraints(dof_handler, constraints);
  const auto                             mask = fe.component_mask(velocities);
  const Functions::ConstantFunction<dim> lid(std::vector<double>{1., 0., 0.});
  VectorTools::interpolate_boundary_values(dof_handler, 3, lid, constraints, mask);
  const Functions::ZeroFunction<dim> no_slip(dim + 1);
  for (const types::boundary_id wall : {0, 1, 2})
    VectorTools::interpolate_boundary_values(dof_handler, wall, no_slip, constraints, mask);
  constraints.close();
  const auto                  n = DoFTools::count_dofs_per_fe_block(dof_handler, blocks);
  BlockDynamicSparsityPattern dsp(n, n);
  DoFTools::make_sparsity_pattern(dof_handler, dsp, constraints, false);
  pattern.copy_from(dsp);
  system_matrix.reinit(pattern);
  solution.reinit(n);
  rhs.reinit(n);
  mass.reinit(n[1]);
}

void Stokes::assemble()
{
  FEValues<dim>                        values(fe, QGauss<dim>(3), update_values | update_gradients | update_JxW_values);
  const unsigned int                   n = fe.n_dofs_per_cell();
  FullMatrix<double>                   local(n, n);
  Vector<double>                       local_rhs(n);
  std::vector<types::global_dof_index> indices(n);
  for (const auto &cell : dof_handler.active_cell_iterators())
    {
      values.reinit(cell);
      cell->get_dof_indices(indices);
      local = 0.;
      for (const unsigned int q : values.quadrature_point_indices())
        for (const unsigned int i : values.dof_indices())
          {
            const double p = values[pressure].value(i, q);
            if (fe.system_to_component_index(i).first == dim && !constraints.is_constrained(indices[i]))
              mass[indices[i] - solution.block(0).size()] += p * values.JxW(q);
            for (const unsigned int j : values.dof_indices())
              local(i, j) +=
                (2. * (values[velocities].symmetric_gradient(i, q) * values[velocities].symmetric_gradient(j, q)) -
                 p * values[velocities].divergence(j, q) -
                 values[velocities].divergence(i, q) * values[pressure].value(j, q)) *
                values.JxW(q);
          }
      constraints.distribute_local_to_global(local, local_rhs, indices, system_matrix, rhs);
    }
  for (double &entry : mass)
    if (entry == 0.) // a hanging node
      entry = 1.;
}

void Stokes::solve()
{
  multigrid.initialize(system_matrix.block(0, 0), dof_handler, constraints, velocities); // added
  SolverControl                     control(300, 1e-8 * rhs.l2_norm());
  SolverMinRes<BlockVector<double>> minres(control);
  minres.solve(system_matrix, solution, rhs, *this);
  constraints.distribute(solution);
  std::cout << dof_handler.n_dofs() << " unknowns: " << control.last_step() << " iterations" << std::endl;
}

void Stokes::run()
{
  GridGenerator::hyper_cube(mesh, 0., 1., true);
  mesh.refine_global(4);
  for (const auto &cell : mesh.active_cell_iterators())
    if (cell->center()[1] > 0.75)
      cell->set_refine_flag();
  mesh.execute_coarsening_and_refinement();
  set_up();
  assemble();
  solve();
}

int main()
{
  Stokes().run();
}
