// The Stokes program, as a user meets it: against exact solutions, against an independent program, and against itself.
#include "program.h"

#include <cmath>
#include <string>
#include <vector>

namespace
{
using Settings = std::vector<std::string>;

class Stokes : public Program
{
protected:
  Stokes()
    : Program(STOKES)
  {}

  // n velocity cells in each direction, `coarse` of them coarse cells times a power of two.
  Outcome solve(const std::string &name, int dimension, int n, Settings more = {}, int coarse = 1)
  {
    int refinements = 0;
    for (int cells = 2 * coarse; cells < n; cells *= 2)
      ++refinements;
    const std::string cells = std::to_string(coarse);
    Settings settings       = {"Problem/Case=" + name,
                               "Problem/Dimension=" + std::to_string(dimension),
                               "Mesh/Cells=" + cells + ", " + cells + ", " + cells,
                               "Mesh/Refinements=" + std::to_string(refinements),
                               "Output/Files=false"};
    settings.insert(settings.end(), more.begin(), more.end());
    return run(settings, 2);
  }

  static int iterations(const Outcome &outcome) { return outcome.max_iterations(); }
  static double at_centre(const Outcome &outcome, int component)
  {
    return outcome.record.at("velocity_at_points")[component];
  }

  // A run that has to be refused with this message.
  void expect_refused(const Settings &settings, const std::string &message, int code = 2)
  {
    std::vector<std::string> arguments = {"--backend", "host", "--threads", "1"};
    for (const auto &setting : settings)
      arguments.insert(arguments.end(), {"--set", setting});
    const auto outcome = start(arguments);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  }
};

// Errors of an independent program for the same elements (n = 16, 32, 64), to its digits.
TEST_F(Stokes, SolCxErrors)
{
  const double u[] = {6.0186e-5, 1.5161e-5, 3.7891e-6}, p[] = {1.4620e-2, 1.0046e-2, 6.9963e-3};
  for (int k = 0; k < 3; ++k)
    {
      const auto outcome = solve("solcx", 2, 16 << k, {"Linear solver/Tolerance=1e-9"});
      EXPECT_NEAR(outcome.record.at("errors").at("u_l2"), u[k], 1e-4 * u[k]);
      EXPECT_NEAR(outcome.record.at("errors").at("p_l2"), p[k], 1e-4 * p[k]);
      EXPECT_LE(iterations(outcome), 16);
    }
}
} // namespace
