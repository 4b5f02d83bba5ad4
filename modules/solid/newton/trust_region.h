#pragma once

namespace adamant
{
/// The rules of a trust region for a least value of an energy, whose slope is r and whose second derivative is K. A
/// step d solves (K + σ M) d = -r, with a mass M: the larger σ, the shorter it is. A solve begins with σ = 0.
class TrustRegion
{
public:
  /// `first` is the least σ that is not zero.
  explicit TrustRegion(double first = 1.)
    : first(first)
  {}

  double shift() const { return sigma; } ///< σ
  int    refusals() const { return refused; }
  void   begin() ///< a solve
  {
    sigma   = 0.;
    refused = 0;
  }
  /// Returns whether a step is taken by which the energy falls so much, while it would fall by `predicted` if it were
  /// quadratic; chooses the next σ.
  bool accepts(double actual, double predicted)
  {
    if (!(predicted > 0. && actual > 1e-3 * predicted))
      {
        refuse();
        return false;
      }
    if (actual > 0.75 * predicted)
      sigma = sigma > 4. * first ? 0.25 * sigma : 0.;
    else if (actual < 0.25 * predicted)
      enlarge(2.);
    return true;
  }
  void refuse() ///< a step that leads nowhere, or does not exist
  {
    ++refused;
    enlarge(4.);
  }

private:
  void enlarge(double factor) { sigma = sigma > 0. ? factor * sigma : first; }

  double first, sigma = 0.;
  int    refused = 0;
};
} // namespace adamant
