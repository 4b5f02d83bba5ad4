#include "coefficients/extremes.h"

#include "algebra/device.h"

#include <algorithm>
#include <limits>

namespace adamant
{
std::array<double, 2> extremes(const Vector<double> &values)
{
  const Device  &device = values.device();
  const int      stride = std::min(values.size(), 4096);
  Vector<double> of_groups(device, 2 * stride);
  device.for_each(stride, ExtremesOfGroup{values.data(), values.size(), stride, of_groups.data()});
  const auto found     = to_host(of_groups);
  double     largest[] = {-std::numeric_limits<double>::max(), -std::numeric_limits<double>::max()}; // of -v and v
  for (int i = 0; i < stride; ++i)
    {
      largest[0] = std::max(largest[0], -found[i]);
      largest[1] = std::max(largest[1], found[stride + i]);
    }
  device.communicator().max(largest, 2);
  return {{-largest[0], largest[1]}};
}
} // namespace adamant
