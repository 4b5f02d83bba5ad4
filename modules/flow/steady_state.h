#pragma once

#include "algebra/device.h"

#include <cmath>
#include <optional>

namespace adamant
{
/// Tests whether a flow has become steady: ‖u - u_old‖ <= tolerance dt ‖u‖.
class SteadyState
{
public:
  explicit SteadyState(double tolerance) ///< 0: the flow never counts as steady, and nothing is computed
    : tolerance(tolerance)
  {}

  /// Returns ‖u - u_old‖ / (dt ‖u‖) and sets `reached`; u_old becomes the difference. All ranks call it together.
  std::optional<double> test(const Vector<double> &u, Vector<double> &u_old, double dt)
  {
    if (tolerance == 0.)
      return {};
    const Device &device = u.device();
    device.axpby(1., u, -1., u_old);
    const double change = std::sqrt(device.dot(u_old, u_old) / device.dot(u, u)) / dt;
    reached             = change <= tolerance;
    return change;
  }

  bool reached = false;

private:
  double tolerance;
};
} // namespace adamant
