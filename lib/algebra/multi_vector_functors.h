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

/// y[i r + s] = x[i r + s] f with f = length / ‖column s‖ or, where `back`, one over that; zero columns stay.
struct ScaleColumns
{
  int           n_columns;
  double        length;
  bool          back;
  const double *square, *x;
  double       *y;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const double norm = sqrt(square[index % n_columns]);
    y[index]          = norm > 0. ? x[index] * (back ? norm / length : length / norm) : 0.;
  }
};
} // namespace adamant
