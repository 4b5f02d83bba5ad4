#pragma once

#include "fem/meshes/level_meshes.h"

#include <deal.II/grid/tria.h>

#include <cstddef>

namespace adamant
{
/// The functions below serve elements on two meshes, such as Q1-iso-Q2/Q1. The finer mesh is the coarser one with all
/// cells refined.

/// Returns `finer`; throws RunError where its last refinement was not global.
template <int dim>
dealii::Triangulation<dim> &require_halved(dealii::Triangulation<dim> &finer);

/// Returns `options`, with fewer coarsest_cells if the level meshes of `finer` would else lack the coarser mesh.
template <int dim>
LevelMeshOptions halved_mesh_options(const dealii::Triangulation<dim> &finer, LevelMeshOptions options);

/// Returns the number of the second finest level. Throws RunError where it is not the coarser mesh.
template <int dim>
std::size_t halved_level(const LevelMeshes<dim> &meshes);
} // namespace adamant
