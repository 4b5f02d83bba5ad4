#pragma once

#include "algebra/device.h"
#include "algebra/vector.h"
#include "coefficients/coefficient.h"
#include "fem/spaces/field.h"
#include "solid/motion/inertia_kernels.h"
#include "solid/sums_of_cells.h"

#include <deal.II/base/quadrature.h>
#include <deal.II/fe/mapping.h>

#include <cstddef>
#include <vector>

namespace adamant
{
/// What a motion says of the whole body. In two dimensions vectors have three components, too.
struct MotionResults
{
  double kinetic_energy      = 0.;
  double momentum[3]         = {};
  double angular_momentum[3] = {}; ///< about the origin
};

/// The inertia of a body: densities of cells on all levels, and values at points of the finest one. The mass is the
/// consistent one, by the quadrature of the forces.
template <int dim>
class Inertia
{
public:
  Inertia() = default;
  Inertia(const Device &device, const Field<dim> &field, const dealii::Mapping<dim> &mapping,
          const dealii::Quadrature<dim> &quadrature, const OfEntries<double> &densities);

  /// Sets c and the place of ρ c (u - center). Here and below nodal values are local ones, with ghosts.
  void set(double c, const ShapesView &shapes, const double *center);
  bool acts() const { return c != 0.; }
  /// Returns the term on a level.
  InertiaTerm term(std::size_t l) const { return {c, acts() ? densities[l].data() : nullptr}; }
  /// Computes the forces at points of nodal values u, or their change for a change of u.
  void update(const ShapesView &shapes, const double *u, bool change);
  /// Returns the forces, dim numbers a point. Null: there are none.
  ValuesAt forces() { return {acts() ? of_points.data() : nullptr, n}; }

  /// Computes the results of a motion with the velocity v, from values of u and v at points; waits.
  MotionResults  results(const ShapesView &shapes, Vector<double> &u, Vector<double> &v) const;
  Vector<double> at_points(const ShapesView &shapes, const double *u) const; ///< returns u at points

private:
  Device                    device;
  std::vector<List<double>> densities; // by level
  double                    c = 0.;
  int                       n = 0;
  Vector<double>            center, of_points, X; // at points
  SumsOfCells               sums_of_cells;
};
} // namespace adamant
