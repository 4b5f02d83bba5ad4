#pragma once

#include "algebra/matrix.h"
#include "base/csr/csr_matrix.h"
#include "coefficients/average_functors.h"
#include "fem/spaces/field.h"
#include "operators/ghost_values.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace adamant
{
/// Nodal values of a field on all of its levels, on a device, for coefficients in coarser matrices that depend on a
/// solution. A coarser level takes the values of the next finer level's function at its own nodes, by a sparse
/// product. Each level has values at all local DoFs, also of other ranks. All ranks call everything together.
template <int dim>
class InjectedValues
{
public:
  /// `field` has to outlive the object.
  InjectedValues(const Device &device, const Field<dim> &field);

  void update(const Vector<double> &finest);        ///< `finest`: values at the owned DoFs of the finest level
  void update_finest(const Vector<double> &finest); ///< updates the finest level alone
  const Vector<double> &operator[](std::size_t level) const { return values[level]; }

private:
  Device                      device;
  std::vector<Matrix<double>> injections; // from the next finer level
  std::vector<GhostValues>    ghosts;
  std::vector<Vector<double>> values, owned; // owned: a part of values
};

/// Returns the interpolation matrix from nodal values on a coarse level to the next finer one (n_fine x n_coarse, host
/// memory). It includes prescribed and hanging nodes. `fine_mesh` links the cells. It works on one rank only.
template <int dim>
CSRMatrix<double> embedding(const LevelMesh<dim> &fine_mesh, const LevelSpace<dim> &fine,
                            const LevelSpace<dim> &coarse);

/// Returns the matrix that takes nodal values of a space to the unknowns of a coarser one, each of which is at a free
/// node of the finer space. It undoes the `interpolation` of the unknowns to nodal values. All ranks call it together.
template <int dim>
CSRMatrix<double> at_common_nodes(CSRMatrix<double> interpolation, const LevelSpace<dim> &fine,
                                  const LevelSpace<dim> &coarse);

/// @name Cells of a level and of the next coarser one
/// These functions return sparse matrices with entries 1, in host memory, for values on this rank's cells. `fine_mesh`
/// links the cells of the two levels. All ranks call them together.
/// @{

/// Returns the matrix (n_fine x n_coarse) that gives each cell the value of the coarse cell in which it lies.
template <int dim>
CSRMatrix<double> values_of_parents(const LevelMesh<dim> &fine_mesh);

/// Returns the matrix (2^dim n_coarse x n_fine) that puts the values of the children of coarse cell c at 2^dim c +
/// child. All coarse cells have to be refined.
template <int dim>
CSRMatrix<double> values_of_children(const LevelMesh<dim> &fine_mesh);

/// Returns the numbers n_parts c + part of parts of the coarse cells c in which this rank's cells lie.
template <int dim>
std::shared_ptr<const Partitioner> numbers_of_parts(const LevelMesh<dim> &fine_mesh, int n_parts);
/// @}

/// Values on the cells of all levels of a field's meshes, on a device. A coarser cell has the average over the cells
/// that it contains, weighted by their volumes. All ranks call everything together.
template <int dim>
class CellAverages
{
public:
  /// `field` has to outlive the object.
  CellAverages(const Device &device, const Field<dim> &field, Average average);

  /// Computes all levels from `finest`, a value for each cell of the finest level (LevelSpace::active_cells). The
  /// values have to be positive unless the average is arithmetic.
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
