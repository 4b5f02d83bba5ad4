// Load steps that are halved: how many are left.
#include "solid/newton/load_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace
{
using adamant::LoadSteps;
using adamant::SolverError;

const auto no_cause = [] { return std::string(); };

// After each step so many follow as were told, where none of these fails. The first step is halved five times.
TEST(LoadSteps, AreLeft)
{
  LoadSteps steps(0.1, 1., "load step");
  EXPECT_EQ(steps.left(0.), 10u);
  double       time = 0.;
  unsigned int left = 0;
  for (unsigned int n = 0; time < 1.; ++n)
    {
      const double start = time;
      time               = steps.next(start);
      const auto take    = [&] {
        if (time > 0.0032 && start == 0.)
          throw SolverError("too long");
        return 3;
      };
      steps.take(start, time, take, no_cause);
      if (n > 0)
        EXPECT_EQ(steps.left(time), left - 1);
      left = steps.left(time);
    }
  EXPECT_EQ(left, 0u);
}

// Steps up to a multiple of the usual one do not depend on the end, to the bit, however steps were halved.
TEST(LoadSteps, DoNotDependOnTheEnd)
{
  const auto times = [](double stop) {
    std::vector<double> result;
    LoadSteps           steps(0.1, stop, "time step");
    for (double time = 0., start; time < stop; result.push_back(time))
      {
        time            = steps.next(start = time);
        const auto take = [&] {
          if (start > 0.28 && start < 0.37 && time - start > 0.03)
            throw SolverError("too long");
          return 3;
        };
        steps.take(start, time, take, no_cause);
      }
    return result;
  };
  EXPECT_EQ(LoadSteps::multiple(3, 0.1), 0.3); // the product of these numbers is larger
  const auto all = times(LoadSteps::multiple(30, 0.1));
  for (int n = 1; n < 30; ++n)
    {
      const auto some = times(LoadSteps::multiple(n, 0.1));
      EXPECT_EQ(some, std::vector<double>(all.begin(), all.begin() + std::min(some.size(), all.size()))) << n;
    }
}

// A step that fails leaves no trace: another load begins with its length.
TEST(LoadSteps, KeepTheirLengthWhereAllFails)
{
  LoadSteps  steps(0.25, 1., "load step");
  double     time = steps.next(0.);
  const auto take = []() -> int { throw SolverError("no"); };
  EXPECT_THROW(steps.take(0., time, take, no_cause), SolverError);
  EXPECT_DOUBLE_EQ(steps.next(0.), 0.25);
  EXPECT_EQ(steps.left(0.), 4u);
}
} // namespace
