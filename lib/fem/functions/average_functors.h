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

/// Computes y = f(x), or its inverse y = f⁻¹(x). The average of this kind is f⁻¹ of the arithmetic average of f(x).
struct ForAverage
{
  Average                    average;
  bool                       inverse;
  const double              *x;
  double                    *y;
  ADAMANT_HOST_DEVICE double value(int i) const
  {
    return average == Average::arithmetic ? x[i] :
           average == Average::harmonic   ? 1. / x[i] :
           inverse                        ? exp(x[i]) :
                                            log(x[i]);
  }
  ADAMANT_HOST_DEVICE void store(int i, double value) const { y[i] = value; }
};
} // namespace adamant
