#include "fem/forms/cell_loop.h"

#include "fem/forms/cell_context.h"

#include <deal.II/fe/mapping_q.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

namespace adamant
{
namespace
{
// Whether cells can have the same shape functions.
template <int dim>
bool may_share(const dealii::Mapping<dim> &mapping, dealii::UpdateFlags flags)
{
  const auto *mapping_q = dynamic_cast<const dealii::MappingQ<dim> *>(&mapping);
  return (flags & dealii::update_quadrature_points) == 0 && mapping_q != nullptr &&
         mapping.preserves_vertex_locations() && mapping_q->get_degree() == 1;
}

template <int dim>
double largest_coordinate(const typename LevelSpace<dim>::Cell &cell)
{
  double most = 0.;
  for (const unsigned int v : cell->vertex_indices())
    for (int d = 0; d < dim; ++d)
      most = std::max(most, std::abs(cell->vertex(v)[d]));
  return most;
}
} // namespace

template <int dim>
Array<int> cells_of_same_shape(const LevelSpace<dim> &space, const Array<int> &cells,
                               const dealii::Mapping<dim> &mapping, dealii::UpdateFlags flags, bool same_material)
{
  constexpr std::size_t most_shapes = 16; // the last ones found: a distorted mesh has as many as cells
  const auto           &all_cells   = space.active_cells();
  const int             n           = static_cast<int>(cells.size());
  const bool            all         = n == space.n_cells() && same_material;
  if (!may_share(mapping, flags))
    return cells;
  if (all && static_cast<int>(space.same_shape.size()) == n)
    return space.same_shape;
  const auto same = [&](int a, int b) {
    const auto  &first = all_cells[a], &second = all_cells[b];
    const double rounding = 4. * std::numeric_limits<double>::epsilon() *
                            std::max(largest_coordinate<dim>(first), largest_coordinate<dim>(second));
    for (unsigned int v = 1; v < dealii::GeometryInfo<dim>::vertices_per_cell; ++v)
      for (int d = 0; d < dim; ++d)
        if (std::abs((first->vertex(v)[d] - first->vertex(0)[d]) - (second->vertex(v)[d] - second->vertex(0)[d])) >
            rounding)
          return false;
    return !same_material || material_id(first) == material_id(second);
  };
  Array<int> representative(n);
#pragma omp parallel for schedule(static)
  for (int k = 0; k < n; ++k)
    representative[k] = k > 0 && same(cells[k - 1], cells[k]) ? -1 : cells[k];
  std::deque<int> shapes;
  for (int k = 0; k < n; ++k)
    {
      if (representative[k] < 0)
        {
          representative[k] = representative[k - 1];
          continue;
        }
      const auto known = std::find_if(shapes.begin(), shapes.end(), [&](int shape) { return same(shape, cells[k]); });
      if (known != shapes.end())
        representative[k] = *known;
      else
        shapes.push_front(cells[k]);
      if (shapes.size() > most_shapes)
        shapes.pop_back();
    }
  if (all)
    space.same_shape = representative;
  return representative;
}

template <int dim>
CellShapes shapes_of(const LevelSpace<dim> &space, const Array<int> &cells, const Array<int> &representative)
{
  CellShapes shapes{{}, Array<int>(space.n_cells(), -1)};
  for (std::size_t k = 0; k < cells.size(); ++k)
    {
      if (representative[k] == cells[k])
        shapes.first.push_back(static_cast<int>(k));
      shapes.number[cells[k]] =
        representative[k] == cells[k] ? static_cast<int>(shapes.first.size()) - 1 : shapes.number[representative[k]];
    }
  return shapes;
}

template <int dim>
const int *CellFunctions<dim>::dofs() const
{
  *of_one_cell = true;
  return space->cell_dofs(number);
}

template <int dim>
typename CellContext<dim>::Cell CellContext<dim>::cell() const
{
  return space->active_cells()[cell_number()];
}

template <int dim>
dealii::types::material_id CellContext<dim>::material_id() const
{
  return adamant::material_id(values->get_cell());
}

template class CellFunctions<2>;
template class CellFunctions<3>;
template class CellContext<2>;
template class CellContext<3>;
template decltype(cells_of_same_shape<2>) cells_of_same_shape<2>;
template decltype(cells_of_same_shape<3>) cells_of_same_shape<3>;
template decltype(shapes_of<2>)           shapes_of<2>;
template decltype(shapes_of<3>)           shapes_of<3>;
} // namespace adamant
