#include "algebra/host_backend.h"

#include "base/exceptions.h"

#include <algorithm>
#include <cmath>
#include <fstream>

namespace adamant
{
namespace
{
// Reductions run over blocks of this many elements: the block of each vector stays in the first-level cache.
constexpr int block_length = 2048;

template <typename Number>
Number row_product(const CSRMatrix<Number> &A, int row, const Number *x)
{
  const int    *column = A.column.data();
  const Number *value  = A.value.data();
  Number        sum    = 0;
  for (int k = A.row_start[row]; k < A.row_start[row + 1]; ++k)
    sum += value[k] * x[column[k]];
  return sum;
}

// y = D r on one node of the block diagonal D, blocks row-major.
template <typename Number>
void multiply_block(const Number *D, int block_size, const Number *r, Number *y)
{
  for (int a = 0; a < block_size; ++a)
    {
      Number sum = 0;
      for (int c = 0; c < block_size; ++c)
        sum += D[a * block_size + c] * r[c];
      y[a] = sum;
    }
}

constexpr int max_block_size = 8;

// Sums n_sums quantities that `block_sums(begin, end, sums)` computes on each block, in block order: the result is the
// same for every number of threads.
template <typename BlockSums>
void blocked_sums(int n, int n_threads, int n_sums, double *result, const BlockSums &block_sums)
{
  const int           n_blocks = (n + block_length - 1) / block_length;
  std::vector<double> partial(static_cast<std::size_t>(n_blocks) * n_sums, 0.);
#pragma omp parallel for num_threads(n_threads) schedule(static)
  for (int block = 0; block < n_blocks; ++block)
    block_sums(block * block_length,
               std::min(n, (block + 1) * block_length),
               partial.data() + static_cast<std::size_t>(block) * n_sums);
  std::fill(result, result + n_sums, 0.);
  for (int block = 0; block < n_blocks; ++block)
    for (int s = 0; s < n_sums; ++s)
      result[s] += partial[static_cast<std::size_t>(block) * n_sums + s];
}

template <typename Number>
double block_dot(const Number *x, const Number *y, int begin, int end)
{
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = begin; i < end; ++i)
    sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
  return sum;
}

template <typename Other, typename Number>
void block_axpy(Number a, const Other *x, Number *y, int begin, int end)
{
#pragma omp simd
  for (int i = begin; i < end; ++i)
    y[i] += a * static_cast<Number>(x[i]);
}
} // namespace

template <typename Number>
HostBackend<Number>::HostBackend(int n_threads)
  : threads(n_threads)
{
  if (n_threads < 1)
    throw InputError("the number of threads must be positive, not " + std::to_string(n_threads));
}

template <typename Number>
std::string HostBackend<Number>::device_name() const
{
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.rfind("model name", 0) == 0)
      return line.substr(line.find(':') + 2);
  return "CPU";
}

template <typename Number>
auto HostBackend<Number>::create_vector(int n) const -> Vector
{
  Vector x(n);
  set_zero(x);
  return x;
}

template <typename Number>
auto HostBackend<Number>::create_matrix(const CSRMatrix<double> &source) const -> Matrix
{
  Matrix matrix;
  matrix.n_rows    = source.n_rows;
  matrix.n_cols    = source.n_cols;
  matrix.row_start = source.row_start;
  matrix.column.resize(source.column.size());
  matrix.value.resize(source.value.size());
  for_each(source.n_rows, [&](int i) {
    for (int k = source.row_start[i]; k < source.row_start[i + 1]; ++k)
      {
        matrix.column[k] = source.column[k];
        matrix.value[k]  = static_cast<Number>(source.value[k]);
      }
  });
  return matrix;
}

template <typename Number>
auto HostBackend<Number>::create_matrix(CSRMatrix<double> &&source) const -> Matrix
{
  if constexpr (std::is_same_v<Number, double>)
    return std::move(source);
  else
    return create_matrix(static_cast<const CSRMatrix<double> &>(source));
}

template <typename Number>
void HostBackend<Number>::update_values(Matrix &matrix, const CSRMatrix<double> &source) const
{
  if (matrix.n_rows != source.n_rows || matrix.value.size() != source.value.size())
    throw RunError("update_values: the new matrix has another pattern");
  const std::size_t n = source.value.size();
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::size_t k = 0; k < n; ++k)
    matrix.value[k] = static_cast<Number>(source.value[k]);
}

template <typename Number>
auto HostBackend<Number>::create_dense_matrix(const Array<double> &row_major, int n) const -> DenseMatrix
{
  DenseMatrix matrix;
  matrix.n = n;
  matrix.value.resize(row_major.size());
  std::copy(row_major.begin(), row_major.end(), matrix.value.begin());
  return matrix;
}

template <typename Number>
void HostBackend<Number>::upload(const double *source, Vector &x) const
{
  for_each(x.size(), [source, to = x.data()](int i) { to[i] = static_cast<Number>(source[i]); });
}

template <typename Number>
void HostBackend<Number>::download(const Vector &x, double *target) const
{
  for_each(x.size(), [target, from = x.data()](int i) { target[i] = from[i]; });
}

template <typename Number>
void HostBackend<Number>::set_zero(Vector &x) const
{
  for_each(x.size(), [to = x.data()](int i) { to[i] = 0; });
}

template <typename Number>
void HostBackend<Number>::copy(const Vector &x, Vector &y) const
{
  convert(x, y);
}

template <typename Number>
template <typename Other>
void HostBackend<Number>::convert(const HostVector<Other> &x, Vector &y) const
{
  for_each(x.size(), [from = x.data(), to = y.data()](int i) { to[i] = static_cast<Number>(from[i]); });
}

template <typename Number>
void HostBackend<Number>::scale(Number a, Vector &x) const
{
  for_each(x.size(), [a, to = x.data()](int i) { to[i] *= a; });
}

template <typename Number>
void HostBackend<Number>::axpby(Number a, const Vector &x, Number b, Vector &y) const
{
  for_each(x.size(), [a, b, from = x.data(), to = y.data()](int i) { to[i] = a * from[i] + b * to[i]; });
}

template <typename Number>
void HostBackend<Number>::scale_by_diagonal(Number a, const Vector &d, const Vector &x, Vector &y, int block_size) const
{
  if (block_size == 1)
    for_each(x.size(), [a, d = d.data(), x = x.data(), y = y.data()](int i) { y[i] = a * d[i] * x[i]; });
  else
    for_each(x.size() / block_size, [a, d = d.data(), x = x.data(), y = y.data(), block_size](int node) {
      multiply_block(d + node * block_size * block_size, block_size, x + node * block_size, y + node * block_size);
      for (int c = 0; c < block_size; ++c)
        y[node * block_size + c] *= a;
    });
}

template <typename Number>
template <typename Other>
void HostBackend<Number>::multi_axpy(const std::vector<HostVector<Other>> &basis, int k, const double *a, Vector &x) const
{
  const int n = x.size(), n_blocks = (n + block_length - 1) / block_length;
#pragma omp parallel for num_threads(threads_for(n)) schedule(static)
  for (int block = 0; block < n_blocks; ++block)
    for (int i = 0; i < k; ++i)
      block_axpy(static_cast<Number>(a[i]),
                 basis[i].data(),
                 x.data(),
                 block * block_length,
                 std::min(n, (block + 1) * block_length));
}

template <typename Number>
double HostBackend<Number>::dot(const Vector &x, const Vector &y) const
{
  double result = 0;
  blocked_sums(x.size(), threads_for(x.size()), 1, &result, [&](int begin, int end, double *sum) {
    sum[0] = block_dot(x.data(), y.data(), begin, end);
  });
  return result;
}

template <typename Number>
double HostBackend<Number>::norm(const Vector &x) const
{
  return std::sqrt(dot(x, x));
}

template <typename Number>
void HostBackend<Number>::multi_dot(const std::vector<Vector> &basis, int k, const Vector &w, Scalars &h) const
{
  blocked_sums(w.size(), threads_for(w.size()), k, h.data(), [&](int begin, int end, double *sum) {
    for (int i = 0; i < k; ++i)
      sum[i] = block_dot(basis[i].data(), w.data(), begin, end);
  });
}

template <typename Number>
void HostBackend<Number>::orthonormalize(const std::vector<Vector> &basis, int k, Vector &w, Scalars &h) const
{
  const int           n = w.size();
  std::vector<double> correction(k + 1, 0.);
  const auto          subtract = [&](const double *coefficients, int begin, int end) {
    for (int i = 0; i < k; ++i)
      block_axpy(static_cast<Number>(-coefficients[i]), basis[i].data(), w.data(), begin, end);
  };
  multi_dot(basis, k, w, h);
  // The second inner products are taken on each block while its update is still in cache.
  blocked_sums(n, threads_for(n), k, correction.data(), [&](int begin, int end, double *sum) {
    subtract(h.data(), begin, end);
    for (int i = 0; i < k; ++i)
      sum[i] = block_dot(basis[i].data(), w.data(), begin, end);
  });
  blocked_sums(n, threads_for(n), 1, &correction[k], [&](int begin, int end, double *sum) {
    subtract(correction.data(), begin, end);
    sum[0] = block_dot(w.data(), w.data(), begin, end);
  });
  for (int i = 0; i < k; ++i)
    h[i] += correction[i];
  h[k] = std::sqrt(correction[k]);
  if (h[k] > 0)
    scale(static_cast<Number>(1. / h[k]), w);
}

template <typename Number>
void HostBackend<Number>::spmv(Number a, const Matrix &A, const Vector &x, Number b, Vector &y) const
{
  const Number *from = x.data();
  Number       *to   = y.data();
  if (b == Number(0)) // y may hold anything, NaN included
    for_each(A.n_rows, [&A, a, from, to](int i) { to[i] = a * row_product(A, i, from); });
  else
    for_each(A.n_rows, [&A, a, b, from, to](int i) { to[i] = a * row_product(A, i, from) + b * to[i]; });
}

template <typename Number>
void HostBackend<Number>::residual(const Matrix &A, const Vector &x, const Vector &b, Vector &r) const
{
  for_each(A.n_rows, [&A, x = x.data(), b = b.data(), r = r.data()](int i) { r[i] = b[i] - row_product(A, i, x); });
}

template <typename Number>
void HostBackend<Number>::residual_norms(const Matrix &A, const Vector &x, const Vector &b, Vector &r, Scalars &s) const
{
  blocked_sums(A.n_rows, threads_for(A.n_rows), 2, s.data(), [&](int begin, int end, double *sum) {
    for (int i = begin; i < end; ++i)
      r.data()[i] = b.data()[i] - row_product(A, i, x.data());
    sum[0] = block_dot(r.data(), r.data(), begin, end);
    sum[1] = block_dot(b.data(), b.data(), begin, end);
  });
  s[0] = std::sqrt(s[0]);
  s[1] = std::sqrt(s[1]);
}

template <typename Number>
void HostBackend<Number>::residual_restrict(const Matrix &A,
                                            const Vector &x,
                                            const Vector &b,
                                            const Matrix &R,
                                            Vector       &r,
                                            Vector       &coarse) const
{
  residual(A, x, b, r);
  spmv(1, R, r, 0, coarse);
}

template <typename Number>
void HostBackend<Number>::jacobi_step(const Matrix &A,
                                      const Vector &D,
                                      int           block_size,
                                      Number        beta,
                                      const Vector &b,
                                      const Vector &x,
                                      Vector       &y) const
{
  const Number *diag = D.data(), *rhs = b.data(), *from = x.data();
  Number       *to   = y.data();
  if (block_size == 1)
    for_each(A.n_rows, [&A, beta, diag, rhs, from, to](int i) {
      to[i] = from[i] + beta * diag[i] * (rhs[i] - row_product(A, i, from));
    });
  else
    for_each(A.n_rows / block_size, [&A, beta, diag, rhs, from, to, block_size](int node) {
      Number r[max_block_size], s[max_block_size];
      for (int c = 0; c < block_size; ++c)
        r[c] = rhs[node * block_size + c] - row_product(A, node * block_size + c, from);
      multiply_block(diag + node * block_size * block_size, block_size, r, s);
      for (int c = 0; c < block_size; ++c)
        to[node * block_size + c] = from[node * block_size + c] + beta * s[c];
    });
}

template <typename Number>
void HostBackend<Number>::chebyshev_step(const Matrix &A,
                                         const Vector &D,
                                         int           block_size,
                                         Number        alpha,
                                         Number        beta,
                                         const Vector &b,
                                         const Vector &x,
                                         const Vector &d_old,
                                         Vector       &d,
                                         Vector       &y) const
{
  const Number *diag = D.data(), *rhs = b.data(), *from = x.data(), *old_direction = d_old.data();
  Number       *to = y.data(), *direction = d.data();
  for_each(A.n_rows / block_size, [=, &A](int node) {
    Number r[max_block_size], s[max_block_size];
    for (int c = 0; c < block_size; ++c)
      r[c] = rhs[node * block_size + c] - row_product(A, node * block_size + c, from);
    multiply_block(diag + node * block_size * block_size, block_size, r, s);
    for (int c = 0; c < block_size; ++c)
      {
        const int    i = node * block_size + c;
        const Number old = alpha == Number(0) ? Number(0) : alpha * old_direction[i];
        direction[i] = old + beta * s[c];
        to[i]        = from[i] + direction[i];
      }
  });
}

template <typename Number>
void HostBackend<Number>::spmv_update(Number        alpha,
                                      Number        beta,
                                      const Matrix &A,
                                      const Vector &r,
                                      const Vector &d_old,
                                      Vector       &d,
                                      Vector       &x) const
{
  const Number *from = r.data(), *old_direction = d_old.data();
  Number       *direction = d.data(), *to = x.data();
  for_each(A.n_rows, [=, &A](int i) {
    const Number old = alpha == Number(0) ? Number(0) : alpha * old_direction[i];
    direction[i]     = old + beta * row_product(A, i, from);
    to[i] += direction[i];
  });
}

template <typename Number>
void HostBackend<Number>::gemv(const DenseMatrix &A, const Vector &x, Vector &y) const
{
  const int n = A.n;
#pragma omp parallel for num_threads(n < 64 ? 1 : threads) schedule(static)
  for (int i = 0; i < n; ++i)
    {
      const Number *row = A.value.data() + static_cast<std::size_t>(i) * n;
      Number        sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int j = 0; j < n; ++j)
        sum += row[j] * x.data()[j];
      y.data()[i] = sum;
    }
}

template class HostBackend<double>;
template class HostBackend<float>;
template void HostBackend<double>::convert(const HostVector<float> &, HostVector<double> &) const;
template void HostBackend<float>::convert(const HostVector<double> &, HostVector<float> &) const;
template void HostBackend<double>::convert(const HostVector<double> &, HostVector<double> &) const;
template void HostBackend<float>::convert(const HostVector<float> &, HostVector<float> &) const;
template void HostBackend<double>::multi_axpy(const std::vector<HostVector<double>> &, int, const double *, HostVector<double> &) const;
template void HostBackend<double>::multi_axpy(const std::vector<HostVector<float>> &, int, const double *, HostVector<double> &) const;
} // namespace adamant
