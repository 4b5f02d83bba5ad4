#pragma once

#include "algebra/cuda/sparse/sparse.cuh"

// Products of large matrices of dense blocks on meshes that are numbered along lines.
//
// Mostly the columns of a stencil come in threes: the nodes on a mesh line to the left of the row's node, at it and to
// the right of it. The middle node of one lane is the left one of the next lane and the right one of the lane before,
// and all rows have equal blocks. So a lane multiplies its own middle nodes by all three blocks, into three sums, and
// gets the sums for its row from its neighbours at the end. This takes a third of the reads of rows, of which each is 4
// m bytes from the next lane's. A warp does it for several slices of one line with equal blocks.

namespace adamant::cuda
{
constexpr int most_lines = 9, line_block = 128; // bounds of threes in a stencil, and of threads in a block

/// Returns the number of slices at once: as many as leave room in registers.
template <typename Number>
__host__ __device__ constexpr int most_on_line(int m)
{
  return sizeof(Number) == 4 ? 6 - m : m < 4 ? 2 : 1;
}

/// The slices that a warp multiplies at once: a single one, with count = 0, or `count` slices of a line.
struct LineItem
{
  int first, count;

  __host__ __device__ explicit LineItem(int code)
    : first(code & 0xfffffff)
    , count(code >> 28)
  {}
  static int code(int first, int count) { return first | count << 28; }
};

/// The stencil of a line: blocks for each of the threes of columns, and the place of the first lane's middle nodes.
template <int m, typename Number>
struct LineStencil
{
  static constexpr int per_line = 3 * m * m, padded = (per_line + 3) / 4 * 4;

  alignas(16) Number blocks[most_lines][padded];
  int middle[most_lines];

  /// Loads the stencil of a slice; all lanes call it together.
  __device__ void load(const SparseView<Number> &A, const Slice &s, int lane)
  {
    for (int e = lane; e < s.width * m * m; e += slice_rows)
      blocks[e / per_line][e % per_line] = __ldg(A.values + s.values() + e);
    if (lane < s.width / 3)
      middle[lane] = static_cast<int>(__ldg(A.columns + s.columns() + 3 * lane + 1));
  }
};

/// Multiplies the lane's rows of `count` slices, `most` at most, by x. It reads x at the middle nodes of all lanes. The
/// first lane also reads it at the left end of the line, the last lane at the right end.
template <int m, int most, typename Number, class Gather>
__device__ void line_product(const LineStencil<m, Number> &A, int n_lines, int count, int lane, const Gather &x,
                             Number (&sum)[most][m])
{
  const bool first = lane == 0, last = lane == slice_rows - 1;
  Number     left[most][m] = {}, right[most][m] = {}, left_end[m] = {}, right_end[m] = {};
#pragma unroll 1
  for (int line = 0; line < n_lines; ++line)
    {
      const int middle = A.middle[line] + m * lane,
                end    = first ? middle - m : middle + m + (count - 1) * slice_rows * m;
      Number x_middle[most][m], x_end[m];
#pragma unroll
      for (int k = 0; k < most; ++k)
#pragma unroll
        for (int i = 0; i < m; ++i)
          x_middle[k][i] = k < count ? x(middle + k * slice_rows * m + i) : Number(0);
#pragma unroll
      for (int i = 0; i < m; ++i)
        x_end[i] = first || last ? x(end + i) : Number(0);
      alignas(16) Number blocks[LineStencil<m, Number>::padded];
#pragma unroll
      for (int e = 0; e < LineStencil<m, Number>::padded; e += 16 / sizeof(Number))
        *reinterpret_cast<int4 *>(blocks + e) = *reinterpret_cast<const int4 *>(A.blocks[line] + e);
#pragma unroll
      for (int c = 0; c < m; ++c)
#pragma unroll
        for (int i = 0; i < m; ++i)
          {
            const Number of_left = blocks[c * m + i], of_middle = blocks[(m + c) * m + i],
                         of_right = blocks[(2 * m + c) * m + i];
            left_end[c] += of_left * x_end[i];
            right_end[c] += of_right * x_end[i];
#pragma unroll
            for (int k = 0; k < most; ++k)
              {
                left[k][c] += of_left * x_middle[k][i];
                sum[k][c] += of_middle * x_middle[k][i];
                right[k][c] += of_right * x_middle[k][i];
              }
          }
    }
#pragma unroll
  for (int c = 0; c < m; ++c)
    {
      // The neighbours' sums: of the first and the last lane they are in the slices before and after, or at the ends.
      Number before = left_end[c];
#pragma unroll
      for (int k = 0; k < most; ++k)
        {
          const Number from_left = __shfl_sync(0xffffffff, left[k][c], (lane + slice_rows - 1) % slice_rows);
          sum[k][c] += first ? before : from_left;
          before = from_left;
        }
      Number after = right_end[c];
#pragma unroll
      for (int k = most - 1; k >= 0; --k)
        {
          const Number from_right = __shfl_sync(0xffffffff, right[k][c], (lane + 1) % slice_rows);
          sum[k][c] += last ? (k + 1 < count ? after : right_end[c]) : from_right;
          after = from_right;
        }
    }
}

template <int m, typename Number, class Gather, class Finish>
__device__ void finish_line(const SparseView<Number> &A, const LineStencil<m, Number> &stencil, const Slice &s,
                            const LineItem &item, int lane, const Gather &x, const Finish &finish)
{
  constexpr int most = most_on_line<Number>(m);
  const int     row  = row_of(item.first, lane, m, 1, A.nodes);
  wait_for_predecessor();
  decltype(operands_of<Finish, m>()) operands[most];
  constexpr bool                     early = sizeof(operands) <= 48; // else there is no room beside the sums
  const auto                         fetch = [&] {
#pragma unroll
    for (int k = 0; k < most; ++k)
      if (k < item.count)
        operands[k].fetch(finish, row + k * slice_rows * m);
  };
  if (early)
    fetch();
  Number sum[most][m] = {};
  line_product<m, most>(stencil, s.width / 3, item.count, lane, x, sum);
  if (!early)
    fetch();
#pragma unroll
  for (int k = 0; k < most; ++k)
    if (k < item.count)
      finish_rows_of_node<m>(finish, row + k * slice_rows * m, sum[k], operands[k]);
}

/// Does the work of row_kernel, with a warp for each item.
template <class Format, typename Number, class Gather, class Finish>
__global__ void __launch_bounds__(line_block, sizeof(Number) == 4 ? 5 : 4)
  line_kernel(const Sends<Number> sends, const SparseView<Number> A, const Gather x, const Finish finish)
{
  let_successor_start();
  if (sends.by_this_block(OneComponent<Gather>{x}))
    return;
  constexpr int m = Format::rows, warps = line_block / slice_rows;
  __shared__ LineStencil<m, Number> stencils[warps];

  const int lane = threadIdx.x % slice_rows, warp = threadIdx.x / slice_rows,
            number = (blockIdx.x - sends.n_blocks) * warps + warp;
  if (number >= A.n_items)
    return;
  const LineItem item(__ldg(A.items + number));
  const Slice    s = A.slices[item.first];
  if (item.count > 0)
    {
      stencils[warp].load(A, s, lane);
      __syncwarp();
      return finish_line(A, stencils[warp], s, item, lane, x, finish);
    }
  const int                          row  = row_of(item.first, lane, m, 1, A.nodes);
  const bool                         mine = row < A.n_rows && !(Finish::skips_empty && s.width == 0);
  decltype(operands_of<Finish, m>()) operands;
  constexpr bool                     early = fetches_early<decltype(operands)>;
  Number                             sum[m];
  const auto                         fetch = [&](bool now) {
    if (now && mine)
      operands.fetch(finish, row);
  };
  rows_product<Format>(
    A, static_cast<const Number *>(nullptr), lane, 0, 1, s, x, [&] { fetch(early); }, sum);
  fetch(!early);
  if (mine)
    finish_rows_of_node<m>(finish, row, sum, operands);
}
} // namespace adamant::cuda
