#pragma once

#include "algebra/cell_matrix.h"
#include "algebra/compressed_rows.h"
#include "algebra/matrix.h"
#include "base/csr_matrix.h"
#include "base/exceptions.h"
#include "multigrid/patches.h"

#include <functional>
#include <memory>

namespace adamant
{
/// What multigrid needs of one level, in host memory. Level 0 is the coarsest (Liebchen et al., Algorithm 1).
/// Constrained unknowns are part of the vectors, where they are zero: their matrix rows are those of the identity,
/// their rows of the prolongation are empty.
struct LevelData
{
  std::shared_ptr<const CSRMatrix<double>> matrix; ///< A_l, n_l x n_l
  std::shared_ptr<const CSRMatrix<double>>
    prolongation; ///< P_l, n_l x n_{l-1}, from the next coarser level; null on level 0
  std::shared_ptr<const CSRMatrix<double>> restriction;   ///< R_l = P_lᵀ, stored; null on level 0
  int                                      node_size = 1; ///< rows that belong to one node, stored next to each other
  /// The values of the matrix where they change on the device; `matrix` is then the pattern alone. Null: they do not.
  std::shared_ptr<const CompressedRows> changing = nullptr;
  /// Makes the patches of nodes that a smoother by patches solves for; called while multigrid is built. Null: there are
  /// none.
  std::function<Patches(PatchKind)> patches = nullptr;
  /// The matrix where it is one by cells; `matrix` has then the right number of rows and no entries. Null: it is not.
  std::shared_ptr<const CellMatrix> cells = nullptr;
  /// Of a large level whose matrices do not change: they are null until multigrid, which is built from the coarsest
  /// level upwards, asks for them, first for the transfer (here: adds P and R to a copy of these data), then for the
  /// matrix. What it has asked for before it needs no more, but for the finest matrix. Null: they are there.
  std::function<void(LevelData &)> add_transfer = nullptr, add_matrix = nullptr;
};

/// The matrix of a level (LevelData or SmootherLevel) in host memory, with the values that it has now.
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

/// The matrix of a level on a device.
template <typename Number>
Matrix<Number> make_matrix(const Device &device, const LevelData &level)
{
  if (level.cells)
    return Matrix<Number>(device, *level.cells);
  return level.changing ? Matrix<Number>(device, *level.matrix, *level.changing, level.node_size) :
                          Matrix<Number>(device, *level.matrix, level.node_size);
}

/// The values that the matrix of a level has now.
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
