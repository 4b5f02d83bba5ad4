#pragma once

#include "algebra/cell_matrix.h"
#include "algebra/compressed_rows.h"
#include "algebra/matrix.h"
#include "base/csr/csr_matrix.h"
#include "base/exceptions.h"
#include "multigrid/patches.h"

#include <functional>
#include <memory>

namespace adamant
{
/// The matrices and other data of one level that multigrid needs, in host memory. Level 0 is the coarsest (Liebchen et
/// al., Algorithm 1). Constrained unknowns are part of the vectors, where they are zero. The matrix has rows of the
/// identity for them, and the prolongation empty rows.
struct LevelData
{
  std::shared_ptr<const CSRMatrix<double>> matrix; ///< A_l, n_l x n_l
  std::shared_ptr<const CSRMatrix<double>>
    prolongation; ///< P_l, n_l x n_{l-1}, from the next coarser level; null on level 0
  std::shared_ptr<const CSRMatrix<double>> restriction;   ///< R_l = P_lᵀ, stored; null on level 0
  int                                      node_size = 1; ///< rows that belong to one node, stored next to each other
  /// The rows in device memory, where the values of the matrix change there; `matrix` is then only its pattern. Null:
  /// the values do not change on the device.
  std::shared_ptr<const CompressedRows> changing = nullptr;
  /// Makes the patches of nodes that a smoother by patches solves for. It is called while multigrid is built, and by
  /// updates of some smoothers. Null: there are no patches.
  std::function<Patches(PatchKind)> patches = nullptr;
  /// The matrix in the form of cell matrices; `matrix` then has the right number of rows and no entries. Null: the
  /// matrix has no such form.
  std::shared_ptr<const CellMatrix> cells = nullptr;
  /// These functions make the matrices of a large level, whose values do not change, when multigrid asks for them.
  /// Until then the matrices above are null. Multigrid goes from the coarsest level upwards. On each level it first
  /// calls add_transfer, which adds P and R to a copy of these data, then add_matrix. Matrices asked for earlier may
  /// then be freed, except the finest one. Null: the matrices are there from the beginning.
  std::function<void(LevelData &)> add_transfer = nullptr, add_matrix = nullptr;
};

/// Returns the matrix of a level (LevelData or SmootherLevel) in host memory, with its present values.
template <class Level>
CSRMatrix<double> matrix_on_host(const Level &level)
{
  if (level.cells)
    return level.cells->rows();
  CSRMatrix<double> matrix = *level.matrix;
  if (level.changing)
    matrix.value = to_host(level.changing->values);
  return matrix;
}

/// Returns the matrix of a level in the memory of `device`.
template <typename Number>
Matrix<Number> make_matrix(const Device &device, const LevelData &level)
{
  if (level.cells)
    return Matrix<Number>(device, *level.cells);
  return level.changing ? Matrix<Number>(device, *level.matrix, *level.changing, level.node_size) :
                          Matrix<Number>(device, *level.matrix, level.node_size);
}

/// Copies the values that the matrix of a level has now to A. Throws RunError where the matrix was not to change and
/// its entries have been freed.
template <class Level, typename Number>
void update_matrix(const Level &level, Matrix<Number> &A)
{
  if (level.cells)
    return A.update(*level.cells);
  if (!level.matrix || (level.matrix->column.empty() && level.matrix->n_nonzeros() > 0))
    throw RunError("the entries of a matrix that was not to change have been freed, so that it takes no new values");
  level.changing ? A.update(*level.changing) : A.update(*level.matrix);
}
} // namespace adamant
