#include "solid/motion/inertia.h"

#include "algebra/functors.h"
#include "fem/functions/points.h"

#include <algorithm>

namespace adamant
{
template <int dim>
Inertia<dim>::Inertia(const Device &device, const Field<dim> &field, const dealii::Mapping<dim> &mapping,
                      const dealii::Quadrature<dim> &quadrature, const OfEntries<double> &densities)
  : device(device)
  , X(device, quadrature_points(field.finest(), mapping, quadrature))
  , sums_of_cells{7, 7, Scalars(device, 7 * SumsOfCells::n_parts)}
{
  for (std::size_t l = 0; l < field.n_levels(); ++l)
    {
      Array<double> of_cells;
      for (const auto &cell : field.space(l).active_cells())
        of_cells.push_back(densities.in(cell->material_id()));
      this->densities.emplace_back(device, of_cells);
    }
  n         = X.size() / dim;
  center    = Vector<double>(device, X.size());
  of_points = Vector<double>(device, X.size());
}

template <int dim>
void Inertia<dim>::set(double c, const ShapesView &shapes, const double *center)
{
  this->c = c;
  if (acts())
    this->center = at_points(shapes, center);
}

template <int dim>
Vector<double> Inertia<dim>::at_points(const ShapesView &shapes, const double *u) const
{
  Vector<double> values(device, X.size());
  device.for_each(n, ValuesOfNodes<dim>{shapes, u, {1., nullptr}, {nullptr, n}, {values.data(), n}});
  return values;
}

template <int dim>
void Inertia<dim>::update(const ShapesView &shapes, const double *u, bool change)
{
  if (acts())
    device.for_each(
      n, ValuesOfNodes<dim>{
           shapes, u, term(densities.size() - 1), {change ? nullptr : center.data(), n}, {of_points.data(), n}});
}

template <int dim>
MotionResults Inertia<dim>::results(const ShapesView &shapes, Vector<double> &u, Vector<double> &v) const
{
  const int      n_cells = n / shapes.n_q;
  Vector<double> of_cells(device, 7 * n_cells);
  Vector<double> positions = X.part(0, X.size());
  device.for_each(n_cells, MotionInCells<dim>{shapes,
                                              densities.back().data(),
                                              {positions.data(), n},
                                              {u.data(), n},
                                              {v.data(), n},
                                              {of_cells.data(), n_cells}});
  const auto    sums = sums_of_cells(device, {of_cells.data(), n_cells});
  MotionResults results;
  results.kinetic_energy = sums[0];
  std::copy_n(&sums[1], 3, results.momentum);
  std::copy_n(&sums[4], 3, results.angular_momentum);
  return results;
}

template class Inertia<2>;
template class Inertia<3>;
} // namespace adamant
