#pragma once

#include "base/host_device.h"
#include "tensor/multi_vector_functors.h"
#include "tensor/several.h"
#include "tensor/small_floats.h"

#include <cstddef>
#include <cstdint>

// The elementwise steps of the Schur complement method, for host and GPU. Vectors are row-major; `columns` of a row are
// stored, of which n_columns count and the others are zero. Rows of n_columns begin at multiples of W.

namespace adamant
{
template <typename To, typename From>
ADAMANT_HOST_DEVICE To rounded(From x)
{
  if constexpr (sizeof(To) == sizeof(double))
    return x;
  else
    return To(static_cast<float>(x));
}

/// The door: with the finest step of Sᵀ, c_i = scale[s] (b_i + Σ_k weight_k b_column(k)) over row i of what old nodes take
/// of new ones. h_position(i) = c_i but for the nodes that are new in the finest step inside cells: those are final, and
/// go to row place(i) of the cells' right-hand sides, times factor.
template <typename From, typename Number, typename T, int W>
struct EnterColumns
{
  ColumnWarps<W>      tiles; // of unknowns
  int                 n_columns;
  const int          *position, *place; // place: or -1
  const std::int64_t *row_start;
  const int          *column;
  const Number       *weight, *factor; // factor: by position
  const From         *b;
  const double       *scale; // or none
  Number             *h;
  T                  *of_cells;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    constexpr int R = ColumnWarps<W>::rows_at_once;
    int           first, s, row[R], to[R], own_place[R];
    if (!tiles.find(index, first, s))
      return;
    tiles.rows(first, row);
    const auto       factors = column_factors<From, Number, W>(scale, s);
    const From      *from    = b + (s < n_columns ? s : 0); // the scales of others are 0
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
      f[r] = factor[to[r]]; // before sums wait for their entries
    add_rows(row, row_start, column, weight, load, loads);
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
      result.v[j] = rounded<T>(f * sum.v[j]);
    result.to(of_cells + own_place * columns + s);
  }
};

/// The way out, with the finest step of S: x_i = back[s] (h_position(i) + Σ_k weight_k h_column(k)), or += with `add`,
/// over row i of what new nodes take of old ones.
template <typename Number, typename To, int W>
struct LeaveColumns
{
  ColumnWarps<W>      tiles; // of unknowns
  int                 n_columns;
  const int          *position;
  const std::int64_t *row_start;
  const int          *column;
  const Number       *weight, *h;
  const double       *back; // or none
  bool                add;
  To                 *x;

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
    add_rows(row, row_start, column, weight, load, sum);
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

/// to_place(i) = factor_number(i) h_number(i); index over W columns.
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
      result.v[j] = rounded<T>(f * value.v[j]);
    result.to(to + std::size_t(place[i]) * columns + s);
  }
};

/// to_k = h_number(i), zero where the number is -1; `rows` of every `pitch` rows of `to` are filled: i = c rows + l goes
/// to k = c pitch + l. Index over W columns.
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
          result.v[j] = rounded<T>(value.v[j]);
      }
    result.to(to + k * columns + s);
  }
};

/// h_number(i) = factor_number(i) x_i; index over W columns.
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

/// The right-hand side on edges, rounded: to_j = factor (h_number(j) - Σ_k w_slot(k)) - t_j; the slots of row j are the
/// places that it has in the cells beside it. Index over W columns.
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
      result.v[c] = rounded<T>(factor[number[j]] * sum.v[c] - coarse.v[c]);
    result.to(to + std::size_t(index) * W);
  }
};

/// to = from in the precision of products.
template <typename Number, typename T>
struct RoundEntries
{
  const Number            *from;
  T                       *to;
  ADAMANT_HOST_DEVICE T    value(int i) const { return rounded<T>(from[i]); }
  ADAMANT_HOST_DEVICE void store(int i, T value) const { to[i] = value; }
};

/// The rows of a sparse matrix into a dense one, which is zero.
struct FillDense
{
  const std::int64_t *row_start;
  const int          *column;
  const double       *value;
  std::size_t         row;
  double             *dense;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    for (std::int64_t k = row_start[i]; k < row_start[i + 1]; ++k)
      dense[i * row + column[k]] = value[k];
  }
};

/// One row of a dense matrix, rounded and padded: index is a column below `to_row`.
template <typename T>
struct RoundRow
{
  int                      n;
  const double            *from;
  T                       *to;
  ADAMANT_HOST_DEVICE void operator()(int j) const { to[j] = rounded<T>(j < n ? from[j] : 0.); }
};
} // namespace adamant
