#pragma once

#include "base/host_device.h"

namespace adamant
{
/// A functor that sets to[i] = from[place[i]], converted, or zero where the place is -1.
template <typename From, typename To>
struct Gather
{
  const int               *place;
  const From              *from;
  To                      *to;
  ADAMANT_HOST_DEVICE To   value(int i) const { return place[i] < 0 ? To(0) : static_cast<To>(from[place[i]]); }
  ADAMANT_HOST_DEVICE void store(int i, To value) const { to[i] = value; }
};
} // namespace adamant
