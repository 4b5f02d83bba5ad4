#pragma once

#include "base/array.h"
#include "fem/spaces/level_space.h"

namespace adamant
{
/// Viscosities of cells, divided by `scale`, in host memory.
struct CellViscosity
{
  Array<double> of_cells, at_points;               ///< at_points: empty where it is averaged
  double        scale = 1., least = 1., most = 1.; ///< the extremes, divided by scale
  bool          averaged = true;                   ///< one value on all ranks, also on a rank without cells

  /// Returns min (η / min)^s: a continuation from a constant, s = 0, to this viscosity, s = 1.
  CellViscosity stage(double s) const;
};

/// Returns the viscosity from η > 0 of the cells of a space, which have these volumes. Where it is not averaged,
/// `at_points` has η at all quadrature points. With `has_units` the scale is the harmonic mean over the domain, which
/// is about η of the parts that flow; else it is 1. Throws InputError where η is not positive, or varies by more than
/// 1e12. All ranks call it together.
template <int dim>
CellViscosity cell_viscosity(const LevelSpace<dim> &space, const Array<double> &volumes, Array<double> of_cells,
                             Array<double> at_points, bool has_units);

template <int dim>
Array<double> cell_volumes(const LevelSpace<dim> &space);

/// Returns the largest ratio of the values of two cells with a common face. All ranks call it together.
template <int dim>
double largest_jump(const LevelSpace<dim> &space, const Array<double> &of_cells);
} // namespace adamant
