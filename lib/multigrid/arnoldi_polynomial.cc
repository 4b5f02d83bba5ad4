#include "multigrid/arnoldi_polynomial.h"

#include "algebra/device_interface.h"
#include "base/exceptions.h"
#include "multigrid/smoothers/setup.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

// LAPACK, by columns.
extern "C" {
void dgeev_(const char *left, const char *right, const int *n, double *a, const int *lda, double *real,
            double *imaginary, double *vl, const int *ldvl, double *vr, const int *ldvr, double *work, const int *lwork,
            int *info);
}

namespace adamant
{
namespace
{
// x = A⁻ᵀ e_n for the n x n matrix A, row-major, by Gaussian elimination with pivoting.
std::vector<double> solve_transposed_for_last_unit(int n, const std::vector<double> &A)
{
  std::vector<double> M(n * n), x(n, 0.);
  x[n - 1] = 1.;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      M[i * n + j] = A[j * n + i];
  for (int k = 0; k < n; ++k)
    {
      int p = k;
      for (int i = k + 1; i < n; ++i)
        if (std::abs(M[i * n + k]) > std::abs(M[p * n + k]))
          p = i;
      std::swap_ranges(&M[k * n], &M[k * n] + n, &M[p * n]);
      std::swap(x[k], x[p]);
      for (int i = k + 1; i < n; ++i)
        {
          const double factor = M[i * n + k] / M[k * n + k];
          for (int j = k; j < n; ++j)
            M[i * n + j] -= factor * M[k * n + j];
          x[i] -= factor * x[k];
        }
    }
  for (int i = n - 1; i >= 0; --i)
    {
      for (int j = i + 1; j < n; ++j)
        x[i] -= M[i * n + j] * x[j];
      x[i] /= M[i * n + i];
    }
  return x;
}

// Orthonormalises w by classical Gram-Schmidt against k vectors, and once more where orthogonality was lost. Returns
// the k coefficients and then the norm before scaling; a zero norm leaves w unscaled. `scalars` has room for k + 1.
template <typename Number>
std::vector<double> orthonormalize(const Device &device, const std::vector<Vector<Number>> &basis, int k,
                                   Vector<Number> &w, Scalars &scalars)
{
  std::vector<double> h(k + 1, 0.);
  const auto          products = [&] { // of w with the vectors and, behind them, with itself
    for (int i = 0; i < k; ++i)
      device.dot(basis[i], w, scalars, i);
    device.dot(w, w, scalars, k);
    return scalars.fetch();
  };
  const auto subtract = [&](const double *coefficients) {
    for (int i = 0; i < k; ++i)
      {
        device.axpby(static_cast<Number>(-coefficients[i]), basis[i], Number(1), w);
        h[i] += coefficients[i];
      }
  };
  subtract(products());
  const double *second         = products();
  const double  of_corrections = std::inner_product(second, second + k, second, 0.);
  const bool    corrects       = orthogonality_is_lost(of_corrections, second[k]);
  const double  square         = second[k] - (corrects ? of_corrections : 0.); // by Pythagoras
  if (corrects)
    subtract(second);
  h[k] = std::sqrt(square < 0 ? 0. : square); // NaN stays
  if (h[k] > 0)
    device.scale(static_cast<Number>(1. / h[k]), w);
  return h;
}
} // namespace

std::vector<std::complex<double>> eigenvalues(int n, std::vector<double> matrix)
{
  std::vector<double> real(n), imaginary(n), work(8 * n);
  const int           length = 8 * n, one = 1;
  int                 info   = 0;
  double              unused = 0; // those of the transpose are the same
  dgeev_("N", "N", &n, matrix.data(), &n, real.data(), imaginary.data(), &unused, &one, &unused, &one, work.data(),
         &length, &info);
  std::vector<std::complex<double>> values;
  for (int i = 0; i < n; ++i)
    values.emplace_back(info == 0 ? real[i] : NAN, imaginary[i]);
  return values;
}

template <typename Number>
ArnoldiPolynomial<Number>::ArnoldiPolynomial(const DeviceLevel<Number> &level, const SmootherOptions &options,
                                             int most_steps)
  : LevelSmoother<Number>(level)
  , smoother(make_smoother(options.type, level))
  , of_degree(most_steps)
  , start(level.device, start_vector(level.n_rows()))
{
  for (Vector *vector : {&r, &v, &w})
    *vector = Vector(level.device, level.n_rows());
  find_values();
}

template <typename Number>
void ArnoldiPolynomial<Number>::update()
{
  smoother->update();
  find_values();
  level.device.outdate_graphs(); // which hold the values
}

// The Krylov space begins with a vector that is zero at constrained rows, where the matrix is the identity.
template <typename Number>
void ArnoldiPolynomial<Number>::find_values()
{
  const Device       &device = level.device;
  const int           n = level.A.n_rows(), k = static_cast<int>(of_degree.size());
  int                 dimension = k; // of the Krylov space, which small levels exhaust
  std::vector<Vector> basis;
  basis.emplace_back(device, n);
  device.multiply(Number(1), level.A, start, Number(0), r);
  device.axpby(Number(-1), start, Number(1), r);
  const double norm = std::sqrt(device.dot(r, r));
  if (norm == 0.) // the matrix is the identity
    return of_degree.assign(k, Values(1, 1.));
  device.axpby(static_cast<Number>(1. / norm), r, Number(0), basis[0]);
  std::vector<double> H(k * (k + 1), 0.); // column j: H[j (k + 1) + i]
  Scalars             scalars(device, k + 1);
  for (int j = 0; j < dimension; ++j)
    {
      basis.emplace_back(device, n);
      device.multiply(Number(1), level.A, basis[j], Number(0), r);
      smoother->vmult(Number(1), r, basis[j + 1], false);
      const std::vector<double> column = orthonormalize(device, basis, j + 1, basis[j + 1], scalars);
      std::copy(column.begin(), column.end(), &H[j * (k + 1)]);
      const double square = std::inner_product(column.begin(), column.end() - 1, column.begin(), 0.);
      if (column.back() <= 100 * double(std::numeric_limits<Number>::epsilon()) * std::sqrt(square))
        dimension = j + 1;
    }
  for (int degree = 1; degree <= k; ++degree)
    of_degree[degree - 1] = values_of(std::min(degree, dimension), H);
}

// The eigenvalues of H + h² H⁻ᵀ e_n e_nᵀ, h = H_{n+1,n}: of each pair one, the largest first.
template <typename Number>
auto ArnoldiPolynomial<Number>::values_of(int n, const std::vector<double> &H) const -> Values
{
  const int           rows = static_cast<int>(of_degree.size()) + 1;
  std::vector<double> square(n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      square[i * n + j] = H[j * rows + i];
  const double h         = H[(n - 1) * rows + n];
  const auto   direction = solve_transposed_for_last_unit(n, square);
  for (int i = 0; i < n; ++i)
    square[i * n + n - 1] += h * h * direction[i];
  Values chosen;
  for (const auto &value : eigenvalues(n, square))
    if (!(std::abs(value) > 0.) || !std::isfinite(std::abs(value)))
      throw RunError(
        "Arnoldi polynomial of a smoother: it meets values that are no numbers, or a singular matrix; take "
        "damped steps");
    else if (value.imag() >= 0.)
      chosen.push_back(value);
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const auto &a, const auto &b) { return std::abs(a) > std::abs(b); });
  return chosen;
}

template <typename Number>
auto ArnoldiPolynomial<Number>::vmult(int n, const Vector &b, Vector &x, Vector &) const -> Vector &
{
  Values     values = of_degree[n - 1];
  const auto first  = values.front();
  values.erase(values.begin());
  x.set_zero();
  correct(first, b, x);
  apply(values, b, x);
  return x;
}

template <typename Number>
auto ArnoldiPolynomial<Number>::step(int n, const Vector &b, Vector &x, Vector &) const -> Vector &
{
  if (n > 0)
    apply(of_degree[n - 1], b, x);
  return x;
}

template <typename Number>
void ArnoldiPolynomial<Number>::apply(const Values &values, const Vector &b, Vector &x) const
{
  for (const auto &value : values)
    {
      level.device.residual(level.A, x, b, r);
      correct(value, r, x);
    }
}

// Adds what the factor of a value, or of a pair, makes of the residual.
template <typename Number>
void ArnoldiPolynomial<Number>::correct(std::complex<double> value, const Vector &residual, Vector &x) const
{
  const Device &device = level.device;
  smoother->vmult(Number(1), residual, v, false);
  if (value.imag() == 0.)
    return device.axpby(static_cast<Number>(1. / value.real()), v, Number(1), x);
  const double square = std::norm(value);
  device.axpby(static_cast<Number>(2. * value.real() / square), v, Number(1), x);
  device.multiply(Number(1), level.A, v, Number(0), r); // `residual` may be r, and is not needed any more
  smoother->vmult(Number(1), r, w, false);
  device.axpby(static_cast<Number>(-1. / square), w, Number(1), x);
}

template <typename Number>
std::unique_ptr<LevelSmoother<Number>> make_level_smoother(const DeviceLevel<Number> &level,
                                                           const MultigridOptions    &options)
{
  if constexpr (std::is_same_v<Number, double>)
    if (options.smoothing_in_float)
      return std::make_unique<MixedSmoother>(level, options.smoother);
  if (options.smoother.arnoldi)
    return std::make_unique<ArnoldiPolynomial<Number>>(level, options.smoother,
                                                       std::max(options.pre_steps, options.post_steps));
  return std::make_unique<PolynomialSmoother<Number>>(level, options.smoother);
}

template class ArnoldiPolynomial<double>;
template class ArnoldiPolynomial<float>;
template std::unique_ptr<LevelSmoother<double>> make_level_smoother(const DeviceLevel<double> &,
                                                                    const MultigridOptions &);
template std::unique_ptr<LevelSmoother<float>>  make_level_smoother(const DeviceLevel<float> &,
                                                                    const MultigridOptions &);
} // namespace adamant
