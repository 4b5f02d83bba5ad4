// The weights of time steps. Tests of the program buoyant_flow have the equation.
#include "heat/step_weights.h"

#include <gtest/gtest.h>

using adamant::BackwardDifference;

namespace
{
// t² at -1/r, 0 and 1, in units of the last step: its derivative at the end is 2 t.
TEST(StepWeights, BDF2IsExactForQuadraticFunctions)
{
  for (const double ratio : {0.5, 1., 1.5})
    for (const double shift : {0., 2.})
      {
        const auto   w        = BackwardDifference::second(ratio);
        const double t[]      = {shift + 1., shift, shift - 1. / ratio};
        const double expected = 2. * t[0];
        EXPECT_NEAR(w.a0 * t[0] * t[0] + w.a1 * t[1] * t[1] + w.a2 * t[2] * t[2], expected, 1e-13);
        EXPECT_NEAR(w.a0 + w.a1 + w.a2, 0., 1e-15);
      }
}
} // namespace
