#include "heat/horizontal_averages.h"

#include "coefficients/heights.h"

#include <deal.II/base/geometry_info.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_values.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

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

// Points in the reference cell, one layer's after another's, and the layer of each.
template <int dim>
struct LayerPoints
{
  std::vector<dealii::Point<dim>> points;
  std::vector<double>             weights;
  std::vector<int>                layer;
};

// Divides a cell into its parts in layers; `heights` has its vertices' heights over that of a layer. Where one face
// lies below, and one above, the parts are bounded by the layers, and each has Gauss's points. Other cells have a grid
// of points, each of which lies in a layer.
template <int dim>
LayerPoints<dim> layer_points(const std::vector<double> &heights, int n)
{
  LayerPoints<dim> found;
  const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
  const auto layer_of    = [n](double height) { return std::clamp(static_cast<int>(height), 0, n - 1); };
  for (int e = 0; e < dim; ++e)
    {
      const double begin = heights[0], end = heights[1 << e], size = end - begin;
      bool         is_level = std::abs(size) > 1e-6;
      for (int v = 0; v < (1 << dim); ++v)
        is_level = is_level && std::abs(heights[v] - ((v >> e & 1) != 0 ? end : begin)) < 1e-6 * std::abs(size);
      for (int k = layer_of(*low + 1e-6); is_level && k <= layer_of(*high - 1e-6); ++k)
        {
          const double              bottom = std::max(*low, double(k)), top = std::min(*high, k + 1.);
          const dealii::QGauss<dim> gauss(2);
          for (unsigned int q = 0; q < gauss.size(); ++q)
            {
              dealii::Point<dim> point = gauss.point(q);
              point[e]                 = (bottom + point[e] * (top - bottom) - begin) / size;
              found.points.push_back(point);
              found.weights.push_back(gauss.weight(q) * (top - bottom) / std::abs(size));
              found.layer.push_back(k);
            }
        }
      if (is_level)
        return found;
    }
  const int                    m = std::max(4, static_cast<int>(std::ceil(4. * (*high - *low))));
  const dealii::QIterated<dim> grid(dealii::QMidpoint<1>(), m);
  for (unsigned int q = 0; q < grid.size(); ++q)
    {
      double height = 0.;
      for (int v = 0; v < (1 << dim); ++v)
        height += heights[v] * dealii::GeometryInfo<dim>::d_linear_shape_function(grid.point(q), v);
      found.points.push_back(grid.point(q));
      found.weights.push_back(grid.weight(q));
      found.layer.push_back(layer_of(height));
    }
  return found;
}

// Puts the parts of each layer into the order of their places, and adds up the parts of one place.
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
HorizontalAverages<dim>::HorizontalAverages(const LevelSpace<dim>                      &velocity,
                                            const std::vector<const LevelSpace<dim> *> &scalars,
                                            const dealii::Mapping<dim> &mapping, const dealii::Tensor<1, dim> &up,
                                            unsigned int n)
  : spaces({&velocity})
  , n(n)
  , volume(n, 0.)
  , height(n, 0.)
{
  spaces.insert(spaces.end(), scalars.begin(), scalars.end());
  of_spaces.resize(spaces.size());
  const auto [bottom, top]                 = height_range(velocity, up);
  const double                   thickness = (top - bottom) / n;
  std::vector<dealii::FE_Q<dim>> elements; // of one component
  for (const auto *space : spaces)
    elements.emplace_back(space->element().degree);
  struct Rule
  {
    LayerPoints<dim>                                    points;
    std::vector<std::unique_ptr<dealii::FEValues<dim>>> of_spaces;
  };
  std::map<std::vector<long>, Rule> rules; // by the rounded heights of a cell's vertices
  for (int c = 0; c < velocity.n_cells(); ++c)
    {
      const typename dealii::Triangulation<dim>::cell_iterator cell = velocity.active_cells()[c];
      std::vector<double>                                      heights; // in layers
      std::vector<long>                                        key;
      for (const unsigned int v : cell->vertex_indices())
        {
          heights.push_back((up * cell->vertex(v) - bottom) / thickness);
          key.push_back(std::lround(1e6 * heights.back()));
        }
      auto &[at, all_values] = rules[key];
      if (all_values.empty())
        {
          at = layer_points<dim>(heights, static_cast<int>(n));
          for (const auto &element : elements)
            all_values.push_back(std::make_unique<dealii::FEValues<dim>>(
              mapping, element, dealii::Quadrature<dim>(at.points, at.weights),
              dealii::update_values | dealii::update_quadrature_points | dealii::update_JxW_values));
        }
      for (std::size_t k = 0; k < spaces.size(); ++k)
        {
          auto &values = *all_values[k];
          values.reinit(cell);
          std::map<int, std::vector<double>> weights; // of the nodes, by layer
          for (const unsigned int q : values.quadrature_point_indices())
            {
              auto &of = weights[at.layer[q]];
              of.resize(values.dofs_per_cell, 0.);
              for (const unsigned int a : values.dof_indices())
                of[a] += values.JxW(q) * values.shape_value(a, q);
            }
          for (const auto &[layer, of_nodes] : weights)
            {
              for (const unsigned int a : values.dof_indices())
                of_spaces[k].push_back({layer, first_dof(*spaces[k], c, static_cast<int>(a)), of_nodes[a]});
              if (k == 0)
                of_cells.push_back({layer, c, std::accumulate(of_nodes.begin(), of_nodes.end(), 0.)});
            }
        }
      for (const unsigned int q : all_values[0]->quadrature_point_indices())
        {
          volume[at.layer[q]] += all_values[0]->JxW(q);
          height[at.layer[q]] += all_values[0]->JxW(q) * (up * all_values[0]->quadrature_point(q));
        }
    }
  for (auto &of_space : of_spaces)
    compress_parts(of_space);
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
  spaces[0]->communicator().sum(result.data(), static_cast<int>(n));
  for (unsigned int k = 0; k < n; ++k)
    result[k] /= volume[k];
  return result;
}

template <int dim>
std::vector<SampleColumn>
HorizontalAverages<dim>::operator()(const double *u, const double *viscosity,
                                    const std::vector<std::pair<std::string, const double *>> &of_scalar) const
{
  std::vector<SampleColumn> columns = {{"height", height}};
  for (std::size_t k = 0; k < of_scalar.size(); ++k)
    columns.push_back({of_scalar[k].first, sums(of_spaces[k + 1], spaces[k + 1]->local_values(of_scalar[k].second))});
  const auto    velocities = spaces[0]->local_values(u);
  Array<double> speed(velocities.size(), 0.); // at the first DoF of each node
  for (std::size_t i = 0; i < speed.size(); i += dim)
    for (int d = 0; d < dim; ++d)
      speed[i] = std::hypot(speed[i], velocities[i + d]);
  columns.push_back({"speed", sums(of_spaces[0], speed)});
  Array<double> logarithm(spaces[0]->n_cells());
  for (std::size_t c = 0; c < logarithm.size(); ++c)
    logarithm[c] = std::log(viscosity[c]);
  columns.push_back({"viscosity", sums(of_cells, logarithm)});
  for (double &value : columns.back().values)
    value = std::exp(value);
  return columns;
}

template class HorizontalAverages<2>;
template class HorizontalAverages<3>;
} // namespace adamant
