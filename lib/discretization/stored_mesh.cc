#include "discretization/stored_mesh.h"

#include "base/communicator.h"
#include "discretization/forest.h"

#include <deal.II/base/mpi.h>

#include <cstdint>

namespace adamant
{
namespace
{
template <int dim>
using Mesh = dealii::parallel::distributed::Triangulation<dim>;

// Where refinement stands in the list of levels.
struct Cursor
{
  const std::vector<signed char> &levels;
  std::size_t                     next;
};

template <class Forest, class Quadrant>
int refine_to_next(Forest *forest, p4est_topidx_t, Quadrant *quadrant)
{
  auto &cursor = *static_cast<Cursor *>(forest->user_pointer);
  if (quadrant->level < cursor.levels[cursor.next])
    return 1;
  ++cursor.next;
  return 0;
}

void refine_recursively(p4est_t *forest)
{
  p4est_refine(forest, 1, refine_to_next<p4est_t, p4est_quadrant_t>, nullptr);
}
void refine_recursively(p8est_t *forest)
{
  p8est_refine(forest, 1, refine_to_next<p8est_t, p8est_quadrant_t>, nullptr);
}

// Where the cells of a tree begin: those before fill their trees.
template <int dim>
std::size_t first_cell_of_tree(const std::vector<signed char> &levels, p4est_topidx_t tree)
{
  constexpr int max_level = 60 / dim;
  std::size_t   cell      = 0;
  for (; tree > 0; --tree)
    for (std::uint64_t filled = 0; filled < std::uint64_t(1) << (dim * max_level); ++cell)
      filled += std::uint64_t(1) << (dim * (max_level - levels.at(cell)));
  return cell;
}
} // namespace

template <int dim>
std::vector<signed char> gather_levels(const Mesh<dim> &mesh)
{
  const Communicator       ranks(mesh.get_communicator());
  std::vector<signed char> own = forest::levels_of(const_cast<forest::Forest<dim> *>(mesh.get_p4est()));
  int                      n   = static_cast<int>(own.size());
  std::vector<int>         counts(ranks.size()), starts(ranks.size() + 1, 0);
  check_mpi(MPI_Gather(&n, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, ranks.handle()), "MPI_Gather");
  std::size_t total = 0;
  for (int r = 0; r < ranks.size(); ++r)
    starts[r + 1] = to_index(total += counts[r], "cells of a checkpoint's mesh");
  std::vector<signed char> all(ranks.rank() == 0 ? total : 0);
  check_mpi(MPI_Gatherv(own.data(), n, MPI_SIGNED_CHAR, all.data(), counts.data(), starts.data(), MPI_SIGNED_CHAR, 0,
                        ranks.handle()),
            "MPI_Gatherv");
  return all;
}

template <int dim>
void refine_to_levels(Mesh<dim> &mesh, const std::vector<signed char> &levels)
{
  forest::Copy<dim> forest(mesh.get_p4est());
  if (forest->first_local_tree >= 0)
    {
      Cursor cursor{levels, first_cell_of_tree<dim>(levels, forest->first_local_tree)};
      forest->user_pointer = &cursor;
      refine_recursively(forest.get());
    }
  else
    refine_recursively(forest.get());
  forest::Functions<dim>::partition(forest.get(), 1, nullptr);
  mesh.load(forest.get());
  balance(mesh);
}

template <int dim>
void balance(dealii::Triangulation<dim> &mesh)
{
  auto *distributed = dynamic_cast<Mesh<dim> *>(&mesh);
  if (distributed == nullptr)
    return;
  const auto n_hanging_faces = [](const auto &cell) {
    unsigned int n = 0;
    for (const unsigned int f : cell->face_indices())
      n += !cell->at_boundary(f) && cell->neighbor_is_coarser(f);
    return n;
  };
  unsigned int here = 0;
  for (const auto &cell : distributed->active_cell_iterators())
    if (here == 0 && cell->is_locally_owned())
      here = n_hanging_faces(cell);
  if (dealii::Utilities::MPI::max(here, distributed->get_communicator()) == 0)
    return; // p4est has given each rank as many cells already
  const auto connection = distributed->signals.weight.connect(
    [&](const auto &cell, const auto) -> unsigned int { return 10 + 2 * n_hanging_faces(cell); });
  distributed->repartition();
  connection.disconnect();
}

template std::vector<signed char> gather_levels(const Mesh<2> &);
template std::vector<signed char> gather_levels(const Mesh<3> &);
template void                     refine_to_levels(Mesh<2> &, const std::vector<signed char> &);
template void                     refine_to_levels(Mesh<3> &, const std::vector<signed char> &);
template void                     balance(dealii::Triangulation<2> &);
template void                     balance(dealii::Triangulation<3> &);
} // namespace adamant
