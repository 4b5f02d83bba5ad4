#include "fem/functions/nodal_values.h"

#include "base/parallel_for.h"
#include "fem/functions/points.h"

#include <deal.II/base/point.h>

#include <numeric>

namespace adamant
{
namespace
{
template <int dim>
struct Node
{
  dealii::Point<dim> point;
  unsigned int       component;
};

template <int dim>
std::vector<Node<dim>> nodes(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, const Array<int> &dofs)
{
  const auto             points    = support_points(space, mapping, dofs);
  const auto             component = components(space);
  std::vector<Node<dim>> result(dofs.size());
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < dofs.size(); ++k)
    {
      for (int d = 0; d < dim; ++d)
        result[k].point[d] = points[d * dofs.size() + k];
      result[k].component = component[dofs[k]];
    }
  return result;
}

template <int dim>
Array<int> all_owned(const LevelSpace<dim> &space)
{
  Array<int> dofs(space.n_owned());
  std::iota(dofs.begin(), dofs.end(), 0);
  return dofs;
}
} // namespace

template <int dim>
Array<unsigned int> components(const LevelSpace<dim> &space)
{
  Array<unsigned int> component(space.n_dofs(), 0);
#pragma omp parallel for schedule(static)
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int i = 0; i < space.dofs_per_cell(); ++i)
      write_atomically(component[space.cell_dofs(cell)[i]], space.element().system_to_component_index(i).first);
  return component;
}

template <int dim>
Array<double> nodal_values(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                           const dealii::Function<dim> &function, const Array<int> &dofs, unsigned int first)
{
  const auto    all = nodes(space, mapping, dofs);
  Array<double> values(all.size());
  parallel_for(all.size(), [&](std::size_t k) {
    const auto &[point, c] = all[k];
    values[k]              = c >= first && c < first + function.n_components ? function.value(point, c - first) : 0.;
  });
  return values;
}

template <int dim>
Array<double> nodal_values(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                           const dealii::Function<dim> &function, unsigned int first)
{
  return nodal_values(space, mapping, function, all_owned(space), first);
}

template <int dim>
std::vector<Array<double>> rigid_body_modes(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping)
{
  const auto                 all = nodes(space, mapping, all_owned(space));
  std::vector<Array<double>> modes;
  for (unsigned int d = 0; d < dim; ++d)
    {
      auto &mode = modes.emplace_back();
      for (const auto &node : all)
        mode.push_back(node.component == d ? 1. : 0.);
    }
  for (unsigned int d = 0; d < (dim == 3 ? 3 : 1); ++d) // from axis d to the next one
    {
      auto              &mode = modes.emplace_back();
      const unsigned int next = (d + 1) % dim;
      for (const auto &[point, c] : all)
        mode.push_back(c == d ? -point[next] : c == next ? point[d] : 0.);
    }
  return modes;
}

template Array<unsigned int> components(const LevelSpace<2> &);
template Array<unsigned int> components(const LevelSpace<3> &);
template Array<double> nodal_values(const LevelSpace<2> &, const dealii::Mapping<2> &, const dealii::Function<2> &,
                                    const Array<int> &, unsigned int);
template Array<double> nodal_values(const LevelSpace<3> &, const dealii::Mapping<3> &, const dealii::Function<3> &,
                                    const Array<int> &, unsigned int);
template Array<double> nodal_values(const LevelSpace<2> &, const dealii::Mapping<2> &, const dealii::Function<2> &,
                                    unsigned int);
template Array<double> nodal_values(const LevelSpace<3> &, const dealii::Mapping<3> &, const dealii::Function<3> &,
                                    unsigned int);
template std::vector<Array<double>> rigid_body_modes(const LevelSpace<2> &, const dealii::Mapping<2> &);
template std::vector<Array<double>> rigid_body_modes(const LevelSpace<3> &, const dealii::Mapping<3> &);
} // namespace adamant
