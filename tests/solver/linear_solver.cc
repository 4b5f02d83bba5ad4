// The whole solver: Krylov method in double precision around a V-cycle in either precision.

#include "multigrid/linear_solver.h"

#include "support/backends.h"
#include "support/q1_grid.h"
#include "support/reference.h"

#include <sstream>

using namespace adamant;
using namespace adamant::test;

namespace
{
template <class Backend>
class LinearSolverTest : public BackendTest<Backend>
{
protected:
  // Solves from zero and checks the true residual; returns the number of iterations.
  int iterations(const std::vector<LevelData> &levels, const LinearSolverOptions &options,
                 const std::string &what) const
  {
    LinearSolver<Backend> solver(*this->backend, levels, options);
    const Values          b      = random_values(levels.back().matrix.n_rows, 1);
    auto                  x      = this->backend->create_vector(static_cast<int>(b.size()));
    const SolverResult    result = solver.solve(to_backend(*this->backend, b), x);
    EXPECT_LE(relative_residual(levels.back().matrix, to_host(*this->backend, x), b), 1.01e-8) << what;
    EXPECT_LE(result.final_residual, 1e-8) << what;
    return result.iterations;
  }
};
TYPED_TEST_SUITE(LinearSolverTest, DoubleBackends);

const std::vector<std::pair<SolverType, std::string>> types = {
  {SolverType::gmres, "GMRES"}, {SolverType::cg, "CG"}, {SolverType::multigrid, "multigrid"}};

const std::vector<std::pair<SmootherType, std::string>> smoothers = {
  {SmootherType::jacobi, "jacobi"}, {SmootherType::block_jacobi, "block_jacobi"}, {SmootherType::fsai, "fsai"}};
} // namespace

TYPED_TEST(LinearSolverTest, EveryCombinationConvergesInEitherPrecision)
{
  const auto scalar = q1_levels(2, 4, 4), system = coupled_levels(q1_levels(2, 4, 3), {2, 0.8, 0.8, 1}, 2);
  for (const auto &[type, type_name] : types)
    for (const auto &[smoother, smoother_name] : smoothers)
      for (const bool chebyshev : {false, true})
        for (const auto coarse : {CoarseSolverType::dense_inverse, CoarseSolverType::smoothing})
          {
            LinearSolverOptions options;
            options.type                         = type;
            options.multigrid.smoother.type      = smoother;
            options.multigrid.smoother.chebyshev = chebyshev;
            options.multigrid.coarse_solver      = coarse;
            const std::string what               = type_name + ", " + smoother_name + (chebyshev ? ", Chebyshev" : "") +
                                     (coarse == CoarseSolverType::smoothing ? ", coarsest level smoothed" : "");
            const auto &levels = smoother == SmootherType::block_jacobi ? system : scalar;
            options.precision  = Precision::float64;
            const int full     = this->iterations(levels, options, what + ", double");
            options.precision  = Precision::float32;
            const int single   = this->iterations(levels, options, what + ", float");
            EXPECT_LE(full, 16) << what;
            EXPECT_NEAR(single, full, 1) << what << ": expected the precision of the V-cycle not to matter";
          }
}

TYPED_TEST(LinearSolverTest, IterationsDoNotDependOnTheLevel)
{
  for (const Coefficients &c : {Coefficients{0, 1, {}}, Coefficients{1, 0.01 * 0.02, {0, -0.02, 0}}})
    {
      LinearSolverOptions options;
      int                 coarser = 0;
      for (const int n_levels : {4, 5, 6}) // 32, 64, 128 cells a direction
        {
          const int n = this->iterations(q1_levels(2, 4, n_levels, c), options, std::to_string(n_levels) + " levels");
          EXPECT_LE(n, 8) << n_levels << " levels";
          if (n_levels == 6)
            {
              EXPECT_LE(n, coarser + 1) << "expected no growth from 5 to 6 levels";
            }
          coarser = n;
        }
    }
}

TYPED_TEST(LinearSolverTest, UpdateEqualsANewSolver)
{
  const auto   before = q1_levels(2, 4, 3, {1, 0.01, {}}), after = q1_levels(2, 4, 3, {1, 0.3, {0, -0.5, 0}});
  const Values b = random_values(before.back().matrix.n_rows, 1);
  for (const Precision precision : {Precision::float32, Precision::float64})
    {
      LinearSolverOptions options;
      options.precision = precision;
      LinearSolver<TypeParam> updated(*this->backend, before, options), built(*this->backend, after, options);
      const auto              rhs = to_backend(*this->backend, b);
      const auto              n   = static_cast<int>(b.size());
      auto                    x = this->backend->create_vector(n), y = this->backend->create_vector(n);
      updated.solve(rhs, x); // recorded operations must see the new values
      updated.update(after);
      this->backend->set_zero(x);
      const int first = updated.solve(rhs, x).iterations, second = built.solve(rhs, y).iterations;
      EXPECT_EQ(first, second);
      expect_near(to_host(*this->backend, x), to_host(*this->backend, y), 0., "x, updated against new");
      EXPECT_LE(relative_residual(after.back().matrix, to_host(*this->backend, x), b), 1.01e-8);
    }
}

TYPED_TEST(LinearSolverTest, VmultIsTheVCycle)
{
  const auto                 levels = q1_levels(2, 4, 3);
  const Values               b      = random_values(levels.back().matrix.n_rows, 1);
  const auto                 rhs    = to_backend(*this->backend, b);
  const Multigrid<TypeParam> mg(*this->backend, levels, MultigridOptions());
  const Values               expected = to_host(*this->backend, mg.vmult(rhs));
  for (const auto &[precision, tolerance] : {std::pair(Precision::float64, 0.), {Precision::float32, 1e-5}})
    {
      LinearSolverOptions options;
      options.precision = precision;
      LinearSolver<TypeParam> solver(*this->backend, levels, options);
      auto                    z = this->backend->create_vector(rhs.size());
      solver.vmult(rhs, z);
      expect_near(to_host(*this->backend, z), expected, tolerance * norm(expected), "M b");
    }
}

TYPED_TEST(LinearSolverTest, ExternalPreconditionerReplacesMultigrid)
{
  const auto              levels = q1_levels(2, 8, 1);
  int                     calls  = 0;
  LinearSolver<TypeParam> solver(*this->backend, levels, LinearSolverOptions(), [&](const auto &v, auto &z) {
    ++calls;
    this->backend->copy(v, z);
  });
  const Values            b = random_values(levels[0].matrix.n_rows, 1);
  auto                    x = this->backend->create_vector(static_cast<int>(b.size()));
  const int               n = solver.solve(to_backend(*this->backend, b), x).iterations;
  EXPECT_EQ(calls, n);
  EXPECT_LE(relative_residual(levels[0].matrix, to_host(*this->backend, x), b), 1.01e-8);
}

TYPED_TEST(LinearSolverTest, SameBitsForAnyNumberOfThreads)
{
  const auto   levels = q1_levels(2, 8, 5); // 16641 unknowns
  const Values b      = random_values(levels.back().matrix.n_rows, 1);
  for (const auto &[type, name] : types)
    {
      std::vector<Values> results;
      for (const int threads : {1, 2, 3})
        {
          const auto          backend = make_backend<TypeParam>(threads);
          LinearSolverOptions options;
          options.type = type;
          LinearSolver<TypeParam> solver(backend, levels, options);
          auto                    x = backend.create_vector(static_cast<int>(b.size()));
          solver.solve(to_backend(backend, b), x);
          results.push_back(to_host(backend, x));
        }
      expect_near(results[1], results[0], 0., name + ", 2 threads and 1");
      expect_near(results[2], results[0], 0., name + ", 3 threads and 1");
    }
}

TYPED_TEST(LinearSolverTest, MessagesCarryTheNameOfTheSystem)
{
  LinearSolverOptions options;
  options.control.name           = "temperature";
  options.control.max_iterations = 1;
  const auto levels              = q1_levels(2, 4, 3);
  const auto b                   = to_backend(*this->backend, random_values(levels.back().matrix.n_rows, 1));
  for (const auto &[type, name] : types)
    {
      options.type = type;
      LinearSolver<TypeParam> solver(*this->backend, levels, options);
      auto                    x = this->backend->create_vector(b.size());
      try
        {
          solver.solve(b, x);
          ADD_FAILURE() << name << ": expected SolverError after one iteration";
        }
      catch (const SolverError &error)
        {
          EXPECT_NE(std::string(error.what()).find("temperature"), std::string::npos) << error.what();
        }
    }
}

TYPED_TEST(LinearSolverTest, PrintsTheHierarchy)
{
  std::ostringstream text;
  text << LinearSolver<TypeParam>(*this->backend, q1_levels(2, 4, 2), LinearSolverOptions());
  EXPECT_NE(text.str().find("level 1: 81 unknowns"), std::string::npos) << text.str();
}
