#include "direct/schur.h"

#include "base/csr/csr_operations.h"
#include "base/exceptions.h"

#include <deal.II/lac/precondition.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_control.h>
#include <deal.II/lac/vector.h>

#include <algorithm>
#include <random>

namespace adamant
{
namespace
{
template <class Multiply>
struct Operator
{
  void vmult(dealii::Vector<double> &y, const dealii::Vector<double> &x) const
  {
    const Array<double> product = multiply(Array<double>(x.begin(), x.end()));
    std::copy(product.begin(), product.end(), y.begin());
  }
  const Multiply &multiply;
};

// The condition number of a symmetric positive definite operator, multiply(x) = A x for n numbers. Conjugate gradients
// for a fixed right-hand side estimate it, by the matrix of Lanczos' method.
template <class Multiply>
double condition(int n, const Multiply &multiply)
{
  std::mt19937                           generator(1);
  std::uniform_real_distribution<double> distribution(-1., 1.);
  dealii::Vector<double>                 x(n), b(n);
  for (double &value : b)
    value = distribution(generator);
  double                   result = 1.;
  dealii::ReductionControl control(5000, 0., 1e-14);
  dealii::SolverCG<>       cg(control);
  cg.connect_condition_number_slot([&](double estimate) { result = estimate; });
  try
    {
      cg.solve(Operator<Multiply>{multiply}, x, b, dealii::PreconditionIdentity());
    }
  catch (const dealii::SolverControl::NoConvergence &)
    {
      throw RunError("Lanczos' method has not converged after 5000 steps; is the matrix symmetric?");
    }
  return result;
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
