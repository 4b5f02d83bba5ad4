#pragma once

#include "algebra/cuda/csr.cuh"
#include "algebra/cuda/sparse.cuh"
#include "base/csr_matrix.h"

#include <vector>

// From a CSR matrix in host memory to the format of sparse.cuh, in three steps: the GPU examines the slices, the host
// decides how each is stored, the GPU fills them.

namespace adamant
{
namespace cuda
{
/// What one slice needs: its longest row, smallest and largest column, the stride of a stencil or -1, its period, and
/// whether it begins as the first slice of its group of band_slices, shifted.
struct Extent
{
  int  longest, smallest, largest, stride, period;
  bool continues;
};

constexpr int n_run_lengths             = 4;
constexpr int run_length[n_run_lengths] = {9, 4, 3, 2}; // 2: in dense blocks

/// The extents of all slices of A, of which node_size, n_slices and nodes are read; clears run_fits[r] unless every row
/// is made of runs of run_length[r] consecutive columns, and run_fits[n_run_lengths] unless the rows of each node have
/// the same columns.
template <typename Number>
std::vector<Extent> examine(const Context &context, const RowsView &source, const SparseMatrix<Number> &A,
                            std::vector<int> &run_fits);

/// One extent for each group of slices.
std::vector<Extent> of_groups(const std::vector<Extent> &extents, int size);

/// The nodes in the order of their slices: groups of 32 that are stencils as they come, then the other nodes by the
/// lengths of their rows, which leaves less padding. Nothing where the padding is below a tenth.
std::vector<int> order_of_nodes(const Array<EntryNumber> &row_start, int node_size, const std::vector<Extent> &extents);

/// What a slice of dense blocks has: how many different rows and, of the first most_models of them, the first lane and
/// a hash of the values; flags: bit 0, whether the columns of its first lane come in threes of neighbours; bit d,
/// whether the slice d before it continues in it.
struct RowsOfSlice
{
  int                n, lane[most_models];
  unsigned           flags;
  unsigned long long hash[most_models];
};
struct DenseRows
{
  using Bits = unsigned long long;
  std::vector<RowsOfSlice>   of_slice;
  DeviceArray<unsigned char> number;          ///< of each lane's row among those of its slice
  std::vector<int>           models_of_slice; ///< the numbers of its different rows in the table
  bool                       takes_models = true;
};

/// A has dense blocks; n_slices, node_size and nodes are read.
template <typename Number>
DenseRows compare_rows(const Context &context, const RowsView &source, const SparseMatrix<Number> &A);

/// How the slices are stored.
struct Arrangement
{
  std::vector<Slice> slices;
  std::vector<int>   owners; ///< of the bands' stencils: the slice whose first row (or two) is it
  std::size_t        column_rows = 0, value_rows = 0, place_rows = 0;                          ///< of 32 words
  int                n_narrow = 0, n_stencil = 0, n_band = 0, n_of_models = 0, n_on_lines = 0; ///< slices
  std::vector<Model> models;
  unsigned           end_of_models = 0; ///< in model_units
  std::vector<int>   items;
};

/// Bands' rows have at most `widest_band` entries; of `A`, rows, run and n_values are read. `dense`: of a matrix of
/// dense blocks; gets the models of slices.
template <typename Number>
Arrangement arrange(const Context &context, const RowsView &source, const std::vector<Extent> &extents,
                    const SparseMatrix<Number> &A, int widest_band, DenseRows *dense);

/// Fills columns and values, or codes, of A after the arrangement of its slices, whose stencils' owners are in device
/// memory.
template <typename Number>
void fill(const Context &context, const RowsView &source, const int *owners, SparseMatrix<Number> &A);

/// The table of models, and their places. Returns whether rows of the same hash are the same.
template <typename Number>
bool fill_models(const Context &context, const RowsView &source, const DenseRows &rows, SparseMatrix<Number> &A);
template <typename Number>
void fill_models(const Context &context, const RowsView &source, SparseMatrix<Number> &A);

/// The values alone: `source` has new ones, on the pattern that A was made of. Returns whether A could take them: where
/// several entries share a stored value, these have to agree again, as far as sparse.cuh says. Waits.
template <typename Number>
bool refill(const Context &context, const RowsView &source, SparseMatrix<Number> &A);
} // namespace cuda
} // namespace adamant
