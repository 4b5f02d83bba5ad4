// The whole solver: Krylov method in double precision around a V-cycle in either precision.

#include "multigrid/linear_solver.h"

#include "multigrid/multigrid_preconditioner.h"
#include "multigrid/smoothers/registry.h"
#include "support/krylov.h"

#include <sstream>

using namespace adamant;
using namespace adamant::test;

namespace
{
class LinearSolverTest : public DeviceTest
{
protected:
  // Solves from zero and checks the true residual; returns the number of iterations.
  int iterations(const Levels &levels, const LinearSolverOptions &options, const std::string &what) const
  {
    LinearSolver       solver(device, levels.data, options);
    const Values       b      = random_values(levels.n_rows(), 1);
    auto               x      = Vector<double>(device, static_cast<int>(b.size()));
    const SolverResult result = solver.solve(to_device(device, b), x);
    EXPECT_LE(relative_residual(levels.finest(), values_of(x), b), 1.01e-8) << what;
    EXPECT_LE(result.final_residual, 1e-8) << what;
    return result.iterations;
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, LinearSolverTest, all_places, place_name);

const std::vector<std::pair<SolverType, std::string>> types = {{SolverType::gmres, "GMRES"},
                                                               {SolverType::cg, "CG"},
                                                               {SolverType::bicgstab, "BiCGStab"},
                                                               {SolverType::multigrid, "multigrid"}};
} // namespace

TEST_P(LinearSolverTest, EveryCombinationConvergesInEitherPrecision)
{
  const auto scalar = q1_levels(2, 4, 4), system = coupled_levels(q1_levels(2, 4, 3), {2, 0.8, 0.8, 1}, 2);
  for (const auto &[type, type_name] : types)
    for (const auto &smoother : smoothers())
      for (const bool chebyshev : {false, true})
        for (const auto coarse : {CoarseSolverType::dense_inverse, CoarseSolverType::smoothing})
          {
            LinearSolverOptions options;
            options.type                         = type;
            options.multigrid.smoother.type      = smoother.name;
            options.multigrid.smoother.chebyshev = chebyshev;
            options.multigrid.coarse_solver      = coarse;
            const std::string what               = type_name + ", " + smoother.name + (chebyshev ? ", Chebyshev" : "") +
                                     (coarse == CoarseSolverType::smoothing ? ", coarsest level smoothed" : "");
            const auto &levels = smoother.name == "block_jacobi" ? system : scalar;
            options.precision  = Precision::float64;
            const int full     = iterations(levels, options, what + ", double");
            options.precision  = Precision::float32;
            const int single   = iterations(levels, options, what + ", float");
            EXPECT_LE(full, smoother.name == "vertex_patches" && !chebyshev ? 20 : 16) << what; // see v_cycle.cc
            EXPECT_NEAR(single, full, 1) << what << ": expected the precision of the V-cycle not to matter";
          }
}

TEST_P(LinearSolverTest, AVCycleInDoublePrecisionHasTheFinestMatrix)
{
  const auto levels = q1_levels(2, 4, 3);
  for (const auto precision : {Precision::float64, Precision::mixed})
    {
      LinearSolverOptions options;
      options.precision = precision;
      const LinearSolver solver(device, levels.data, options);
      const auto        &multigrid = dynamic_cast<const MultigridPreconditioner<double> &>(solver.preconditioner());
      EXPECT_EQ(&solver.matrix().storage(), &multigrid.cycle.matrix().storage()) << "expected one copy";
    }
}

TEST_P(LinearSolverTest, IterationsDoNotDependOnTheLevel)
{
  for (const Coefficients &c : {Coefficients{0, 1, {}}, Coefficients{1, 0.01 * 0.02, {0, -0.02, 0}}})
    {
      LinearSolverOptions options;
      int                 coarser = 0;
      for (const int n_levels : {4, 5, 6}) // 32, 64, 128 cells a direction
        {
          const int n = iterations(q1_levels(2, 4, n_levels, c), options, std::to_string(n_levels) + " levels");
          EXPECT_LE(n, 8) << n_levels << " levels";
          if (n_levels == 6)
            {
              EXPECT_LE(n, coarser + 1) << "expected no growth from 5 to 6 levels";
            }
          coarser = n;
        }
    }
}

TEST_P(LinearSolverTest, UpdateEqualsANewSolver)
{
  const auto   after = q1_levels(2, 4, 3, {1, 0.3, {0, -0.5, 0}});
  const Values b     = random_values(after.n_rows(), 1);
  const auto   rhs   = to_device(device, b);
  for (const SolverType type : {SolverType::gmres, SolverType::bicgstab})
    for (const Precision precision : {Precision::float32, Precision::float64})
      {
        const auto          levels = q1_levels(2, 4, 3, {1, 0.01, {}});
        LinearSolverOptions options;
        options.type      = type;
        options.precision = precision;
        LinearSolver   updated(device, levels.data, options), built(device, after.data, options);
        Vector<double> x(device, rhs.size()), y(device, rhs.size());
        updated.solve(rhs, x); // recorded operations must see the new values
        levels.take_values(after);
        updated.update();
        x.set_zero();
        const int first = updated.solve(rhs, x).iterations, second = built.solve(rhs, y).iterations;
        EXPECT_EQ(first, second);
        expect_near(values_of(x), values_of(y), 0., "x, updated against new");
        EXPECT_LE(relative_residual(after.finest(), values_of(x), b), 1.01e-8);
      }
}

TEST_P(LinearSolverTest, VmultIsTheVCycle)
{
  const auto           levels = q1_levels(2, 4, 3);
  const Values         b      = random_values(levels.n_rows(), 1);
  const auto           rhs    = to_device(device, b);
  const VCycle<double> cycle(device, levels.data, MultigridOptions());
  const Values         expected = values_of(cycle.vmult(rhs));
  for (const auto &[precision, tolerance] : {std::pair(Precision::float64, 0.), {Precision::float32, 1e-5}})
    {
      LinearSolverOptions options;
      options.precision = precision;
      LinearSolver   solver(device, levels.data, options);
      Vector<double> z(device, rhs.size());
      solver.vmult(rhs, z);
      expect_near(values_of(z), expected, tolerance * norm(expected), "M b");
    }
}

TEST_P(LinearSolverTest, ExternalPreconditionerReplacesMultigrid)
{
  const auto   levels = q1_levels(2, 8, 1);
  int          calls  = 0;
  auto         M      = std::make_unique<FunctionPreconditioner>([&](const auto &v, auto &z) {
    ++calls;
    device.copy(v, z);
  });
  const auto  *given  = M.get();
  LinearSolver solver(device, levels.data, LinearSolverOptions(), std::move(M));
  const Values b = random_values(levels.n_rows(), 1);
  auto         x = Vector<double>(device, static_cast<int>(b.size()));
  const int    n = solver.solve(to_device(device, b), x).iterations;
  EXPECT_EQ(calls, n);
  EXPECT_LE(relative_residual(levels.finest(), values_of(x), b), 1.01e-8);
  solver.update();
  EXPECT_EQ(given->n_updates, 1) << "expected the preconditioner to take over new values too";
}

TEST_P(LinearSolverTest, AnUnknownTypeIsNoGMRES)
{
  LinearSolverOptions options;
  options.type      = static_cast<SolverType>(99);
  const auto levels = q1_levels(2, 4, 2);
  EXPECT_THROW(LinearSolver(device, levels.data, options), RunError);
}

TEST_P(LinearSolverTest, SameBitsForAnyNumberOfThreads)
{
  const auto   levels = q1_levels(2, 8, 5); // 16641 unknowns
  const Values b      = random_values(levels.n_rows(), 1);
  for (const auto &[type, name] : types)
    {
      std::vector<Values> results;
      for (const int threads : {1, 2, 3})
        {
          const Device        some_threads = *make_device(place, threads).device;
          LinearSolverOptions options;
          options.type = type;
          LinearSolver   solver(some_threads, levels.data, options);
          Vector<double> x(some_threads, static_cast<int>(b.size()));
          solver.solve(to_device(some_threads, b), x);
          results.push_back(values_of(x));
        }
      expect_near(results[1], results[0], 0., name + ", 2 threads and 1");
      expect_near(results[2], results[0], 0., name + ", 3 threads and 1");
    }
}

TEST_P(LinearSolverTest, MessagesCarryTheNameOfTheSystem)
{
  LinearSolverOptions options;
  options.control.name           = "temperature";
  options.control.max_iterations = 1;
  const auto levels              = q1_levels(2, 4, 3);
  const auto b                   = to_device(device, random_values(levels.n_rows(), 1));
  for (const auto &[type, name] : types)
    {
      options.type = type;
      LinearSolver solver(device, levels.data, options);
      auto         x = Vector<double>(device, b.size());
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

TEST_P(LinearSolverTest, PrintsTheHierarchy)
{
  std::ostringstream text;
  text << LinearSolver(device, q1_levels(2, 4, 2).data, LinearSolverOptions());
  EXPECT_NE(text.str().find("level 1: 81 unknowns"), std::string::npos) << text.str();
}
