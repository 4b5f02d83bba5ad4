#include "frame/device_field.h"

#include "fem/functions/points.h"

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
void DeviceField<dim>::nodal_values(const Vector<double> &x, const Vector<double> &g, Vector<double> &u) const
{
  device.multiply(1., H, x, 0., u);
  device.multiply(1., B, g, 1., u);
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
  return support_points(host.finest(), mapping);
}

template <int dim>
Array<double> DeviceField<dim>::prescribed_nodes() const
{
  return support_points(host.finest(), mapping, host.finest().prescribed);
}

template <int dim>
Array<double> DeviceField<dim>::quadrature_points(const dealii::Quadrature<dim> &quadrature) const
{
  return adamant::quadrature_points(host.finest(), mapping, quadrature);
}

template <int dim>
Matrix<double> assemble_on(const Device &device, Form<dim> &form)
{
  if (form.columns().kind == ColumnKind::quadrature_points && device.matrix_format() == MatrixFormat::compressed)
    return make_matrix(device, form.sums_over_cells());
  form.update();
  Matrix<double> matrix(device, *form.finest(), form.rows().node_size());
  form.release();
  return matrix;
}

template Matrix<double> assemble_on(const Device &, Form<2> &);
template Matrix<double> assemble_on(const Device &, Form<3> &);
template class DeviceField<2>;
template class DeviceField<3>;
} // namespace adamant
