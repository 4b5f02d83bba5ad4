#pragma once

#include "base/csr/csr_matrix.h"
#include "base/exchange_plan.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace adamant
{
/// Sparse matrices on one pattern, packed for products that need all of them at once, in host memory. `lanes`
/// consecutive rows form a slice. Entry e of its rows has the values value[((slice.value + e) n_matrices + m) lanes +
/// row]: one stream, no index twice. Rows of a slice may have equal offsets column - row, as where nodes are numbered
/// along the lines of a mesh. The slice then stores these offsets, and zeros for neighbours that a row lacks. Any other
/// slice stores a column for every entry.
struct PackedMatrices
{
  struct Slice
  {
    long value;    ///< first entry, in units of n_matrices * lanes values
    int  column;   ///< first of its columns or offsets, in units of lanes where columns are stored for every row
    int  width;    ///< entries a row
    int  diagonal; ///< 1: it stores offsets of all rows, 0: columns of every row
  };

  int           n_rows = 0, n_cols = 0, n_matrices = 0, lanes = 0;
  Array<Slice>  slices;
  Array<int>    offset; ///< for diagonal slices
  Array<int>    column; ///< for all other slices
  Array<double> value;

  std::size_t bytes() const ///< bytes that a product reads of it
  {
    return slices.size() * sizeof(Slice) + (offset.size() + column.size()) * sizeof(int) +
           value.size() * sizeof(double);
  }
};

/// Packs `matrices` of one pattern; of matrices with ghosts it takes the owned columns. The result does not depend on
/// the number of threads.
PackedMatrices pack(const std::vector<const CSRMatrix<double> *> &matrices, int lanes);

/// The entries in the columns of other ranks; there are none on one rank.
struct PackedGhosts
{
  std::shared_ptr<const ExchangePlan> plan;    ///< null on one rank
  Array<int>                          row;     ///< the rows with ghosts, ascending
  PackedMatrices                      entries; ///< row k is the ghosts' part of row[k]; columns are numbers of ghosts
};

/// Packs the ghosts' part; either all ranks have ghosts, or none.
PackedGhosts pack_ghosts(const std::vector<const CSRMatrix<double> *> &matrices, int lanes);
} // namespace adamant
