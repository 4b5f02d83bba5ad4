#pragma once

#include "fem/meshes/level_meshes.h"
#include "fem/spaces/level_space.h"

#include <deal.II/fe/fe.h>

#include <memory>

namespace adamant
{
/// Returns whether p4est can number the nodes of an element on a mesh and its coarser levels. The element has to be
/// FE_Q<dim>(1), FE_Q<dim>(2), or an FESystem of one of them. The mesh is one of p4est, without periodic faces, whose
/// nodes p4est would join. All cells have to run through a coarse line in its direction: deal.II (to 9.8 at least) does
/// not tell p4est of others, which then takes wrong nodes.
template <int dim>
bool numbered_by_forest(const dealii::Triangulation<dim> &mesh, const dealii::FiniteElement<dim> &fe);

/// Returns the tables of a space on a level that is a forest alone (LevelMeshOptions::forests_alone). p4est itself
/// numbers the nodes; no Triangulation and no DoFHandler are made. It has no numbers for hanging nodes, so that all
/// numbers are of free DoFs. All ranks call it together. Throws
/// IndexOverflow where an int cannot count the DoFs.
template <int dim>
std::unique_ptr<LevelSpace<dim>> forest_space(const LevelMesh<dim> &mesh, const dealii::FiniteElement<dim> &fe);
} // namespace adamant
