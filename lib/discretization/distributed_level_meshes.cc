#include "discretization/distributed_level_meshes.h"

#include <deal.II/distributed/p4est_wrappers.h>
#include <deal.II/grid/grid_tools.h>

#include <p4est_algorithms.h>
#include <p4est_extended.h>
#include <p8est_algorithms.h>
#include <p8est_extended.h>

#include <algorithm>
#include <utility>

namespace adamant
{
namespace
{
template <int dim>
using Mesh = dealii::parallel::distributed::Triangulation<dim>;

// p4est and p8est have the same functions with other types.
template <int dim>
using P4est = dealii::internal::p4est::functions<dim>;
template <int dim>
using Forest = typename dealii::internal::p4est::types<dim>::forest;

void partition_given(p4est_t *forest, const p4est_locidx_t *counts)
{
  p4est_partition_given(forest, counts);
}
void partition_given(p8est_t *forest, const p4est_locidx_t *counts)
{
  p8est_partition_given(forest, counts);
}
void complete_families(p4est_t *forest, p4est_locidx_t *counts)
{
  p4est_partition_for_coarsening(forest, counts);
}
void complete_families(p8est_t *forest, p4est_locidx_t *counts)
{
  p8est_partition_for_coarsening(forest, counts);
}
p4est_quadrant_t *first_quadrant(p4est_t *forest, p4est_topidx_t tree)
{
  return reinterpret_cast<p4est_quadrant_t *>(p4est_tree_array_index(forest->trees, tree)->quadrants.array);
}
p8est_quadrant_t *first_quadrant(p8est_t *forest, p4est_topidx_t tree)
{
  return reinterpret_cast<p8est_quadrant_t *>(p8est_tree_array_index(forest->trees, tree)->quadrants.array);
}
std::size_t n_quadrants(p4est_t *forest, p4est_topidx_t tree)
{
  return p4est_tree_array_index(forest->trees, tree)->quadrants.elem_count;
}
std::size_t n_quadrants(p8est_t *forest, p4est_topidx_t tree)
{
  return p8est_tree_array_index(forest->trees, tree)->quadrants.elem_count;
}

void balance(p4est_t *forest)
{
  p4est_balance(forest, P4EST_CONNECT_FULL, nullptr);
}
void balance(p8est_t *forest)
{
  p8est_balance(forest, P8EST_CONNECT_FULL, nullptr);
}
int always(p4est_t *, p4est_topidx_t, p4est_quadrant_t **)
{
  return 1;
}
int always(p8est_t *, p4est_topidx_t, p8est_quadrant_t **)
{
  return 1;
}

template <int dim>
class ForestCopy
{
public:
  explicit ForestCopy(const Forest<dim> *source)
    : forest(P4est<dim>::copy_forest(const_cast<Forest<dim> *>(source), 0))
  {}
  ForestCopy(ForestCopy &&other) noexcept
    : forest(std::exchange(other.forest, nullptr))
  {}
  ForestCopy &operator=(ForestCopy &&other) noexcept
  {
    std::swap(forest, other.forest);
    return *this;
  }
  ~ForestCopy()
  {
    if (forest)
      P4est<dim>::destroy(forest);
  }
  Forest<dim> *get() const { return forest; }
  Forest<dim> *operator->() const { return forest; }

private:
  Forest<dim> *forest;
};

// Refinement levels of the local cells, in the order of the forest.
template <int dim>
std::vector<signed char> levels_of(Forest<dim> *forest)
{
  std::vector<signed char> levels;
  levels.reserve(forest->local_num_quadrants);
  for (auto tree = forest->first_local_tree; tree <= forest->last_local_tree; ++tree)
    for (std::size_t q = 0; q < n_quadrants(forest, tree); ++q)
      levels.push_back(first_quadrant(forest, tree)[q].level);
  return levels;
}

// The coarse cell of each fine one by its place in the coarse forest, which has the same partition still, and which child it is.
template <int dim>
void link_cells(Forest<dim> *coarse, Forest<dim> *fine, std::vector<std::uint64_t> &coarse_cell, Array<unsigned char> &child)
{
  constexpr int n_children    = dealii::GeometryInfo<dim>::max_children_per_cell;
  const auto    coarse_levels = levels_of<dim>(coarse), fine_levels = levels_of<dim>(fine);
  std::uint64_t place = coarse->global_first_quadrant[coarse->mpirank];
  std::size_t   f     = 0;
  for (const auto level : coarse_levels)
    {
      const bool same = fine_levels[f] == level;
      for (int c = 0; c < (same ? 1 : n_children); ++c, ++f)
        {
          coarse_cell.push_back(place);
          child.push_back(same ? LevelMesh<dim>::same_cell : static_cast<unsigned char>(c));
        }
      ++place;
    }
}

// Moves few cells: groups of neighbouring ranks give theirs to their first where there are not enough for all, and families come
// together.
template <int dim>
void repartition(Forest<dim> *forest, std::uint64_t cells_per_rank)
{
  const int           n_ranks = forest->mpisize;
  const std::uint64_t n_cells = forest->global_num_quadrants;
  const auto          n_busy  = std::clamp<std::uint64_t>(n_cells / std::max<std::uint64_t>(cells_per_rank, 1), 1, n_ranks);
  const int           group   = static_cast<int>((n_ranks + n_busy - 1) / n_busy);
  std::vector<p4est_locidx_t> counts(n_ranks, 0);
  for (int rank = 0; rank < n_ranks; ++rank)
    counts[rank - rank % group] +=
      static_cast<p4est_locidx_t>(forest->global_first_quadrant[rank + 1] - forest->global_first_quadrant[rank]);
  complete_families(forest, counts.data());
  partition_given(forest, counts.data());
}

template <int dim>
std::shared_ptr<Mesh<dim>> mesh_of(const Mesh<dim> &finest, Forest<dim> *forest)
{
  const auto smoothing = static_cast<typename dealii::Triangulation<dim>::MeshSmoothing>(
    finest.get_mesh_smoothing() & dealii::Triangulation<dim>::limit_level_difference_at_vertices);
  auto mesh = std::make_shared<Mesh<dim>>(finest.get_communicator(), smoothing, Mesh<dim>::no_automatic_repartitioning);
  auto [vertices, cells, faces] = dealii::GridTools::get_coarse_mesh_description(finest);
  for (const auto id : finest.get_manifold_ids())
    if (id != dealii::numbers::flat_manifold_id)
      mesh->set_manifold(id, finest.get_manifold(id));
  mesh->create_triangulation(vertices, cells, faces);
  mesh->load(forest);
  return mesh;
}

// The numbers of the coarse cells that this rank needs: its own, and where the partitions differ some of others.
template <int dim>
void number_coarse_cells(const Forest<dim> *coarse, const std::vector<std::uint64_t> &places, LevelMesh<dim> &fine)
{
  const MPI_Comm comm  = coarse->mpicomm;
  const auto     owned = owned_range(coarse->local_num_quadrants, comm);
  dealii::IndexSet ghosts(owned.size());
  for (const auto place : places)
    if (!owned.is_element(static_cast<dealii::types::global_dof_index>(place)))
      ghosts.add_index(static_cast<dealii::types::global_dof_index>(place));
  ghosts.compress();
  fine.coarse_cells = std::make_shared<Partitioner>(owned, ghosts, comm);
  fine.coarse_cell.resize(places.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    fine.coarse_cell[i] =
      static_cast<int>(fine.coarse_cells->global_to_local(static_cast<dealii::types::global_dof_index>(places[i])));
}

template <int dim>
void append_cells(const typename dealii::Triangulation<dim>::cell_iterator                     &cell,
                  std::vector<typename dealii::Triangulation<dim>::active_cell_iterator> &list)
{
  if (cell->has_children())
    for (unsigned int c = 0; c < cell->n_children(); ++c)
      append_cells<dim>(cell->child(c), list);
  else if (const typename dealii::Triangulation<dim>::active_cell_iterator active(cell); active->is_locally_owned())
    list.push_back(active);
}
} // namespace

template <int dim>
std::vector<typename dealii::Triangulation<dim>::active_cell_iterator> owned_cells(const dealii::Triangulation<dim> &mesh)
{
  std::vector<typename dealii::Triangulation<dim>::active_cell_iterator> list;
  if (const auto *distributed = dynamic_cast<const Mesh<dim> *>(&mesh))
    {
      for (const auto index : distributed->get_p4est_tree_to_coarse_cell_permutation())
        append_cells<dim>(typename dealii::Triangulation<dim>::cell_iterator(&mesh, 0, static_cast<int>(index)), list);
      return list;
    }
  list.reserve(mesh.n_active_cells());
  for (const auto &cell : mesh.active_cell_iterators())
    list.push_back(cell);
  return list;
}

template <int dim>
std::vector<LevelMesh<dim>> create_distributed_level_meshes(const Mesh<dim> &finest, unsigned int coarsest_cells,
                                                            unsigned int cells_per_rank)
{
  // Finest first while building.
  std::vector<LevelMesh<dim>> levels(1);
  levels[0].mesh = std::shared_ptr<const dealii::Triangulation<dim>>(&finest, [](const void *) {});
  ForestCopy<dim> fine(finest.get_p4est());
  const auto      on_one_rank = [](const Forest<dim> *forest) {
    return forest->global_first_quadrant[1] == forest->global_num_quadrants;
  };
  bool last = false;
  while (!last)
    {
      const std::uint64_t n_fine = fine->global_num_quadrants;
      ForestCopy<dim>     coarse(fine.get());
      if (n_fine > coarsest_cells)
        {
          P4est<dim>::coarsen(coarse.get(), 0, always, nullptr);
          balance(coarse.get());
        }
      const std::uint64_t n_coarse = coarse->global_num_quadrants;
      // The coarsest level comes together on one rank, if need be as a level of its own with the same cells.
      last = n_coarse == n_fine || n_coarse <= coarsest_cells;
      if (n_coarse == n_fine && on_one_rank(fine.get()))
        break;
      std::vector<std::uint64_t> places;
      link_cells<dim>(coarse.get(), fine.get(), places, levels.back().child);
      repartition<dim>(coarse.get(), last ? n_coarse + 1 : cells_per_rank);
      number_coarse_cells<dim>(coarse.get(), places, levels.back());
      levels.emplace_back();
      levels.back().mesh = mesh_of(finest, coarse.get());
      fine               = std::move(coarse);
    }
  return {std::make_move_iterator(levels.rbegin()), std::make_move_iterator(levels.rend())};
}

template std::vector<LevelMesh<2>> create_distributed_level_meshes(const Mesh<2> &, unsigned int, unsigned int);
template std::vector<LevelMesh<3>> create_distributed_level_meshes(const Mesh<3> &, unsigned int, unsigned int);
template std::vector<dealii::Triangulation<2>::active_cell_iterator> owned_cells(const dealii::Triangulation<2> &);
template std::vector<dealii::Triangulation<3>::active_cell_iterator> owned_cells(const dealii::Triangulation<3> &);
} // namespace adamant
