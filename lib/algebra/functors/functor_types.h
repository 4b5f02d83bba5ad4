#pragma once

#include "base/host_device.h"

#include <type_traits>
#include <utility>

namespace adamant
{
/// Tells whether a functor has value(i) and store(i, value), which makes it an operation on independent elements.
template <typename Functor, typename = void>
struct IsElementwise : std::false_type
{
};
template <typename Functor>
struct IsElementwise<Functor, std::void_t<decltype(std::declval<const Functor &>().value(0))>> : std::true_type
{
};

/// The terms that one element adds to the sums of Device::sums.
template <int n>
struct Sums
{
  static_assert(n == 1 || n == 2, "one or two sums");
  double value[n];
};

/// A functor of sums together with the sums that its `prepare` takes.
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

/// The result of `prepare` in functors of sums that need no scalars.
struct Nothing
{
};
} // namespace adamant
