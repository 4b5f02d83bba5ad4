#pragma once

#include "parameters.h"

#include "base/run_record.h"
#include "elasticity/elastic_material.h"
#include "elasticity/stresses.h"
#include "frame/output/profiles.h"
#include "frame/restart/state.h"
#include "frame/run_folder.h"

#include <iostream>
#include <string>
#include <vector>

namespace elasticity
{
/// Results of a displacement: the work of the load F . u, energies, displacements at points, stresses.
template <int dim>
class Results
{
public:
  Results(const adamant::Device &device, const adamant::Field<dim> &field, const Mapping<dim> &mapping,
          const adamant::ElasticMaterials &materials, const std::vector<std::vector<double>> &points,
          const OutputParameters &parameters)
    : device(device)
    , work(device, 2)
    , measured{adamant::Mark(device), adamant::Mark(device)}
    , at_points(device, "Output/Points", field, mapping, points, dim)
    , stresses(field.finest(), mapping, materials, parameters.stress_points, parameters.profiles,
               parameters.profile_points)
  {}

  double              work_of_load = 0.;
  adamant::Energies   energy{};
  std::vector<double> displacements; ///< at points

  void serialize(adamant::State &state)
  {
    state.scalar(energy.strain);
    state.scalar(energy.kinetic);
    state.scalar(work_of_load);
    state.scalar(displacements);
  }

  /// Launches F . u and u at points, for the row of statistics.csv of this step.
  void measure(const adamant::Vector<double> &F, const adamant::Vector<double> &u, unsigned int step)
  {
    device.dot(F, u, work, step % 2);
    at_points.evaluate(u, step % 2);
    measured[step % 2].take();
  }

  /// Adds the results of `measure`, F times a factor, and the energies to the row of this step. The step has ended; the
  /// next one may be under way.
  void add_to(adamant::Statistics::Row &row, double factor, unsigned int step)
  {
    measured[step % 2].wait(); // these kernels follow the solve, whose end does not include them
    work_of_load  = factor * work.on_host()[step % 2];
    displacements = at_points.values(step % 2);
    row.insert(row.end(),
               {{"work_of_load", work_of_load}, {"strain_energy", energy.strain}, {"kinetic_energy", energy.kinetic}});
    for (std::size_t k = 0; k < displacements.size(); ++k)
      row.emplace_back("point" + std::to_string(k / dim) + "_u" + "xyz"[k % dim], displacements[k]);
  }

  /// Adds the last state to run.json and writes the folder's profiles; u is in host memory.
  void add_to(adamant::RunRecord &record, const adamant::Array<double> &u, const std::string &folder) const
  {
    std::cout << "strain energy " << energy.strain << ", work of the load " << work_of_load << std::endl;
    record["strain_energy"]  = energy.strain;
    record["kinetic_energy"] = energy.kinetic;
    record["work_of_load"]   = work_of_load;
    for (auto p = displacements.begin(); p != displacements.end(); p += dim)
      record["displacements"].push_back(std::vector<double>(p, p + dim));
    stresses.write(u, folder, record);
  }

private:
  adamant::Device          device;
  adamant::Scalars         work;        // F . u of two steps
  adamant::Mark            measured[2]; // set after the kernels of `measure` in these steps
  adamant::PointEvaluation at_points;
  adamant::Stresses<dim>   stresses;
};
} // namespace elasticity
