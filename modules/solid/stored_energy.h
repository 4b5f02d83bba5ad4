#pragma once

#include "base/host_device.h"

#include <cmath>

// Stored energies of solids and their derivatives, for host and GPU: they call no function of deal.II.

namespace adamant
{
/// Returns J^(-2/3) for J = 1 + j, which makes Ī1 of I1.
ADAMANT_HOST_DEVICE inline double isochoric_factor(double j)
{
  return exp(-2. / 3. * log1p(j));
}

/// A function of J alone and its derivatives.
struct VolumetricEnergy
{
  double value, first, second;
};

/// An energy W of the invariants I1, I2 and J at a point, and its derivatives to them.
struct EnergyDerivatives
{
  double value;
  double first[3];  ///< to I1, I2, J
  double second[6]; ///< to I1 I1, I1 I2, I1 J, I2 I2, I2 J, J J

  ADAMANT_HOST_DEVICE EnergyDerivatives &operator+=(const VolumetricEnergy &U)
  {
    value += U.value;
    first[2] += U.first;
    second[5] += U.second;
    return *this;
  }
};

/// What the derivatives of an energy at F = I say of small strains.
struct SmallStrains
{
  double stress, shear, bulk; ///< P = stress I, and the moduli μ and K

  explicit SmallStrains(const EnergyDerivatives &W)
    : stress(2. * W.first[0] + 4. * W.first[1] + W.first[2])
    , shear(2. * (W.first[0] + W.first[1]))
    , bulk(2. / 3. * W.first[0] + 4. * W.first[1] + 2. / 3. * W.first[2] +
           (36. * W.second[0] + 144. * W.second[1] + 36. * W.second[2] + 144. * W.second[3] + 72. * W.second[4] +
            9. * W.second[5]) /
             9.)
  {}
};

/// A stored energy per reference volume, W(I1, I2, J) + U(J). The invariants are I1 = tr C, I2 = (tr² C - C : C) / 2
/// and J = det F, with C = Fᵀ F. Functions take J - 1 in place of J: large moduli times J - 1 keep their digits. The
/// values of expressions, whose modulus is {μ}, are in SolidEnergy. A kind is split where W depends on Ī1 = J^(-2/3) I1
/// and Ī2 = J^(-4/3) I2 alone:
/// ```
///   neo_hooke               W = μ/2 (Ī1 - 3)                                        split, modulus = {μ}
///   mooney_rivlin           W = c1 (Ī1 - 3) + c2 (Ī2 - 3)                           split, {c1, c2}
///   yeoh                    W = c1 (Ī1 - 3) + c2 (Ī1 - 3)² + c3 (Ī1 - 3)³           split, {c1, c2, c3}
///                           U = K/4 (J² - 1 - 2 ln J), of these split kinds
///   neo_hooke_compressible  W = μ/2 (I1 - 3), U = -μ ln J + Λ/2 ln² J               {μ}, bulk = Λ + 2/3 μ
///   st_venant_kirchhoff     W = Λ/8 (I1 - 3)² + μ/4 (I1² - 2 I2 - 2 I1 + 3), U = 0  {μ}, bulk = Λ + 2/3 μ
/// ```
struct StoredEnergy
{
  enum Kind : int
  {
    neo_hooke,
    mooney_rivlin,
    yeoh,
    split_expression,
    neo_hooke_compressible,
    st_venant_kirchhoff,
    expression
  };
  Kind   kind;
  double modulus[3];
  double bulk; ///< K at small strains

  ADAMANT_HOST_DEVICE bool   is_split() const { return kind <= split_expression; }
  ADAMANT_HOST_DEVICE bool   is_expression() const { return kind == split_expression || kind == expression; }
  ADAMANT_HOST_DEVICE double lambda() const { return bulk - 2. / 3. * modulus[0]; } ///< Λ of kinds not split
  /// Returns the shear modulus at small strains.
  ADAMANT_HOST_DEVICE double shear() const
  {
    return kind == mooney_rivlin ? 2. * (modulus[0] + modulus[1]) : kind == yeoh ? 2. * modulus[0] : modulus[0];
  }

  /// Returns W and its derivatives; j = J - 1.
  ADAMANT_HOST_DEVICE EnergyDerivatives shape(double I1, double I2, double j) const
  {
    const double *c = modulus;
    if (kind == neo_hooke_compressible)
      return {0.5 * c[0] * (I1 - 3.), {0.5 * c[0], 0., 0.}, {0., 0., 0., 0., 0., 0.}};
    if (kind == st_venant_kirchhoff)
      return {0.125 * lambda() * (I1 - 3.) * (I1 - 3.) + 0.25 * c[0] * (I1 * I1 - 2. * I2 - 2. * I1 + 3.),
              {0.25 * lambda() * (I1 - 3.) + 0.5 * c[0] * (I1 - 1.), -0.5 * c[0], 0.},
              {0.25 * lambda() + 0.5 * c[0], 0., 0., 0., 0., 0.}};
    const double s = isochoric_factor(j), a = s * I1 - 3., b = s * s * I2 - 3.;
    if (kind == neo_hooke)
      return of_isochoric({0.5 * c[0] * a, {0.5 * c[0], 0., 0.}, {0., 0., 0., 0., 0., 0.}}, s, I1, I2, j);
    if (kind == mooney_rivlin)
      return of_isochoric({c[0] * a + c[1] * b, {c[0], c[1], 0.}, {0., 0., 0., 0., 0., 0.}}, s, I1, I2, j);
    return of_isochoric({a * (c[0] + a * (c[1] + a * c[2])),
                         {c[0] + a * (2. * c[1] + 3. * a * c[2]), 0., 0.},
                         {2. * c[1] + 6. * a * c[2], 0., 0., 0., 0., 0.}},
                        s, I1, I2, j);
  }

  /// Returns U and its derivatives at J = 1 + j.
  ADAMANT_HOST_DEVICE VolumetricEnergy volumetric(double j) const
  {
    const double J = 1. + j, log = log1p(j);
    if (is_split())
      return {0.25 * bulk * (j * (j + 2.) - 2. * log), 0.5 * bulk * j * (J + 1.) / J, 0.5 * bulk * (1. + 1. / (J * J))};
    if (kind == st_venant_kirchhoff)
      return {0., 0., 0.};
    const double mu = modulus[0];
    return {(0.5 * lambda() * log - mu) * log, (lambda() * log - mu) / J, (lambda() * (1. - log) + mu) / (J * J)};
  }

  /// Returns the derivatives of a split energy to I1, I2, J; `of` has its derivatives to Ī1 and Ī2, and s = J^(-2/3).
  ADAMANT_HOST_DEVICE static EnergyDerivatives of_isochoric(const EnergyDerivatives &of, double s, double I1, double I2,
                                                            double j)
  {
    const double J = 1. + j, w1 = of.first[0], w2 = of.first[1], w11 = of.second[0], w12 = of.second[1],
                 w22  = of.second[3];
    const double s2   = s * s;
    const double to_1 = -2. / 3. * s * I1 / J, to_2 = -4. / 3. * s2 * I2 / J; // ∂Ī/∂J
    const double twice = 10. / 9. * s * I1 / (J * J), twice_2 = 28. / 9. * s2 * I2 / (J * J);
    return {of.value,
            {s * w1, s2 * w2, w1 * to_1 + w2 * to_2},
            {s2 * w11, s * s2 * w12, s * (w11 * to_1 + w12 * to_2 - 2. / 3. * w1 / J), s2 * s2 * w22,
             s2 * (w12 * to_1 + w22 * to_2 - 4. / 3. * w2 / J),
             w1 * twice + w2 * twice_2 + w11 * to_1 * to_1 + 2. * w12 * to_1 * to_2 + w22 * to_2 * to_2}};
  }
};
} // namespace adamant
