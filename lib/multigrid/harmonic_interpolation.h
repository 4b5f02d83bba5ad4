#pragma once

#include "multigrid/smoothers/patch/patch_functors.h"
#include "operators/patches.h"

#include <vector>

namespace adamant
{
/// The interpolation P whose values inside refined cells follow the matrix A, on a device: P_i = -A_ii⁻¹ A_ib P_b, where
/// i are the unknowns inside a cell, and b those around them. P_i has least energy. Small dense matrices give it, cell
/// by cell, with sums in a fixed order. Each rank computes its own rows.
class HarmonicInterpolation
{
public:
  /// P has the pattern of rows.P, with `node_size` rows a node. The dense matrices that are in memory together
  /// have about `most_entries` entries, by default 256 MB.
  HarmonicInterpolation(const Device &device, const HarmonicRows &rows, int node_size,
                        std::size_t most_entries = std::size_t(1) << 25);

  void update(const RowsView &A); ///< computes P and its transpose from the values of A

  CSRMatrix<double> R_pattern; ///< of R
  CompressedRows    P, R;      ///< R: the transpose of this rank's rows of P

private:
  // Cells whose dense matrices are in memory together.
  struct Cells
  {
    PatchLists        nodes;
    List<int>         cell, first_column; // see InsideView
    List<EntryNumber> first;
  };

  Device             device;
  std::vector<Cells> parts;
  CompressedRows     around;
  List<EntryNumber>  place; // R's entry k is entry place[k] of P
  Vector<double>     inverse, right;
};
} // namespace adamant
