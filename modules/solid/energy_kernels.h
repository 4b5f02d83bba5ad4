#pragma once

#include "solid/stretch.h"

// Functors that bring the invariants of points to expressions and their values back, for host and GPU: they call no
// function of deal.II.

namespace adamant
{
/// Computes the variables of an energy's text: I1, I2 and J, or Ī1, Ī2 and J. Ī1 and Ī2 are never below 3, where roots
/// of Ī1 - 3 are no numbers.
ADAMANT_HOST_DEVICE inline void variables_of(const Invariants &at, bool isochoric, double (&variables)[3])
{
  const double s = isochoric_factor(at.j);
  variables[0]   = isochoric ? 3. + at.isochoric_1(s) : at.I1();
  variables[1]   = isochoric ? 3. + at.isochoric_2(s) : at.I2();
  variables[2]   = 1. + at.j;
}

/// What an energy's texts say at rest. There their derivatives cancel, and their values are rounded. So by J - 1 times
/// a constant W and U become free of stress, and near rest their second derivatives are integrated.
struct TextsAtRest
{
  bool              isochoric;
  EnergyDerivatives W;
  VolumetricEnergy  U;
  double            near; ///< below these |I1 - 3|, |I2 - 3| and |J - 1| the trapezoidal rule is as good as the texts

  ADAMANT_HOST_DEVICE EnergyDerivatives shape(EnergyDerivatives of,
                                              const Invariants &at) const ///< of: as texts have it
  {
    if (isochoric)
      of = StoredEnergy::of_isochoric(of, isochoric_factor(at.j), at);
    of.value -= W.stress * at.j;
    of.first[2] -= W.stress;
    of.stress -= W.stress;
    const double x[3] = {at.trace, at.I2_less_3(), at.j};
    if (!(fmax(fmax(fabs(x[0]), fabs(x[1])), fabs(x[2])) < near))
      return of;
    double s[6], d[6]; // twice the mean, and the difference
    for (int k = 0; k < 6; ++k)
      {
        s[k] = of.second[k] + W.second[k];
        d[k] = of.second[k] - W.second[k];
      }
    if (!isochoric)
      of.stress = (s[0] + 2. * s[1] + 0.5 * s[2]) * x[0] + (s[1] + 2. * s[3] + 0.5 * s[4]) * x[1] +
                  (s[2] + 2. * s[4] + 0.5 * s[5]) * x[2];
    // By the invariants that Stretch::piola has; Hermite's rule adds the differences of second derivatives.
    of.value = W.value + 0.25 * of.stress * at.trace +
               0.5 * (of.first[1] + W.first[1]) * (at.trace * at.trace / 3. - at.second) -
               0.5 * (of.first[2] + W.first[2] - W.stress) * at.half_trace_less_j() -
               (x[0] * (d[0] * x[0] + 2. * d[1] * x[1] + 2. * d[2] * x[2]) + x[1] * (d[3] * x[1] + 2. * d[4] * x[2]) +
                d[5] * x[2] * x[2]) /
                 12.;
    return of;
  }
  ADAMANT_HOST_DEVICE VolumetricEnergy volumetric(const VolumetricEnergy &of, double j) const
  {
    if (fabs(j) < near)
      return {U.value + (2. * U.second + of.second) / 6. * j * j, 0.5 * (U.second + of.second) * j, of.second};
    return {of.value - U.first * j, of.first - U.first, of.second};
  }
};

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
    variables_of(at.invariants(), isochoric, I);
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
  TextsAtRest      rest;
  ValuesAt         values, W;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    const EnergyDerivatives of = rest.shape(energy_at(values, i), stretch(points[i]).invariants());
    W(0, points[i])            = of.value;
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
  const double *j;
  const int    *places;
  TextsAtRest   rest;
  ValuesAt      values, U;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    const VolumetricEnergy of = rest.volumetric({values(0, i), values(1, i), values(2, i)}, j[places[i]]);
    U(0, places[i])           = of.value;
    U(1, places[i])           = of.first;
    U(2, places[i])           = of.second;
  }
};
} // namespace adamant
