#pragma once

#include "algebra/device.h"
#include "algebra/vector.h"
#include "coefficients/values_at_points.h"

#include <string>
#include <vector>

namespace adamant
{
/// A viscosity as an expression of the temperature T, the composition c, the depth below the highest point, and the
/// strain rate `strain` = |ε| = √(ε : ε), ε = (∇u + ∇uᵀ) / 2.
class ViscosityLaw
{
public:
  /// Compiles the law for the device; `key` names its parameter. Throws InputError where check() does.
  ViscosityLaw(const Device &device, const std::string &key, const std::string &text);

  /// Throws InputError with `key` for what is no expression of these names, and for T where there is no temperature.
  static void check(const std::string &key, const std::string &text, bool has_temperature);

  bool depends_on(const std::string &name) const;
  /// Returns whether the viscosity is a function of place alone.
  bool stays() const { return !(depends_on("T") || depends_on("c") || depends_on("strain")); }
  /// Returns the average in cells that "auto" stands for: arithmetic for what varies smoothly, T and the strain rate,
  /// and harmonic for bodies, which the composition makes.
  std::string automatic_average() const { return depends_on("T") || depends_on("strain") ? "arithmetic" : "harmonic"; }

  /// Returns the names of evaluate's numbers: the names that the law has, or depth where it has none.
  const std::vector<std::string> &names() const { return of; }
  /// Computes n values of η from n values of each name. If the law has `strain`, n values of ∂η/∂strain follow.
  void evaluate(const Vector<double> &numbers, Vector<double> &values) const { function(numbers, values); }

private:
  std::vector<std::string> of;
  NumberFunction           function;
};
} // namespace adamant
