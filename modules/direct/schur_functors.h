#pragma once

#include "direct/column_matrix.h"
#include "tensor/multi_vector_functors.h"
#include "tensor/small_floats.h"

#include <cstddef>
#include <cstdint>

// The elementwise steps of the Schur complement method, for host and GPU. Vectors are row-major. A row stores `columns`
// numbers, of which the first n_columns count and the others are zero. Rows of n_columns begin at multiples of W.

namespace adamant
{
/// Copies right-hand sides to hierarchical order and applies the finest step of Sᵀ: `c_i = scale[s] (b_i + Σ_k value_k
/// b_column(k))`, where row i of A lists the new nodes that add to an old one. h_position(i) becomes c_i. Nodes that
/// are new in the finest step inside cells are final. Their c_i goes, times factor, to row place(i) of the cells'
/// right-hand sides.
template <typename From, typename Number, typename T, int W>
struct EnterColumns
{
  ColumnWarps<W>     tiles; // of unknowns
  int                n_columns;
  const int         *position, *place; // place: a row, or -1
  ColumnRows<Number> A;
  const Number      *factor; // by position
  const From        *b;
  const double      *scale; // or null
  Number            *h;
  T                 *of_cells;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    constexpr int R = ColumnWarps<W>::rows_at_once;
    int           first, s, row[R], to[R], own_place[R];
    if (!tiles.find(index, first, s))
      return;
    tiles.rows(first, row);
    const auto       factors = column_factors<From, Number, W>(scale, s);
    const From      *from    = b + (s < n_columns ? s : 0); // other columns have the scale 0
    const auto       load    = [this, from](int i) { return Several<From, W>::at(from + std::size_t(i) * n_columns); };
    Several<From, W> loads[R];
    Number           f[R];
    for (int r = 0; r < R; ++r)
      {
        to[r]        = position[row[r]];
        own_place[r] = place[row[r]];
        loads[r]     = load(row[r]);
      }
    for (int r = 0; r < R; ++r)
      f[r] = factor[to[r]]; // loaded before the sums wait for their entries
    add_rows(row, A.row_start, A.column, A.value, load, loads);
    for (int r = 0; r < R; ++r)
      {
        Several<Number, W> sum;
        for (int j = 0; j < W; ++j)
          sum.v[j] = Number(loads[r].v[j] * factors.v[j]);
        store(sum, f[r], to[r], own_place[r], s);
      }
  }

private:
  ADAMANT_HOST_DEVICE void store(const Several<Number, W> &sum, Number f, int to, int own_place, int s) const
  {
    const std::size_t columns = tiles.n_columns;
    if (own_place < 0)
      return sum.to(h + to * columns + s);
    Several<T, W> result;
    for (int j = 0; j < W; ++j)
      result.v[j] = T(f * sum.v[j]);
    result.to(of_cells + own_place * columns + s);
  }
};

/// Applies the finest step of S and copies the result back: x_i = back[s] (h_position(i) + Σ_k value_k h_column(k)), or
/// += with `add`. Row i of A lists the old nodes that interpolate a new one.
template <typename Number, typename To, int W>
struct LeaveColumns
{
  ColumnWarps<W>     tiles; // of unknowns
  int                n_columns;
  const int         *position;
  ColumnRows<Number> A;
  const Number      *h;
  const double      *back; // or null
  bool               add;
  To                *x;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    constexpr int R = ColumnWarps<W>::rows_at_once;
    int           first, s, row[R], at[R];
    if (!tiles.find(index, first, s) || s >= n_columns)
      return;
    tiles.rows(first, row);
    const auto         factors = column_factors<Number, To, W>(back, s);
    const int          columns = tiles.n_columns;
    const Number      *from    = h + s;
    const auto         load    = [=](int j) { return Several<Number, W>::at(from + std::size_t(j) * columns); };
    Several<Number, W> sum[R];
    for (int r = 0; r < R; ++r)
      at[r] = position[row[r]];
    for (int r = 0; r < R; ++r)
      sum[r] = load(at[r]);
    add_rows(row, A.row_start, A.column, A.value, load, sum);
    for (int r = 0; r < R; ++r)
      if (first + r < tiles.n_rows)
        {
          Several<To, W> result;
          for (int j = 0; j < W; ++j)
            result.v[j] = To(sum[r].v[j] * factors.v[j]);
          store_columns(result, add, x + std::size_t(row[r]) * n_columns + s);
        }
  }
};

/// Computes to_place(i) = factor_number(i) h_number(i); the index counts groups of W columns.
template <typename Number, typename T, int W>
struct GatherInner
{
  int           columns;
  const int    *number, *place;
  const Number *factor, *h;
  T            *to;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int     groups = columns / W, i = index / groups, s = (index - i * groups) * W, from = number[i];
    const Number  f      = factor[from];
    const auto    value  = Several<Number, W>::at(h + std::size_t(from) * columns + s);
    Several<T, W> result = {};
    for (int j = 0; j < W; ++j)
      result.v[j] = T(f * value.v[j]);
    result.to(to + std::size_t(place[i]) * columns + s);
  }
};

/// Computes to_k = h_number(i), or zero where the number is -1. Of every `pitch` rows of `to` it fills `rows`: i = c
/// rows + l goes to k = c pitch + l. The index counts groups of W columns.
template <typename Number, typename T, int W>
struct GatherRows
{
  int           columns, rows, pitch;
  const int    *number;
  const Number *h;
  T            *to;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int         groups = columns / W, i = index / groups, s = (index - i * groups) * W, from = number[i];
    const std::size_t k      = std::size_t(i / rows) * pitch + i % rows;
    Several<T, W>     result = {};
    if (from >= 0)
      {
        const auto value = Several<Number, W>::at(h + std::size_t(from) * columns + s);
        for (int j = 0; j < W; ++j)
          result.v[j] = T(value.v[j]);
      }
    result.to(to + k * columns + s);
  }
};

/// Computes h_number(i) = factor_number(i) x_i; the index counts groups of W columns.
template <typename Number, int W>
struct ScatterRows
{
  int           columns;
  const int    *number;
  const Number *factor, *x;
  Number       *h;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int    groups = columns / W, i = index / groups, s = (index - i * groups) * W, to = number[i];
    const Number f     = factor[to];
    auto         value = Several<Number, W>::at(x + std::size_t(index) * W);
    for (int j = 0; j < W; ++j)
      value.v[j] *= f;
    value.to(h + std::size_t(to) * columns + s);
  }
};

/// Computes the right-hand side on edges, rounded: to_j = factor (h_number(j) - Σ_k w_slot(k)) - t_j. The slots of row
/// j are its places in the cells beside it. The index counts groups of W columns.
template <typename Number, typename T, int W>
struct EdgeLoad
{
  int                 columns;
  const int          *number;
  const Number       *factor, *h, *w;
  const std::int64_t *row_start;
  const int          *slot;
  const Number       *t;
  T                  *to;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int  groups = columns / W, j = index / groups, s = (index - j * groups) * W;
    auto       sum    = Several<Number, W>::at(h + std::size_t(number[j]) * columns + s);
    const auto coarse = Several<Number, W>::at(t + std::size_t(index) * W);
    for (std::int64_t k = row_start[j]; k < row_start[j + 1]; ++k)
      {
        const auto value = Several<Number, W>::at(w + std::size_t(slot[k]) * columns + s);
        for (int c = 0; c < W; ++c)
          sum.v[c] -= value.v[c];
      }
    Several<T, W> result;
    for (int c = 0; c < W; ++c)
      result.v[c] = T(factor[number[j]] * sum.v[c] - coarse.v[c]);
    result.to(to + std::size_t(index) * W);
  }
};

/// Copies the rows of a sparse matrix into a dense one that is zero.
struct FillDense
{
  ColumnRows<double> A;
  std::size_t        row;
  double            *dense;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    for (std::int64_t k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      dense[i * row + A.column[k]] = A.value[k];
  }
};

/// Copies one row of a dense matrix, rounded and padded; the index is a column below `to_row`.
template <typename T>
struct RoundRow
{
  int                      n;
  const double            *from;
  T                       *to;
  ADAMANT_HOST_DEVICE void operator()(int j) const { to[j] = T(j < n ? from[j] : 0.); }
};
} // namespace adamant
