#pragma once

#include "fem/meshes/mesh.h"

#include <deal.II/distributed/tria.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/tria.h>

#include <boost/serialization/vector.hpp>

#include <functional>
#include <utility>
#include <vector>

namespace adamant
{
/// Returns on the first rank the refinement levels of all ranks' cells, in the order of the forest. Other ranks get an
/// empty vector. All ranks call it together.
template <int dim>
std::vector<signed char> gather_levels(const dealii::parallel::distributed::Triangulation<dim> &mesh);

/// Refines the unrefined `mesh` to cells of these levels, which each rank has for all cells in the order of the forest.
/// The cells are distributed over the ranks as in mesh.h.
template <int dim>
void refine_to_levels(dealii::parallel::distributed::Triangulation<dim> &mesh, const std::vector<signed char> &levels);

/// Stores a mesh in a checkpoint, by Boost's serialization. A serial mesh is stored as deal.II does it. Of a mesh of
/// p4est the coarse cells and the refinement levels are stored, and any number of ranks can load them. Checkpoints hold
/// no manifolds; new vertices are placed by the manifolds of `coarse`, if given. `coarse` has to outlive a serial mesh.
/// Nor do they hold which faces are periodic: `join` tells a mesh that has been loaded.
template <int dim>
class StoredMesh
{
public:
  using Join = std::function<void(dealii::Triangulation<dim> &)>;

  explicit StoredMesh(
    dealii::Triangulation<dim> &mesh, const dealii::Triangulation<dim> *coarse = nullptr, Join join = [](auto &) {})
    : mesh(mesh)
    , with_manifolds(coarse)
    , join(std::move(join))
  {}

  template <class Archive>
  void serialize(Archive &archive, unsigned int /*version*/)
  {
    auto *distributed = dynamic_cast<dealii::parallel::distributed::Triangulation<dim> *>(&mesh);
    if (distributed == nullptr)
      {
        archive &mesh;
        if (Archive::is_loading::value && with_manifolds != nullptr)
          share_manifolds(*with_manifolds, mesh);
        if (Archive::is_loading::value)
          join(mesh);
        return;
      }
    dealii::Triangulation<dim> coarse;
    std::vector<signed char>   levels;
    if constexpr (Archive::is_saving::value)
      {
        auto [vertices, cells, faces] = dealii::GridTools::get_coarse_mesh_description(mesh);
        coarse.create_triangulation(vertices, cells, faces);
        levels = gather_levels(*distributed);
      }
    archive &coarse &levels;
    if constexpr (Archive::is_loading::value)
      {
        auto [vertices, cells, faces] = dealii::GridTools::get_coarse_mesh_description(coarse);
        mesh.create_triangulation(vertices, cells, faces);
        if (with_manifolds != nullptr)
          copy_manifolds(*with_manifolds, mesh);
        join(mesh);
        refine_to_levels(*distributed, levels);
      }
  }

private:
  dealii::Triangulation<dim>       &mesh;
  const dealii::Triangulation<dim> *with_manifolds;
  const Join                        join;
};
} // namespace adamant
