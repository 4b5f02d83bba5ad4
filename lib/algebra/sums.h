#pragma once

#include "base/host_device.h"

namespace adamant
{
/// What one element adds to the sums of Device::sums.
template <int n>
struct Sums
{
  static_assert(n == 1 || n == 2, "one or two sums");
  double value[n];
};

/// A functor of sums with what its `prepare` takes.
template <class Functor>
struct WithSums
{
  static constexpr int n_sums = Functor::n_sums;

  Functor                  f;
  const double            *sums;
  ADAMANT_HOST_DEVICE auto prepare() const { return f.prepare(sums); }
  template <class Constants>
  ADAMANT_HOST_DEVICE Sums<n_sums> operator()(int i, const Constants &constants) const
  {
    return f(i, constants);
  }
};

/// For functors of sums without scalars.
struct Nothing
{
};
} // namespace adamant
