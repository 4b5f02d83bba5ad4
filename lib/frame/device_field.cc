#include "frame/device_field.h"

#include "algebra/cell_sums.h"
#include "fem/forms/form.h"
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

template class DeviceField<2>;
template class DeviceField<3>;
template decltype(assemble_on<2>) assemble_on<2>;
template decltype(assemble_on<3>) assemble_on<3>;
} // namespace adamant
