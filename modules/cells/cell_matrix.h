#pragma once

#include "algebra/rowless_matrix.h"
#include "cells/cell_mesh.h"
#include "cells/clusters.h"
#include "multigrid/smoothers/update_functors.h"
#include "operators/ghost_values.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// The matrix K of a cell between functions that are even or odd in each direction: bit d of a mode m says that it is
/// odd in direction d. For the component u_d along direction d, û_d[m] is the sum of its values at the vertices. Each
/// value has the sign -1 for each odd direction in which its vertex is near. (K u)_c at a vertex is the sum over m,
/// with the vertex's signs, of
///
///   same[c][m] û_c[m] + Σ_d other[c][d][m] û_d[m'],
///
/// where m' is m with its bits c and d inverted, of which m has one set and one not.
///
/// With two coefficients, K is k_0 K_0 + k_1 K_1. Of a vector, K_1 is between divergences, as λ's part of elasticity
/// is, and K_0 between other derivatives. So K_1 alone has `other` of modes m that are odd along c, and K_0 that of
/// even ones. Only these odd modes have a second number in `same`: in 3D, 60 entries make K, where one coefficient has
/// 48. Of one component, K_0 and K_1 both have `same`, as stiffness and mass do. It may have a further K_{2+d} for each
/// direction, ∫ u ∂_d v for a test function v. Its `other` at modes m that are odd along d is for m without that bit.
template <typename Number, class Kind>
struct CellModes
{
  static constexpr int  n_coefficients = Kind::n_coefficients, n_components = Kind::n_components;
  static constexpr bool transport  = n_coefficients > 2;
  static constexpr int  n_partners = transport ? Kind::dim : n_components;

  Number same[transport ? 2 : n_coefficients][n_components][Kind::n_vertices];
  Number other[n_components][n_partners][Kind::n_vertices];

  /// Returns the last coefficient of `same` at mode m of component c, which `other` has, too, without transport.
  ADAMANT_HOST_DEVICE static constexpr int coefficient(int c, int m)
  {
    return n_coefficients == 1 ? 0 : n_components == 1 ? 1 : m >> c & 1;
  }

  /// Returns whether component d, or transport along d, contributes to mode m of component c.
  ADAMANT_HOST_DEVICE static constexpr bool couples(int c, int d, int m)
  {
    return transport ? (m >> d & 1) != 0 : c != d && (m >> c & 1) != (m >> d & 1);
  }
  /// Returns the mode that it contributes.
  ADAMANT_HOST_DEVICE static constexpr int partner(int c, int d, int m)
  {
    return transport ? m ^ (1 << d) : m ^ (1 << c) ^ (1 << d);
  }

  /// Returns mode m of component c of K u, where u[c] are the modes û_c of a cell that has these coefficients.
  ADAMANT_HOST_DEVICE Number apply(int c, int m, const Number (&coefficients)[n_coefficients],
                                   const Number (&u)[n_components][Kind::n_vertices]) const
  {
    const int last = coefficient(c, m);
    Number    sum  = same[last][c][m] * u[c][m];
#pragma unroll
    for (int d = 0; d < n_partners; ++d)
      if (!transport && couples(c, d, m))
        sum += other[c][d][m] * u[d][partner(c, d, m)];
    sum *= coefficients[last];
    if (last > 0)
      sum += coefficients[0] * (same[0][c][m] * u[c][m]);
#pragma unroll
    for (int d = 0; d < n_partners; ++d)
      if (transport && couples(c, d, m))
        sum += coefficients[n_coefficients - n_partners + d] * (other[c][d][m] * u[c][partner(c, d, m)]);
    return sum;
  }
};

/// Returns entry (c, m), (d, n) of the i-th matrix K of a mesh between modes.
double between_modes(const CellMesh &mesh, int i, int c, int m, int d, int n);

/// Returns the matrices of a mesh of this kind between modes.
template <typename Number, class Kind>
CellModes<Number, Kind> modes_of(const CellMesh &mesh)
{
  using Modes = CellModes<Number, Kind>;
  Modes      modes{};
  const auto entry = [&mesh](int i, int c, int m, int d, int n) {
    return static_cast<Number>(between_modes(mesh, i, c, m, d, n));
  };
  for (int c = 0; c < Kind::n_components; ++c)
    for (int m = 0; m < Kind::n_vertices; ++m)
      {
        for (int i = 0; i <= Modes::coefficient(c, m); ++i)
          modes.same[i][c][m] = entry(i, c, m, c, m);
        for (int d = 0; d < Modes::n_partners; ++d)
          if (Modes::couples(c, d, m))
            modes.other[c][d][m] = Modes::transport ? entry(2 + d, c, m, c, Modes::partner(c, d, m)) :
                                                      entry(Modes::coefficient(c, m), c, m, d, Modes::partner(c, d, m));
      }
  return modes;
}

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

/// The matrix Hᵀ (Σ_cells k_cell G_cellᵀ K G_cell) H of a mesh. G_cell picks the unknowns of a cell, and H interpolates
/// at hanging nodes. With several coefficients, the sum of k_i K_i takes the place of k_cell K. Entries are not stored:
/// products make them. Rows of prescribed unknowns and of hanging nodes are rows of the identity, and their columns are
/// empty. The coefficients k may change. On several ranks each has the rows of its own nodes, and all ranks call the
/// constructor, set() and make_storage() together. On a GPU, for_each_row takes the functors that cells.cu lists.
///
/// In 3D with three components, a second coefficient costs a cell a sixth more operations and one more number.
class CellMatrix : public RowlessMatrix
{
public:
  /// Throws RunError where can_be_made(mesh) is false, or sizes do not fit, or the mesh is a grid on several ranks.
  /// Kernels keep at most `most_values` numbers of a cluster, or fewer where the GPU has less room.
  CellMatrix(const Device &device, CellMesh mesh, int most_values = Clusters::most_values);
  /// Returns whether K couples even and odd functions only as CellModes says. It does for an isotropic operator on
  /// boxes, and K_i do for the parts of μ and λ, or for stiffness, mass and transport along the axes. Weights of
  /// hanging nodes have to be multiples of 2^-12, as weights of Q1 are.
  static bool can_be_made(const CellMesh &mesh);

  /// Sets k_cell = scale_cell^power of_cells[cell] for the own cells, in the order of the mesh, and fetches the
  /// coefficients of other ranks' cells. With several coefficients it sets the one that `which` names. Throws RunError
  /// for another number of cells.
  void set(const Vector<double> &of_cells, int which = 0);

  const CellMesh            &mesh() const { return mesh_; }
  const List<unsigned char> &fixed() const { return fixed_; } ///< as in the mesh, in device memory
  const Vector<double>      &coefficients(int which = 0) const { return k[which]; } ///< k_cell, in device memory
  const List<int> &cell_at() const { return cell_at_node; } ///< of a grid: the cell whose vertex 0 is the node, or -1
  const ClusterLists &clusters() const { return cluster_lists; } ///< empty for a grid

  int                 n_rows() const override { return mesh_.n_components * mesh_.n_own_nodes(); }
  CSRMatrix<double>   rows() const override;
  const ExchangePlan *ghosts() const override { return mesh_.unknowns.get(); }
  /// @name See RowlessMatrix. A device of MatrixFormat::cusparse has no such matrix and throws RunError.
  /// @{
  std::shared_ptr<MatrixStorage<double>> make_storage(const Device &device, double) const override;
  std::shared_ptr<MatrixStorage<float>>  make_storage(const Device &device, float) const override;
  /// @}
  /// @name See RowlessMatrix. node_size is 1, for the diagonal alone, or the number of components.
  /// @{
  void invert_diagonal(int node_size, Vector<double> &inverse) const override;
  void invert_diagonal(int node_size, Vector<float> &inverse) const override;
  /// @}

private:
  CellMesh                    mesh_;
  List<unsigned char>         fixed_;
  List<int>                   cell_at_node;
  ClusterLists                cluster_lists;
  List<double>                K, scale;
  std::vector<Vector<double>> k; // for each coefficient
  GhostValues                 cells_of_others;
};

/// Sets to[cell] = scale[cell]^power from[cell]; without `scale` it copies.
struct ScaleOfCells
{
  const double            *scale, *from;
  double                  *to;
  int                      power;
  ADAMANT_HOST_DEVICE void operator()(int cell) const
  {
    double factor = 1.;
    for (int i = 0; i < power && scale != nullptr; ++i)
      factor *= scale[cell];
    to[cell] = factor * from[cell];
  }
};

/// Sets to[node] to the coefficient of the cell whose vertex 0 is the node, or to zero where there is none.
template <typename Number>
struct ToFirstNodes
{
  const int               *cell_at;
  const double            *of_cells;
  Number                  *to;
  ADAMANT_HOST_DEVICE void operator()(int node) const
  {
    to[node] = cell_at[node] < 0 ? Number(0) : static_cast<Number>(of_cells[cell_at[node]]);
  }
};

/// The matrices of cells, entry by entry.
template <class Kind_>
struct CellEntries
{
  using Kind = Kind_;

  const double *K, *coefficients[Kind::n_coefficients];

  /// Adds a factor times an entry of a cell's matrix.
  ADAMANT_HOST_DEVICE void add(double factor, int cell, int row, int column, double &sum) const
  {
    for (int i = 0; i < Kind::n_coefficients; ++i)
      sum += factor * coefficients[i][cell] * K[Kind::n_entries * i + Kind::n_rows * row + column];
  }
};

/// The diagonal blocks of a grid.
template <int n_coefficients>
struct GridBlocks
{
  using Kind = CellKind<3, 3, n_coefficients>;

  CellEntries<Kind> cells;
  int               n_nodes[3];
  const int        *cell_at;

  /// Writes the sum over cells of the diagonal 3 x 3 block of a node's rows to `block`, row-major; returns the node.
  ADAMANT_HOST_DEVICE int sum(int node, double *block) const
  {
    const int at[3] = {node % n_nodes[0], node / n_nodes[0] % n_nodes[1], node / n_nodes[0] / n_nodes[1]};
    for (int a = 0; a < 8; ++a)
      if (const int first = vertex_0(node, at, a, n_nodes); first >= 0)
        for (int i = 0; i < 9; ++i)
          cells.add(1., cell_at[first], 3 * a + i / 3, 3 * a + i % 3, block[i]);
    return node;
  }
};

/// The diagonal blocks of clusters. `slot` counts the own nodes of all clusters.
template <class Kind_>
struct ClusterBlocks
{
  using Kind                = Kind_;
  static constexpr int size = Kind::n_components;

  CellEntries<Kind> cells;
  ClustersView      clusters;

  ADAMANT_HOST_DEVICE int sum(int slot, double *block) const
  {
    const Cluster &cluster = clusters.of_slot(slot);
    const int      i       = slot - cluster.slot;
    clusters.for_each_term(cluster.shape, i, [&](int a, int cell, double weight) {
      clusters.for_each_term(cluster.shape, i, [&](int b, int other, double weight_of_other) {
        for (int k = 0; cell == other && k < size * size; ++k)
          cells.add(weight * weight_of_other, clusters.cell[cluster.cell + cell], size * a + k / size,
                    size * b + k % size, block[k]);
      });
    });
    return static_cast<int>(clusters.node[cluster.node + i] >> 3);
  }
};

/// Computes the inverses of InvertNodeBlocks for a matrix by cells, which has a row a component at each node. node_size
/// is 1, for the diagonal alone, or the number of components.
template <typename Number, class Blocks>
struct InvertCellBlocks
{
  Blocks               blocks;
  const unsigned char *fixed;
  int                  n_nodes, node_size;
  Number              *inverse;

  ADAMANT_HOST_DEVICE void operator()(int k) const
  {
    constexpr int size               = Blocks::Kind::n_components;
    double        block[size * size] = {};
    const int     node               = blocks.sum(k, block);
    for (int i = 0; i < size * size; ++i)
      if (fixed[node] >> (i / size) & 1 || fixed[node] >> (i % size) & 1)
        block[i] = i / size == i % size;
    if (node_size == 1)
      for (int c = 0; c < size; ++c)
        inverse[size * node + c] = static_cast<Number>(1. / block[(size + 1) * c]);
    else
      {
        const bool regular = invert_small(block, size);
        for (int i = 0; i < size * size; ++i)
          inverse[static_cast<long>(i) * n_nodes + node] = regular ? static_cast<Number>(block[i]) : Number(NAN);
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
/// Returns the bytes of shared memory that a block of threads may have.
int shared_memory(const DeviceInterface &device);
} // namespace cuda
} // namespace adamant
