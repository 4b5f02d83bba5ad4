// Operations that are launched together, as in a time step.

#include "solvers/cg.h"
#include "solvers/gmres.h"
#include "support/errors.h"
#include "support/krylov.h"

using namespace adamant;
using namespace adamant::test;

namespace
{
// Time steps with two vectors that change places.
struct Steps
{
  Steps(const Device &device, KrylovMethod &method, const Values &b)
    : device(device)
    , method(method)
    , b(to_device(device, b))
    , u(device, b.size())
    , u_old(device, b.size())
    , rhs(device, b.size())
    , x(device, b.size())
  {
    u.set_zero();
    u_old.set_zero();
  }

  // It repeats the operations of the step before last where the shift has not changed.
  PendingResult advance(double shift)
  {
    std::swap(u, u_old);
    device.copy(b, rhs);
    device.axpby(1e-3, u_old, 1., rhs);
    device.axpby(5e-4, u, 1., rhs);
    device.scale(1. + shift, rhs);
    x.set_zero();
    return method.launch(rhs, x, SolverControl(), [this] { device.copy(x, u); });
  }

  const Device  &device;
  KrylovMethod  &method;
  Vector<double> b, u, u_old, rhs, x;
};

class TimeSteps : public DeviceTest
{
protected:
  const Levels levels = q1_levels(2, 4, 4);
};
INSTANTIATE_TEST_SUITE_P(Devices, TimeSteps, all_places, place_name);
} // namespace

// Steps whose operations are launched together give to the bit what others give, before and after they have become one
// launch, and where one of them is another one.
TEST_P(TimeSteps, LaunchedTogether)
{
  const System p(device, levels, MultigridOptions());
  const Values b           = random_values(levels.n_rows(), 1);
  const auto   expect_same = [&](const char *name, KrylovMethod &one, KrylovMethod &other) {
    Steps         steps(device, one, b), expected(device, other, b);
    const int     before = device.interface().n_recorded();
    PendingResult last;
    for (int i = 0; i < 400; ++i)
      {
        const bool   usual = i % 7 != 3;
        const double shift = usual ? 0.25 : 0.25 + 1e-3 * i;
        const auto   run   = [&] {
          if (usual)
            return steps.advance(shift);
          Vector<double> copy(device, steps.u.size()); // is not given back before all that waits is launched
          device.copy(steps.u, copy);
          device.copy(copy, steps.u);
          return steps.advance(shift);
        };
        const auto result = device.together(run);
        last.wait(); // while this one is under way
        last                 = result;
        const auto reference = expected.advance(shift).wait();
        if (i % 100 > 97 || i < 3)
          {
            EXPECT_EQ(last.wait().iterations, reference.iterations) << name << ", step " << i;
            expect_near(values_of(steps.u), values_of(expected.u), 0., name);
          }
      }
    EXPECT_GT(norm(values_of(steps.u)), 0.) << name;
    const int recorded = device.interface().n_recorded() - before;
    EXPECT_EQ(recorded > 0, place == Place::cuda) << name << ": " << recorded << " sequences are one launch";
  };
  CG cg(device, p.A, p.M), cg_alone(device, p.A, p.M);
  expect_same("CG", cg, cg_alone);
  GMRES gmres(device, p.A, p.M), gmres_alone(device, p.A, p.M);
  expect_same("GMRES", gmres, gmres_alone);
}

TEST_P(TimeSteps, AnErrorLosesNothingThatCameBefore)
{
  const Values   v = random_values(1000, 1);
  auto           x = to_device(device, v);
  Vector<double> y(device, x.size());
  expect_error<RunError>(
    [&] {
      device.together([&]() -> int {
        device.copy(x, y);
        throw RunError("in between");
      });
    },
    {"in between"});
  device.scale(2., x);
  expect_near(values_of(y), v, 0., "the copy");
}
