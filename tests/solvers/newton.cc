// Newton's method on small systems whose solutions are known.
#include "solvers/newton.h"

#include "support/devices.h"
#include "support/errors.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace adamant;
using namespace adamant::test;

namespace
{
// Equations of one unknown each, F_i(x) = f(x_i), with an exact or a wrong derivative; solved on the host.
class Equations : public NonlinearProblem
{
public:
  Equations(const Device &device, std::function<double(double)> f, std::function<double(double)> derivative)
    : device(device)
    , f(std::move(f))
    , derivative(std::move(derivative))
  {}

  void residual(const Vector<double> &x, Vector<double> &r) override
  {
    auto values = to_host(x);
    for (double &value : values)
      value = -f(value);
    r.upload(values.data());
  }
  void linearize(const Vector<double> &x, Linearization kind) override
  {
    at = to_host(x);
    kinds.push_back(kind);
  }
  SolverResult solve(const Vector<double> &r, Vector<double> &d, double tolerance) override
  {
    auto values = to_host(r);
    tolerances.push_back(tolerance);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] /= kinds.back() == Linearization::picard ? picard : derivative(at[i]);
    d.upload(values.data());
    return {1, 0, 0};
  }

  double                     picard = 1.; ///< what Picard's steps take for the derivative
  std::vector<Linearization> kinds;       ///< of the steps
  std::vector<double>        tolerances;

private:
  Device                        device;
  std::function<double(double)> f, derivative;
  Array<double>                 at;
};

double square_minus_two(double x)
{
  return x * x - 2.;
}
} // namespace

TEST(Newton, ConvergesQuadratically)
{
  const Device   device = Device::host(1);
  Equations      problem(device, square_minus_two, [](double x) { return 2. * x; });
  Vector<double> x(device, Array<double>{1., 3.});
  const auto     result = Newton(device, problem, 2).solve(x, {1e-14, 10, "roots"});
  EXPECT_LE(result.steps, 6);
  EXPECT_EQ(result.iterations, result.steps);
  for (const double root : to_host(x))
    EXPECT_NEAR(root, std::sqrt(2.), 1e-13);
}

TEST(Newton, BacktracksWhereFullStepsDiverge)
{
  // Full steps for the arctangent leave from |x| > 1.39.
  const Device device = Device::host(1);
  Equations    problem(
       device, [](double x) { return std::atan(x); }, [](double x) { return 1. / (1. + x * x); });
  Vector<double> x(device, Array<double>{10.});
  Newton(device, problem, 1).solve(x, {1e-12, 30, "arctangent"});
  EXPECT_NEAR(to_host(x)[0], 0., 1e-11);
}

// A problem may let ‖F‖ grow, as a full step for x³ = 8 from 1/2 makes it 168 times larger, or refuse that.
TEST(Newton, TakesTheStepsThatTheProblemAccepts)
{
  struct Cube : Equations
  {
    using Equations::Equations;
    bool accepts(const NewtonTrial &step) override
    {
      lengths.push_back(step.length);
      return step.residual <= most * step.last;
    }
    double              most = 1e3;
    std::vector<double> lengths;
  };
  const Device device = Device::host(1);
  const auto   solve  = [&device](double most) {
    Cube problem(
         device, [](double x) { return x * x * x - 8.; }, [](double x) { return 3. * x * x; });
    problem.most = most;
    Vector<double> x(device, Array<double>{0.5});
    Newton(device, problem, 1).solve(x, {1e-14, 30, "cube"});
    EXPECT_NEAR(to_host(x)[0], 2., 1e-12);
    return problem.lengths;
  };
  const auto free = solve(1e3), bound = solve(0.5);
  EXPECT_EQ(*std::min_element(free.begin(), free.end()), 1.);
  EXPECT_LE(*std::min_element(bound.begin(), bound.end()), 0.25);
}

TEST(Newton, SaysWhyItFails)
{
  const Device device = Device::host(1);
  const auto   solve  = [&](const std::function<double(double)> &f, const std::function<double(double)> &derivative) {
    Equations      problem(device, f, derivative);
    Vector<double> x(device, Array<double>{1.});
    Newton(device, problem, 1).solve(x, {1e-12, 4, "the test"});
  };
  expect_error<SolverError>([&] { solve(square_minus_two, [](double x) { return -2. * x; }); },
                            {"the test", "no step", "derivative"});
  expect_error<SolverError>(
    [&] { solve([](double) { return 1e200; }, [](double) { return 1.; }); }, // its square is inf
    {"values that are no numbers"});
  expect_error<SolverError>([&] { solve([](double) { return std::nan(""); }, [](double) { return 1.; }); },
                            {"the test", "no numbers"});
  expect_error<SolverError>([&] { solve(square_minus_two, [](double) { return 50.; }); },
                            {"the test", "limit of steps"});
}

// x² = 2 by x <- x - (x² - 2) / 8 until ‖F‖ is a tenth, then by Newton's method with looser and looser linear systems.
TEST(Newton, BeginsWithPicardAndSolvesInexactly)
{
  const Device device = Device::host(1);
  Equations    problem(device, square_minus_two, [](double x) { return 2. * x; });
  problem.picard = 8.;
  NewtonOptions options;
  options.picard_until    = 0.1;
  options.least_tolerance = 1e-3;
  options.most_tolerance  = 0.1;
  Vector<double> x(device, Array<double>{4.});
  const auto     result = Newton(device, problem, 1, options).solve(x, {1e-12, 30, "roots"});
  EXPECT_NEAR(to_host(x)[0], std::sqrt(2.), 1e-12);
  ASSERT_EQ(result.history.size(), problem.kinds.size());
  double last = result.initial_residual, tolerance = 0.1;
  bool   begun = false;
  for (std::size_t k = 0; k < result.history.size(); ++k)
    {
      const auto &step = result.history[k];
      begun            = begun || last <= 0.1 * result.initial_residual;
      EXPECT_EQ(step.kind, begun ? Linearization::newton : Linearization::picard) << "step " << k;
      EXPECT_EQ(step.kind, problem.kinds[k]);
      EXPECT_DOUBLE_EQ(problem.tolerances[k], tolerance) << "step " << k;
      const double ratio = step.residual / last, enough = 0.5 * 1e-12 * result.initial_residual / step.residual;
      tolerance = std::min(0.1, std::max({1e-3, 0.9 * ratio * ratio, enough}));
      last      = step.residual;
    }
  EXPECT_EQ(result.history.front().kind, Linearization::picard);
  EXPECT_EQ(result.history.back().kind, Linearization::newton);
}

// A derivative of the wrong sign where Newton's step is to be taken first: five of Picard's lead away from there.
TEST(Newton, PicardsStepsRescueIt)
{
  const Device  device = Device::host(1);
  NewtonOptions options;
  options.rescues = 1;
  Equations problem(device, square_minus_two, [](double x) { return x > 3. ? -2. * x : 2. * x; });
  problem.picard = 8.;
  Vector<double> x(device, Array<double>{4.});
  Newton(device, problem, 1, options).solve(x, {1e-12, 30, "roots"});
  EXPECT_NEAR(to_host(x)[0], std::sqrt(2.), 1e-12);
  std::vector<Linearization> expected(7, Linearization::picard);
  expected.front() = expected.back() = Linearization::newton;
  ASSERT_GE(problem.kinds.size(), expected.size());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), problem.kinds.begin()));
  options.rescues = 0;
  expect_error<SolverError>(
    [&] {
      Vector<double> y(device, Array<double>{4.});
      Newton(device, problem, 1, options).solve(y, {1e-12, 30, "the test"});
    },
    {"the test", "no step"});
}

// |x³ - 3 x² + 2.5 x| has a least value at 1.41, beside the root 0. Ten of Picard's steps are too few to get past it.
TEST(Newton, PicardsStepsLeadPastALeastResidual)
{
  const Device  device = Device::host(1);
  NewtonOptions options;
  options.rescues      = 1;
  options.max_halvings = 6;
  Equations problem(
    device, [](double x) { return x * (x * (x - 3.) + 2.5); }, [](double x) { return x * (3. * x - 6.) + 2.5; });
  problem.picard = 4.;
  Vector<double> x(device, Array<double>{3.});
  const auto     result = Newton(device, problem, 1, options).solve(x, {1e-12, 30, "roots"});
  EXPECT_NEAR(to_host(x)[0], 0., 1e-11);
  EXPECT_EQ(std::count(problem.kinds.begin(), problem.kinds.end(), Linearization::picard), 12);
  EXPECT_EQ(result.steps, 22);
}

// F has no root, and the steps are small.
TEST(Newton, PicardsStagnationIsReported)
{
  const Device device = Device::host(1);
  Equations    problem(
       device, [](double x) { return -2. - std::sin(x) * 1e-3; }, [](double) { return 1.; });
  problem.picard = 1e3;
  NewtonOptions options;
  options.picard_until = 0.1;
  Vector<double> x(device, Array<double>{1.});
  expect_error<SolverError>(
    [&] {
      Newton(device, problem, 1, options).solve(x, {1e-12, 100, "the test"});
    },
    {"Picard's method, the test", "1%"});
}

// Messages name the method whose step came last; a problem whose J is another one than F' says which.
TEST(Newton, MessagesNameTheMethod)
{
  const Device  device = Device::host(1);
  NewtonOptions options;
  const auto    expect_named = [&](const std::string &method) {
    Equations problem(
         device, [](double x) { return x == 1. ? 1. : std::nan(""); }, [](double) { return 1.; });
    Vector<double> x(device, Array<double>{1.});
    expect_error<SolverError>(
      [&] {
        Newton(device, problem, 1, options).solve(x, {1e-12, 100, "the test"});
      },
      {method + ", the test"});
  };
  expect_named("Newton's method");
  options.method = "Another method";
  expect_named("Another method");
  options.picard_until = 0.1;
  expect_named("Picard's method");
}

// A guess that is a solution but for rounding: no step makes it better, nor do as many as are allowed.
TEST(Newton, TakesASolutionForOne)
{
  const Device device = Device::host(1);
  Equations    problem(device, square_minus_two, [](double x) { return 2. * x; });
  for (const int max_iterations : {0, 1, 10})
    {
      Vector<double> x(device, Array<double>{std::sqrt(2.), -std::sqrt(2.)});
      const auto     result = Newton(device, problem, 2).solve(x, {1e-8, max_iterations, "the test"});
      EXPECT_LE(result.steps, max_iterations);
      EXPECT_LE(result.final_residual, 2e-15);
      EXPECT_NEAR(to_host(x)[0], std::sqrt(2.), 1e-15);
    }
  // Nor does a problem that accepts any step take more than one from there.
  struct AnyStep : Equations
  {
    using Equations::Equations;
    bool accepts(const NewtonTrial &) override { return true; }
  };
  AnyStep        accepting(device, square_minus_two, [](double y) { return 2. * y; });
  Vector<double> at(device, Array<double>{std::sqrt(2.), -std::sqrt(2.)});
  EXPECT_LE(Newton(device, accepting, 2).solve(at, {1e-8, 25, "the test"}).steps, 2);
  // From further away: as close as numbers are.
  Vector<double> x(device, Array<double>{1.});
  EXPECT_LE(Newton(device, problem, 1).solve(x, {1e-20, 30, "the test"}).final_residual, 1e-15);
  // Nor is what falls with each step, at the limit of steps.
  Equations slow(
    device, [](double y) { return y - 1e6; }, [](double) { return 1.25; });
  for (const int max_iterations : {9, 10})
    expect_error<SolverError>(
      [&] {
        Vector<double> y(device, Array<double>{1e6 + 0.01});
        Newton(device, slow, 1).solve(y, {1e-12, max_iterations, "the test"});
      },
      {"limit of steps"});
  // What is small beside the first guess only is none.
  Equations wrong(device, square_minus_two, [](double x) { return -2. * x; });
  expect_error<SolverError>(
    [&] {
      Vector<double> near(device, Array<double>{std::sqrt(2.) + 1e-9});
      Newton(device, wrong, 1).solve(near, {1e-8, 10, "the test"});
    },
    {"no step"});
}

// ‖F‖² is zero long before F is.
TEST(Newton, TinyResidualsAreNotZero)
{
  const Device device = Device::host(1);
  Equations    problem(
       device, [](double x) { return x * x - 1e-200; }, [](double x) { return 2. * x; });
  Vector<double> x(device, Array<double>{3e-100, 2e-100});
  Newton(device, problem, 2).solve(x, {1e-12, 20, "tiny roots"});
  for (const double root : to_host(x))
    EXPECT_NEAR(root, 1e-100, 1e-111);
}
