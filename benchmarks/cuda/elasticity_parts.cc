// The parts of an elasticity step on the GPU, one by one. usage: elasticity_parts face|edge|vertex LEVEL [COARSEST_CELLS]

#include "parts.h"

#include <deal.II/base/mpi.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/grid/grid_generator.h>

#include <cstdlib>
#include <cstring>

int main(int argc, char **argv)
{
  dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, dealii::numbers::invalid_unsigned_int);
  const std::string                        kind     = argc > 1 ? argv[1] : "face";
  const int                                level    = argc > 2 ? std::atoi(argv[2]) : 5;
  const int                                coarsest = argc > 3 ? std::atoi(argv[3]) : 64;
  dealii::Triangulation<3>                 mesh;
  dealii::GridGenerator::hyper_cube(mesh, 0., 1., true);
  mesh.refine_global(3);
  const int n_near = kind == "face" ? 1 : kind == "edge" ? 2 : 3;
  for (int l = 1; l < level; ++l)
    {
      for (const auto &cell : mesh.active_cell_iterators())
        {
          bool near = true;
          for (int d = 0; d < n_near; ++d)
            near = near && cell->center()[d] < std::ldexp(1., -l);
          if (near)
            cell->set_refine_flag();
        }
      mesh.execute_coarsening_and_refinement();
    }
  DirichletBoundary dirichlet;
  for (int side = 0; side < 6; ++side)
    dirichlet[side] = dealii::ComponentMask();
  const dealii::FESystem<3> fe(dealii::FE_Q<3>(1), 3);
  Hierarchy<3>              hierarchy(mesh, fe, dirichlet, coarsest);
  const double              lambda = 8e4, mu = 2e4, weight = 0.025 * 0.025;
  // M + dt² K of the paper's material.
  hierarchy.assemble(dealii::MappingQ1<3>(), dealii::QGauss<3>(2),
                     dealii::update_values | dealii::update_gradients | dealii::update_JxW_values,
                     [&](const auto &, const auto &values, auto &local) {
                       for (const unsigned int i : values.dof_indices())
                         for (const unsigned int j : values.dof_indices())
                           for (const unsigned int q : values.quadrature_point_indices())
                             {
                               const unsigned int c = fe.system_to_component_index(i).first, d = fe.system_to_component_index(j).first;
                               const auto        &g = values.shape_grad(i, q), &h = values.shape_grad(j, q);
                               local[0](i, j) += (weight * (lambda * g[c] * h[d] + mu * g[d] * h[c]) +
                                                  (c == d ? weight * mu * (g * h) + values.shape_value(i, q) * values.shape_value(j, q) : 0.)) *
                                                 values.JxW(q);
                             }
                     });
  MultigridOptions options;
  options.smoother.chebyshev = true;
  options.smoother.range     = 20.;
  options.smoother.type      = SmootherType::block_jacobi;
  options.pre_steps = options.post_steps = 3;
  measure_parts(hierarchy.data(), options, kind + " level " + std::to_string(level));
}
