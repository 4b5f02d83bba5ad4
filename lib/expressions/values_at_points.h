#pragma once

#include "expressions/point_function.h"

#include <cstddef>
#include <utility>

namespace adamant
{
/// A function of time at fixed points, with its values at one time.
class ValuesAtPoints
{
public:
  ValuesAtPoints() = default;
  ValuesAtPoints(const Device &device, std::size_t n_points, PointFunction function)
    : function(std::move(function))
    , present(device, static_cast<int>(n_points))
  {}

  const Vector<double> &at(double t) ///< computes them
  {
    function(t, present);
    return present;
  }
  const Vector<double> &values() const { return present; } ///< at the last such time

private:
  PointFunction  function;
  Vector<double> present;
};
} // namespace adamant
