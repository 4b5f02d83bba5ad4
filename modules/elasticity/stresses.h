#pragma once

#include "base/run_record.h"
#include "elasticity/elastic_material.h"
#include "frame/output/profiles.h"

#include <deal.II/base/point.h>

#include <string>
#include <vector>

namespace adamant
{
/// The stresses of a displacement at points and along lines.
template <int dim>
class Stresses
{
public:
  /// Points have dim coordinates or more, lines the coordinates of both ends, and n_points points each. Throws
  /// InputError, naming the parameter and the point, where a point lies in no cell. All ranks call all functions
  /// together.
  Stresses(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, const ElasticMaterials &materials,
           const std::vector<std::vector<double>> &points, const std::vector<std::vector<double>> &lines,
           unsigned int n_points);

  /// Writes stresses for the nodal values u of the displacement at the owned DoFs, in host memory. In
  /// record["stresses"] each point gets an entry, with the components stress_names() and von_mises. Lines are written
  /// by write_profile.
  void write(const Array<double> &u, const std::string &folder, RunRecord &record) const;

private:
  struct Place
  {
    std::vector<dealii::Point<dim>> points;
    HostPointEvaluation             sigma;
  };
  std::vector<ProfileColumn> evaluate(const Place &place, const Array<double> &u) const;

  Communicator       ranks;
  Place              at_points;
  std::vector<Place> lines;
};
} // namespace adamant
