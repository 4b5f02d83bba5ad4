#include "heat/heat_tables.h"

#include "base/exceptions.h"
#include "coefficients/heights.h"
#include "evaluation/evaluation.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace adamant
{
HeatTableParameters::HeatTableParameters(const MeshFileParameters &mesh_file)
  : ParameterAcceptor("/Output")
{
  using namespace dealii::Patterns;
  add_parameter("Heat fluxes", names,
                "Boundaries with prescribed temperatures for whose nodes files have the heat that comes in, as ids or "
                "names",
                prm, dealii::Patterns::List(Anything()));
  add_parameter("Horizontal averages", layers,
                "Number of layers of equal height, across gravity, over which temperature, composition, |u| and "
                "viscosity (geometric) are averaged for a file; 0: none",
                prm, Integer(0, 100000));
  parse_parameters_call_back.connect(
    [this, &mesh_file] { fluxes = mesh_file.boundary_ids("Output/Heat fluxes", names); });
}

void HeatTableParameters::check(const TemperatureParameters &temperature) const
{
  require(fluxes.empty() || temperature.on(),
          "Output/Heat fluxes needs a temperature; the section Temperature gives one");
}

template <int dim>
void HeatTables<dim>::set_up(const LevelSpace<dim> &of_velocity, const LevelSpace<dim> &scalars,
                             const HeatEquation<dim> *equation, const dealii::Mapping<dim> &mapping,
                             const std::vector<double> &gravity)
{
  velocity = &of_velocity;
  heat     = equation;
  fluxes.reset();
  averages.reset();
  if (heat != nullptr && !parameters.fluxes.empty())
    fluxes.emplace("Output/Heat fluxes", parameters.fluxes, heat->all_rows(), mapping, heat->data().boundaries,
                   heat->data().diffusivity);
  if (parameters.layers == 0)
    return;
  std::vector<const LevelSpace<dim> *> spaces;
  if (heat != nullptr)
    spaces.push_back(&heat->shown_space());
  spaces.push_back(&scalars);
  averages.emplace(of_velocity, spaces, mapping, upwards<dim>(gravity), parameters.layers);
}

template <int dim>
void HeatTables<dim>::add_layers(const std::string &folder, double time, const Values &values)
{
  if (!averages || folder.empty() || time == last_time)
    return;
  std::vector<std::pair<std::string, const double *>> scalars;
  if (heat != nullptr)
    scalars.emplace_back("T", values[4]);
  scalars.emplace_back("c", values[3]);
  const auto columns = (*averages)(values[0], values[2], scalars);
  for (std::size_t k = 0; k < columns[0].values.size(); ++k)
    {
      Statistics::Row row{{"time", time}};
      for (const auto &column : columns)
        row.emplace_back(column.name, column.values[k]);
      layers.add(row);
    }
  last_time = time;
  if (velocity->communicator().rank() == 0)
    layers.save(folder + "/horizontal_averages.csv", true);
}

// Files are FOLDER/heat_flux_BOUNDARY and `end`.
template <int dim>
void HeatTables<dim>::write_fluxes(const std::string &folder, const std::string &end, const Values &values,
                                   RunRecord *record) const
{
  if (!fluxes || folder.empty())
    return;
  for (const auto &[id, nodes] : (*fluxes)(values[5], values[6]))
    {
      std::ostringstream text;
      text << std::setprecision(12) << (dim == 2 ? "x,y" : "x,y,z") << ",heat_flux\n";
      double least = nodes.front().flux, most = least;
      for (const auto &node : nodes)
        {
          for (int d = 0; d < dim; ++d)
            text << node.point[d] << ',';
          text << node.flux << '\n';
          least = std::min(least, node.flux);
          most  = std::max(most, node.flux);
        }
      if (velocity->communicator().rank() == 0)
        write_file(folder + "/heat_flux_" + std::to_string(id) + end + ".csv", text.str());
      if (record != nullptr)
        (*record)["temperature"]["local_flux"][std::to_string(id)] = {{"min", least}, {"max", most}};
    }
}

template <int dim>
void HeatTables<dim>::write(const std::string &folder, double time, const Values &values)
{
  if (!parameters.any())
    return;
  std::ostringstream end;
  end << '_' << std::setw(4) << std::setfill('0') << number++;
  add_layers(folder, time, values);
  if (heat != nullptr && heat->has_residuals())
    write_fluxes(folder, end.str(), values, nullptr);
}

template <int dim>
void HeatTables<dim>::write_last(const std::string &folder, double time,
                                 const std::vector<const Vector<double> *> &vectors, RunRecord &record)
{
  if (!parameters.any())
    return;
  std::vector<Array<double>> on_host;
  for (const auto *vector : vectors)
    on_host.push_back(to_host(*vector));
  const auto values = pointers(on_host);
  add_layers(folder, time, values);
  if (heat != nullptr && heat->has_residuals())
    write_fluxes(folder, "", values, &record);
}

template <int dim>
void HeatTables<dim>::serialize(State &state)
{
  if (state.goes_back()) // to before a step, in which nothing is written
    return;
  state.scalar(layers.text);
  state.scalar(last_time);
  state.scalar(number);
}

template class HeatTables<2>;
template class HeatTables<3>;
} // namespace adamant
