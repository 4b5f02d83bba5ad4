#pragma once

#include "solid/stretch.h"

// Functors that bring the invariants of points to expressions and their values back, for host and GPU: they call no
// function of deal.II.

namespace adamant
{
/// Computes the variables of an energy's text: I1, I2 and J, or Ī1, Ī2 and J. Ī1 and Ī2 are never below 3, where roots of
/// Ī1 - 3 are no numbers.
ADAMANT_HOST_DEVICE inline void variables_of(const Invariants &at, bool isochoric, double (&variables)[3])
{
  const double s = isochoric_factor(at.j);
  variables[0]   = isochoric ? 3. + at.isochoric_1(s) : at.I1();
  variables[1]   = isochoric ? 3. + at.isochoric_2(s) : at.I2();
  variables[2]   = 1. + at.j;
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
    double             I[3];
    variables_of(at.invariants, isochoric, I);
    for (int k = 0; k < 3; ++k)
      numbers(k, i) = I[k];
  }
};

/// Stores the values of W in the order of EnergyDerivatives, of which ten are given for a list of points, at these
/// points. It is for Device::for_each over the list.
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
        of                    = StoredEnergy::of_isochoric(of, isochoric_factor(at.j), at.invariants);
      }
    W(0, points[i]) = of.value;
    for (int k = 0; k < 3; ++k)
      W(1 + k, points[i]) = of.first[k];
    for (int k = 0; k < 6; ++k)
      W(4 + k, points[i]) = of.second[k];
    W(10, points[i]) = of.stress;
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
