#pragma once

#include "algebra/compressed_rows.h"
#include "algebra/rowless_matrix.h"
#include "base/csr/csr_matrix.h"
#include "base/exceptions.h"
#include "operators/patches.h"

#include <functional>
#include <memory>
#include <utility>
#include <variant>

namespace adamant
{
/// A matrix whose values change in the memory of a device.
struct ValuesOnDevice
{
  SharedMatrix                          pattern; ///< the rows; values that they may have are older ones
  std::shared_ptr<const CompressedRows> rows;
};

/// The functions make the matrices of a large level, whose values do not change, when multigrid asks for them.
/// Multigrid goes from the coarsest level upwards. On each level it first asks for P and R, then for A. Matrices asked
/// for earlier may then be freed, except the finest one.
struct MadeOnDemand
{
  std::function<std::pair<SharedMatrix, SharedMatrix>()> transfer; ///< returns P and R
  std::function<SharedMatrix()>                          matrix;   ///< returns A
};

/// The values of a level's matrix A: in host memory, on a device, not stored, or made when multigrid asks for them.
using LevelValues = std::variant<SharedMatrix, ValuesOnDevice, std::shared_ptr<const RowlessMatrix>, MadeOnDemand>;

/// What multigrid needs of one level. Level 0 is the coarsest (Liebchen et al., Algorithm 1). Constrained unknowns are
/// part of the vectors, where they are zero. A has rows of the identity for them, and P empty rows.
struct LevelData
{
  LevelValues  values;        ///< of A_l, n_l x n_l
  SharedMatrix prolongation;  ///< P_l, n_l x n_{l-1}, from the next coarser level; null on level 0
  SharedMatrix restriction;   ///< R_l = P_lᵀ, stored; null on level 0
  int          node_size = 1; ///< rows that belong to one node, stored next to each other
  /// Makes the patches of nodes that a smoother solves for, while it is built or in updates. Null: there are none.
  std::function<Patches(PatchKind)>   patches  = nullptr;
  std::shared_ptr<const HarmonicRows> harmonic = nullptr; ///< P follows A, P and R above are not read; null: they stay

  /// Returns the rows of A in host memory, without values where a device has them. Throws RunError if there are none.
  const CSRMatrix<double> &matrix() const
  {
    if (has_rows())
      return *host_rows();
    throw RunError("a level's matrix has no rows: it stores none, or has not been made yet");
  }
  bool has_rows() const { return host_rows() != nullptr; } ///< false: A stores none, or has not been made yet
  /// Returns the rows in the memory of the device that changes their values; null where none does.
  const CompressedRows *changing() const { return on_device() ? on_device()->rows.get() : nullptr; }
  /// Returns A where its entries are not stored; null where they are.
  const RowlessMatrix *rowless() const { return values.index() == 2 ? std::get<2>(values).get() : nullptr; }
  bool                 changes_on_device() const { return changing() || rowless(); }
  int                  n_rows() const { return rowless() ? rowless()->n_rows() : matrix().n_rows; }
  /// Returns the plan of A's columns; null on one rank, or where A has not been made yet.
  auto ghosts() const { return rowless() ? rowless()->ghosts() : has_rows() ? matrix().ghosts.get() : nullptr; }

private:
  const ValuesOnDevice    *on_device() const { return std::get_if<ValuesOnDevice>(&values); }
  const CSRMatrix<double> *host_rows() const
  {
    const auto *here = on_device() ? &on_device()->pattern : std::get_if<SharedMatrix>(&values);
    return here ? here->get() : nullptr;
  }
};
} // namespace adamant
