#pragma once

#include "base/array.h"
#include "discretization/fields/level_space.h"

namespace adamant
{
/// Lengths on the mesh of a scalar space, at the rank's own nodes or over all of them. All ranks call it together.

/// The length of the shortest edge of the cells around each node.
template <int dim>
Array<double> shortest_edges(const LevelSpace<dim> &space);

/// The shortest of them all.
template <int dim>
double shortest_edge(const LevelSpace<dim> &space, const Array<double> &edges);

/// The largest |u| / h at a node, h its shortest edge: u has dim components, one after the other. Times a time step it
/// is the CFL number.
template <int dim>
double fastest_crossing(const LevelSpace<dim> &space, const Array<double> &edges, const Array<double> &u);
} // namespace adamant
