#include "heat/heat_statistics.h"

#include "algebra/device.h"
#include "heat/heat_kernels.h"

#include <algorithm>
#include <cmath>
#include <string>

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

void HeatStatistics::add_to(Statistics::Row &row) const
{
  row.insert(row.end(), {{"mean_T", mean}, {"least_T", least}, {"most_T", most}});
  for (const auto &[id, flux] : fluxes)
    row.emplace_back("heat_flux_" + std::to_string(id), flux);
  if (!std::isnan(defect))
    row.emplace_back("heat_defect", defect);
}

void HeatStatistics::add_to(RunRecord &record) const
{
  auto &of_temperature = record["temperature"];
  of_temperature       = {{"mean", mean}, {"min", least}, {"max", most}, {"flux", RunRecord::object()}};
  for (const auto &[id, flux] : fluxes)
    of_temperature["flux"][std::to_string(id)] = flux;
  if (!std::isnan(defect))
    of_temperature["heat_defect"] = defect;
}

void HeatStatistics::serialize(State &state)
{
  state.scalar(mean);
  state.scalar(least);
  state.scalar(most);
  state.scalar(fluxes);
}
} // namespace adamant
