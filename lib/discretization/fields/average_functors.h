#pragma once

#include "base/host_device.h"

#include <cmath>

namespace adamant
{
/// y = 1 / x.
struct Reciprocal
{
  const double              *x;
  double                    *y;
  ADAMANT_HOST_DEVICE double value(int i) const { return 1. / x[i]; }
  ADAMANT_HOST_DEVICE void   store(int i, double value) const { y[i] = value; }
};

/// y = log x.
struct Logarithm
{
  const double              *x;
  double                    *y;
  ADAMANT_HOST_DEVICE double value(int i) const { return log(x[i]); }
  ADAMANT_HOST_DEVICE void   store(int i, double value) const { y[i] = value; }
};

/// y = exp x.
struct Exponential
{
  const double              *x;
  double                    *y;
  ADAMANT_HOST_DEVICE double value(int i) const { return exp(x[i]); }
  ADAMANT_HOST_DEVICE void   store(int i, double value) const { y[i] = value; }
};
} // namespace adamant
