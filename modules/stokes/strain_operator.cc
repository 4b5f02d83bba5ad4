#include "stokes/strain_operator.h"

#include "algebra/functors.h"

#include <algorithm>

namespace adamant
{
template <int dim>
StrainOperator<dim>::StrainOperator(const Device &device, const DeviceField<dim> &velocity,
                                    const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature)
  : device(device)
  , velocity(velocity)
  , of_velocity(device, velocity.space(), mapping, quadrature)
  , ghosts(device, exchange_plan(velocity.space().partition()), velocity.space().n_owned())
  , H(device, velocity.space().owned_H())
  , E(device, sum_of_cell_loads(velocity.space()))
  , strain(device, to_index(std::size_t(Strain<dim>::n) * n_points(), "strain rates at points"))
  , k(device, n_points())
  , nodal(ghosts.vector())
  , m(device, n_points())
  , of_cells(device, to_index(std::size_t(velocity.space().n_cells()) * velocity.space().dofs_per_cell(), "loads"))
{}

template <int dim>
void StrainOperator<dim>::set_velocity(const Vector<double> &nodal_u, Vector<double> &size)
{
  const Vector<double> u = ghosts.with_ghosts(nodal_u);
  device.for_each(n_points(), StoreStrain<dim>{{of_velocity.view(), u.data()}, view(), size.data()});
}

template <int dim>
void StrainOperator<dim>::loads(double a, const Vector<double> &m, double b, Vector<double> &y) const
{
  const int n = m.size() > 0 ? n_points() / m.size() : 1;
  device.for_each(of_cells.size() / dim, LoadsOfStress<dim>{of_velocity.view(), view(), m.data(), n, of_cells.data()});
  device.multiply(a, E, of_cells, b, y);
}

template <int dim>
void StrainOperator<dim>::multiply(double a, const Vector<double> &x, double b, Vector<double> &y) const
{
  Vector<double> owned = nodal.part(0, velocity.size());
  device.multiply(1., H, x, 0., owned);
  ghosts.fill(nodal);
  auto means = m.part(0, n_points() / group);
  device.for_each(means.size(),
                  TangentStress<dim>{{of_velocity.view(), nodal.data()}, view(), k.data(), group, means.data()});
  loads(a, means, b, y);
}

template class StrainOperator<2>;
template class StrainOperator<3>;
} // namespace adamant
