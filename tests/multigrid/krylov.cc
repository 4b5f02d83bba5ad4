// How the iterations end: converged, or with a message that says what, where and why.

#include "solvers/cg.h"
#include "solvers/gmres.h"
#include "multigrid/v_cycle.h"
#include "solvers/richardson.h"
#include "support/backends.h"
#include "support/q1_grid.h"
#include "support/reference.h"

#include <functional>
#include <memory>

using namespace adamant;
using namespace adamant::test;

namespace
{
template <class Backend>
class Krylov : public BackendTest<Backend>
{
protected:
  using Vector = typename Backend::Vector;
  using Matrix = typename Backend::Matrix;

  Preconditioner<Backend> identity() const
  {
    return [this](const Vector &v, Vector &z) { this->backend->copy(v, z); };
  }

  struct Outcome
  {
    SolverResult result;
    Values       x;
  };

  template <class Solver>
  Outcome solve(Solver &solver, const Values &b, const Values &guess, const SolverControl &control = {}) const
  {
    auto       x      = to_backend(*this->backend, guess);
    const auto result = solver.solve(to_backend(*this->backend, b), x, control);
    return {result, to_host(*this->backend, x)};
  }

  // Runs action(name, solver) for the three iterations on A.
  template <typename Action>
  void for_each_solver(const Matrix &A, const Preconditioner<Backend> &M, const Action &action) const
  {
    GMRES<Backend>      gmres(*this->backend, A, M);
    CG<Backend>         cg(*this->backend, A, M);
    Richardson<Backend> richardson(*this->backend, A, M);
    action("GMRES", gmres);
    action("CG", cg);
    action("Multigrid", richardson);
  }

  static void expect_failure(const std::function<void()> &action, const std::vector<std::string> &parts)
  {
    try
      {
        action();
        ADD_FAILURE() << "expected SolverError with '" << parts[0] << "'";
      }
    catch (const SolverError &error)
      {
        const std::string message = error.what();
        for (const std::string &part : parts)
          EXPECT_NE(message.find(part), std::string::npos) << "expected '" << part << "' in: " << message;
      }
  }

  // The two-dimensional Laplacian with its V-cycle.
  struct Problem
  {
    std::vector<LevelData>              levels;
    Matrix                              A;
    std::unique_ptr<Multigrid<Backend>> mg;
    Preconditioner<Backend>             M;
  };
  Problem laplace(const MultigridOptions &options = {}, int n_levels = 4) const
  {
    Problem p;
    p.levels = q1_levels(2, 4, n_levels);
    p.A      = this->backend->create_matrix(p.levels.back().matrix);
    p.mg     = std::make_unique<Multigrid<Backend>>(*this->backend, p.levels, options);
    p.M      = [this, mg = p.mg.get()](const Vector &v, Vector &z) { this->backend->copy(mg->vmult(v), z); };
    return p;
  }
};
TYPED_TEST_SUITE(Krylov, DoubleBackends);

SolverControl control(double tolerance, int max_iterations, const std::string &name = "linear system")
{
  return {tolerance, max_iterations, name};
}
} // namespace

TYPED_TEST(Krylov, ConvergesToTheTrueResidual)
{
  const auto   p = this->laplace();
  const auto  &A = p.levels.back().matrix;
  const Values b = random_values(A.n_rows, 1), guess = random_values(A.n_rows, 2);
  this->for_each_solver(p.A, p.M, [&](const char *name, auto &solver) {
    for (const Values &start : {Values(b.size(), 0.), guess})
      {
        const auto [result, x] = this->solve(solver, b, start);
        EXPECT_LE(relative_residual(A, x, b), 1.01e-8) << name;
        EXPECT_NEAR(result.final_residual, relative_residual(A, x, b), 1e-11) << name;
        EXPECT_NEAR(result.initial_residual, relative_residual(A, start, b), 1e-10 * result.initial_residual) << name;
        EXPECT_LE(result.iterations, std::string(name) == "Multigrid" ? 14 : 10) << name;
        EXPECT_GE(result.iterations, 3) << name;
      }
  });
}

TYPED_TEST(Krylov, ExactGuessTakesNoIteration)
{
  const auto   p = this->laplace();
  const Values u = random_values(p.A.n_rows, 1), b = product(p.levels.back().matrix, u);
  this->for_each_solver(p.A, p.M, [&](const char *name, auto &solver) {
    const auto [result, x] = this->solve(solver, b, u);
    EXPECT_EQ(result.iterations, 0) << name;
    expect_near(x, u, 0., std::string(name) + ": x, expected untouched");
  });
}

TYPED_TEST(Krylov, ZeroRightHandSideGivesZero)
{
  const auto   p     = this->laplace();
  const Values guess = random_values(p.A.n_rows, 1), zero(guess.size(), 0.);
  this->for_each_solver(p.A, p.M, [&](const char *name, auto &solver) {
    const auto [result, x] = this->solve(solver, zero, guess);
    EXPECT_EQ(result.iterations, 0) << name;
    EXPECT_EQ(result.final_residual, 0.) << name;
    expect_near(x, zero, 0., std::string(name) + ": x");
  });
}

TYPED_TEST(Krylov, EmptySystem)
{
  const auto A = this->backend->create_matrix(random_matrix(0, 0, Rows::equal, 1));
  this->for_each_solver(A, this->identity(), [&](const char *name, auto &solver) {
    EXPECT_EQ(this->solve(solver, {}, {}).result.iterations, 0) << name;
  });
}

TYPED_TEST(Krylov, NaNInTheRightHandSideOrTheGuess)
{
  const auto p = this->laplace();
  Values     b = random_values(p.A.n_rows, 1), x = b;
  b[b.size() / 2] = nan_value;
  this->for_each_solver(p.A, p.M, [&](const char *name, auto &solver) {
    this->expect_failure([&] { this->solve(solver, b, x, control(1e-8, 20, "pressure")); },
                         {"NaN", name, "pressure", "iteration 0", "right-hand side"});
    this->expect_failure([&] { this->solve(solver, x, b); }, {"NaN", name});
  });
}

TYPED_TEST(Krylov, NaNInTheMatrix)
{
  const auto p                = this->laplace();
  auto       A                = p.levels.back().matrix;
  A.value[A.value.size() / 2] = nan_value;
  const auto   matrix         = this->backend->create_matrix(A);
  const Values b              = random_values(p.A.n_rows, 1);
  this->for_each_solver(matrix, p.M, [&](const char *name, auto &solver) {
    this->expect_failure([&] { this->solve(solver, b, Values(b.size(), 0.)); }, {"NaN", name, "matrix"});
  });
}

TYPED_TEST(Krylov, AFailedSolveLeavesNothingBehind)
{
  const auto   p    = this->laplace();
  const Values good = random_values(p.A.n_rows, 1), zero(good.size(), 0.);
  Values       bad  = good;
  bad[100]          = nan_value;
  // The iterations may be recorded once: what changes between solves has to be data of the backend.
  const Values ones(good.size(), 1.), poison(good.size(), nan_value);
  auto         factor = to_backend(*this->backend, ones), unscaled = to_backend(*this->backend, zero);
  const auto   M = [&](const auto &v, auto &z) {
    p.M(v, unscaled);
    this->backend->scale_by_diagonal(1, factor, unscaled, z, 1);
  };
  this->for_each_solver(p.A, M, [&](const char *name, auto &solver) {
    const auto before = this->solve(solver, good, zero);
    this->expect_failure([&] { this->solve(solver, bad, zero); }, {"NaN"});
    this->backend->upload(poison.data(), factor); // NaN that arises within the iteration reaches all its vectors
    this->expect_failure([&] { this->solve(solver, good, zero); }, {name});
    this->backend->upload(ones.data(), factor);
    const auto after = this->solve(solver, good, zero);
    EXPECT_EQ(after.result.iterations, before.result.iterations) << name;
    expect_near(after.x, before.x, 0., name);
  });
}

TYPED_TEST(Krylov, MaximalNumberOfIterations)
{
  const auto   p = this->laplace();
  const Values b = random_values(p.A.n_rows, 1), zero(b.size(), 0.);
  this->for_each_solver(p.A, p.M, [&](const char *name, auto &solver) {
    this->expect_failure([&] { this->solve(solver, b, zero, control(1e-8, 2, "velocity")); },
                         {"not converged", "1e-08", name, "velocity", "iteration 2", "more iterations"});
    this->expect_failure([&] { this->solve(solver, b, zero, control(1e-8, 0)); }, {"not converged", "iteration 0"});
  });
}

TYPED_TEST(Krylov, TheMessageTellsASmallResidual)
{
  const auto       p = this->laplace();
  const Values     b = random_values(p.A.n_rows, 1);
  GMRES<TypeParam> gmres(*this->backend, p.A, p.M);
  try
    {
      this->solve(gmres, b, Values(b.size(), 0.), control(1e-14, 8));
      FAIL() << "expected SolverError";
    }
  catch (const SolverError &error)
    {
      EXPECT_NE(std::string(error.what()).find("e-"), std::string::npos)
        << "expected a residual with its exponent, not 0.000000, in: " << error.what();
    }
}

TYPED_TEST(Krylov, ToleranceBelowRoundingStagnates)
{
  const auto            p = this->laplace();
  const Values          b = random_values(p.A.n_rows, 1), zero(b.size(), 0.);
  GMRES<TypeParam>      gmres(*this->backend, p.A, p.M, 5);
  Richardson<TypeParam> richardson(*this->backend, p.A, p.M);
  const auto            impossible = control(1e-30, 500, "system");
  this->expect_failure([&] { this->solve(gmres, b, zero, impossible); }, {"GMRES", "stagnation", "system", "rounding"});
  this->expect_failure([&] { this->solve(richardson, b, zero, impossible); }, {"Multigrid", "stagnation", "system"});
}

// A cyclic shift: GMRES makes no progress before step n.
TYPED_TEST(Krylov, GMRESReportsStagnationOnACyclicShift)
{
  const int           n = 20;
  std::vector<Values> rows(n, Values(n, 0.));
  for (int i = 0; i < n; ++i)
    rows[i][(i + 1) % n] = 1;
  Values b(n, 0.);
  b[n / 2]           = 1;
  const auto       A = this->backend->create_matrix(to_csr(rows));
  GMRES<TypeParam> restarted(*this->backend, A, this->identity(), 10), full(*this->backend, A, this->identity(), n);
  this->expect_failure([&] { this->solve(restarted, b, Values(n, 0.)); }, {"GMRES", "stagnation", "iteration 10"});
  EXPECT_EQ(this->solve(full, b, Values(n, 0.)).result.iterations, n);
}

TYPED_TEST(Krylov, GMRESEndsWellAtAHappyBreakdown)
{
  const auto       A = this->backend->create_matrix(to_csr({{2, 0, 0}, {0, 2, 0}, {0, 0, 5}}));
  GMRES<TypeParam> gmres(*this->backend, A, this->identity());
  const auto       one = this->solve(gmres, {2, 4, 0}, {0, 0, 0}); // an eigenvector
  EXPECT_EQ(one.result.iterations, 1);
  expect_near(one.x, {1, 2, 0}, 1e-14, "x");
  const auto two = this->solve(gmres, {2, 4, 5}, {0, 0, 0}); // two eigenvalues
  EXPECT_EQ(two.result.iterations, 2);
  expect_near(two.x, {1, 2, 1}, 1e-14, "x");
}

TYPED_TEST(Krylov, GMRESReportsASingularMatrix)
{
  for (const auto &rows : {std::vector<Values>{{1, 0}, {0, 0}}, {{0, 1}, {0, 0}}, {{1, 1}, {1, 1}}})
    {
      const auto       A = this->backend->create_matrix(to_csr(rows));
      GMRES<TypeParam> gmres(*this->backend, A, this->identity());
      for (const Values &b : {Values{0, 1}, Values{1, -1}, Values{3, 1}})
        if (norm(combine(1, b, -1, Values{b[0], rows[1][0] == 0 ? 0 : b[0]})) > 0) // not in the range
          this->expect_failure(
            [&] {
              this->solve(gmres, b, {0, 0}, control(1e-8, 50, "singular system"));
            },
            {"GMRES", "singular", "iteration"});
    }
  // The Neumann problem with a right-hand side that is not orthogonal to the constant.
  const auto       laplace = q1_matrix({2, 8}, {}, false);
  const auto       A       = this->backend->create_matrix(laplace);
  GMRES<TypeParam> gmres(*this->backend, A, this->identity(), 100);
  this->expect_failure([&] { this->solve(gmres, Values(81, 1.), Values(81, 0.)); }, {"GMRES"});
  this->expect_failure([&] { this->solve(gmres, random_values(81, 1), Values(81, 0.)); }, {"GMRES"});
}

TYPED_TEST(Krylov, GMRESSolvesAConsistentSingularSystem)
{
  const auto       laplace = q1_matrix({2, 8}, {}, false);
  const auto       A       = this->backend->create_matrix(laplace);
  const Values     b       = product(laplace, random_values(81, 1));
  GMRES<TypeParam> gmres(*this->backend, A, this->identity(), 100);
  EXPECT_LE(relative_residual(laplace, this->solve(gmres, b, Values(81, 0.)).x, b), 1.01e-8);
}

TYPED_TEST(Krylov, GMRESReportsASingularPreconditioner)
{
  const auto       A = this->backend->create_matrix(to_csr({{2, 1}, {0, 3}}));
  GMRES<TypeParam> gmres(*this->backend, A, [&](const auto &, auto &z) { this->backend->set_zero(z); });
  this->expect_failure(
    [&] {
      this->solve(gmres, {1, 2}, {0, 0});
    },
    {"GMRES", "breakdown", "preconditioner is singular"});
}

TYPED_TEST(Krylov, CGReportsAnIndefiniteMatrix)
{
  const auto    A = this->backend->create_matrix(to_csr({{1, 0}, {0, -1}}));
  CG<TypeParam> cg(*this->backend, A, this->identity());
  this->expect_failure(
    [&] {
      this->solve(cg, {1, 2}, {0, 0}, control(1e-8, 50, "stiffness"));
    },
    {"CG", "breakdown", "stiffness", "not symmetric positive definite", "GMRES"});
  this->expect_failure([&] { this->solve(cg, {0, 2}, {0, 0}); }, {"CG", "breakdown"});
}

TYPED_TEST(Krylov, CGReportsASingularMatrixOrPreconditioner)
{
  const auto A = this->backend->create_matrix(to_csr({{1, 0}, {0, 0}})),
             B = this->backend->create_matrix(to_csr({{1}}));
  CG<TypeParam> singular(*this->backend, A, this->identity());
  this->expect_failure([&] { this->solve(singular, {0, 1}, {0, 0}); }, {"CG", "breakdown"});
  CG<TypeParam> negative(*this->backend, B, [&](const auto &v, auto &z) { this->backend->axpby(-1, v, 0, z); });
  this->expect_failure([&] { this->solve(negative, {1}, {0}); }, {"CG", "breakdown", "preconditioner"});
}

TYPED_TEST(Krylov, DivergingDampingIsReported)
{
  for (const auto &[damping, what] : {std::pair(1.5, "stagnation"), {3., "divergence"}})
    {
      MultigridOptions options;
      options.smoother.damping = damping;
      const auto            p  = this->laplace(options);
      Richardson<TypeParam> richardson(*this->backend, p.A, p.M);
      const Values          b = random_values(p.A.n_rows, 1);
      this->expect_failure([&] { this->solve(richardson, b, Values(b.size(), 0.), control(1e-8, 100, "heat")); },
                           {what, "Multigrid", "heat", "smooth"});
    }
}

TYPED_TEST(Krylov, GMRESWithAShortRestart)
{
  const auto       p = this->laplace();
  const auto      &A = p.levels.back().matrix;
  const Values     b = random_values(A.n_rows, 1), zero(b.size(), 0.);
  GMRES<TypeParam> full(*this->backend, p.A, p.M), restarted(*this->backend, p.A, p.M, 3),
    single(*this->backend, p.A, p.M, 1);
  const int needed = this->solve(full, b, zero).result.iterations;
  ASSERT_GT(needed, 3) << "expected a restart, else this test tests nothing";
  for (auto *solver : {&restarted, &single})
    {
      const auto [result, x] = this->solve(*solver, b, zero);
      EXPECT_LE(relative_residual(A, x, b), 1.01e-8);
      EXPECT_GE(result.iterations, needed);
      EXPECT_LE(result.iterations, 2 * needed);
    }
}

TYPED_TEST(Krylov, GMRESIsFlexible)
{
  const auto       p     = this->laplace();
  const auto      &A     = p.levels.back().matrix;
  const Values     b     = random_values(A.n_rows, 1);
  int              calls = 0; // V-cycle and nothing at all in turn, of different scale
  GMRES<TypeParam> gmres(*this->backend, p.A, [&](const auto &v, auto &z) {
    if (calls++ % 2 == 0)
      p.M(v, z);
    else
      this->backend->axpby(100, v, 0, z);
  });
  const auto [result, x] = this->solve(gmres, b, Values(b.size(), 0.));
  EXPECT_LE(relative_residual(A, x, b), 1.01e-8);
  EXPECT_LE(result.iterations, 25);
}

TYPED_TEST(Krylov, GMRESOnConvectionDiffusionEqualsDenseElimination)
{
  const auto  levels = q1_levels(2, 4, 3, {1, 0.02, {0.3, -1, 0}});
  const auto &A      = levels.back().matrix;
  const auto  dense  = to_dense(A);
  ASSERT_GT(std::abs(entry(A, 40, 41) - entry(A, 41, 40)), 1e-3) << "expected a nonsymmetric matrix";
  const Values               b = random_values(A.n_rows, 1), expected = dense_solve(dense, b);
  const auto                 matrix = this->backend->create_matrix(A);
  const Multigrid<TypeParam> mg(*this->backend, levels, MultigridOptions());
  for (const bool preconditioned : {false, true})
    {
      GMRES<TypeParam> gmres(
        *this->backend, matrix,
        preconditioned ? [&](const auto &v, auto &z) { this->backend->copy(mg.vmult(v), z); } : this->identity(), 300);
      const auto [result, x] = this->solve(gmres, b, Values(b.size(), 0.), control(1e-12, 300));
      expect_near(x, expected, 1e-8 * norm(expected), preconditioned ? "x with multigrid" : "x without preconditioner");
    }
}

TYPED_TEST(Krylov, SolversCanBeUsedAgain)
{
  const auto  p = this->laplace();
  const auto &A = p.levels.back().matrix;
  this->for_each_solver(p.A, p.M, [&](const char *name, auto &solver) {
    for (unsigned int seed = 1; seed < 4; ++seed)
      {
        const Values b = random_values(A.n_rows, seed);
        EXPECT_LE(relative_residual(A, this->solve(solver, b, Values(b.size(), 0.)).x, b), 1.01e-8) << name;
      }
  });
}

// The scale of the equations must not matter.
TYPED_TEST(Krylov, TinyAndHugeRightHandSides)
{
  const auto   p = this->laplace();
  const auto  &A = p.levels.back().matrix;
  const Values b = random_values(A.n_rows, 1), zero(b.size(), 0.);
  this->for_each_solver(p.A, p.M, [&](const char *name, auto &solver) {
    const int iterations = this->solve(solver, b, zero).result.iterations;
    for (const double scale : {1e-30, 1e30})
      {
        const Values scaled    = combine(scale, b, 0, zero);
        const auto [result, x] = this->solve(solver, scaled, zero);
        EXPECT_EQ(result.iterations, iterations) << name << ", right-hand side times " << scale;
        EXPECT_LE(relative_residual(A, x, scaled), 1.01e-8) << name << ", right-hand side times " << scale;
      }
  });
}
