// The functors of a step, on numbers that one can follow by hand.
#include "flow/flow_functors.h"

#include <gtest/gtest.h>

// Steps 2 and 3 of Algorithm 4, by hand: of the mass 2 at two nodes, g integrates to 3 and q to 8.
TEST(NavierStokesFunctors, PressureIncrementAndUpdate)
{
  const double mass[] = {2, 2}, inverse_mass[] = {0.5, 0.5}, g[] = {2, 1}, sum = 3, integral = 8;
  double       b[2], q[] = {3, 1}, p[] = {10, 20}, s[2];
  for (int k = 0; k < 2; ++k)
    {
      adamant::PressureRhs{0.1, 4., g, mass, &sum, b}(k);
      adamant::PressureUpdate{0.25, nullptr, 4., g, inverse_mass, &integral, q, p, s}(k);
    }
  const double b_expected[] = {-5, 5}, q_expected[] = {1, -1}, p_expected[] = {10.75, 18.875},
               s_expected[] = {11.75, 17.875};
  for (int k = 0; k < 2; ++k)
    {
      EXPECT_NEAR(b[k], b_expected[k], 1e-12) << "expected -(g - mean) / dt at node " << k;
      EXPECT_NEAR(q[k], q_expected[k], 1e-12) << "expected q without its mean at node " << k;
      EXPECT_NEAR(p[k], p_expected[k], 1e-12) << "expected p + q - nu g / m at node " << k;
      EXPECT_NEAR(s[k], s_expected[k], 1e-12) << "expected the new p + q at node " << k;
    }
  adamant::PressureUpdate{0.25, nullptr, 4., g, inverse_mass, nullptr, q, p, s}(0);
  EXPECT_NEAR(q[0], 1., 1e-12) << "expected q as it is where an outflow fixes the pressure";
}
