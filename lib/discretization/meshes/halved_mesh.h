#pragma once

#include "discretization/meshes/level_meshes.h"

#include <deal.II/grid/tria.h>

#include <cstddef>

namespace adamant
{
/// For elements of two meshes, as Q1-iso-Q2/Q1: the finer one is the coarser one with all its cells refined.

/// The finer mesh; throws RunError where its last refinement was not global.
template <int dim>
dealii::Triangulation<dim> &require_halved(dealii::Triangulation<dim> &finer);

/// How far level meshes of it go so that the coarser one is among them: `options` with fewer coarsest cells if need be.
template <int dim>
LevelMeshOptions halved_mesh_options(const dealii::Triangulation<dim> &finer, LevelMeshOptions options);

/// The level of the coarser mesh, the second finest; throws RunError where there is none.
template <int dim>
std::size_t halved_level(const LevelMeshes<dim> &meshes);
} // namespace adamant
