#pragma once

#include "base/array.h"
#include "base/communicator.h"

#include <set>
#include <string>
#include <vector>

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
/// `points` are coordinates d of point i at [d n + i], where `density` has values, and H is the height of the `nodes`.
/// All are in host memory. All ranks call it together.
std::string conduction_note(const Communicator &ranks, double diffusivity, double viscosity,
                            const std::vector<double> &gravity, int dim, const Array<double> &nodes,
                            const Array<double> &points, const Array<double> &density);
} // namespace adamant
