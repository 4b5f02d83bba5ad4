#pragma once

#include "algebra/cuda/runtime/check.cuh"
#include "algebra/cuda/sparse/sparse.cuh"
#include "base/csr/csr_matrix.h"

#include <vector>

// The conversion of a CSR matrix to the format of sparse.cuh (SparseMatrix::convert) takes three steps: `examine` on
// the GPU finds what the rows of slices have in common, `arrange` on the host decides how each slice is stored, and
// `fill` on the GPU fills them. Where values change later, `refill` fills in the new ones.

namespace adamant::cuda
{
/// Copies `source` in device memory to `target` in host memory, and waits for the copy.
template <typename T>
void to_host(const Context &context, const DeviceArray<T> &source, T *target)
{
  context.download(target, source.data(), source.size() * sizeof(T));
}

using Bits = unsigned long long;

/// Returns the different values of a matrix in device memory as Number, ascending. Values that differ by rounding are
/// merged where the dictionary does not hold them all (value_dictionary). Returns none where they are too many then,
/// too.
template <typename Number>
std::vector<Number> different_values(const Context &context, const RowsView &A);

/// The needs of one slice: its longest row, smallest and largest column, the stride of a stencil or -1, and its period.
/// `continues` says whether it begins as the first slice of its group of band_slices does, shifted.
struct Extent
{
  int  longest, smallest, largest, stride, period;
  bool continues;
};

constexpr int n_run_lengths             = 3;
constexpr int run_length[n_run_lengths] = {4, 3, 2}; // runs of 2: in dense blocks

/// Returns the extents of all slices of A, of which node_size, n_slices and nodes are read. Clears run_fits[r] unless
/// every row is made of runs of run_length[r] consecutive columns. Clears run_fits[n_run_lengths] unless the rows of
/// each node have equal columns.
template <typename Number>
std::vector<Extent> extents_of(const Context &context, const RowsView &source, const SparseMatrix<Number> &A,
                               std::vector<int> &run_fits);

/// Returns one extent for each group of `size` slices.
std::vector<Extent> of_groups(const std::vector<Extent> &extents, int size);

/// Returns the nodes in the order of their slices. Groups of 32 nodes that are stencils as they come are first. The
/// other nodes follow by the lengths of their rows, which leaves less padding. The list is empty where the padding is
/// below a tenth.
std::vector<int> order_of_nodes(const RowsView &rows, int node_size, const std::vector<Extent> &extents);

/// The different rows of a slice of dense blocks: their number n and, of the first most_models of them, the first lane
/// and a hash of the values. Bit 0 of `flags` says whether the columns of its first lane come in threes of neighbours.
/// Bit d says whether the slice d before continues in it.
struct RowsOfSlice
{
  int      n, lane[most_models];
  unsigned flags;
  Bits     hash[most_models];
};
struct DenseRows
{
  std::vector<RowsOfSlice>   of_slice;
  DeviceArray<unsigned char> number;          ///< number of each lane's row among its slice's different rows
  std::vector<int>           models_of_slice; ///< numbers of each slice's different rows in the table
  bool                       takes_models = true;
};

/// Returns the different rows in slices of A, which has dense blocks; its n_slices, node_size and nodes are read.
template <typename Number>
DenseRows compare_rows(const Context &context, const RowsView &source, const SparseMatrix<Number> &A);

/// What the rows of a matrix have in common. `extents` has one entry for each slice.
template <typename Number>
struct Examination
{
  std::vector<Extent> extents;
  std::vector<Number> dictionary;      ///< the different values; empty: there are too many
  int                 widest_band = 0; ///< bound of the entries in the rows of bands; 0: there are no bands
  DenseRows           dense;           ///< the rows of dense blocks
};

/// The way in which the slices are stored.
struct Arrangement : SliceCounts
{
  std::vector<Slice> slices;
  std::vector<int>   owners; ///< for each stencil of bands, the slice whose first row (or two) it is
  std::size_t        column_rows = 0, value_rows = 0, place_rows = 0; ///< of 32 words each
  std::vector<Model> models;
  unsigned           end_of_models = 0; ///< in model_units
  std::vector<int>   items;
};

/// Returns the arrangement of the slices of `A`, of which rows, run and n_values are read. found.dense gets the models
/// of slices.
template <typename Number>
Arrangement arrange(const Context &context, const RowsView &source, Examination<Number> &found,
                    const SparseMatrix<Number> &A);

/// Fills columns and values, or codes, of A, which has taken the arrangement of its slices. Returns whether rows of
/// dense blocks with equal hashes are equal; else A is not filled. It waits.
template <typename Number>
bool fill(const Context &context, const RowsView &source, const Arrangement &arrangement, const DenseRows &dense,
          SparseMatrix<Number> &A);

/// Fills the table of models, and their places. Returns whether rows with equal hashes are equal.
template <typename Number>
bool fill_models(const Context &context, const RowsView &source, const DenseRows &rows, SparseMatrix<Number> &A);
template <typename Number>
void fill_models(const Context &context, const RowsView &source, SparseMatrix<Number> &A);

/// Takes new values of `source`, which has the pattern that A was made of. Returns whether A could take them: where
/// several entries share a stored value, they have to agree again, as far as sparse.cuh says. It waits.
template <typename Number>
bool refill(Context &context, const RowsView &source, SparseMatrix<Number> &A);
} // namespace adamant::cuda
