#pragma once

#include "coefficients/coefficient.h"
#include "solid/solid_energy.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace adamant
{
/// Returns the energy of a text 'KIND; NAME = NUMBER; ...', such as 'neo_hooke; mu = 80; K = 400'. The kinds of
/// StoredEnergy have the constants mu and K (neo_hooke, neo_hooke_compressible, st_venant_kirchhoff), c1, c2
/// and K (mooney_rivlin), or c1, c2, c3 and K (yeoh). In place of mu and K there may be E and nu, or mu and lambda for
/// kinds that are not split. Expressions have W, U and named constants: 'expression; W = c*(I1-3); U = ...; c = 40'.
/// `key` names the parameter in messages. Throws InputError for an unknown kind, for constants that are missing,
/// unknown or no numbers, where μ or K is not positive at small strains, and as SolidEnergy does.
SolidEnergy parse_energy(const std::string &key, const std::string &text);

/// Returns Poisson's ratio at small strains.
inline double poisson_ratio(const StoredEnergy &energy)
{
  return (3. * energy.bulk - 2. * energy.shear()) / (6. * energy.bulk + 2. * energy.shear());
}

/// Returns the largest value of f for an energy.
template <class F>
double largest(const OfEntries<SolidEnergy> &energies, const F &f)
{
  double most = -HUGE_VAL;
  energies.for_each([&](const StoredEnergy &energy) { most = std::max(most, double(f(energy))); });
  return most;
}
inline double bulk_over_shear(const StoredEnergy &energy)
{
  return energy.bulk / energy.shear();
}

/// Returns what to do where K / μ leaves too few digits of the shear stiffness in the tangent's V-cycle, in float or in
/// double precision, to end a message. Else it is empty.
std::string hint_on_rounding(const OfEntries<SolidEnergy> &energies, bool in_double);

/// Returns notes, a line each, on materials that suit elements of a degree badly, with projected dilatations or not.
std::string notes_on(const OfEntries<SolidEnergy> &energies, unsigned int degree, bool projected);
} // namespace adamant
