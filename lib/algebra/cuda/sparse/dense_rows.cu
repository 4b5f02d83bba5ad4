// What the rows of dense blocks have in common.

#include "algebra/cuda/sparse/conversion.cuh"
#include "algebra/cuda/sparse/lines.cuh"
#include "algebra/value_dictionary.h"

namespace adamant::cuda
{
namespace
{
__device__ Bits bits_of(double value)
{
  return __double_as_longlong(value);
}
__device__ Bits bits_of(float value)
{
  return __float_as_uint(value);
}

// The rows of one node.
struct NodeRows
{
  int          row = 0, n = 0; // the first row, entries of each
  int          pitch = 0;      // from one to the next: with the ghosts' entries
  std::int64_t begin = 0;
  bool         present;

  __device__ NodeRows(const RowsView &A, int row)
    : row(row)
    , present(row < A.n_rows)
  {
    if (!present)
      return;
    begin = A.row_start[row];
    n     = static_cast<int>(A.end(row) - begin);
    pitch = static_cast<int>(A.row_start[row + 1] - begin);
  }

  // Entry k of row c.
  __device__ std::int64_t place(int c, int k) const { return begin + static_cast<std::int64_t>(c) * pitch + k; }
};

template <typename Number>
__device__ Bits hash(const RowsView &A, const NodeRows &node, int m)
{
  Bits h = node.n;
  for (int c = 0; c < m; ++c)
    for (int k = 0; k < node.n; ++k)
      {
        h = (h ^ bits_of(static_cast<Number>(A.value[node.place(c, k)]))) * 0x9e3779b97f4a7c15ull;
        h ^= h >> 29;
      }
  return h;
}

// Whether the columns come in threes of neighbours, as many as line_kernel takes.
__device__ bool in_threes(const RowsView &A, const NodeRows &node, int m)
{
  bool threes = node.present && node.n > 0 && node.n % (3 * m) == 0 && node.n <= 3 * m * most_lines;
  for (int k = 0; threes && k < node.n; ++k)
    threes = A.column[node.begin + k] == A.column[node.begin + k - k % (3 * m)] + k % (3 * m);
  return threes;
}

// Whether `node` has the rows of `first`, with columns further by the distance of the nodes, that of d slices.
template <typename Number>
__device__ bool continues(const RowsView &A, const NodeRows &first, const NodeRows &node, int m, int d)
{
  const int distance = d * slice_rows * m;
  bool      same     = node.present && node.n == first.n && node.row == first.row + distance;
  for (int c = 0; same && c < m; ++c)
    {
      double largest = 0, difference = 0;
      for (int k = 0; same && k < node.n; ++k)
        {
          const double value = A.value[node.place(c, k)], expected = A.value[first.place(c, k)];
          same       = A.column[node.place(c, k)] == A.column[first.place(c, k)] + distance;
          largest    = fmax(largest, fabs(expected));
          difference = fmax(difference, fabs(value - expected));
        }
      same = same && difference <= same_value<Number> * largest;
    }
  return same;
}

// A warp to a slice.
template <typename Number>
__global__ void compare_rows_kernel(RowsView A, int n_slices, int m, const int *nodes, RowsOfSlice *of_slice,
                                    unsigned char *number)
{
  wait_for_predecessor();
  const int slice = (blockIdx.x * blockDim.x + threadIdx.x) / slice_rows, lane = threadIdx.x % slice_rows;
  if (slice >= n_slices)
    return;
  constexpr unsigned all = 0xffffffff;
  const auto         row = [&](int s, int l) { return row_of(s, l, m, 1, nodes); };
  const NodeRows     node(A, row(slice, lane));
  const Bits         of_lane = hash<Number>(A, node, m), of_first = __shfl_sync(all, of_lane, 0);
  const Bits         h              = node.present ? of_lane : of_first;
  const int          owner          = __ffs(__match_any_sync(all, h)) - 1;
  const unsigned     owners         = __ballot_sync(all, owner == lane);
  const int          k              = __popc(owners & ((1u << owner) - 1));
  number[slice_rows * slice + lane] = static_cast<unsigned char>(k);
  RowsOfSlice &result               = of_slice[slice];
  if (owner == lane && k < most_models)
    {
      result.lane[k] = lane;
      result.hash[k] = h;
    }
  bool yes = lane == 0 && in_threes(A, node, m);
  if (lane > 0 && lane < most_on_line<Number>(m) && lane <= slice)
    yes = continues<Number>(A, NodeRows(A, row(slice - lane, 0)), NodeRows(A, row(slice, 0)), m, lane);
  const unsigned flags = __ballot_sync(all, yes);
  if (lane == 0)
    {
      result.n     = __popc(owners);
      result.flags = flags;
    }
}

// The table: a block to a model.
template <typename Number>
__global__ void fill_models_kernel(RowsView A, int m, const int *nodes, const Model *models, Number *values)
{
  wait_and_hold_successors();
  const Model    model = models[blockIdx.x];
  const NodeRows node(A, row_of(model.place / slice_rows, model.place % slice_rows, m, 1, nodes));
  for (int e = threadIdx.x; e < node.n * m; e += blockDim.x)
    {
      const int k = e / (m * m) * m + e % m, c = e / m % m;
      values[static_cast<long>(model_unit) * model.start + e] = static_cast<Number>(A.value[node.place(c, k)]);
    }
}

// Where each lane's model is; differ = 1 where its rows are others.
template <typename Number>
__global__ void fill_places_kernel(RowsView A, int n_slices, int m, const int *nodes, const Slice *slices,
                                   const unsigned char *number, const int *models_of_slice, const Model *models,
                                   unsigned *codes, int *differ)
{
  wait_for_predecessor();
  const int slice = (blockIdx.x * blockDim.x + threadIdx.x) / slice_rows, lane = threadIdx.x % slice_rows;
  if (slice >= n_slices || !slices[slice].of_models)
    return;
  const Model model = models[models_of_slice[most_models * slice + number[slice_rows * slice + lane]]];
  codes[slices[slice].values() + lane] = model.start;
  const NodeRows node(A, row_of(slice, lane, m, 1, nodes)),
    expected(A, row_of(model.place / slice_rows, model.place % slice_rows, m, 1, nodes));
  bool same = !node.present || node.n == expected.n;
  for (int c = 0; node.present && c < m; ++c)
    for (int k = 0; same && k < node.n; ++k)
      same = static_cast<Number>(A.value[node.place(c, k)]) == static_cast<Number>(A.value[expected.place(c, k)]);
  if (!same)
    *differ = 1;
}
} // namespace

template <typename Number>
DenseRows compare_rows(const Context &context, const RowsView &source, const SparseMatrix<Number> &A)
{
  const auto &memory = context.memory_of_device();
  DenseRows   result;
  result.number = DeviceArray<unsigned char>(memory, slice_rows * static_cast<std::size_t>(A.n_slices), "conversion");
  DeviceArray<RowsOfSlice> found(memory, A.n_slices, "conversion");
  launch(context, "compare rows", compare_rows_kernel<Number>, blocks_for(slice_rows * static_cast<long>(A.n_slices)),
         block_size, source, A.n_slices, A.node_size, A.nodes.data(), found.data(), result.number.data());
  result.of_slice.resize(A.n_slices);
  to_host(context, found, result.of_slice.data());
  return result;
}

template <typename Number>
bool fill_models(const Context &context, const RowsView &source, const DenseRows &rows, SparseMatrix<Number> &A)
{
  fill_models(context, source, A);
  if (A.models.size() == 0)
    return true;
  const auto models_of_slice =
    to_device(context, rows.models_of_slice.data(), rows.models_of_slice.size(), "conversion");
  int              differ = 0;
  DeviceArray<int> found  = to_device(context, &differ, 1, "conversion");
  launch(context, "fill places", fill_places_kernel<Number>, blocks_for(slice_rows * static_cast<long>(A.n_slices)),
         block_size, source, A.n_slices, A.node_size, A.nodes.data(), A.slices.data(), rows.number.data(),
         models_of_slice.data(), A.models.data(), A.codes.data(), found.data());
  to_host(context, found, &differ);
  return differ == 0;
}

template <typename Number>
void fill_models(const Context &context, const RowsView &source, SparseMatrix<Number> &A)
{
  launch_writer(context, "fill models", fill_models_kernel<Number>, static_cast<unsigned>(A.models.size()), 128, source,
                A.node_size, A.nodes.data(), A.models.data(), A.values.data());
}

template DenseRows compare_rows(const Context &, const RowsView &, const SparseMatrix<double> &);
template DenseRows compare_rows(const Context &, const RowsView &, const SparseMatrix<float> &);
template bool      fill_models(const Context &, const RowsView &, const DenseRows &, SparseMatrix<double> &);
template bool      fill_models(const Context &, const RowsView &, const DenseRows &, SparseMatrix<float> &);
template void      fill_models(const Context &, const RowsView &, SparseMatrix<double> &);
template void      fill_models(const Context &, const RowsView &, SparseMatrix<float> &);
} // namespace adamant::cuda
