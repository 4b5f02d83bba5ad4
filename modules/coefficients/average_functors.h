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
