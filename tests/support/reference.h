#pragma once

#include "base/csr/csr_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

/// Plain double precision references that the library's operations are compared with: the shortest text that is right.
namespace adamant::test
{
using Values = std::vector<double>;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

/// Random numbers in (-1,1) that single precision holds exactly.
inline Values random_values(std::size_t n, unsigned int seed)
{
  std::mt19937                          generator(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  Values                                values(n);
  for (double &value : values)
    value = distribution(generator);
  return values;
}

enum class Rows
{
  equal,    ///< about the same length everywhere, as from a mesh
  irregular ///< of very different lengths, many empty
};

/// A random matrix with sorted columns.
inline CSRMatrix<double> random_matrix(int n_rows, int n_cols, Rows rows, unsigned int seed)
{
  std::mt19937                          generator(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  CSRMatrix<double>                     matrix;
  matrix.n_rows = n_rows;
  matrix.n_cols = n_cols;
  matrix.row_start.assign(n_rows + 1, 0);
  for (int i = 0; i < n_rows; ++i)
    {
      const bool       empty  = n_cols == 0 || (rows == Rows::irregular && generator() % 3 == 0);
      const int        length = empty ? 0 : 1 + (rows == Rows::equal ? 8 : static_cast<int>(generator() % 30));
      std::vector<int> columns(length);
      for (int &column : columns)
        column = static_cast<int>(generator() % n_cols);
      std::sort(columns.begin(), columns.end());
      columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
      for (const int column : columns)
        {
          matrix.column.push_back(column);
          matrix.value.push_back(distribution(generator));
        }
      matrix.row_start[i + 1] = matrix.column.size();
    }
  return matrix;
}

/// The matrix of a dense one given by rows; zeros are not stored.
inline CSRMatrix<double> to_csr(const std::vector<Values> &rows)
{
  CSRMatrix<double> matrix;
  matrix.n_rows = static_cast<int>(rows.size());
  matrix.n_cols = rows.empty() ? 0 : static_cast<int>(rows[0].size());
  matrix.row_start.push_back(0);
  for (const Values &row : rows)
    {
      for (std::size_t j = 0; j < row.size(); ++j)
        if (row[j] != 0)
          {
            matrix.column.push_back(static_cast<int>(j));
            matrix.value.push_back(row[j]);
          }
      matrix.row_start.push_back(matrix.column.size());
    }
  return matrix;
}

inline std::vector<Values> to_dense(const CSRMatrix<double> &matrix)
{
  std::vector<Values> rows(matrix.n_rows, Values(matrix.n_cols, 0.));
  for (int i = 0; i < matrix.n_rows; ++i)
    for (auto k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k)
      rows[i][matrix.column[k]] = matrix.value[k];
  return rows;
}

/// A x
inline Values product(const CSRMatrix<double> &A, const Values &x)
{
  Values y(A.n_rows, 0.);
  for (int i = 0; i < A.n_rows; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      y[i] += A.value[k] * x[A.column[k]];
  return y;
}

/// a x + b y
inline Values combine(double a, const Values &x, double b, const Values &y)
{
  Values z(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    z[i] = a * x[i] + b * y[i];
  return z;
}

/// D x with D block diagonal: entry (i, j) of all blocks lies together.
inline Values block_product(const Values &D, int block_size, const Values &x)
{
  Values            y(x.size(), 0.);
  const std::size_t n_nodes = x.size() / block_size;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (int c = 0; c < block_size; ++c)
      y[i] += D[(i % block_size * block_size + c) * n_nodes + i / block_size] * x[i / block_size * block_size + c];
  return y;
}

inline double dot(const Values &x, const Values &y)
{
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += x[i] * y[i];
  return sum;
}

inline double norm(const Values &x)
{
  return std::sqrt(dot(x, x));
}

/// x with A x = b for a dense A, by elimination with partial pivoting.
inline Values dense_solve(std::vector<Values> A, Values b)
{
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k)
    {
      std::size_t p = k;
      for (std::size_t i = k + 1; i < n; ++i)
        if (std::abs(A[i][k]) > std::abs(A[p][k]))
          p = i;
      std::swap(A[k], A[p]);
      std::swap(b[k], b[p]);
      for (std::size_t i = k + 1; i < n; ++i)
        {
          const double factor = A[i][k] / A[k][k];
          for (std::size_t j = k; j < n; ++j)
            A[i][j] -= factor * A[k][j];
          b[i] -= factor * b[k];
        }
    }
  for (std::size_t i = n; i-- > 0;)
    {
      for (std::size_t j = i + 1; j < n; ++j)
        b[i] -= A[i][j] * b[j];
      b[i] /= A[i][i];
    }
  return b;
}

/// ‖b - A x‖₂ / ‖b‖₂
inline double relative_residual(const CSRMatrix<double> &A, const Values &x, const Values &b)
{
  return norm(combine(1, b, -1, product(A, x))) / norm(b);
}

/// Compares entry by entry; one message with the worst entry. NaN never passes.
inline void expect_near(const Values &actual, const Values &expected, double tolerance, const std::string &what)
{
  ASSERT_EQ(actual.size(), expected.size()) << what;
  std::size_t worst = 0;
  double      error = 0;
  for (std::size_t i = 0; i < actual.size(); ++i)
    if (const double e = std::abs(actual[i] - expected[i]); !(e <= error))
      {
        worst = i;
        error = e;
        if (std::isnan(e))
          break;
      }
  if (!(error <= tolerance))
    ADD_FAILURE() << what << ": entry " << worst << " of " << actual.size() << " is " << actual[worst] << ", expected "
                  << expected[worst] << " to " << tolerance;
}

/// Rounding error to allow for sums of about 30 products of numbers below one.
template <typename Number>
constexpr double rounding = 200. * std::numeric_limits<Number>::epsilon();
} // namespace adamant::test
