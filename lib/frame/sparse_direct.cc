#include "frame/sparse_direct.h"

#include "base/exceptions.h"
#include "multigrid/coarse_solver.h"

#include <deal.II/lac/sparse_direct.h>
#include <deal.II/lac/sparse_matrix.h>
#include <deal.II/lac/sparsity_pattern.h>
#include <deal.II/lac/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace adamant
{
bool factors_are_cheap(const CSRMatrix<double> &A, double largest_front)
{
  int end = 0, n_layers = 0;
  for (int i = 1; i < A.n_rows; ++i)
    if (A.row_start[i + 1] - A.row_start[i] > A.row_start[end + 1] - A.row_start[end])
      end = i;
  std::vector<int> rows;
  for (int sweep = 0; sweep < 2; ++sweep) // the first one finds an end
    {
      std::vector<char> seen(A.n_rows, 0);
      rows     = {end};
      n_layers = seen[end] = 1;
      for (std::size_t k = 0, next = 1; k < rows.size(); ++k)
        {
          if (k == next)
            {
              ++n_layers;
              next = rows.size();
            }
          for (auto l = A.row_start[rows[k]]; l < A.row_start[rows[k] + 1]; ++l)
            if (std::exchange(seen[A.column[l]], 1) == 0)
              rows.push_back(A.column[l]);
        }
      end = rows.back();
    }
  return double(rows.size()) / n_layers <= largest_front;
}

#ifdef DEAL_II_WITH_UMFPACK
ExternalSolver sparse_direct(const CSRMatrix<double> &A)
{
  if (A.n_cols != A.n_rows)
    throw RunError("coarsest level: its unknowns are spread over several ranks, but its factors need them on one");
  if (A.n_rows == 0) // another rank has them
    return {[](const Array<double> &, Array<double> &) {}, "sparse direct solver"};
  std::vector<unsigned int> lengths(A.n_rows);
  for (int i = 0; i < A.n_rows; ++i)
    lengths[i] = A.row_start[i + 1] - A.row_start[i] + 1; // the pattern has a diagonal
  dealii::SparsityPattern pattern(A.n_rows, A.n_rows, lengths);
  for (int i = 0; i < A.n_rows; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      pattern.add(i, A.column[k]);
  pattern.compress();
  dealii::SparseMatrix<double> matrix(pattern);
  for (int i = 0; i < A.n_rows; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      matrix.set(i, A.column[k], A.value[k]);
  const auto             solver = std::make_shared<dealii::SparseDirectUMFPACK>();
  dealii::Vector<double> expected(A.n_rows), found(A.n_rows);
  for (int i = 0; i < A.n_rows; ++i)
    expected[i] = std::sin(1. + i);
  matrix.vmult(found, expected);
  try
    {
      solver->factorize(matrix);
      solver->solve(found);
      found -= expected;
      if (!(found.l2_norm() <= 1e-3 * expected.l2_norm()))
        fail_singular("rounding decides on the solution"); // and hides a kernel
    }
  catch (const dealii::SparseDirectUMFPACK::ExcUMFPACKError &)
    {
      fail_singular("it is singular, or its factors need more memory than there is");
    }
  return {[solver](const Array<double> &b, Array<double> &x) {
            dealii::Vector<double> values(b.begin(), b.end());
            solver->solve(values);
            std::copy(values.begin(), values.end(), x.begin());
          },
          "sparse direct solver"};
}
#else
ExternalSolver sparse_direct(const CSRMatrix<double> &)
{
  throw InputError("sparse_direct is not there: deal.II was built without UMFPACK");
}
#endif
} // namespace adamant
