#pragma once

#include "base/array.h"
#include "discretization/fields/level_space.h"

namespace adamant
{
/// Lengths on a mesh, over all of it or at a rank's own nodes of a scalar space. All ranks call it together.

/// The length of the shortest edge of the cells around each node.
template <int dim>
Array<double> shortest_edges(const LevelSpace<dim> &space);

/// The shortest edge that the mesh has where all its cells are refined to this level; those of larger levels stay.
template <int dim>
double shortest_edge(const dealii::Triangulation<dim> &mesh, int level = 0);

/// The largest |u| / h at a node, h its shortest edge: u has dim components, one after the other. Times a time step it
/// is the CFL number.
template <int dim>
double fastest_crossing(const LevelSpace<dim> &space, const Array<double> &edges, const Array<double> &u);
} // namespace adamant
