#pragma once

#include "multigrid/smoothers/update_functors.h"
#include "stokes/cells/cell_matrix.h"

namespace adamant
{
/// A matrix by cells in the memory of a device, as functors see it.
struct CellMatrixView
{
  int                  n_nodes[3];
  const double        *coefficients;
  const unsigned char *fixed;
  double               blocks[8][9]; ///< the diagonal 3 x 3 blocks of K, one for each vertex

  /// Writes the diagonal 3 x 3 block of a node's rows to `block`, row-major.
  ADAMANT_HOST_DEVICE void diagonal_block(int node, double *block) const
  {
    const int at[3] = {node % n_nodes[0], node / n_nodes[0] % n_nodes[1], node / n_nodes[0] / n_nodes[1]};
    for (int k = 0; k < 9; ++k)
      block[k] = 0.;
    for (int a = 0; a < 8; ++a)
      if (const int first = vertex_0(node, at, a, n_nodes); first >= 0)
        for (int k = 0; k < 9; ++k)
          block[k] += coefficients[first] * blocks[a][k];
    for (int k = 0; k < 9; ++k)
      if (fixed[node] >> (k / 3) & 1 || fixed[node] >> (k % 3) & 1)
        block[k] = k % 4 == 0;
  }
};

/// Computes the inverses of InvertNodeBlocks for a matrix by cells, which has 3 rows a node. node_size is 1, for the
/// diagonal alone, or 3.
template <typename Number>
struct InvertCellBlocks
{
  CellMatrixView A;
  int            node_size;
  Number        *inverse;

  ADAMANT_HOST_DEVICE void operator()(int node) const
  {
    const int n_nodes = A.n_nodes[0] * A.n_nodes[1] * A.n_nodes[2];
    double    block[9];
    A.diagonal_block(node, block);
    if (node_size == 1)
      for (int c = 0; c < 3; ++c)
        inverse[3 * node + c] = static_cast<Number>(1. / block[4 * c]);
    else
      {
        const bool regular = invert_small(block, 3);
        for (int k = 0; k < 9; ++k)
          inverse[static_cast<long>(k) * n_nodes + node] = regular ? static_cast<Number>(block[k]) : Number(NAN);
      }
  }
};
} // namespace adamant
