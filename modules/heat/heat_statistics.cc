#include "heat/heat_statistics.h"

#include <cmath>
#include <string>

namespace adamant
{
void HeatStatistics::add_to(Statistics::Row &row) const
{
  if (iterations >= 0)
    row.emplace_back("heat_iterations", iterations);
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
  if (iterations >= 0)
    of_temperature["iterations"] = iterations;
}

void HeatStatistics::serialize(State &state)
{
  state.scalar(mean);
  state.scalar(least);
  state.scalar(most);
  state.scalar(fluxes);
  state.scalar(iterations);
}
} // namespace adamant
