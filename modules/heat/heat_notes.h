#pragma once

#include "base/array.h"
#include "base/communicator.h"

#include <array>
#include <set>
#include <string>

namespace adamant
{
/// Notes that a run prints once, whatever its meshes.
class Notes
{
public:
  /// Prints a note of this kind, unless one has been printed.
  void once(const std::string &kind, const std::string &text);
  bool said(const std::string &kind) const { return kinds.count(kind) > 0; }

private:
  std::set<std::string> kinds;
};

/// Returns a note where a fluid at rest is heavy above light, so that it stays there only for want of a perturbation;
/// else nothing. The Rayleigh number is s g H⁴/(κ η) with the height H and the largest viscosity η. A linear fit gives
/// the slope s of the density along the height. The number has to exceed 1707.8, where convection begins between rigid
/// plates.
/// `density` has values at points of these `heights`, both in host memory, and `range` has the least and the
/// largest height of the fluid. All ranks call it together.
std::string conduction_note(const Communicator &ranks, double diffusivity, double viscosity, double g,
                            const std::array<double, 2> &range, const Array<double> &heights,
                            const Array<double> &density);
} // namespace adamant
