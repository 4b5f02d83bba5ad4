#include "fem/meshes/level_meshes.h"

#include "base/communicator.h"
#include "base/exceptions.h"
#include "base/parallel_for.h"
#include "fem/meshes/mesh.h"

#include <deal.II/distributed/tria_base.h>
#include <deal.II/grid/grid_tools.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

namespace adamant
{
namespace
{
// Returns one number for the vertices that periodic faces make one; nothing where there are no such faces.
template <int dim>
std::vector<unsigned int> joined_vertices(const dealii::Triangulation<dim> &mesh)
{
  if (mesh.get_periodic_face_map().empty())
    return {};
  std::map<unsigned int, std::vector<unsigned int>> groups;
  std::map<unsigned int, unsigned int>              group_of;
  dealii::GridTools::collect_coinciding_vertices(mesh, groups, group_of);
  std::vector<unsigned int> number(mesh.n_vertices());
  std::iota(number.begin(), number.end(), 0u);
  for (const auto &[v, group] : group_of)
    number[v] = group;
  return number;
}

// Finds the cells that keep their children when all is coarsened that deal.II's rules for hanging nodes allow. A line
// of a cell may be refined once and not twice. Cells that share a vertex differ by one level where the mesh wants it
// so, and everywhere with periodic faces. Families depend on finer ones alone, so that one pass from the finest level finds them. `refined` tells which of
// these cells are refined in the mesh.
template <int dim>
Refined staying_refined(const CellList<dim> &cells, const Refined &refined)
{
  using Cell              = typename CellList<dim>::Cell;
  const auto &mesh        = *cells.mesh();
  const auto  vertex      = joined_vertices(mesh);
  const bool  at_vertices = !vertex.empty() || (mesh.get_mesh_smoothing() & mesh.limit_level_difference_at_vertices);
  Array<char> split(mesh.n_raw_lines(), 0);                   // lines whose children stay, also of refined cells
  Array<int>  finest(at_vertices ? mesh.n_vertices() : 0, 0); // level of the cells that stay at each vertex
  const auto  number      = [&vertex](unsigned int v) { return vertex.empty() ? v : vertex[v]; };
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
        if (at_vertices)
          for (const unsigned int v : child->vertex_indices())
            if (finest[number(child->vertex_index(v))] > child->level())
              return true;
      }
    return false;
  };
  const auto keep = [&](const Cell &cell) {
    for (unsigned int l = 0; l < cell->n_lines(); ++l)
      write_atomically(split[cell->line_index(l)], 1);
    for (unsigned int c = 0; at_vertices && c < cell->n_children(); ++c)
      for (const unsigned int v : cell->child(c)->vertex_indices())
        {
          int &at_vertex = finest[number(cell->child(c)->vertex_index(v))], found = 0;
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
