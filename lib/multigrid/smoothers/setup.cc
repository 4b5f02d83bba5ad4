#include "multigrid/smoothers/setup.h"

#include "base/exceptions.h"
#include "multigrid/smoothers/update_functors.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>
#include <string>

namespace adamant
{
namespace
{
// Remembers one failing row of a parallel loop, the smallest.
void remember_smallest(std::atomic<int> &failed, int row)
{
  int old = failed;
  while (row < old && !failed.compare_exchange_weak(old, row))
    {}
}
} // namespace

Array<double> inverse_diagonal_blocks(const CSRMatrix<double> &matrix, int node_size)
{
  const int        bs = node_size, n_nodes = matrix.n_rows / bs;
  Array<double>    blocks(static_cast<std::size_t>(matrix.n_rows) * bs);
  std::atomic<int> failed{matrix.n_rows};
#pragma omp parallel for schedule(static)
  for (int node = 0; node < n_nodes; ++node)
    {
      std::vector<double> block(bs * bs);
      for (int i = 0; i < bs; ++i)
        for (int j = 0; j < bs; ++j)
          block[i * bs + j] = entry(matrix, node * bs + i, node * bs + j);
      if (!invert_small(block.data(), bs))
        remember_smallest(failed, node * bs);
      for (int k = 0; k < bs * bs; ++k)
        blocks[static_cast<std::size_t>(k) * n_nodes + node] = block[k];
    }
  if (failed < matrix.n_rows)
    throw RunError("Jacobi smoother: the diagonal block of row " + std::to_string(failed) +
                   " is singular; is an unknown without an equation, or a coefficient zero or NaN?");
  return blocks;
}

CSRMatrix<double> inverse_diagonal_matrix(const CSRMatrix<double> &matrix, int node_size)
{
  const Array<double> blocks  = inverse_diagonal_blocks(matrix, node_size);
  const int           m       = node_size;
  const std::size_t   n_nodes = matrix.n_rows / m;
  CSRMatrix<double>   S;
  S.n_rows = S.n_cols = matrix.n_rows;
  S.row_start.assign(S.n_rows + 1, m);
  S.row_start[0] = 0;
  finish_row_starts(S);
  for (int row = 0; row < S.n_rows; ++row)
    for (int j = 0; j < m; ++j)
      {
        S.column[S.row_start[row] + j] = row - row % m + j;
        S.value[S.row_start[row] + j]  = blocks[(row % m * m + j) * n_nodes + row / m];
      }
  return S;
}

template <typename Number>
void update_inverse_diagonal(const DeviceLevel<Number> &level, int node_size, Vector<Number> &diagonal)
{
  if (!level.changes_on_device())
    {
      const Array<double> blocks = inverse_diagonal_blocks(*level.matrix(), node_size);
      if (diagonal.size() == 0)
        diagonal = Vector<Number>(level.device, to_index(blocks.size(), "entries of diagonal blocks"));
      return diagonal.upload(blocks.data());
    }
  if (node_size > most_node_rows)
    throw RunError("nodes of " + std::to_string(node_size) + " rows whose values change; at most " +
                   std::to_string(most_node_rows) + " can be");
  const int n_rows = level.n_rows(), n_nodes = n_rows / node_size;
  if (diagonal.size() == 0)
    diagonal = Vector<Number>(level.device, to_index(std::size_t(n_rows) * node_size, "entries of diagonal blocks"));
  if (level.cells())
    level.device.for_each(n_rows / 3, InvertCellBlocks<Number>{level.cells()->view(), node_size, diagonal.data()});
  else
    level.device.for_each(n_nodes,
                          InvertNodeBlocks<Number>{level.changing()->view(), node_size, n_nodes, diagonal.data()});
}

CSRMatrix<double> fsai_pattern(const CSRMatrix<double> &A)
{
  CSRMatrix<double> G;
  G.n_rows = A.n_rows;
  G.n_cols = A.n_rows; // other ranks' unknowns are left out
  G.row_start.resize(A.n_rows + 1);
  const auto first_above = [&A](int i) {
    return std::upper_bound(A.column.data() + A.row_start[i], A.column.data() + A.row_start[i + 1], i) -
           A.column.data();
  };
  for (int i = 0; i < A.n_rows; ++i)
    G.row_start[i + 1] = first_above(i) - A.row_start[i];
  finish_row_starts(G);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < A.n_rows; ++i)
    std::copy_n(A.column.data() + A.row_start[i], G.row_start[i + 1] - G.row_start[i],
                G.column.data() + G.row_start[i]);
  return G;
}

CSRMatrix<double> fsai_factor(const CSRMatrix<double> &A)
{
  CSRMatrix<double> G = fsai_pattern(A);
  std::atomic<int>  failed{A.n_rows};
#pragma omp parallel
  {
    std::vector<double> local, y;
#pragma omp for schedule(static)
    for (int i = 0; i < A.n_rows; ++i)
      {
        const int  m    = static_cast<int>(G.row_start[i + 1] - G.row_start[i]);
        const int *cols = A.column.data() + A.row_start[i];
        local.resize(m * (m + 1) / 2);
        y.resize(m);
        for (int p = 0; p < m; ++p)
          for (int q = 0; q <= p; ++q)
            local[p * (p + 1) / 2 + q] = 0.5 * (entry(A, cols[p], cols[q]) + entry(A, cols[q], cols[p]));
        if (m == 0 || cols[m - 1] != i || !solve_last_unit(local.data(), m, y.data()))
          {
            remember_smallest(failed, i);
            continue;
          }
        for (int p = 0; p < m; ++p)
          G.value[G.row_start[i] + p] = y[p] / std::sqrt(y[m - 1]);
      }
  }
  if (failed < A.n_rows)
    throw RunError("FSAI smoother: the matrix is not positive definite at row " + std::to_string(failed) +
                   "; use the Jacobi smoother for this problem");
  return G;
}

template void update_inverse_diagonal(const DeviceLevel<double> &, int, Vector<double> &);
template void update_inverse_diagonal(const DeviceLevel<float> &, int, Vector<float> &);

Array<double> start_vector(int n)
{
  Array<double> x(n);
  std::mt19937  generator(1);
  for (double &value : x)
    value = 2. * (generator() + 0.5) / 4294967296. - 1.; // the same numbers with every standard library
  return x;
}
} // namespace adamant
