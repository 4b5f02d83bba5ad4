#include "solvers/bicgstab.h"

#include "solvers/gmres.h"
#include "support/errors.h"
#include "support/krylov.h"

// What all methods share (convergence, NaN, zero right-hand sides, ...) is in krylov.cc.

using namespace adamant;
using namespace adamant::test;

namespace
{
class BiCGStabTest : public DeviceTest
{
protected:
  const FunctionPreconditioner identity = test::identity(device);

  Outcome solve(KrylovMethod &method, const Values &b, const SolverControl &control = {}) const
  {
    return test::solve(device, method, b, Values(b.size(), 0.), control);
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, BiCGStabTest, all_places, place_name);
} // namespace

TEST_P(BiCGStabTest, AgreesWithGMRESOnConvectionDiffusion)
{
  for (const int dim : {2, 3})
    {
      const auto   levels = q1_levels(dim, 4, dim == 2 ? 4 : 2, {1, 0.2, {0.3, -1, 0.5}});
      const System p(device, levels);
      const Values b = random_values(levels.n_rows(), 1);
      BiCGStab     bicgstab(device, p.A, p.M);
      GMRES        gmres(device, p.A, p.M);
      const auto   ours = solve(bicgstab, b, control(1e-12, 50)), reference = solve(gmres, b, control(1e-12, 50));
      expect_near(ours.x, reference.x, 1e-9 * norm(reference.x), std::to_string(dim) + "D");
      EXPECT_LE(ours.result.iterations, reference.result.iterations) << "expected two products an iteration to pay";
      EXPECT_LE(relative_residual(levels.finest(), ours.x, b), 1.1e-12);
    }
}

TEST_P(BiCGStabTest, SolvesDiagonallyDominantSystemsWithoutPreconditioner)
{
  for (const Rows rows : {Rows::equal, Rows::irregular})
    {
      auto dense = to_dense(random_matrix(200, 200, rows, 3));
      for (int i = 0; i < 200; ++i)
        {
          double sum = 0;
          for (const double value : dense[i])
            sum += std::abs(value);
          dense[i][i] += 1.1 * sum + 1;
        }
      const auto   A = matrix_operator(device, to_csr(dense));
      const Values b = random_values(200, 1);
      BiCGStab     bicgstab(device, A, identity);
      const Values expected = dense_solve(dense, b);
      expect_near(solve(bicgstab, b, control(1e-12, 200)).x, expected, 1e-9 * norm(expected), "x");
    }
}

TEST_P(BiCGStabTest, ReportsABreakdown)
{
  // Skew: r̂ . A p = 0 in the first step, whatever the guess.
  const auto skew = matrix_operator(device, to_csr({{0, 1}, {-1, 0}}));
  BiCGStab   bicgstab(device, skew, identity);
  expect_error<SolverError>(
    [&] {
      solve(bicgstab, {1, 0}, control(1e-8, 50, "rotation"));
    },
    {"BiCGStab", "rotation", "breakdown", "iteration", "GMRES"});
  const auto                   A = matrix_operator(device, to_csr({{2, 1}, {0, 3}}));
  const FunctionPreconditioner zero([](const auto &, auto &z) { z.set_zero(); });
  BiCGStab                     without(device, A, zero);
  expect_error<SolverError>([&] { solve(without, {1, 2}); }, {"BiCGStab", "breakdown", "preconditioner is singular"});
}

// Small whole numbers, for which r̂ . A p is exactly zero after one and after two good steps.
TEST_P(BiCGStabTest, GoesOnAfterABreakdown)
{
  const std::vector<std::pair<std::vector<Values>, Values>> systems = {
    {{{2, 1, 0}, {2, 0, 1}, {0, 0, 1}}, {0, 2, 2}},
    {{{2, 2, -1, 1}, {0, 2, 0, 2}, {0, 0, 2, 0}, {2, 0, 0, 0}}, {0, 0, 1, 1}}};
  for (const auto &[rows, b] : systems)
    {
      const auto A = matrix_operator(device, to_csr(rows));
      BiCGStab   bicgstab(device, A, identity);
      const auto [result, x] = solve(bicgstab, b, control(1e-10, 20));
      expect_near(x, dense_solve(rows, b), 1e-8, "x");
      EXPECT_LE(result.iterations, 10);
      EXPECT_GT(result.iterations, static_cast<int>(b.size()))
        << "expected a breakdown on the way, else this test tests nothing";
    }
}

// As a V-cycle in float does with what a nearly exact first half leaves.
TEST_P(BiCGStabTest, TakesAStepWhoseSecondHalfIsLost)
{
  const auto                   A     = matrix_operator(device, to_csr({{2, 0}, {0, 2.000002}}));
  int                          calls = 0;
  const FunctionPreconditioner M([&](const auto &v, auto &z) {
    if (calls++ % 2 == 0)
      device.copy(v, z);
    else
      z.set_zero();
  });
  BiCGStab                     bicgstab(device, A, M);
  const auto [result, x] = solve(bicgstab, {2, 4}, control(1e-6, 10));
  EXPECT_EQ(result.iterations, 1);
  EXPECT_GT(result.final_residual, 0.) << "expected a rest, else this test tests nothing";
  expect_near(x, {1, 2}, 1e-5, "x");
}

TEST_P(BiCGStabTest, EndsWhereOneStepIsExact)
{
  const auto A = matrix_operator(device, to_csr({{2, 0, 0}, {0, 2, 0}, {0, 0, 5}}));
  BiCGStab   bicgstab(device, A, identity);
  const auto one = solve(bicgstab, {2, 4, 0});
  EXPECT_EQ(one.result.iterations, 1);
  expect_near(one.x, {1, 2, 0}, 1e-14, "x");
  const auto two = solve(bicgstab, {2, 4, 5});
  EXPECT_LE(two.result.iterations, 2);
  expect_near(two.x, {1, 2, 1}, 1e-13, "x");
}

// The residual of the recursion goes on to fall where the true one cannot.
TEST_P(BiCGStabTest, EndsAtTheTrueResidual)
{
  const auto   levels = q1_levels(2, 4, 4, {1, 0.01, {0.2, -0.7, 0}});
  const System p(device, levels);
  const Values b = random_values(levels.n_rows(), 1);
  BiCGStab     bicgstab(device, p.A, identity);
  const auto [result, x] = solve(bicgstab, b, control(1e-13, 1000));
  EXPECT_LE(relative_residual(levels.finest(), x, b), 1.01e-13);
  EXPECT_NEAR(result.final_residual, relative_residual(levels.finest(), x, b), 1e-15);
  expect_error<SolverError>([&] { solve(bicgstab, b, control(1e-30, 2000, "system")); },
                            {"BiCGStab", "system", "stagnation", "rounding"});
}
