#pragma once

#include "algebra/cuda/runtime/check.cuh"
#include "algebra/cuda/sparse/ghosts.cuh"
#include "algebra/cuda/sparse/row_operands.cuh"

#include "base/exceptions.h"

#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

// The sparse matrix on the GPU, and the kernel that serves products in all formats (others: for_each_row.cuh).
//
// Sliced ELL: 32 consecutive rows, a warp's, form a slice; entry j of its rows lies in 32 consecutive places, so that
// all loads coalesce. A slice is as wide as its longest row; absent entries have no column. Where rows come in nodes of
// several components, the rows of 32 nodes form one slice for each component. A slice's rows are then alike on uniform
// parts of a mesh; elsewhere nodes are taken in the order of their rows' lengths where that saves padding. Dense blocks
// of 2 x 2 to 4 x 4 have one slice for all rows of 32 nodes, a node to a thread. Columns and vector entries are then
// read once for all rows of a node.
//
// At set-up each matrix is examined:
//
//  * Columns that come in runs of 4, 3 or, in dense blocks, 2 store one index for each run, such as the components of
//    a node.
//  * A slice of 32 rows that are one row, shifted, stores that row only. Groups of four such slices share it with all
//    groups that are alike (meshes of similar cells, numbered along lines). With nodes of several rows, the slice takes
//    one row of each of 32 nodes. With codes of values there may also be two rows in turn (transfer matrices).
//  * Another slice whose columns span less than 2^16 stores 16-bit offsets.
//  * A matrix with at most 256 different values (meshes of similar cells, transfer) stores 8-bit codes for them.
//  * Dense blocks have codes of whole rows instead, in slices whose nodes have at most most_models different ones
//    (adaptive meshes of similar cells). Such a slice stores where each node has its row in a table of all such rows.
//  * Slices of dense blocks that continue each other along a mesh line are multiplied together (lines.cuh).
//
// Columns are stored as they are. Values are rounded to Number, and values that differ by rounding are merged. Rows are
// taken for one row where they differ by at most same_value<Number> times the row's largest magnitude. This is 16 units
// in the last place (value_dictionary.h). It may happen three times to a row: within its slice, within its group of
// slices and among groups. Where more than 256 values differ, values no more than rounding_unit<Number> of their rows
// apart become one in the dictionary, which adds at most as much again. A stored value thus differs from its rounded
// one by at most 4 same_value<Number> times its row's largest. Matrix format = cusparse merges nothing.
//
// The reasons were measured: docs/benchmarks/gpu-notes.md.

namespace adamant::cuda
{
constexpr int      slice_rows = 32, dictionary_size = 256, band_slices = 4, in_pairs = 1 << 24;
constexpr int      most_threads = 512;              // bound of threads in a block of row_kernel
constexpr int      most_models = 8, model_unit = 4; // bound of a slice's models; alignment of their rows
constexpr unsigned absent = 0xffffffff;             // stands for no column, or for no two offsets

/// The way in which the columns and the values of a slice are stored.
enum class SliceKind : unsigned
{
  full,    ///< every column
  narrow,  ///< 16-bit offsets from the slice's smallest column, two in a word
  stencil, ///< one row: row i has its values, and its columns + stride i; with in_pairs added to the stride,
           ///< two rows, each for every other row of the slice
  band     ///< a stencil for band_slices slices together
};

/// The place and the kind of a slice. Places are counted in rows of 32 values, or of 32 words with columns, codes (four
/// in a word) or places of models. Bands share stencils: stencil n has its columns and its codes in row n.
struct alignas(16) Slice
{
  int       column_row; // of a band: its stencil
  int       value_row;  // of a band: the column from which its columns count
  int       width;      ///< number of runs
  SliceKind kind : 2;
  unsigned of_models : 1, follows : 1; ///< whether the values are in the table of models, or belong to an earlier slice
  int      parameter : 28;             // the smallest column, or stride_code

  __host__ __device__ bool has_stencil() const { return kind == SliceKind::stencil || kind == SliceKind::band; }

  // The places of the first column, of the first value, code or model, and of the first code.
  __host__ __device__ long columns() const { return 32L * column_row; }
  __host__ __device__ long values() const { return 32L * value_row; } // not of bands
  __host__ __device__ long codes() const { return kind == SliceKind::band ? columns() : values(); }

  // Of a narrow slice: the column from which its offsets count.
  __host__ __device__ int smallest_column() const { return parameter; }

  // Of stencils and bands: the shift of columns from a row to the next, or next but one where two rows take turns.
  __host__ __device__ int                  stride() const { return parameter % in_pairs; }
  __host__ __device__ bool                 has_pairs() const { return parameter >= in_pairs; }
  __host__ __device__ static constexpr int stride_code(int stride, int period)
  {
    return stride + (period - 1) * in_pairs;
  }

  // Of bands: the stencil, and the column from which its columns count.
  __host__ __device__ int stencil() const { return column_row; }
  __host__ __device__ int first_column() const { return value_row; }
};

/// A row of the table of models. `place` is 32 times the slice from which it comes, plus the lane; `start` is its place
/// in the table, in units of model_unit values.
struct Model
{
  int      place;
  unsigned start;
};

/// The numbers of slices that are narrow, stencils, in bands, with values in the table of models, and on mesh lines.
struct SliceCounts
{
  int n_narrow = 0, n_stencil = 0, n_band = 0, n_of_models = 0, n_on_lines = 0;
};

template <typename Number>
struct Examination; // conversion.cuh
struct Arrangement;

template <typename Number>
class SparseMatrix : public MatrixStorage<Number>, public SliceCounts
{
public:
  /// Makes the matrix `source`. Where its rows are spread over ranks, it shares the exchange of another matrix of its
  /// pattern if `exchange` is given. `changing` points to its rows in device memory if their values will change
  /// there.
  SparseMatrix(std::shared_ptr<Context> context, const CSRMatrix<double> &source, int node_size,
               std::shared_ptr<Exchange<Number>> exchange = nullptr, const RowsView *changing = nullptr);

  void        multiply(Number a, const Number *x, Number b, Number *y) const override;
  void        update(const CSRMatrix<double> &source) override;
  void        update_values(const RowsView &rows) override;
  std::size_t bytes() const override;
  std::string format() const override;

  int rows = 1; ///< rows that a thread takes: all rows of a node in dense blocks
  int run = 1, widest = 0, n_slices = 0;
  int n_values     = 0;                           ///< size of the dictionary; 0: no codes
  int most_threads = adamant::cuda::most_threads; ///< bound of threads in a block of row_kernel

  DeviceArray<int>      nodes; ///< nodes of the lanes of each group of slices; empty: in their order
  DeviceArray<Slice>    slices;
  DeviceArray<unsigned> columns;
  DeviceArray<Number>   values; ///< the entries or, with codes, the dictionary; then the table of models
  DeviceArray<unsigned> codes;  ///< codes of values, or places of models
  DeviceArray<Model>    models;
  DeviceArray<int>      items; ///< each a LineItem: the slices of a warp of line_kernel; empty: row_kernel

  std::shared_ptr<GhostMatrix<Number>> ghosts; ///< the entries in columns of other ranks; null: there are none

private:
  // The conversion, and its steps before `fill`; they read no values of `pattern`.
  void                convert(const RowsView &source, const CSRMatrix<double> &pattern);
  Examination<Number> examine(const RowsView &source, const CSRMatrix<double> &pattern);
  void                take(const Arrangement &arrangement, std::vector<Number> dictionary);

  RowsView owned(RowsView rows) const;

  std::shared_ptr<Context> context;
  std::size_t              pattern       = 0;     // hash of the rows' lengths
  int                      first_ghost   = -1;    // column of the first ghost, where there is one
  bool                     changing      = false; // whether values change in device memory
  bool                     plain         = false; // whether each value is stored
  bool                     models_differ = false; // whether different rows share a hash
};

/// The properties for which kernels are compiled: the run, the runs fetched at once, codes or values, and the rows of a
/// thread. A thread has one row, or all rows of a node, which then have equal columns.
template <int run_, int chunk_, bool coded_, int rows_ = 1>
struct Format // dense blocks are not coded
{
  static constexpr int  run = run_, chunk = chunk_, rows = rows_;
  static constexpr bool coded = coded_;
  static constexpr bool bands = coded && rows == 1 && run * chunk <= 16; ///< whether a thread takes several slices
  static constexpr bool lines = rows == 2 || rows == 3;                  ///< whether line_kernel is compiled
};

template <typename Number>
struct SparseView
{
  int             n_rows, n_slices, node_size, n_items;
  const int      *nodes;
  const Slice    *slices;
  const unsigned *columns;
  const Number   *values; // the entries or the dictionary
  const unsigned *codes;
  const int      *items;
};

template <typename Number>
SparseView<Number> view(const SparseMatrix<Number> &A)
{
  return {A.n_rows,       A.n_slices,      A.node_size,      static_cast<int>(A.items.size()),
          A.nodes.data(), A.slices.data(), A.columns.data(), A.values.data(),
          A.codes.data(), A.items.data()};
}

/// Returns the (first) row for which a lane of a slice stands. A group of 32 nodes has `per_group` slices; the nodes
/// come in their order or by the list of nodes. The row may lie behind the last one.
__host__ __device__ inline int row_of(int slice, int lane, int node_size, int per_group, const int *nodes = nullptr)
{
  if (node_size == 1)
    return slice_rows * slice + lane;
  const int place = slice_rows * (slice / per_group) + lane;
  return node_size * (nodes == nullptr ? place : nodes[place]) + slice % per_group;
}

__host__ __device__ inline int slices_for(int n_rows, int node_size)
{
  return (n_rows + slice_rows * node_size - 1) / (slice_rows * node_size) * node_size;
}

/// Calls action(Format) with the format of A.
template <typename Number, class Action>
void with_format(const SparseMatrix<Number> &A, const Action &action)
{
  const auto with_run = [&](auto coded) {
    constexpr bool c = decltype(coded)::value;
    if (A.run == 4)
      action(Format<4, 4, c>());
    else if (A.run == 3)
      action(Format<3, 4, c>());
    else if (A.widest <= 4)
      action(Format<1, 4, c>());
    else if (A.widest <= 9)
      action(Format<1, 9, c>()); // the whole row at once
    else
      action(Format<1, 12, c>());
  };
  constexpr int few = sizeof(Number) == 4 ? 2 : 1; // registers for more do not fit in double precision
  if (A.rows == 2)
    action(Format<2, 4 * few, false, 2>());
  else if (A.rows == 3)
    action(Format<3, 2 * few, false, 3>());
  else if (A.rows == 4)
    action(Format<4, 2, false, 4>());
  else
    A.n_values > 0 ? with_run(std::true_type()) : with_run(std::false_type());
}

/// A few runs of one row in registers, so that all loads are under way before the first use.
template <class Format, typename Number, SliceKind kind, bool of_models = false>
struct Chunk
{
  using Stored = std::conditional_t<Format::coded, unsigned, Number>;

  static constexpr bool stencil = kind == SliceKind::stencil;
  static constexpr int  runs = Format::chunk, per_run = Format::run * Format::rows, entries = runs * per_run;

  int column[runs];
  alignas(16) Stored data[Format::coded ? (entries + 3) / 4 : entries];

  // Bands may have two rows in turn.
  static __device__ int pairs_of(const Slice &s) { return stencil && Format::bands && s.has_pairs() ? 1 : 0; }

  // Returns where the values of the lane begin.
  static __device__ const Stored *values_of(const SparseView<Number> &A, const Slice &s, int lane)
  {
    constexpr int step = Format::coded ? 4 : 1;
    if constexpr (of_models)
      return A.values + static_cast<long>(model_unit) * __ldg(A.codes + s.values() + lane);
    else
      {
        const long first =
          s.values() + (stencil ? (lane & pairs_of(s)) * ((s.width * per_run + step - 1) / step) : lane);
        if constexpr (Format::coded)
          return A.codes + first;
        else
          return A.values + first;
      }
  }

  __device__ void load(const SparseView<Number> &A, const Slice &s, int lane, int first)
  {
    load_columns(A, s, lane, first);
    load_values(s, first, values_of(A, s, lane));
  }
  __device__ void load_columns(const SparseView<Number> &A, const Slice &s, int lane, int first)
  {
    // All rows of a stencil slice read the same words.
    const int       pairs = pairs_of(s), model = lane & pairs;
    constexpr int   per_word = kind == SliceKind::narrow ? 2 : 1, spacing = stencil ? 1 : 32;
    const unsigned *columns =
      A.columns + s.columns() + spacing * (first / per_word) + (stencil ? model * s.width : lane);
#pragma unroll
    for (int r = 0; r < runs; r += per_word)
      {
        const unsigned word = first + r < s.width ? __ldg(columns + spacing * (r / per_word)) : absent;
        if constexpr (kind == SliceKind::narrow)
          {
            column[r] = (word & 0xffff) == 0xffff ? -1 : s.smallest_column() + static_cast<int>(word & 0xffff);
            if (r + 1 < runs)
              column[r + 1] = word >> 16 == 0xffff ? -1 : s.smallest_column() + static_cast<int>(word >> 16);
          }
        else if constexpr (stencil)
          column[r] = word == absent ? -1 : static_cast<int>(word) + s.stride() * (lane >> pairs);
        else
          column[r] = static_cast<int>(word);
      }
  }
  __device__ void load_values(const Slice &s, int first, const Stored *from)
  {
    constexpr int step = Format::coded ? 4 : 1, between = stencil || of_models ? 1 : 32, at_once = 16 / sizeof(Number);
    from += between * (first * per_run / step);
    if constexpr ((of_models || (stencil && !Format::coded && at_once == 4)) && entries % at_once == 0)
      {
        // There are fewer loads, of 16 bytes each. In double precision they are slower where all lanes read one place.
#pragma unroll
        for (int e = 0; e < entries; e += at_once)
          if (first * per_run + e < s.width * per_run)
            *reinterpret_cast<int4 *>(data + e) = __ldg(reinterpret_cast<const int4 *>(from + e));
      }
    else
      {
#pragma unroll
        for (int e = 0; e < entries; e += step)
          if (first * per_run + e < s.width * per_run)
            data[e / step] = __ldg(from + between * (e / step));
      }
  }

  /// Adds the chunk's part of the rows' products.
  template <class Gather>
  __device__ void add_product(const Number *dictionary, const Gather &x, Number (&sum)[Format::rows]) const
  {
#pragma unroll
    for (int r = 0; r < runs; ++r)
      if (column[r] >= 0)
        {
          Number x_run[Format::run];
#pragma unroll
          for (int i = 0; i < Format::run; ++i)
            x_run[i] = x(column[r] + i);
#pragma unroll
          for (int e = 0; e < per_run; ++e)
            {
              const int    k     = r * per_run + e;
              const Number value = [&] {
                if constexpr (Format::coded)
                  return dictionary[(data[k / 4] >> (8 * (k % 4))) & 0xff];
                else
                  return data[k];
              }();
              sum[e / Format::run] += value * x_run[e % Format::run];
            }
        }
  }
};

/// Multiplies the lane's rows of the slice by x, or the part-th part of `parts` of these rows. The code before the wait
/// overlaps with the previous kernel: it loads the matrix only. fetch() loads the other data that the rows need, beside
/// x and not after it.
template <class Format, SliceKind kind, bool of_models = false, typename Number, class Gather, class Fetch>
__device__ void slice_product(const SparseView<Number> &A, const Number *dictionary, const Slice &s, int lane, int part,
                              int parts, const Gather &x, const Fetch &fetch, Number (&sum)[Format::rows])
{
  Chunk<Format, Number, kind, of_models> chunk;
  const auto *const                      values = chunk.values_of(A, s, lane);
  chunk.load_columns(A, s, lane, part * Format::chunk);
  chunk.load_values(s, part * Format::chunk, values);
  wait_for_predecessor();
  fetch();
  for (int c = 0; c < Format::rows; ++c)
    sum[c] = 0;
  // In the long rows of dense blocks, the next columns are on their way while x comes for these.
  constexpr bool ahead = Format::rows > 1;
  for (int first = (part + parts) * Format::chunk;; first += parts * Format::chunk)
    {
      const auto now = chunk;
      if (ahead && first < s.width)
        chunk.load_columns(A, s, lane, first);
      now.add_product(dictionary, x, sum);
      if (first >= s.width)
        return;
      if (!ahead)
        chunk.load_columns(A, s, lane, first);
      chunk.load_values(s, first, values);
    }
}

template <class Format, typename Number>
__device__ void load_dictionary(const SparseView<Number> &A, Number *dictionary)
{
  if constexpr (Format::coded)
    {
      for (int i = threadIdx.x; i < dictionary_size; i += blockDim.x)
        dictionary[i] = __ldg(A.values + i);
      __syncthreads();
    }
}

/// A gather for columns that count from `first`: returns x(first + i).
template <class Gather>
struct Shifted
{
  int             first;
  const Gather   &x;
  __device__ auto operator()(int i) const { return x(first + i); }
};

/// Returns the slice `band` as a stencil, with codes at values().
__device__ inline Slice stencil_of(Slice band)
{
  band.value_row = band.column_row;
  return band;
}

template <class Format, typename Number, class Gather, class Fetch>
__device__ void rows_product(const SparseView<Number> &A, const Number *dictionary, int lane, int part, int parts,
                             const Slice &s, const Gather &x, const Fetch &fetch, Number (&sum)[Format::rows],
                             int place_in_band = 0)
{
  if constexpr (Format::bands)
    if (s.kind == SliceKind::band)
      return slice_product<Format, SliceKind::stencil>(A, dictionary, stencil_of(s), lane + place_in_band, part, parts,
                                                       Shifted<Gather>{s.first_column(), x}, fetch, sum);
  if constexpr (Format::rows > 1)
    if (s.of_models)
      return s.kind == SliceKind::narrow ?
               slice_product<Format, SliceKind::narrow, true>(A, dictionary, s, lane, part, parts, x, fetch, sum) :
               slice_product<Format, SliceKind::full, true>(A, dictionary, s, lane, part, parts, x, fetch, sum);
  switch (s.kind)
    {
      case SliceKind::stencil:
        return slice_product<Format, SliceKind::stencil>(A, dictionary, s, lane, part, parts, x, fetch, sum);
      case SliceKind::narrow:
        return slice_product<Format, SliceKind::narrow>(A, dictionary, s, lane, part, parts, x, fetch, sum);
      default: return slice_product<Format, SliceKind::full>(A, dictionary, s, lane, part, parts, x, fetch, sum);
    }
}

/// Calls finish(row, (A x)_row, operands) for all rows, in the blocks behind the ones that send x to other ranks. A
/// block of threads has `lanes` lanes of slices and `parts` threads for each lane, which share its entries.
template <class Format, typename Number, class Gather, class Finish>
__global__ void __launch_bounds__(most_threads) row_kernel(const Sends<Number> sends, const SparseView<Number> A,
                                                           int lanes, int parts, const Gather x, const Finish finish)
{
  let_successor_start();
  if (sends.by_this_block(OneComponent<Gather>{x}))
    return;
  constexpr int     rows = Format::rows;
  __shared__ Number dictionary[Format::coded ? dictionary_size : 1], shared[rows * most_threads];
  load_dictionary<Format>(A, dictionary);
  const int part = threadIdx.x / lanes, local = threadIdx.x % lanes, lane = local % slice_rows;
  const int slice = ((blockIdx.x - sends.n_blocks) * lanes + local) / slice_rows, per_group = A.node_size / rows;
  Slice     s{};
  int       row = A.n_rows;
  if (slice < A.n_slices)
    {
      s   = A.slices[slice];
      row = row_of(slice, lane, A.node_size, per_group, A.nodes);
    }
  const bool                            mine = part == 0 && row < A.n_rows;
  decltype(operands_of<Finish, rows>()) operands;
  constexpr bool                        early = fetches_early<decltype(operands)>;
  Number                                sum[rows];
  const auto                            fetch = [&] {
    if (early && mine)
      operands.fetch(finish, row);
  };
  rows_product<Format>(A, dictionary, lane, part, parts, s, x, fetch, sum, slice % band_slices * slice_rows);
  if (parts > 1)
    {
#pragma unroll
      for (int c = 0; c < rows; ++c)
        shared[c * most_threads + threadIdx.x] = sum[c];
      __syncthreads();
      for (int other = 1; part == 0 && other < parts; ++other)
#pragma unroll
        for (int c = 0; c < rows; ++c)
          sum[c] += shared[c * most_threads + other * lanes + local];
    }
  if (!early && mine)
    operands.fetch(finish, row);
  if constexpr (Finish::by_node && rows == 1)
    {
      // The rows of a node meet in shared memory: a block of threads holds whole nodes.
      const Number residual = mine ? finish.residual(row, sum[0]) : Number(0);
      const int    place    = row_of(local / slice_rows, lane, A.node_size, per_group);
      if (parts > 1)
        __syncthreads();
      if (mine)
        shared[place] = residual;
      __syncthreads();
      if (mine)
        finish.finish_row(row, shared + place - row % finish.node_size);
    }
  else if (mine && !(Finish::skips_empty && s.width == 0))
    finish_rows_of_node<rows>(finish, row, sum, operands);
}
} // namespace adamant::cuda
