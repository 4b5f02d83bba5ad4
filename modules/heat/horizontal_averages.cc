#include "heat/horizontal_averages.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_values.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>

namespace adamant
{
namespace
{
// The first local DoF of node a of a cell.
template <int dim>
int first_dof(const LevelSpace<dim> &space, int cell, int a)
{
  const auto &element = space.element();
  return space.cell_dofs(cell)[element.n_components() == 1 ? a : element.component_to_system_index(0, a)];
}

// Puts the parts of each layer into the order of their places, and adds up those of one place.
template <class Part>
void compress_parts(std::vector<Part> &parts)
{
  const auto key = [](const Part &part) { return std::make_pair(part.layer, part.place); };
  std::stable_sort(parts.begin(), parts.end(), [&](const Part &a, const Part &b) { return key(a) < key(b); });
  std::size_t kept = 0;
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (kept > 0 && key(parts[kept - 1]) == key(parts[k]))
      parts[kept - 1].weight += parts[k].weight;
    else
      parts[kept++] = parts[k];
  parts.resize(kept);
  parts.shrink_to_fit();
}
} // namespace

template <int dim>
HorizontalAverages<dim>::HorizontalAverages(const LevelSpace<dim> &velocity, const LevelSpace<dim> &scalars,
                                            const dealii::Mapping<dim> &mapping, const dealii::Tensor<1, dim> &up,
                                            unsigned int n)
  : velocity(velocity)
  , scalars(scalars)
  , n(n)
  , volume(n, 0.)
  , height(n, 0.)
{
  const auto extent = [&up](const auto &cell) {
    std::array<double, 2> ends{{HUGE_VAL, -HUGE_VAL}};
    for (const unsigned int v : cell->vertex_indices())
      ends = {{std::min(ends[0], up * cell->vertex(v)), std::max(ends[1], up * cell->vertex(v))}};
    return ends;
  };
  double all[] = {-HUGE_VAL, -HUGE_VAL}; // -least and most
  for (const auto &cell : velocity.active_cells())
    {
      const auto ends = extent(cell);
      all[0]          = std::max(all[0], -ends[0]);
      all[1]          = std::max(all[1], ends[1]);
    }
  velocity.communicator().max(all, 2);
  const double                                                        thickness = (all[0] + all[1]) / n;
  const dealii::FE_Q<dim>                                             element(1);
  std::map<unsigned int, std::unique_ptr<dealii::FEValues<dim>>> rules; // by the number of midpoints in each direction
  const int                                                           n_nodes = element.n_dofs_per_cell();
  for (int c = 0; c < velocity.n_cells(); ++c)
    {
      const auto         cell = velocity.active_cells()[c];
      const auto         ends = extent(cell);
      const unsigned int m    = std::max(2, static_cast<int>(std::ceil(2. * (ends[1] - ends[0]) / thickness - 1e-6)));
      auto              &rule = rules[m];
      if (!rule)
        rule = std::make_unique<dealii::FEValues<dim>>(
          mapping, element, dealii::QIterated<dim>(dealii::QMidpoint<1>(), m),
          dealii::update_values | dealii::update_quadrature_points | dealii::update_JxW_values);
      rule->reinit(cell);
      std::map<int, std::vector<double>> weights; // of the nodes, by layer
      for (const unsigned int q : rule->quadrature_point_indices())
        {
          const double z     = up * rule->quadrature_point(q);
          const int    layer = std::clamp(static_cast<int>((z + all[0]) / thickness), 0, static_cast<int>(n) - 1);
          auto        &of    = weights[layer];
          of.resize(n_nodes, 0.);
          for (int a = 0; a < n_nodes; ++a)
            of[a] += rule->JxW(q) * rule->shape_value(a, q);
          volume[layer] += rule->JxW(q);
          height[layer] += rule->JxW(q) * z;
        }
      for (const auto &[layer, of_nodes] : weights)
        {
          double sum = 0.;
          for (int a = 0; a < n_nodes; ++a)
            {
              of_velocity.push_back({layer, first_dof(velocity, c, a), of_nodes[a]});
              of_scalars.push_back({layer, first_dof(scalars, c, a), of_nodes[a]});
              sum += of_nodes[a];
            }
          of_cells.push_back({layer, c, sum});
        }
    }
  compress_parts(of_velocity);
  compress_parts(of_scalars);
  velocity.communicator().sum(volume.data(), static_cast<int>(n));
  velocity.communicator().sum(height.data(), static_cast<int>(n));
  for (unsigned int k = 0; k < n; ++k)
    height[k] /= volume[k];
}

template <int dim>
std::vector<double> HorizontalAverages<dim>::sums(const std::vector<Part> &parts, const Array<double> &values) const
{
  std::vector<double> result(n, 0.);
  for (const auto &part : parts)
    result[part.layer] += part.weight * values[part.place];
  velocity.communicator().sum(result.data(), static_cast<int>(n));
  for (unsigned int k = 0; k < n; ++k)
    result[k] /= volume[k];
  return result;
}

template <int dim>
std::vector<SampleColumn> HorizontalAverages<dim>::operator()(
  const double *u, const double *viscosity, const std::vector<std::pair<std::string, const double *>> &of_scalar) const
{
  std::vector<SampleColumn> columns = {{"height", height}};
  for (const auto &[name, values] : of_scalar)
    columns.push_back({name, sums(of_scalars, scalars.local_values(values))});
  const auto    velocities = velocity.local_values(u);
  Array<double> speed(velocities.size(), 0.); // at the first DoF of each node
  for (std::size_t i = 0; i < speed.size(); i += dim)
    for (int d = 0; d < dim; ++d)
      speed[i] = std::hypot(speed[i], velocities[i + d]);
  columns.push_back({"speed", sums(of_velocity, speed)});
  Array<double> logarithm(velocity.n_cells());
  for (int c = 0; c < velocity.n_cells(); ++c)
    logarithm[c] = std::log(viscosity[c]);
  columns.push_back({"viscosity", sums(of_cells, logarithm)});
  for (double &value : columns.back().values)
    value = std::exp(value);
  return columns;
}

template class HorizontalAverages<2>;
template class HorizontalAverages<3>;
} // namespace adamant
