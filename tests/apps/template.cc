// The application to copy, as a user meets it. Its exact solution is linear in time, so that backward Euler adds no
// error and the error is that of the elements, whatever the time step.
#include "program.h"

#include <cmath>

namespace
{
class Template : public Program
{
protected:
  Template()
    : Program(TEMPLATE)
  {}

  Outcome solve(int dimension, int degree, int refinements, int cycles, double dt, const std::string &kappa = "0.1")
  {
    return run({"Heat/Dimension=" + std::to_string(dimension), "Heat/Degree=" + std::to_string(degree),
                "Heat/Refinements=" + std::to_string(refinements), "Heat/Adaptive cycles=" + std::to_string(cycles),
                "Heat/Time step=" + std::to_string(dt), "Heat/End time=1", "Heat/Output interval=1000",
                "Heat/Conductivity=" + kappa, "Heat/Reaction=3", "Linear solver/Tolerance=1e-10"});
  }
};

TEST_F(Template, OrderOfTheElements)
{
  for (const int degree : {1, 2})
    for (const int dimension : {2, 3})
      {
        const int    n      = dimension == 2 ? 4 : 4 - degree;
        const double coarse = solve(dimension, degree, n, 0, 0.5).l2(),
                     fine   = solve(dimension, degree, n + 1, 0, 0.5).l2();
        EXPECT_NEAR(std::log2(coarse / fine), degree + 1., 0.2)
          << "degree " << degree << ", dimension " << dimension << ": errors " << coarse << ", " << fine;
      }
}

TEST_F(Template, TimeAddsNoError)
{
  const double one = solve(2, 2, 4, 0, 1.).l2(), ten = solve(2, 2, 4, 0, 0.1).l2();
  EXPECT_NEAR(one / ten, 1., 0.3) << "errors after one step and after ten: " << one << ", " << ten;
  EXPECT_LT(one, 1e-3) << "a solution of size 2";
}

TEST_F(Template, HangingNodesCostNoAccuracy)
{
  const auto uniform = solve(2, 1, 4, 0, 0.25), adaptive = solve(2, 1, 4, 3, 0.25), fine = solve(2, 1, 6, 0, 0.25);
  EXPECT_LT(adaptive.record.at("cells"), 0.5 * fine.record.at("cells").get<double>());
  EXPECT_LT(adaptive.l2(), 0.25 * uniform.l2()) << "the mesh is refined where the blob is";
  EXPECT_LE(adaptive.mean_iterations(), 10.);
}

TEST_F(Template, TutorialIsTheDefault)
{
  const auto built_in = start({"--print-parameters"}), shipped = start({TEMPLATE_PRM, "--print-parameters"});
  EXPECT_EQ(shipped.code, 0) << shipped.err;
  EXPECT_EQ(built_in.out, shipped.out);
}

TEST_F(Template, TutorialWritesItsFiles)
{
  const auto outcome = start({TEMPLATE_PRM, "--backend", "host", "--threads", "2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.record.at("application"), "template");
  EXPECT_EQ(outcome.record.at("steps"), 20);
  EXPECT_LT(outcome.l2(), 5e-3);
  for (const char *file :
       {"parameters.prm", "statistics.csv", "solution.pvd", "solution_0000.vtu", "solution_0004.vtu"})
    EXPECT_TRUE(std::filesystem::exists(outcome.folder + "/" + file)) << file;
  const std::string ours  = outcome.folder + "/parameters.prm";
  const auto        again = start({ours, "--output", outcome.folder, "--set", "Heat/End time=0.1"});
  EXPECT_EQ(again.code, 0) << again.err;
  const std::string all = read(ours);
  EXPECT_EQ(start({ours, "--output", outcome.folder}).code, 0);
  EXPECT_EQ(read(ours), all) << "expected that a run is repeated";
}

TEST_F(Template, AParameterFileIsNotReplaced)
{
  const std::string mine = "# mine\nsubsection Heat\n  set End time = 0.1\nend\n";
  write("parameters.prm", mine);
  const auto outcome = start({"parameters.prm", "--output", "."});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("parameters.prm, which no run has written"), std::string::npos) << outcome.err;
  EXPECT_EQ(read(outcome.folder + "/parameters.prm"), mine);
}

TEST_F(Template, OtherPreconditionersAreRefused)
{
  const auto outcome = start({"--set", "Linear solver/Preconditioner=trilinos_amg"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("this program has multigrid only"), std::string::npos) << outcome.err;
}
} // namespace
