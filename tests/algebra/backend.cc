// Every operation of a backend against its formula in plain double precision.

#include "base/exceptions.h"
#include "support/backends.h"
#include "support/functors.h"
#include "support/reference.h"

using namespace adamant;
using namespace adamant::test;

namespace
{
template <class Backend>
class BackendOperations : public BackendTest<Backend>
{
protected:
  using Number = typename Backend::value_type;
  using Vector = typename Backend::Vector;

  Vector upload(const Values &values) const { return to_backend(*this->backend, values); }
  Values download(const Vector &x) const { return to_host(*this->backend, x); }
  Vector unset(std::size_t n) const { return upload(Values(n, nan_value)); } // for outputs: reading it shows

  // The columns of an orthonormal basis of `count` vectors of length n, by the reference's own Gram-Schmidt.
  static std::vector<Values> orthonormal_basis(int n, int count)
  {
    std::vector<Values> basis;
    for (int k = 0; k < count; ++k)
      {
        Values v = random_values(n, 100 + k);
        for (int pass = 0; pass < 3; ++pass)
          for (const Values &b : basis)
            v = combine(1, v, -dot(b, v), b);
        basis.push_back(combine(1 / norm(v), v, 0, v));
      }
    return basis;
  }

  std::vector<Vector> upload_all(const std::vector<Values> &vectors) const
  {
    std::vector<Vector> result;
    for (const Values &v : vectors)
      result.push_back(upload(v));
    return result;
  }

  static constexpr double tolerance = rounding<Number>;
};
TYPED_TEST_SUITE(BackendOperations, Backends);

struct Shape
{
  int  n_rows, n_cols;
  Rows rows;
};

// Empty, single, odd, rectangular, and large enough for threads.
std::vector<Shape> shapes()
{
  std::vector<Shape> all;
  for (const Rows rows : {Rows::equal, Rows::irregular})
    for (const auto &[n, m] : {std::pair(0, 0), {1, 1}, {7, 3}, {3, 0}, {16, 16}, {17, 40}, {333, 100}, {9001, 8111}})
      all.push_back({n, m, rows});
  return all;
}

std::string name(const Shape &s)
{
  return std::to_string(s.n_rows) + " x " + std::to_string(s.n_cols) + (s.rows == Rows::equal ? "" : " irregular");
}
} // namespace

TYPED_TEST(BackendOperations, VectorsStartAtZeroAndKeepWhatIsUploaded)
{
  for (const int n : {0, 1, 5000})
    {
      expect_near(this->download(this->backend->create_vector(n)), Values(n, 0.), 0., "created");
      const Values x = random_values(n, 1);
      EXPECT_EQ(this->upload(x).size(), n);
      expect_near(this->download(this->upload(x)), x, 0., "uploaded and downloaded");
    }
}

// What is on its way to the host is not changed by what follows.
TYPED_TEST(BackendOperations, SnapshotsKeepTheValuesOfTheirTime)
{
  using Number = typename TestFixture::Number;
  for (const int n : {0, 1, 300000})
    {
      const Values x        = random_values(n, 1);
      auto         u        = this->upload(x);
      auto         snapshot = this->backend->create_snapshot(n);
      for (const double factor : {1., -2.})
        {
          this->backend->take(u, snapshot);
          this->backend->scale(Number(-2), u);
          const double *values = snapshot.values();
          expect_near(Values(values, values + n), combine(factor, x, 0, x), this->tolerance, "snapshot");
        }
    }
}

TYPED_TEST(BackendOperations, VectorArithmetic)
{
  using Number = typename TestFixture::Number;
  for (const int n : {0, 1, 100, 5001})
    {
      SCOPED_TRACE(n);
      const Values x = random_values(n, 1), y = random_values(n, 2);
      auto         u = this->upload(x), v = this->upload(y);
      this->backend->axpby(Number(0.75), u, Number(-2), v);
      expect_near(this->download(v), combine(0.75, x, -2, y), this->tolerance, "axpby");
      expect_near(this->download(u), x, 0., "x after axpby");
      auto other = this->unset(n);
      this->backend->axpby(Number(0.75), u, 0, other);
      expect_near(this->download(other), combine(0.75, x, 0, y), this->tolerance, "axpby, b = 0 with NaN in y");
      this->backend->scale(Number(-3), v);
      expect_near(this->download(v), combine(-2.25, x, 6, y), this->tolerance, "scale");
      this->backend->copy(u, v);
      expect_near(this->download(v), x, 0., "copy");
      this->backend->set_zero(v);
      expect_near(this->download(v), Values(n, 0.), 0., "set_zero");
    }
}

TYPED_TEST(BackendOperations, SetZeroClearsNaN)
{
  auto x = this->unset(10);
  this->backend->set_zero(x);
  expect_near(this->download(x), Values(10, 0.), 0., "set_zero");
}

TYPED_TEST(BackendOperations, DotAndNorm)
{
  for (const int n : {0, 1, 100, 20001})
    {
      SCOPED_TRACE(n);
      const Values x = random_values(n, 1), y = random_values(n, 2);
      const auto   u = this->upload(x), v = this->upload(y);
      // Sums are in double precision whatever the vectors are.
      EXPECT_NEAR(this->backend->dot(u, v), dot(x, y), 1e-12 * (n + 1));
      EXPECT_NEAR(this->backend->norm(u), norm(x), 1e-12 * (n + 1));
    }
}

TYPED_TEST(BackendOperations, NormOfNaNIsNaN)
{
  Values x(5000, 1.);
  x[4321] = nan_value;
  EXPECT_TRUE(std::isnan(this->backend->norm(this->upload(x))));
}

TYPED_TEST(BackendOperations, Convert)
{
  using Backend = typename TestFixture::Backend;
  using Single  = typename Backend::template Rebind<float>;
  const Single single(*this->backend);
  const Values x = random_values(5000, 1); // held exactly by float
  auto         s = single.create_vector(5000);
  single.convert(this->upload(x), s);
  expect_near(to_host(single, s), x, 0., "to single precision");
  auto back = this->unset(5000);
  this->backend->convert(s, back);
  expect_near(this->download(back), x, 0., "and back");

  const Values third(10, 1. / 3);
  auto         rounded = single.create_vector(10);
  single.convert(this->upload(third), rounded);
  expect_near(to_host(single, rounded), Values(10, static_cast<float>(1. / 3)), 0., "rounded to nearest");
}

TYPED_TEST(BackendOperations, Spmv)
{
  using Number = typename TestFixture::Number;
  for (const Shape &s : shapes())
    {
      SCOPED_TRACE(name(s));
      const auto   A = random_matrix(s.n_rows, s.n_cols, s.rows, 1);
      const Values x = random_values(s.n_cols, 2), y = random_values(s.n_rows, 3), Ax = product(A, x);
      const auto   matrix = this->backend->create_matrix(A);
      EXPECT_EQ(matrix.n_rows, s.n_rows);
      EXPECT_EQ(matrix.n_cols, s.n_cols);
      const auto u = this->upload(x);

      auto v = this->unset(s.n_rows);
      this->backend->spmv(1, matrix, u, 0, v);
      expect_near(this->download(v), Ax, this->tolerance, "A x with NaN in y");
      v = this->unset(s.n_rows);
      this->backend->spmv(Number(-2.5), matrix, u, 0, v);
      expect_near(this->download(v), combine(-2.5, Ax, 0, Ax), this->tolerance, "-2.5 A x with NaN in y");
      v = this->upload(y);
      this->backend->spmv(1, matrix, u, 1, v);
      expect_near(this->download(v), combine(1, Ax, 1, y), this->tolerance, "A x + y");
      this->backend->spmv(Number(0.5), matrix, u, Number(-1), v);
      expect_near(this->download(v), combine(-0.5, Ax, -1, y), this->tolerance, "0.5 A x - (A x + y)");
      expect_near(this->download(u), x, 0., "x after the products");
    }
}

TYPED_TEST(BackendOperations, MatrixWithoutEntries)
{
  CSRMatrix<double> A;
  A.n_rows = 5000;
  A.n_cols = 7;
  A.row_start.assign(5001, 0);
  auto y = this->unset(5000);
  this->backend->spmv(1, this->backend->create_matrix(A), this->upload(Values(7, 1.)), 0, y);
  expect_near(this->download(y), Values(5000, 0.), 0., "0 x");
}

TYPED_TEST(BackendOperations, OneLongRow)
{
  auto   rows = std::vector<Values>(40, Values(3000, 0.));
  Values x    = random_values(3000, 1);
  rows[17]    = random_values(3000, 2);
  auto y      = this->unset(40);
  this->backend->spmv(1, this->backend->create_matrix(to_csr(rows)), this->upload(x), 0, y);
  Values expected(40, 0.);
  expected[17] = dot(rows[17], x);
  expect_near(this->download(y), expected, 10 * this->tolerance, "A x");
}

TYPED_TEST(BackendOperations, UpdateValues)
{
  for (const Shape &s : shapes())
    {
      SCOPED_TRACE(name(s));
      auto A      = random_matrix(s.n_rows, s.n_cols, s.rows, 1);
      auto matrix = this->backend->create_matrix(A);
      for (double &value : A.value)
        value = 1 - 2 * value;
      this->backend->update_values(matrix, A);
      const Values x = random_values(s.n_cols, 2);
      auto         y = this->unset(s.n_rows);
      this->backend->spmv(1, matrix, this->upload(x), 0, y);
      expect_near(this->download(y), product(A, x), 3 * this->tolerance, "A x with new values");
    }
}

// Another size is refused; of another pattern of that size a backend may refuse it or take it over, but not half of it.
TYPED_TEST(BackendOperations, UpdateValuesWithAnotherPattern)
{
  const auto A      = to_csr({{1, 2, 0}, {3, 0, 0}, {0, 0, 4}});
  auto       matrix = this->backend->create_matrix(A);
  EXPECT_THROW(this->backend->update_values(matrix, to_csr({{1, 2, 0}, {3, 0, 0}})), RunError) << "a row less";
  EXPECT_THROW(this->backend->update_values(matrix, to_csr({{1, 2}, {3, 0}, {0, 4}})), RunError) << "a column less";
  for (const auto &rows : {std::vector<Values>{{1, 2, 5}, {3, 6, 7}, {8, 9, 4}}, // more entries
                           {{1, 2, 5}, {3, 0, 0}, {0, 0, 0}},                    // as many, in other rows
                           {{2, 0, 1}, {0, 3, 0}, {4, 0, 0}},                    // in the same rows, other columns
                           {{1, 0, 0}, {0, 0, 0}, {0, 0, 4}}})                   // fewer
    {
      const auto other = to_csr(rows);
      matrix           = this->backend->create_matrix(A);
      try
        {
          this->backend->update_values(matrix, other);
        }
      catch (const RunError &)
        {
          continue;
        }
      const Values x = {1, 10, 100};
      auto         y = this->unset(3);
      this->backend->spmv(1, matrix, this->upload(x), 0, y);
      expect_near(this->download(y), product(other, x), 0., "A x with the other matrix");
    }
}

TYPED_TEST(BackendOperations, Residual)
{
  for (const Shape &s : shapes())
    {
      SCOPED_TRACE(name(s));
      const auto   A = random_matrix(s.n_rows, s.n_cols, s.rows, 1);
      const Values x = random_values(s.n_cols, 2), b = random_values(s.n_rows, 3);
      const Values wanted = combine(1, b, -1, product(A, x));
      const auto   matrix = this->backend->create_matrix(A);
      auto         r      = this->unset(s.n_rows);
      this->backend->residual(matrix, this->upload(x), this->upload(b), r);
      expect_near(this->download(r), wanted, this->tolerance, "b - A x");

      r          = this->unset(s.n_rows);
      auto norms = this->backend->create_scalars(2);
      this->backend->residual_norms(matrix, this->upload(x), this->upload(b), r, norms);
      expect_near(this->download(r), wanted, this->tolerance, "b - A x with norms");
      const double *fetched = this->backend->fetch(norms, 2);
      EXPECT_NEAR(fetched[0], norm(wanted), this->tolerance * (1 + norm(wanted))) << "norm of the residual";
      EXPECT_NEAR(fetched[1], norm(b), 1e-10 * (1 + norm(b))) << "norm of b";
    }
}

TYPED_TEST(BackendOperations, ResidualRestrict)
{
  for (const auto &[n, n_coarse] : {std::pair(0, 0), {1, 1}, {40, 11}, {100, 1}, {9001, 4500}})
    for (const Rows rows : {Rows::equal, Rows::irregular})
      {
        SCOPED_TRACE(std::to_string(n) + " to " + std::to_string(n_coarse));
        const auto   A = random_matrix(n, n, rows, 1), R = random_matrix(n_coarse, n, rows, 2);
        const Values x = random_values(n, 3), b = random_values(n, 4), r = combine(1, b, -1, product(A, x));
        auto         fine = this->unset(n), coarse = this->unset(n_coarse);
        this->backend->residual_restrict(this->backend->create_matrix(A), this->upload(x), this->upload(b),
                                         this->backend->create_matrix(R), fine, coarse);
        expect_near(this->download(coarse), product(R, r), 5 * this->tolerance, "R (b - A x)");
      }
}

TYPED_TEST(BackendOperations, ScaleByDiagonal)
{
  using Number = typename TestFixture::Number;
  for (const int block_size : {1, 2, 3, 6})
    for (const int nodes : {0, 1, 11, 5000})
      {
        SCOPED_TRACE(std::to_string(nodes) + " nodes of " + std::to_string(block_size));
        const int    n = nodes * block_size;
        const Values D = random_values(n * block_size, 1), x = random_values(n, 2),
                     Dx = block_product(D, block_size, x);
        auto y          = this->unset(n);
        this->backend->scale_by_diagonal(Number(-1.5), this->upload(D), this->upload(x), y, block_size);
        expect_near(this->download(y), combine(-1.5, Dx, 0, Dx), this->tolerance, "a D x");
      }
}

// Nodes on a line, coupled by the same dense blocks everywhere but at both ends and in the middle; with values that
// differ by rounding, as assembly leaves them.
TYPED_TEST(BackendOperations, MatricesOfNodes)
{
  using Number = typename TestFixture::Number;
  for (const int size : {2, 3, 6})
    for (const int nodes : {1, 40, 500})
      {
        SCOPED_TRACE(std::to_string(nodes) + " nodes of " + std::to_string(size));
        const int         n      = nodes * size;
        const Values      blocks = random_values(3 * size * size, 7), noise = random_values(9 * n, 8);
        CSRMatrix<double> A;
        A.n_rows = A.n_cols = n;
        A.row_start.assign(n + 1, 0);
        std::vector<std::pair<int, double>> entries;
        for (int row = 0; row < n; ++row)
          {
            const int node = row / size;
            // Every fifth node of the second half has more neighbours, as beside hanging nodes.
            for (int k = 0, offset = -1; k < (node > nodes / 2 && node % 5 == 0 ? 12 : 3); ++k, offset = k - 1)
              for (int c = 0; c < size && node + offset >= 0 && node + offset < nodes; ++c)
                {
                  const double block = blocks[(k % 3 * size + row % size) * size + c];
                  const double value =
                    node == nodes / 2 ? 2. * block : block * (1. + 1e-16 * noise[(row + c) % noise.size()]);
                  entries.emplace_back((node + offset) * size + c, value);
                }
            A.row_start[row + 1] = static_cast<int>(entries.size());
          }
        for (const auto &[column, value] : entries)
          {
            A.column.push_back(column);
            A.value.push_back(value);
          }
        const auto   matrix = this->backend->create_matrix(A, size);
        const Values x = random_values(n, 1), b = random_values(n, 2), Ax = product(A, x);
        auto         y = this->unset(n);
        this->backend->spmv(Number(-1.5), matrix, this->upload(x), 0, y);
        expect_near(this->download(y), combine(-1.5, Ax, 0, Ax), 3 * this->tolerance, "a A x");
        auto s = this->backend->create_scalars(2);
        this->backend->residual_norms(matrix, this->upload(x), this->upload(b), y, s);
        const Values r = combine(1, b, -1, Ax);
        expect_near(this->download(y), r, 3 * this->tolerance, "b - A x");
        EXPECT_NEAR(this->backend->fetch(s, 2)[0], std::sqrt(dot(r, r)), 10 * this->tolerance * n);
        const Values D = random_values(n * size, 3);
        this->backend->jacobi_step(matrix, this->upload(D), size, Number(0.75), this->upload(b), this->upload(x), y);
        expect_near(this->download(y), combine(1, x, 0.75, block_product(D, size, r)), 10 * this->tolerance,
                    "a step of block Jacobi");
      }
}

TYPED_TEST(BackendOperations, JacobiStep)
{
  using Number = typename TestFixture::Number;
  for (const Rows rows : {Rows::equal, Rows::irregular})
    for (const int block_size : {1, 2, 3, 6})
      for (const int nodes : {0, 1, 11, 37, 1501})
        {
          SCOPED_TRACE(std::to_string(nodes) + " nodes of " + std::to_string(block_size));
          const int    n = nodes * block_size;
          const auto   A = random_matrix(n, n, rows, 1);
          const Values D = random_values(n * block_size, 2), x = random_values(n, 3), b = random_values(n, 4);
          const Values Dr = block_product(D, block_size, combine(1, b, -1, product(A, x)));
          for (const int node_size : {1, block_size})
            {
              auto y = this->unset(n);
              this->backend->jacobi_step(this->backend->create_matrix(A, node_size), this->upload(D), block_size,
                                         Number(0.75), this->upload(b), this->upload(x), y);
              expect_near(this->download(y), combine(1, x, 0.75, Dr), 5 * this->tolerance, "x + beta D (b - A x)");
            }
        }
}

TYPED_TEST(BackendOperations, JacobiTwoSteps)
{
  using Number = typename TestFixture::Number;
  for (const Rows rows : {Rows::equal, Rows::irregular})
    for (const int n : {0, 1, 40, 9001})
      {
        SCOPED_TRACE(n);
        const auto   A = random_matrix(n, n, rows, 1);
        const Values D = random_values(n, 2), b = random_values(n, 3), x = combine(0.75, block_product(D, 1, b), 0, b);
        const Values Dr      = block_product(D, 1, combine(1, b, -1, product(A, x)));
        auto         scratch = this->unset(n), y = this->unset(n);
        this->backend->jacobi_two_steps(this->backend->create_matrix(A), this->upload(D), Number(0.75), this->upload(b),
                                        scratch, y);
        expect_near(this->download(y), combine(1, x, 0.75, Dr), 5 * this->tolerance,
                    "x + beta D (b - A x), x = beta D b");
      }
}

TYPED_TEST(BackendOperations, ChebyshevStep)
{
  using Number = typename TestFixture::Number;
  for (const Rows rows : {Rows::equal, Rows::irregular})
    for (const int block_size : {1, 2, 3, 6})
      for (const int nodes : {0, 1, 11, 37, 1501})
        {
          SCOPED_TRACE(std::to_string(nodes) + " nodes of " + std::to_string(block_size));
          const int    n      = nodes * block_size;
          const auto   A      = random_matrix(n, n, rows, 1);
          const auto   matrix = this->backend->create_matrix(A);
          const Values D = random_values(n * block_size, 2), x = random_values(n, 3), b = random_values(n, 4);
          const Values old = random_values(n, 5), Dr = block_product(D, block_size, combine(1, b, -1, product(A, x)));
          const Values step     = combine(0.25, old, 0.75, Dr);
          const auto   diagonal = this->upload(D), rhs = this->upload(b), from = this->upload(x),
                     before      = this->upload(old);
          const double tolerance = 5 * this->tolerance;

          auto d = this->unset(n), y = this->unset(n);
          this->backend->chebyshev_step(matrix, diagonal, block_size, Number(0.25), Number(0.75), rhs, from, before, d,
                                        y);
          expect_near(this->download(d), step, tolerance, "d");
          expect_near(this->download(y), combine(1, x, 1, step), tolerance, "x + d");

          d = this->upload(old);
          y = this->unset(n);
          this->backend->chebyshev_step(matrix, diagonal, block_size, Number(0.25), Number(0.75), rhs, from, d, d, y);
          expect_near(this->download(d), step, tolerance, "d in place");
          expect_near(this->download(y), combine(1, x, 1, step), tolerance, "x + d, d in place");

          d = this->unset(n);
          y = this->unset(n);
          this->backend->chebyshev_step(matrix, diagonal, block_size, Number(0.25), Number(0.75), rhs, from, from, d,
                                        y);
          const Values after_first = combine(0.25, x, 0.75, Dr);
          expect_near(this->download(d), after_first, tolerance, "d with d_old = x");
          expect_near(this->download(y), combine(1, x, 1, after_first), tolerance, "x + d with d_old = x");

          d = this->unset(n);
          y = this->unset(n);
          this->backend->chebyshev_step(matrix, diagonal, block_size, 0, Number(0.75), rhs, from, d, d, y);
          expect_near(this->download(d), combine(0.75, Dr, 0, Dr), tolerance, "alpha = 0 with NaN in d_old");
          expect_near(this->download(y), combine(1, x, 0.75, Dr), tolerance, "x + d, alpha = 0");
        }
}

TYPED_TEST(BackendOperations, SpmvUpdate)
{
  using Number = typename TestFixture::Number;
  for (const Rows rows : {Rows::equal, Rows::irregular})
    for (const int n : {0, 1, 40, 9001})
      {
        SCOPED_TRACE(n);
        const auto   A      = random_matrix(n, n, rows, 1);
        const auto   matrix = this->backend->create_matrix(A);
        const Values r = random_values(n, 2), x = random_values(n, 3), old = random_values(n, 4), Ar = product(A, r);
        const Values step = combine(0.25, old, 0.75, Ar);

        auto d = this->unset(n), y = this->upload(x);
        this->backend->spmv_update(Number(0.25), Number(0.75), matrix, this->upload(r), this->upload(old), d, y);
        expect_near(this->download(d), step, this->tolerance, "d");
        expect_near(this->download(y), combine(1, x, 1, step), this->tolerance, "x + d");

        d = this->upload(old);
        y = this->upload(x);
        this->backend->spmv_update(Number(0.25), Number(0.75), matrix, this->upload(r), d, d, y);
        expect_near(this->download(d), step, this->tolerance, "d in place");

        // After one step from a zero guess the direction is x itself.
        d = this->unset(n);
        y = this->upload(x);
        this->backend->spmv_update(Number(0.25), Number(0.75), matrix, this->upload(r), y, d, y);
        expect_near(this->download(d), combine(0.25, x, 0.75, Ar), this->tolerance, "d with d_old = x");
        expect_near(this->download(y), combine(1.25, x, 0.75, Ar), this->tolerance, "x + d with d_old = x");

        d = this->unset(n);
        y = this->upload(x);
        this->backend->spmv_update(0, Number(0.75), matrix, this->upload(r), d, d, y);
        expect_near(this->download(d), combine(0.75, Ar, 0, Ar), this->tolerance, "alpha = 0 with NaN in d_old");
        expect_near(this->download(y), combine(1, x, 0.75, Ar), this->tolerance, "x + d, alpha = 0");
      }
}

TYPED_TEST(BackendOperations, Gemv)
{
  for (const int n : {0, 1, 31, 100, 301})
    {
      SCOPED_TRACE(n);
      const Values  a = random_values(n * n, 1), x = random_values(n, 2);
      Array<double> dense(a.begin(), a.end());
      Values        expected(n, 0.);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          expected[i] += a[i * n + j] * x[j];
      auto y = this->unset(n);
      this->backend->gemv(this->backend->create_dense_matrix(dense, n), this->upload(x), y);
      expect_near(this->download(y), expected, this->tolerance, "A x");
    }
}

TYPED_TEST(BackendOperations, StepsOfConjugateGradients)
{
  for (const int n : {1, 100, 20001})
    {
      SCOPED_TRACE(n);
      const Values p = random_values(n, 1), q = random_values(n, 2), x = random_values(n, 3), r = random_values(n, 4);
      auto         s = this->backend->create_scalars(4);
      this->backend->dot(this->upload(p), this->upload(p), s, 2);
      this->backend->dot(this->upload(p), this->upload(q), s, 1);
      const double *fetched = this->backend->fetch(s, 4);
      const double  pp = dot(p, p), pq = dot(p, q), a = pq / pp;
      EXPECT_NEAR(fetched[2], pp, 1e-12 * (n + 1));
      EXPECT_NEAR(fetched[1], pq, 1e-12 * (n + 1));

      auto y = this->upload(q);
      this->backend->xpay(this->upload(p), s, 1, 2, y);
      expect_near(this->download(y), combine(1, p, a, q), this->tolerance, "p + a q");

      auto x_new = this->upload(x), r_new = this->upload(r);
      this->backend->step_along(this->upload(p), this->upload(q), 1, 2, x_new, r_new, s, 3);
      const Values expected = combine(1, r, -a, q);
      expect_near(this->download(x_new), combine(1, x, a, p), this->tolerance, "x + a p");
      expect_near(this->download(r_new), expected, this->tolerance, "r - a q");
      EXPECT_NEAR(this->backend->fetch(s, 4)[3], dot(expected, expected), this->tolerance * (n + 1));
      EXPECT_EQ(s.size(), 4);
    }
}

TYPED_TEST(BackendOperations, MultiDot)
{
  for (const int n : {0, 1, 100, 20001})
    for (const int k : {0, 1, 2, 5, 8, 11})
      {
        SCOPED_TRACE(std::to_string(k) + " vectors of " + std::to_string(n));
        std::vector<Values> v;
        for (int i = 0; i < k + 1; ++i) // one more than is asked for
          v.push_back(random_values(n, 10 + i));
        const Values w = random_values(n, 1);
        auto         h = this->backend->create_scalars(k + 1);
        this->backend->multi_dot(this->upload_all(v), k, this->upload(w), h);
        const double *fetched = this->backend->fetch(h, k);
        for (int i = 0; i < k; ++i)
          EXPECT_NEAR(fetched[i], dot(v[i], w), 1e-12 * (n + 1)) << "product " << i;
      }
}

TYPED_TEST(BackendOperations, MultiAxpy)
{
  using Backend = typename TestFixture::Backend;
  using Double  = typename Backend::template Rebind<double>;
  const Double full(*this->backend); // the method is for the double precision vectors of the Krylov methods
  for (const int n : {0, 1, 100, 20001})
    for (const int k : {0, 1, 3, 8})
      {
        SCOPED_TRACE(std::to_string(k) + " vectors of " + std::to_string(n));
        std::vector<typename Backend::Vector> basis;
        const Values                          a = random_values(k, 1), x = random_values(n, 2);
        Values                                expected = x;
        for (int i = 0; i < k; ++i)
          {
            const Values v = random_values(n, 10 + i);
            basis.push_back(this->upload(v));
            expected = combine(1, expected, a[i], v);
          }
        auto y = to_backend(full, x);
        full.multi_axpy(basis, k, a.data(), y);
        expect_near(to_host(full, y), expected, rounding<double>, "x + sum of a_i v_i");
      }
}

TYPED_TEST(BackendOperations, Orthonormalize)
{
  for (const int n : {20, 5001})
    for (const int k : {0, 1, 5, 8})
      {
        SCOPED_TRACE(std::to_string(k) + " vectors of " + std::to_string(n));
        const auto   basis = this->orthonormal_basis(n, k);
        const Values w     = random_values(n, 1);
        auto         v     = this->upload(w);
        auto         h     = this->backend->create_scalars(k + 1);
        this->backend->orthonormalize(this->upload_all(basis), k, v, h);
        const double *coefficients = this->backend->fetch(h, k + 1);

        Values rest = w;
        for (int i = 0; i < k; ++i)
          rest = combine(1, rest, -dot(basis[i], w), basis[i]);
        const double tolerance = this->tolerance * norm(w);
        for (int i = 0; i < k; ++i)
          EXPECT_NEAR(coefficients[i], dot(basis[i], w), tolerance) << "coefficient " << i;
        EXPECT_NEAR(coefficients[k], norm(rest), tolerance) << "norm before scaling";
        const Values result = this->download(v);
        expect_near(result, combine(1 / norm(rest), rest, 0, rest), this->tolerance, "orthonormalised vector");
        EXPECT_NEAR(norm(result), 1., this->tolerance);
        for (int i = 0; i < k; ++i)
          EXPECT_NEAR(dot(basis[i], result), 0., this->tolerance) << "expected a right angle with vector " << i;
      }
}

// w lies in the span of the basis but for a part of 100 roundings: once would leave an angle error of a percent.
TYPED_TEST(BackendOperations, OrthonormalizeNearlyDependentVectors)
{
  using Number   = typename TestFixture::Number;
  const int    n = 5001, k = 5;
  const double small = 100 * std::numeric_limits<Number>::epsilon();
  auto         basis = this->orthonormal_basis(n, k + 1);
  Values       w     = combine(small, basis[k], 1, basis[0]);
  for (int i = 1; i < k; ++i)
    w = combine(1, w, 1, basis[i]);
  auto vectors = this->upload_all(basis);
  auto v       = this->upload(w);
  auto h       = this->backend->create_scalars(k + 1);
  this->backend->orthonormalize(vectors, k, v, h);
  const Values result = this->download(v);
  EXPECT_NEAR(norm(result), 1., this->tolerance);
  for (int i = 0; i < k; ++i)
    EXPECT_NEAR(dot(this->download(vectors[i]), result), 0., this->tolerance)
      << "expected a right angle with vector " << i;
}

TYPED_TEST(BackendOperations, OrthonormalizeLeavesTheZeroVector)
{
  const auto basis = this->upload_all(this->orthonormal_basis(100, 3));
  auto       w     = this->upload(Values(100, 0.));
  auto       h     = this->backend->create_scalars(4);
  this->backend->orthonormalize(basis, 3, w, h);
  const double *coefficients = this->backend->fetch(h, 4);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(coefficients[i], 0.) << i;
  expect_near(this->download(w), Values(100, 0.), 0., "w");
}

TYPED_TEST(BackendOperations, ForEachVisitsEveryIndexOnce)
{
  for (const int n : {0, 1, 5000})
    {
      const Values x = random_values(n, 1);
      auto         u = this->upload(x), v = this->upload(Values(n, 1.));
      this->backend->for_each(n, AddSquare<typename TestFixture::Number>{u.data(), v.data()});
      this->backend->synchronize();
      Values expected(n);
      for (int i = 0; i < n; ++i)
        expected[i] = 1 + x[i] * x[i] + i;
      expect_near(this->download(v), expected, this->tolerance * std::max(n, 1), "1 + x² + i");
    }
}

TYPED_TEST(BackendOperations, RecordedOperationsRunWhenReplayed)
{
  using Number = typename TestFixture::Number;
  auto       x = this->upload({1, 2}), y = this->upload({10, 20});
  const auto graph = this->backend->record([&] {
    this->backend->axpby(1, x, Number(2), y);
    this->backend->scale(Number(3), x);
  });
  expect_near(this->download(y), {10, 20}, 0., "y, expected untouched by recording");
  this->backend->replay(graph);
  expect_near(this->download(y), {21, 42}, 0., "y after one replay");
  this->backend->replay(graph);
  expect_near(this->download(y), {45, 90}, 0., "y after two replays");
  this->backend->upload(Values{0, 1}.data(), x);
  this->backend->replay(graph);
  expect_near(this->download(y), {90, 181}, 0., "y, expected to see the new x");
}

TYPED_TEST(BackendOperations, HasAName)
{
  EXPECT_FALSE(this->backend->device_name().empty());
}

TEST(HostBackend, RefusesAnImpossibleNumberOfThreads)
{
  EXPECT_THROW(HostBackend<double>(0), InputError);
  EXPECT_THROW(HostBackend<float>(-3), InputError);
}
