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

/// Returns j - ln (1 + j), also where j is so small that the difference would lose digits.
ADAMANT_HOST_DEVICE inline double less_logarithm(double j)
{
  if (j < -0.03 || j > 0.03)
    return j - log1p(j);
  const double r = j / (2. + j), r2 = r * r; // ln (1 + j) = 2 artanh r
  return r * (j - 2. * r2 * (1. / 3. + r2 * (1. / 5. + r2 * (1. / 7. + r2 / 9.))));
}

/// Invariants of a strain G = C - I, from which small strains lose no digits.
struct Invariants
{
  double trace;  ///< I1 - 3
  double second; ///< D : D / 2, with the deviator D of G
  double third;  ///< det D
  double j;      ///< J - 1

  ADAMANT_HOST_DEVICE double I1() const { return 3. + trace; }
  ADAMANT_HOST_DEVICE double I2() const { return 3. + I2_less_3(); }
  ADAMANT_HOST_DEVICE double I2_less_3() const { return trace * (2. + trace / 3.) - second; }

  /// Returns Ī1 - 3, with s = J^(-2/3). It is at least 0 and of second order in G: no difference of terms of first
  /// order would do.
  ADAMANT_HOST_DEVICE double isochoric_1(double s) const
  {
    const double m = 1. + trace / 3., y = s * m, q = (second - third / m) / (m * m); // 1 - q = 1 / y³
    return 3. * q * y * y * y / (1. + y * (1. + y));
  }
  /// Returns Ī2 - 3, which is so, too.
  ADAMANT_HOST_DEVICE double isochoric_2(double s) const
  {
    if (const double difference = s * s * I2() - 3.; difference > 0.1)
      return difference;
    const double m = 1. + trace / 3., y = s * m, d = second / (m * m), t = third / (m * m * m),
                 z  = y * y * (1. - d / 3.);
    const double y3 = y * y * y, n = d - 2. * t * (1. - d) - d * d * (2. / 3. + d / 27.) - t * t;
    return 3. * n * y3 * y3 / (1. + z * (1. + z));
  }
  /// Returns (I1 - 3) / 2 - (J - 1), which is of second order in G, too.
  ADAMANT_HOST_DEVICE double half_trace_less_j() const
  {
    if (const double difference = 0.5 * trace - j; difference > 0.1)
      return difference;
    const double t = trace, rest = t * t * (1. / 3. + t / 27.) - (1. + t / 3.) * second + third; // J² = 1 + t + rest
    return (0.5 * t * j - rest) / (2. + j);
  }
};

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
  double stress;    ///< 2 W_1 + 4 W_2 + W_J, which is small at small strains; the sum would lose digits there

  ADAMANT_HOST_DEVICE EnergyDerivatives &operator+=(const VolumetricEnergy &U)
  {
    value += U.value;
    first[2] += U.first;
    stress += U.first;
    second[5] += U.second;
    return *this;
  }
};

/// What the derivatives of an energy at F = I say of small strains.
struct SmallStrains
{
  double stress, shear, bulk; ///< P = stress I, and the moduli μ and K

  explicit SmallStrains(const EnergyDerivatives &W)
    : stress(W.stress)
    , shear(2. * (W.first[0] + W.first[1]))
    , bulk(2. / 3. * W.first[0] + 4. * W.first[1] + 2. / 3. * W.first[2] +
           (36. * W.second[0] + 144. * W.second[1] + 36. * W.second[2] + 144. * W.second[3] + 72. * W.second[4] +
            9. * W.second[5]) /
             9.)
  {}
};

/// A stored energy per reference volume, W(I1, I2, J) + U(J). The invariants are I1 = tr C, I2 = (tr² C - C : C) / 2
/// and J = det F, with C = Fᵀ F. Functions take them less their values at rest: stresses and energies of small strains
/// keep their digits. The values of expressions, whose modulus is {μ}, are in SolidEnergy. A kind is split where W
/// depends on Ī1 = J^(-2/3) I1 and Ī2 = J^(-4/3) I2 alone:
/// ```
///   neo_hooke               W = μ/2 (Ī1 - 3)                                        split, modulus = {μ}
///   mooney_rivlin           W = c1 (Ī1 - 3) + c2 (Ī2 - 3)                           split, {c1, c2}
///   yeoh                    W = c1 (Ī1 - 3) + c2 (Ī1 - 3)² + c3 (Ī1 - 3)³           split, {c1, c2, c3}
///                           U = K/4 (J² - 1 - 2 ln J), of these split kinds
///   neo_hooke_compressible  W = μ/2 (I1 - 3) - μ (J - 1),
///                           U = μ (J - 1 - ln J) + Λ/2 ln² J                        {μ}, bulk = Λ + 2/3 μ
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

  /// Returns W and its derivatives.
  ADAMANT_HOST_DEVICE EnergyDerivatives shape(const Invariants &at) const
  {
    const double *c = modulus;
    if (kind == neo_hooke_compressible)
      return {c[0] * at.half_trace_less_j(), {0.5 * c[0], 0., -c[0]}, {0., 0., 0., 0., 0., 0.}, 0.};
    if (kind == st_venant_kirchhoff)
      {
        const double a = at.trace, to_a = 0.25 * lambda() + 0.5 * c[0]; // G : G = a² / 3 + 2 D : D / 2
        return {0.125 * lambda() * a * a + 0.25 * c[0] * (a * a / 3. + 2. * at.second),
                {to_a * a + c[0], -0.5 * c[0], 0.},
                {to_a, 0., 0., 0., 0., 0.},
                2. * to_a * a};
      }
    const double s = isochoric_factor(at.j), a = at.isochoric_1(s);
    if (kind == neo_hooke)
      return of_isochoric({0.5 * c[0] * a, {0.5 * c[0], 0., 0.}, {0., 0., 0., 0., 0., 0.}, 0.}, s, at);
    if (kind == mooney_rivlin)
      return of_isochoric({c[0] * a + c[1] * at.isochoric_2(s), {c[0], c[1], 0.}, {0., 0., 0., 0., 0., 0.}, 0.}, s, at);
    return of_isochoric({a * (c[0] + a * (c[1] + a * c[2])),
                         {c[0] + a * (2. * c[1] + 3. * a * c[2]), 0., 0.},
                         {2. * c[1] + 6. * a * c[2], 0., 0., 0., 0., 0.},
                         0.},
                        s, at);
  }

  /// Returns U and its derivatives at J = 1 + j.
  ADAMANT_HOST_DEVICE VolumetricEnergy volumetric(double j) const
  {
    const double J = 1. + j, log = log1p(j), less = less_logarithm(j);
    if (is_split())
      return {0.25 * bulk * (j * j + 2. * less), 0.5 * bulk * j * (J + 1.) / J, 0.5 * bulk * (1. + 1. / (J * J))};
    if (kind == st_venant_kirchhoff)
      return {0., 0., 0.};
    const double mu = modulus[0];
    return {mu * less + 0.5 * lambda() * log * log, (mu * j + lambda() * log) / J,
            (lambda() * (1. - log) + mu) / (J * J)};
  }

  /// Returns the derivatives of a split energy to I1, I2, J; `of` has its derivatives to Ī1 and Ī2, and s = J^(-2/3).
  ADAMANT_HOST_DEVICE static EnergyDerivatives of_isochoric(const EnergyDerivatives &of, double s, const Invariants &at)
  {
    const double J = 1. + at.j, I1 = at.I1(), I2 = at.I2(), w1 = of.first[0], w2 = of.first[1], w11 = of.second[0],
                 w12 = of.second[1], w22 = of.second[3];
    const double s2   = s * s;
    const double to_1 = -2. / 3. * s * I1 / J, to_2 = -4. / 3. * s2 * I2 / J; // ∂Ī/∂J
    const double twice = 10. / 9. * s * I1 / (J * J), twice_2 = 28. / 9. * s2 * I2 / (J * J);
    return {of.value,
            {s * w1, s2 * w2, w1 * to_1 + w2 * to_2},
            {s2 * w11, s * s2 * w12, s * (w11 * to_1 + w12 * to_2 - 2. / 3. * w1 / J), s2 * s2 * w22,
             s2 * (w12 * to_1 + w22 * to_2 - 4. / 3. * w2 / J),
             w1 * twice + w2 * twice_2 + w11 * to_1 * to_1 + 2. * w12 * to_1 * to_2 + w22 * to_2 * to_2},
            (2. * s * w1 * (3. * at.j - at.trace) + 4. * s2 * w2 * (3. * at.j - at.I2_less_3())) / (3. * J)};
  }
};
} // namespace adamant
