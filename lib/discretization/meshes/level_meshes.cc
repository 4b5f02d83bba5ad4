#include "discretization/meshes/level_meshes.h"

#include "base/exceptions.h"
#include "discretization/meshes/distributed_level_meshes.h"
#include "discretization/meshes/mesh.h"

#include <deal.II/distributed/tria_base.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/tria_accessor.h>
#include <deal.II/grid/tria_iterator.h>

#include <algorithm>
#include <omp.h>
#include <utility>

namespace adamant
{
namespace
{
template <int dim>
using Cell = typename dealii::Triangulation<dim>::cell_iterator;

// Corresponding cells of the mesh under construction and of the finer mesh.
template <int dim>
using CellPairs = std::vector<std::pair<Cell<dim>, Cell<dim>>>;

// Which cells of a mesh keep their children when all is coarsened that deal.II's rules for hanging nodes allow: a line
// of a cell may be refined once and not twice, and cells that share a vertex differ by one level where the mesh wants
// it so. Families depend on finer ones alone, so that one pass from the finest level finds them.
template <int dim>
class StayingRefined
{
public:
  explicit StayingRefined(const dealii::Triangulation<dim> &mesh)
    : at_vertices((mesh.get_mesh_smoothing() & dealii::Triangulation<dim>::limit_level_difference_at_vertices) != 0)
    , stays(mesh.n_levels())
    , split(mesh.n_raw_lines(), 0)
    , finest(at_vertices ? mesh.n_vertices() : 0, 0)
  {
    for (int level = static_cast<int>(mesh.n_levels()) - 2; level >= 0; --level)
      {
        stays[level].assign(mesh.n_raw_cells(level), 0);
        for (const auto &cell : mesh.cell_iterators_on_level(level))
          if (cell->has_children() && has_to_stay(cell))
            keep(cell);
      }
  }

  bool operator()(const Cell<dim> &cell) const { return cell->has_children() && stays[cell->level()][cell->index()]; }

private:
  bool has_to_stay(const Cell<dim> &cell) const
  {
    for (unsigned int c = 0; c < cell->n_children(); ++c)
      {
        const auto child = cell->child(c);
        if (child->has_children())
          return true;
        for (unsigned int l = 0; l < child->n_lines(); ++l)
          if (split[child->line_index(l)])
            return true;
        if (at_vertices)
          for (const unsigned int v : child->vertex_indices())
            if (finest[child->vertex_index(v)] > child->level())
              return true;
      }
    return false;
  }

  void keep(const Cell<dim> &cell)
  {
    stays[cell->level()][cell->index()] = 1;
    for (unsigned int l = 0; l < cell->n_lines(); ++l)
      split[cell->line_index(l)] = 1;
    if (at_vertices)
      for (unsigned int c = 0; c < cell->n_children(); ++c)
        for (const unsigned int v : cell->child(c)->vertex_indices())
          {
            int &level = finest[cell->child(c)->vertex_index(v)];
            level      = std::max(level, cell->level() + 1);
          }
  }

  const bool                     at_vertices;
  std::vector<std::vector<char>> stays;  // by level and index
  std::vector<char>              split;  // lines whose children stay
  std::vector<int>               finest; // level of the cells that stay at each vertex
};

template <int dim>
std::shared_ptr<dealii::Triangulation<dim>> copy_coarse_cells(const dealii::Triangulation<dim> &fine)
{
  // Of the smoothing, only the rule that the space may rely on; the others are wishes about refinement.
  const auto smoothing = static_cast<typename dealii::Triangulation<dim>::MeshSmoothing>(
    fine.get_mesh_smoothing() & dealii::Triangulation<dim>::limit_level_difference_at_vertices);
  auto coarse                   = std::make_shared<dealii::Triangulation<dim>>(smoothing);
  auto [vertices, cells, faces] = dealii::GridTools::get_coarse_mesh_description(fine);
  coarse->create_triangulation(vertices, cells, faces);
  copy_manifolds(fine, *coarse);
  return coarse;
}

// Refines `coarse` where the finer mesh stays refined; returns the pairs of each active cell.
template <int dim>
CellPairs<dim> refine_like(dealii::Triangulation<dim> &coarse, const dealii::Triangulation<dim> &fine)
{
  const StayingRefined<dim> stays_refined(fine);
  CellPairs<dim>            active, front, next;
  auto                      fine_cell = fine.begin(0);
  for (auto cell = coarse.begin(0); cell != coarse.end(0); ++cell, ++fine_cell)
    front.emplace_back(cell, fine_cell);
  while (!front.empty())
    {
      bool refine = false;
      for (const auto &[cell, partner] : front)
        if (stays_refined(partner))
          {
            cell->set_refine_flag();
            refine = true;
          }
      if (refine)
        coarse.execute_coarsening_and_refinement();
      next.clear();
      for (const auto &[cell, partner] : front)
        if (cell->has_children())
          for (unsigned int c = 0; c < cell->n_children(); ++c)
            next.emplace_back(cell->child(c), partner->child(c));
        else
          active.emplace_back(cell, partner);
      front.swap(next);
    }
  return active;
}

// What users may have set on the cells in use rather than on their parents.
template <int dim>
void copy_ids_and_vertices(const CellPairs<dim> &active)
{
  for (const auto &[cell, fine] : active)
    {
      cell->set_material_id(fine->has_children() ? fine->child(0)->material_id() : fine->material_id());
      for (const unsigned int v : cell->vertex_indices())
        cell->vertex(v) = fine->vertex(v);
      for (const unsigned int f : cell->face_indices())
        if (cell->face(f)->at_boundary())
          cell->face(f)->set_boundary_id(fine->face(f)->has_children() ? fine->face(f)->child(0)->boundary_id() :
                                                                         fine->face(f)->boundary_id());
    }
}

template <int dim>
void link_cells(const CellPairs<dim> &active, LevelMesh<dim> &fine)
{
  fine.coarse_cell.resize(fine.mesh->n_active_cells());
  fine.child.resize(fine.mesh->n_active_cells());
  for (const auto &[cell, partner] : active)
    {
      const int index = static_cast<int>(cell->active_cell_index());
      if (partner->is_active())
        {
          fine.coarse_cell[partner->active_cell_index()] = index;
          fine.child[partner->active_cell_index()]       = LevelMesh<dim>::same_cell;
        }
      else
        for (unsigned int c = 0; c < partner->n_children(); ++c)
          {
            fine.coarse_cell[partner->child(c)->active_cell_index()] = index;
            fine.child[partner->child(c)->active_cell_index()]       = static_cast<unsigned char>(c);
          }
    }
}
} // namespace

template <int dim>
void check_mesh(const dealii::Triangulation<dim> &mesh)
{
  if (dynamic_cast<const dealii::parallel::distributed::Triangulation<dim> *>(&mesh) == nullptr &&
      dynamic_cast<const dealii::parallel::TriangulationBase<dim> *>(&mesh) != nullptr)
    throw RunError(
      "multigrid levels: only serial triangulations and those of p4est (parallel::distributed) are supported");
  for (unsigned int level = 0; level + 1 < mesh.n_levels(); ++level)
    for (const auto &cell : mesh.cell_iterators_on_level(level))
      if (cell->has_children() && cell->refinement_case() != dealii::RefinementCase<dim>::isotropic_refinement)
        throw RunError("multigrid levels: the mesh has anisotropically refined cells, which are not supported");
  to_index(mesh.n_active_cells(), "cells of the mesh");
}

template <int dim>
std::vector<LevelMesh<dim>> create_level_meshes(dealii::Triangulation<dim> &finest, unsigned int coarsest_cells,
                                                unsigned int cells_per_rank, bool coarsest_on_one_rank)
{
  check_mesh(finest);
  if (const auto *distributed = dynamic_cast<const dealii::parallel::distributed::Triangulation<dim> *>(&finest))
    return create_distributed_level_meshes(*distributed, coarsest_cells, cells_per_rank, coarsest_on_one_rank);
  // Finest first while building.
  std::vector<LevelMesh<dim>> levels(1);
  levels[0].mesh = std::shared_ptr<const dealii::Triangulation<dim>>(&finest, [](const void *) {});
  const dealii::Triangulation<dim> *fine = &finest;
  while (fine->n_active_cells() > coarsest_cells && fine->n_levels() > 1)
    {
      auto       coarse = copy_coarse_cells(*fine);
      const auto active = refine_like(*coarse, *fine);
      if (coarse->n_active_cells() == fine->n_active_cells())
        break;
      copy_ids_and_vertices<dim>(active);
      link_cells<dim>(active, levels.back());
      fine = coarse.get();
      levels.emplace_back();
      levels.back().mesh = coarse;
    }
  return {std::make_move_iterator(levels.rbegin()), std::make_move_iterator(levels.rend())};
}

template <int dim>
LevelMeshes<dim>::LevelMeshes(dealii::Triangulation<dim> &finest, const LevelMeshOptions &options)
  : finest_triangulation(finest)
  , options(options)
  , mesh(&finest, [](const void *) {})
{
  check_mesh(finest);
  // Where ranks talk to each other while they build meshes, one thing follows the other.
  const bool beside = omp_get_max_threads() > 1 && finest.n_global_active_cells() == finest.n_active_cells();
  levels            = build(beside ? std::launch::async : std::launch::deferred);
  if (!beside)
    levels.get();
}

template <int dim>
std::shared_future<std::vector<LevelMesh<dim>>> LevelMeshes<dim>::build(std::launch when) const
{
  return std::async(when, [&finest = finest_triangulation, options = options] {
    return create_level_meshes(finest, options.coarsest_cells, options.cells_per_rank, options.coarsest_on_one_rank);
  });
}

template <int dim>
void LevelMeshes<dim>::release_coarser()
{
  kept       = finest();
  n_released = size();
  levels     = build(std::launch::deferred);
}

template <int dim>
void LevelMeshes<dim>::release()
{
  n_released = size();
  kept.reset();
  levels = build(std::launch::deferred);
}

template class LevelMeshes<2>;
template class LevelMeshes<3>;
template void                      check_mesh(const dealii::Triangulation<2> &);
template void                      check_mesh(const dealii::Triangulation<3> &);
template std::vector<LevelMesh<2>> create_level_meshes(dealii::Triangulation<2> &, unsigned int, unsigned int, bool);
template std::vector<LevelMesh<3>> create_level_meshes(dealii::Triangulation<3> &, unsigned int, unsigned int, bool);
} // namespace adamant
