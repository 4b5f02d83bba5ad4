#pragma once

#include "expressions/point_function.h"

#include <cstddef>
#include <utility>

namespace adamant
{
/// A function of time at fixed points, together with its values at one time, in device memory.
class ValuesAtPoints
{
public:
  ValuesAtPoints() = default;
  /// A function that does not depend on time is evaluated once.
  ValuesAtPoints(const Device &device, std::size_t n_points, PointFunction function, bool depends_on_time = true)
    : function(std::move(function))
    , present(device, static_cast<int>(n_points))
    , depends_on_time(depends_on_time)
  {}

  const Vector<double> &at(double t) ///< computes and returns the values at time t
  {
    if (depends_on_time || !computed)
      function(t, present);
    computed = true;
    return present;
  }
  const Vector<double> &values() const { return present; } ///< the values that `at` has computed last

private:
  PointFunction  function;
  Vector<double> present;
  bool           depends_on_time = true, computed = false;
};
} // namespace adamant
