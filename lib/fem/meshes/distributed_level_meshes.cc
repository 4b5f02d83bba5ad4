#include "fem/meshes/level_meshes.h"

#include "base/communicator.h"
#include "base/exceptions.h"
#include "fem/meshes/forest.h"
#include "fem/meshes/mesh.h"

#include <algorithm>
#include <utility>

namespace adamant
{
std::vector<int> gathering(const std::vector<int> &machines, std::uint64_t n_cells, std::uint64_t cells_per_rank)
{
  const int        n_ranks = static_cast<int>(machines.size());
  std::vector<int> first; // ranks of the machines, and the end
  for (int rank = 0; rank < n_ranks; ++rank)
    if (first.empty() || machines[rank] != machines[first.back()])
      first.push_back(rank);
  first.push_back(n_ranks);
  const int n_machines = static_cast<int>(first.size()) - 1;
  const int n_busy =
    static_cast<int>(std::clamp<std::uint64_t>(n_cells / std::max<std::uint64_t>(cells_per_rank, 1), 1, n_ranks));
  const int group = (n_ranks + n_busy - 1) / n_busy; // of ranks, one of which stays

  std::vector<int> to(n_ranks);
  for (int machine = 0; machine < n_machines; ++machine)
    for (int rank = first[machine]; rank < first[machine + 1]; ++rank)
      if (n_machines > 1 && n_busy <= first[1])
        to[rank] = static_cast<int>(std::int64_t(rank) * n_busy / n_ranks);
      else if (n_busy < n_machines)
        to[rank] = first[machine - machine % ((n_machines + n_busy - 1) / n_busy)];
      else
        to[rank] = rank - (rank - first[machine]) % group;
  return to;
}

namespace
{
template <int dim>
using Mesh = dealii::parallel::distributed::Triangulation<dim>;

using forest::Forest;

// The coarse cell of each fine one, by its place in the coarse forest of one partition, and which child it is.
template <int dim>
void link_cells(Forest<dim> *coarse, Forest<dim> *fine, std::vector<std::uint64_t> &coarse_cell,
                Array<unsigned char> &child)
{
  constexpr int n_children    = dealii::GeometryInfo<dim>::max_children_per_cell;
  const auto    coarse_levels = forest::levels_of<dim>(coarse), fine_levels = forest::levels_of<dim>(fine);
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

// Gathers the cells on as many ranks as they are enough for, and families with them.
template <int dim>
void repartition(Forest<dim> *cells, const std::vector<int> &machines, std::uint64_t cells_per_rank)
{
  const auto                  to = gathering(machines, cells->global_num_quadrants, cells_per_rank);
  std::vector<p4est_locidx_t> counts(machines.size(), 0);
  for (std::size_t rank = 0; rank < machines.size(); ++rank)
    counts[to[rank]] +=
      static_cast<p4est_locidx_t>(cells->global_first_quadrant[rank + 1] - cells->global_first_quadrant[rank]);
  forest::complete_families<dim>(cells, counts.data());
  forest::partition_given<dim>(cells, counts.data());
}

// deal.II does not tell p4est where cells run through a line of the coarse mesh in two directions.
template <int dim>
void check_cells(const CellList<dim> &cells, const Forest<dim> *forest)
{
  double differ = cells.size() == static_cast<std::size_t>(forest->local_num_quadrants) ? 0. : 1.;
  Communicator(forest->mpicomm).max(&differ, 1);
  if (differ > 0.)
    throw RunError("multigrid levels: the mesh and its forest of p4est have different cells; do cells run through a "
                   "line of the coarse mesh in two directions? A serial Triangulation takes such meshes");
}

// `unrefined` has the coarse cells of the mesh.
template <int dim>
std::shared_ptr<const CellList<dim>> cells_of(const dealii::Triangulation<dim> &unrefined, Forest<dim> *forest)
{
  auto mesh = std::make_shared<ForestMesh<dim>>(forest->mpicomm, unrefined.get_mesh_smoothing(),
                                                ForestMesh<dim>::no_automatic_repartitioning);
  copy_coarse_cells(unrefined, *mesh);
  mesh->refine_to(forest);
  auto cells = std::make_shared<const CellList<dim>>(mesh);
  check_cells<dim>(*cells, forest);
  return cells;
}

// The numbers of the coarse cells that this rank needs: its own, and where the partitions differ some of others.
template <int dim>
void number_coarse_cells(const Forest<dim> *coarse, const std::vector<std::uint64_t> &places, LevelMesh<dim> &fine)
{
  const MPI_Comm comm  = coarse->mpicomm;
  const auto     owned = owned_range(coarse->local_num_quadrants, comm);
  fine.coarse_cells    = make_partitioner(owned, {places.begin(), places.end()}, comm);
  fine.coarse_cell.resize(places.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    fine.coarse_cell[i] =
      static_cast<int>(fine.coarse_cells->global_to_local(static_cast<dealii::types::global_dof_index>(places[i])));
}
} // namespace

template <int dim>
std::vector<LevelMesh<dim>> create_distributed_level_meshes(const Mesh<dim>                     &finest,
                                                            std::shared_ptr<const CellList<dim>> cells,
                                                            const LevelMeshOptions              &options)
{
  std::vector<LevelMesh<dim>> levels(1); // finest first while building
  levels[0].cells = std::move(cells);
  if (options.coarsest_cells == finest_level_only)
    return levels;
  std::shared_ptr<Forest<dim>> fine        = forest::copy<dim>(finest.get_p4est());
  const auto                   on_one_rank = [](const Forest<dim> *cells) {
    return cells->global_first_quadrant[1] == cells->global_num_quadrants;
  };
  const auto                 machines = Communicator(finest.get_communicator()).machines();
  dealii::Triangulation<dim> unrefined(static_cast<typename dealii::Triangulation<dim>::MeshSmoothing>(
    finest.get_mesh_smoothing() & dealii::Triangulation<dim>::limit_level_difference_at_vertices));
  copy_coarse_cells(finest, unrefined);
  bool last = false;
  check_cells<dim>(*levels[0].cells, fine.get());
  while (!last)
    {
      const std::uint64_t n_fine = fine->global_num_quadrants;
      auto                coarse = forest::copy<dim>(fine.get());
      if (n_fine > options.coarsest_cells)
        {
          forest::coarsen_all<dim>(coarse.get());
          forest::balance<dim>(coarse.get());
        }
      const std::uint64_t n_coarse = coarse->global_num_quadrants;
      // For its dense inverse the coarsest level comes to one rank, if need be as a level of its own of equal cells.
      last = n_coarse == n_fine || n_coarse <= options.coarsest_cells;
      if (n_coarse == n_fine && (!options.coarsest_on_one_rank || on_one_rank(fine.get())))
        break;
      std::vector<std::uint64_t> places;
      link_cells<dim>(coarse.get(), fine.get(), places, levels.back().child);
      repartition<dim>(coarse.get(), machines,
                       last && options.coarsest_on_one_rank ? n_coarse + 1 : options.cells_per_rank);
      number_coarse_cells<dim>(coarse.get(), places, levels.back());
      levels.emplace_back();
      fine = std::move(coarse);
      if (options.forests_alone)
        levels.back().forest = fine;
      else
        levels.back().cells = cells_of(unrefined, fine.get());
    }
  return {std::make_move_iterator(levels.rbegin()), std::make_move_iterator(levels.rend())};
}

template decltype(create_distributed_level_meshes<2>) create_distributed_level_meshes<2>;
template decltype(create_distributed_level_meshes<3>) create_distributed_level_meshes<3>;
} // namespace adamant
