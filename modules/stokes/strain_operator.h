#pragma once

#include "algebra/device.h"
#include "algebra/matrix.h"
#include "fem/forms/quadrature_data.h"
#include "fem/spaces/level_space.h"
#include "frame/device_field.h"
#include "operators/ghost_values.h"
#include "operators/linear_operator.h"
#include "stokes/strain_kernels.h"

#include <deal.II/base/quadrature.h>
#include <deal.II/fe/mapping.h>

namespace adamant
{
/// The strain rate ε of a velocity at the quadrature points, and integrals with it. As an operator on unknowns δ it is
///
///   ∫ [k (ε : ε(δ))] ε : ε(φ_i),
///
/// the part of a Jacobian that comes from a viscosity which depends on |ε|. The bracket is the value at a point, or its
/// mean over the points of a cell where the viscosity is averaged. No matrix is stored. All ranks call all functions
/// together.
template <int dim>
class StrainOperator : public LinearOperator
{
public:
  /// `velocity` and `mapping` have to outlive the object. k is 0 at first.
  StrainOperator(const Device &device, const DeviceField<dim> &velocity, const dealii::Mapping<dim> &mapping,
                 const dealii::Quadrature<dim> &quadrature);

  /// Computes ε and |ε| >= 1e-10 of a velocity, given by its nodal values.
  void            set_velocity(const Vector<double> &nodal_u, Vector<double> &size);
  Vector<double> &factor() { return k; } ///< k at the points
  /// Says whether brackets are means; a product that was recorded keeps its kind.
  void set_averaged(bool means) { group = means ? of_velocity.view().n_q : 1; }
  int  n_points() const { return of_velocity.n_points(); }

  /// Computes y = a ∫ m ε : ε(φ_i) + b y, for m at the points or of the cells.
  void loads(double a, const Vector<double> &m, double b, Vector<double> &y) const;

  int  n_rows() const override { return velocity.size(); }
  int  n_cols() const override { return velocity.size(); }
  bool recordable() const override { return true; }
  void multiply(double a, const Vector<double> &x, double b, Vector<double> &y) const override;

private:
  StrainView<dim> view() const { return {const_cast<double *>(strain.data()), n_points()}; }

  Device                  device;
  const DeviceField<dim> &velocity;
  QuadratureData<dim>     of_velocity;
  GhostValues             ghosts;
  Matrix<double>          H, E; // E: loads of cells to unknowns
  Vector<double>          strain, k;
  int                     group = 1;          // points with one value in brackets
  mutable Vector<double>  nodal, m, of_cells; // nodal: with ghosts; m: the brackets; of_cells: loads
};
} // namespace adamant
