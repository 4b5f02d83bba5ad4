#pragma once

#include "base/host_device.h"
#include "base/small_floats.h"

#include <cmath>
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

/// h = b times length / ‖b_s‖, or b itself where there are no squares.
template <typename Number>
struct EnterColumns
{
  int           n_columns, columns;
  double        length;
  const double *b, *square;
  Number       *h;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int i = index / columns, s = index % columns;
    double    value = 0.;
    if (s < n_columns)
      {
        value = b[std::size_t(i) * n_columns + s];
        if (square != nullptr)
          value = square[s] > 0. ? value * (length / sqrt(square[s])) : 0.;
      }
    h[index] = static_cast<Number>(value);
  }
};

/// x = h times ‖b_s‖ / length; index over the entries of x.
template <typename Number>
struct LeaveColumns
{
  int           n_columns, columns;
  double        length;
  const Number *h;
  const double *square;
  double       *x;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int    i = index / n_columns, s = index % n_columns;
    const double value = h[std::size_t(i) * columns + s];
    x[index]           = square != nullptr ? value * (sqrt(square[s]) / length) : value;
  }
};

/// to_k = factor h_number(i), zero where the number is -1; `rows` of every `pitch` rows of `to` are filled: i = c rows + l
/// goes to k = c pitch + l. Index i columns + s.
template <typename Number, typename T>
struct GatherRows
{
  int           columns, rows, pitch;
  const int    *number;
  const Number *factor; // by number, or none
  const Number *h;
  T            *to;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int    i = index / columns, s = index % columns, from = number[i];
    const size_t k = std::size_t(i / rows) * pitch + i % rows;
    if (from < 0)
      to[k * columns + s] = rounded<T>(Number(0));
    else
      to[k * columns + s] =
        rounded<T>(h[std::size_t(from) * columns + s] * (factor == nullptr ? Number(1) : factor[from]));
  }
};

/// h_number(i) = factor_number(i) x_i.
template <typename Number>
struct ScatterRows
{
  int           columns;
  const int    *number;
  const Number *factor, *x;
  Number       *h;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int to                                   = number[index / columns];
    h[std::size_t(to) * columns + index % columns] = x[index] * factor[to];
  }
};

/// The right-hand side on edges: t_j = factor (h_number(j) - Σ_k w_slot(k)) - t_j, and rounded; the slots of row j are the
/// places that it has in the cells beside it.
template <typename Number, typename T>
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
    const int j = index / columns, s = index % columns;
    Number    sum = h[std::size_t(number[j]) * columns + s];
    for (std::int64_t k = row_start[j]; k < row_start[j + 1]; ++k)
      sum -= w[std::size_t(slot[k]) * columns + s];
    to[index] = rounded<T>(factor[number[j]] * sum - t[index]);
  }
};

/// to = from in the precision of products.
template <typename Number, typename T>
struct RoundEntries
{
  const Number            *from;
  T                       *to;
  ADAMANT_HOST_DEVICE void operator()(int i) const { to[i] = rounded<T>(from[i]); }
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
