#include "direct/schur.h"

#include "base/csr/csr_operations.h"
#include "base/exceptions.h"

#include <cmath>
#include <numeric>
#include <random>
#include <utility>

extern "C" void dsterf_(const int *n, double *diagonal, double *beside, int *info);

namespace adamant
{
namespace
{
double dot(const Array<double> &x, const Array<double> &y)
{
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.);
}

// The smallest and the largest eigenvalue.
std::pair<double, double> extremes_of_tridiagonal(std::vector<double> diagonal, std::vector<double> beside)
{
  const int n    = static_cast<int>(diagonal.size());
  int       info = 0;
  dsterf_(&n, diagonal.data(), beside.data(), &info);
  if (info != 0)
    throw RunError("Lanczos: LAPACK's dsterf failed with info = " + std::to_string(info));
  return {diagonal.front(), diagonal.back()};
}

// The condition number of a symmetric operator, multiply(x) = A x for n numbers, by Lanczos' method from a fixed vector
// without orthogonalization. It stops when 20 steps change neither extreme eigenvalue by more than 1e-6 of itself.
template <class Multiply>
double condition(int n, const Multiply &multiply)
{
  constexpr int                          most_steps = 5000, between = 20;
  std::mt19937                           generator(1);
  std::uniform_real_distribution<double> distribution(-1., 1.);
  Array<double>                          v(n), before(n, 0.);
  for (double &value : v)
    value = distribution(generator);
  const double norm = std::sqrt(dot(v, v));
  for (double &value : v)
    value /= norm;
  std::vector<double>       diagonal, beside;
  std::pair<double, double> last{0., 0.};
  for (int step = 1; step <= most_steps; ++step)
    {
      Array<double> w     = multiply(v);
      const double  alpha = dot(v, w), beta_before = beside.empty() ? 0. : beside.back();
      for (int i = 0; i < n; ++i)
        w[i] -= alpha * v[i] + beta_before * before[i];
      const double beta = std::sqrt(dot(w, w));
      diagonal.push_back(alpha);
      const bool complete = step == n || !(beta > 1e-12 * std::abs(alpha));
      if (step % between == 0 || complete)
        {
          const auto [smallest, largest] = extremes_of_tridiagonal(diagonal, beside);
          if (complete || (std::abs(smallest - last.first) <= 1e-6 * std::abs(smallest) &&
                           std::abs(largest - last.second) <= 1e-6 * std::abs(largest)))
            return largest / smallest;
          last = {smallest, largest};
        }
      beside.push_back(beta);
      before.swap(v);
      for (int i = 0; i < n; ++i)
        v[i] = w[i] / beta;
    }
  throw RunError("Lanczos' method has not converged after 5000 steps; is the matrix symmetric?");
}

double condition(const CSRMatrix<double> &A)
{
  return condition(A.n_rows, [&](const auto &x) { return product(A, x); });
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
} // namespace

ConditionNumbers condition_numbers(const Device &device, const NestedNodes &nodes, const MacroCells &cells,
                                   const Prehandled &matrices, const CSRMatrix<double> &matrix)
{
  ConditionNumbers result;
  result.nodal        = condition(submatrix(matrix, nodes.unknowns, nodes.unknowns));
  result.hierarchical = condition(matrices.hierarchical);
  const auto scale    = [&](Array<double> &x, bool transposed) {
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] *= matrices.inverse_diagonal[i];
    Array<double> x_C;
    for (const int i : cells.coarse)
      x_C.push_back(x[i]);
    x_C = dense_product(matrices.L_inverse, x_C, transposed);
    for (std::size_t i = 0; i < x_C.size(); ++i)
      x[cells.coarse[i]] = x_C[i];
  };
  result.prehandled = condition(nodes.n_unknowns, [&](Array<double> x) {
    scale(x, true);
    x = product(matrices.hierarchical, x);
    scale(x, false);
    return x;
  });
  for (std::size_t k = 0; k < cells.classes.size(); ++k)
    result.C.push_back(
      condition(cells.classes[k].n_inner, [&](const auto &x) { return dense_product(matrices.local[k].C, x, false); }));
  const auto complement = edge_complement(cells, matrices, local_inverses(device, cells, matrices));
  result.Pi             = condition(complement.n_rows, [&](const auto &x) {
    auto       y      = product(complement, x);
    const auto B_x    = dense_product(matrices.L_inverse, product(matrices.coupling, x), false);
    const auto BT_B_x = transposed_product(matrices.coupling, dense_product(matrices.L_inverse, B_x, true));
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] -= BT_B_x[i];
    return y;
  });
  return result;
}
} // namespace adamant
