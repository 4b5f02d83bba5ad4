#pragma once

namespace adamant
{
/// The weights of BDF2 with variable steps: dt ∂_t T is about a0 Tⁿ⁺¹ + a1 Tⁿ + a2 Tⁿ⁻¹.
struct BackwardDifference
{
  double a0 = 1., a1 = -1., a2 = 0.; ///< by default of BDF1

  /// Returns BDF2's weights for a step that is `ratio` times as long as the last one.
  static BackwardDifference second(double ratio)
  {
    return {(1. + 2. * ratio) / (1. + ratio), -(1. + ratio), ratio * ratio / (1. + ratio)};
  }
};
} // namespace adamant
