// What the Schur complement method computes in double, and how many bytes it takes.

#include "direct/schur.h"

#include <algorithm>
#include <array>
#include <utility>

namespace adamant
{
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
  const auto        d = [&](int E) { return matrices.inverse_diagonal[cells.edge[E]]; };
  Array<double>     sums(n, 0.);
  Array<char>       used(n, 0);
  CSRMatrix<double> complement;
  complement.n_rows = complement.n_cols = n;
  complement.row_start.push_back(0);
  for (int i = 0; i < n; ++i)
    {
      std::vector<int> columns;
      const auto       add = [&](int column, double value) {
        if (!std::exchange(used[column], 1))
          columns.push_back(column);
        sums[column] += value;
      };
      for (auto k = matrices.edges.row_start[i]; k < matrices.edges.row_start[i + 1]; ++k)
        add(matrices.edges.column[k], matrices.edges.value[k]);
      for (const auto &[c, cell, j] : places[i])
        {
          const int  e = cells.classes[c].n_edge;
          const int *E = &cells.classes[c].edge[std::size_t(cell) * e];
          for (int k = 0; k < e; ++k)
            if (E[k] >= 0)
              add(E[k], -d(i) * local[c].G[std::size_t(j) * e + k] * d(E[k]));
        }
      std::sort(columns.begin(), columns.end());
      for (const int column : columns)
        {
          complement.column.push_back(column);
          complement.value.push_back(std::exchange(sums[column], 0.));
          used[column] = 0;
        }
      complement.row_start.push_back(static_cast<std::int64_t>(complement.column.size()));
    }
  return complement;
}

SchurBytes schur_bytes(double n_edge, Arithmetic arithmetic)
{
  const double size = arithmetic == Arithmetic::float64 ? 8 : arithmetic >= Arithmetic::bfloat16 ? 2 : 4;
  // While it is inverted: the matrix in double, blocks of 512 of its rows and columns, then the rounded one.
  return {size * n_edge * n_edge, std::max(8. * n_edge * (n_edge + 2. * 512.), (8. + size) * n_edge * n_edge)};
}
} // namespace adamant
