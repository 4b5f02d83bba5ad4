#include "multigrid/smoothers/setup.h"

#include "multigrid/chebyshev.h"
#include "support/dense.h"
#include "support/errors.h"
#include "support/q1_grid.h"

using namespace adamant;
using namespace adamant::test;

TEST(InverseDiagonalBlocks, TimesBlockIsIdentity)
{
  for (const int bs : {1, 2, 3, 6})
    {
      const int  nodes  = 5;
      const auto A      = spd_matrix(bs * nodes);
      const auto blocks = inverse_diagonal_blocks(to_csr(A), bs);
      ASSERT_EQ(blocks.size(), static_cast<std::size_t>(bs * bs * nodes));
      for (int node = 0; node < nodes; ++node)
        {
          Dense block(bs, Values(bs)), inverse(bs, Values(bs));
          for (int i = 0; i < bs; ++i)
            for (int j = 0; j < bs; ++j)
              {
                block[i][j]   = A[node * bs + i][node * bs + j];
                inverse[i][j] = blocks[(i * bs + j) * nodes + node];
              }
          expect_identity(multiply(block, inverse), 1e-11,
                          "node " + std::to_string(node) + " of " + std::to_string(bs));
        }
    }
}

TEST(InverseDiagonalBlocks, PivotsWithinABlock)
{
  const auto blocks = inverse_diagonal_blocks(to_csr({{0, 2}, {4, 0}}), 2);
  EXPECT_EQ(blocks, (Array<double>{0, 0.25, 0.5, 0}));
}

TEST(InverseDiagonalBlocks, NamesTheFirstSingularRow)
{
  expect_error<RunError>(
    [] {
      inverse_diagonal_blocks(to_csr({{1, 0, 0}, {0, 0, 5}, {1, 0, 0}}), 1);
    },
    {"row 1", "singular"});
  expect_error<RunError>(
    [] {
      inverse_diagonal_blocks(to_csr({{1, 2, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 1}, {0, 0, 1, 1}}), 2);
    },
    {"row 2", "singular"});
  expect_error<RunError>([] { inverse_diagonal_blocks(to_csr({{nan_value}}), 1); }, {"row 0", "NaN"});
}

TEST(FSAI, IsExactForADiagonalMatrix)
{
  const auto G = to_dense(fsai_factor(to_csr({{4, 0, 0}, {0, 9, 0}, {0, 0, 0.25}})));
  EXPECT_EQ(G, (Dense{{0.5, 0, 0}, {0, 1. / 3, 0}, {0, 0, 2}}));
}

TEST(FSAI, IsExactForADenseMatrix)
{
  const auto A = spd_matrix(20);
  const auto G = fsai_factor(to_csr(A));
  expect_identity(multiply(multiply(to_dense(G), A), to_dense(transpose(G))), 1e-9, "G A Gᵀ");
}

TEST(FSAI, KeepsTheLowerPatternAndAUnitDiagonalOfTheProduct)
{
  const auto A = q1_matrix({2, 8}, {0.1, 1, {}});
  const auto G = fsai_factor(A);
  ASSERT_EQ(G.n_rows, A.n_rows);
  for (int i = 0; i < A.n_rows; ++i)
    {
      std::vector<int> lower, found(G.column.begin() + G.row_start[i], G.column.begin() + G.row_start[i + 1]);
      for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
        if (A.column[k] <= i)
          lower.push_back(A.column[k]);
      EXPECT_EQ(found, lower) << "pattern of row " << i;
    }
  const auto GAGt = multiply(multiply(to_dense(G), to_dense(A)), to_dense(transpose(G)));
  for (int i = 0; i < A.n_rows; ++i)
    EXPECT_NEAR(GAGt[i][i], 1., 1e-12) << "expected the scaling of Kolotilina and Yeremin in row " << i;
}

TEST(FSAI, NonsymmetricMatrixCountsByItsSymmetricPart)
{
  const auto G = fsai_factor(to_csr({{2, 1}, {0, 2}})), H = fsai_factor(to_csr({{2, 0.5}, {0.5, 2}}));
  // The pattern of the first lacks the entry (1,0).
  EXPECT_EQ(entry(G, 0, 0), entry(H, 0, 0));
  const auto K = fsai_factor(to_csr({{2, 0.75}, {0.25, 2}}));
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      EXPECT_NEAR(entry(K, i, j), entry(H, i, j), 1e-15) << i << ", " << j;
}

TEST(FSAI, RefusesIndefiniteMatrices)
{
  expect_error<RunError>([] { fsai_factor(to_csr({{1, 0}, {0, -1}})); }, {"row 1", "not positive definite", "Jacobi"});
  expect_error<RunError>([] { fsai_factor(to_csr({{1, 2}, {2, 1}})); }, {"row 1"});
  expect_error<RunError>([] { fsai_factor(to_csr({{1, 0}, {1, 0}})); }, {"row 1"}); // no diagonal entry
  expect_error<RunError>([] { fsai_factor(to_csr({{1, 1}, {1, nan_value}})); }, {"row 1"});
}

// The iteration on the scalar equation 0 = b - a x multiplies the error by the residual polynomial at a,
// T_n((theta - a)/delta) / T_n(theta/delta).
TEST(Chebyshev, CoefficientsGiveTheScaledPolynomial)
{
  const double lower = 0.5, upper = 3, theta = 0.5 * (upper + lower), delta = 0.5 * (upper - lower);
  const auto   T = [](int n, double x) {
    return std::abs(x) <= 1 ? std::cos(n * std::acos(x)) :
                                std::copysign(n % 2 == 0 || x > 0 ? 1. : -1., 1.) *
                                std::cosh(n * std::acosh(std::abs(x))) * (x < 0 && n % 2 == 1 ? -1. : 1.);
  };
  for (const int n : {1, 2, 3, 5, 8})
    {
      const auto c = chebyshev_coefficients<double>(n, lower, upper);
      const auto f = chebyshev_coefficients<float>(n, lower, upper);
      ASSERT_EQ(c.size(), static_cast<std::size_t>(n));
      EXPECT_EQ(c[0].first, 0.) << "expected the first step not to use an old direction";
      for (const double a : {0.01, 0.5, 0.9, 1.75, 2.2, 3., 3.5})
        {
          double error = 1, d = nan_value;
          for (const auto &[alpha, beta] : c)
            {
              d = (alpha == 0 ? 0. : alpha * d) - beta * a * error;
              error += d;
            }
          EXPECT_NEAR(error, T(n, (theta - a) / delta) / T(n, theta / delta), 1e-13) << "degree " << n << " at " << a;
        }
      for (int k = 0; k < n; ++k)
        {
          EXPECT_FLOAT_EQ(f[k].first, static_cast<float>(c[k].first));
          EXPECT_FLOAT_EQ(f[k].second, static_cast<float>(c[k].second));
        }
    }
}

TEST(StartVector, IsTheSameEverywhereAndOfBothSigns)
{
  const auto x = start_vector(1000), y = start_vector(10);
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(x[i], y[i]) << "expected the same beginning for every length";
  const auto [least, largest] = std::minmax_element(x.begin(), x.end());
  EXPECT_GT(*least, -1);
  EXPECT_LT(*least, -0.9);
  EXPECT_LT(*largest, 1);
  EXPECT_GT(*largest, 0.9);
  EXPECT_DOUBLE_EQ(x[0], 2. * (1791095845u + 0.5) / 4294967296. - 1.) << "expected the first number of mt19937(1)";
}
