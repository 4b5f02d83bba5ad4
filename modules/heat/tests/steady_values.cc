// When a flow in time is steady.
#include "heat/steady_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using adamant::SteadyValues;

namespace
{
// A slow mode: exp(-t) has changed by 10 % over a tenth of the time t = 1, whatever the step.
TEST(SteadyValues, LooksBackOverATenthOfTheTime)
{
  SteadyValues state;
  for (int k = 1; k <= 1000; ++k)
    state.add(1e-3 * k, std::exp(-1e-3 * k), {{3, 1.}});
  EXPECT_NEAR(state.change(), 1. - std::exp(-0.1), 2e-3);
  EXPECT_LE(state.times.size(), 102u);
}

TEST(SteadyValues, LooksBackOverTwentySteps)
{
  SteadyValues state;
  for (int k = 1; k <= 20; ++k)
    {
      state.add(k, 1., {{2, k == 3 ? 2. : 1.}});
      EXPECT_EQ(state.change(), std::numeric_limits<double>::infinity());
    }
  state.add(21., 1., {{2, 1.}});
  EXPECT_EQ(state.change(), 0.5);
  for (int k = 22; k < 25; ++k)
    state.add(k, 1., {{2, 1.}});
  EXPECT_EQ(state.change(), 0.);
}

// What solvers leave of a flow that has decayed is steady, however it changes. So is a flux that is zero by symmetry.
TEST(SteadyValues, NoiseIsAtRest)
{
  SteadyValues state;
  for (int k = 0; k <= 200; ++k)
    state.add(k, std::exp(-k) + 1e-9 * (k % 2), {{2, 1.}, {3, 1e-12 * (k % 3 - 1)}});
  EXPECT_LT(state.change(), 1e-4);
  EXPECT_GT(state.change(), 0.);
}

TEST(SteadyValues, ANumberThatIsZeroStaysSo)
{
  SteadyValues state;
  for (int k = 1; k <= 30; ++k)
    state.add(k, 0., {});
  EXPECT_EQ(state.change(), 0.);
}
} // namespace
