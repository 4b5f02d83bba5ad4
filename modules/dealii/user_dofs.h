#pragma once

#include "base/array.h"
#include "base/communicator.h"
#include "fem/ranks/distributed_rows.h"
#include "fem/spaces/level_space.h"

#include <deal.II/base/index_set.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/component_mask.h>
#include <deal.II/fe/fe.h>
#include <deal.II/lac/affine_constraints.h>

#include <memory>
#include <vector>

namespace adamant
{
/// The DoFs of a user's DoFHandler, or of some of its components, as rows of the user's matrix. A matrix of some
/// components is a block: its rows count from the first DoF of the components.
struct UserDofs
{
  Communicator                    ranks;
  dealii::types::global_dof_index first = 0;          ///< the DoFHandler's number of row 0
  dealii::IndexSet                owned;              ///< the rows that this rank has
  Array<int>                      number;             ///< of each owned row, the number of its DoF in the LevelSpace
  std::uint64_t                   first_in_space = 0; ///< global number in the LevelSpace of this rank's DoF 0

  /// Returns the place of an owned row among the owned rows.
  std::size_t place(dealii::types::global_dof_index row) const
  {
    return contiguous ? row - begin : owned.index_within_set(row);
  }
  dealii::types::global_dof_index row(std::size_t place) const ///< the inverse of place()
  {
    return contiguous ? begin + place : owned.nth_index_in_set(place);
  }
  bool is_owned(dealii::types::global_dof_index row) const
  {
    return contiguous ? row - begin < number.size() : owned.is_element(row);
  }
  /// Sets `owned`, and makes room for the numbers.
  void set_owned(dealii::IndexSet rows);

  /// Returns the global numbers in the LevelSpace of any rows. All ranks call it together. Throws RunError on all ranks
  /// where the matrix has no such row.
  std::vector<dealii::types::global_dof_index>
  numbers_in_space(const std::vector<dealii::types::global_dof_index> &rows) const;

private:
  bool                            contiguous = true;
  dealii::types::global_dof_index begin      = 0;
};

/// What a DoF is to the levels: an unknown, or constrained in one way or the other.
enum DofKind : char
{
  free_dof,
  hanging_dof,
  prescribed_dof, ///< its value is in the constraints, or its row of the matrix is decoupled
};

/// Throws RunError with a sentence for what multigrid does not take: hp, simplices, elements other than FE_Q and
/// FESystem of FE_Q. LevelMeshes refuses parallel::shared and parallel::fullydistributed meshes.
template <int dim>
void check_dofs(const dealii::DoFHandler<dim> &dofs, const dealii::ComponentMask &components);

/// Returns the element of the selected components, which is the DoFHandler's own where all are.
template <int dim>
std::unique_ptr<dealii::FiniteElement<dim>> element_of(const dealii::DoFHandler<dim> &dofs,
                                                       const dealii::ComponentMask   &components);

/// Throws RunError on all ranks where the mesh has another number of DoFs than the DoFHandler on any rank. After a
/// refinement deal.II's tables of DoFs do not fit the mesh's cells. All ranks call it together.
template <int dim>
void check_mesh_of(const dealii::DoFHandler<dim> &dofs);

/// Returns the element of each component, so that each node has all of them; null where components have different ones.
template <int dim>
const dealii::FiniteElement<dim> *element_of_each(const dealii::FiniteElement<dim> &fe);

/// Returns how the DoFs are numbered in a space that has their element on the mesh's active cells. All ranks call it
/// together. Throws RunError on all ranks as check_mesh_of() does, or where ranks own other DoFs.
template <int dim>
UserDofs user_dofs(const LevelSpace<dim> &space, const dealii::DoFHandler<dim> &dofs);

/// @name The finest level of multigrid for a user's matrix
/// @{
/// Numbers this rank's DoFs of some components. They have the order in which the leaves of the tree of cells meet them,
/// so that neighbours in space are neighbours in memory. `cells` has the mesh's active cells. `table` gets their DoFs'
/// numbers, [cell * DoFs per cell + i]; each DoF of another rank has the number behind the last one there. All ranks
/// call it together. Throws RunError on all ranks where the DoFs of the components do not follow each other.
template <int dim>
UserDofs number_user_dofs(const CellList<dim> &cells, const dealii::DoFHandler<dim> &dofs,
                          const dealii::ComponentMask &components, Array<int> &table);

/// Returns the space with these numbers. H has no row of a hanging DoF, as the user's matrix has been condensed, and
/// none of other ranks' DoFs, which the transfer does not ask for. `of_mesh` has the hanging nodes' constraints in the
/// DoFHandler's numbers. All ranks call it together.
template <int dim>
std::unique_ptr<LevelSpace<dim>> user_space(std::shared_ptr<const CellList<dim>> cells,
                                            const dealii::FiniteElement<dim> &element, const UserDofs &dofs,
                                            Array<int> table, const dealii::AffineConstraints<double> &of_mesh);
/// @}

/// Returns the kind of each owned DoF. `of_mesh` has the hanging nodes' constraints as the mesh alone makes them. All
/// ranks call it together. Throws RunError, on all ranks, which names a DoF with a constraint that multigrid does not
/// take: neither a prescribed value nor the mesh's own constraint of a hanging node.
Array<char> dof_kinds(const UserDofs &dofs, const dealii::AffineConstraints<double> &constraints,
                      const dealii::AffineConstraints<double> &of_mesh);
} // namespace adamant
