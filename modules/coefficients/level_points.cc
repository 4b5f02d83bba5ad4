#include "coefficients/level_points.h"

#include "base/exceptions.h"
#include "fem/functions/points.h"

#include <algorithm>

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

template struct LevelPoints<2>;
template struct LevelPoints<3>;
template std::set<unsigned int> materials_of(const LevelSpace<2> &);
template std::set<unsigned int> materials_of(const LevelSpace<3> &);
} // namespace adamant
