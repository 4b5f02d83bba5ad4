#pragma once

#include "base/host_device.h"
#include "tensor/several.h"

#include <cmath>
#include <cstddef>

// Functors for columns of row-major n x r matrices, for host and GPU.

namespace adamant
{
/// Stores (with `add`: adds) numbers that no other step needs soon.
template <typename Number, int W>
ADAMANT_HOST_DEVICE void store_columns(Several<Number, W> value, bool add, Number *to)
{
  if (add)
    {
      const auto before = Several<Number, W>::last_at(to);
      for (int j = 0; j < W; ++j)
        value.v[j] += before.v[j];
    }
  value.last_to(to);
}

/// Computes sum[p r + s] = Σ x[i r + s]² over the rows i = p, p + n_parts, ...; the index is p r + s.
template <typename Number>
struct PartialSquares
{
  int           n_rows, n_columns, n_parts;
  const Number *x;
  double       *sum;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const std::size_t step = std::size_t(n_parts) * n_columns, end = std::size_t(n_rows) * n_columns;
    double            total[4] = {0., 0., 0., 0.};
    std::size_t       k        = index;
    for (; k + 3 * step < end; k += 4 * step) // loads that do not wait for each other
      for (int j = 0; j < 4; ++j)
        total[j] += square(x[k + j * step]);
    for (; k < end; k += step)
      total[0] += square(x[k]);
    sum[index] = (total[0] + total[1]) + (total[2] + total[3]);
  }

private:
  ADAMANT_HOST_DEVICE static double square(double value) { return value * value; }
};

/// Computes total[q r + s] = Σ_p sum[p r + s] over p = q group, ..., (q + 1) group - 1; the index is q r + s.
struct SumParts
{
  int           n_columns, n_parts, group;
  const double *sum;
  double       *total;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int q = index / n_columns, s = index % n_columns, end = (q + 1) * group < n_parts ? (q + 1) * group : n_parts;
    double    all = 0;
    for (int p = q * group; p < end; ++p)
      all += sum[p * n_columns + s];
    total[index] = all;
  }
};

/// Returns the power of two next to 1 / ‖column s‖, which scales columns without rounding, or 1 for columns that are
/// zero or no numbers.
struct ColumnScales
{
  const double            *square;
  double                  *scale;
  ADAMANT_HOST_DEVICE void operator()(int s) const
  {
    const double size = square[s];
    scale[s]          = size > 0. && size < 1e300 ? exp2(-rint(0.5 * log2(size))) : 1.;
  }
};

/// Computes scale[s] = length / ‖column s‖ and back[s] = factor ‖column s‖ / length. Both are 0 for a column of zeros
/// and behind the last column.
struct LowPrecisionScales
{
  int           n_columns;
  double        length, factor;
  const double *square;
  double       *scale, *back;

  ADAMANT_HOST_DEVICE void operator()(int s) const
  {
    const double norm = s < n_columns ? sqrt(square[s]) : 0.;
    scale[s]          = norm > 0. ? length / norm : 0.;
    back[s]           = factor * norm / length;
  }
};

/// Multiplies x[i r + s] by scale[s], or divides it.
struct ScaleColumns
{
  int                        n_columns;
  bool                       back;
  const double              *scale;
  double                    *x;
  ADAMANT_HOST_DEVICE double value(int index) const
  {
    const double factor = scale[index % n_columns];
    return back ? x[index] / factor : x[index] * factor;
  }
  ADAMANT_HOST_DEVICE void store(int index, double value) const { x[index] = value; }
};

/// Copies to[i n + j] = from[i n_from + column[j]], or zero where the column is -1; the index is i n + j. `from` may be
/// `to` where columns stay or become zero.
struct GatherColumns
{
  int           n, n_from;
  const int    *column;
  const double *from;
  double       *to;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int i = index / n, s = column[index % n];
    to[index] = s < 0 ? 0. : from[std::size_t(i) * n_from + s];
  }
};

/// Copies to[i n_to + column[j]] = from[i n + j], where the column is not -1; the index is i n + j.
struct ScatterColumns
{
  int           n, n_to;
  const int    *column;
  const double *from;
  double       *to;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int i = index / n, s = column[index % n];
    if (s >= 0)
      to[std::size_t(i) * n_to + s] = from[index];
  }
};
} // namespace adamant
