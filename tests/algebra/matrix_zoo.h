#pragma once

#include "support/q1_grid.h"
#include "tests/algebra/support.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

/// Matrices of all the shapes that the formats tell apart.
namespace adamant::test
{
struct Specimen
{
  std::string       name;
  CSRMatrix<double> A;
  int               node_size = 1;
};

/// The matrix that has `row(i)` = {column, value} pairs with ascending columns.
template <typename Row>
CSRMatrix<double> matrix_of_rows(int n_rows, int n_cols, const Row &row)
{
  CSRMatrix<double> A;
  A.n_rows = n_rows;
  A.n_cols = n_cols;
  A.row_start.push_back(0);
  for (int i = 0; i < n_rows; ++i)
    {
      for (const auto &[column, value] : row(i))
        {
          A.column.push_back(column);
          A.value.push_back(value);
        }
      A.row_start.push_back(static_cast<int>(A.column.size()));
    }
  return A;
}
using RowEntries = std::vector<std::pair<int, double>>;

/// Four runs of consecutive columns a row, as the source term has.
inline CSRMatrix<double> matrix_of_runs(int run, bool few_values)
{
  return matrix_of_rows(1000, run * 900, [&](int i) {
    RowEntries row;
    for (int part = 0; part < 4; ++part)
      for (int c = 0; c < run; ++c)
        {
          const int k = part * run + c;
          row.emplace_back(run * ((i % 100 + 250 * part) % 900) + c,
                           few_values ? 0.5 * (k % 7) - 1 : std::cos(1. * i * k));
        }
    std::sort(row.begin(), row.end());
    return row;
  });
}

/// A band of seven entries a row, `stride` columns to the right from each row to the next. Now and then a row is
/// shorter, as at the boundary. Columns change after `stretch` rows, values after three times as many. With stride = 0
/// every other row steps to the right, as in prolongation.
inline CSRMatrix<double> band(int n, int stride, int stretch = 1000)
{
  return matrix_of_rows(n, std::max(1, stride) * n + 40, [&](int i) {
    RowEntries row;
    const int  length = i % 2000 == 0 ? 1 : stride == 0 && i % 2 ? 4 : 7;
    for (int e = 0; e < length; ++e)
      row.emplace_back((stride == 0 ? i / 2 : stride * i) + 5 * e + i / stretch % 2,
                       (i / (3 * stretch) % 2 ? 1. : 0.5) * (e - 2) + (e == 2 ? 8 : 0) +
                         (stride == 0 && i % 2 ? 3 : 0));
    return row;
  });
}

/// Nodes of m rows on a grid, coupled with their neighbours on it by dense blocks. The blocks depend on the places and
/// on the number of the neighbours. So there are few different rows of nodes, and slices where lines end have several
/// of them.
inline CSRMatrix<double> nodes_on_a_grid(int length, int lines, int m)
{
  const Values blocks = random_values(9 * m * m, 12);
  return matrix_of_rows(length * lines * m, length * lines * m, [&](int i) {
    RowEntries row;
    const int  x = i / m % length, y = i / m / length;
    const bool inside = 0 < x && x < length - 1 && 0 < y && y < lines - 1;
    for (int k = 0; k < 9; ++k)
      if (const int to_x = x + k % 3 - 1, to_y = y + k / 3 - 1; 0 <= to_x && to_x < length && 0 <= to_y && to_y < lines)
        for (int c = 0; c < m; ++c)
          row.emplace_back((to_y * length + to_x) * m + c, blocks[(k * m + i % m) * m + c] * (inside ? 1. : 1.25));
    return row;
  });
}

/// Nodes of m rows with dense blocks, which have 1, 3 or 8 neighbours in turn. Vertices, lines and cells of quadratic
/// elements have different numbers of them, too.
inline CSRMatrix<double> nodes_of_different_lengths(int n_nodes, int m)
{
  const Values values = random_values(1000, 13);
  return matrix_of_rows(n_nodes * m, n_nodes * m, [&](int i) {
    RowEntries row;
    const int  node = i / m, n = node % 5 == 0 ? 8 : node % 2 == 0 ? 3 : 1;
    for (int k = 0; k < n; ++k)
      for (int c = 0; c < m; ++c)
        row.emplace_back((node * 7 % 40 + n_nodes * k / 10) * m + c, values[(i + 17 * k + c) % 1000]);
    return row;
  });
}

/// Entries of `A` times 1 + noise, random and of at most `units` units in the last place.
inline CSRMatrix<double> with_noise(CSRMatrix<double> A, double unit, unsigned int seed = 11)
{
  const Values errors = random_values(A.value.size(), seed);
  for (std::size_t k = 0; k < errors.size(); ++k)
    A.value[k] *= 1 + unit * errors[k];
  return A;
}

inline std::vector<Specimen> matrix_zoo()
{
  std::vector<Specimen> all;
  for (const Shape &s : shapes())
    all.push_back({"random " + name(s), random_matrix(s.n_rows, s.n_cols, s.rows, 1)});
  auto long_row = std::vector<Values>(40, Values(3000, 0.));
  long_row[17]  = random_values(3000, 2);
  all.push_back({"one long row", to_csr(long_row)});
  std::vector<Values> full;
  for (int i = 0; i < 70; ++i)
    full.push_back(random_values(500, 30 + i));
  all.push_back({"long rows", to_csr(full)});
  for (const int size : {2, 3, 4, 6})
    for (const int nodes : {1, 40, 500})
      all.push_back({std::to_string(nodes) + " nodes of dense blocks of " + std::to_string(size),
                     nodes_on_a_line(nodes, size, 0.), size});
  for (const int size : {2, 3, 4})
    all.push_back({"grid of dense blocks of " + std::to_string(size), nodes_on_a_grid(140, 12, size), size});
  for (const int size : {1, 3, 6})
    all.push_back({"nodes of " + std::to_string(size) + " rows and different lengths",
                   nodes_of_different_lengths(700, size), size});
  all.push_back({"nodes of 4 without blocks", random_matrix(1200, 1200, Rows::irregular, 5), 4});
  const Coefficients transport{1, 0.01 * 0.02, {0, -0.02, 0}};
  const auto         grid = q1_matrix({2, 60}, transport);
  all.push_back({"stencil", grid});
  all.push_back({"stencil with all values different", with_noise(grid, 1e-3)});
  all.push_back({"stencil in three dimensions", q1_matrix({3, 12}, {1, 0.1, {0.2, -0.4, 0.3}})});
  all.push_back({"prolongation", q1_prolongation({2, 60})});
  all.push_back({"restriction", transpose(q1_prolongation({2, 60}))});
  for (const int run : {3, 4, 9})
    for (const bool few : {true, false})
      all.push_back({"runs of " + std::to_string(run), matrix_of_runs(run, few)});
  for (const int stride : {0, 1, 2, 4})
    all.push_back({"band of stride " + std::to_string(stride), band(20001, stride)});
  all.push_back({"columns far apart", matrix_of_rows(100, 200000, [](int i) {
                   RowEntries row;
                   for (int k = 0; k < 5; ++k)
                     row.emplace_back(45000 * k + 7 * i, i + k + 1.);
                   return row;
                 })});
  return all;
}
} // namespace adamant::test
