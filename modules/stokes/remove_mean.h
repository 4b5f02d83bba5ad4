#pragma once

#include "base/host_device.h"

namespace adamant
{
/// Computes v -= (1 . v) / n at the entries where `one` is 1, elementwise; `sum` points to 1 . v.
template <typename Number>
struct RemoveMean
{
  const Number              *one;
  const double              *sum;
  double                     n;
  Number                    *v;
  ADAMANT_HOST_DEVICE Number value(int i) const { return v[i] - static_cast<Number>(*sum / n) * one[i]; }
  ADAMANT_HOST_DEVICE void   store(int i, Number value) const { v[i] = value; }
};
} // namespace adamant
