#pragma once

#include "base/host_device.h"

namespace adamant
{
/// v_i = x_i or -x_i as if by chance, the same in each run; without x 1 or -1.
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
