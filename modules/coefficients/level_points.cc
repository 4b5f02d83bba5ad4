#include "coefficients/level_points.h"

#include "base/exceptions.h"
#include "fem/functions/points.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

namespace adamant
{
template <int dim>
LevelPoints<dim>::LevelPoints(const Field<dim> &field, const dealii::Mapping<dim> &mapping,
                              const dealii::Quadrature<dim> &quadrature)
  : first{0}
{
  std::vector<Array<double>> of_level;
  for (std::size_t l = 0; l < field.n_levels(); ++l)
    {
      of_level.push_back(quadrature_points(field.space(l), mapping, quadrature));
      for (const auto &cell : field.space(l).active_cells())
        material.insert(material.end(), quadrature.size(), material_id(cell));
      first.push_back(to_index(size(), "quadrature points of all levels"));
    }
  points.resize(dim * size());
  for (std::size_t l = 0; l < of_level.size(); ++l)
    for (std::size_t d = 0, n = of_level[l].size() / dim; d < dim; ++d)
      std::copy_n(of_level[l].data() + d * n, n, points.data() + d * size() + first[l]);
}

template <int dim>
Array<double> LevelPoints<dim>::points_of(std::size_t level) const
{
  Array<double> result;
  for (std::size_t d = 0; d < dim; ++d)
    result.insert(result.end(), points.begin() + d * size() + first[level],
                  points.begin() + d * size() + first[level + 1]);
  return result;
}

template <int dim>
std::set<unsigned int> materials_of(const LevelSpace<dim> &space)
{
  std::set<unsigned int> materials;
  for (const auto &cell : space.active_cells())
    materials.insert(material_id(cell));
  return materials;
}

template <int dim>
Array<double> positive_values(const Coefficient &coefficient, const LevelSpace<dim> &space,
                              const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature)
{
  coefficient.check_materials(space.communicator(), materials_of(space));
  const CoefficientFunction value(coefficient);
  const auto                points = quadrature_points(space, mapping, quadrature);
  const int                 n = to_index(points.size() / dim, "quadrature points"), n_q = quadrature.size();
  const auto                at = [&](int i) {
    return dealii::Point<3>(points[i], points[std::size_t(n) + i],
                            dim == 3 ? points[(dim - 1) * std::size_t(n) + i] : 0.);
  };
  Array<double> values(n);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i)
    values[i] = value(material_id(space.active_cells()[i / n_q]), at(i));
  const auto bad =
    std::find_if(values.begin(), values.end(), [](double one) { return !(one > 0. && std::isfinite(one)); });
  std::ostringstream fault;
  if (bad != values.end())
    {
      const auto x = at(static_cast<int>(bad - values.begin()));
      fault << coefficient.key() << " is " << *bad << " at (" << x[0] << ", " << x[1];
      if (dim == 3)
        fault << ", " << x[2];
      fault << "): it has to be positive and finite";
    }
  require_on_all(space.communicator(), fault.str());
  return values;
}

template struct LevelPoints<2>;
template struct LevelPoints<3>;
template std::set<unsigned int> materials_of(const LevelSpace<2> &);
template std::set<unsigned int> materials_of(const LevelSpace<3> &);
template Array<double>          positive_values(const Coefficient &, const LevelSpace<2> &, const dealii::Mapping<2> &,
                                                const dealii::Quadrature<2> &);
template Array<double>          positive_values(const Coefficient &, const LevelSpace<3> &, const dealii::Mapping<3> &,
                                                const dealii::Quadrature<3> &);
} // namespace adamant
