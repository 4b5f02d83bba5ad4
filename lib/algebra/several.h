#pragma once

#include "base/host_device.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace adamant
{
/// W numbers that follow each other, which a GPU loads and stores 16 bytes at a time where W > 1: then their address is
/// a multiple of 16 bytes, or of their size where that is less.
template <typename T, int W>
struct alignas(W == 1             ? sizeof(T) :
               sizeof(T) * W < 16 ? sizeof(T) * W :
                                    16) Several
{
  T v[W];

  ADAMANT_HOST_DEVICE static Several at(const T *p) { return *reinterpret_cast<const Several *>(p); }
  ADAMANT_HOST_DEVICE void           to(T *p) const { *reinterpret_cast<Several *>(p) = *this; }

  /// The same for numbers that nothing else needs soon: those that do stay in a GPU's cache.
  /// @{
  ADAMANT_HOST_DEVICE static Several last_at(const T *p)
  {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(Several) == 16)
      {
        const int4 bits = __ldcs(reinterpret_cast<const int4 *>(p));
        return *reinterpret_cast<const Several *>(&bits);
      }
#endif
    return at(p);
  }
  ADAMANT_HOST_DEVICE void last_to(T *p) const
  {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(Several) == 16)
      return __stcs(reinterpret_cast<int4 *>(p), *reinterpret_cast<const int4 *>(this));
#endif
    to(p);
  }
  /// @}
};

/// value times factor as another type: in float where both types are, since a GPU converts to double and back slowly.
template <typename To, typename From>
ADAMANT_HOST_DEVICE To scaled_to(From value, double factor)
{
  if constexpr (sizeof(From) < sizeof(double) && sizeof(To) < sizeof(double))
    return To(float(value) * float(factor));
  else
    return static_cast<To>(double(value) * factor);
}

/// How many columns functors of Number take at a time: 16 bytes, so that threads beside each other load and store
/// memory without gaps.
template <typename Number>
constexpr int columns_at_once = 16 / sizeof(Number);

/// Calls f(integral constant W), which launches functors for W columns at a time: those of Number, where rows begin at
/// multiples of that, else 1.
template <typename Number, typename Launch>
void with_columns_at_once(int n_columns, const Launch &launch)
{
  if (n_columns % columns_at_once<Number> == 0)
    launch(std::integral_constant<int, columns_at_once<Number>>());
  else
    launch(std::integral_constant<int, 1>());
}

/// sum += Σ_k weight[k] load(column[k]) over first <= k < end, in that order: the entries of a sparse row times W
/// columns each. Several are loaded at a time, since a loop of unknown length waits for each of them.
template <typename Number, typename Weight, int W, class Load>
ADAMANT_HOST_DEVICE void add_row(std::int64_t first, std::int64_t end, const int *column, const Weight *weight,
                                 const Load &load, Several<Number, W> &sum)
{
  constexpr int at_once = 4;
  for (std::int64_t k = first; k < end; k += at_once)
    {
      Several<Number, W> value[at_once]  = {};
      Number             factor[at_once] = {};
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        if (k + i < end)
          {
            factor[i] = weight[k + i];
            value[i]  = load(column[k + i]);
          }
#pragma unroll
      for (int i = 0; i < at_once; ++i)
        for (int j = 0; j < W; ++j)
          sum.v[j] += factor[i] * value[i].v[j];
    }
}

/// The indices of a functor for W columns of a row each. They run over tiles of 32 rows and 8 W columns, a block of
/// threads on a GPU: what rows beside each other read of the same other rows stays in its first cache.
template <int W>
struct ColumnTiles
{
  static constexpr int rows_of_tile = 32, groups_of_tile = W == 1 ? 1 : 8;

  int n_rows, n_columns;

  ADAMANT_HOST_DEVICE int tiles_of_row() const { return (n_columns / W + groups_of_tile - 1) / groups_of_tile; }
  int                     size() const ///< some of them have no row
  {
    return W == 1 ? n_rows * n_columns :
                    (n_rows + rows_of_tile - 1) / rows_of_tile * tiles_of_row() * rows_of_tile * groups_of_tile;
  }
  /// The row, and the first of its columns; false where there is none.
  ADAMANT_HOST_DEVICE bool find(int index, int &row, int &first) const
  {
    if (W == 1)
      {
        row   = index / n_columns;
        first = index - row * n_columns;
        return true;
      }
    constexpr int size = rows_of_tile * groups_of_tile;
    const int     tile = index / size, inside = index % size, above = tile / tiles_of_row();
    row   = above * rows_of_tile + inside / groups_of_tile;
    first = ((tile - above * tiles_of_row()) * groups_of_tile + inside % groups_of_tile) * W;
    return row < n_rows && first < n_columns;
  }
};
} // namespace adamant
