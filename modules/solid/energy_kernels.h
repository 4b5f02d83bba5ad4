#pragma once

#include "solid/stretch.h"

// Functors that bring the invariants of points to expressions and their values back, for host and GPU: they call no
// function of deal.II.

namespace adamant
{
/// Returns Ī1 or Ī2, which rounding may make less than 3, where a root of Ī1 - 3 is no number; others stay.
ADAMANT_HOST_DEVICE inline double invariant_at(double value, bool isochoric)
{
  return isochoric && value < 3. ? 3. : value;
}

/// Lists I1, I2 and J at n points, or Ī1, Ī2 and J, by Device::for_each over these. Number k of point i of the list is
/// at [k n + i].
template <int dim>
struct InvariantsOf
{
  StretchView<dim> stretch;
  const int       *points;
  bool             isochoric;
  ValuesAt         numbers;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    const Stretch<dim> at = stretch(points[i]);
    const double       s  = isochoric ? isochoric_factor(at.j) : 1.;
    numbers(0, i)         = invariant_at(s * at.I1, isochoric);
    numbers(1, i)         = invariant_at(s * s * at.I2, isochoric);
    numbers(2, i)         = 1. + at.j;
  }
};

/// Stores ten values of W in the order of EnergyDerivatives, which are given for a list of points, at these points. It
/// is for Device::for_each over the list.
template <int dim>
struct StoreShape
{
  StretchView<dim> stretch;
  const int       *points;
  bool             isochoric;
  ValuesAt         values, W;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    EnergyDerivatives of = energy_at(values, i);
    if (isochoric)
      {
        const Stretch<dim> at = stretch(points[i]);
        of                    = StoredEnergy::of_isochoric(of, isochoric_factor(at.j), at.I1, at.I2, at.j);
      }
    W(0, points[i]) = of.value;
    for (int k = 0; k < 3; ++k)
      W(1 + k, points[i]) = of.first[k];
    for (int k = 0; k < 6; ++k)
      W(4 + k, points[i]) = of.second[k];
  }
};

/// Lists J = 1 + j of places, which are points or cells, by Device::for_each over these.
struct DilatationsOf
{
  const double *j;
  const int    *places;
  double       *J;

  ADAMANT_HOST_DEVICE void operator()(int i) const { J[i] = 1. + j[places[i]]; }
};

/// Stores the value and derivatives of U, which are given for a list of places, at these places.
struct StoreVolumetric
{
  const int *places;
  ValuesAt   values, U;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    for (int k = 0; k < 3; ++k)
      U(k, places[i]) = values(k, i);
  }
};
} // namespace adamant
