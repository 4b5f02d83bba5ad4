#pragma once

#include "operators/level_data.h"

#include <array>
#include <cmath>
#include <memory>
#include <vector>

/// Bilinear and trilinear elements on uniform grids of the unit square or cube, built by hand as tensor products: level
/// hierarchies for tests and benchmarks without a finite element library.
namespace adamant::test
{
/// mass M + diffusion K + convection . C, C_d = (∂_d φ_j, φ_i); ∂_d in K is stretch_d times the grid's: cells that are
/// shorter by that in direction d.
struct Coefficients
{
  double                mass       = 0;
  double                diffusion  = 1;
  std::array<double, 3> convection = {};
  std::array<double, 3> stretch    = {1, 1, 1};
};

/// Grid of n^dim cells; node numbers run fastest in the first direction.
struct Grid
{
  int dim, n;

  int nodes_per_line() const { return n + 1; }
  int n_nodes() const
  {
    int nodes = 1;
    for (int d = 0; d < dim; ++d)
      nodes *= n + 1;
    return nodes;
  }
  std::array<int, 3> position(int node) const
  {
    std::array<int, 3> p = {};
    for (int d = 0; d < dim; ++d, node /= n + 1)
      p[d] = node % (n + 1);
    return p;
  }
  int number(const std::array<int, 3> &p) const
  {
    int node = 0;
    for (int d = dim; d-- > 0;)
      node = node * (n + 1) + p[d];
    return node;
  }
  bool on_boundary(const std::array<int, 3> &p) const
  {
    for (int d = 0; d < dim; ++d)
      if (p[d] == 0 || p[d] == n)
        return true;
    return false;
  }
};

/// Calls action(q) for the positions q that differ from p by at most one in every direction, in ascending node number.
template <typename Action>
void for_each_neighbour(const Grid &grid, const std::array<int, 3> &p, const Action &action)
{
  std::array<int, 3> q = {};
  for (int z = grid.dim > 2 ? -1 : 0; z <= (grid.dim > 2 ? 1 : 0); ++z)
    for (int y = grid.dim > 1 ? -1 : 0; y <= (grid.dim > 1 ? 1 : 0); ++y)
      for (int x = -1; x <= 1; ++x)
        {
          q           = {p[0] + x, p[1] + y, p[2] + z};
          bool inside = true;
          for (int d = 0; d < grid.dim; ++d)
            inside = inside && q[d] >= 0 && q[d] <= grid.n;
          if (inside)
            action(q);
        }
}

/// System matrix with Dirichlet conditions: identity rows and columns for boundary nodes; with `dirichlet` off, natural
/// conditions everywhere.
inline CSRMatrix<double> q1_matrix(const Grid &grid, const Coefficients &c, bool dirichlet = true)
{
  const double h = 1. / grid.n;
  // Entries of the one-dimensional matrices between nodes i and j = i - 1, i, i + 1.
  const auto sides = [&](int i) { return i == 0 || i == grid.n ? 0.5 : 1.; };
  const auto mass  = [&](int i, int j) { return i == j ? sides(i) * h * 2 / 3 : h / 6; };
  const auto diff  = [&](int i, int j) { return i == j ? sides(i) * 2 / h : -1 / h; };
  const auto conv  = [&](int i, int j) { return i == j ? (i == 0 ? -0.5 : i == grid.n ? 0.5 : 0.) : 0.5 * (j - i); };
  const auto value = [&](const std::array<int, 3> &p, const std::array<int, 3> &q) {
    double sum = 0;
    for (int term = -1; term < 2 * grid.dim; ++term) // the mass, then diffusion and convection in each direction
      {
        double factor = term < 0      ? c.mass :
                        term % 2 == 0 ? c.diffusion * c.stretch[term / 2] * c.stretch[term / 2] :
                                        c.convection[term / 2];
        for (int d = 0; d < grid.dim; ++d)
          factor *= term < 0 || term / 2 != d ? mass(p[d], q[d]) : term % 2 == 0 ? diff(p[d], q[d]) : conv(p[d], q[d]);
        sum += factor;
      }
    return sum;
  };

  CSRMatrix<double> A;
  A.n_rows = A.n_cols = grid.n_nodes();
  A.row_start.assign(A.n_rows + 1, 0);
  for (int i = 0; i < A.n_rows; ++i)
    {
      const auto p = grid.position(i);
      for_each_neighbour(grid, p, [&](const std::array<int, 3> &q) {
        const bool constrained = dirichlet && (grid.on_boundary(p) || grid.on_boundary(q));
        if (constrained && p != q)
          return;
        A.column.push_back(grid.number(q));
        A.value.push_back(constrained ? 1. : value(p, q));
      });
      A.row_start[i + 1] = A.column.size();
    }
  return A;
}

/// Embedding of the grid with half the cells in each direction; with `dirichlet`, without boundary nodes on either
/// side.
inline CSRMatrix<double> q1_prolongation(const Grid &fine, bool dirichlet = true)
{
  const Grid        coarse{fine.dim, fine.n / 2};
  CSRMatrix<double> P;
  P.n_rows = fine.n_nodes();
  P.n_cols = coarse.n_nodes();
  P.row_start.assign(P.n_rows + 1, 0);
  for (int i = 0; i < P.n_rows; ++i)
    {
      const auto         p      = fine.position(i);
      std::array<int, 3> middle = {};
      for (int d = 0; d < fine.dim; ++d)
        middle[d] = p[d] / 2;
      if (!dirichlet || !fine.on_boundary(p))
        for_each_neighbour(coarse, middle, [&](const std::array<int, 3> &q) {
          double weight = dirichlet && coarse.on_boundary(q) ? 0. : 1.;
          for (int d = 0; d < fine.dim; ++d)
            {
              const int distance = std::abs(p[d] - 2 * q[d]);
              weight *= distance == 0 ? 1. : distance == 1 ? 0.5 : 0.;
            }
          if (weight == 0)
            return;
          P.column.push_back(coarse.number(q));
          P.value.push_back(weight);
        });
      P.row_start[i + 1] = P.column.size();
    }
  return P;
}

/// Levels whose matrices a test can change, as programs do between time steps.
struct Levels
{
  std::vector<LevelData>                          data;
  std::vector<std::shared_ptr<CSRMatrix<double>>> matrices; ///< the matrices of `data`

  const CSRMatrix<double> &finest() const { return *matrices.back(); }
  int                      n_rows() const { return finest().n_rows; }

  /// Changes the values, in place, to the values of other levels with the same patterns.
  void take_values(const Levels &other) const
  {
    for (std::size_t l = 0; l < matrices.size(); ++l)
      matrices[l]->value = other.matrices[l]->value;
  }
};

/// Adds a finer level; without transfer the first one.
inline void add_level(Levels &levels, const CSRMatrix<double> &matrix, const CSRMatrix<double> *prolongation = nullptr,
                      int node_size = 1)
{
  levels.matrices.push_back(std::make_shared<CSRMatrix<double>>(matrix));
  LevelData level{levels.matrices.back(), nullptr, nullptr, node_size};
  if (prolongation != nullptr)
    {
      level.prolongation = std::make_shared<CSRMatrix<double>>(*prolongation);
      level.restriction  = std::make_shared<CSRMatrix<double>>(transpose(*prolongation));
    }
  levels.data.push_back(level);
}

/// The nodes of the cells of a grid, also on the boundary.
inline Patches cells_of(const Grid &grid)
{
  Patches patches;
  for (int first = 0; first < grid.n_nodes(); ++first)
    {
      const auto p      = grid.position(first);
      bool       inside = true;
      for (int d = 0; d < grid.dim; ++d)
        inside = inside && p[d] < grid.n;
      for (int corner = 0; inside && corner < 1 << grid.dim; ++corner)
        {
          auto of_corner = p;
          for (int d = 0; d < grid.dim; ++d)
            of_corner[d] += corner >> d & 1;
          patches.node.push_back(grid.number(of_corner));
        }
      if (inside)
        patches.start.push_back(static_cast<int>(patches.node.size()));
    }
  return patches;
}

/// Levels of n_coarse, 2 n_coarse, ... cells a direction, coarsest first.
inline Levels q1_levels(int dim, int n_coarse, int n_levels, const Coefficients &c = {})
{
  Levels levels;
  for (int l = 0; l < n_levels; ++l)
    {
      const Grid grid{dim, n_coarse << l};
      if (l == 0)
        add_level(levels, q1_matrix(grid, c));
      else
        {
          const auto prolongation = q1_prolongation(grid);
          add_level(levels, q1_matrix(grid, c), &prolongation);
        }
      levels.data.back().patches = [grid](PatchKind) { return cells_of(grid); };
    }
  return levels;
}

/// Kronecker product A ⊗ B with a small dense B, row-major: `size` components a node, coupled by B.
inline CSRMatrix<double> kronecker(const CSRMatrix<double> &A, const std::vector<double> &B, int size)
{
  CSRMatrix<double> C;
  C.n_rows = A.n_rows * size;
  C.n_cols = A.n_cols * size;
  C.row_start.assign(C.n_rows + 1, 0);
  for (int i = 0; i < C.n_rows; ++i)
    {
      for (auto k = A.row_start[i / size]; k < A.row_start[i / size + 1]; ++k)
        for (int c = 0; c < size; ++c)
          if (const double value = A.value[k] * B[i % size * size + c]; value != 0)
            {
              C.column.push_back(A.column[k] * size + c);
              C.value.push_back(value);
            }
      C.row_start[i + 1] = C.column.size();
    }
  return C;
}

/// The same levels for a system of `size` components, the matrices coupled by B.
inline Levels coupled_levels(const Levels &levels, const std::vector<double> &B, int size)
{
  std::vector<double> identity(size * size, 0.);
  for (int c = 0; c < size; ++c)
    identity[c * size + c] = 1;
  Levels coupled;
  for (const LevelData &level : levels.data)
    {
      if (level.prolongation == nullptr)
        add_level(coupled, kronecker(level.matrix(), B, size), nullptr, size);
      else
        {
          const auto prolongation = kronecker(*level.prolongation, identity, size);
          add_level(coupled, kronecker(level.matrix(), B, size), &prolongation, size);
        }
      coupled.data.back().patches = level.patches;
    }
  return coupled;
}
} // namespace adamant::test
