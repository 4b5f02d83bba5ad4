#pragma once

#include "base/run_record.h"
#include "frame/restart/state.h"
#include "frame/run_folder.h"

#include <limits>
#include <map>

namespace adamant
{
/// Numbers that describe a temperature T after a step.
struct HeatStatistics
{
  double                         mean  = std::numeric_limits<double>::quiet_NaN(); ///< NaN before the first step
  double                         least = 0., most = 0.;
  std::map<unsigned int, double> fluxes; ///< the mean heat that comes in through boundaries with prescribed values
  double defect     = std::numeric_limits<double>::quiet_NaN(); ///< see HeatEquation; NaN: there is none
  int    iterations = -1;                                       ///< of the solver in the last step; -1: there is none

  void add_to(
    Statistics::Row &row) const; ///< as heat_iterations, mean_T, least_T, most_T, heat_flux_<boundary> and heat_defect
  void add_to(RunRecord &record) const; ///< as record["temperature"]
  void serialize(State &state);         ///< saves or loads all but the defect
};
} // namespace adamant
