#pragma once

#include "algebra/device.h"
#include "fem/forms/form.h"
#include "fem/functions/points.h"
#include "fem/spaces/field.h"

#include <deal.II/base/quadrature.h>
#include <deal.II/fe/mapping.h>

#include <utility>

namespace adamant
{
/// The finest space of a field on a device. It makes vectors of unknowns x and nodal values u = H x + B g (see
/// LevelSpace), and knows the points where data are needed.
template <int dim>
class DeviceField
{
public:
  /// The field and the mapping have to outlive the object.
  DeviceField(const Device &device, const Field<dim> &field, const dealii::Mapping<dim> &mapping)
    : device(device)
    , host(field)
    , mapping(mapping)
    , H(device, field.finest().owned_H(), field.node_size())
    , B(device, field.finest().owned_B())
  {}

  int            size() const { return H.n_rows(); } ///< the number of this rank's nodal values, and of its unknowns
  Vector<double> vector() const { return Vector<double>(device, size()); }
  Vector<double> prescribed_vector() const { return Vector<double>(device, int(host.finest().prescribed.size())); }

  /// Computes the nodal values u = H x + B g from the unknowns x and the prescribed values g. Entries of x that are not
  /// free are not read: x may also hold nodal values, and u is then continuous at hanging nodes.
  void nodal_values(const Vector<double> &x, const Vector<double> &g, Vector<double> &u) const
  {
    device.multiply(1., H, x, 0., u);
    device.multiply(1., B, g, 1., u);
  }

  /// Sets the prescribed values g in the nodal values u, and interpolates u at hanging nodes.
  void prescribe(const Vector<double> &g, Vector<double> &u) const
  {
    Vector<double> x = vector();
    std::swap(x, u);
    nodal_values(x, g, u);
  }

  /// These return positions in host memory, coordinate d of point i in points[d n + i]. They are the nodes (one for
  /// each nodal value), the nodes with prescribed values, and the quadrature points in the order of quadrature_points()
  /// in forms.
  Array<double> nodes() const { return support_points(space(), mapping); }
  Array<double> prescribed_nodes() const { return support_points(space(), mapping, space().prescribed); }
  Array<double> quadrature_points(const dealii::Quadrature<dim> &quadrature) const
  {
    return adamant::quadrature_points(space(), mapping, quadrature);
  }

  const Field<dim>      &field() const { return host; }
  const LevelSpace<dim> &space() const { return host.finest(); } ///< the space whose nodal values vectors hold

protected:
  Device                      device;
  const Field<dim>           &host;
  const dealii::Mapping<dim> &mapping;

private:
  Matrix<double> H, B;
};
} // namespace adamant
