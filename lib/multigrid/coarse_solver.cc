#include "multigrid/coarse_solver.h"

#include "base/exceptions.h"

#include <algorithm>
#include <cmath>
#include <omp.h>
#include <sstream>
#include <vector>

// LAPACK, by columns.
extern "C" {
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivot, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda, const int *pivot,
             double *b, const int *ldb, int *info);
void dgecon_(const char *norm, const int *n, const double *a, const int *lda, const double *anorm, double *rcond,
             double *work, int *iwork, int *info);
}

namespace adamant
{
namespace
{
[[noreturn]] void fail_singular(const std::string &how)
{
  throw RunError("coarsest level: its matrix cannot be inverted (" + how +
                 "); does the problem lack boundary conditions?");
}

// ‖A‖₁ of the transposed matrix: the largest sum of a row.
double largest_row_sum(const CSRMatrix<double> &A)
{
  double largest = 0;
  for (int i = 0; i < A.n_rows; ++i)
    {
      double sum = 0;
      for (int k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
        sum += std::abs(A.value[k]);
      if (!(sum <= largest)) // NaN stays
        largest = sum;
    }
  return largest;
}
} // namespace

Array<double> dense_inverse(const CSRMatrix<double> &matrix)
{
  const int         n     = matrix.n_rows;
  const std::size_t width = n;
  if (matrix.n_cols != n)
    throw RunError("coarsest level: its unknowns are spread over several ranks, but its inverse needs them on one");
  if (n == 0)
    return {};
  // By columns this is the transposed matrix, and what LAPACK gives by columns is the inverse by rows.
  Array<double> lu(width * n, 0.), inverse(width * n, 0.);
  for (int i = 0; i < n; ++i)
    for (int k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k)
      lu[i * width + matrix.column[k]] = matrix.value[k];
  const double     norm = largest_row_sum(matrix);
  std::vector<int> pivot(n), integers(n);
  int              info = 0;
  if (!std::isfinite(norm))
    fail_singular("it has values that are no numbers");
  dgetrf_(&n, &n, lu.data(), &n, pivot.data(), &info);
  if (info > 0)
    fail_singular("it is singular at row " + std::to_string(info - 1));
  std::vector<double> work(4 * width);
  double              reciprocal = 0;
  dgecon_("1", &n, lu.data(), &n, &norm, &reciprocal, work.data(), integers.data(), &info);
  if (!(reciprocal > 1e-14))
    {
      std::ostringstream text;
      text << "its condition number is about " << 1. / reciprocal;
      fail_singular(text.str());
    }
#pragma omp parallel
  {
    const int threads = omp_get_num_threads(), thread = omp_get_thread_num();
    const int begin     = static_cast<int>(long(n) * thread / threads),
              end       = static_cast<int>(long(n) * (thread + 1) / threads);
    const int n_columns = end - begin;
    int       status    = 0;
    for (int j = begin; j < end; ++j)
      inverse[j * width + j] = 1.;
    if (n_columns > 0)
      dgetrs_("N", &n, &n_columns, lu.data(), &n, pivot.data(), inverse.data() + begin * width, &n, &status);
  }
  return inverse;
}

namespace
{
template <typename Number>
class DenseInverse : public CoarseSolver<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  explicit DenseInverse(const SmootherLevel<Number> &level)
    : level(level)
    , x(level.device, level.matrix->n_rows)
  {
    inverse = Matrix<Number>::dense(level.device, dense_inverse(*level.matrix), level.matrix->n_rows);
  }
  void          update() override { inverse.update_dense(dense_inverse(*level.matrix)); }
  const Vector &solve(const Vector &b) override
  {
    level.device.multiply(Number(1), inverse, b, Number(0), x);
    return x;
  }
  std::string description() const override { return ", dense inverse"; }

private:
  SmootherLevel<Number> level;
  Vector                x;
  Matrix<Number>        inverse;
};

template <typename Number>
class Smoothing : public CoarseSolver<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  Smoothing(const SmootherLevel<Number> &level, const MultigridOptions &options)
    : smoother(level, options.smoother)
    , n_steps(options.coarse_steps)
    , chebyshev(options.smoother.chebyshev)
    , x(level.device, level.matrix->n_rows)
    , y(level.device, level.matrix->n_rows)
  {}
  void          update() override { smoother.update(); }
  const Vector &solve(const Vector &b) override
  {
    if (smoother.symmetric())
      return smoother.vmult(n_steps, b, x, y);
    // Half of the steps with S and half of them with Sᵀ, so that a V-cycle stays symmetric.
    const int half   = (n_steps + 1) / 2;
    Vector   &middle = smoother.vmult(half, b, x, y);
    return smoother.step(half, b, middle, &middle == &x ? y : x);
  }
  std::string description() const override
  {
    std::ostringstream text;
    if (chebyshev)
      text << ", largest eigenvalue " << smoother.eigenvalue();
    return text.str();
  }

private:
  PolynomialSmoother<Number> smoother;
  int                        n_steps;
  bool                       chebyshev;
  Vector                     x, y;
};

template <typename Number>
class External : public CoarseSolver<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  External(const SmootherLevel<Number> &level, const MultigridOptions &options)
    : level(level)
    , make(options.make_coarse_solver)
    , solver(make(*level.matrix))
    , b_on_host(level.matrix->n_rows)
    , x_on_host(level.matrix->n_rows)
    , x(level.device, level.matrix->n_rows)
  {}
  void          update() override { solver = make(*level.matrix); }
  const Vector &solve(const Vector &b) override
  {
    b.download(b_on_host.data());
    solver(b_on_host, x_on_host);
    x.upload(x_on_host.data());
    return x;
  }
  std::string description() const override { return ", external solver"; }

private:
  SmootherLevel<Number>                                    level;
  std::function<ExternalSolver(const CSRMatrix<double> &)> make;
  ExternalSolver                                           solver;
  Array<double>                                            b_on_host, x_on_host;
  Vector                                                   x;
};
} // namespace

template <typename Number>
std::unique_ptr<CoarseSolver<Number>> make_coarse_solver(const SmootherLevel<Number> &level,
                                                         const MultigridOptions      &options)
{
  switch (options.coarse_solver)
    {
      case CoarseSolverType::smoothing: return std::make_unique<Smoothing<Number>>(level, options);
      case CoarseSolverType::external:
        if (level.device.asynchronous())
          throw InputError("Linear solver/Coarse solver = trilinos_amg needs --backend host");
        return std::make_unique<External<Number>>(level, options);
      default: return std::make_unique<DenseInverse<Number>>(level);
    }
}

template std::unique_ptr<CoarseSolver<double>> make_coarse_solver(const SmootherLevel<double> &,
                                                                  const MultigridOptions &);
template std::unique_ptr<CoarseSolver<float>>  make_coarse_solver(const SmootherLevel<float> &,
                                                                  const MultigridOptions &);
} // namespace adamant
