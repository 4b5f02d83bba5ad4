#include "fem/meshes/level_meshes.h"

#include "base/communicator.h"
#include "base/exceptions.h"
#include "base/parallel_for.h"
#include "fem/meshes/mesh.h"

#include <deal.II/distributed/tria_base.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace adamant
{
namespace
{
// Returns for each face its periodic partner among cells of one level, or -1; nothing where no face is periodic.
template <int dim>
std::vector<int> periodic_partners(const dealii::Triangulation<dim> &mesh)
{
  std::vector<int> partner(mesh.get_periodic_face_map().empty() ? 0 : mesh.n_raw_faces(), -1);
  for (const auto &[face, other] : mesh.get_periodic_face_map())
    if (face.first->level() == other.first.first->level())
      partner[face.first->face_index(face.second)] =
        static_cast<int>(other.first.first->face_index(other.first.second));
  return partner;
}

// Finds the cells that keep their children when all is coarsened that deal.II's rules for hanging nodes allow. A line
// of a cell may be refined once and not twice, nor a periodic face. Cells that share a vertex differ by one level where
// the mesh wants it so. Families depend on finer ones alone, so that one pass from the finest level finds them.
// `refined` tells which of these cells are refined in the mesh.
template <int dim>
Refined staying_refined(const CellList<dim> &cells, const Refined &refined)
{
  using Cell              = typename CellList<dim>::Cell;
  const auto &mesh        = *cells.mesh();
  const auto  partner     = periodic_partners(mesh);
  const bool  at_vertices = (mesh.get_mesh_smoothing() & mesh.limit_level_difference_at_vertices) != 0;
  Array<char> split(mesh.n_raw_lines(), 0);                   // lines whose children stay, also of refined cells
  Array<char> joined_split(partner.size(), 0);                // faces whose periodic partners have children that stay
  Array<int>  finest(at_vertices ? mesh.n_vertices() : 0, 0); // level of the cells that stay at each vertex
  const auto  has_to_stay = [&](const Cell &cell) {
    for (unsigned int c = 0; c < cell->n_children(); ++c)
      {
        const auto         child = cell->child(c);
        const unsigned int level = child->level();
        if (level < refined.size() && refined[level][child->index()] != 0)
          return true;
        for (unsigned int l = 0; l < child->n_lines(); ++l)
          if (split[child->line_index(l)] != 0)
            return true;
        for (unsigned int f = 0; !partner.empty() && f < child->n_faces(); ++f)
          if (joined_split[child->face_index(f)] != 0)
            return true;
        if (at_vertices)
          for (const unsigned int v : child->vertex_indices())
            if (finest[child->vertex_index(v)] > child->level())
              return true;
      }
    return false;
  };
  const auto keep = [&](const Cell &cell) {
    for (unsigned int l = 0; l < cell->n_lines(); ++l)
      write_atomically(split[cell->line_index(l)], 1);
    for (unsigned int f = 0; !partner.empty() && f < cell->n_faces(); ++f)
      if (const int other = partner[cell->face_index(f)]; other >= 0)
        write_atomically(joined_split[other], 1);
    for (unsigned int c = 0; at_vertices && c < cell->n_children(); ++c)
      for (const unsigned int v : cell->child(c)->vertex_indices())
        {
          int &at_vertex = finest[cell->child(c)->vertex_index(v)], found = 0;
#pragma omp atomic read
          found = at_vertex;
          if (found <= cell->level())
            write_atomically(at_vertex, cell->level() + 1);
        }
  };

  Refined stays(refined.size());
  for (unsigned int level = static_cast<unsigned int>(refined.size()); level-- > 0;)
    {
      auto &here = stays[level];
      here.assign(refined[level].size(), 0);
      for_each_cell_on_level(mesh, level, [&](const Cell &cell) {
        here[cell->index()] = refined[level][cell->index()] != 0 && has_to_stay(cell);
      });
      for_each_cell_on_level(mesh, level, [&](const Cell &cell) {
        if (here[cell->index()] != 0)
          keep(cell);
      });
    }
  while (!stays.empty() && std::count(stays.back().begin(), stays.back().end(), 1) == 0)
    stays.pop_back();
  return stays;
}

template <int dim>
void link_cells(const CellList<dim> &coarse, LevelMesh<dim> &fine)
{
  fine.coarse_cell.resize(fine.cells->size());
  fine.child.resize(fine.cells->size());
  const auto link = [&](int cell, std::size_t to, unsigned char child) {
    fine.coarse_cell[cell] = static_cast<int>(to);
    fine.child[cell]       = child;
  };
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < coarse.size(); ++k)
    if (const auto cell = coarse[k]; fine.cells->number(cell) >= 0)
      link(fine.cells->number(cell), k, LevelMesh<dim>::same_cell);
    else
      for (unsigned int c = 0; c < cell->n_children(); ++c)
        link(fine.cells->number(cell->child(c)), k, static_cast<unsigned char>(c));
}

template <int dim>
std::vector<LevelMesh<dim>> create_serial_level_meshes(const std::shared_ptr<const CellList<dim>> &cells,
                                                       unsigned int                                coarsest_cells)
{
  std::vector<LevelMesh<dim>> levels(1); // finest first while building
  levels[0].cells = cells;
  if (cells->size() <= coarsest_cells)
    return levels;
  const auto &mesh = *cells->mesh();
  Refined     refined(mesh.n_levels() - 1);
  for (unsigned int level = 0; level < refined.size(); ++level)
    {
      refined[level].assign(mesh.n_raw_cells(level), 0);
      for_each_cell_on_level(mesh, level,
                             [&](const auto &cell) { refined[level][cell->index()] = cell->has_children(); });
    }
  while (levels.back().cells->size() > coarsest_cells && !refined.empty())
    {
      refined     = staying_refined(*levels.back().cells, refined);
      auto coarse = std::make_shared<const CellList<dim>>(cells->mesh(), refined);
      if (coarse->size() == levels.back().cells->size())
        break;
      link_cells<dim>(*coarse, levels.back());
      levels.emplace_back();
      levels.back().cells = std::move(coarse);
    }
  return {std::make_move_iterator(levels.rbegin()), std::make_move_iterator(levels.rend())};
}

// Throws RunError where the mesh is not supported.
template <int dim>
void check_mesh(const dealii::Triangulation<dim> &mesh)
{
  if (!is_distributed(mesh) && dynamic_cast<const dealii::parallel::TriangulationBase<dim> *>(&mesh) != nullptr)
    throw RunError(
      "multigrid levels: only serial triangulations and those of p4est (parallel::distributed) are supported");
  for (unsigned int level = 0; level + 1 < mesh.n_levels(); ++level)
    for (const auto &cell : mesh.cell_iterators_on_level(level))
      if (cell->has_children() && cell->refinement_case() != dealii::RefinementCase<dim>::isotropic_refinement)
        throw RunError("multigrid levels: the mesh has anisotropically refined cells, which are not supported");
  to_index(mesh.n_active_cells(), "cells of the mesh");
}
} // namespace

template <int dim>
LevelMeshes<dim>::LevelMeshes(const dealii::Triangulation<dim> &finest, const LevelMeshOptions &options)
  : options(options)
{
  check_mesh(finest);
  cells = std::make_shared<const CellList<dim>>(
    std::shared_ptr<const dealii::Triangulation<dim>>(&finest, [](const void *) {}));
  n_levels = all().size();
}

template <int dim>
const std::vector<LevelMesh<dim>> &LevelMeshes<dim>::all() const
{
  if (!levels.empty())
    return levels;
  const auto &mesh = *finest_mesh();
  if (is_distributed(mesh))
    levels = create_distributed_level_meshes(
      dynamic_cast<const dealii::parallel::distributed::Triangulation<dim> &>(mesh), cells, options);
  else
    levels = create_serial_level_meshes(cells, options.coarsest_cells);
  return levels;
}

template <int dim>
LevelMeshOptions halved_mesh_options(const dealii::Triangulation<dim> &finer, LevelMeshOptions options)
{
  for (const auto &cell : finer.active_cell_iterators())
    if (cell->is_locally_owned() && (cell->level() == 0 || cell->parent()->n_active_descendants() != 1u << dim))
      throw RunError("flow: the last refinement of the velocity mesh has to be global");
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

#define INSTANTIATE(dim)                                                                               \
  template class LevelMeshes<dim>;                                                                     \
  template LevelMeshOptions halved_mesh_options(const dealii::Triangulation<dim> &, LevelMeshOptions); \
  template std::size_t      halved_level(const LevelMeshes<dim> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
