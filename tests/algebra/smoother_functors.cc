// What smoothers do with the rows of a matrix (multigrid/smoothers/functors.h) against its formulas in plain double
// precision.

#include "algebra/functors.h"
#include "multigrid/smoothers/functors.h"
#include "tests/algebra/support.h"

#include <cmath>

using namespace adamant;
using namespace adamant::test;

namespace
{
template <class In>
class SmootherFunctors : public DeviceOperations<In>
{
protected:
  using Number = typename In::Number;
  using V      = Vector<Number>;

  // d = alpha d_old + beta D (b - A x), y = x + d, with D of blocks.
  void chebyshev_step(const Matrix<Number> &A, const V &D, int block_size, double alpha, double beta, const V &b,
                      const V &x, const V &d_old, V &d, V &y) const
  {
    step(A, D, block_size,
         {Number(alpha), Number(beta), D.data(), b.data(), x.data(), d_old.data(), d.data(), y.data()}, x);
  }
  // y = x + beta D (b - A x)
  void jacobi_step(const Matrix<Number> &A, const V &D, int block_size, double beta, const V &b, const V &x, V &y) const
  {
    step(A, D, block_size, {Number(0), Number(beta), D.data(), b.data(), x.data(), nullptr, nullptr, y.data()}, x);
  }

private:
  void step(const Matrix<Number> &A, const V & /*D*/, int block_size, const JacobiUpdate<Number> &update,
            const V &x) const
  {
    if (block_size == 1)
      this->device.for_each_row(A, x, JacobiStep<Number>(update));
    else
      this->device.for_each_row(A, x, NodeJacobiStep<Number>(block_size, x.size() / block_size, update));
  }
};
TYPED_TEST_SUITE(SmootherFunctors, Precisions, PrecisionName);
} // namespace

TYPED_TEST(SmootherFunctors, ScaleByDiagonal)
{
  using Number = typename TestFixture::Number;
  for (const int block_size : {1, 2, 3, 6})
    for (const int nodes : {0, 1, 11, 5000})
      {
        SCOPED_TRACE(std::to_string(nodes) + " nodes of " + std::to_string(block_size));
        const int    n = nodes * block_size;
        const Values D = random_values(n * block_size, 1), x = random_values(n, 2),
                     Dx     = block_product(D, block_size, x);
        const auto diagonal = this->upload(D), from = this->upload(x);
        auto       y = this->unset(n);
        if (block_size == 1)
          this->device.for_each(n, ScaleByDiagonal<Number>{Number(-1.5), diagonal.data(), from.data(), y.data()});
        else
          this->device.for_each(
            n, ScaleByNodeBlocks<Number>{block_size, nodes, Number(-1.5), diagonal.data(), from.data(), y.data()});
        expect_near(values_of(y), combine(-1.5, Dx, 0, Dx), this->tolerance, "a D x");
      }
}

TYPED_TEST(SmootherFunctors, CorrectBySweep)
{
  using Number = typename TestFixture::Number;
  for (const int n : {0, 1, 5001})
    {
      const Values x = random_values(n, 1), y = random_values(n, 2), old = random_values(n, 3);
      const Values change = combine(1, y, -1, x), direction = combine(0.25, old, 0.75, change);
      const auto   from = this->upload(x);
      auto         d = this->upload(old), z = this->upload(y);
      this->device.for_each(
        n, CorrectBySweep<Number>{Number(0.25), Number(0.75), from.data(), d.data(), d.data(), z.data()});
      expect_near(values_of(d), direction, this->tolerance, "d in place");
      expect_near(values_of(z), combine(1, x, 1, direction), this->tolerance, "x + d");
      z = this->upload(y);
      this->device.for_each(n,
                            CorrectBySweep<Number>{Number(0), Number(0.75), from.data(), nullptr, nullptr, z.data()});
      expect_near(values_of(z), combine(1, x, 0.75, change), this->tolerance, "x + beta (y - x)");
    }
}

// Matrices of nodes that share their blocks, with values that differ by rounding, as assembly leaves them.
TYPED_TEST(SmootherFunctors, MatricesOfNodes)
{
  using Number = typename TestFixture::Number;
  for (const int size : {2, 3, 6})
    for (const int nodes : {1, 40, 500})
      {
        SCOPED_TRACE(std::to_string(nodes) + " nodes of " + std::to_string(size));
        const int    n      = nodes * size;
        const auto   A      = nodes_on_a_line(nodes, size, 1e-16);
        const auto   matrix = this->matrix(A, size);
        const Values x = random_values(n, 1), b = random_values(n, 2), Ax = product(A, x);
        const auto   u = this->upload(x), rhs = this->upload(b);
        auto         y = this->unset(n);
        this->device.multiply(Number(-1.5), matrix, u, Number(0), y);
        expect_near(values_of(y), combine(-1.5, Ax, 0, Ax), 3 * this->tolerance, "a A x");
        Scalars s(this->device, 2);
        this->device.residual(matrix, u, rhs, y);
        this->device.norms(y, rhs, s);
        const Values r = combine(1, b, -1, Ax);
        expect_near(values_of(y), r, 3 * this->tolerance, "b - A x");
        EXPECT_NEAR(s.fetch()[0], std::sqrt(dot(r, r)), 10 * this->tolerance * n);
        const Values D = random_values(n * size, 3);
        this->jacobi_step(matrix, this->upload(D), size, 0.75, rhs, u, y);
        expect_near(values_of(y), combine(1, x, 0.75, block_product(D, size, r)), 10 * this->tolerance,
                    "a step of block Jacobi");
      }
}

TYPED_TEST(SmootherFunctors, JacobiStep)
{
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
              this->jacobi_step(this->matrix(A, node_size), this->upload(D), block_size, 0.75, this->upload(b),
                                this->upload(x), y);
              expect_near(values_of(y), combine(1, x, 0.75, Dr), 5 * this->tolerance, "x + beta D (b - A x)");
            }
        }
}

TYPED_TEST(SmootherFunctors, TwoJacobiStepsFromZero)
{
  using Number = typename TestFixture::Number;
  for (const Rows rows : {Rows::equal, Rows::irregular})
    for (const int n : {0, 1, 40, 9001})
      {
        SCOPED_TRACE(n);
        const auto   A = random_matrix(n, n, rows, 1);
        const Values D = random_values(n, 2), b = random_values(n, 3), x = combine(0.75, block_product(D, 1, b), 0, b);
        const Values Dr       = block_product(D, 1, combine(1, b, -1, product(A, x)));
        const auto   diagonal = this->upload(D), rhs = this->upload(b);
        auto         y = this->unset(n);
        this->device.for_each_row(this->matrix(A), FirstJacobiStep<Number>{Number(0.75), diagonal.data(), rhs.data()},
                                  SecondJacobiStep<Number>(Number(0.75), diagonal.data(), rhs.data(), y.data()));
        expect_near(values_of(y), combine(1, x, 0.75, Dr), 5 * this->tolerance, "x + beta D (b - A x), x = beta D b");
      }
}

TYPED_TEST(SmootherFunctors, JacobiStepFromZeroThatIsNotStored)
{
  using Number = typename TestFixture::Number;
  for (const Rows rows : {Rows::equal, Rows::irregular})
    for (const int n : {1, 40, 9001})
      {
        SCOPED_TRACE(n);
        const auto   A = random_matrix(n, n, rows, 1), P = random_matrix(n, n / 2 + 1, rows, 2);
        const Values D = random_values(n, 3), b = random_values(n, 4), e = random_values(P.n_cols, 5),
                     x      = combine(0.75, block_product(D, 1, b), 0, b);
        const auto diagonal = this->upload(D), rhs = this->upload(b), correction = this->upload(e);
        auto       y = this->unset(n);
        this->device.for_each_row(this->matrix(A), FirstJacobiStep<Number>{Number(0.75), diagonal.data(), rhs.data()},
                                  Residual<Number>(rhs.data(), y.data()));
        expect_near(values_of(y), combine(1, b, -1, product(A, x)), 5 * this->tolerance, "b - A x, x = beta D b");
        this->device.for_each_row(this->matrix(P), correction,
                                  FirstJacobiStepPlus<Number>(Number(0.75), diagonal.data(), rhs.data(), y.data()));
        expect_near(values_of(y), combine(1, x, 1, product(P, e)), 5 * this->tolerance, "beta D b + P e");
      }
}

TYPED_TEST(SmootherFunctors, ChebyshevStep)
{
  for (const Rows rows : {Rows::equal, Rows::irregular})
    for (const int block_size : {1, 2, 3, 6})
      for (const int nodes : {0, 1, 11, 37, 1501})
        {
          SCOPED_TRACE(std::to_string(nodes) + " nodes of " + std::to_string(block_size));
          const int    n      = nodes * block_size;
          const auto   A      = random_matrix(n, n, rows, 1);
          const auto   matrix = this->matrix(A);
          const Values D = random_values(n * block_size, 2), x = random_values(n, 3), b = random_values(n, 4);
          const Values old = random_values(n, 5), Dr = block_product(D, block_size, combine(1, b, -1, product(A, x)));
          const Values step     = combine(0.25, old, 0.75, Dr);
          const auto   diagonal = this->upload(D), rhs = this->upload(b), from = this->upload(x),
                     before      = this->upload(old);
          const double tolerance = 5 * this->tolerance;

          auto d = this->unset(n), y = this->unset(n);
          this->chebyshev_step(matrix, diagonal, block_size, 0.25, 0.75, rhs, from, before, d, y);
          expect_near(values_of(d), step, tolerance, "d");
          expect_near(values_of(y), combine(1, x, 1, step), tolerance, "x + d");

          d = this->upload(old);
          y = this->unset(n);
          this->chebyshev_step(matrix, diagonal, block_size, 0.25, 0.75, rhs, from, d, d, y);
          expect_near(values_of(d), step, tolerance, "d in place");
          expect_near(values_of(y), combine(1, x, 1, step), tolerance, "x + d, d in place");

          d = this->unset(n);
          y = this->unset(n);
          this->chebyshev_step(matrix, diagonal, block_size, 0.25, 0.75, rhs, from, from, d, y);
          const Values after_first = combine(0.25, x, 0.75, Dr);
          expect_near(values_of(d), after_first, tolerance, "d with d_old = x");
          expect_near(values_of(y), combine(1, x, 1, after_first), tolerance, "x + d with d_old = x");

          d = this->unset(n);
          y = this->unset(n);
          this->chebyshev_step(matrix, diagonal, block_size, 0, 0.75, rhs, from, d, d, y);
          expect_near(values_of(d), combine(0.75, Dr, 0, Dr), tolerance, "alpha = 0 with NaN in d_old");
          expect_near(values_of(y), combine(1, x, 0.75, Dr), tolerance, "x + d, alpha = 0");
        }
}

TYPED_TEST(SmootherFunctors, Update)
{
  using Number = typename TestFixture::Number;
  for (const Rows rows : {Rows::equal, Rows::irregular})
    for (const int n : {0, 1, 40, 9001})
      {
        SCOPED_TRACE(n);
        const auto   A      = random_matrix(n, n, rows, 1);
        const auto   matrix = this->matrix(A);
        const Values r = random_values(n, 2), x = random_values(n, 3), old = random_values(n, 4), Ar = product(A, r);
        const Values step = combine(0.25, old, 0.75, Ar);
        const auto   from = this->upload(r), before = this->upload(old);
        const auto   update = [&](double alpha, const auto &d_old, auto &d, auto &y) {
          this->device.for_each_row(
              matrix, from, adamant::Update<Number>(Number(alpha), Number(0.75), d_old.data(), d.data(), y.data()));
        };

        auto d = this->unset(n), y = this->upload(x);
        update(0.25, before, d, y);
        expect_near(values_of(d), step, this->tolerance, "d");
        expect_near(values_of(y), combine(1, x, 1, step), this->tolerance, "x + d");

        d = this->upload(old);
        y = this->upload(x);
        update(0.25, d, d, y);
        expect_near(values_of(d), step, this->tolerance, "d in place");

        // After one step from a zero guess the direction is x itself.
        d = this->unset(n);
        y = this->upload(x);
        update(0.25, y, d, y);
        expect_near(values_of(d), combine(0.25, x, 0.75, Ar), this->tolerance, "d with d_old = x");
        expect_near(values_of(y), combine(1.25, x, 0.75, Ar), this->tolerance, "x + d with d_old = x");

        d = this->unset(n);
        y = this->upload(x);
        update(0, d, d, y);
        expect_near(values_of(d), combine(0.75, Ar, 0, Ar), this->tolerance, "alpha = 0 with NaN in d_old");
        expect_near(values_of(y), combine(1, x, 0.75, Ar), this->tolerance, "x + d, alpha = 0");
      }
}
