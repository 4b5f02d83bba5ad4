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

std::string conduction_note(const Communicator &ranks, double diffusivity, double viscosity,
                            const std::vector<double> &gravity, int dim, const Array<double> &nodes,
                            const Array<double> &points, const Array<double> &density)
{
  double g = 0.;
  for (int d = 0; d < dim; ++d)
    g = std::hypot(g, gravity[d]);
  const auto height_at = [&](const Array<double> &of, std::size_t i) {
    double height = 0.;
    for (int d = 0; d < dim; ++d)
      height -= gravity[d] / g * of[d * (of.size() / dim) + i];
    return height;
  };
  double ends[] = {-HUGE_VAL, -HUGE_VAL}; // -least and most
  for (std::size_t i = 0; i < nodes.size() / dim; ++i)
    {
      ends[0] = std::max(ends[0], -height_at(nodes, i));
      ends[1] = std::max(ends[1], height_at(nodes, i));
    }
  ranks.max(ends, 2);
  const double height = ends[0] + ends[1], middle = 0.5 * (ends[1] - ends[0]);
  double       sums[5] = {}; // of 1, z, z², ρ, z ρ, with z from the middle
  for (std::size_t i = 0; i < density.size(); ++i)
    {
      const double z      = height_at(points, i) - middle;
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
