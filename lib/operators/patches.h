#pragma once

#include "base/csr/csr_matrix.h"

namespace adamant
{
enum class PatchKind
{
  cells,    ///< a patch for each cell: the nodes that act on the cell
  vertices, ///< a patch for each vertex: the nodes that act on no other cells than those around the vertex
  stars     ///< a patch for each vertex: all nodes that act on the cells around the vertex
};

/// Overlapping sets of nodes, in host memory. Patch k has node[start[k]], ..., node[start[k + 1] - 1], which ascend.
struct Patches
{
  Array<int> start = {0}, node;

  int size() const { return static_cast<int>(start.size()) - 1; }
};

/// What stays of an interpolation P whose values inside refined cells follow the matrix A, see HarmonicInterpolation.
struct HarmonicRows
{
  Patches           inside; ///< the nodes inside each coarse cell
  CSRMatrix<double> around; ///< the rows of P that stay, one for each column of A; rows inside cells are empty
  CSRMatrix<double> P;      ///< rows inside cells have zeros in all columns that they will take
};
} // namespace adamant
