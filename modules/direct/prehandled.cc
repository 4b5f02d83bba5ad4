#include "direct/prehandled.h"

#include "base/csr/csr_operations.h"
#include "base/exceptions.h"
#include "tensor/dense_products.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace adamant
{
namespace
{
// L⁻¹ of a dense symmetric positive definite A = L Lᵀ, row-major.
Array<double> inverse_factor(const CSRMatrix<double> &A)
{
  const int     n = A.n_rows;
  Array<double> L(std::size_t(n) * n, 0.), inverse(std::size_t(n) * n, 0.);
  const auto    at = [n](int i, int j) { return std::size_t(i) * n + j; };
  for (int i = 0; i < n; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      L[at(i, A.column[k])] = A.value[k];
  for (int j = 0; j < n; ++j)
    {
      double pivot = L[at(j, j)];
      for (int k = 0; k < j; ++k)
        pivot -= L[at(j, k)] * L[at(j, k)];
      if (!(pivot > 0.))
        throw RunError("schur: the coarse matrix is not positive definite; does the problem lack boundary conditions?");
      L[at(j, j)] = std::sqrt(pivot);
#pragma omp parallel for schedule(static)
      for (int i = j + 1; i < n; ++i)
        {
          double sum = L[at(i, j)];
          for (int k = 0; k < j; ++k)
            sum -= L[at(i, k)] * L[at(j, k)];
          L[at(i, j)] = sum / L[at(j, j)];
        }
    }
    // Columns of the inverse, as rows of its transpose.
#pragma omp parallel for schedule(dynamic, 8)
  for (int j = 0; j < n; ++j)
    {
      Array<double> x(n, 0.);
      for (int i = j; i < n; ++i)
        {
          double sum = i == j ? 1. : 0.;
          for (int k = j; k < i; ++k)
            sum -= L[at(i, k)] * x[k];
          x[i] = sum / L[at(i, i)];
        }
      for (int i = j; i < n; ++i)
        inverse[at(i, j)] = x[i];
    }
  return inverse;
}

// SᵀAS, one level after the other.
CSRMatrix<double> in_hierarchical_basis(const NestedNodes &nodes, CSRMatrix<double> A)
{
  for (int l = nodes.n_levels() - 1; l-- > 0;)
    {
      const CSRMatrix<double> S = hierarchical_step(nodes, l);
      A                         = local_product(transpose(S), local_product(A, S));
    }
  return A;
}

// diag(left) A diag(right).
void scale(const Array<double> &left, const Array<double> &right, CSRMatrix<double> &A)
{
  for (int i = 0; i < A.n_rows; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      A.value[k] *= left[i] * right[A.column[k]];
}

// Ã_CI = 0? `largest`: of the diagonal.
void require_harmonic(const CSRMatrix<double> &A, const MacroCells &cells, double largest)
{
  Array<char> inner(A.n_rows, 1);
  for (const auto *list : {&cells.coarse, &cells.edge})
    for (const int i : *list)
      inner[i] = 0;
  for (const int i : cells.coarse)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      require(
        !inner[A.column[k]] || std::abs(A.value[k]) < 1e-12 * largest,
        "schur: coarse functions are not harmonic inside the coarse cells (it takes rectangles with Q1 or triangles "
        "with P1, and a constant coefficient); take Solver = multigrid");
}

// Returns a cell's unknowns and their places in the blocks of its class: inner unknowns first, then unknowns of edges.
std::map<int, int> places(const MacroCells &cells, const MacroCells::Class &kind, int cell)
{
  const int *I = &kind.inner[std::size_t(cell) * kind.n_inner], *E = &kind.edge[std::size_t(cell) * kind.n_edge];
  std::map<int, int> place;
  for (int i = 0; i < kind.n_inner; ++i)
    place[I[i]] = i;
  for (int j = 0; j < kind.n_edge; ++j)
    if (E[j] >= 0)
      place[cells.edge[E[j]]] = kind.n_inner + j;
  return place;
}

// Takes the rows of a cell's inner unknowns out of d A d into the blocks of its class.
void take_blocks(const CSRMatrix<double> &A, const Array<double> &d, const std::map<int, int> &place, const int *inner,
                 int m, Prehandled::Local &blocks)
{
  for (int i = 0; i < m; ++i)
    for (auto k = A.row_start[inner[i]]; k < A.row_start[inner[i] + 1]; ++k)
      {
        const int  column = A.column[k];
        const auto found  = place.find(column);
        if (found == place.end())
          continue;
        const double value = A.value[k] * d[inner[i]];
        if (found->second < m)
          blocks.C[std::size_t(i) * m + found->second] = value * d[column];
        else
          blocks.D[std::size_t(found->second - m) * m + i] = value;
      }
}

// The blocks of a class of cells: the first cell that has all its edges' nodes lends its numbers; of others some
// columns are missing.
Prehandled::Local local_blocks(const CSRMatrix<double> &A, const Array<double> &d, const MacroCells &cells,
                               const MacroCells::Class &kind)
{
  const int         m = kind.n_inner, e = kind.n_edge;
  Prehandled::Local blocks{Array<double>(std::size_t(m) * m, 0.), Array<double>(std::size_t(e) * m, 0.)};
  Array<char>       known(e, 0);
  for (int cell = 0; cell < kind.n_cells; ++cell)
    {
      const int *E    = &kind.edge[std::size_t(cell) * e];
      bool       news = cell == 0;
      for (int j = 0; j < e; ++j)
        if (E[j] >= 0 && !known[j])
          {
            known[j] = true;
            news     = true;
          }
      if (news)
        take_blocks(A, d, places(cells, kind, cell), &kind.inner[std::size_t(cell) * m], m, blocks);
    }
  return blocks;
}
} // namespace

Prehandled::Prehandled(const NestedNodes &nodes, const MacroCells &cells, const CSRMatrix<double> &matrix)
{
  hierarchical = in_hierarchical_basis(nodes, submatrix(matrix, nodes.unknowns, nodes.unknowns));
  const auto D = diagonal(hierarchical);
  inverse_diagonal.resize(D.size());
  for (std::size_t i = 0; i < D.size(); ++i)
    inverse_diagonal[i] = 1. / std::sqrt(D[i]);
  for (const int i : cells.coarse)
    inverse_diagonal[i] = 1.;

  require_harmonic(hierarchical, cells, *std::max_element(D.begin(), D.end()));

  L_inverse = inverse_factor(submatrix(hierarchical, cells.coarse, cells.coarse));
  Array<double> d_E;
  for (const int i : cells.edge)
    d_E.push_back(inverse_diagonal[i]);
  coupling = submatrix(hierarchical, cells.coarse, cells.edge);
  scale(Array<double>(cells.coarse.size(), 1.), d_E, coupling);
  edges = submatrix(hierarchical, cells.edge, cells.edge);
  scale(d_E, d_E, edges);

  for (const auto &kind : cells.classes)
    local.push_back(local_blocks(hierarchical, inverse_diagonal, cells, kind));
}

std::vector<LocalInverse> local_inverses(const Device &device, const MacroCells &cells, const Prehandled &matrices)
{
  const DenseProducts       products(device, Arithmetic::float64);
  std::vector<LocalInverse> local;
  for (std::size_t k = 0; k < cells.classes.size(); ++k)
    {
      const int      m = cells.classes[k].n_inner, e = cells.classes[k].n_edge;
      Vector<double> C(device, matrices.local[k].C), D(device, matrices.local[k].D), W(device, e * m), G(device, e * e);
      products.invert(device, C.data(), m, m);
      products.multiply({e, m, m, false, false, m, m, m}, 1., D.data(), C.data(), 0., W.data());
      products.multiply({e, e, m, false, true, m, m, e}, 1., W.data(), D.data(), 0., G.data());
      local.push_back({to_host(C), to_host(W), to_host(G)});
    }
  return local;
}

CSRMatrix<double> edge_complement(const MacroCells &cells, const Prehandled &matrices,
                                  const std::vector<LocalInverse> &local)
{
  const int                                    n = static_cast<int>(cells.edge.size());
  std::vector<std::vector<std::array<int, 3>>> places(n); // class, cell, node of the class
  for (std::size_t c = 0; c < cells.classes.size(); ++c)
    for (int cell = 0; cell < cells.classes[c].n_cells; ++cell)
      for (int j = 0; j < cells.classes[c].n_edge; ++j)
        if (const int E = cells.classes[c].edge[std::size_t(cell) * cells.classes[c].n_edge + j]; E >= 0)
          places[E].push_back({{int(c), cell, j}});
  const auto d = [&](int E) { return matrices.inverse_diagonal[cells.edge[E]]; };
  return matrix_of_rows(n, n, [&](int i, Row &row) {
    std::map<int, double> sums; // by column
    for (auto k = matrices.edges.row_start[i]; k < matrices.edges.row_start[i + 1]; ++k)
      sums[matrices.edges.column[k]] += matrices.edges.value[k];
    for (const auto &[c, cell, j] : places[i])
      {
        const int  e = cells.classes[c].n_edge;
        const int *E = &cells.classes[c].edge[std::size_t(cell) * e];
        for (int k = 0; k < e; ++k)
          if (E[k] >= 0)
            sums[E[k]] += -d(i) * local[c].G[std::size_t(j) * e + k] * d(E[k]);
      }
    row.assign(sums.begin(), sums.end());
  });
}
} // namespace adamant
