#include "direct/hierarchical_basis.h"

#include "base/csr/csr_operations.h"
#include "base/exceptions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace adamant
{
NestedNodes::NestedNodes(const std::vector<std::shared_ptr<const CSRMatrix<double>>> &prolongations_,
                         const Array<int>                                            &unknowns_)
  : prolongations(prolongations_)
  , finest_node(prolongations_.size() + 1)
  , new_nodes(prolongations_.size())
  , unknown(prolongations_.back()->n_rows, -1)
  , unknowns(unknowns_)
  , n_unknowns(static_cast<int>(unknowns.size()))
{
  for (std::size_t i = 0; i < unknowns.size(); ++i)
    unknown[unknowns[i]] = static_cast<int>(i);
  finest_node.back().resize(prolongations.back()->n_rows);
  std::iota(finest_node.back().begin(), finest_node.back().end(), 0);
  for (std::size_t l = prolongations.size(); l-- > 0;)
    {
      const CSRMatrix<double> &P = *prolongations[l];
      finest_node[l].assign(P.n_cols, -1);
      for (int i = 0; i < P.n_rows; ++i)
        {
          const auto k = P.row_start[i], length = P.row_start[i + 1] - k;
          if (length == 0)
            hanging = true;
          else if (length == 1 && std::abs(P.value[k] - 1.) < 1e-12)
            {
              require(finest_node[l][P.column[k]] < 0, "hierarchical basis: node ", P.column[k], " of level ", l,
                      " is found twice in the next one");
              finest_node[l][P.column[k]] = finest_node[l + 1][i];
            }
          else
            new_nodes[l].push_back(i);
        }
      for (int j = 0; j < P.n_cols; ++j)
        hanging = hanging || finest_node[l][j] < 0;
    }
}

CSRMatrix<double> interpolation(const NestedNodes &nodes, int l, Array<int> &own)
{
  const CSRMatrix<double> &P = *nodes.prolongations[l];
  Array<int>               rows; // of P
  for (const int i : nodes.new_nodes[l])
    if (const int number = nodes.unknown[nodes.finest_node[l + 1][i]]; number >= 0)
      {
        own.push_back(number);
        rows.push_back(i);
      }
  return matrix_of_rows(static_cast<int>(rows.size()), nodes.n_unknowns, [&](int r, Row &row) {
    for (auto k = P.row_start[rows[r]]; k < P.row_start[rows[r] + 1]; ++k)
      if (const int node = nodes.finest_node[l][P.column[k]]; node >= 0 && nodes.unknown[node] >= 0)
        row.emplace_back(nodes.unknown[node], P.value[k]);
    std::sort(row.begin(), row.end());
  });
}

CSRMatrix<double> hierarchical_step(const NestedNodes &nodes, int l)
{
  Array<int>              own;
  const CSRMatrix<double> rows = interpolation(nodes, l, own);
  Array<int>              row_of(nodes.n_unknowns, -1);
  for (std::size_t i = 0; i < own.size(); ++i)
    row_of[own[i]] = static_cast<int>(i);
  return matrix_of_rows(nodes.n_unknowns, nodes.n_unknowns, [&](int i, Row &row) {
    row.emplace_back(i, 1.);
    if (row_of[i] >= 0)
      for (auto k = rows.row_start[row_of[i]]; k < rows.row_start[row_of[i] + 1]; ++k)
        row.emplace_back(rows.column[k], rows.value[k]);
    std::sort(row.begin(), row.end());
  });
}

CSRMatrix<double> submatrix(const CSRMatrix<double> &A, const Array<int> &rows, const Array<int> &columns)
{
  Array<int> number(A.n_cols, -1);
  for (std::size_t j = 0; j < columns.size(); ++j)
    number[columns[j]] = static_cast<int>(j);
  return matrix_of_rows(static_cast<int>(rows.size()), static_cast<int>(columns.size()), [&](int i, Row &row) {
    for (auto k = A.row_start[rows[i]]; k < A.row_start[rows[i] + 1]; ++k)
      if (number[A.column[k]] >= 0 && A.value[k] != 0.)
        row.emplace_back(number[A.column[k]], A.value[k]);
    std::sort(row.begin(), row.end());
  });
}

CSRMatrix<double> renumbered_rows(const CSRMatrix<double> &A, const Array<int> &row, const Array<int> &number)
{
  return matrix_of_rows(static_cast<int>(row.size()), static_cast<int>(number.size()), [&](int r, Row &entries) {
    for (auto k = row[r] < 0 ? 0 : A.row_start[row[r]]; row[r] >= 0 && k < A.row_start[row[r] + 1]; ++k)
      entries.emplace_back(number[A.column[k]], A.value[k]);
  });
}
} // namespace adamant
