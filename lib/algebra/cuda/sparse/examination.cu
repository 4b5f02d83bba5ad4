// What the slices of a matrix have in common.

#include "algebra/cuda/sparse/conversion.cuh"
#include "algebra/value_dictionary.h"

#include <vector>

namespace adamant::cuda
{
namespace
{
__constant__ int device_run_length[n_run_lengths] = {4, 3, 2};

// Returns the stride by which columns are shifted from each row to the next but period - 1, where these rows have equal
// values, else -1. Values may differ by 16 units in the last place of the row's largest one, as on the host.
// Prolongation has period 2.
template <typename Number>
__device__ int stencil_stride(const RowsView &A, int row, std::int64_t begin, int length, int longest, int period)
{
  constexpr unsigned all  = 0xffffffff;
  const int          lane = threadIdx.x % slice_rows, model = lane % period;
  const int          model_length = __shfl_sync(all, length, model); // by all lanes
  if (!__all_sync(all, row < A.n_rows && length == model_length))
    return -1;
  int    stride  = 0;
  bool   same    = longest > 0;
  double largest = 0, difference = 0;
  for (int k = 0; k < longest; ++k)
    {
      const bool   present = k < length;
      const int    column = present ? A.column[begin + k] : 0, first = __shfl_sync(all, column, model);
      const double value = present ? A.value[begin + k] : 0., first_value = __shfl_sync(all, value, model);
      if (k == 0) // a model row may be empty
        {
          const int second = __shfl_sync(all, column, model + period), distance = present ? second - first : -1;
          stride = max(__shfl_sync(all, distance, 0), __shfl_sync(all, distance, period - 1));
        }
      same       = same && stride >= 0 && (!present || column == first + stride * (lane / period)) && value == value;
      largest    = fmax(largest, fabs(first_value));
      difference = fmax(difference, fabs(value - first_value));
    }
  return __all_sync(all, same && difference <= same_value<Number> * largest) ? stride : -1;
}

// Whether the slice has the stencil of the first slice of its group.
template <typename Number>
__device__ bool continues_band(const RowsView &A, int slice, int stride, int period)
{
  const int first = slice / band_slices * band_slices * slice_rows, shift = slice % band_slices * slice_rows;
  bool      same = true;
  for (int model = first; same && model < first + period; ++model)
    {
      const auto from = A.row_start[model], mine = A.row_start[model + shift];
      const int  n       = static_cast<int>(A.end(model) - from);
      double     largest = 0, difference = 0;
      same = A.end(model + shift) - mine == n;
      for (int k = 0; same && k < n; ++k)
        {
          same       = A.column[mine + k] == A.column[from + k] + stride * (shift / period);
          largest    = fmax(largest, fabs(A.value[from + k]));
          difference = fmax(difference, fabs(A.value[mine + k] - A.value[from + k]));
        }
      same = same && difference <= same_value<Number> * largest;
    }
  return same;
}

template <typename Number>
__global__ void examine_kernel(RowsView A, int n_slices, int node_size, const int *nodes, Extent *extent, int *run_fits)
{
  wait_for_predecessor();
  const int    thread = blockIdx.x * blockDim.x + threadIdx.x, slice = thread / slice_rows;
  const int    row = slice < n_slices ? row_of(slice, thread % slice_rows, node_size, node_size, nodes) : A.n_rows;
  Extent       e{0, 0x7fffffff, 0, -1, 1, false};
  std::int64_t begin  = 0;
  int          length = 0;
  if (row < A.n_rows)
    {
      const auto end = A.end(row);
      begin          = A.row_start[row];
      e.longest = length = static_cast<int>(end - begin);
      if (end > begin)
        {
          e.smallest = A.column[begin];
          e.largest  = A.column[end - 1];
        }
      for (int r = 0; r < n_run_lengths; ++r)
        {
          const int run  = device_run_length[r];
          bool      fits = length % run == 0;
          for (auto k = begin; fits && k < end; k += run)
            for (int i = 1; i < run; ++i)
              fits = fits && A.column[k + i] == A.column[k] + i;
          if (!fits)
            run_fits[r] = 0;
        }
      const int  of_node = row - row % node_size;
      const auto first   = A.row_start[of_node];
      bool       same    = A.end(of_node) - first == length && // with as many ghosts: NodeRows
                  A.row_start[of_node + 1] - first == A.row_start[row + 1] - begin;
      for (int k = 0; same && k < length; ++k)
        same = A.column[first + k] == A.column[begin + k];
      if (!same)
        run_fits[n_run_lengths] = 0;
    }
  for (int offset = 16; offset > 0; offset /= 2)
    {
      e.longest  = max(e.longest, __shfl_xor_sync(0xffffffff, e.longest, offset));
      e.smallest = min(e.smallest, __shfl_xor_sync(0xffffffff, e.smallest, offset));
      e.largest  = max(e.largest, __shfl_xor_sync(0xffffffff, e.largest, offset));
    }
  e.stride = stencil_stride<Number>(A, row, begin, length, e.longest, 1);
  if (e.stride < 0)
    {
      e.period = 2;
      e.stride = stencil_stride<Number>(A, row, begin, length, e.longest, 2);
    }
  if (e.stride >= 0 && node_size == 1)
    e.continues = continues_band<Number>(A, slice, e.stride, e.period);
  if (threadIdx.x % slice_rows == 0 && slice < n_slices)
    extent[slice] = e;
}
} // namespace

template <typename Number>
std::vector<Extent> extents_of(const Context &context, const RowsView &source, const SparseMatrix<Number> &A,
                               std::vector<int> &run_fits)
{
  DeviceArray<Extent> extent(context.memory_of_device(), A.n_slices, "conversion");
  DeviceArray<int>    fits = to_device(context, run_fits.data(), run_fits.size(), "conversion");
  launch(context, "examine", examine_kernel<Number>, blocks_for(slice_rows * static_cast<long>(A.n_slices)), block_size,
         source, A.n_slices, A.node_size, A.nodes.data(), extent.data(), fits.data());
  std::vector<Extent> extents(A.n_slices);
  to_host(context, fits, run_fits.data());
  to_host(context, extent, extents.data());
  return extents;
}

template std::vector<Extent> extents_of(const Context &, const RowsView &, const SparseMatrix<double> &,
                                        std::vector<int> &);
template std::vector<Extent> extents_of(const Context &, const RowsView &, const SparseMatrix<float> &,
                                        std::vector<int> &);
} // namespace adamant::cuda
