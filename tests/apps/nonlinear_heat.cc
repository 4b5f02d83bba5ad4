// The nonlinear heat equation, as a user meets it, against its exact solution.
#include "program.h"

#include <cmath>

namespace
{
class NonlinearHeat : public Program
{
protected:
  NonlinearHeat()
    : Program(NONLINEAR_HEAT)
  {}

  Outcome solve(int dimension, int refinements, int cycles, double dt, const std::vector<std::string> &more = {})
  {
    std::vector<std::string> settings = {"Heat/Dimension=" + std::to_string(dimension),
                                         "Heat/Refinements=" + std::to_string(refinements),
                                         "Heat/Adaptive cycles=" + std::to_string(cycles),
                                         "Heat/Time step=" + std::to_string(dt),
                                         "Heat/End time=0.8",
                                         "Heat/Output interval=1000",
                                         "Linear solver/Tolerance=1e-10"};
    settings.insert(settings.end(), more.begin(), more.end());
    return run(settings);
  }
};

TEST_F(NonlinearHeat, SecondOrderInSpaceAndTime)
{
  for (const int dimension : {2, 3})
    {
      const int    n      = dimension == 2 ? 4 : 3;
      const double coarse = solve(dimension, n, 0, 0.1).l2(), fine = solve(dimension, n + 1, 0, 0.05).l2();
      EXPECT_NEAR(std::log2(coarse / fine), 2., 0.15)
        << "dimension " << dimension << ": errors " << coarse << ", " << fine << " of half the width and time step";
    }
}

TEST_F(NonlinearHeat, HangingNodesCostNoAccuracy)
{
  const auto uniform = solve(2, 4, 0, 0.05), adaptive = solve(2, 4, 3, 0.05), fine = solve(2, 6, 0, 0.05);
  EXPECT_LT(adaptive.record.at("cells"), 0.5 * fine.record.at("cells").get<double>());
  EXPECT_LT(adaptive.l2(), 0.3 * uniform.l2()) << "the mesh is refined where the blob is";
}

// Both solve the same equations; Newton's method needs fewer steps.
TEST_F(NonlinearHeat, NewtonAndPicardAgree)
{
  const std::string tight = "Heat/Newton tolerance=1e-10", strong = "Heat/Growth of conductivity=4";
  const auto        newton = solve(2, 5, 0, 0.1, {tight, strong}),
             picard        = solve(2, 5, 0, 0.1, {tight, strong, "Heat/Newton=false", "Heat/Newton steps=60"});
  EXPECT_NEAR(newton.l2(), picard.l2(), 1e-7 * newton.l2());
  EXPECT_LT(newton.record.at("newton_steps"), 0.6 * picard.record.at("newton_steps").get<double>());
  EXPECT_LE(newton.record.at("newton_steps").get<int>(), 5 * 8) << "of 8 time steps";
}

TEST_F(NonlinearHeat, TutorialIsTheDefault)
{
  const auto built_in = start({"--print-parameters"}), shipped = start({NONLINEAR_HEAT_PRM, "--print-parameters"});
  EXPECT_EQ(shipped.code, 0) << shipped.err;
  EXPECT_EQ(built_in.out, shipped.out);
}

TEST_F(NonlinearHeat, TooFewStepsAreSaid)
{
  const auto outcome = start({"--set", "Heat/Newton steps=1", "--set", "Heat/Growth of conductivity=10"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("limit of steps"), std::string::npos) << outcome.err;
}
} // namespace
