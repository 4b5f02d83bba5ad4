#pragma once

namespace adamant
{
/// What one element adds to the sums of Device::sums.
template <int n>
struct Sums
{
  static_assert(n == 1 || n == 2, "one or two sums");
  double value[n];
};

/// For functors of sums without scalars.
struct Nothing
{
};
} // namespace adamant
