#pragma once

#include "base/run_record.h"
#include "evaluation/derived_fields.h"
#include "evaluation/evaluation.h"
#include "fem/functions/points.h"
#include "flow/divergence_projection.h"
#include "flow/flow_parameters.h"
#include "frame/output/output.h"
#include "frame/restart/state.h"
#include "frame/run_folder.h"

#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace adamant
{
/// Results that are computed from a flow on the host: statistics, forces, profiles. Velocities are stored by
/// components, pressures and temperatures as nodal values on the velocity mesh, in host memory. A temperature T is empty
/// where there is none. Each of several ranks passes the values
/// of its own nodes and gets the result of all; they call all functions together.
template <int dim>
class FlowResults
{
public:
  FlowResults(const FlowMatrices<dim> &flow, const dealii::Mapping<dim> &mapping, const FlowOutputParameters &options,
              const Coefficient &viscosity, bool has_temperature = false);
  FlowResults(const FlowResults &)            = delete;
  FlowResults &operator=(const FlowResults &) = delete;

  /// Computes the statistics of a state: `pressure` has nodal values on the velocity mesh, `free_pressure` the
  /// unknowns. g is the divergence against test functions. For forces `a` is f - ∂_t u; an empty `a` is zero.
  void evaluate(const Array<double> &u, const Array<double> &pressure, const Array<double> &free_pressure,
                const Array<double> &g, const Array<double> &a, double dt, const Array<double> &T = {});

  /// Records a projection on a new mesh; the largest values of all changes are kept.
  void count_change(const ProjectedDivergence &change)
  {
    for (const auto &[of, divergence] : std::map<std::string, double>{
           {"wanted", change.wanted}, {"interpolated", change.interpolated}, {"projected", change.projected}})
      values["remesh_divergence_" + of] = std::max(values["remesh_divergence_" + of], divergence);
  }

  void print(double time, bool steady) const
  {
    std::cout << "time " << time << (steady ? ", steady" : "") << ": kinetic energy " << values.at("kinetic_energy")
              << ", largest divergence " << values.at("max_divergence") << std::endl;
  }

  /// Adds the last statistics to a row of statistics.csv, with a column for the change in a step where it is given.
  void add_to(Statistics::Row &row, const std::optional<double> &change) const;

  /// Adds the last statistics to run.json, with the sizes of the problem.
  void add_to(RunRecord &record) const;

  /// Writes the velocity at the points, the last statistics and the extremes along lines and on planes into the record,
  /// and the files of lines and planes.
  void write_profiles(const Array<double> &u, const Array<double> &pressure, const std::string &folder,
                      RunRecord &record, const Array<double> &T = {}) const;

  void serialize(State &state);

  const DerivedFields<dim> derived; ///< the fields of files that are made of the velocity

private:
  typename Evaluation<dim>::Values values_of(const Array<double> &u, const Array<double> &pressure,
                                             const Array<double> &T) const
  {
    typename Evaluation<dim>::Values values;
    for (unsigned int c = 0; c < dim; ++c)
      values.push_back(u.data() + c * pressure.size());
    values.push_back(pressure.data());
    if (has_temperature)
      values.push_back(T.data());
    return values;
  }

  // Of u, p and a on one boundary.
  using Force = std::function<std::vector<double>(const Array<double> &, const Array<double> &, const Array<double> &)>;

  static constexpr const char *names[] = {"kinetic_energy", "max_divergence", "mean_pressure", "cfl"};

  const FlowMatrices<dim>      &flow;
  const double                  force_scale;
  const bool                    has_temperature;
  const Array<double>           edges; // the shortest edge around each node
  const Evaluation<dim>         evaluation;
  const std::set<unsigned int>  recorded_forces; // ids of "Force boundaries"
  std::map<unsigned int, Force> force_on;        // by boundary id
  HostPointEvaluation           at_points;

  // The last statistics.
  std::map<std::string, double>               values{{names[0], 0.}, {names[1], 0.}, {names[2], 0.}, {names[3], 0.}};
  std::map<unsigned int, std::vector<double>> force;
  std::vector<double>                         pressure_at_points;
  Statistics::Row                             statistics; // of section "Output"
};

/// Adds one state of velocity, derived fields and pressure to a series, and of a temperature where there is one. Their
/// values, the velocity's by components, belong to a rank's own nodes of a scalar Q1 space. All ranks call it together.
template <int dim>
void write_flow(const LevelSpace<dim> &space, const dealii::MappingQ<dim> &mapping, const DerivedFields<dim> &derived,
                const std::vector<const double *> &values, TimeSeries &series, double time);
} // namespace adamant
