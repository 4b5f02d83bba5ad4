#pragma once

#include <deal.II/base/geometry_info.h>
#include <deal.II/base/mpi.h>
#include <deal.II/distributed/p4est_wrappers.h>
#include <deal.II/distributed/tria.h>

#include <p4est_algorithms.h>
#include <p4est_extended.h>
#include <p4est_iterate.h>
#include <p8est_algorithms.h>
#include <p8est_extended.h>
#include <p8est_iterate.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

/// Gives functions of p4est one name in 2D and 3D. The quadrants of a forest are this rank's quadrants, in the forest's
/// order.
namespace adamant::forest
{
/// The functions of p4est (2D) or p8est (3D), which differ in their types alone.
template <int dim>
using Functions = dealii::internal::p4est::functions<dim>;
template <int dim>
using Forest = typename dealii::internal::p4est::types<dim>::forest;
template <int dim>
using Quadrant = typename dealii::internal::p4est::types<dim>::quadrant;
using Tree     = p4est_topidx_t;

/// Returns what p4est (2D) or p8est (3D) has under one name.
template <int dim, class In2D, class In3D>
constexpr auto choose(In2D in_2d, In3D in_3d)
{
  if constexpr (dim == 2)
    return in_2d;
  else
    return in_3d;
}

template <int dim>
inline constexpr auto partition_given = choose<dim>(p4est_partition_given, p8est_partition_given);
/// Changes `counts`, the numbers of cells of the ranks, so that the children of a cell stay on one rank.
template <int dim>
inline constexpr auto complete_families = choose<dim>(p4est_partition_for_coarsening, p8est_partition_for_coarsening);
template <int dim>
inline constexpr auto tree = choose<dim>(p4est_tree_array_index, p8est_tree_array_index);
/// Neighbours touch at a face, an edge or a corner.
template <int dim>
inline constexpr auto touching = choose<dim>(P4EST_CONNECT_FULL, P8EST_CONNECT_FULL);

/// Refines quadrants until neighbours over faces, edges and corners differ by at most one level (2:1).
template <int dim>
void balance(Forest<dim> *forest)
{
  Functions<dim>::balance(forest, touching<dim>, nullptr);
}

template <int dim>
void coarsen_all(Forest<dim> *forest)
{
  Functions<dim>::coarsen(
    forest, 0, [](Forest<dim> *, Tree, Quadrant<dim> **) { return 1; }, nullptr);
}

template <int dim>
void refine_all(Forest<dim> *forest)
{
  Functions<dim>::refine(
    forest, 0, [](Forest<dim> *, Tree, Quadrant<dim> *) { return 1; }, nullptr);
}

/// Calls action(quadrant) for all quadrants of this rank.
template <int dim, class Action>
void for_each_quadrant(Forest<dim> *forest, const Action &action)
{
  for (Tree t = forest->first_local_tree; t <= forest->last_local_tree; ++t)
    {
      const auto &quadrants = tree<dim>(forest->trees, t)->quadrants;
      for (std::size_t q = 0; q < quadrants.elem_count; ++q)
        action(*reinterpret_cast<Quadrant<dim> *>(quadrants.array + q * quadrants.elem_size));
    }
}

/// Returns the refinement levels of the quadrants.
template <int dim>
std::vector<signed char> levels_of(Forest<dim> *forest)
{
  std::vector<signed char> levels;
  levels.reserve(forest->local_num_quadrants);
  for_each_quadrant<dim>(forest, [&](const Quadrant<dim> &quadrant) { levels.push_back(quadrant.level); });
  return levels;
}

/// Refines the quadrants with positive flags, merges families with negative flags only, then balances (2:1).
template <int dim>
void refine_and_coarsen(Forest<dim> *forest, const std::vector<signed char> &flags)
{
  // p4est keeps the user_int of quadrants that stay; quadrants that it makes have 0.
  auto flag = flags.begin();
  for_each_quadrant<dim>(forest, [&flag](Quadrant<dim> &quadrant) { quadrant.p.user_int = *flag++; });
  Functions<dim>::refine(
    forest, 0, [](Forest<dim> *, Tree, Quadrant<dim> *quadrant) -> int { return quadrant->p.user_int > 0; }, nullptr);
  Functions<dim>::coarsen(
    forest, 0,
    [](Forest<dim> *, Tree, Quadrant<dim> **family) -> int {
      return std::all_of(family, family + dealii::GeometryInfo<dim>::max_children_per_cell,
                         [](const Quadrant<dim> *child) { return child->p.user_int < 0; });
    },
    nullptr);
  for_each_quadrant<dim>(forest, [](Quadrant<dim> &quadrant) { quadrant.p.user_int = 0; });
  balance<dim>(forest);
}

/// Returns the work of each quadrant: 10, and a fifth more for each face that is a part of a larger face.
template <int dim>
std::vector<int> weights(Forest<dim> *forest)
{
  using Side = typename dealii::internal::p4est::iter<dim>::face_side;
  using Info = typename dealii::internal::p4est::iter<dim>::face_info;
  std::vector<int> of_quadrant(forest->local_num_quadrants, 10);
  auto            *ghosts = Functions<dim>::ghost_new(forest, touching<dim>);
  const auto       add    = [](Info *face, void *data) {
    for (std::size_t s = 0; s < face->sides.elem_count; ++s)
      {
        const auto &side = *reinterpret_cast<const Side *>(face->sides.array + s * face->sides.elem_size);
        if (!side.is_hanging)
          continue;
        const auto &parts = side.is.hanging;
        const auto  first = tree<dim>(face->p4est->trees, side.treeid)->quadrants_offset;
        for (std::size_t k = 0; k < std::size(parts.quadid); ++k)
          if (!parts.is_ghost[k])
            (*static_cast<std::vector<int> *>(data))[first + parts.quadid[k]] += 2;
      }
  };
  if constexpr (dim == 2)
    p4est_iterate(forest, ghosts, &of_quadrant, nullptr, add, nullptr);
  else
    p8est_iterate(forest, ghosts, &of_quadrant, nullptr, add, nullptr, nullptr);
  Functions<dim>::ghost_destroy(ghosts);
  return of_quadrant;
}

/// Returns whether all quadrants of all ranks have one level. All ranks call it together.
template <int dim>
bool is_uniform(Forest<dim> *forest)
{
  int low = 127, high = 0;
  for (const int level : levels_of<dim>(forest))
    std::tie(low, high) = std::pair(std::min(low, level), std::max(high, level));
  return dealii::Utilities::MPI::min(low, forest->mpicomm) == dealii::Utilities::MPI::max(high, forest->mpicomm);
}

/// Distributes the quadrants so that each rank has about the same work (weights()) and families stay on one rank.
template <int dim>
void partition(Forest<dim> *forest)
{
  const auto work   = is_uniform<dim>(forest) ? std::vector<int>() : weights<dim>(forest); // which takes longer
  const auto most   = std::max_element(work.begin(), work.end());
  const int  of_all = dealii::Utilities::MPI::max(most == work.end() ? 0 : *most, forest->mpicomm);
  const int *next   = work.data();
  const auto weight = [](Forest<dim> *f, Tree, Quadrant<dim> *) -> int {
    return *(*static_cast<const int **>(f->user_pointer))++;
  };
  forest->user_pointer = &next;
  Functions<dim>::partition(forest, 1, of_all > 10 ? +weight : nullptr);
}

template <int dim>
struct Destroy
{
  void operator()(Forest<dim> *forest) const { Functions<dim>::destroy(forest); }
};
/// Owns a copy of a forest.
template <int dim>
using Copy = std::unique_ptr<Forest<dim>, Destroy<dim>>;

template <int dim>
Copy<dim> copy(const Forest<dim> *source)
{
  return Copy<dim>(Functions<dim>::copy_forest(const_cast<Forest<dim> *>(source), 0));
}
} // namespace adamant::forest

namespace adamant
{
/// A mesh of p4est that takes the cells of a forest in about the time in which a serial mesh is refined.
///
/// deal.II's load() compares all cells with the forest after each refinement, and goes once more through a mesh in
/// which no cell changes. Both together take twice the time of the refinement.
template <int dim>
class ForestMesh : public dealii::parallel::distributed::Triangulation<dim>
{
public:
  using dealii::parallel::distributed::Triangulation<dim>::Triangulation;

  /// Refines the unrefined mesh to the cells of a forest of its coarse cells, which is copied. Each rank gets the cells
  /// that load() would give to it, in the same order; periodic faces need load(). All ranks call it together.
  void refine_to(const forest::Forest<dim> *forest);

private:
  void take_forest(const forest::Forest<dim> *forest);
};
} // namespace adamant
