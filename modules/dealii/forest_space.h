#pragma once

#include "fem/meshes/level_meshes.h"
#include "fem/spaces/level_space.h"

#include <deal.II/fe/fe.h>

#include <memory>

namespace adamant
{
/// Returns whether forest_space() takes the element: FE_Q<dim>(1), FE_Q<dim>(2), or an FESystem of one of them.
template <int dim>
bool numbered_by_forest(const dealii::FiniteElement<dim> &fe);

/// Returns the tables of a space on a coarser level of a mesh of p4est, which is a forest alone
/// (LevelMeshOptions::forests_alone). p4est itself numbers the nodes; no Triangulation and no DoFHandler are made. It
/// has no numbers for hanging nodes, so that all numbers are of free DoFs. All ranks call it together. Throws
/// IndexOverflow where an int cannot count the DoFs.
template <int dim>
std::unique_ptr<LevelSpace<dim>> forest_space(const LevelMesh<dim> &mesh, const dealii::FiniteElement<dim> &fe);
} // namespace adamant
