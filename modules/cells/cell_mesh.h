#pragma once

#include "base/array.h"
#include "base/exchange_plan.h"

#include <array>
#include <memory>

namespace adamant
{
/// Cells of one shape, of any sizes, as a tree of boxes has them. Each node has an unknown for each component, next to
/// each other. There is one component or one along each direction. Vertex a of a cell lies on the far side in direction
/// d where bit d of a is set. The matrix of a cell is k K, or with several coefficients the sum of k_i K_i. Here K_i is
/// that of a cell of scale 1, and it grows with the cell's scale to a power. At a hanging node, u is a sum of the
/// values at its masters, which do not hang.
///
/// On several ranks this is one rank's part. Its own nodes come first, then the ghosts of `unknowns`, then other ranks'
/// nodes that hang. Its own cells come first, then the ghosts of `cells`. All cells are there that touch an own node,
/// or a node that hangs on one.
struct CellMesh
{
  /// Interpolation at the nodes that hang: the node's masters and weights have the places start[node] to start[node +
  /// 1] - 1, of which other nodes have none. `start` may be empty where no node hangs.
  struct Hanging
  {
    Array<int>    start, master;
    Array<double> weight;

    int  begin(int node) const { return start.empty() ? 0 : start[node]; }
    int  end(int node) const { return start.empty() ? 0 : start[node + 1]; }
    bool has(int node) const { return begin(node) < end(node); }

    /// Calls action(node, weight) for the nodes whose values make the value at a node: for its masters, or for itself.
    template <typename Action>
    void for_each_part(int node, const Action &action) const
    {
      if (!has(node))
        return action(node, 1.);
      for (int k = begin(node); k < end(node); ++k)
        action(master[k], weight[k]);
    }
  };

  int                  dim = 3, n_components = 3;
  Array<int>           nodes;         ///< the node at each vertex, cell by cell
  Array<double>        scale;         ///< of each own cell; empty: all are 1
  std::array<int, 5>   power{{1, 1}}; ///< of the scale, for each K_i
  Array<double>        local;         ///< all K_i, row-major; row n_components a + c is component c of vertex a
  Array<unsigned char> fixed;         ///< for each node, bit c is set where component c is prescribed; 7 where it hangs
  std::array<int, 3>   along{{0, 1, 2}}; ///< the component that points in each direction, if there are several
  Hanging              hanging{};
  /// Where the cells are a grid in 3D with three components, their numbers in the directions, else zeros. Its nodes are
  /// numbered line by line in direction 0; lines follow each other in direction 1, planes in direction 2.
  std::array<int, 3> n_cells_of_grid{};
  /// The coordinates of each own node, 0 to 2^21 - 1 in any unit, for cells that are no grid: nodes near each other are
  /// computed together. In 2D the last one is 0.
  Array<std::array<int, 3>> position{};
  /// How ranks exchange unknowns and cells' coefficients; null on one rank.
  std::shared_ptr<const ExchangePlan> unknowns{}, cells{};

  int n_vertices() const { return 1 << dim; }                                         ///< of a cell
  int n_rows() const { return n_vertices() * n_components; }                          ///< of a cell's matrix
  int n_entries() const { return n_rows() * n_rows(); }                               ///< of a cell's matrix
  int n_coefficients() const { return static_cast<int>(local.size()) / n_entries(); } ///< of each cell
  int n_nodes() const { return static_cast<int>(fixed.size()); }
  int n_cells() const { return static_cast<int>(nodes.size() / n_vertices()); }
  int n_own_nodes() const { return unknowns ? unknowns->n_owned / n_components : n_nodes(); }
  int n_own_cells() const { return cells ? cells->n_owned : n_cells(); }
  /// Returns the number of unknowns with ghosts.
  int  n_unknowns() const { return unknowns ? unknowns->n_owned + unknowns->n_ghosts() : n_components * n_nodes(); }
  bool is_grid() const { return n_cells_of_grid[0] > 0; }
};

/// The sizes of a mesh's matrices that products need at compile time.
template <int dim_, int n_components_, int n_coefficients_>
struct CellKind
{
  static constexpr int dim = dim_, n_components = n_components_, n_coefficients = n_coefficients_;
  static constexpr int n_vertices = 1 << dim, n_rows = n_vertices * n_components, n_entries = n_rows * n_rows;
};

/// Returns action(kind) for the CellKind of a mesh that can be a matrix by cells.
template <class Action>
auto with_kind(const CellMesh &mesh, const Action &action)
{
  const int n = mesh.n_coefficients();
  if (mesh.dim == 3 && mesh.n_components == 3)
    return n == 1 ? action(CellKind<3, 3, 1>()) : action(CellKind<3, 3, 2>());
  if (mesh.dim == 3)
    return n == 1 ? action(CellKind<3, 1, 1>()) : n == 2 ? action(CellKind<3, 1, 2>()) : action(CellKind<3, 1, 5>());
  if (mesh.n_components == 2)
    return n == 1 ? action(CellKind<2, 2, 1>()) : action(CellKind<2, 2, 2>());
  return n == 1 ? action(CellKind<2, 1, 1>()) : n == 2 ? action(CellKind<2, 1, 2>()) : action(CellKind<2, 1, 4>());
}

/// Returns a grid of n[0] x n[1] x n[2] cells with the matrix K, of which no node is prescribed.
CellMesh grid_of(const std::array<int, 3> &n, Array<double> K);
} // namespace adamant
