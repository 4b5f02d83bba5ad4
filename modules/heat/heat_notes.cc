#include "heat/heat_notes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iomanip>
#include <iostream>
#include <sstream>

namespace adamant
{
void Notes::once(const std::string &kind, const std::string &text)
{
  if (kinds.insert(kind).second)
    std::cout << "note: " << text << std::endl;
}

std::string conduction_note(const Communicator &ranks, double diffusivity, double viscosity, double g,
                            const std::array<double, 2> &range, const Array<double> &heights,
                            const Array<double> &density)
{
  const double height = range[1] - range[0], middle = 0.5 * (range[0] + range[1]);
  double       sums[5] = {}; // of 1, z, z², ρ, z ρ, with z from the middle
  for (std::size_t i = 0; i < density.size(); ++i)
    {
      const double z      = heights[i] - middle;
      const double more[] = {1., z, z * z, density[i], z * density[i]};
      std::transform(sums, sums + 5, more, sums, std::plus<>());
    }
  ranks.sum(sums, 5);
  const double slope = (sums[4] - sums[1] * sums[3] / sums[0]) / (sums[2] - sums[1] * sums[1] / sums[0]);
  const double Ra    = slope * g * std::pow(height, 4) / (diffusivity * viscosity);
  if (!(Ra > 1707.8))
    return "";
  std::ostringstream text;
  text << std::setprecision(3) << "the fluid is at rest, but heavy above light with a Rayleigh number of about " << Ra
       << ": conduction is a solution, too, and a start without a perturbation stays there. Add one to "
          "Temperature/Initial temperature, such as +0.05*cos(pi*x)*sin(pi*y)";
  return text.str();
}
} // namespace adamant
