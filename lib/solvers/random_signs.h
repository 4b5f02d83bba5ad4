#pragma once

#include "base/host_device.h"

namespace adamant
{
/// Sets v_i to x_i or -x_i with pseudo-random signs, which are equal in all runs. A null x stands for a vector of ones.
struct RandomSigns
{
  const double            *x;
  double                  *v;
  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    unsigned int mixed = static_cast<unsigned int>(i) * 0x9e3779b1u;
    mixed              = (mixed ^ (mixed >> 15)) * 0x85ebca77u;
    const double value = x != nullptr ? x[i] : 1.;
    v[i]               = (mixed >> 31) != 0 ? value : -value;
  }
};
} // namespace adamant
