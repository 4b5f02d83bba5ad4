#pragma once

#include "base/array.h"
#include "discretization/fields/level_space.h"

namespace adamant
{
/// Viscosities of cells over `scale`, in host memory.
struct CellViscosity
{
  Array<double> of_cells, at_points;               ///< the latter only where it is not averaged
  double        scale = 1., least = 1., most = 1.; ///< the extremes over scale
  bool          averaged = true;                   ///< the same on all ranks, also on one without cells

  /// min (η / min)^s: continued from a constant; with s = 1 what it is.
  CellViscosity stage(double s) const;
};

/// From η > 0 of the cells of a space, which have these volumes, and, where it is not averaged, at all quadrature
/// points. `has_units`: the scale is the harmonic mean over the domain, which is about that of the parts that flow; else
/// 1. InputError where η is not positive, or varies by more than 1e12. All ranks call it together.
template <int dim>
CellViscosity cell_viscosity(const LevelSpace<dim> &space, const Array<double> &volumes, Array<double> of_cells,
                             Array<double> at_points, bool has_units);

template <int dim>
Array<double> cell_volumes(const LevelSpace<dim> &space);

/// The largest ratio of the values of two cells with a common face. All ranks call it together.
template <int dim>
double largest_jump(const LevelSpace<dim> &space, const Array<double> &of_cells);
} // namespace adamant
