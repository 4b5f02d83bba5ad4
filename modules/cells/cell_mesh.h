#pragma once

#include "base/array.h"
#include "base/exchange_plan.h"

#include <array>
#include <memory>

namespace adamant
{
/// Cells of one shape in 3D, of any sizes, as a tree of boxes has them. Each node has an unknown for each of three
/// components, next to each other. Vertex a of a cell lies on the far side in direction d where bit d of a is set. The
/// matrix of a cell is its scale times K, or with two coefficients times k_0 K_0 + k_1 K_1. At a hanging node, u is a
/// sum of the values at its masters, which do not hang.
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

  Array<int>           nodes; ///< the node at each vertex: 8 for each cell
  Array<double>        scale; ///< of each own cell; empty: all are 1
  Array<double>        local; ///< K, or K_0 and then K_1: 24 x 24, row-major; row 3 a + c is component c of vertex a
  Array<unsigned char> fixed; ///< for each node, bit c is set where component c is prescribed; 7 where it hangs
  std::array<int, 3>   along{{0, 1, 2}}; ///< the component that points in each direction
  Hanging              hanging{};
  /// Where the cells are a grid, their numbers in the three directions, else zeros. The nodes of a grid are numbered
  /// line by line in direction 0; lines follow each other in direction 1, planes in direction 2.
  std::array<int, 3> n_cells_of_grid{};
  /// The coordinates of each own node, 0 to 2^21 - 1 in any unit, for cells that are no grid: nodes near each other are
  /// computed together.
  Array<std::array<int, 3>> position{};
  /// How ranks exchange unknowns and cells' coefficients; null on one rank.
  std::shared_ptr<const ExchangePlan> unknowns{}, cells{};

  static constexpr int n_entries = 24 * 24; ///< of a cell's matrix

  int n_coefficients() const { return static_cast<int>(local.size()) / n_entries; } ///< of each cell
  int n_nodes() const { return static_cast<int>(fixed.size()); }
  int n_cells() const { return static_cast<int>(nodes.size() / 8); }
  int n_own_nodes() const { return unknowns ? unknowns->n_owned / 3 : n_nodes(); }
  int n_own_cells() const { return cells ? cells->n_owned : n_cells(); }
  /// Returns the number of unknowns with ghosts.
  int  n_unknowns() const { return unknowns ? unknowns->n_owned + unknowns->n_ghosts() : 3 * n_nodes(); }
  bool is_grid() const { return n_cells_of_grid[0] > 0; }
};

/// Returns a grid of n[0] x n[1] x n[2] cells with the matrix K, of which no node is prescribed.
CellMesh grid_of(const std::array<int, 3> &n, Array<double> K);
} // namespace adamant
