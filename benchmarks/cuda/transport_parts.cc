// The parts of a transport-diffusion step on the GPU, one by one.
// usage: transport_parts LEVEL [COARSEST_CELLS [latency]]

#include "parts.h"
#include "transport_levels.h"

#include <deal.II/base/mpi.h>
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
  const auto levels = transport_levels(mesh, coarsest, 1);
  MultigridOptions options; // of the paper's cases
  options.pre_steps        = 1;
  options.smoother.damping = 0.9;
  measure_parts(levels, options, "transport level " + std::to_string(level), argc > 3);
}
