#pragma once

#include "base/run_record.h"
#include "frame/restart/state.h"
#include "frame/run_folder.h"
#include "heat/heat_equation.h"
#include "heat/heat_parameters.h"
#include "heat/horizontal_averages.h"
#include "meshes/mesh_file.h"
#include "scalar/local_fluxes.h"

#include <deal.II/base/parameter_acceptor.h>
#include <deal.II/fe/mapping.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace adamant
{
/// Tables of section "Output" for a flow that temperature or a composition drives.
struct HeatTableParameters : dealii::ParameterAcceptor
{
  std::set<unsigned int> fluxes; ///< boundaries
  unsigned int           layers = 0;

  explicit HeatTableParameters(const MeshFileParameters &mesh_file);

  /// Throws InputError where fluxes are wanted of no temperature.
  void check(const TemperatureParameters &temperature) const;
  bool any() const { return layers > 0 || !fluxes.empty(); }

private:
  std::vector<std::string> names;
};

/// Writes the tables: local fluxes of heat, and horizontal averages. The object outlives meshes; set_up() is for each
/// of them. All ranks call all functions together.
template <int dim>
class HeatTables
{
public:
  /// Values of a state at this rank's own nodes and cells, in host memory: u, p, the viscosity, c, and where there is
  /// a temperature, HeatEquation::shown(), residuals() and T.
  using Values = std::vector<const double *>;

  explicit HeatTables(const HeatTableParameters &parameters)
    : parameters(parameters)
  {}

  /// `heat` is null where there is no temperature. References have to outlive the use of the mesh.
  void set_up(const LevelSpace<dim> &velocity, const LevelSpace<dim> &scalars, const HeatEquation<dim> *heat,
              const dealii::Mapping<dim> &mapping, const std::vector<double> &gravity);

  /// Writes the state of an output: a row for each layer in FOLDER/horizontal_averages.csv, and for each boundary a
  /// file FOLDER/heat_flux_BOUNDARY_NUMBER.csv with the number of the output.
  void write(const std::string &folder, double time, const Values &values);
  /// Writes the last state: the layers, unless write() has done it, and FOLDER/heat_flux_BOUNDARY.csv. The record gets
  /// the least and the largest flux.
  void write_last(const std::string &folder, double time, const std::vector<const Vector<double> *> &values,
                  RunRecord &record);

  void serialize(State &state); ///< saves or loads how far the files are

private:
  void add_layers(const std::string &folder, double time, const Values &values);
  void write_fluxes(const std::string &folder, const std::string &end, const Values &values, RunRecord *record) const;

  const HeatTableParameters             &parameters;
  const LevelSpace<dim>                 *velocity = nullptr;
  const HeatEquation<dim>               *heat     = nullptr;
  std::optional<LocalFluxes<dim>>        fluxes;
  std::optional<HorizontalAverages<dim>> averages;
  Statistics                             layers;
  double                                 last_time = -1.; // of a row in it
  unsigned int                           number    = 0;   // of the next output
};
} // namespace adamant
