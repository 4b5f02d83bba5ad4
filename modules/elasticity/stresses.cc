#include "elasticity/stresses.h"

#include <algorithm>
#include <cmath>

namespace adamant
{
template <int dim>
Stresses<dim>::Stresses(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                        const ElasticMaterials &materials, const std::vector<std::vector<double>> &points,
                        const std::vector<std::vector<double>> &ends, unsigned int n_points)
  : ranks(space.communicator())
{
  const auto place = [&](const char *key, const std::vector<dealii::Point<dim>> &at) -> Place {
    return {at, {ranks, stress_matrix(key, space, mapping, materials, at)}};
  };
  if (!points.empty())
    at_points = place("Output/Stress points", points_of<dim>(points));
  for (const auto &line : ends)
    lines.push_back(place("Output/Profiles", points_of_line<dim>(line, n_points)));
}

template <int dim>
void Stresses<dim>::write(const Array<double> &u, const std::string &folder, RunRecord &record) const
{
  const auto columns = evaluate(at_points, u);
  for (std::size_t p = 0; p < at_points.points.size(); ++p)
    for (const auto &column : columns)
      record["stresses"][p][column.name] = column.values[p];
  for (std::size_t k = 0; k < lines.size(); ++k)
    write_profile(k, lines[k].points, evaluate(lines[k], u), folder, ranks.rank() == 0, record);
}

template <int dim>
std::vector<ProfileColumn> Stresses<dim>::evaluate(const Place &place, const Array<double> &u) const
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

template class Stresses<2>;
template class Stresses<3>;
} // namespace adamant
