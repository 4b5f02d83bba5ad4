#pragma once

#include "base/run_record.h"
#include "elasticity/elasticity_parameters.h"
#include "elasticity/stresses.h"
#include "frame/output/profiles.h"
#include "frame/restart/state.h"
#include "frame/run_folder.h"

#include <deal.II/base/point.h>
#include <deal.II/base/quadrature_lib.h>

#include <cmath>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

namespace adamant
{
/// Results of a displacement: the work of the load F . u, energies, displacements at points, stresses.
template <int dim>
class ElasticResults
{
public:
  /// Throws InputError, naming the parameter and the point, where one of the `points` for displacements, or a point for
  /// stresses, lies in no cell. All ranks call all functions together.
  ElasticResults(const Device &device, const Field<dim> &field, const dealii::Mapping<dim> &mapping,
                 const ElasticMaterials &materials, const std::vector<std::vector<double>> &points,
                 const SolidOutputParameters &parameters)
    : device(device)
    , space(field.finest())
    , mapping(mapping)
    , materials(materials)
    , work(device, 2)
    , measured{Mark(device), Mark(device)}
    , at_points(device, "Output/Points", field, mapping, points, dim)
  {
    const auto place = [&](const char *key, const std::vector<dealii::Point<dim>> &at) -> Place {
      return {at, {space.communicator(), stress_matrix(key, space, mapping, materials, at)}};
    };
    if (!parameters.stress_points.empty())
      stress_points = place("Output/Stress points", points_of<dim>(parameters.stress_points));
    for (const auto &line : parameters.profiles)
      lines.push_back(place("Output/Profiles", points_of_line<dim>(line, parameters.profile_points)));
  }

  double              work_of_load = 0.;
  Energies            energy{};      ///< set by the program
  std::vector<double> displacements; ///< at points

  static constexpr Energies unknown{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};

  /// Returns the energies of nodal values in host memory: of the displacement, and of the velocity times `dt`, whose
  /// components begin with number `first_velocity`.
  Energies energies(const Array<double> &u, const Array<double> &v, unsigned int first_velocity, double dt) const
  {
    auto energies = adamant::energies(space, mapping, dealii::QGauss<dim>(space.element().degree + 1), materials,
                                      u.data(), v.data(), first_velocity);
    energies.kinetic /= dt * dt;
    return energies;
  }

  void serialize(State &state)
  {
    state.scalar(energy.strain);
    state.scalar(energy.kinetic);
    state.scalar(work_of_load);
    state.scalar(displacements);
  }

  /// Launches F . u and u at points, for the row of statistics.csv of this step.
  void measure(const Vector<double> &F, const Vector<double> &u, unsigned int step)
  {
    device.dot(F, u, work, step % 2);
    at_points.evaluate(u, step % 2);
    measured[step % 2].take();
  }

  /// Adds the results of `measure`, F times a factor, and the energies to the row of this step. The step has ended; the
  /// next one may be under way.
  void add_to(Statistics::Row &row, double factor, unsigned int step)
  {
    measured[step % 2].wait(); // these kernels follow the solve, whose end does not include them
    work_of_load  = factor * work.on_host()[step % 2];
    displacements = at_points.values(step % 2);
    row.insert(row.end(),
               {{"work_of_load", work_of_load}, {"strain_energy", energy.strain}, {"kinetic_energy", energy.kinetic}});
    for (std::size_t k = 0; k < displacements.size(); ++k)
      row.emplace_back("point" + std::to_string(k / dim) + "_u" + "xyz"[k % dim], displacements[k]);
  }

  /// Adds the last state to run.json and writes the folder's profiles; u is in host memory. In record["stresses"] each
  /// point gets an entry, with the components stress_names() and von_mises.
  void add_to(RunRecord &record, const Array<double> &u, const std::string &folder) const
  {
    std::cout << "strain energy " << energy.strain << ", work of the load " << work_of_load << std::endl;
    record["strain_energy"]  = energy.strain;
    record["kinetic_energy"] = energy.kinetic;
    record["work_of_load"]   = work_of_load;
    for (auto p = displacements.begin(); p != displacements.end(); p += dim)
      record["displacements"].push_back(std::vector<double>(p, p + dim));
    const auto columns = stresses(stress_points, u);
    for (std::size_t p = 0; p < stress_points.points.size(); ++p)
      for (const auto &column : columns)
        record["stresses"][p][column.name] = column.values[p];
    for (std::size_t k = 0; k < lines.size(); ++k)
      write_profile(k, lines[k].points, stresses(lines[k], u), folder, space.communicator().rank() == 0, record);
  }

private:
  struct Place
  {
    std::vector<dealii::Point<dim>> points;
    HostPointEvaluation             sigma;
  };
  std::vector<ProfileColumn> stresses(const Place &place, const Array<double> &u) const
  {
    std::vector<ProfileColumn> columns;
    for (const auto &name : stress_names<dim>())
      columns.push_back({name, {}, true});
    columns.push_back({"von_mises", {}, true});
    if (place.points.empty())
      return columns;
    const auto        values = place.sigma(u);
    const std::size_t n      = columns.size() - 1;
    for (std::size_t p = 0; p < place.points.size(); ++p)
      {
        const double *sigma = values.data() + p * (n + 1);
        for (std::size_t k = 0; k < n; ++k)
          columns[k].values.push_back(sigma[k]);
        const double xx = sigma[0], yy = sigma[dim == 2 ? 2 : 3], zz = sigma[n], xy = sigma[1],
                     xz = dim == 2 ? 0. : sigma[2], yz = dim == 2 ? 0. : sigma[4];
        columns[n].values.push_back(
          std::sqrt(0.5 * ((xx - yy) * (xx - yy) + (yy - zz) * (yy - zz) + (zz - xx) * (zz - xx)) +
                    3. * (xy * xy + xz * xz + yz * yz)));
      }
    return columns;
  }

  const Device                device;
  const LevelSpace<dim>      &space;
  const dealii::Mapping<dim> &mapping;
  const ElasticMaterials      materials;
  Scalars                     work;        // F . u of two steps
  Mark                        measured[2]; // set after the kernels of `measure` in these steps
  PointEvaluation             at_points;
  Place                       stress_points;
  std::vector<Place>          lines; // along which stresses are sampled
};
} // namespace adamant
