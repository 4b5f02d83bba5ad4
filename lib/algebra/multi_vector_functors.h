#pragma once

#include "base/host_device.h"

#include <cmath>
#include <cstddef>

// What is done to columns of row-major n x r matrices, for host and GPU.

namespace adamant
{
/// sum[p r + s] = Σ x[i r + s]² over the rows i = p, p + n_parts, ...; index p r + s.
struct PartialSquares
{
  int           n_rows, n_columns, n_parts;
  const double *x;
  double       *sum;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    double total = 0;
    for (std::size_t i = index / n_columns; i < std::size_t(n_rows); i += n_parts)
      {
        const double value = x[i * n_columns + index % n_columns];
        total += value * value;
      }
    sum[index] = total;
  }
};

/// total[s] = Σ_p sum[p r + s].
struct SumParts
{
  int           n_columns, n_parts;
  const double *sum;
  double       *total;

  ADAMANT_HOST_DEVICE void operator()(int s) const
  {
    double all = 0;
    for (int p = 0; p < n_parts; ++p)
      all += sum[p * n_columns + s];
    total[s] = all;
  }
};

struct SquareRoots
{
  const double            *square;
  double                  *root;
  ADAMANT_HOST_DEVICE void operator()(int s) const { root[s] = sqrt(square[s]); }
};

/// The power of two next to 1 / ‖column s‖, by which columns are scaled without rounding; 1 for columns that are zero or
/// no numbers.
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

/// x[i r + s] times scale[s], or over it.
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
} // namespace adamant
