#pragma once

#include "algebra/several.h"
#include "base/host_device.h"
#include "base/small_floats.h"

#include <cstddef>
#include <cstdint>

// The elementwise steps of the Schur complement method, for host and GPU. Vectors are row-major; `columns` of a row are
// stored, of which n_columns count and the others are zero.

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

/// h_i = b_order(i) times scale[s], or without scales; index over W columns of h.
template <typename Number, int W>
struct EnterColumns
{
  int           n_columns, columns;
  const int    *order;
  const double *b, *scale;
  Number       *h;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int          groups = columns / W, i = index / groups, s = (index - i * groups) * W;
    const double      *from  = b + std::size_t(order[i]) * n_columns + s;
    Several<double, W> value = {};
    if (n_columns == columns)
      value = Several<double, W>::at(from);
    else
      for (int j = 0; j < W && s + j < n_columns; ++j)
        value.v[j] = from[j];
    Several<Number, W> result;
    for (int j = 0; j < W; ++j)
      result.v[j] = static_cast<Number>(scale == nullptr ? value.v[j] : value.v[j] * scale[s + j]);
    result.to(h + std::size_t(index) * W);
  }
};

/// x_order(i) = h_i times back[s], or without; index over W columns of h.
template <typename Number, int W>
struct LeaveColumns
{
  int           n_columns, columns;
  const int    *order;
  const Number *h;
  const double *back;
  double       *x;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int          groups = columns / W, i = index / groups, s = (index - i * groups) * W;
    const auto         value = Several<Number, W>::at(h + std::size_t(index) * W);
    Several<double, W> result;
    for (int j = 0; j < W; ++j)
      result.v[j] = back == nullptr ? double(value.v[j]) : value.v[j] * back[s + j];
    double *to = x + std::size_t(order[i]) * n_columns + s;
    if (n_columns == columns)
      result.to(to);
    else
      for (int j = 0; j < W && s + j < n_columns; ++j)
        to[j] = result.v[j];
  }
};

/// to_k = factor h_number(i), zero where the number is -1; `rows` of every `pitch` rows of `to` are filled: i = c rows
/// + l goes to k = c pitch + l. Index over W columns.
template <typename Number, typename T, int W>
struct GatherRows
{
  int           columns, rows, pitch;
  const int    *number;
  const Number *factor; // by number, or none
  const Number *h;
  T            *to;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int         groups = columns / W, i = index / groups, s = (index - i * groups) * W, from = number[i];
    const std::size_t k      = std::size_t(i / rows) * pitch + i % rows;
    Several<T, W>     result = {};
    if (from >= 0)
      {
        const Number f     = factor == nullptr ? Number(1) : factor[from];
        const auto   value = Several<Number, W>::at(h + std::size_t(from) * columns + s);
        for (int j = 0; j < W; ++j)
          result.v[j] = rounded<T>(f * value.v[j]);
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
