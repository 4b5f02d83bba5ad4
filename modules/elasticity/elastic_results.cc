#include "elasticity/elastic_results.h"

#include <cmath>
#include <iostream>

namespace adamant
{
template <int dim>
ElasticResults<dim>::ElasticResults(const Device &device, const Field<dim> &field, const dealii::Mapping<dim> &mapping,
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

template <int dim>
void ElasticResults<dim>::add_to(RunRecord &record, const Array<double> &u, const std::string &folder) const
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

template <int dim>
std::vector<ProfileColumn> ElasticResults<dim>::stresses(const Place &place, const Array<double> &u) const
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

template class ElasticResults<2>;
template class ElasticResults<3>;
} // namespace adamant
