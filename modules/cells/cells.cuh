#pragma once

#include "algebra/cuda/runtime/check.cuh"
#include "algebra/cuda/sparse/row_operands.cuh"
#include "algebra/functors/row_functors.h"
#include "cells/cell_matrix.h"

#include <algorithm>

// Products of matrices by cells. A block of threads takes a tile of nodes and some planes, from the lowest up. Each
// thread has a column of nodes, and the column of cells whose vertex 0 these nodes are. Each cell gets the even and odd
// functions of its lower face from the plane before. The contributions of cells to their vertices meet in shared
// memory. Cells at a tile's rim, and between two tiles' planes, are computed by both tiles: this takes no atomics, and
// gives equal sums for any tiles. A cell takes about 210 floating-point operations, where K has 1152. With two
// coefficients it takes 36 more, and one more number is read: 4 bytes more than 29 a node in single precision.

namespace adamant::cuda
{
/// A tile of `width` x `height` threads, whose rim has no results, and its number of planes.
struct CellTiles
{
  int width, height, planes;
};
constexpr int most_cell_threads = 192;

/// A matrix by cells as kernels see it.
template <typename Number, int n_coefficients>
struct CellView
{
  int                                               n_nodes[3], along[3];
  const Number                                     *coefficients[n_coefficients];
  const unsigned char                              *fixed;
  CellModes<Number, CellKind<3, 3, n_coefficients>> modes;
};

/// The values of a node's three components, and which of them are prescribed.
template <typename Number>
struct NodeValues
{
  Number   value[3] = {};
  unsigned fixed    = 0;

  template <class View, class Gather>
  __device__ void load(const View &A, const Gather &x, int node)
  {
    fixed = __ldg(A.fixed + node);
#pragma unroll
    for (int c = 0; c < 3; ++c)
      value[c] = x(3 * node + c);
  }
  __device__ bool is_fixed(int c) const
  {
    return fixed >> c & 1;
  }
};

/// Computes the even and odd functions (modes) of a face from the values v at its vertices.
template <typename Number>
__device__ void face_modes(const Number (&v)[4], Number (&modes)[4])
{
  const Number e0 = v[0] + v[1], o0 = v[1] - v[0], e1 = v[2] + v[3], o1 = v[3] - v[2];
  modes[0] = e0 + e1;
  modes[1] = o0 + o1;
  modes[2] = e1 - e0;
  modes[3] = o1 - o0;
}

/// Computes the transpose: the contributions of a face's modes to its vertices.
template <typename Number>
__device__ void face_vertices(const Number (&modes)[4], Number (&v)[4])
{
  const Number e0 = modes[0] - modes[2], e1 = modes[0] + modes[2], o0 = modes[1] - modes[3], o1 = modes[1] + modes[3];
  v[0] = e0 - o0;
  v[1] = e0 + o0;
  v[2] = e1 - o1;
  v[3] = e1 + o1;
}

/// Computes the modes of a cell from the modes of its faces; the upper face becomes the next cell's lower one.
template <typename Number>
__device__ void cell_modes(const Number (&upper)[4], Number (&lower)[4], Number (&u)[8])
{
#pragma unroll
  for (int m = 0; m < 4; ++m)
    {
      u[m]     = lower[m] + upper[m];
      u[m + 4] = upper[m] - lower[m];
      lower[m] = upper[m];
    }
}

/// Computes component c of a cell's contributions to its faces. `of_lower` gets the modes of the lower face, with the
/// part that the cell below `carried` there. `carried` gets the modes of the upper face.
template <typename Number, int n_coefficients>
__device__ void apply_cell(const CellModes<Number, CellKind<3, 3, n_coefficients>> &K, int c,
                           const Number (&coefficients)[n_coefficients], const Number (&u)[3][8], Number (&carried)[4],
                           Number (&of_lower)[4])
{
#pragma unroll
  for (int m = 0; m < 4; ++m)
    {
      const Number even = K.apply(c, m, coefficients, u), odd = K.apply(c, m + 4, coefficients, u);
      of_lower[m] = carried[m] + (even - odd);
      carried[m]  = even + odd;
    }
}

/// The column of nodes that a thread has, and the column of cells whose vertex 0 these nodes are.
struct CellColumn
{
  template <class View>
  __device__ CellColumn(const View &A, const CellTiles &tiles)
    : width(tiles.width)
    , t(threadIdx.x)
    , plane(A.n_nodes[0] * A.n_nodes[1])
  {
    const int tx = t % width, ty = t / width;
    const int i = blockIdx.x * (width - 2) - 1 + tx, j = blockIdx.y * (tiles.height - 2) - 1 + ty;
    first_node = i + A.n_nodes[0] * j;
    in_grid    = i >= 0 && j >= 0 && i < A.n_nodes[0] && j < A.n_nodes[1];
    is_cell    = in_grid && i < A.n_nodes[0] - 1 && j < A.n_nodes[1] - 1;
    has_result = in_grid && tx > 0 && ty > 0 && tx < width - 1 && ty < tiles.height - 1;
    // Cells at the far rim of the tile give nothing to its nodes: any values do.
    right = tx + 1 < width ? 1 : 0;
    up    = ty + 1 < tiles.height ? width : 0;
  }

  __device__ int node(int k) const { return first_node + k * plane; }

  /// Reads the values of one component at the vertices of the cell's face, from a plane in shared memory.
  template <typename Number>
  __device__ void vertices(const Number (&values)[most_cell_threads], Number (&v)[4]) const
  {
    v[0] = values[t];
    v[1] = values[t + right];
    v[2] = values[t + up];
    v[3] = values[t + right + up];
  }

  /// Returns the sum of four cells' contributions to component c of the node.
  template <typename Number>
  __device__ Number sum(const Number (&sums)[4][3][most_cell_threads], int c) const
  {
    return (sums[0][c][t] + sums[1][c][t - 1]) + (sums[2][c][t - width] + sums[3][c][t - width - 1]);
  }

  int  width, t, plane, first_node, right, up;
  bool in_grid, is_cell, has_result;
};

/// Has at most 80 registers in single and 160 in double precision: while a plane's loads wait for memory, other blocks
/// work.
template <typename Number, int n_coefficients, class Gather, class Finish>
__global__ void __launch_bounds__(most_cell_threads, sizeof(Number) == 4 ? 4 : 2)
  cell_kernel(const __grid_constant__ CellView<Number, n_coefficients> A, const CellTiles tiles, const Gather x,
              const Finish finish)
{
  __shared__ Number values[2][3][most_cell_threads], sums[4][3][most_cell_threads];
  const CellColumn  column(A, tiles);
  const int         first = blockIdx.z * tiles.planes, end = min(first + tiles.planes, A.n_nodes[2]);

  wait_for_predecessor();
  NodeValues<Number> current, below;
  Number             face[3][4] = {}, carried[3][4] = {}; // modes of the lower face; the lower cells' part of them
  for (int k = first - 1; k <= end; ++k)
    {
      below   = current;
      current = NodeValues<Number>();
      if (column.in_grid && k >= 0 && k < A.n_nodes[2])
        current.load(A, x, column.node(k));
      Number coefficients[n_coefficients];
#pragma unroll
      for (int i = 0; i < n_coefficients; ++i)
        coefficients[i] =
          column.is_cell && k >= first && k > 0 && k < A.n_nodes[2] ? __ldg(A.coefficients[i] + column.node(k - 1)) : 0;
      const bool                         finishes = column.has_result && k > first;
      decltype(operands_of<Finish, 3>()) operands;
      constexpr bool                     early = sizeof(operands) <= 80;
      if (early && finishes)
        operands.fetch(finish, 3 * column.node(k - 1));

      auto &here = values[k & 1];
#pragma unroll
      for (int c = 0; c < 3; ++c)
        here[c][column.t] = current.is_fixed(c) ? Number(0) : current.value[c];
      __syncthreads();
      Number u[3][8];
#pragma unroll
      for (int c = 0; c < 3; ++c)
        {
          Number v[4], upper[4];
          column.vertices(here[A.along[c]], v);
          face_modes(v, upper);
          cell_modes(upper, face[c], u[c]);
        }
#pragma unroll
      for (int c = 0; c < 3; ++c)
        {
          Number of_lower[4], v[4];
          apply_cell(A.modes, c, coefficients, u, carried[c], of_lower);
          face_vertices(of_lower, v);
#pragma unroll
          for (int vertex = 0; vertex < 4; ++vertex)
            sums[vertex][A.along[c]][column.t] = v[vertex];
        }
      __syncthreads();
      if (!finishes)
        continue;
      if (!early)
        operands.fetch(finish, 3 * column.node(k - 1));
      Number sum[3];
#pragma unroll
      for (int c = 0; c < 3; ++c)
        sum[c] = below.is_fixed(c) ? below.value[c] : column.sum(sums, c);
      finish_rows_of_node<3>(finish, 3 * column.node(k - 1), sum, operands);
    }
}

/// Returns tiles for a grid, such that all blocks are on the GPU at once, with as little as possible in the rims.
CellTiles tiles_for(const Context &context, const int (&n_nodes)[3], int blocks_at_once);

/// Runs `finish` for all rows, as for_each_row does. There are no single rows for functors that are in_place.
template <typename Number, int n_coefficients, class Gather, class Finish>
void for_each_row_by_cells(const Context &context, const Call &name, const CellView<Number, n_coefficients> &A,
                           const Gather &x, const Finish &finish)
{
  static_assert(!Finish::in_place, "a functor that needs single rows");
  const auto       kernel         = cell_kernel<Number, n_coefficients, Gather, Finish>;
  static const int blocks_at_once = [&] {
    int n = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, most_cell_threads, 0),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor", most_cell_threads);
    return std::max(n, 1);
  }();
  const CellTiles tiles = tiles_for(context, A.n_nodes, blocks_at_once);
  const dim3      blocks(blocks_for(A.n_nodes[0], tiles.width - 2), blocks_for(A.n_nodes[1], tiles.height - 2),
                         blocks_for(A.n_nodes[2], tiles.planes));
  launch(context, name, kernel, blocks, tiles.width * tiles.height, A, tiles, x, finish);
}
} // namespace adamant::cuda
