#include "algebra/cuda/sparse/conversion.cuh"
#include "algebra/value_dictionary.h"

namespace adamant::cuda
{
namespace
{
// Fills the slices: a thread a row, padding included.
template <typename Number>
__global__ void fill_kernel(RowsView A, int n_slices, int node_size, int rows, const int *nodes, int run, int n_values,
                            const Slice *slices, const int *owners, unsigned *columns, Number *values, unsigned *codes)
{
  wait_for_predecessor();
  const int slice = (blockIdx.x * blockDim.x + threadIdx.x) / slice_rows, lane = threadIdx.x % slice_rows;
  if (slice >= n_slices)
    return;
  const int   row   = row_of(slice, lane, node_size, node_size / rows, nodes);
  const Slice s     = slices[slice];
  const auto  begin = row < A.n_rows ? A.row_start[row] : 0;
  const int   n     = row < A.n_rows ? static_cast<int>(A.end(row) - begin) : 0;
  const int   pitch = row < A.n_rows ? static_cast<int>(A.row_start[row + 1] - begin) : 0; // of a node's rows
  columns += s.columns() + lane;
  const auto column = [&](int r) { return r * run < n ? static_cast<unsigned>(A.column[begin + r * run]) : absent; };
  const auto offset = [&](int r) { return r * run < n ? column(r) - s.smallest_column() : 0xffff; };
  const bool band = s.kind == SliceKind::band, stencil = s.has_stencil();
  const long spacing = stencil ? 1 : 32;
  if (stencil)
    {
      // The first row stands for all, or the first two.
      if (lane > s.has_pairs() || (band && owners[s.stencil()] != slice))
        return;
      for (int r = 0; r < s.width; ++r)
        columns[lane * (s.width - 1) + r] = column(r) == absent ? absent : column(r) - (band ? s.first_column() : 0);
    }
  else if (s.kind == SliceKind::full)
    for (int r = 0; r < s.width; ++r)
      columns[r * 32L] = column(r);
  else
    for (int r = 0; r < s.width; r += 2)
      columns[r / 2 * 32L] = offset(r) | offset(r + 1) << 16;
  if (s.of_models || s.follows)
    return;
  // Entry e: run by run, for each row of the node in turn.
  const int  entries = s.width * run * rows;
  const auto value   = [&](int e) {
    const int k = e / (run * rows) * run + e % run, c = e / run % rows;
    return k < n ? static_cast<Number>(A.value[begin + c * pitch + k]) : Number(0);
  };
  if (n_values == 0)
    for (int e = 0; e < entries; ++e)
      values[s.values() + spacing * e + lane] = value(e);
  else
    for (int e = 0; e < entries; e += 4)
      {
        unsigned word = 0;
        for (int i = 0; i < 4 && e + i < n * rows; ++i)
          word |= static_cast<unsigned>(code_of(value(e + i), values, n_values)) << (8 * i);
        codes[s.codes() + spacing * (e / 4) + (stencil ? lane * ((entries + 3) / 4) : lane)] = word;
      }
}

} // namespace

template <typename Number>
bool fill(const Context &context, const RowsView &source, const Arrangement &arrangement, const DenseRows &dense,
          SparseMatrix<Number> &A)
{
  const auto owners = to_device(context, arrangement.owners.data(), arrangement.owners.size(), "conversion");
  launch(context, "fill", fill_kernel<Number>, blocks_for(slice_rows * static_cast<long>(A.n_slices)), block_size,
         source, A.n_slices, A.node_size, A.rows, A.nodes.data(), A.run, A.n_values, A.slices.data(), owners.data(),
         A.columns.data(), A.values.data(), A.codes.data());
  const bool filled = A.rows == 1 || fill_models(context, source, dense, A);
  context.synchronize(); // `owners` goes
  return filled;
}

template bool fill(const Context &, const RowsView &, const Arrangement &, const DenseRows &, SparseMatrix<double> &);
template bool fill(const Context &, const RowsView &, const Arrangement &, const DenseRows &, SparseMatrix<float> &);

// All that follows takes new values for a matrix whose format stays.
namespace
{
constexpr Bits none = ~Bits(0);

// Numbers as integers of the same order.
__device__ Bits ordered(double value)
{
  const Bits bits = __double_as_longlong(value);
  return bits >> 63 ? ~bits : bits | Bits(1) << 63;
}
__device__ double number_of(Bits bits)
{
  return __longlong_as_double(bits >> 63 ? bits & ~(Bits(1) << 63) : ~bits);
}

// What kernels know of a format beside its view.
struct Shape
{
  int rows, run, n_values;
};

// The entries of the rows of one lane of a slice: where they come from, and where they are stored.
template <typename Number>
struct LaneEntries
{
  const SparseView<Number> &A;
  const Shape              &shape;
  EntryNumber               begin = 0;                 // in the source
  int                       row = 0, n = 0, pitch = 0; // the first row, its entries, and with those of ghosts
  bool                      shared = false;            // with other rows
  bool                      model  = true;             // whether the values are stored for this row
  const unsigned           *codes  = nullptr;
  long                      first = 0, spacing = 32; // of the values

  __device__ LaneEntries(const SparseView<Number> &A, const Shape &shape, const RowsView &source, int slice, int lane)
    : A(A)
    , shape(shape)
  {
    row = row_of(slice, lane, A.node_size, A.node_size / shape.rows, A.nodes);
    if (row >= A.n_rows)
      return;
    begin               = source.row_start[row];
    n                   = static_cast<int>(source.end(row) - begin);
    pitch               = static_cast<int>(source.row_start[row + 1] - begin);
    const Slice s       = A.slices[slice];
    const int   of_pair = s.has_pairs() ? lane % 2 : 0;
    shared              = s.has_stencil();
    model               = (!shared || lane == of_pair) && !s.of_models && !s.follows;
    shared              = shared || s.of_models;
    spacing             = shared ? 1 : 32;
    first = s.of_models ? static_cast<long>(model_unit) * A.codes[s.values() + lane] : s.values() + (shared ? 0 : lane);
    if (shape.n_values > 0)
      codes = A.codes + s.codes() + (shared ? of_pair * ((s.width * shape.run * shape.rows + 3) / 4) : lane);
  }

  // Calls action(e, from) for the entries e of row c of the node that are no padding; `from`: place in the source.
  template <class Action>
  __device__ void for_each_of_row(int c, const Action &action) const
  {
    for (int k = 0, e = c * shape.run; k < n; k += shape.run, e += shape.rows * shape.run)
      for (int q = 0; q < shape.run && k + q < n; ++q)
        action(e + q, begin + static_cast<EntryNumber>(c) * pitch + k + q);
  }
  __device__ int  code(int e) const { return codes[spacing * (e / 4)] >> (8 * (e % 4)) & 0xff; }
  __device__ long place(int e) const { return shape.n_values > 0 ? code(e) : first + spacing * e; }
};

__device__ int my_slice()
{
  return (blockIdx.x * blockDim.x + threadIdx.x) / slice_rows;
}

// smallest[c] = the smallest new value among all entries with code c.
template <typename Number>
__global__ void smallest_kernel(SparseView<Number> A, Shape shape, RowsView source, Bits *smallest)
{
  wait_for_predecessor();
  __shared__ Bits found[dictionary_size];
  for (int c = threadIdx.x; c < dictionary_size; c += blockDim.x)
    found[c] = none;
  __syncthreads();
  if (my_slice() < A.n_slices)
    {
      const LaneEntries<Number> lane(A, shape, source, my_slice(), threadIdx.x % slice_rows);
      for (int row = 0; row < shape.rows; ++row)
        lane.for_each_of_row(row, [&](int e, EntryNumber from) {
          const Bits bits = ordered(static_cast<Number>(source.value[from]));
          const int  c    = lane.code(e);
          if (bits < *static_cast<volatile Bits *>(found + c)) // mostly it is not
            atomicMin(found + c, bits);
        });
    }
  __syncthreads();
  for (int c = threadIdx.x; c < dictionary_size; c += blockDim.x)
    if (found[c] < *static_cast<volatile Bits *>(smallest + c))
      atomicMin(smallest + c, found[c]);
}

// Values that no entry has stay.
template <typename Number>
__global__ void dictionary_kernel(const Bits *smallest, Number *values)
{
  wait_and_hold_successors();
  if (smallest[threadIdx.x] != none)
    values[threadIdx.x] = static_cast<Number>(number_of(smallest[threadIdx.x]));
}

// Several loads of a row are under way before the first of them is stored.
template <typename Number>
__global__ void values_kernel(SparseView<Number> A, Shape shape, RowsView source, const double *__restrict__ from,
                              Number *__restrict__ values)
{
  constexpr int several = 4;
  wait_and_hold_successors();
  if (my_slice() >= A.n_slices)
    return;
  const LaneEntries<Number> lane(A, shape, source, my_slice(), threadIdx.x % slice_rows);
  for (int k = 0, e = 0; lane.model && k < lane.n; k += shape.run)
    for (int c = 0; c < shape.rows; ++c, e += shape.run)
      for (int q = 0, end = min(shape.run, lane.n - k); q < end; q += several)
        {
          const EntryNumber begin = lane.begin + static_cast<EntryNumber>(c) * lane.pitch + k;
          Number            value[several];
#pragma unroll
          for (int i = 0; i < several; ++i)
            value[i] = static_cast<Number>(from[begin + min(q + i, end - 1)]);
#pragma unroll
          for (int i = 0; i < several; ++i)
            if (q + i < end)
              values[lane.first + lane.spacing * (e + q + i)] = value[i];
        }
}

// differ = 1 where a value that several entries share is further from one of them than sparse.cuh allows, or is none.
template <typename Number>
__global__ void compare_kernel(SparseView<Number> A, Shape shape, RowsView source, double *differ)
{
  wait_for_predecessor();
  if (my_slice() >= A.n_slices)
    return;
  const LaneEntries<Number> lane(A, shape, source, my_slice(), threadIdx.x % slice_rows);
  if (shape.n_values == 0 && !lane.shared)
    return;
  for (int c = 0; c < shape.rows; ++c)
    {
      double largest = 0;
      bool   same    = true;
      for (int k = 0; k < lane.n; ++k)
        largest = fmax(largest, fabs(source.value[lane.begin + static_cast<EntryNumber>(c) * lane.pitch + k]));
      const double bound = 4 * same_value<Number> * largest;
      lane.for_each_of_row(c, [&](int e, EntryNumber from) {
        same = same && fabs(static_cast<double>(A.values[lane.place(e)]) - source.value[from]) <= bound;
      });
      if (!same)
        *differ = 1;
    }
}
} // namespace

template <typename Number>
bool refill(Context &context, const RowsView &source, SparseMatrix<Number> &A)
{
  const SparseView<Number> stored = view(A);
  const Shape              shape{A.rows, A.run, A.n_values};
  const int                blocks = blocks_for(slice_rows * static_cast<long>(A.n_slices));
  if (A.n_values > 0)
    {
      const std::vector<Bits> nothing(dictionary_size, none);
      DeviceArray<Bits>       smallest = to_device(context, nothing.data(), nothing.size(), "conversion");
      launch(context, "smallest", smallest_kernel<Number>, blocks, block_size, stored, shape, source, smallest.data());
      launch_writer(context, "dictionary", dictionary_kernel<Number>, 1, dictionary_size, smallest.data(),
                    A.values.data());
      context.synchronize(); // `smallest` goes
    }
  else
    {
      launch_writer(context, "values", values_kernel<Number>, blocks, block_size, stored, shape, source, source.value,
                    A.values.data());
      fill_models(context, source, A);
    }
  if (A.n_values == 0 && A.n_stencil + A.n_of_models == 0)
    return true;
  double *const differ = context.own_scalar().on_host; // in memory of the host, so that nothing is made and copied
  *differ              = 0.;
  launch(context, "compare", compare_kernel<Number>, blocks, block_size, stored, shape, source, differ);
  context.synchronize();
  return *differ == 0.;
}

template bool refill(Context &, const RowsView &, SparseMatrix<double> &);
template bool refill(Context &, const RowsView &, SparseMatrix<float> &);
} // namespace adamant::cuda
