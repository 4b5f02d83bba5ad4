#pragma once

#include "algebra/device.h"
#include "base/array.h"

#include <deal.II/base/quadrature.h>
#include <deal.II/fe/mapping.h>

namespace adamant
{
template <int dim>
class Field;
template <int dim>
class LevelSpace;

/// The finest space of a field on a device. It makes vectors of unknowns x and nodal values u = H x + B g (see
/// LevelSpace), and knows the points where data are needed.
template <int dim>
class DeviceField
{
public:
  /// The field and the mapping have to outlive the object.
  DeviceField(const Device &device, const Field<dim> &field, const dealii::Mapping<dim> &mapping);

  int            size() const { return H.n_rows(); } ///< the number of this rank's nodal values, and of its unknowns
  Vector<double> vector() const { return Vector<double>(device, size()); }
  Vector<double> prescribed_vector() const;

  /// Computes the nodal values u = H x + B g from the unknowns x and the prescribed values g. Entries of x that are not
  /// free are not read: x may also hold nodal values, and u is then continuous at hanging nodes.
  void nodal_values(const Vector<double> &x, const Vector<double> &g, Vector<double> &u) const
  {
    device.multiply(1., H, x, 0., u);
    device.multiply(1., B, g, 1., u);
  }

  /// Sets the prescribed values g in the nodal values u, and interpolates u at hanging nodes.
  void prescribe(const Vector<double> &g, Vector<double> &u) const;

  /// These return positions in host memory, coordinate d of point i in points[d n + i]. They are the nodes (one for
  /// each nodal value), the nodes with prescribed values, and the quadrature points in the order of quadrature_points()
  /// in forms.
  Array<double> nodes() const;
  Array<double> prescribed_nodes() const;
  Array<double> quadrature_points(const dealii::Quadrature<dim> &quadrature) const;

  const Field<dim>      &field() const { return host; }
  const LevelSpace<dim> &space() const; ///< the space whose nodal values vectors hold

protected:
  Device                      device;
  const Field<dim>           &host;
  const dealii::Mapping<dim> &mapping;

private:
  Matrix<double> H, B;
};
} // namespace adamant
