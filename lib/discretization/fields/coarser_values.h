#pragma once

#include "algebra/matrix.h"
#include "base/csr_matrix.h"
#include "discretization/fields/average_functors.h"
#include "discretization/fields/field.h"
#include "operators/ghost_values.h"

#include <cstddef>
#include <vector>

namespace adamant
{
/// Nodal values of a field on all of its levels, on a device: each coarser level has the values of the next finer one
/// at its own nodes, a sparse product with entries 1. For coefficients of coarser levels' matrices that depend on a
/// solution: at all local DoFs of a level, on several ranks those of other ranks, too. All ranks call everything
/// together.
template <int dim>
class InjectedValues
{
public:
  /// The field has to outlive the object.
  InjectedValues(const Device &device, const Field<dim> &field);

  void                  update(const Vector<double> &finest); ///< from the owned nodal values u of the finest level
  void                  update_finest(const Vector<double> &finest); ///< the same on that level alone
  const Vector<double> &operator[](std::size_t level) const { return values[level]; }

private:
  Device                      device;
  std::vector<Matrix<double>> injections; // from the next finer level
  std::vector<GhostValues>    ghosts;
  std::vector<Vector<double>> values, owned; // owned: part of them
};

/// The nodal values on a fine level of a function with these nodal values on the next coarser one: interpolation, with
/// prescribed and hanging nodes. n_fine x n_coarse, host memory; `fine_mesh` links the cells. One rank only.
template <int dim>
CSRMatrix<double> embedding(const LevelMesh<dim> &fine_mesh, const LevelSpace<dim> &fine,
                            const LevelSpace<dim> &coarse);

/// @name Cells of a level and of the next coarser one
/// Sparse matrices with entries 1 in host memory, for values of this rank's cells; `fine_mesh` links them. All ranks
/// call them together.
/// @{

/// n_fine x n_coarse: each cell has the value of the coarse cell that it lies in.
template <int dim>
CSRMatrix<double> values_of_parents(const LevelMesh<dim> &fine_mesh);

/// 2^dim n_coarse x n_fine: the values of the children of coarse cell c, all of whose cells are refined, are at
/// 2^dim c + child.
template <int dim>
CSRMatrix<double> values_of_children(const LevelMesh<dim> &fine_mesh);
/// @}

/// Values of cells on all levels of a field's meshes, on a device: a coarser cell has the average over the cells that
/// it contains, weighted by their volumes. All ranks call everything together.
template <int dim>
class CellAverages
{
public:
  /// The field has to outlive the object.
  CellAverages(const Device &device, const Field<dim> &field, Average average);

  /// From a value for each cell of the finest level (LevelSpace::active_cells), positive unless the average is
  /// arithmetic.
  void                  update(const Vector<double> &finest);
  const Vector<double> &operator[](std::size_t level) const { return values[level]; }

private:
  Device                      device;
  Average                     average;
  std::vector<Matrix<double>> averages; // of the next finer level's cells
  std::vector<Vector<double>> values;
  Vector<double>              scratch;
};
} // namespace adamant
