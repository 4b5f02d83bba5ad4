#pragma once

#include "base/csr_matrix.h"
#include "base/exchange_plan.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace adamant
{
/// Sparse matrices on one pattern, packed for products that need all of them at once, in host memory. `lanes`
/// consecutive rows form a slice; entry e of its rows has the values value[((slice.value + e) n_matrices + m) lanes +
/// row]: one stream, no index twice. Columns: where the rows of a slice have the same offsets column - row (nodes
/// numbered along the lines of a mesh) the slice stores these, and zeros for neighbours that a row lacks; else a
/// column for every entry.
struct PackedMatrices
{
  struct Slice
  {
    long value;    ///< first entry, in units of n_matrices * lanes values
    int  column;   ///< first of its columns, in units of lanes where they are stored for every row
    int  width;    ///< entries a row
    int  diagonal; ///< 1: offsets of all rows, 0: columns of every row
  };

  int           n_rows = 0, n_cols = 0, n_matrices = 0, lanes = 0;
  Array<Slice>  slices;
  Array<int>    offset; ///< of diagonal slices
  Array<int>    column; ///< of the others
  Array<double> value;

  std::size_t bytes() const ///< that a product reads of it
  {
    return slices.size() * sizeof(Slice) + (offset.size() + column.size()) * sizeof(int) +
           value.size() * sizeof(double);
  }
};

/// `matrices` have the same pattern; of those with ghosts the owned columns are taken. The same result for any number
/// of threads.
PackedMatrices pack(const std::vector<const CSRMatrix<double> *> &matrices, int lanes);

/// The entries in the columns of other ranks, on one rank none.
struct PackedGhosts
{
  std::shared_ptr<const ExchangePlan> plan;    ///< null on one rank
  Array<int>                          row;     ///< the rows that have such entries, ascending
  PackedMatrices                      entries; ///< row k is that part of row[k], columns are numbers of ghosts
};

/// All ranks have ghosts, or none.
PackedGhosts pack_ghosts(const std::vector<const CSRMatrix<double> *> &matrices, int lanes);
} // namespace adamant
