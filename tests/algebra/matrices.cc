// Products with matrices against their formulas in plain double precision.

#include "base/exceptions.h"
#include "tests/algebra/support.h"

#include <cmath>

using namespace adamant;
using namespace adamant::test;

namespace
{
template <class In>
class MatrixOperations : public DeviceOperations<In>
{
};
TYPED_TEST_SUITE(MatrixOperations, Precisions, PrecisionName);
} // namespace

TYPED_TEST(MatrixOperations, Multiply)
{
  using Number = typename TestFixture::Number;
  for (const Shape &s : shapes())
    {
      SCOPED_TRACE(name(s));
      const auto   A = random_matrix(s.n_rows, s.n_cols, s.rows, 1);
      const Values x = random_values(s.n_cols, 2), y = random_values(s.n_rows, 3), Ax = product(A, x);
      const auto   matrix = this->matrix(A);
      EXPECT_EQ(matrix.n_rows(), s.n_rows);
      EXPECT_EQ(matrix.n_cols(), s.n_cols);
      const auto u = this->upload(x);

      auto v = this->unset(s.n_rows);
      this->device.multiply(Number(1), matrix, u, Number(0), v);
      expect_near(values_of(v), Ax, this->tolerance, "A x with NaN in y");
      v = this->unset(s.n_rows);
      this->device.multiply(Number(-2.5), matrix, u, Number(0), v);
      expect_near(values_of(v), combine(-2.5, Ax, 0, Ax), this->tolerance, "-2.5 A x with NaN in y");
      v = this->upload(y);
      this->device.multiply(Number(1), matrix, u, Number(1), v);
      expect_near(values_of(v), combine(1, Ax, 1, y), this->tolerance, "A x + y");
      this->device.multiply(Number(0.5), matrix, u, Number(-1), v);
      expect_near(values_of(v), combine(-0.5, Ax, -1, y), this->tolerance, "0.5 A x - (A x + y)");
      expect_near(values_of(u), x, 0., "x after the products");
    }
}

TYPED_TEST(MatrixOperations, MatrixWithoutEntries)
{
  using Number = typename TestFixture::Number;
  CSRMatrix<double> A;
  A.n_rows = 5000;
  A.n_cols = 7;
  A.row_start.assign(5001, 0);
  const auto matrix = this->matrix(A);
  const auto x      = this->upload(Values(7, 1.));
  auto       y      = this->unset(5000);
  this->device.multiply(Number(1), matrix, x, Number(0), y);
  expect_near(values_of(y), Values(5000, 0.), 0., "0 x");
  const Values before = random_values(5000, 1);
  y                   = this->upload(before);
  this->device.multiply(Number(1), matrix, x, Number(-2), y);
  expect_near(values_of(y), combine(-2, before, 0, before), 0., "0 x - 2 y");
}

TYPED_TEST(MatrixOperations, OneLongRow)
{
  using Number = typename TestFixture::Number;
  auto   rows  = std::vector<Values>(40, Values(3000, 0.));
  Values x     = random_values(3000, 1);
  rows[17]     = random_values(3000, 2);
  auto y       = this->unset(40);
  this->device.multiply(Number(1), this->matrix(to_csr(rows)), this->upload(x), Number(0), y);
  Values expected(40, 0.);
  expected[17] = dot(rows[17], x);
  expect_near(values_of(y), expected, 10 * this->tolerance, "A x");
}

TYPED_TEST(MatrixOperations, UpdateValues)
{
  using Number = typename TestFixture::Number;
  for (const Shape &s : shapes())
    {
      SCOPED_TRACE(name(s));
      auto A      = random_matrix(s.n_rows, s.n_cols, s.rows, 1);
      auto matrix = this->matrix(A);
      for (double &value : A.value)
        value = 1 - 2 * value;
      matrix.update(A);
      const Values x = random_values(s.n_cols, 2);
      auto         y = this->unset(s.n_rows);
      this->device.multiply(Number(1), matrix, this->upload(x), Number(0), y);
      expect_near(values_of(y), product(A, x), 3 * this->tolerance, "A x with new values");
    }
}

// A recorded product reads the new values.
TYPED_TEST(MatrixOperations, UpdateReachesGraphs)
{
  using Number       = typename TestFixture::Number;
  auto        A      = random_matrix(333, 100, Rows::equal, 1);
  auto        matrix = this->matrix(A);
  Values      x      = random_values(100, 2);
  auto        u = this->upload(x), y = this->unset(333);
  const Graph graph(this->device, [&] { this->device.multiply(Number(1), matrix, u, Number(0), y); });
  graph.replay();
  expect_near(values_of(y), product(A, x), this->tolerance, "A x");
  for (double &value : A.value)
    value *= -3;
  matrix.update(A);
  const auto larger = this->matrix(random_matrix(9001, 8111, Rows::equal, 1)); // may move what matrices share
  graph.replay();
  expect_near(values_of(y), product(A, x), 3 * this->tolerance, "A x with new values");
}

// Another size is refused; of another pattern of that size a device may refuse it or take it over, but not half of it.
TYPED_TEST(MatrixOperations, UpdateWithAnotherPattern)
{
  using Number      = typename TestFixture::Number;
  const auto A      = to_csr({{1, 2, 0}, {3, 0, 0}, {0, 0, 4}});
  auto       matrix = this->matrix(A);
  EXPECT_THROW(matrix.update(to_csr({{1, 2, 0}, {3, 0, 0}})), RunError) << "a row less";
  EXPECT_THROW(matrix.update(to_csr({{1, 2}, {3, 0}, {0, 4}})), RunError) << "a column less";
  for (const auto &rows : {std::vector<Values>{{1, 2, 5}, {3, 6, 7}, {8, 9, 4}}, // more entries
                           {{1, 2, 5}, {3, 0, 0}, {0, 0, 0}},                    // as many, in other rows
                           {{2, 0, 1}, {0, 3, 0}, {4, 0, 0}},                    // in the same rows, other columns
                           {{1, 0, 0}, {0, 0, 0}, {0, 0, 4}}})                   // fewer
    {
      const auto other = to_csr(rows);
      matrix           = this->matrix(A);
      try
        {
          matrix.update(other);
        }
      catch (const RunError &)
        {
          continue;
        }
      const Values x = {1, 10, 100};
      auto         y = this->unset(3);
      this->device.multiply(Number(1), matrix, this->upload(x), Number(0), y);
      expect_near(values_of(y), product(other, x), 0., "A x with the other matrix");
    }
}

TYPED_TEST(MatrixOperations, ResidualAndNorms)
{
  for (const Shape &s : shapes())
    {
      SCOPED_TRACE(name(s));
      const auto   A = random_matrix(s.n_rows, s.n_cols, s.rows, 1);
      const Values x = random_values(s.n_cols, 2), b = random_values(s.n_rows, 3);
      const Values wanted = combine(1, b, -1, product(A, x));
      const auto   rhs    = this->upload(b);
      auto         r      = this->unset(s.n_rows);
      this->device.residual(this->matrix(A), this->upload(x), rhs, r);
      expect_near(values_of(r), wanted, this->tolerance, "b - A x");

      Scalars norms(this->device, 2);
      this->device.norms(r, rhs, norms);
      const double *fetched = norms.fetch();
      EXPECT_NEAR(fetched[0], norm(wanted), this->tolerance * (1 + norm(wanted))) << "norm of the residual";
      EXPECT_NEAR(fetched[1], norm(b), 1e-10 * (1 + norm(b))) << "norm of b";
    }
}

TYPED_TEST(MatrixOperations, DenseMatrices)
{
  using Number = typename TestFixture::Number;
  for (const int n : {0, 1, 31, 100, 301})
    {
      SCOPED_TRACE(n);
      const Values a = random_values(n * n, 1), other = random_values(n * n, 3), x = random_values(n, 2),
                   y     = random_values(n, 4);
      const auto times_x = [&](const Values &matrix) {
        Values result(n, 0.);
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j)
            result[i] += matrix[i * n + j] * x[j];
        return result;
      };
      auto       A = Matrix<Number>::dense(this->device, Array<double>(a.begin(), a.end()), n);
      const auto u = this->upload(x);
      auto       v = this->unset(n);
      this->device.multiply(Number(1), A, u, Number(0), v);
      expect_near(values_of(v), times_x(a), this->tolerance, "A x with NaN in y");
      v = this->upload(y);
      this->device.multiply(Number(-0.5), A, u, Number(2), v);
      expect_near(values_of(v), combine(-0.5, times_x(a), 2, y), this->tolerance, "-0.5 A x + 2 y");
      A.update_dense(Array<double>(other.begin(), other.end()));
      this->device.multiply(Number(1), A, u, Number(0), v);
      expect_near(values_of(v), times_x(other), this->tolerance, "A x with new values");
    }
}
