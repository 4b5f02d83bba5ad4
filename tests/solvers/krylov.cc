// How the iterations end: converged, or with a message that says what, where and why.

#include "support/krylov.h"

#include "multigrid/smoothers/functors.h"
#include "solvers/bicgstab.h"
#include "solvers/cg.h"
#include "solvers/gmres.h"
#include "solvers/richardson.h"
#include "support/errors.h"

#include <cmath>
#include <functional>
#include <memory>

using namespace adamant;
using namespace adamant::test;

namespace
{
// -(a u')' in one dimension, a from 1 to `contrast` by chance.
CSRMatrix<double> diffusion_with_contrast(int n, double contrast)
{
  const Values        numbers = random_values(n + 1, 5);
  std::vector<Values> rows(n, Values(n, 0.));
  const auto          a = [&](int i) { return std::pow(contrast, 0.5 + 0.5 * numbers[i]); };
  for (int i = 0; i < n; ++i)
    {
      rows[i][i] = a(i) + a(i + 1);
      if (i > 0)
        rows[i][i - 1] = rows[i - 1][i] = -a(i);
    }
  return to_csr(rows);
}

// One of two operators, which a test may change for the other.
class Changing : public LinearOperator
{
public:
  explicit Changing(const LinearOperator &A)
    : A(&A)
  {}
  int  n_rows() const override { return A->n_rows(); }
  int  n_cols() const override { return A->n_cols(); }
  void multiply(double a, const Vector<double> &x, double b, Vector<double> &y) const override
  {
    A->multiply(a, x, b, y);
  }

  const LinearOperator *A;
};

// Whose solves end with an error that is none of the iteration where `fails` says so.
class LosesItsDevice : public KrylovMethod
{
public:
  using KrylovMethod::KrylovMethod;
  PendingResult start(const Vector<double> &, Vector<double> &, const SolverControl &, bool) override
  {
    next_place();
    return when_done([fails = fails]() -> SolverResult { return fails ? throw RunError("lost") : SolverResult(); });
  }
  bool fails = true;
};

class Krylov : public DeviceTest
{
protected:
  Outcome solve(KrylovMethod &method, const Values &b, const Values &guess, const SolverControl &control = {}) const
  {
    return test::solve(device, method, b, guess, control);
  }
  MatrixOperator matrix(const CSRMatrix<double> &A) const { return matrix_operator(device, A); }

  // Runs action(name, method) for the four iterations on A.
  void for_each_method(const LinearOperator &A, const Preconditioner &M,
                       const std::function<void(const char *, KrylovMethod &)> &action) const
  {
    GMRES      gmres(device, A, M);
    CG         cg(device, A, M);
    BiCGStab   bicgstab(device, A, M);
    Richardson richardson(device, A, M);
    action("GMRES", gmres);
    action("CG", cg);
    action("BiCGStab", bicgstab);
    action("Multigrid", richardson);
  }

  static void expect_failure(const std::function<void()> &action, const std::vector<std::string> &parts)
  {
    expect_error<SolverError>(action, parts);
  }

  const FunctionPreconditioner identity = test::identity(device);

  // z = D⁻¹ v, D the diagonal of A.
  FunctionPreconditioner jacobi(const CSRMatrix<double> &A) const
  {
    Values inverse(A.n_rows);
    for (int i = 0; i < A.n_rows; ++i)
      inverse[i] = 1. / entry(A, i, i);
    const auto factors = std::make_shared<Vector<double>>(to_device(device, inverse));
    return FunctionPreconditioner(
      [this, factors](const auto &v, auto &z) {
        device.for_each(z.size(), ScaleByDiagonal<double>{1., factors->data(), v.data(), z.data()});
      },
      true);
  }

  // The two-dimensional Laplacian with its V-cycle.
  const Levels levels = q1_levels(2, 4, 4);
  System       laplace(const MultigridOptions &options = {}) const { return {device, levels, options}; }
};
INSTANTIATE_TEST_SUITE_P(Devices, Krylov, all_places, place_name);
} // namespace

TEST_P(Krylov, ConvergesToTheTrueResidual)
{
  const auto   p = laplace();
  const auto  &A = levels.finest();
  const Values b = random_values(A.n_rows, 1), guess = random_values(A.n_rows, 2);
  for_each_method(p.A, p.M, [&](const char *name, KrylovMethod &solver) {
    for (const Values &start : {Values(b.size(), 0.), guess})
      {
        const auto [result, x] = solve(solver, b, start);
        EXPECT_LE(relative_residual(A, x, b), 1.01e-8) << name;
        EXPECT_NEAR(result.final_residual, relative_residual(A, x, b), 1e-11) << name;
        EXPECT_NEAR(result.initial_residual, relative_residual(A, start, b), 1e-10 * result.initial_residual) << name;
        EXPECT_LE(result.iterations, std::string(name) == "Multigrid" ? 14 : 10) << name;
        EXPECT_GE(result.iterations, 3) << name;
      }
  });
}

// A guess is taken where its residual is at most 1e4 times that of zero: digits of a much larger one would be lost.
TEST_P(Krylov, AGuessMayBeGoodOrBad)
{
  const auto   p = laplace();
  const auto  &A = levels.finest();
  const Values b = random_values(A.n_rows, 1), zero(b.size(), 0.), u = dense_solve(to_dense(A), b);
  for_each_method(p.A, p.M, [&](const char *name, KrylovMethod &solver) {
    const auto from_zero = solve(solver, b, zero, control(1e-10, 100));
    for (const double error : {0.5, 1.5, 1e3, 1e5, 1e9, 1e30})
      {
        const Values guess     = combine(1. - error, u, 0, zero);
        const auto [result, x] = solve(solver, b, guess, control(1e-10, 100));
        EXPECT_NEAR(result.initial_residual, error > 1e4 ? 1. : error, 1e-10 * error) << name;
        EXPECT_LE(relative_residual(A, x, b), 1.01e-10) << name << ", guess " << 1. - error;
        if (error > 1e4)
          {
            EXPECT_EQ(x, from_zero.x) << name << ", guess " << 1. - error;
          }
      }
  });
}

TEST_P(Krylov, ExactGuessTakesNoIteration)
{
  const auto   p = laplace();
  const Values u = random_values(levels.n_rows(), 1), b = product(levels.finest(), u);
  for_each_method(p.A, p.M, [&](const char *name, KrylovMethod &solver) {
    const auto [result, x] = solve(solver, b, u);
    EXPECT_EQ(result.iterations, 0) << name;
    expect_near(x, u, 0., std::string(name) + ": x, expected untouched");
  });
}

TEST_P(Krylov, ZeroRightHandSideGivesZero)
{
  const auto   p     = laplace();
  const Values guess = random_values(levels.n_rows(), 1), zero(guess.size(), 0.);
  for_each_method(p.A, p.M, [&](const char *name, KrylovMethod &solver) {
    const auto [result, x] = solve(solver, zero, guess);
    EXPECT_EQ(result.iterations, 0) << name;
    EXPECT_EQ(result.final_residual, 0.) << name;
    expect_near(x, zero, 0., std::string(name) + ": x");
  });
}

TEST_P(Krylov, EmptySystem)
{
  const auto A = matrix(random_matrix(0, 0, Rows::equal, 1));
  for_each_method(A, identity, [&](const char *name, KrylovMethod &solver) {
    EXPECT_EQ(solve(solver, {}, {}).result.iterations, 0) << name;
  });
}

TEST_P(Krylov, NaNInTheRightHandSideOrTheGuess)
{
  const auto p = laplace();
  Values     b = random_values(levels.n_rows(), 1), x = b;
  b[b.size() / 2] = nan_value;
  for_each_method(p.A, p.M, [&](const char *name, KrylovMethod &solver) {
    expect_failure([&] { solve(solver, b, x, control(1e-8, 20, "pressure")); },
                   {"NaN", name, "pressure", "iteration 0", "right-hand side"});
    expect_failure([&] { solve(solver, x, b); }, {"NaN", name});
  });
}

TEST_P(Krylov, NaNInTheMatrix)
{
  const auto p                = laplace();
  auto       A                = levels.finest();
  A.value[A.value.size() / 2] = nan_value;
  const auto   poisoned       = matrix(A);
  const Values b              = random_values(levels.n_rows(), 1);
  for_each_method(poisoned, p.M, [&](const char *name, KrylovMethod &solver) {
    expect_failure([&] { solve(solver, b, Values(b.size(), 0.)); }, {"NaN", name, "matrix", "coefficient"});
  });
}

TEST_P(Krylov, AFailedSolveLeavesNothingBehind)
{
  const auto   p    = laplace();
  const Values good = random_values(levels.n_rows(), 1), zero(good.size(), 0.);
  Values       bad  = good;
  bad[100]          = nan_value;
  // The iterations may be recorded once: what changes between solves has to be data of the device.
  const Values                 ones(good.size(), 1.), poison(good.size(), nan_value);
  auto                         factor = to_device(device, ones), unscaled = to_device(device, zero);
  const FunctionPreconditioner M([&](const auto &v, auto &z) {
    p.M.vmult(v, unscaled);
    device.for_each(z.size(), ScaleByDiagonal<double>{1., factor.data(), unscaled.data(), z.data()});
  });
  for_each_method(p.A, M, [&](const char *name, KrylovMethod &solver) {
    const auto before = solve(solver, good, zero);
    expect_failure([&] { solve(solver, bad, zero); }, {"NaN"});
    factor.upload(poison.data()); // NaN that arises within the iteration reaches all its vectors
    expect_failure([&] { solve(solver, good, zero); }, {name});
    factor.upload(ones.data());
    const auto after = solve(solver, good, zero);
    EXPECT_EQ(after.result.iterations, before.result.iterations) << name;
    expect_near(after.x, before.x, 0., name);
  });
}

TEST_P(Krylov, MaximalNumberOfIterations)
{
  const auto   p = laplace();
  const Values b = random_values(levels.n_rows(), 1), zero(b.size(), 0.);
  for_each_method(p.A, p.M, [&](const char *name, KrylovMethod &solver) {
    expect_failure([&] { solve(solver, b, zero, control(1e-8, 2, "velocity")); },
                   {"not converged", "1e-08", name, "velocity", "iteration 2", "more iterations"});
    expect_failure([&] { solve(solver, b, zero, control(1e-8, 0)); }, {"not converged", "iteration 0"});
  });
}

TEST_P(Krylov, AResidualMayBeAcceptedAtTheLimit)
{
  const auto   p = laplace();
  const Values b = random_values(levels.n_rows(), 1), zero(b.size(), 0.);
  GMRES        gmres(device, p.A, p.M);
  BiCGStab     bicgstab(device, p.A, p.M);
  for (KrylovMethod *method : {static_cast<KrylovMethod *>(&gmres), static_cast<KrylovMethod *>(&bicgstab)})
    {
      SolverControl few{1e-12, 2, "Newton step", 0.1};
      const auto [result, x] = solve(*method, b, zero, few);
      EXPECT_EQ(result.iterations, 2);
      EXPECT_NEAR(result.final_residual, relative_residual(levels.finest(), x, b), 1e-11);
      EXPECT_GT(result.final_residual, 1e-12);
      few.accepted = 1e-10;
      expect_failure([&] { solve(*method, b, zero, few); }, {"not converged to 1e-12", "iteration 2", "Newton step"});
    }
}

// More iterations than GMRES has memory for at first, in one solve and in the next.
TEST_P(Krylov, GMRESGrows)
{
  const auto  &A  = levels.finest();
  const auto   on = matrix(A);
  const Values b = random_values(A.n_rows, 1), zero(b.size(), 0.), expected = dense_solve(to_dense(A), b);
  GMRES        gmres(device, on, identity, 300);
  const auto   first = solve(gmres, b, zero, control(1e-11, 300)), second = solve(gmres, b, zero, control(1e-11, 300));
  EXPECT_GT(first.result.iterations, 20);
  EXPECT_EQ(first.result.iterations, second.result.iterations);
  expect_near(first.x, expected, 1e-9 * norm(expected), "x");
  expect_near(second.x, first.x, 0., "the second time");
}

TEST_P(Krylov, TheMessageTellsASmallResidual)
{
  const auto   p = laplace();
  const Values b = random_values(levels.n_rows(), 1);
  GMRES        gmres(device, p.A, p.M);
  try
    {
      solve(gmres, b, Values(b.size(), 0.), control(1e-14, 8));
      FAIL() << "expected SolverError";
    }
  catch (const SolverError &error)
    {
      EXPECT_NE(std::string(error.what()).find("e-"), std::string::npos)
        << "expected a residual with its exponent, not 0.000000, in: " << error.what();
    }
}

TEST_P(Krylov, ToleranceBelowRoundingStagnates)
{
  const auto   p = laplace();
  const Values b = random_values(levels.n_rows(), 1), zero(b.size(), 0.);
  GMRES        gmres(device, p.A, p.M, 5);
  Richardson   richardson(device, p.A, p.M);
  const auto   impossible = control(1e-30, 500, "system");
  expect_failure([&] { solve(gmres, b, zero, impossible); }, {"GMRES", "stagnation", "system", "rounding"});
  expect_failure([&] { solve(richardson, b, zero, impossible); }, {"Multigrid", "stagnation", "system"});
}

// The recursion of conjugate gradients goes on to fall where ‖b - A x‖ cannot.
TEST_P(Krylov, CGSaysWhatRoundingDoesNotAllow)
{
  const auto   A  = three_stiff_blocks();
  const auto   on = matrix(A);
  const Values b  = random_values(A.n_rows, 1), zero(b.size(), 0.);
  CG           cg(device, on, identity);
  expect_failure([&] { solve(cg, b, zero, control(1e-8, 500, "stiff system")); },
                 {"CG", "stiff system", "stagnation", "rounding"});
  EXPECT_LE(relative_residual(A, solve(cg, b, zero, control(1e-3, 500)).x, b), 1.01e-3);
  const auto   laplace = diffusion_with_contrast(100, 1e6);
  const auto   on_too  = matrix(laplace);
  const auto   M       = jacobi(laplace);
  const Values c       = random_values(100, 2), nothing(100, 0.);
  CG           with_jacobi(device, on_too, M);
  expect_failure([&] { solve(with_jacobi, c, nothing, control(1e-13, 5000)); }, {"CG", "stagnation", "rounding"});
}

// What rounding does to A x counts from the guess on, also where the steps from there are small.
TEST_P(Krylov, CGSaysWhatRoundingDoesNotAllowFromAGoodGuess)
{
  const auto   A  = three_stiff_blocks();
  const auto   on = matrix(A);
  const Values b = random_values(A.n_rows, 1), guess = dense_solve(to_dense(A), b);
  CG           cg(device, on, identity);
  ASSERT_GT(relative_residual(A, guess, b), 1e-8) << "expected rounding to be larger, else this test tests nothing";
  try
    {
      EXPECT_LE(relative_residual(A, solve(cg, b, guess, control(1e-8, 500)).x, b), 1.01e-8);
    }
  catch (const SolverError &error)
    {
      EXPECT_NE(std::string(error.what()).find("stagnation"), std::string::npos) << error.what();
    }
}

TEST_P(Krylov, CGMeasuresAMatrixThatHasChanged)
{
  const auto   A     = three_stiff_blocks();
  const auto   stiff = matrix(A), soft = matrix(diffusion_with_contrast(A.n_rows, 1.));
  const Values b = random_values(A.n_rows, 1), zero(b.size(), 0.);
  Changing     changing(soft);
  CG           cg(device, changing, identity);
  EXPECT_GT(solve(cg, b, zero).result.iterations, 0);
  changing.A = &stiff;
  cg.update();
  expect_failure([&] { solve(cg, b, zero, control(1e-8, 500)); }, {"CG", "stagnation", "rounding"});
}

// Where rounding parts the recursion's residual from the true one, that is computed, and the iteration goes on from
// there, with a residual that it tells.
TEST_P(Krylov, CGGoesOnFromTheTrueResidual)
{
  const auto   A  = diffusion_with_contrast(100, 1e3);
  const auto   on = matrix(A);
  const Values b  = random_values(A.n_rows, 1), zero(b.size(), 0.);
  CG           cg(device, on, identity);
  const auto   strict = control(1e-12, 2000);
  // By the device's own sums: others differ by more than a hundredth of the tolerance, as |A| |x| is 4000 times |b|.
  const auto residual = [&](const Vector<double> &x) {
    auto r = to_device(device, b);
    on.multiply(-1., x, 1., r);
    return norm(values_of(r)) / norm(b);
  };
  for (int i = 0; i < 20; ++i) // after some solves a GPU asks less often
    {
      const auto [result, x] = solve(cg, b, zero, strict);
      const double found     = residual(to_device(device, x));
      EXPECT_LE(found, 1.01 * strict.tolerance);
      EXPECT_NEAR(result.final_residual, found, 0.01 * strict.tolerance);
    }
  auto           x = to_device(device, zero);
  Vector<double> y(device, x.size());
  cg.launch(to_device(device, b), x, strict, [&] { device.copy(x, y); }).wait();
  EXPECT_LE(residual(y), 1.01 * strict.tolerance) << "of what follows";
  const auto   p = laplace();
  CG           well_conditioned(device, p.A, p.M);
  const Values c         = random_values(levels.n_rows(), 1), nothing(c.size(), 0.);
  const auto   one_cycle = solve(well_conditioned, c, nothing).result;
  EXPECT_LE(one_cycle.iterations, 10) << "expected nothing more where rounding does not matter";
}

// Residuals of these methods may stay for long before they fall.
TEST_P(Krylov, APlateauIsNoStagnation)
{
  // At the larger contrast rounding decides whether BiCGStab converges; at the smaller one it rests for 120 iterations.
  const auto   A = diffusion_with_contrast(100, 1e5), B = diffusion_with_contrast(100, 300.);
  const auto   on_A = matrix(A), on_B = matrix(B);
  const auto   M_A = jacobi(A), M_B = jacobi(B);
  const Values b = random_values(A.n_rows, 3), zero(b.size(), 0.);
  CG           cg(device, on_A, M_A);
  BiCGStab     bicgstab(device, on_B, M_B);
  const auto   expect_solution = [&](KrylovMethod &method, const CSRMatrix<double> &of) {
    const auto [result, x] = solve(method, b, zero, control(1e-6, 20000));
    EXPECT_LE(relative_residual(of, x, b), 1.01e-6);
    EXPECT_GT(result.iterations, 100) << "expected a plateau, else this test tests nothing";
  };
  expect_solution(cg, A);
  if (!device.traits().many_threads) // a GPU's order of sums may lead it elsewhere
    expect_solution(bicgstab, B);
  expect_failure([&] { solve(cg, b, zero, control(1e-6, 80)); }, {"CG", "not converged to 1e-06", "another smoother"});
  // A shift by one row: the residual goes through all rows before it leaves; and an iteration that is slow, but steady.
  std::vector<Values> rows(12, Values(12, 0.));
  for (int i = 0; i < 12; ++i)
    {
      rows[i][i] = 1;
      if (i > 0)
        rows[i][i - 1] = -1;
    }
  Values first(12, 0.);
  first[0]         = 1;
  const auto shift = matrix(to_csr(rows)), slow = matrix(to_csr({{0.008}}));
  Richardson through(device, shift, identity), steady(device, slow, identity);
  EXPECT_EQ(solve(through, first, Values(12, 0.)).result.iterations, 12);
  EXPECT_NEAR(solve(steady, {1}, {0}, control(1e-3, 2000)).result.iterations, 860, 2);
}

// A cyclic shift: GMRES makes no progress before step n.
TEST_P(Krylov, GMRESReportsStagnationOnACyclicShift)
{
  const int           n = 20;
  std::vector<Values> rows(n, Values(n, 0.));
  for (int i = 0; i < n; ++i)
    rows[i][(i + 1) % n] = 1;
  Values b(n, 0.);
  b[n / 2]     = 1;
  const auto A = matrix(to_csr(rows));
  GMRES      restarted(device, A, identity, 10), full(device, A, identity, n);
  expect_failure([&] { solve(restarted, b, Values(n, 0.)); }, {"GMRES", "stagnation", "iteration 10"});
  EXPECT_EQ(solve(full, b, Values(n, 0.)).result.iterations, n);
}

// A launched solve has few directions where earlier ones took none; but small vectors are cheap.
TEST_P(Krylov, GMRESThatIsLaunchedDoesNotStagnateForWantOfMemory)
{
  const int           n = 20;
  std::vector<Values> rows(n, Values(n, 0.));
  for (int i = 0; i < n; ++i)
    rows[i][(i + 1) % n] = 1;
  const auto on = matrix(to_csr(rows));
  GMRES      gmres(device, on, identity, n);
  const auto known = random_values(n, 1);
  Values     unit(n, 0.);
  unit[n / 2]     = 1;
  const auto easy = to_device(device, product(to_csr(rows), known)), hard = to_device(device, unit);
  for (int i = 0; i < 2; ++i)
    {
      auto x = to_device(device, known);
      EXPECT_EQ(gmres.launch(easy, x, SolverControl()).wait().iterations, 0);
    }
  auto x = to_device(device, Values(n, 0.));
  EXPECT_EQ(gmres.launch(hard, x, SolverControl()).wait().iterations, n);
}

// Of the first n of all entries.
CSRMatrix<double> cyclic_shift(int n, int n_all)
{
  CSRMatrix<double> A;
  A.n_rows = A.n_cols = n_all;
  for (int i = 0; i <= n_all; ++i)
    A.row_start.push_back(i);
  A.value.assign(n_all, 1.);
  for (int i = 0; i < n_all; ++i)
    A.column.push_back(i < n ? (i + 1) % n : i);
  return A;
}

// Long vectors have room for ten.
TEST_P(Krylov, GMRESThatIsLaunchedHasTenDirectionsInAnyCase)
{
  const int  n = 10, n_all = 20000;
  const auto A  = cyclic_shift(n, n_all);
  const auto on = matrix(A);
  GMRES      gmres(device, on, identity);
  const auto known = random_values(n_all, 1), zero = Values(n_all, 0.);
  Values     unit = zero;
  unit[n / 2]     = 1;
  const auto easy = to_device(device, product(A, known)), hard = to_device(device, unit);
  for (int i = 0; i < 2; ++i)
    {
      auto x = to_device(device, known);
      EXPECT_EQ(gmres.launch(easy, x, SolverControl()).wait().iterations, 0);
    }
  auto x = to_device(device, zero);
  EXPECT_EQ(gmres.launch(hard, x, control(1e-8, n)).wait().iterations, n);
}

// A cycle that ended because memory was full says nothing of stagnation, even where it gained nothing.
TEST_P(Krylov, GMRESThatIsLaunchedTakesNoLackOfMemoryForStagnation)
{
  const auto on     = matrix(cyclic_shift(20, 20000));
  const auto known  = random_values(20000, 1);
  Values     unit   = Values(known.size(), 0.);
  unit[10]          = 1;
  const auto launch = [&](GMRES &gmres, const Values &b, int most) {
    auto x = to_device(device, Values(b.size(), 0.));
    return gmres.launch(to_device(device, b), x, control(1e-8, most)).wait().iterations;
  };
  GMRES gmres(device, on, identity);
  launch(gmres, product(cyclic_shift(20, 20000), known), 60);
  try
    {
      EXPECT_EQ(launch(gmres, unit, 60), 20);
    }
  catch (const SolverError &error)
    {
      EXPECT_EQ(std::string(error.what()).find("stagnation"), std::string::npos) << error.what();
    }
}

TEST_P(Krylov, GMRESRefusesMoreDimensionsThanThereIsRoomFor)
{
  const auto p = laplace();
  for (const int restart : {0, 1001, 5000})
    expect_error<RunError>([&] { GMRES(device, p.A, p.M, restart); }, {"GMRES", "1000", std::to_string(restart)});
}

// NaN that arises in an iteration is no breakdown.
TEST_P(Krylov, NaNInAnIteration)
{
  const auto                   p      = laplace();
  const Values                 b      = random_values(levels.n_rows(), 1), zero(b.size(), 0.);
  const auto                   poison = to_device(device, Values(b.size(), nan_value));
  int                          calls  = 0;
  const FunctionPreconditioner M([&](const auto &v, auto &z) {
    if (++calls == 2)
      device.copy(poison, z);
    else
      p.M.vmult(v, z);
  });
  for_each_method(p.A, M, [&](const char *name, KrylovMethod &solver) {
    calls = 0;
    expect_failure([&] { solve(solver, b, zero); }, {name, "NaN", "smoother", "Precision"});
  });
}

TEST_P(Krylov, GMRESEndsWellAtAHappyBreakdown)
{
  const auto A = matrix(to_csr({{2, 0, 0}, {0, 2, 0}, {0, 0, 5}}));
  GMRES      gmres(device, A, identity);
  const auto one = solve(gmres, {2, 4, 0}, {0, 0, 0}); // an eigenvector
  EXPECT_EQ(one.result.iterations, 1);
  expect_near(one.x, {1, 2, 0}, 1e-14, "x");
  const auto two = solve(gmres, {2, 4, 5}, {0, 0, 0}); // two eigenvalues
  EXPECT_EQ(two.result.iterations, 2);
  expect_near(two.x, {1, 2, 1}, 1e-14, "x");
}

TEST_P(Krylov, GMRESReportsASingularMatrix)
{
  for (const auto &rows : {std::vector<Values>{{1, 0}, {0, 0}}, {{0, 1}, {0, 0}}, {{1, 1}, {1, 1}}})
    {
      const auto A = matrix(to_csr(rows));
      GMRES      gmres(device, A, identity);
      for (const Values &b : {Values{0, 1}, Values{1, -1}, Values{3, 1}})
        if (norm(combine(1, b, -1, Values{b[0], rows[1][0] == 0 ? 0 : b[0]})) > 0) // not in the range
          expect_failure(
            [&] {
              solve(gmres, b, {0, 0}, control(1e-8, 50, "singular system"));
            },
            {"GMRES", "singular", "iteration"});
    }
  // The Neumann problem with a right-hand side that is not orthogonal to the constant.
  const auto laplace = q1_matrix({2, 8}, {}, false);
  const auto A       = matrix(laplace);
  GMRES      gmres(device, A, identity, 100);
  expect_failure([&] { solve(gmres, Values(81, 1.), Values(81, 0.)); }, {"GMRES"});
  expect_failure([&] { solve(gmres, random_values(81, 1), Values(81, 0.)); }, {"GMRES"});
}

TEST_P(Krylov, GMRESSolvesAConsistentSingularSystem)
{
  const auto   laplace = q1_matrix({2, 8}, {}, false);
  const auto   A       = matrix(laplace);
  const Values b       = product(laplace, random_values(81, 1));
  GMRES        gmres(device, A, identity, 100);
  EXPECT_LE(relative_residual(laplace, solve(gmres, b, Values(81, 0.)).x, b), 1.01e-8);
}

TEST_P(Krylov, GMRESReportsASingularPreconditioner)
{
  const auto                   A = matrix(to_csr({{2, 1}, {0, 3}}));
  const FunctionPreconditioner zero([](const auto &, auto &z) { z.set_zero(); });
  GMRES                        gmres(device, A, zero);
  expect_failure([&] { solve(gmres, {1, 2}, {0, 0}); }, {"GMRES", "breakdown", "preconditioner is singular"});
}

TEST_P(Krylov, CGReportsAnIndefiniteMatrix)
{
  const auto A = matrix(to_csr({{1, 0}, {0, -1}}));
  CG         cg(device, A, identity);
  expect_failure(
    [&] {
      solve(cg, {1, 2}, {0, 0}, control(1e-8, 50, "stiffness"));
    },
    {"CG", "breakdown", "stiffness", "not symmetric positive definite", "GMRES"});
  expect_failure([&] { solve(cg, {0, 2}, {0, 0}); }, {"CG", "breakdown"});
  // A preconditioner in single precision may have lost that.
  const auto          p = laplace();
  std::vector<Values> rows(levels.n_rows(), Values(levels.n_rows(), 0.));
  for (int i = 0; i < levels.n_rows(); ++i)
    rows[i][i] = -1;
  const auto                     minus = matrix(to_csr(rows));
  MultigridPreconditioner<float> in_float(device, levels.data, {});
  CG                             with_float(device, minus, in_float);
  expect_failure([&] { solve(with_float, random_values(levels.n_rows(), 1), Values(levels.n_rows(), 0.)); },
                 {"CG", "breakdown", "single precision", "float64"});
}

TEST_P(Krylov, CGReportsASingularMatrixOrPreconditioner)
{
  const auto A = matrix(to_csr({{1, 0}, {0, 0}})), B = matrix(to_csr({{1}}));
  CG         singular(device, A, identity);
  expect_failure([&] { solve(singular, {0, 1}, {0, 0}); }, {"CG", "breakdown"});
  const FunctionPreconditioner minus([&](const auto &v, auto &z) { device.axpby(-1., v, 0., z); });
  CG                           negative(device, B, minus);
  expect_failure([&] { solve(negative, {1}, {0}); }, {"CG", "breakdown", "preconditioner"});
}

TEST_P(Krylov, DivergingDampingIsReported)
{
  for (const auto &[damping, what] : {std::pair(1.5, "stagnation"), {3., "divergence"}})
    {
      MultigridOptions options;
      options.smoother.damping = damping;
      options.smoother.largest = 0.1; // of a wrong matrix: else the damping would be lowered
      const auto   p           = laplace(options);
      Richardson   richardson(device, p.A, p.M);
      const Values b = random_values(levels.n_rows(), 1);
      expect_failure([&] { solve(richardson, b, Values(b.size(), 0.), control(1e-8, 100, "heat")); },
                     {what, "Multigrid", "heat", "smooth"});
    }
}

TEST_P(Krylov, GMRESWithAShortRestart)
{
  const auto   p = laplace();
  const auto  &A = levels.finest();
  const Values b = random_values(A.n_rows, 1), zero(b.size(), 0.);
  GMRES        full(device, p.A, p.M), restarted(device, p.A, p.M, 3), single(device, p.A, p.M, 1);
  const int    needed = solve(full, b, zero).result.iterations;
  ASSERT_GT(needed, 3) << "expected a restart, else this test tests nothing";
  for (auto *solver : {&restarted, &single})
    {
      const auto [result, x] = solve(*solver, b, zero);
      EXPECT_LE(relative_residual(A, x, b), 1.01e-8);
      EXPECT_GE(result.iterations, needed);
      EXPECT_LE(result.iterations, 2 * needed);
    }
}

TEST_P(Krylov, GMRESIsFlexible)
{
  const auto   p = laplace();
  const auto  &A = levels.finest();
  const Values b = random_values(A.n_rows, 1);
  // V-cycle and nothing at all in turn, of different scale; recorded, it would never change.
  int                          calls = 0;
  const FunctionPreconditioner M([&](const auto &v, auto &z) {
    if (calls++ % 2 == 0)
      p.M.vmult(v, z);
    else
      device.axpby(100., v, 0., z);
  });
  GMRES                        gmres(device, p.A, M);
  const auto [result, x] = solve(gmres, b, Values(b.size(), 0.));
  EXPECT_LE(relative_residual(A, x, b), 1.01e-8);
  EXPECT_LE(result.iterations, 25);
}

TEST_P(Krylov, NonsymmetricSystemsEqualDenseElimination)
{
  const auto   levels = q1_levels(2, 4, 3, {1, 0.02, {0.3, -1, 0}});
  const auto  &A      = levels.finest();
  const Values b = random_values(A.n_rows, 1), expected = dense_solve(to_dense(A), b);
  ASSERT_GT(std::abs(entry(A, 40, 41) - entry(A, 41, 40)), 1e-3) << "expected a nonsymmetric matrix";
  const System p(device, levels);
  for (const Preconditioner *M :
       {static_cast<const Preconditioner *>(&p.M), static_cast<const Preconditioner *>(&identity)})
    {
      GMRES    gmres(device, p.A, *M, 300);
      BiCGStab bicgstab(device, p.A, *M);
      for (KrylovMethod *method : {static_cast<KrylovMethod *>(&gmres), static_cast<KrylovMethod *>(&bicgstab)})
        expect_near(solve(*method, b, Values(b.size(), 0.), control(1e-12, 300)).x, expected, 1e-8 * norm(expected),
                    std::string(method == &gmres ? "GMRES" : "BiCGStab") +
                      (M == &identity ? " without preconditioner" : " with multigrid"));
    }
}

TEST_P(Krylov, SolversCanBeUsedAgain)
{
  const auto  p = laplace();
  const auto &A = levels.finest();
  for_each_method(p.A, p.M, [&](const char *name, KrylovMethod &solver) {
    for (unsigned int seed = 1; seed < 4; ++seed)
      {
        const Values b = random_values(A.n_rows, seed);
        EXPECT_LE(relative_residual(A, solve(solver, b, Values(b.size(), 0.)).x, b), 1.01e-8) << name;
      }
  });
}

// After some solves a GPU launches as many iterations as these took without asking in between. Solves that take fewer
// or more, fail or need none end as solves of a new method do.
TEST_P(Krylov, ManySolvesEndAsTheFirstOnes)
{
  const auto   p = laplace();
  const auto  &A = levels.finest();
  const Values b = random_values(A.n_rows, 1), zero(b.size(), 0.);
  for_each_method(p.A, p.M, [&](const char *name, KrylovMethod &used) {
    SolverControl usual, coarse, fine;
    coarse.tolerance = 1e-2;
    fine.tolerance   = 1e-11;
    for (int i = 0; i < 20; ++i)
      solve(used, b, zero, usual);
    for_each_method(p.A, p.M, [&](const char *other, KrylovMethod &fresh) {
      if (std::string(other) != name)
        return;
      for (const SolverControl &control : {coarse, usual, fine})
        {
          const Outcome expected = solve(fresh, b, zero, control), found = solve(used, b, zero, control);
          EXPECT_EQ(found.result.iterations, expected.result.iterations) << name;
          EXPECT_EQ(found.result.final_residual, expected.result.final_residual) << name;
          expect_near(found.x, expected.x, 0., name);
          expect_near(solve(used, zero, b, control).x, zero, 0., name);
          EXPECT_EQ(solve(used, b, expected.x, control).result.iterations, 0) << name;
        }
      usual.max_iterations = 2;
      expect_failure([&] { solve(used, b, zero, usual); }, {name, "not converged", "iteration 2"});
      expect_failure([&] { solve(used, Values(b.size(), nan_value), zero, usual); }, {name, "NaN"});
      usual.max_iterations = 200;
      for (int i = 0; i < 40; ++i) // fewer
        EXPECT_EQ(solve(used, b, zero, i % 3 == 0 ? usual : coarse).result.iterations,
                  solve(fresh, b, zero, i % 3 == 0 ? usual : coarse).result.iterations)
          << name << ", solve " << i;
    });
  });
}

// Operations that follow a solve take its solution, also where they are launched before it is known to be one. This is
// so with a zero right-hand side, after restarts, and where GMRES needs more vectors.
TEST_P(Krylov, WhatFollowsTakesTheSolution)
{
  const auto   p = laplace();
  const auto  &A = levels.finest();
  const Values b = random_values(A.n_rows, 1), guess = random_values(A.n_rows, 2);
  const auto   expect_followed = [&](const char *name, KrylovMethod &method) {
    for (const Values &rhs : {b, Values(b.size(), 0.), b})
      {
        auto           x = to_device(device, guess);
        Vector<double> y(device, x.size());
        const auto     on_device = to_device(device, rhs);
        method.launch(on_device, x, SolverControl(), [&] { device.copy(x, y); }).wait();
        expect_near(values_of(y), values_of(x), 0., name);
      }
  };
  for_each_method(p.A, p.M, expect_followed);
  GMRES restarted(device, p.A, p.M, 3);
  expect_followed("GMRES with restarts", restarted);
  GMRES growing(device, p.A, identity);
  expect_followed("GMRES that grows", growing);
}

// Solves that are launched while others are under way give the same bits as one by one. To rounding they give the
// results of a method that is not recorded, whose cycles the host runs.
TEST_P(Krylov, LaunchedSolvesEndAsThoseWaitedFor)
{
  const auto                   p = laplace();
  const int                    n = levels.n_rows(), n_solves = 12;
  const FunctionPreconditioner M([&](const auto &v, auto &z) { p.M.vmult(v, z); });
  const auto                   right_hand_side = [&](int i) { return i == 5 ? Values(n, 0.) : random_values(n, i); };
  const auto                   guess           = [&](int i) { return random_values(n, 100 + i); };
  const auto expect_same = [&](const char *name, KrylovMethod &launched, KrylovMethod &waited, KrylovMethod &by_host) {
    std::vector<Vector<double>> b, x;
    std::vector<PendingResult>  results;
    for (int i = 0; i < n_solves; ++i)
      {
        b.push_back(to_device(device, right_hand_side(i)));
        x.push_back(to_device(device, guess(i)));
      }
    for (int i = 0; i < n_solves; ++i)
      {
        results.push_back(launched.launch(b[i], x[i], SolverControl()));
        if (i > 0 && i != 8) // nobody asks for that before its place on the host is taken again
          results[i - 1].wait();
      }
    for (int i = 0; i < n_solves; ++i)
      {
        const Outcome expected  = solve(waited, right_hand_side(i), guess(i)),
                      other     = solve(by_host, right_hand_side(i), guess(i));
        const auto        found = results[i].wait();
        const std::string which = std::string(name) + ", solve " + std::to_string(i);
        EXPECT_EQ(found.iterations, expected.result.iterations) << which;
        EXPECT_EQ(found.initial_residual, expected.result.initial_residual) << which;
        EXPECT_EQ(found.final_residual, expected.result.final_residual) << which;
        expect_near(values_of(x[i]), expected.x, 0., which);
        if (i != 5)
          {
            EXPECT_LE(relative_residual(levels.finest(), values_of(x[i]), right_hand_side(i)), 1.01e-8) << which;
          }
        EXPECT_EQ(found.iterations, other.result.iterations) << which;
        expect_near(values_of(x[i]), other.x, 1e-11 * norm(other.x), which + ", cycles by the host");
      }
  };
  GMRES gmres(device, p.A, p.M), gmres_waited(device, p.A, p.M), gmres_by_host(device, p.A, M);
  expect_same("GMRES", gmres, gmres_waited, gmres_by_host);
  GMRES restarted(device, p.A, p.M, 3), restarted_waited(device, p.A, p.M, 3), restarted_by_host(device, p.A, M, 3);
  expect_same("GMRES with restarts", restarted, restarted_waited, restarted_by_host);
  CG cg(device, p.A, p.M), cg_waited(device, p.A, p.M), cg_by_host(device, p.A, M);
  expect_same("CG", cg, cg_waited, cg_by_host);
  Richardson richardson(device, p.A, p.M), richardson_waited(device, p.A, p.M), richardson_by_host(device, p.A, M);
  expect_same("Multigrid", richardson, richardson_waited, richardson_by_host);
}

TEST_P(Krylov, ALaunchedSolveThatFailsSaysSoWhenItIsAskedFor)
{
  const auto   p    = laplace();
  const auto   good = to_device(device, random_values(levels.n_rows(), 1));
  const Values zero(good.size(), 0.);
  auto         poisoned = values_of(good);
  poisoned[3]           = nan_value;
  const auto bad        = to_device(device, poisoned);
  GMRES      gmres(device, p.A, p.M);
  CG         cg(device, p.A, p.M);
  for (KrylovMethod *method : {static_cast<KrylovMethod *>(&gmres), static_cast<KrylovMethod *>(&cg)})
    {
      auto       x = to_device(device, zero), y = to_device(device, zero);
      const auto name = method == &cg ? "CG" : "GMRES";
      method->launch(good, x, SolverControl()).wait();
      expect_failure(
        [&] {
          const auto failed = method->launch(bad, y, SolverControl()), other = method->launch(good, x, SolverControl());
          other.wait();
          failed.wait();
        },
        {name, "NaN", "iteration 0"});
      x.upload(zero.data());
      EXPECT_LE(method->launch(good, x, SolverControl()).wait().final_residual, 1e-8) << name;
      EXPECT_LE(relative_residual(levels.finest(), values_of(x), values_of(good)), 1.01e-8) << name;
    }
}

// The error of a solve that two others follow is that one's, each time that it is asked for.
TEST_P(Krylov, AnErrorStaysWithItsSolve)
{
  const auto   p = laplace();
  const Values zero(levels.n_rows(), 0.), values = random_values(levels.n_rows(), 1);
  Values       poisoned = values;
  poisoned[3]           = nan_value;
  const auto good = to_device(device, values), bad = to_device(device, poisoned);
  for_each_method(p.A, p.M, [&](const char *name, KrylovMethod &method) {
    auto       x     = to_device(device, zero);
    const auto solve = [&](const Vector<double> &b) {
      x.upload(zero.data());
      return PendingResult::of([&] { return method.launch(b, x, SolverControl()); });
    };
    solve(good).wait();
    for (int repeat = 0; repeat < 2; ++repeat)
      {
        const auto failed = solve(bad), second = solve(good), third = solve(good);
        EXPECT_LE(third.wait().final_residual, 1e-8) << name;
        EXPECT_LE(second.wait().final_residual, 1e-8) << name;
        for (int i = 0; i < 2; ++i)
          expect_failure([&] { failed.wait(); }, {name, "NaN"});
        EXPECT_LE(relative_residual(levels.finest(), values_of(x), values), 1.01e-8) << name;
      }
  });
}

TEST_P(Krylov, AnErrorIsMetOnceByLaterSolves)
{
  const auto     p = laplace();
  Vector<double> b(device, levels.n_rows()), x(device, levels.n_rows());
  LosesItsDevice method(device, p.A, identity);
  const auto     launch = [&] { method.launch(b, x, SolverControl()); };
  launch();
  method.fails = false;
  launch();
  expect_error<RunError>(launch, {"lost"});
  launch();
  EXPECT_NO_THROW(launch());
}

TEST(PendingResult, ThrowsEachTimeThatOneWaits)
{
  int                 calls = 0;
  const PendingResult failed([&]() -> SolverResult {
    ++calls;
    throw SolverError("of the test");
  });
  const PendingResult the_same = failed;
  for (const PendingResult &result : {failed, the_same, failed})
    expect_error<SolverError>([&] { result.wait(); }, {"of the test"});
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(failed.known());
}

// A solve that nobody waits for gets no more memory: its cycle ends where that is full.
TEST_P(Krylov, GMRESThatIsLaunchedEndsItsCycleWhereMemoryIsFull)
{
  const auto   p   = laplace();
  const Values b   = random_values(levels.n_rows(), 1), zero(b.size(), 0.);
  const auto   rhs = to_device(device, b);
  GMRES        gmres(device, p.A, identity, 300);
  for (const double tolerance : {0.5, 0.5, 1e-8})
    {
      auto x = to_device(device, zero);
      EXPECT_LE(gmres.launch(rhs, x, control(tolerance, 2000)).wait().final_residual, tolerance);
      EXPECT_LE(relative_residual(levels.finest(), values_of(x), b), 1.01 * tolerance);
    }
}

// The scale of the equations must not matter.
TEST_P(Krylov, TinyAndHugeRightHandSides)
{
  const auto   p = laplace();
  const auto  &A = levels.finest();
  const Values b = random_values(A.n_rows, 1), zero(b.size(), 0.);
  for_each_method(p.A, p.M, [&](const char *name, KrylovMethod &solver) {
    const int iterations = solve(solver, b, zero).result.iterations;
    for (const double scale : {1e-30, 1e30, 1e-158, 1e-200, 1e200, 1e-301})
      {
        const Values scaled    = combine(scale, b, 0, zero);
        const auto [result, x] = solve(solver, scaled, zero);
        if (scale == 1e-158) // from what came before squares of residuals left the range of numbers
          EXPECT_LE(result.iterations, iterations) << name;
        else
          EXPECT_EQ(result.iterations, iterations) << name << ", right-hand side times " << scale;
        EXPECT_LE(relative_residual(A, combine(1. / scale, x, 0, zero), b), 1.01e-8)
          << name << ", right-hand side times " << scale;
      }
  });
}

// Squares of such a right-hand side are zero, so that a solve sees zero.
TEST_P(Krylov, ATinyRightHandSideIsNotZero)
{
  const auto   p     = laplace();
  const Values b_one = random_values(levels.n_rows(), 1), nothing(b_one.size(), 0.);
  const auto   b     = to_device(device, combine(1e-200, b_one, 0, nothing));
  // What follows takes the solution, where the host attends to the solve.
  for_each_method(p.A, p.M, [&](const char *name, KrylovMethod &method) {
    Vector<double> x(device, b.size()), y(device, b.size());
    const auto     result = method.launch(b, x, SolverControl(), [&] { device.copy(x, y); });
    const auto     error  = [&](const Vector<double> &v) {
      return relative_residual(levels.finest(), combine(1e200, values_of(v), 0, nothing), b_one);
    };
    EXPECT_LE(result.known() ? error(y) : 0., 1.01e-8) << name;
    // A solve that fails leaves its last iterate.
    Vector<double> first(device, b.size());
    expect_failure([&] { method.solve(b, first, control(1e-8, 1)); }, {"1"});
    EXPECT_LT(error(first), 1.) << name;
    EXPECT_NE(values_of(first), nothing) << name;
  });
}
