#include "direct/column_solver.h"

#include "solvers/cg.h"

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

// NaN where there is one.
double largest(const Array<double> &residuals)
{
  double most = 0.;
  for (const double residual : residuals)
    if (most == most && !(residual <= most))
      most = residual;
  return most;
}
} // namespace

ColumnSolver::ColumnSolver(const Device &device, const ColumnMatrix<double> &A_, int n_columns, const Preconditioner &M,
                           Method method_, MakePreconditioner make_fallback)
  : device(device)
  , r(n_columns)
  , matrix(A_)
  , A(A_, n_columns)
  , M(M)
  , inverse(dynamic_cast<const ColumnInverse *>(&M))
  , kind(method_)
  , make_fallback(std::move(make_fallback))
  , norms(device, A_.n_rows(), n_columns)
  , R(device, A.n_rows())
{
  if (kind == Method::refinement && inverse == nullptr)
    Z = Vector<double>(device, A.n_rows());
  else if (kind != Method::refinement)
    {
      scales = Vector<double>(device, n_columns);
      method = std::make_unique<CG>(device, A, M);
    }
}

ColumnResult ColumnSolver::iterate(Vector<double> &B, Vector<double> &X, const SolverControl &control)
{
  device.for_each(r, ColumnScales{norms(B), scales.data()});
  scale(false, B);
  sizes = norms.fetch(B);
  // Scaled columns have norms between 2^-1/2 and 2^1/2.
  SolverControl of_all = control;
  of_all.tolerance     = control.tolerance / (2. * std::sqrt(double(r)));
  X.set_zero();
  ColumnResult result;
  static_cast<SolverResult &>(result) = method->solve(B, X, of_all);
  // CG keeps its tolerance for all columns together, which leaves room for each of them; rounding may take that.
  A.residual(X, B, R);
  result.largest_residual = largest(relative_residuals());
  scale(true, B);
  scale(true, X);
  if (!(result.largest_residual <= control.tolerance))
    fail("CG", control, result.iterations, result.largest_residual, "stagnation of a column", below_rounding);
  return result;
}

ColumnResult ColumnSolver::refine(const Vector<double> &B, Vector<double> &X, const SolverControl &control)
{
  kept  = List<int>();
  sizes = norms.fetch(B);
  if (inverse != nullptr)
    inverse->apply(B, norms.last(), false, X);
  else
    M.vmult(B, X);
  A.residual(X, B, R);
  auto         residuals = relative_residuals();
  const auto   bad       = leave_out_bad_columns(residuals, X);
  ColumnResult result;
  result.n_redone = static_cast<int>(bad.size());
  for (const int s : bad)
    residuals[s] = 0.;
  result.initial_residual = largest(residuals);
  for (StagnationCounter stagnation;; ++result.iterations)
    {
      const double residual = result.largest_residual = result.final_residual = largest(residuals);
      check_residual(name, control, result.iterations, residual);
      if (residual <= control.tolerance)
        break;
      if (result.iterations == control.max_iterations)
        fail_unconverged(name, control, residual);
      if (stagnation.add(residual) == 5)
        fail(name, control, result.iterations, residual, "stagnation", "take a higher precision");
      correct(B, X);
      residuals = relative_residuals();
    }
  if (!bad.empty())
    redo(bad, B, X, control, result);
  return result;
}

// X += M R and R = B - A X, recorded at the first time; the norms of R are at hand.
void ColumnSolver::correct(const Vector<double> &B, Vector<double> &X)
{
  const auto step = [this](const Vector<double> &b, Vector<double> &x) {
    if (inverse != nullptr)
      inverse->apply(R, norms.last(), true, x);
    else
      {
        M.vmult(R, Z);
        device.axpby(1., Z, 1., x);
      }
    A.residual(x, b, R);
  };
  if (!device.traits().waits_for_launches || !M.recordable())
    step(B, X);
  else
    {
      if (!correction || B.data() != from || X.data() != to)
        correction = Graph(device, on_vectors(B, X, step));
      from = B.data();
      to   = X.data();
      correction.replay();
    }
  if (kept.size() > 0)
    device.for_each(R.size(), GatherColumns{r, r, kept.data(), R.data(), R.data()});
}

// Where there is something that takes M's place, the columns that one step is too bad for to go on; they become zero in
// X and R.
std::vector<int> ColumnSolver::leave_out_bad_columns(const Array<double> &residuals, Vector<double> &X)
{
  std::vector<int> bad;
  if (!make_fallback)
    return bad;
  Array<int> numbers(r);
  std::iota(numbers.begin(), numbers.end(), 0);
  for (int s = 0; s < r; ++s)
    if (!(residuals[s] <= largest_reduction)) // NaN, too
      {
        bad.push_back(s);
        numbers[s] = -1;
      }
  if (bad.empty())
    return bad;
  kept = List<int>(device, numbers);
  for (Vector<double> *vector : {&X, &R})
    device.for_each(vector->size(), GatherColumns{r, r, kept.data(), vector->data(), vector->data()});
  return bad;
}

void ColumnSolver::redo(const std::vector<int> &bad, const Vector<double> &B, Vector<double> &X,
                        const SolverControl &control, ColumnResult &result)
{
  if (!fallback)
    {
      const int n = std::min(r, most_at_once), size = A.n_rows() / r * n;
      fallback = std::make_unique<Fallback>(Fallback{n, make_fallback(n), nullptr, {device, size}, {device, size}});
      fallback->solver = std::make_unique<ColumnSolver>(device, matrix, n, *fallback->inverse, Method::refinement);
    }
  auto &with = *fallback;
  for (std::size_t first = 0; first < bad.size(); first += with.n_columns)
    {
      const auto end = std::min(bad.size(), first + with.n_columns);
      Array<int> numbers(bad.begin() + long(first), bad.begin() + long(end));
      numbers.resize(with.n_columns, -1);
      const List<int> columns(device, numbers);
      device.for_each(with.B.size(), GatherColumns{with.n_columns, r, columns.data(), B.data(), with.B.data()});
      const auto ended        = with.solver->solve(with.B, with.X, control);
      result.iterations       = std::max(result.iterations, ended.iterations);
      result.largest_residual = std::max(result.largest_residual, ended.largest_residual);
      device.for_each(with.X.size(), ScatterColumns{with.n_columns, r, columns.data(), with.X.data(), X.data()});
      device.synchronize(); // before `columns` ends
    }
}

// Returns the norms of R, relative to the norms of the right-hand sides.
Array<double> ColumnSolver::relative_residuals()
{
  Array<double> residuals = norms.fetch(R);
  for (int s = 0; s < r; ++s)
    residuals[s] = sizes[s] > 0. ? residuals[s] / sizes[s] : residuals[s];
  return residuals;
}
} // namespace adamant
