#include "frame/device_field.h"

#include "fem/functions/points.h"
#include "fem/spaces/field.h"

#include <utility>

namespace adamant
{
template <int dim>
DeviceField<dim>::DeviceField(const Device &device, const Field<dim> &field, const dealii::Mapping<dim> &mapping)
  : device(device)
  , host(field)
  , mapping(mapping)
  , H(device, field.finest().owned_H(), field.node_size())
  , B(device, field.finest().owned_B())
{}

template <int dim>
const LevelSpace<dim> &DeviceField<dim>::space() const
{
  return host.finest();
}

template <int dim>
Vector<double> DeviceField<dim>::prescribed_vector() const
{
  return Vector<double>(device, static_cast<int>(space().prescribed.size()));
}

template <int dim>
void DeviceField<dim>::prescribe(const Vector<double> &g, Vector<double> &u) const
{
  Vector<double> x = vector();
  std::swap(x, u);
  nodal_values(x, g, u);
}

template <int dim>
Array<double> DeviceField<dim>::nodes() const
{
  return support_points(space(), mapping);
}

template <int dim>
Array<double> DeviceField<dim>::prescribed_nodes() const
{
  return support_points(space(), mapping, space().prescribed);
}

template <int dim>
Array<double> DeviceField<dim>::quadrature_points(const dealii::Quadrature<dim> &quadrature) const
{
  return adamant::quadrature_points(space(), mapping, quadrature);
}

template class DeviceField<2>;
template class DeviceField<3>;
} // namespace adamant
