#pragma once

#include "algebra/vector.h"
#include "base/array.h"
#include "cells/products.h"
#include "coefficients/coarser_values.h"
#include "fem/forms/form.h"
#include "fem/spaces/field.h"
#include "fem/spaces/level_space.h"
#include "operators/level_data.h"

#include <deal.II/base/quadrature.h>
#include <deal.II/fe/mapping.h>

#include <memory>
#include <optional>
#include <vector>

namespace adamant
{
/// What the kernels of the module need at quadrature points.
const auto stokes_flags = dealii::update_values | dealii::update_gradients | dealii::update_JxW_values;

/// The matrices A = (2 η ε(φ_j), ε(φ_i)) on the levels of multigrid, filled on the device, for η that is a number for
/// each cell of the velocity's mesh. A velocity in Q1 has its own levels. A velocity in Q2 lives on the second finest
/// level mesh and has the nodes of Q1 on the finest one. Nodes that hang in this Q1 hang in Q2, too. Its matrix is one
/// more level above the levels of Q1, linked by the values at the nodes. Levels of Q1 whose cells are boxes of one
/// shape need not store entries.
template <int dim>
class ViscousLevels
{
public:
  /// The field and `mapping` have to outlive the object. With `products` other than rows, smoothers are jacobi and
  /// block_jacobi, and η cannot be given at quadrature points. All ranks call all functions together.
  ViscousLevels(const Device &device, const Field<dim> &velocity, const DirichletBoundary &dirichlet,
                const dealii::Mapping<dim> &mapping, Average coarse_viscosity, Products products = Products::rows);

  /// Updates the matrices for η > 0 of the cells of the velocity's mesh and of the finest mesh, which are one mesh for
  /// Q1. Where `at_points` is given, the finest matrix has these values at the points of QGauss(degree + 1) instead.
  void update(const Vector<double> &of_cells, const Vector<double> &of_finest, const Vector<double> *at_points);

  const std::vector<LevelData> &levels() const { return data; }                        ///< after the first update
  const Field<dim>             &bilinear() const { return nodes ? *nodes : velocity; } ///< Q1 on the finest mesh

private:
  Vector<double> tabulate_shapes(const LevelSpace<dim> &space, const dealii::Quadrature<dim> &quadrature) const;
  void           set_levels();

  Device                      device;
  const Field<dim>           &velocity;
  const dealii::Mapping<dim> &mapping;
  std::unique_ptr<Field<dim>> nodes; // of Q2
  Form<dim>                   A;     // of Q1
  std::optional<Form<dim>>    A_of_q2;
  CellAverages<dim>           viscosity;
  std::vector<Vector<double>> of_shapes; // by level, see ViscousStressOfShapes; empty where cells have too many shapes
  std::vector<std::shared_ptr<CellMatrix>> by_cells; // by level of Q1, where products go by cells, else null
  std::vector<LevelData>                   data;
};

/// Viscosities of cells, divided by `scale`, on the device.
struct CellViscosity
{
  Vector<double> of_cells, at_points;               ///< at_points: empty where it is averaged
  double         scale = 1., least = 1., most = 1.; ///< the extremes, divided by scale
  bool           averaged = true;                   ///< one value on all ranks, also on a rank without cells

  void rescale(double new_scale); ///< divides by another scale instead
  /// Returns min (η / min)^s: a continuation from a constant, s = 0, to this viscosity, s = 1.
  CellViscosity stage(double s) const;
};

/// Returns the largest ratio of the values of two cells with a common face. All ranks call it together.
template <int dim>
double largest_jump(const LevelSpace<dim> &space, const Array<double> &of_cells);
} // namespace adamant
