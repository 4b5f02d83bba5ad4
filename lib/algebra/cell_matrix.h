#pragma once

#include "algebra/vector.h"
#include "base/csr_matrix.h"
#include "base/host_device.h"

#include <array>

namespace adamant
{
/// A grid of cells of one shape in 3D, with a number for each node: line by line in direction 0, lines in direction 1,
/// planes in direction 2. An unknown for each of three components of a node, next to each other.
struct CellGrid
{
  std::array<int, 3>   n_cells; ///< in each direction
  Array<double>        local;   ///< K of a cell, 24 x 24, row-major: row 3 a + c, bit d of vertex a: far in direction d
  Array<unsigned char> fixed;   ///< of each node: bit c where component c is prescribed
  std::array<int, 3>   along = {{0, 1, 2}}; ///< the component that points in each direction

  int n_nodes() const { return (n_cells[0] + 1) * (n_cells[1] + 1) * (n_cells[2] + 1); }
};

/// K between even and odd functions: bit d of a mode m says that it is odd in direction d. With û_d[m] the sum over the
/// vertices of u_d, the component along direction d, with the sign -1 for each near one in an odd direction, (K u)_c at
/// a vertex is the sum over m, with the same signs, of
///
///   same[c][m] û_c[m] + Σ_d other[c][d][m] û_d[m'],   m' = m but for both c and d, one of which m has.
template <typename Number>
struct CellModes
{
  Number same[3][8], other[3][3][8];

  /// Whether component d contributes to mode m of component c.
  ADAMANT_HOST_DEVICE static constexpr bool couples(int c, int d, int m)
  {
    return c != d && (m >> c & 1) != (m >> d & 1);
  }
};

/// What functors see of a matrix by cells.
struct CellMatrixView
{
  int                  n_nodes[3];
  const double        *coefficients;
  const unsigned char *fixed;
  double               blocks[8][9]; ///< of K, on the diagonal

  /// The diagonal block of a node's rows, row-major.
  ADAMANT_HOST_DEVICE void diagonal_block(int node, double *block) const
  {
    const int at[3] = {node % n_nodes[0], node / n_nodes[0] % n_nodes[1], node / n_nodes[0] / n_nodes[1]};
    for (int k = 0; k < 9; ++k)
      block[k] = 0.;
    for (int a = 0; a < 8; ++a) // as vertex a of a cell
      {
        bool exists = true;
        int  first = node, stride = 1;
        for (int d = 0; d < 3; ++d)
          {
            exists = exists && (a >> d & 1 ? at[d] > 0 : at[d] < n_nodes[d] - 1);
            first -= (a >> d & 1) * stride;
            stride *= n_nodes[d];
          }
        for (int k = 0; exists && k < 9; ++k)
          block[k] += coefficients[first] * blocks[a][k];
      }
    for (int k = 0; k < 9; ++k)
      if (fixed[node] >> (k / 3) & 1 || fixed[node] >> (k % 3) & 1)
        block[k] = k % 4 == 0;
  }
};

/// The matrix Σ_cells k_cell G_cellᵀ K G_cell of a grid, G_cell the unknowns of a cell: products make its entries,
/// which nobody stores. Rows of prescribed unknowns are those of the identity, and their columns are empty. The
/// coefficients k may change. One rank.
class CellMatrix
{
public:
  /// Throws RunError where can_be_made(grid) is false, or sizes do not fit.
  CellMatrix(const Device &device, CellGrid grid);
  /// Whether K couples even and odd functions as CellModes says: that of an isotropic operator on boxes does.
  static bool can_be_made(const CellGrid &grid);

  Vector<double> coefficients; ///< of the cell whose vertex 0 is the node; others are not read

  const CellGrid            &grid() const { return grid_; }
  const CellModes<double>   &modes() const { return modes_; }
  const List<unsigned char> &fixed() const { return fixed_; } ///< as in the grid, device memory
  CellMatrixView             view() const;
  CSRMatrix<double>          rows() const; ///< the entries, in host memory

private:
  CellGrid            grid_;
  CellModes<double>   modes_;
  List<unsigned char> fixed_;
};
} // namespace adamant
