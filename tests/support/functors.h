#pragma once

#include "base/host_device.h"

namespace adamant::test
{
/// y[i] += x[i]² + i.
template <typename Number>
struct AddSquare
{
  const Number            *x;
  Number                  *y;
  ADAMANT_HOST_DEVICE void operator()(int i) const { y[i] += x[i] * x[i] + i; }
};
} // namespace adamant::test
