#pragma once

#include "algebra/rowless_matrix.h"
#include "multigrid/smoothers/update_functors.h"

#include <array>
#include <memory>
#include <string>

namespace adamant
{
/// A grid of cells of one shape in 3D. Nodes are numbered line by line in direction 0; lines follow each other in
/// direction 1, planes in direction 2. Each node has an unknown for each of three components, next to each other.
/// Vertex a of a cell lies on the far side in direction d where bit d of a is set.
struct CellGrid
{
  std::array<int, 3>   n_cells; ///< number of cells in each direction
  Array<double>        local;   ///< K of a cell, 24 x 24, row-major; row 3 a + c is component c of vertex a
  Array<unsigned char> fixed;   ///< for each node, bit c is set where component c is prescribed
  std::array<int, 3>   along      = {{0, 1, 2}}; ///< the component that points in each direction
  Array<int>           first_node = {}; ///< the vertex 0 of each cell, in the order of CellMatrix::set; may be empty

  int n_nodes() const { return (n_cells[0] + 1) * (n_cells[1] + 1) * (n_cells[2] + 1); }
};

/// The matrix K of a cell between functions that are even or odd in each direction: bit d of a mode m says that it is
/// odd in direction d. For the component u_d along direction d, û_d[m] is the sum of its values at the vertices. Each
/// value has the sign -1 for each odd direction in which its vertex is near. (K u)_c at a vertex is the sum over m,
/// with the vertex's signs, of
///
///   same[c][m] û_c[m] + Σ_d other[c][d][m] û_d[m'],
///
/// where m' is m with its bits c and d inverted, of which m has one set and one not.
template <typename Number>
struct CellModes
{
  Number same[3][8], other[3][3][8];

  /// Returns whether component d contributes to mode m of component c.
  ADAMANT_HOST_DEVICE static constexpr bool couples(int c, int d, int m)
  {
    return c != d && (m >> c & 1) != (m >> d & 1);
  }
};

/// Returns the vertex 0 of the cell whose vertex a is the given node, at these coordinates; -1: there is no such cell.
ADAMANT_HOST_DEVICE inline int vertex_0(int node, const int (&at)[3], int a, const int (&n_nodes)[3])
{
  int stride = 1;
  for (int d = 0; d < 3; ++d)
    {
      const bool far = a >> d & 1;
      if (far ? at[d] == 0 : at[d] == n_nodes[d] - 1)
        return -1;
      node -= far * stride;
      stride *= n_nodes[d];
    }
  return node;
}

/// The matrix Σ_cells k_cell G_cellᵀ K G_cell of a grid, where G_cell picks the unknowns of a cell. Its entries are not
/// stored: products make them. Rows of prescribed unknowns are rows of the identity, and their columns are empty. The
/// coefficients k may change. It is for one rank only. On a GPU, for_each_row takes the functors that cells.cu lists.
class CellMatrix : public RowlessMatrix
{
public:
  /// Throws RunError where can_be_made(grid) is false, or sizes do not fit.
  CellMatrix(const Device &device, CellGrid grid);
  /// Returns whether K couples even and odd functions only as CellModes says; it does for an isotropic operator on
  /// boxes.
  static bool can_be_made(const CellGrid &grid);

  Vector<double> coefficients; ///< k of the cell whose vertex 0 is the node; not read at nodes without such a cell
  /// Sets k of each cell of CellGrid::first_node. Throws RunError for another number of cells.
  void set(const Vector<double> &of_cells);

  const CellGrid            &grid() const { return grid_; }
  const CellModes<double>   &modes() const { return modes_; }
  const List<unsigned char> &fixed() const { return fixed_; } ///< as in the grid, in device memory

  int               n_rows() const override { return 3 * grid_.n_nodes(); }
  CSRMatrix<double> rows() const override;
  /// @name See RowlessMatrix. A device of MatrixFormat::cusparse has no such matrix and throws RunError.
  /// @{
  std::shared_ptr<MatrixStorage<double>> make_storage(const Device &device, double) const override;
  std::shared_ptr<MatrixStorage<float>>  make_storage(const Device &device, float) const override;
  /// @}
  /// @name See RowlessMatrix. node_size is 1, for the diagonal alone, or 3.
  /// @{
  void invert_diagonal(int node_size, Vector<double> &inverse) const override;
  void invert_diagonal(int node_size, Vector<float> &inverse) const override;
  /// @}

private:
  CellGrid            grid_;
  CellModes<double>   modes_;
  List<unsigned char> fixed_;
  List<int>           first_node;
};

/// Copies to[first_node[cell]] = from[cell].
struct ToFirstNodes
{
  const int               *first_node;
  const double            *from;
  double                  *to;
  ADAMANT_HOST_DEVICE void operator()(int cell) const { to[first_node[cell]] = from[cell]; }
};

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

/// Returns what MatrixStorage::format says of a matrix by cells.
std::string cells_format(int n_rows, std::size_t bytes);

namespace cuda
{
/// Returns a matrix by cells in the memory of a GPU, in double or float (cells.cu).
template <typename Number>
std::shared_ptr<MatrixStorage<Number>> make_cell_storage(DeviceInterface &device, const CellMatrix &source);
} // namespace cuda
} // namespace adamant
