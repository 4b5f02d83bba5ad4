#pragma once

#include "algebra/device.h"
#include "discretization/fields/field.h"
#include "discretization/forms/form.h"

#include <deal.II/base/quadrature.h>
#include <deal.II/fe/mapping.h>

namespace adamant
{
/// The finest space of a field on a device: vectors of its unknowns, u = H x + B g (LevelSpace), and the points where
/// data are needed.
template <int dim>
class DeviceField
{
public:
  /// The field and the mapping have to outlive the object.
  DeviceField(const Device &device, const Field<dim> &field, const dealii::Mapping<dim> &mapping);

  int size() const { return H.n_rows(); } ///< this rank's nodal values, and its unknowns
  int n_prescribed() const
  {
    return static_cast<int>(host.finest().prescribed.size());
  } ///< this rank's prescribed values
  Vector<double> vector() const { return Vector<double>(device, size()); }
  Vector<double> prescribed_vector() const { return Vector<double>(device, n_prescribed()); }

  /// u = H x + B g: the nodal values from the unknowns and the prescribed values. Entries of x that are not free are
  /// not read: with nodal values in place of x, u is continuous at hanging nodes.
  void nodal_values(const Vector<double> &x, const Vector<double> &g, Vector<double> &u) const;

  /// Gives the nodal values u these prescribed values, and at hanging nodes what they hang on.
  void prescribe(const Vector<double> &g, Vector<double> &u) const;

  /// Positions in host memory, coordinate d of point i in points[d n + i]: of all nodes (one for each nodal value), of
  /// the prescribed values, and of the quadrature points as forms with columns quadrature_points() number them.
  Array<double> nodes() const;
  Array<double> prescribed_nodes() const;
  Array<double> quadrature_points(const dealii::Quadrature<dim> &quadrature) const;

  const Field<dim>      &field() const { return host; }
  const LevelSpace<dim> &space() const { return host.finest(); } ///< that vectors are nodal values of

private:
  Device                      device;
  const Field<dim>           &host;
  const dealii::Mapping<dim> &mapping;
  Matrix<double>              H, B;
};

/// The form's finest matrix on a device, with new values; of columns quadrature_points() for products alone (CellSums).
/// The form keeps nothing of it on the host.
template <int dim>
Matrix<double> assemble_on(const Device &device, Form<dim> &form);
} // namespace adamant
