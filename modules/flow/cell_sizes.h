#pragma once

#include "base/array.h"
#include "fem/spaces/level_space.h"

namespace adamant
{
/// Functions for lengths on a mesh, of all of it or at a rank's own nodes of a scalar space. All ranks call them
/// together.

/// Returns the length of the shortest edge of the cells around each node.
template <int dim>
Array<double> shortest_edges(const LevelSpace<dim> &space);

/// Returns the shortest edge of the mesh when all cells are refined to this level; cells of larger levels stay.
template <int dim>
double shortest_edge(const dealii::Triangulation<dim> &mesh, int level = 0);

/// Returns the largest |u| / h at a node, h its shortest edge; u has dim components, one after the other. Times a time
/// step it is the CFL number.
template <int dim>
double fastest_crossing(const LevelSpace<dim> &space, const Array<double> &edges, const Array<double> &u);
} // namespace adamant
