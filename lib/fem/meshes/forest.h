#pragma once

#include <deal.II/base/geometry_info.h>
#include <deal.II/base/mpi.h>
#include <deal.II/distributed/p4est_wrappers.h>

#include <p4est_algorithms.h>
#include <p4est_extended.h>
#include <p4est_iterate.h>
#include <p8est_algorithms.h>
#include <p8est_extended.h>
#include <p8est_iterate.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

/// Gives p4est the same names in 2D and 3D. The quadrants of a forest are this rank's quadrants, in the forest's order.
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

inline void partition_given(p4est_t *forest, const p4est_locidx_t *counts)
{
  p4est_partition_given(forest, counts);
}
inline void partition_given(p8est_t *forest, const p4est_locidx_t *counts)
{
  p8est_partition_given(forest, counts);
}

/// Changes `counts`, the numbers of cells of the ranks, so that the children of a cell stay on one rank.
inline void complete_families(p4est_t *forest, p4est_locidx_t *counts)
{
  p4est_partition_for_coarsening(forest, counts);
}
inline void complete_families(p8est_t *forest, p4est_locidx_t *counts)
{
  p8est_partition_for_coarsening(forest, counts);
}

/// Returns p4est's name for neighbours that touch at a face, an edge or a corner.
template <int dim>
constexpr auto touching()
{
  if constexpr (dim == 2)
    return P4EST_CONNECT_FULL;
  else
    return P8EST_CONNECT_FULL;
}

/// Refines quadrants until neighbours over faces, edges and corners differ by at most one level (2:1).
template <int dim>
void balance(Forest<dim> *forest)
{
  Functions<dim>::balance(forest, touching<dim>(), nullptr);
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

inline p4est_tree_t *tree(p4est_t *forest, Tree which)
{
  return p4est_tree_array_index(forest->trees, which);
}
inline p8est_tree_t *tree(p8est_t *forest, Tree which)
{
  return p8est_tree_array_index(forest->trees, which);
}

/// Calls action(tree, quadrant) for all quadrants of this rank.
template <int dim, class Action>
void for_each_quadrant(Forest<dim> *forest, const Action &action)
{
  for (Tree t = forest->first_local_tree; t <= forest->last_local_tree; ++t)
    {
      const auto &quadrants = tree(forest, t)->quadrants;
      for (std::size_t q = 0; q < quadrants.elem_count; ++q)
        action(t, *reinterpret_cast<const Quadrant<dim> *>(quadrants.array + q * quadrants.elem_size));
    }
}

/// Returns the refinement levels of the quadrants.
template <int dim>
std::vector<signed char> levels_of(Forest<dim> *forest)
{
  std::vector<signed char> levels;
  levels.reserve(forest->local_num_quadrants);
  for_each_quadrant<dim>(forest, [&](Tree, const Quadrant<dim> &quadrant) { levels.push_back(quadrant.level); });
  return levels;
}

/// Returns the tree and the first quadrant of each family whose children all have a negative flag.
template <int dim>
std::vector<std::pair<Tree, Quadrant<dim>>> families_to_coarsen(Forest<dim>                    *forest,
                                                                const std::vector<signed char> &flags)
{
  constexpr std::size_t                       n_children = dealii::GeometryInfo<dim>::max_children_per_cell;
  std::vector<std::pair<Tree, Quadrant<dim>>> first;
  std::size_t                                 place = 0, n_found = 0; // siblings in a row, in the last family
  const auto                                  drop_incomplete = [&] {
    if (n_found % n_children > 0)
      first.pop_back();
    n_found = 0;
  };
  for_each_quadrant<dim>(forest, [&](Tree t, const Quadrant<dim> &quadrant) {
    const bool flagged = flags[place++] < 0;
    if (flagged && n_found > 0 && Functions<dim>::quadrant_is_sibling(&first.back().second, &quadrant))
      ++n_found;
    else
      {
        drop_incomplete();
        if (flagged)
          {
            first.emplace_back(t, quadrant);
            n_found = 1;
          }
      }
  });
  drop_incomplete();
  return first;
}

/// Refines the quadrants with positive flags, merges families with negative flags only, then balances (2:1).
template <int dim>
void refine_and_coarsen(Forest<dim> *forest, const std::vector<signed char> &flags)
{
  // p4est asks for each quadrant and for each family once, in order.
  struct Plan
  {
    const std::vector<signed char>             &flags;
    std::vector<std::pair<Tree, Quadrant<dim>>> families;
    std::size_t                                 next, next_family;
  } plan{flags, families_to_coarsen<dim>(forest, flags), 0, 0};
  forest->user_pointer = &plan;
  Functions<dim>::refine(
    forest, 0,
    [](Forest<dim> *f, Tree, Quadrant<dim> *) -> int {
      auto &p = *static_cast<Plan *>(f->user_pointer);
      return p.flags[p.next++] > 0;
    },
    nullptr);
  Functions<dim>::coarsen(
    forest, 0,
    [](Forest<dim> *f, Tree t, Quadrant<dim> **family) -> int {
      auto &p = *static_cast<Plan *>(f->user_pointer);
      if (p.next_family == p.families.size())
        return 0;
      const auto &[its_tree, first] = p.families[p.next_family];
      const bool listed             = its_tree == t && Functions<dim>::quadrant_is_equal(&first, family[0]);
      p.next_family += listed;
      return listed;
    },
    nullptr);
  balance<dim>(forest);
}

inline void for_each_face(p4est_t *forest, p4est_ghost_t *ghosts, void *data, p4est_iter_face_t action)
{
  p4est_iterate(forest, ghosts, data, nullptr, action, nullptr);
}
inline void for_each_face(p8est_t *forest, p8est_ghost_t *ghosts, void *data, p8est_iter_face_t action)
{
  p8est_iterate(forest, ghosts, data, nullptr, action, nullptr, nullptr);
}

/// Returns for each quadrant how many of its faces are parts of larger faces.
template <int dim>
std::vector<int> hanging_faces(Forest<dim> *forest)
{
  using Side = typename dealii::internal::p4est::iter<dim>::face_side;
  using Info = typename dealii::internal::p4est::iter<dim>::face_info;
  std::vector<int> n(forest->local_num_quadrants, 0);
  auto            *ghosts = Functions<dim>::ghost_new(forest, touching<dim>());
  for_each_face(forest, ghosts, &n, [](Info *face, void *data) {
    for (std::size_t s = 0; s < face->sides.elem_count; ++s)
      {
        const auto &side = *reinterpret_cast<const Side *>(face->sides.array + s * face->sides.elem_size);
        if (!side.is_hanging)
          continue;
        const auto &parts = side.is.hanging;
        for (std::size_t k = 0; k < std::size(parts.quadid); ++k)
          if (!parts.is_ghost[k])
            ++(*static_cast<std::vector<int> *>(
              data))[tree(face->p4est, side.treeid)->quadrants_offset + parts.quadid[k]];
      }
  });
  Functions<dim>::ghost_destroy(ghosts);
  return n;
}

/// Returns the work of each quadrant: 10, and a fifth more for each face that is a part of a larger face.
template <int dim>
std::vector<int> weights(Forest<dim> *forest)
{
  auto n = hanging_faces<dim>(forest);
  for (int &weight : n)
    weight = 10 + 2 * weight;
  return n;
}

/// Distributes the quadrants so that each rank has about the same work (weights()) and families stay on one rank.
template <int dim>
void partition(Forest<dim> *forest)
{
  struct Weights
  {
    std::vector<int> of_quadrant;
    std::size_t      next;
  } weights{forest::weights<dim>(forest), 0};
  const auto weight = [](Forest<dim> *f, Tree, Quadrant<dim> *) -> int {
    auto &w = *static_cast<Weights *>(f->user_pointer);
    return w.of_quadrant[w.next++];
  };
  const auto most      = std::max_element(weights.of_quadrant.begin(), weights.of_quadrant.end());
  const int  of_all    = dealii::Utilities::MPI::max(most == weights.of_quadrant.end() ? 0 : *most, forest->mpicomm);
  forest->user_pointer = &weights;
  Functions<dim>::partition(forest, 1, of_all > 10 ? +weight : nullptr);
}

/// Owns a copy of a forest.
template <int dim>
class Copy
{
public:
  explicit Copy(const Forest<dim> *source)
    : forest(Functions<dim>::copy_forest(const_cast<Forest<dim> *>(source), 0))
  {}
  Copy(Copy &&other) noexcept
    : forest(std::exchange(other.forest, nullptr))
  {}
  Copy &operator=(Copy &&other) noexcept
  {
    std::swap(forest, other.forest);
    return *this;
  }
  ~Copy()
  {
    if (forest != nullptr)
      Functions<dim>::destroy(forest);
  }
  Forest<dim> *get() const { return forest; }
  Forest<dim> *operator->() const { return forest; }

private:
  Forest<dim> *forest;
};
} // namespace adamant::forest
