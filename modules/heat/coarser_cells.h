#pragma once

#include "algebra/device.h"
#include "algebra/matrix.h"
#include "algebra/vector.h"
#include "fem/forms/quadrature_data.h"
#include "fem/spaces/field.h"
#include "frame/restart/state.h"

#include <deal.II/base/quadrature.h>
#include <deal.II/fe/mapping.h>

namespace adamant
{
/// What a biquadratic temperature T needs to know of the velocity, where each of its cells holds 2^dim cells of that.
/// A bilinear velocity has the nodes of T; seen from T's cells its element is Q1 in the parts of a cell. All ranks call
/// all functions together.
template <int dim>
class CoarserCells
{
public:
  /// `of_velocity` is on the mesh whose cells halve the cells of `temperature`, which has no prescribed values. Both
  /// have to outlive the object.
  CoarserCells(const Device &device, const Field<dim> &of_velocity, const Field<dim> &temperature,
               const dealii::Mapping<dim> &mapping);

  /// Returns the rule with n points in each direction of the parts of a cell. With 3, (u · ∇φ_j) φ_i is exact on boxes.
  /// With 2, the points are the points of QGauss(2) in the velocity's cells.
  static dealii::Quadrature<dim> in_parts(unsigned int n);

  Field<dim>          velocity;           ///< on the cells of T
  QuadratureData<dim> points;             ///< of in_parts(2)
  Matrix<double>      to_velocity_points; ///< takes values at these points to the order of the velocity's cells
  Vector<double>      at_points;          ///< scratch for such values
  Field<dim>          shown;              ///< T's functions and more, on the velocity's mesh

  /// Returns the nodal values on T's cells of a velocity `u`, until the next call.
  const Vector<double> &velocity_here(const Vector<double> &u);
  /// Returns the nodal values of `T` in `shown`, until the next call.
  const Vector<double> &show(const Vector<double> &T);
  /// Returns what carries T over to another mesh.
  CoarserSpace<dim> shown_by();

private:
  void make_shown(); // the matrices are large, and only outputs and new meshes need them

  Device            device;
  const Field<dim> &temperature;
  Matrix<double>    to_here, interpolation, injection; // of nodal values; the last two are empty until asked for
  Vector<double>    u_here, T_shown;
  bool              can_show = false;
};
} // namespace adamant
