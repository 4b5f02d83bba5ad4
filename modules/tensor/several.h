#pragma once

#include "base/host_device.h"

#include <cstdint>
#include <type_traits>

namespace adamant
{
/// W numbers in a row. A GPU loads and stores them 16 bytes at a time where W > 1; their address is then a multiple of
/// 16 bytes, or of their size where that is less.
template <typename T, int W>
struct alignas(W == 1             ? sizeof(T) :
               sizeof(T) * W < 16 ? sizeof(T) * W :
                                    16) Several
{
  T v[W];

  ADAMANT_HOST_DEVICE static Several at(const T *p) { return *reinterpret_cast<const Several *>(p); }
  ADAMANT_HOST_DEVICE void           to(T *p) const { *reinterpret_cast<Several *>(p) = *this; }

  /// These load and store numbers that no other step needs soon, so that other numbers stay in a GPU's cache.
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

/// Returns the factors that multiply columns s, ..., s + W - 1 on the way from vectors of From to vectors of To; they
/// are 1 where `factor` is null. They are in float where both types are, since a GPU converts to double and back
/// slowly.
template <typename From, typename To, int W>
ADAMANT_HOST_DEVICE auto column_factors(const double *factor, int s)
{
  using Number = std::conditional_t<sizeof(From) < sizeof(double) && sizeof(To) < sizeof(double), float, double>;
  Several<Number, W> factors;
  for (int j = 0; j < W; ++j)
    factors.v[j] = factor == nullptr ? Number(1) : Number(factor[s + j]);
  return factors;
}

/// Number of columns that functors of Number take at a time: 16 bytes, so that neighbouring threads load and store
/// memory without gaps.
template <typename Number>
constexpr int columns_at_once = 16 / sizeof(Number);

/// Calls f(integral constant W), which launches functors for W columns at a time. W is the number for Number where rows
/// begin at multiples of it, else 1.
template <typename Number, typename Launch>
void with_columns_at_once(int n_columns, const Launch &launch)
{
  if (n_columns % columns_at_once<Number> == 0)
    launch(std::integral_constant<int, columns_at_once<Number>>());
  else
    launch(std::integral_constant<int, 1>());
}

/// Computes sum_r += Σ_k weight[k] load(column[k]) over row[r] of a sparse matrix, in the order of k, for W columns
/// each. A loop of unknown length waits for each entry: so it loads several entries of each row at a time, column
/// numbers first.
template <int R, typename Number, typename Weight, int W, class Load>
ADAMANT_HOST_DEVICE void add_rows(const int (&row)[R], const std::int64_t *row_start, const int *column,
                                  const Weight *weight, const Load &load, Several<Number, W> (&sum)[R])
{
  constexpr int at_once = 4;
  std::int64_t  start[R];
  int           length[R], longest = 0;
  for (int r = 0; r < R; ++r)
    {
      start[r]  = row_start[row[r]];
      length[r] = static_cast<int>(row_start[row[r] + 1] - start[r]);
      longest   = length[r] > longest ? length[r] : longest;
    }
  for (int first = 0; first < longest; first += at_once)
    {
      Several<Number, W> value[R * at_once] = {};
      Number             factor[R * at_once];
      int                from[R * at_once];
#pragma unroll
      for (int i = 0; i < R * at_once; ++i)
        {
          const int  r = i / at_once, k = first + i % at_once;
          const auto at = k < length[r] ? start[r] + k : 0; // any entry
          factor[i]     = weight[at];
          from[i]       = column[at];
        }
#pragma unroll
      for (int i = 0; i < R * at_once; ++i)
        if (first + i % at_once < length[i / at_once])
          value[i] = load(from[i]);
#pragma unroll
      for (int i = 0; i < R * at_once; ++i)
        for (int j = 0; j < W; ++j)
          sum[i / at_once].v[j] += factor[i] * value[i].v[j];
    }
}

/// The indices of functors for W columns of `at_once` rows each. They run over tiles of columns and rows, one for each
/// block of threads on a GPU. Rows that neighbouring rows read in common then stay in its first cache. With 32 groups
/// of columns all threads of a warp have equal rows, and none waits for another's longer ones.
template <int W, int groups = 8, int at_once = 1>
struct ColumnTiles
{
  static constexpr int rows_at_once = W == 1 ? 1 : at_once, groups_of_tile = W == 1 ? 1 : groups, threads = 256,
                       rows_of_tile = threads / groups_of_tile * rows_at_once;

  int n_rows, n_columns;

  ADAMANT_HOST_DEVICE int tiles_of_row() const { return (n_columns / W + groups_of_tile - 1) / groups_of_tile; }
  int                     size() const ///< some indices have no row
  {
    return W == 1 ? n_rows * n_columns : (n_rows + rows_of_tile - 1) / rows_of_tile * tiles_of_row() * threads;
  }
  /// Sets the first row and the first column of an index; returns false where there is none.
  ADAMANT_HOST_DEVICE bool find(int index, int &row, int &first) const
  {
    if (W == 1)
      {
        row   = index / n_columns;
        first = index - row * n_columns;
        return true;
      }
    const int tile = index / threads, inside = index % threads, above = tile / tiles_of_row();
    row   = above * rows_of_tile + inside / groups_of_tile * rows_at_once;
    first = ((tile - above * tiles_of_row()) * groups_of_tile + inside % groups_of_tile) * W;
    return row < n_rows && first < n_columns;
  }
  /// Sets all rows from `first` on; behind the last row it repeats the last row.
  ADAMANT_HOST_DEVICE void rows(int first, int (&row)[rows_at_once]) const
  {
    for (int r = 0; r < rows_at_once; ++r)
      row[r] = first + r < n_rows ? first + r : n_rows - 1;
  }
};

/// Tiles for rows of different lengths.
template <int W>
using ColumnWarps = ColumnTiles<W, 32, 2>;
} // namespace adamant
