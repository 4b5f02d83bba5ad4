#include "direct/condition_numbers.h"

#include "base/csr/csr_operations.h"
#include "direct/lanczos.h"
#include "direct/schur.h"

namespace adamant
{
namespace
{
double condition(const CSRMatrix<double> &A)
{
  return extreme_eigenvalues(A.n_rows, [&](const auto &x, auto &y) { y = product(A, x); }).condition();
}

// y = A x or Aᵀ x, row-major.
Array<double> dense_product(const Array<double> &A, const Array<double> &x, bool transposed)
{
  const std::size_t n = x.size();
  Array<double>     y(n, 0.);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (transposed)
        y[j] += A[i * n + j] * x[i];
      else
        y[i] += A[i * n + j] * x[j];
  return y;
}

Array<double> part(const Array<double> &x, const Array<int> &list)
{
  Array<double> values;
  for (const int i : list)
    values.push_back(x[i]);
  return values;
}
} // namespace

ConditionNumbers condition_numbers(const Device &device, const NestedNodes &nodes, const MacroCells &cells,
                                   const Prehandled &matrices, const CSRMatrix<double> &matrix)
{
  ConditionNumbers result;
  const auto       unknowns = nodes.unknowns();
  result.nodal              = condition(submatrix(matrix, unknowns, unknowns));
  result.hierarchical       = condition(matrices.hierarchical);
  const auto scale          = [&](Array<double> &x, bool transposed) {
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] *= matrices.inverse_diagonal[i];
    const auto x_C = dense_product(matrices.L_inverse, part(x, cells.coarse), transposed);
    for (std::size_t i = 0; i < x_C.size(); ++i)
      x[cells.coarse[i]] = x_C[i];
  };
  result.prehandled = extreme_eigenvalues(nodes.n_unknowns, [&](const auto &x, auto &y) {
                        y = x;
                        scale(y, true);
                        y = product(matrices.hierarchical, y);
                        scale(y, false);
                      }).condition();
  for (std::size_t k = 0; k < cells.classes.size(); ++k)
    result.C.push_back(extreme_eigenvalues(cells.classes[k].n_inner, [&](const auto &x, auto &y) {
                         y = dense_product(matrices.local[k].C, x, false);
                       }).condition());
  const auto complement = edge_complement(cells, matrices, local_inverses(device, cells, matrices));
  result.Pi             = extreme_eigenvalues(complement.n_rows, [&](const auto &x, auto &y) {
                y                 = product(complement, x);
                const auto B_x    = dense_product(matrices.L_inverse, product(matrices.coupling, x), false);
                const auto BT_B_x = transposed_product(matrices.coupling, dense_product(matrices.L_inverse, B_x, true));
                for (std::size_t i = 0; i < y.size(); ++i)
                  y[i] -= BT_B_x[i];
              }).condition();
  return result;
}
} // namespace adamant
