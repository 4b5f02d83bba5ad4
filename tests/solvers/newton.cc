// Newton's method on small systems whose solutions are known.
#include "solvers/newton.h"

#include "support/devices.h"
#include "support/errors.h"

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
  void         linearize(const Vector<double> &x) override { at = to_host(x); }
  SolverResult solve(const Vector<double> &r, Vector<double> &d) override
  {
    auto values = to_host(r);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] /= derivative(at[i]);
    d.upload(values.data());
    return {1, 0, 0};
  }

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
  expect_error<SolverError>([&] { solve([](double) { return std::nan(""); }, [](double) { return 1.; }); },
                            {"the test", "no numbers"});
  expect_error<SolverError>([&] { solve(square_minus_two, [](double) { return 50.; }); },
                            {"the test", "limit of steps"});
}
