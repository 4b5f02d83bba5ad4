#include "solvers/column_solver.h"

#include "solvers/cg.h"
#include "solvers/richardson.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace adamant
{
namespace
{
constexpr const char *name = "Iterative refinement";
}

ColumnSolver::ColumnSolver(const Device &device, const ColumnMatrix<double> &A_, int n_columns, const Preconditioner &M,
                           Method method_, MakePreconditioner make_fallback)
  : device(device)
  , r(n_columns)
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
  ColumnResult result;
  if (kind == Method::refinement && begin_refinement(B, X, result))
    static_cast<SolverResult &>(result) = with_fallback->solve(B, X, of_all);
  else
    {
      if (kind != Method::refinement)
        X.set_zero();
      static_cast<SolverResult &>(result) = method->solve(B, X, of_all);
    }
  const auto residuals    = relative_residuals(B, X);
  result.largest_residual = *std::max_element(residuals.begin(), residuals.end());
  scale(true, B);
  scale(true, X);
  return result;
}

// X = M B; whether that is too bad to go on from, and X zero again.
bool ColumnSolver::begin_refinement(const Vector<double> &B, Vector<double> &X, ColumnResult &result)
{
  M.vmult(B, X);
  for (const double residual : relative_residuals(B, X))
    result.n_redone += !(residual <= 0.1); // NaN, too
  if (result.n_redone == 0 || !make_fallback)
    return false;
  if (!fallback)
    {
      fallback      = make_fallback();
      with_fallback = std::make_unique<Richardson>(device, A, *fallback, name);
    }
  X.set_zero();
  return true;
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
