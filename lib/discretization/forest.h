#pragma once

#include <deal.II/distributed/p4est_wrappers.h>

#include <p4est_algorithms.h>
#include <p4est_extended.h>
#include <p8est_algorithms.h>
#include <p8est_extended.h>

#include <utility>
#include <vector>

/// p4est in 2D and 3D by the same names.
namespace adamant::forest
{
/// p4est and p8est have the same functions with other types.
template <int dim>
using Functions = dealii::internal::p4est::functions<dim>;
template <int dim>
using Forest = typename dealii::internal::p4est::types<dim>::forest;

inline void partition_given(p4est_t *forest, const p4est_locidx_t *counts)
{
  p4est_partition_given(forest, counts);
}
inline void partition_given(p8est_t *forest, const p4est_locidx_t *counts)
{
  p8est_partition_given(forest, counts);
}

/// Changes the ranks' numbers of cells such that families stay together.
inline void complete_families(p4est_t *forest, p4est_locidx_t *counts)
{
  p4est_partition_for_coarsening(forest, counts);
}
inline void complete_families(p8est_t *forest, p4est_locidx_t *counts)
{
  p8est_partition_for_coarsening(forest, counts);
}

/// 2:1 over faces, edges and corners.
inline void balance(p4est_t *forest)
{
  p4est_balance(forest, P4EST_CONNECT_FULL, nullptr);
}
inline void balance(p8est_t *forest)
{
  p8est_balance(forest, P8EST_CONNECT_FULL, nullptr);
}

inline void coarsen_all(p4est_t *forest)
{
  p4est_coarsen(
    forest, 0, [](p4est_t *, p4est_topidx_t, p4est_quadrant_t **) { return 1; }, nullptr);
}
inline void coarsen_all(p8est_t *forest)
{
  p8est_coarsen(
    forest, 0, [](p8est_t *, p4est_topidx_t, p8est_quadrant_t **) { return 1; }, nullptr);
}

inline void refine_all(p4est_t *forest)
{
  p4est_refine(
    forest, 0, [](p4est_t *, p4est_topidx_t, p4est_quadrant_t *) { return 1; }, nullptr);
}
inline void refine_all(p8est_t *forest)
{
  p8est_refine(
    forest, 0, [](p8est_t *, p4est_topidx_t, p8est_quadrant_t *) { return 1; }, nullptr);
}

inline p4est_tree_t *tree(p4est_t *forest, p4est_topidx_t which)
{
  return p4est_tree_array_index(forest->trees, which);
}
inline p8est_tree_t *tree(p8est_t *forest, p4est_topidx_t which)
{
  return p8est_tree_array_index(forest->trees, which);
}

/// Refinement levels of the local cells, in the order of the forest.
template <class ForestType>
std::vector<signed char> levels_of(ForestType *forest)
{
  std::vector<signed char> levels;
  levels.reserve(forest->local_num_quadrants);
  for (auto t = forest->first_local_tree; t <= forest->last_local_tree; ++t)
    {
      const auto &quadrants = tree(forest, t)->quadrants;
      for (std::size_t q = 0; q < quadrants.elem_count; ++q)
        // Quadrants of both dimensions keep their level in a field of this name.
        levels.push_back(
          reinterpret_cast<const decltype(tree(forest, t)->first_desc) *>(quadrants.array + q * quadrants.elem_size)
            ->level);
    }
  return levels;
}

/// A copy of a forest that is its own.
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
