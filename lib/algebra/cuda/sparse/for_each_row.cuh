#pragma once

#include "algebra/cuda/sparse/library_matrix.cuh"
#include "algebra/cuda/sparse/lines.cuh"
#include "algebra/cuda/sparse/sparse.cuh"
#include "algebra/functors/row_functors.h"

#include <type_traits>
#include <utility>

// The kernels that spread the rows of a matrix over threads: row_kernel, or for large matrices band_kernel, where
// slices are mostly bands, and line_kernel for dense blocks.

namespace adamant::cuda
{
/// Multiplies `at_once` slices of a band; a thread has one row at the same place in each of them. Columns and values
/// are decoded once for all of them, and enough loads are under way to keep the memory busy.
template <class Format, int at_once, typename Number, class Gather, class Finish>
__device__ void band_product(const SparseView<Number> &A, const Number *dictionary, const Slice &s, int first, int lane,
                             const Gather &x, const Finish &finish)
{
  const int                                 row = slice_rows * first + lane;
  Chunk<Format, Number, SliceKind::stencil> chunk;
  const int                                 pairs = s.has_pairs() ? 1 : 0;
  chunk.load(A, stencil_of(s), lane & pairs, 0);
  wait_for_predecessor();
  decltype(finish.fetch(row)) operands[at_once];
#pragma unroll
  for (int k = 0; k < at_once; ++k)
    operands[k] = finish.fetch(row + k * slice_rows);
  Number     sum[at_once] = {};
  const int  place        = first % band_slices * slice_rows + lane;
  const auto add          = [&](auto known_distance) {
    // The distance of columns from a slice to the next.
    constexpr int known    = decltype(known_distance)::value;
    const int     stride   = s.stride();
    const int     distance = known > 0 ? known : stride * slice_rows >> pairs;
#pragma unroll
    for (int r = 0; r < Format::chunk; ++r)
      {
        // Where there is no entry, the first column is read again, times zero.
        const bool present = chunk.column[r] >= 0;
        const int  column =
          (present ? chunk.column[r] : max(chunk.column[0], 0)) + s.first_column() + stride * (place >> pairs);
#pragma unroll
        for (int i = 0; i < Format::run; ++i)
          {
            const int    e     = r * Format::run + i;
            const Number entry = dictionary[(chunk.data[e / 4] >> (8 * (e % 4))) & 0xff],
                         value = present ? entry : Number(0);
#pragma unroll
            for (int k = 0; k < at_once; ++k)
              sum[k] += value * x(column + i + k * distance);
          }
      }
  };
  // Mostly consecutive rows have consecutive columns: their distance is then part of the instructions.
  if (s.parameter == Slice::stride_code(1, 1))
    add(std::integral_constant<int, slice_rows>());
  else if (s.parameter == Slice::stride_code(1, 2))
    add(std::integral_constant<int, slice_rows / 2>());
  else
    add(std::integral_constant<int, 0>());
#pragma unroll
  for (int k = 0; k < at_once; ++k)
    finish(row + k * slice_rows, sum[k], operands[k]);
}

/// Multiplies the bands, and the slices between them.
template <class Format, int at_once, typename Number, class Gather, class Finish>
__global__ void __launch_bounds__(block_size)
  band_kernel(const Sends<Number> sends, const SparseView<Number> A, const Gather x, const Finish finish)
{
  let_successor_start();
  if (sends.by_this_block(OneComponent<Gather>{x}))
    return;
  static_assert(band_slices % at_once == 0 && Format::bands, "a format without bands");
  constexpr int     warps = block_size / slice_rows;
  __shared__ Number dictionary[dictionary_size];
  const int         lane = threadIdx.x % slice_rows, warp = threadIdx.x / slice_rows,
            block_first = (blockIdx.x - sends.n_blocks) * warps * at_once;
  const auto is_single  = [&](int slice) { // not of a band
    return slice < A.n_slices && A.slices[slice].kind != SliceKind::band;
  };
  unsigned singles = 0; // slices that the block's warps share
#pragma unroll
  for (int k = 0; k < at_once; ++k)
    singles |= is_single(block_first + k * warps + warp) ? 1u << k : 0u;
  const int first = block_first + warp * at_once;
  Slice     s{};
  if (first < A.n_slices)
    s = A.slices[first];
  load_dictionary<Format>(A, dictionary);
  if (s.kind == SliceKind::band)
    band_product<Format, at_once>(A, dictionary, s, first, lane, x, finish);
  for (; singles != 0; singles &= singles - 1)
    {
      const int slice = block_first + (__ffs(singles) - 1) * warps + warp, row = slice_rows * slice + lane;
      s = A.slices[slice];
      Number sum[1];
      rows_product<Format>(
        A, dictionary, lane, 0, 1, s, x, [] {}, sum);
      if (row < A.n_rows && !(Finish::skips_empty && s.width == 0))
        finish(row, sum[0], finish.fetch(row));
    }
}

/// Returns the number of slices of a band that a thread takes at once; 0 means row_kernel. It leaves the GPU enough
/// warps, and enough registers for the operands of a row.
template <class Finish, typename Number>
int slices_at_once(const SparseMatrix<Number> &A)
{
  constexpr int most = sizeof(decltype(std::declval<const Finish &>().fetch(0))) <= 16 ? 4 : 2;
  return 2 * A.n_band <= A.n_slices || A.n_slices < 8192 ? 0 : A.n_slices < 65536 ? 2 : most;
}

/// Runs `finish` for all rows of A, over the columns that this rank owns, by one of the kernels. A block of threads
/// holds whole nodes, of the matrix and of a functor of nodes. The kernel also sends the messages that an exchange has
/// left to it.
template <bool overlaps = true, typename Number, class Gather, class Finish>
void for_each_owned_row(const Context &context, const Call &name, const SparseMatrix<Number> &A, const Gather &x,
                        const Finish &finish, const Sends<Number> &sends = {})
{
  int node_size = 1;
  if constexpr (Finish::by_node)
    node_size = finish.node_size;
  // Small matrices are taken in small blocks: the whole GPU shares their latency. Matrices of dense blocks take many
  // registers, of which smaller blocks leave less unused.
  const int most       = A.n_rows < 32768 * A.rows ? 64 : A.rows > 1 ? 128 : block_size;
  const int step       = slice_rows * std::lcm(node_size, A.node_size) / A.rows;
  const int most_lanes = step >= most ? step : most / step * step;
  if (most_lanes > block_size || (A.nodes.size() > 0 && A.node_size % node_size != 0) ||
      (node_size > 1 && A.rows > 1 && A.rows != node_size))
    throw RunError("a matrix of nodes of " + std::to_string(A.node_size) + " rows does not go with blocks of " +
                   std::to_string(node_size));
  with_format(A, [&](auto format) {
    using Format = decltype(format);
    if constexpr (Format::bands && !Finish::by_node)
      if (const int at_once = slices_at_once<Finish>(A); at_once > 0)
        return launch<overlaps>(context, name,
                                at_once == 2 ? band_kernel<Format, 2, Number, Gather, Finish> :
                                               band_kernel<Format, 4, Number, Gather, Finish>,
                                sends.n_blocks +
                                  blocks_for(slice_rows * static_cast<long>((A.n_slices + at_once - 1) / at_once)),
                                block_size, sends, view(A), x, finish);
    if constexpr (Format::lines)
      if (A.items.size() > 0)
        return launch<overlaps>(context, name, line_kernel<Format, Number, Gather, Finish>,
                                sends.n_blocks + blocks_for(slice_rows * static_cast<long>(A.items.size()), line_block),
                                line_block, sends, view(A), x, finish);
    // Long rows of small matrices go to several threads, as long as the GPU has room for more warps; then fewer rows
    // make a block.
    constexpr int room = 8192, chunk = Format::chunk;
    int           parts = 1, lanes = most_lanes;
    for (; parts * chunk < A.widest && 2 * parts * A.n_slices <= room; parts *= 2)
      if (2 * parts * lanes > A.most_threads)
        {
          if (lanes / 2 % step != 0)
            break;
          lanes /= 2;
        }
    launch<overlaps>(context, name, row_kernel<Format, Number, Gather, Finish>,
                     sends.n_blocks + blocks_for(slice_rows * static_cast<long>(A.n_slices), lanes), lanes * parts,
                     sends, view(A), lanes, parts, x, finish);
  });
}

/// Begins to send x to other ranks. Where f may change x, a kernel of its own sends it; else returns the messages that
/// the next kernel has to send.
template <typename Number, class Gather, class Functor>
Sends<Number> send_to_others(const Context &context, const GhostMatrix<Number> &ghosts, const Gather &x,
                             const Functor & /*f*/)
{
  const OneComponent<Gather> values{x};
  if constexpr (Functor::in_place)
    {
      ghosts.exchange->send(context, values);
      return {};
    }
  else
    return ghosts.exchange->start(context, values);
}

/// Calls f(row, (A x)_row, operands) for all rows, then adds the contributions of other ranks' entries of x; see
/// row_functors.h.
template <typename Number, class Gather, class Functor>
void for_each_row(const DeviceInterface &device, const MatrixStorage<Number> &matrix, const Gather &x, const Functor &f)
{
  const auto &context = static_cast<const Context &>(device);
  const Call  name(__PRETTY_FUNCTION__);
  if (context.matrix_format() == MatrixFormat::cusparse)
    return finish_rows(context, name, dynamic_cast<const LibraryMatrix<Number> &>(matrix), x, f);
  const auto *sparse = dynamic_cast<const SparseMatrix<Number> *>(&matrix);
  if (sparse == nullptr)
    return dynamic_cast<const RowlessStorage<Number> &>(matrix).visit({name, typeid(Functor), typeid(Gather), &f, &x});
  const auto &A      = *sparse;
  const auto &ghosts = A.ghosts;
  for_each_owned_row(context, name, A, x, f, ghosts ? send_to_others(context, *ghosts, x, f) : Sends<Number>());
  if (!ghosts)
    return;
  if constexpr (Functor::is_sum)
    if (ghosts->many)
      return for_each_owned_row<false>(
        context, name, *ghosts->many, Entries<Number>{ghosts->exchange->finish_and_wait(context)},
        Listed<Addition<Number>>{Addition<Number>(f.a, f.y), ghosts->nodes.data(), ghosts->node_size});
  add_ghosts(context, name, *ghosts, f);
}
} // namespace adamant::cuda
