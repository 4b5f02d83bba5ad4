#pragma once

#include "base/host_device.h"

#include <cmath>

namespace adamant
{
enum class Average
{
  arithmetic,
  harmonic, ///< 1 / average(1 / c)
  geometric ///< exp(average(log c))
};

/// Computes y_cell, the average over the n positive values x of a cell, which follow each other. A value that is not
/// positive, or infinite, becomes y_cell, where a check finds it: an average may hide it.
struct AverageInCells
{
  Average                  average;
  int                      n;
  const double            *x;
  double                  *y;
  ADAMANT_HOST_DEVICE void operator()(int cell) const
  {
    const double *values = x + static_cast<long>(cell) * n;
    double        sum    = 0.;
    for (int q = 0; q < n; ++q)
      {
        if (!(values[q] > 0. && values[q] - values[q] == 0.))
          {
            y[cell] = values[q];
            return;
          }
        sum += average == Average::harmonic  ? 1. / values[q] :
               average == Average::geometric ? log(values[q]) :
                                               values[q];
      }
    y[cell] = average == Average::harmonic ? n / sum : average == Average::geometric ? exp(sum / n) : sum / n;
  }
};

/// Computes y = 1 / x.
struct Reciprocal
{
  const double              *x;
  double                    *y;
  ADAMANT_HOST_DEVICE double value(int i) const { return 1. / x[i]; }
  ADAMANT_HOST_DEVICE void   store(int i, double value) const { y[i] = value; }
};

/// Computes y = log x.
struct Logarithm
{
  const double              *x;
  double                    *y;
  ADAMANT_HOST_DEVICE double value(int i) const { return log(x[i]); }
  ADAMANT_HOST_DEVICE void   store(int i, double value) const { y[i] = value; }
};

/// Computes y = exp x.
struct Exponential
{
  const double              *x;
  double                    *y;
  ADAMANT_HOST_DEVICE double value(int i) const { return exp(x[i]); }
  ADAMANT_HOST_DEVICE void   store(int i, double value) const { y[i] = value; }
};
} // namespace adamant
