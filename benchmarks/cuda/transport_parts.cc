// The parts of a transport-diffusion step on the GPU, one by one. usage: transport_parts LEVEL [COARSEST_CELLS]

#include "parts.h"

#include <deal.II/base/mpi.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/grid/grid_generator.h>

#include <cstdlib>

int main(int argc, char **argv)
{
  dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, dealii::numbers::invalid_unsigned_int);
  const int                                level    = argc > 1 ? std::atoi(argv[1]) : 10;
  const int                                coarsest = argc > 2 ? std::atoi(argv[2]) : 1024;
  dealii::Triangulation<2>                 mesh;
  dealii::GridGenerator::hyper_cube(mesh);
  mesh.refine_global(level);
  Hierarchy<2>                hierarchy(mesh, dealii::FE_Q<2>(1), DirichletBoundary{{0, dealii::ComponentMask()}}, coarsest);
  const dealii::MappingQ1<2>  mapping;
  hierarchy.assemble(mapping, dealii::QGauss<2>(3),
                     dealii::update_values | dealii::update_gradients | dealii::update_JxW_values,
                     [](const auto &, const auto &fe, auto &local) {
                       for (const unsigned int q : fe.quadrature_point_indices())
                         for (const unsigned int i : fe.dof_indices())
                           for (const unsigned int j : fe.dof_indices())
                             local[0](i, j) += (fe.shape_value(i, q) * fe.shape_value(j, q) +
                                                0.02 * (0.01 * (fe.shape_grad(i, q) * fe.shape_grad(j, q)) -
                                                        fe.shape_grad(j, q)[1] * fe.shape_value(i, q))) *
                                               fe.JxW(q);
                     });
  measure_parts(hierarchy.data(), MultigridOptions(), "transport level " + std::to_string(level));
}
