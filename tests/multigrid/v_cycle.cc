#include "multigrid/v_cycle.h"

#include "multigrid/linear_solver.h"
#include "multigrid/multigrid_preconditioner.h"
#include "multigrid/smoothers/registry.h"
#include "support/devices.h"
#include "support/q1_grid.h"
#include "support/reference.h"

#include <numeric>
#include <sstream>
#include <tuple>

using namespace adamant;
using namespace adamant::test;

namespace
{
template <class In>
class VCycleTest : public PrecisionTest<In>
{
protected:
  using Number = typename In::Number;
  using Cycle  = VCycle<Number>;

  Values vmult(const Cycle &cycle, const Values &b) const
  {
    return values_of(cycle.vmult(to_device<Number>(this->device, b)));
  }

  // Factor by which e <- e - M A e shrinks the error in the end.
  double contraction(const Cycle &cycle, const CSRMatrix<double> &A) const
  {
    Values e      = random_values(A.n_rows, 1);
    double factor = 0;
    for (int k = 0; k < 12; ++k)
      {
        const double before = norm(e);
        e                   = combine(1, e, -1, vmult(cycle, product(A, e)));
        factor              = norm(e) / before;
        e                   = combine(1 / norm(e), e, 0, e);
      }
    return factor;
  }
};
TYPED_TEST_SUITE(VCycleTest, Precisions, PrecisionName);

struct Case
{
  std::string      name;
  MultigridOptions options;
  double           bound; ///< of the contraction
};

// The inverse of the coarsest matrix, given from outside.
ExternalSolver inverse_as_function(const CSRMatrix<double> &matrix)
{
  return {[inverse = dense_inverse(Device::host(1), matrix)](const Array<double> &b, Array<double> &x) {
    for (std::size_t i = 0; i < b.size(); ++i)
      x[i] = std::inner_product(b.begin(), b.end(), &inverse[i * b.size()], 0.);
  }};
}

// All smoothers x (damped, Chebyshev) x coarse solvers.
std::vector<Case> cases(const Device &device)
{
  std::vector<Case> all;
  for (const auto &kind : smoothers())
    for (const bool chebyshev : {false, true})
      for (const auto &[coarse, coarse_name] : {std::pair(CoarseSolverType::dense_inverse, ""),
                                                {CoarseSolverType::smoothing, ", coarsest level smoothed"},
                                                {CoarseSolverType::external, ", external coarse solver"}})
        {
          if (coarse == CoarseSolverType::external && device.traits().separate_memory)
            continue; // on the host only
          MultigridOptions options;
          options.smoother.type      = kind.name;
          options.smoother.chebyshev = chebyshev;
          options.coarse_solver      = coarse;
          options.coarse_steps       = chebyshev ? 12 : 40;
          options.make_coarse_solver = inverse_as_function;
          // Without Chebyshev patches around vertices smooth a quarter as much: no eigenvalue of S A is above 1.
          const double bound = kind.name == "vertex_patches" && !chebyshev ? 0.45 : 0.2;
          all.push_back({kind.name + (chebyshev ? ", Chebyshev" : "") + coarse_name, options, bound});
        }
  return all;
}

const std::vector<double> coupling = {2, 0.8, 0.8, 1};
} // namespace

TYPED_TEST(VCycleTest, ContractionDoesNotDependOnTheLevel)
{
  using Number = typename TypeParam::Number;
  for (const auto &[name, options, bound] : cases(this->device))
    {
      double coarser = 0;
      for (const int n_levels : {3, 4, 5}) // 16, 32, 64 cells a direction
        {
          auto levels = q1_levels(2, 4, n_levels);
          if (options.smoother.type == "block_jacobi")
            levels = coupled_levels(levels, coupling, 2);
          const VCycle<Number> cycle(this->device, levels.data, options);
          EXPECT_EQ(cycle.n_levels(), static_cast<std::size_t>(n_levels));
          const double factor = this->contraction(cycle, levels.finest());
          EXPECT_LT(factor, bound) << name << ", " << n_levels
                                   << " levels; a new smoother that smooths less has a bound of its own in cases()";
          if (n_levels == 5)
            {
              EXPECT_LT(factor, 1.15 * coarser + 0.01)
                << name << ": expected no growth from " << n_levels - 1 << " to " << n_levels << " levels";
            }
          coarser = factor;
        }
    }
}

TYPED_TEST(VCycleTest, ContractsInOneAndThreeDimensions)
{
  using Number = typename TypeParam::Number;
  for (const auto &[dim, n_levels] : {std::pair(1, 7), {3, 3}})
    {
      const auto           levels = q1_levels(dim, 4, n_levels);
      const VCycle<Number> cycle(this->device, levels.data, MultigridOptions());
      EXPECT_LT(this->contraction(cycle, levels.finest()), 0.25) << dim << "D";
    }
}

TYPED_TEST(VCycleTest, IsSymmetricWithEqualPreAndPostSmoothing)
{
  using Number        = typename TypeParam::Number;
  auto         levels = coupled_levels(q1_levels(2, 4, 3), coupling, 2);
  const Values x = random_values(levels.n_rows(), 1), y = random_values(levels.n_rows(), 2);
  for (auto [name, options, bound] : cases(this->device))
    {
      const VCycle<Number> symmetric(this->device, levels.data, options);
      const double         xMy = dot(x, this->vmult(symmetric, y)), yMx = dot(y, this->vmult(symmetric, x));
      const double         scale = norm(x) * norm(this->vmult(symmetric, y));
      EXPECT_NEAR(xMy, yMx, rounding<Number> * scale) << name;
      EXPECT_GT(dot(x, this->vmult(symmetric, x)), 0) << name << ": expected positive definite";

      options.post_steps = 0;
      const VCycle<Number> other(this->device, levels.data, options);
      EXPECT_GT(std::abs(dot(x, this->vmult(other, y)) - dot(y, this->vmult(other, x))), rounding<Number> * scale)
        << name << ": expected pre-smoothing alone to be nonsymmetric, else this test tests nothing";
    }
}

TYPED_TEST(VCycleTest, NoPostSmoothingStillConverges)
{
  using Number = typename TypeParam::Number;
  MultigridOptions options;
  options.post_steps = 0;
  const auto levels  = q1_levels(2, 4, 4);
  EXPECT_LT(this->contraction(VCycle<Number>(this->device, levels.data, options), levels.finest()), 0.35);
  options.smoothing_in_float = true; // where Number is double
  EXPECT_LT(this->contraction(VCycle<Number>(this->device, levels.data, options), levels.finest()), 0.35);
  options.smoothing_in_float = false;
  options.smoother.arnoldi   = true;
  EXPECT_LT(this->contraction(VCycle<Number>(this->device, levels.data, options), levels.finest()), 0.5);
}

TYPED_TEST(VCycleTest, SeveralCyclesAreRefinementByOne)
{
  using Number                = typename TypeParam::Number;
  const auto           levels = q1_levels(2, 4, 3);
  const Values         b      = random_values(levels.n_rows(), 1);
  MultigridOptions     options;
  const VCycle<Number> one(this->device, levels.data, options);
  options.cycles = 3;
  const VCycle<Number> three(this->device, levels.data, options);
  Values               x = this->vmult(one, b);
  for (int i = 1; i < 3; ++i)
    x = combine(1, x, 1, this->vmult(one, combine(1, b, -1, product(levels.finest(), x))));
  expect_near(this->vmult(three, b), x, 10 * rounding<Number> * norm(x), "three cycles");
}

// With all levels composed, too, where b may lie in what the composed levels read.
TYPED_TEST(VCycleTest, CyclesOfComposedLevelsKeepTheirRightHandSide)
{
  using Number            = typename TypeParam::Number;
  const auto       levels = q1_levels(2, 4, 3);
  MultigridOptions options;
  options.cycles = 3;
  Values results[2];
  for (const bool composed : {false, true})
    {
      options.compose_up_to = composed ? levels.n_rows() : 0;
      const MultigridPreconditioner<Number> M(this->device, levels.data, options);
      adamant::Vector<double>               x(this->device, levels.n_rows());
      M.vmult(to_device<double>(this->device, random_values(levels.n_rows(), 1)), x);
      results[composed] = values_of(x);
    }
  expect_near(results[1], results[0], 20 * rounding<Number> * norm(results[0]), "three cycles");
}

// Composed steps give what single ones give, with whatever is stored between them, on some levels or on all.
TYPED_TEST(VCycleTest, ComposedLevelsGiveWhatSingleStepsGive)
{
  using Number = typename TypeParam::Number;
  for (const auto &[dim, node_size] : {std::pair(2, 1), {2, 2}, {3, 1}, {3, 3}})
    {
      auto levels = q1_levels(dim, dim == 2 ? 4 : 2, 3);
      if (node_size == 2)
        levels = coupled_levels(levels, coupling, 2);
      if (node_size == 3)
        levels = coupled_levels(levels, {2, 0.5, 0.2, 0.5, 1, 0.3, 0.2, 0.3, 3}, 3);
      const Values b = random_values(levels.n_rows(), 1);
      for (const auto &[pre, post, chebyshev] : {std::tuple(1, 2, false), {3, 3, true}, {2, 0, true}})
        {
          MultigridOptions options;
          options.smoother.type      = node_size == 1 ? "jacobi" : "block_jacobi";
          options.smoother.chebyshev = chebyshev;
          options.pre_steps          = pre;
          options.post_steps         = post;
          options.compose_up_to      = 0;
          const VCycle<Number> single(this->device, levels.data, options);
          ASSERT_EQ(single.n_lowest_levels(), 1u);
          const Values  expected = this->vmult(single, b);
          constexpr int much     = 1000000000;
          for (const auto &[up_to, n_composed, worth] :
               {std::tuple(levels.n_rows(), 3u, -much), {levels.n_rows(), 3u, much}, {levels.n_rows() - 1, 2u, 0}})
            {
              options.compose_up_to           = up_to;
              options.entries_of_an_operation = worth;
              VCycle<Number> composed(this->device, levels.data, options);
              EXPECT_EQ(composed.n_lowest_levels(), n_composed);
              const std::string what = std::to_string(dim) + "D, nodes of " + std::to_string(node_size) + ", V(" +
                                       std::to_string(pre) + "," + std::to_string(post) + "), " +
                                       std::to_string(n_composed) + " levels composed, worth " + std::to_string(worth);
              expect_near(this->vmult(composed, b), expected, 20 * rounding<Number> * norm(expected), what);
              composed.update();
              expect_near(this->vmult(composed, b), expected, 20 * rounding<Number> * norm(expected),
                          what + ", updated");
            }
        }
    }
}

TYPED_TEST(VCycleTest, OneLevelIsTheCoarseSolver)
{
  using Number                = typename TypeParam::Number;
  const auto           levels = q1_levels(2, 8, 1);
  const Values         u      = random_values(levels.finest().n_rows, 1);
  const VCycle<Number> cycle(this->device, levels.data, MultigridOptions());
  expect_near(this->vmult(cycle, product(levels.finest(), u)), u, 10 * rounding<Number>, "A⁻¹ A u");
}

TYPED_TEST(VCycleTest, LeavesConstrainedUnknownsAtTheirRightHandSide)
{
  using Number      = typename TypeParam::Number;
  const Grid grid   = {2, 16};
  const auto levels = q1_levels(2, 4, 3);
  Values     b      = random_values(grid.n_nodes(), 1);
  for (int i = 0; i < grid.n_nodes(); ++i)
    if (grid.on_boundary(grid.position(i)))
      b[i] = 0;
  const Values z = this->vmult(VCycle<Number>(this->device, levels.data, MultigridOptions()), b);
  for (int i = 0; i < grid.n_nodes(); ++i)
    if (grid.on_boundary(grid.position(i)))
      {
        EXPECT_NEAR(z[i], 0., rounding<Number>) << "boundary node " << i;
      }
}

TYPED_TEST(VCycleTest, RepeatsItsResult)
{
  using Number        = typename TypeParam::Number;
  const auto   levels = q1_levels(2, 4, 4);
  const Values b      = random_values(levels.n_rows(), 1);
  for (const auto &[name, options, bound] : cases(this->device))
    {
      const VCycle<Number> cycle(this->device, levels.data, options);
      const Values         first = this->vmult(cycle, b);
      this->vmult(cycle, Values(b.size(), nan_value)); // leaves nothing behind
      expect_near(this->vmult(cycle, b), first, 0., name);
    }
}

TYPED_TEST(VCycleTest, SameBitsForAnyNumberOfThreads)
{
  using Number        = typename TypeParam::Number;
  const auto   levels = q1_levels(2, 8, 5, {1, 1e-2, {0, -1, 0}}); // 16641 unknowns
  const Values b      = random_values(levels.n_rows(), 1);
  for (const bool chebyshev : {false, true})
    {
      MultigridOptions options;
      options.smoother.chebyshev = chebyshev;
      std::vector<Values> results;
      for (const int threads : {1, 2, 3})
        {
          const Device         device = *make_device(TypeParam::place, threads).device;
          const VCycle<Number> cycle(device, levels.data, options);
          results.push_back(values_of(cycle.vmult(to_device<Number>(device, b))));
        }
      expect_near(results[1], results[0], 0., "2 threads and 1");
      expect_near(results[2], results[0], 0., "3 threads and 1");
    }
}

TYPED_TEST(VCycleTest, UpdateEqualsANewObject)
{
  using Number = typename TypeParam::Number;
  for (const int node_size : {1, 2})
    for (const auto &[name, options, bound] : cases(this->device))
      {
        const auto levels_with = [&](const Coefficients &c) {
          return node_size == 1 ? q1_levels(2, 4, 3, c) : coupled_levels(q1_levels(2, 4, 3, c), coupling, node_size);
        };
        const Levels   levels = levels_with({1, 0.01, {}}), after = levels_with({1, 0.3, {0, -0.5, 0}});
        const Values   b = random_values(levels.n_rows(), 1);
        VCycle<Number> updated(this->device, levels.data, options);
        const Values   expected = this->vmult(VCycle<Number>(this->device, after.data, options), b);
        EXPECT_GT(norm(combine(1, expected, -1, this->vmult(updated, b))), 0.01 * norm(expected))
          << name << ": expected a difference";
        levels.take_values(after);
        updated.update();
        expect_near(this->vmult(updated, b), expected, 0., name);
      }
}

// The inverse given from outside is that from inside, in either precision and with new values.
TYPED_TEST(VCycleTest, TakesACoarseSolver)
{
  using Number = typename TypeParam::Number;
  MultigridOptions options;
  options.coarse_solver      = CoarseSolverType::external;
  options.make_coarse_solver = inverse_as_function;
  const auto levels          = q1_levels(2, 4, 3);
  if (this->device.traits().separate_memory)
    {
      EXPECT_THROW(VCycle<Number>(this->device, levels.data, options), InputError);
      return;
    }
  VCycle<Number> external(this->device, levels.data, options), inverse(this->device, levels.data, MultigridOptions());
  const Values   b = random_values(levels.n_rows(), 1);
  expect_near(this->vmult(external, b), this->vmult(inverse, b), 10 * rounding<Number>, "external");
  levels.take_values(q1_levels(2, 4, 3, {1, 0.3, {0, -0.5, 0}}));
  external.update();
  inverse.update();
  expect_near(this->vmult(external, b), this->vmult(inverse, b), 10 * rounding<Number>, "external, new values");
}

TYPED_TEST(VCycleTest, PrintsItsLevels)
{
  using Number              = typename TypeParam::Number;
  const auto         levels = q1_levels(2, 4, 3);
  MultigridOptions   options;
  std::ostringstream text;
  VCycle<Number>(this->device, levels.data, options).print(text);
  options.smoother.chebyshev = true;
  VCycle<Number>(this->device, levels.data, options).print(text);
  for (const char *part :
       {"level 2: 289 unknowns", "level 1: 81 unknowns", "level 0: 25 unknowns, dense inverse", "eigenvalue"})
    EXPECT_NE(text.str().find(part), std::string::npos) << "expected '" << part << "' in:\n" << text.str();
}

TYPED_TEST(VCycleTest, RefusesImpossibleInput)
{
  using Number            = typename TypeParam::Number;
  auto             levels = q1_levels(2, 4, 2);
  MultigridOptions options;
  options.pre_steps = 0;
  EXPECT_THROW(VCycle<Number>(this->device, levels.data, options), InputError) << "no pre-smoothing";
  options.pre_steps  = 2;
  options.post_steps = -1;
  EXPECT_THROW(VCycle<Number>(this->device, levels.data, options), InputError) << "negative post-smoothing";
  options.post_steps  = 2;
  *levels.matrices[0] = q1_matrix({2, 4}, {}, false);
  EXPECT_THROW(VCycle<Number>(this->device, levels.data, options), RunError) << "singular coarsest matrix";
  levels                       = q1_levels(2, 4, 2);
  levels.matrices[1]->value[0] = nan_value;
  EXPECT_THROW(VCycle<Number>(this->device, levels.data, options), RunError) << "NaN on the diagonal";
}

// A coarsest level with a singular matrix is left out; where all matrices are singular, this is said.
TEST(MakeMultigrid, BeginsWhereTheMatrixIsRegular)
{
  const Device     device = Device::host(2);
  MultigridOptions options;
  auto             levels                = q1_levels(2, 4, 3);
  *levels.matrices[0]                    = q1_matrix({2, 4}, {}, false);
  const std::vector<LevelData> finer     = {levels.data.begin() + 1, levels.data.end()};
  const auto                   M         = make_multigrid(device, levels.data, Precision::float64, options);
  const auto                   reference = make_multigrid(device, finer, Precision::float64, options);
  const Values                 b         = random_values(levels.n_rows(), 1);
  Vector<double>               x(device, levels.n_rows()), y(device, levels.n_rows());
  M->vmult(to_device<double>(device, b), x);
  reference->vmult(to_device<double>(device, b), y);
  EXPECT_EQ(values_of(x), values_of(y));
  for (std::size_t l : {1, 2})
    *levels.matrices[l] = q1_matrix({2, 4 << l}, {}, false);
  EXPECT_THROW(make_multigrid(device, levels.data, Precision::float64, options), SingularMatrix);
}
