// The parts of an elasticity step on the GPU, one by one. usage: elasticity_parts face|edge|vertex LEVEL
// [COARSEST_CELLS [latency]]

#include "elasticity_levels.h"
#include "parts.h"

#include <deal.II/base/mpi.h>
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
  const auto levels = elasticity_levels(mesh, coarsest);
  measure_parts(levels, elasticity_options(), kind + " level " + std::to_string(level), argc > 4);
}
