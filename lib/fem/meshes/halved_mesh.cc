#include "fem/meshes/halved_mesh.h"

#include "base/exceptions.h"

#include <algorithm>
#include <string>

namespace adamant
{
template <int dim>
dealii::Triangulation<dim> &require_halved(dealii::Triangulation<dim> &finer)
{
  for (const auto &cell : finer.active_cell_iterators())
    if (cell->is_locally_owned() && (cell->level() == 0 || cell->parent()->n_active_descendants() != 1u << dim))
      throw RunError("flow: the last refinement of the velocity mesh has to be global");
  return finer;
}

template <int dim>
LevelMeshOptions halved_mesh_options(const dealii::Triangulation<dim> &finer, LevelMeshOptions options)
{
  options.coarsest_cells =
    std::min(options.coarsest_cells, static_cast<unsigned int>(finer.n_global_active_cells() >> dim));
  return options;
}

template <int dim>
std::size_t halved_level(const LevelMeshes<dim> &meshes)
{
  const auto expected = meshes.finest_mesh()->n_global_active_cells() >> dim;
  const auto n        = meshes.size() < 2 ? 0 : meshes[meshes.size() - 2].cells->n_global();
  if (n != expected)
    throw RunError("flow: the velocity mesh cannot be coarsened to the pressure mesh (" + std::to_string(n) +
                   " cells where " + std::to_string(expected) + " were expected)");
  return meshes.size() - 2;
}

#define INSTANTIATE(dim)                                                                                          \
  template dealii::Triangulation<dim> &require_halved(dealii::Triangulation<dim> &);                              \
  template LevelMeshOptions            halved_mesh_options(const dealii::Triangulation<dim> &, LevelMeshOptions); \
  template std::size_t                 halved_level(const LevelMeshes<dim> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
