#include "coefficients/level_points.h"

#include "algebra/matrix.h"
#include "base/csr/csr_operations.h"
#include "base/exceptions.h"
#include "fem/forms/integrals.h"
#include "fem/functions/points.h"

#include <deal.II/base/function.h>
#include <deal.II/base/quadrature_lib.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
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
      const auto of_cells = materials_at_points(field.space(l), quadrature.size());
      material.insert(material.end(), of_cells.begin(), of_cells.end());
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
Array<unsigned int> materials_at_points(const LevelSpace<dim> &space, std::size_t n_q)
{
  Array<unsigned int> material;
  for (const auto &cell : space.active_cells())
    material.insert(material.end(), n_q, material_id(cell));
  return material;
}

namespace
{
// function_at_nodes() on any device, compiled for a GPU.
template <int dim>
PointFunction means_at_nodes(const Device &device, const Coefficient &coefficient, unsigned int n_components,
                             const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping)
{
  const auto points = support_points(space, mapping);
  if (coefficient.by_material().empty())
    return function_at_points<dim>(device, coefficient.key(), *coefficient.of_others(), n_components, points);
  // The entries' parts of ∫ φ_i.
  const dealii::Functions::ConstantFunction<dim> one(1.);
  const dealii::Functions::ZeroFunction<dim>     zero;
  std::map<unsigned int, std::string>            text_of;
  std::vector<Array<double>>                     masses;
  const auto add_entry = [&](const std::string &text, const std::function<bool(unsigned int)> &is_in) {
    text_of[masses.size()] = text;
    masses.push_back(transposed_product(
      space.owned_H(),
      load_vector<dim>(
        space, mapping, dealii::QGauss<dim>(space.element().degree + 1), dealii::QGauss<dim - 1>(2),
        [&](unsigned int material) -> const dealii::Function<dim> & { return is_in(material) ? one : zero; }, {})));
  };
  const auto &listed = coefficient.by_material();
  for (const auto &[id, text] : listed)
    add_entry(text, [id = id](unsigned int material) { return material == id; });
  if (coefficient.of_others())
    add_entry(*coefficient.of_others(), [&](unsigned int material) { return listed.count(material) == 0; });
  // Pairs of a node and an entry that counts there follow each other by node.
  const int           n = space.n_owned();
  Array<unsigned int> entry;
  Array<int>          first = {0}, node;
  Array<double>       weight;
  for (int i = 0; i < n; ++i)
    {
      double total = 0.;
      for (unsigned int k = 0; k < masses.size(); ++k)
        if (masses[k][i] > 0.)
          {
            total += masses[k][i];
            entry.push_back(k);
            node.push_back(i);
            weight.push_back(masses[k][i]);
          }
      for (std::size_t pair = first.back(); pair < weight.size(); ++pair)
        weight[pair] /= total;
      first.push_back(static_cast<int>(weight.size()));
    }
  const int     n_pairs = first.back();
  Array<double> at(dim * static_cast<std::size_t>(n_pairs));
  for (int k = 0; k < dim * n_pairs; ++k)
    at[k] = points[std::size_t(k / n_pairs) * n + node[k % n_pairs]];
  const auto means = matrix_of_rows(n_components * n, n_components * n_pairs, [&](int row, Row &entries) {
    for (int pair = first[row % n]; pair < first[row % n + 1]; ++pair)
      entries.emplace_back(row / n * n_pairs + pair, weight[pair]);
  });
  return [device, values_of = function_of_regions<dim>(device, coefficient.key(), text_of, entry, n_components, at),
          means    = Matrix<double>(device, means),
          at_pairs = std::make_shared<Vector<double>>(device, static_cast<int>(n_components) * n_pairs)](
           double t, Vector<double> &values) {
    values_of(t, *at_pairs);
    device.multiply(1., means, *at_pairs, 0., values);
  };
}
} // namespace

template <int dim>
PointFunction function_at_nodes(const Device &device, const Coefficient &coefficient, unsigned int n_components,
                                const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping)
{
  if (coefficient.depends_on_time())
    return means_at_nodes(device, coefficient, n_components, space, mapping);
  // Values that stay are evaluated once, by the host: a GPU has nothing to compile.
  const Device   host = device.traits().separate_memory ? Device::host(1, device.communicator()) : device;
  Vector<double> values(host, static_cast<int>(n_components) * space.n_owned());
  means_at_nodes(host, coefficient, n_components, space, mapping)(0., values);
  const auto once = std::make_shared<Vector<double>>(device, to_host(values));
  return [device, once](double, Vector<double> &to) { device.copy(*once, to); };
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
template Array<unsigned int>    materials_at_points(const LevelSpace<2> &, std::size_t);
template Array<unsigned int>    materials_at_points(const LevelSpace<3> &, std::size_t);
template PointFunction function_at_nodes(const Device &, const Coefficient &, unsigned int, const LevelSpace<2> &,
                                         const dealii::Mapping<2> &);
template PointFunction function_at_nodes(const Device &, const Coefficient &, unsigned int, const LevelSpace<3> &,
                                         const dealii::Mapping<3> &);
template Array<double> positive_values(const Coefficient &, const LevelSpace<2> &, const dealii::Mapping<2> &,
                                       const dealii::Quadrature<2> &);
template Array<double> positive_values(const Coefficient &, const LevelSpace<3> &, const dealii::Mapping<3> &,
                                       const dealii::Quadrature<3> &);
} // namespace adamant
