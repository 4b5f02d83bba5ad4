#include "algebra/cuda/sparse/conversion.cuh"
#include "algebra/value_dictionary.h"

namespace adamant
{
namespace cuda
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
  columns += 32L * s.column + lane;
  const auto column  = [&](int r) { return r * run < n ? static_cast<unsigned>(A.column[begin + r * run]) : absent; };
  const auto offset  = [&](int r) { return r * run < n ? column(r) - s.parameter : 0xffff; };
  const bool band    = s.kind == static_cast<unsigned>(SliceKind::band);
  const bool stencil = band || s.kind == static_cast<unsigned>(SliceKind::stencil);
  const long spacing = stencil ? 1 : 32;
  if (stencil)
    {
      // The first row stands for all, or the first two.
      if (lane > (s.parameter >= in_pairs) || (band && owners[s.column] != slice))
        return;
      for (int r = 0; r < s.width; ++r)
        columns[lane * (s.width - 1) + r] = column(r) == absent ? absent : column(r) - (band ? s.value : 0);
    }
  else if (s.kind == static_cast<unsigned>(SliceKind::full))
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
      values[32L * s.value + spacing * e + lane] = value(e);
  else
    for (int e = 0; e < entries; e += 4)
      {
        unsigned word = 0;
        for (int i = 0; i < 4 && e + i < n * rows; ++i)
          word |= static_cast<unsigned>(code_of(value(e + i), values, n_values)) << (8 * i);
        codes[32L * (band ? s.column : s.value) + spacing * (e / 4) + (stencil ? lane * ((entries + 3) / 4) : lane)] =
          word;
      }
}

} // namespace

template <typename Number>
void fill(const Context &context, const RowsView &source, const int *owners, SparseMatrix<Number> &A)
{
  launch(context, "fill", fill_kernel<Number>, blocks_for(slice_rows * static_cast<long>(A.n_slices)), block_size,
         source, A.n_slices, A.node_size, A.rows, A.nodes.data(), A.run, A.n_values, A.slices.data(), owners,
         A.columns.data(), A.values.data(), A.codes.data());
}

template void fill(const Context &, const RowsView &, const int *, SparseMatrix<double> &);
template void fill(const Context &, const RowsView &, const int *, SparseMatrix<float> &);
} // namespace cuda
} // namespace adamant
