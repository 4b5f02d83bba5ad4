#pragma once

#include "base/communicator.h"
#include "discretization/fields/level_space.h"

#include <deal.II/base/function.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/vector.h>

#include <memory>

namespace adamant
{
/// What serial meshes and those of p4est do in different ways.

/// deal.II's vector of nodal values, with those of other ranks' DoFs that a rank's cells and their neighbours have.
using NodalVector = dealii::LinearAlgebra::distributed::Vector<double>;

/// An empty mesh: of p4est where several ranks share it or `distributed` is set, else serial.
template <int dim>
std::unique_ptr<dealii::Triangulation<dim>> create_mesh(const Communicator &ranks, bool distributed = false);

/// Whether it is one of p4est.
template <int dim>
bool is_distributed(const dealii::Triangulation<dim> &mesh);

/// Gives the coarse cells of `mesh`, which are not refined yet, the manifolds of another mesh with these coarse cells.
template <int dim>
void copy_manifolds(const dealii::Triangulation<dim> &from, dealii::Triangulation<dim> &mesh);

/// Gives `mesh`, which may be refined, the manifolds of an unrefined mesh with its coarse cells, which has to outlive
/// it.
template <int dim>
void share_manifolds(const dealii::Triangulation<dim> &from, dealii::Triangulation<dim> &mesh);

/// @name Refinement
/// As deal.II does it; but a mesh of p4est is made once, of the refined forest, and then gives each rank cells of about
/// the same work: a cell with hanging nodes counts a fifth more for each of its faces that has them. The partition
/// depends on the mesh and the number of ranks alone. No DoFHandler may have the mesh. All ranks call it together.
/// @{

/// Refines all cells so many times.
template <int dim>
void refine_global(dealii::Triangulation<dim> &mesh, unsigned int times);

/// Refines and coarsens the cells that are flagged.
template <int dim>
void execute_refinement(dealii::Triangulation<dim> &mesh);

/// Refines the given fractions of all cells of largest and coarsens those of smallest indicators; `indicators` has an
/// entry for each active cell.
template <int dim>
void refine_and_coarsen(dealii::Triangulation<dim> &mesh, const dealii::Vector<float> &indicators, double refine,
                        double coarsen);
/// @}

/// Nodal interpolation of a function, continuous at hanging nodes.
template <int dim>
NodalVector interpolate(const dealii::Mapping<dim> &mapping, const dealii::DoFHandler<dim> &dofs,
                        const dealii::Function<dim> &function);

/// Zeros.
template <int dim>
NodalVector nodal_vector(const dealii::DoFHandler<dim> &dofs);
template <int dim>
NodalVector nodal_vector(const LevelSpace<dim> &space);

/// The nodal values of a space for deal.II's functions, from those at the owned DoFs. All ranks call it together.
template <int dim>
NodalVector nodal_vector(const LevelSpace<dim> &space, const double *owned);
} // namespace adamant
