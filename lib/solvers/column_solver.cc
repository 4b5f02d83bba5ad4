#include "solvers/column_solver.h"

#include "solvers/cg.h"
#include "solvers/richardson.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace adamant
{
namespace
{
constexpr const char *name              = "Iterative refinement";
constexpr int         most_at_once      = 64;  // columns that a fallback solves
constexpr double      largest_reduction = 0.1; // by one step of refinement that is worth another
} // namespace

ColumnSolver::ColumnSolver(const Device &device, const ColumnMatrix<double> &A_, int n_columns, const Preconditioner &M,
                           Method method_, MakePreconditioner make_fallback)
  : device(device)
  , r(n_columns)
  , matrix(A_)
  , A(A_, n_columns)
  , M(M)
  , kind(method_)
  , make_fallback(std::move(make_fallback))
  , norms(device, A_.n_rows(), n_columns)
  , R(device, A.n_rows())
  , scales(device, n_columns)
{
  if (kind == Method::refinement)
    method = std::make_unique<Richardson>(device, A, M, name);
  else
    method = std::make_unique<CG>(device, A, M);
}

ColumnResult ColumnSolver::solve(Vector<double> &B, Vector<double> &X, const SolverControl &control)
{
  device.for_each(r, ColumnScales{norms(B), scales.data()});
  scale(false, B);
  sizes = norms.fetch(B);
  // Scaled columns have norms between 2^-1/2 and 2^1/2.
  SolverControl of_all = control;
  of_all.tolerance     = control.tolerance / (2. * std::sqrt(double(r)));
  ColumnResult     result;
  std::vector<int> bad;
  if (kind == Method::refinement)
    bad = begin_refinement(B, X);
  else
    X.set_zero();
  result.n_redone = static_cast<int>(bad.size());
  if (bad.empty() || !make_fallback)
    static_cast<SolverResult &>(result) = method->solve(B, X, of_all);
  else
    {
      static_cast<SolverResult &>(result) = solve_others(bad, B, X, of_all);
      result.iterations                   = std::max(result.iterations, redo(bad, B, X, control).iterations);
    }
  const auto residuals    = relative_residuals(B, X);
  result.largest_residual = *std::max_element(residuals.begin(), residuals.end());
  scale(true, B);
  scale(true, X);
  return result;
}

// X = M B; the columns that this is too bad for to go on.
std::vector<int> ColumnSolver::begin_refinement(const Vector<double> &B, Vector<double> &X)
{
  M.vmult(B, X);
  const auto       residuals = relative_residuals(B, X);
  std::vector<int> bad;
  for (int s = 0; s < r; ++s)
    if (!(residuals[s] <= largest_reduction)) // NaN, too
      bad.push_back(s);
  return bad;
}

// Goes on with the columns that are not bad; those are zero in X meanwhile.
SolverResult ColumnSolver::solve_others(const std::vector<int> &bad, const Vector<double> &B, Vector<double> &X,
                                        const SolverControl &control)
{
  if (static_cast<int>(bad.size()) == r)
    return {};
  Array<int> numbers(r);
  std::iota(numbers.begin(), numbers.end(), 0);
  for (const int s : bad)
    numbers[s] = -1;
  const List<int> kept(device, numbers);
  Vector<double>  others(device, B.size());
  device.for_each(B.size(), GatherColumns{r, r, kept.data(), B.data(), others.data()});
  device.for_each(X.size(), GatherColumns{r, r, kept.data(), X.data(), X.data()});
  const auto result = method->solve(others, X, control);
  device.synchronize(); // before `others` ends
  return result;
}

SolverResult ColumnSolver::redo(const std::vector<int> &bad, const Vector<double> &B, Vector<double> &X,
                                const SolverControl &control)
{
  if (!fallback)
    {
      const int n = std::min(r, most_at_once), size = A.n_rows() / r * n;
      fallback = std::make_unique<Fallback>(Fallback{n, make_fallback(n), nullptr, {device, size}, {device, size}});
      fallback->solver = std::make_unique<ColumnSolver>(device, matrix, n, *fallback->inverse, Method::refinement);
    }
  auto        &with = *fallback;
  SolverResult result;
  for (std::size_t first = 0; first < bad.size(); first += with.n_columns)
    {
      const auto end = std::min(bad.size(), first + with.n_columns);
      Array<int> numbers(bad.begin() + long(first), bad.begin() + long(end));
      numbers.resize(with.n_columns, -1);
      const List<int> columns(device, numbers);
      device.for_each(with.B.size(), GatherColumns{with.n_columns, r, columns.data(), B.data(), with.B.data()});
      result.iterations = std::max(result.iterations, with.solver->solve(with.B, with.X, control).iterations);
      device.for_each(with.X.size(), ScatterColumns{with.n_columns, r, columns.data(), with.X.data(), X.data()});
      device.synchronize(); // before `columns` ends
    }
  return result;
}

Array<double> ColumnSolver::relative_residuals(const Vector<double> &B, const Vector<double> &X)
{
  A.residual(X, B, R);
  Array<double> residuals = norms.fetch(R);
  for (int s = 0; s < r; ++s)
    residuals[s] = sizes[s] > 0. ? residuals[s] / sizes[s] : residuals[s];
  return residuals;
}

void ColumnSolver::scale(bool back, Vector<double> &x) const
{
  device.for_each(x.size(), ScaleColumns{r, back, scales.data(), x.data()});
}
} // namespace adamant
