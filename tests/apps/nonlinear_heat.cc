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
  const std::string tight = "Heat/Newton tolerance=1e-10", strong = "Heat/Conductivity=0.1*(1+4*u^2)";
  const auto        newton = solve(2, 5, 0, 0.1, {tight, strong}),
             picard        = solve(2, 5, 0, 0.1, {tight, strong, "Heat/Newton=false", "Heat/Newton steps=60"});
  EXPECT_NEAR(newton.l2(), picard.l2(), 1e-7 * newton.l2());
  EXPECT_LT(newton.record.at("newton_steps"), 0.6 * picard.record.at("newton_steps").get<double>());
  EXPECT_LE(newton.record.at("newton_steps").get<int>(), 5 * 8) << "of 8 time steps";
}

// Levels by cells have means of the terms in each cell. Where these are constant all steps are equal. Elsewhere
// they lead to the same solution: Picard's method in as many steps, Newton's method in more on coarse meshes.
TEST_F(NonlinearHeat, ByCellsAsByRows)
{
  const std::vector<std::string> common = {"Heat/Newton tolerance=1e-10", "Linear solver/Coarsest level cells=20",
                                           "Linear solver/Products=rows"};
  for (const int dimension : {2, 3})
    for (const std::string variant : {"Heat/Conductivity=0.3", "Heat/Newton=false", "Heat/Newton=true"})
      {
        if (dimension == 3 && variant != "Heat/Newton=true") // which takes all that the others do
          continue;
        SCOPED_TRACE("dimension " + std::to_string(dimension) + ", " + variant);
        const bool constant = variant == "Heat/Conductivity=0.3";
        auto       settings = common;
        settings.push_back(variant);
        const auto rows  = solve(dimension, dimension == 2 ? 4 : 2, 2, 0.2, settings);
        settings[2]      = "Linear solver/Products=cells";
        const auto cells = solve(dimension, dimension == 2 ? 4 : 2, 2, 0.2, settings);
        EXPECT_GT(cells.record.at("levels_by_cells"), 0);
        EXPECT_EQ(cells.record.at("levels_by_cells").get<std::size_t>(), cells.record.at("levels").size() - 1);
        EXPECT_EQ(cells.record.at("levels").back().at("nonzeros"), 0);
        EXPECT_NEAR(cells.l2() / rows.l2(), 1., constant ? 1e-10 : 1e-7);
        const int steps = rows.record.at("newton_steps"), of_cells = cells.record.at("newton_steps");
        EXPECT_NEAR(of_cells, steps, constant ? 0 : variant == "Heat/Newton=true" ? steps : 0.1 * steps);
        if (constant)
          {
            EXPECT_EQ(cells.record.at("iterations"), rows.record.at("iterations"));
          }
      }
  const std::string by_cells = "Linear solver/Products=cells";
  expect_refused({by_cells, "Heat/Degree=2"}, "Heat/Degree = 1");
  expect_refused({by_cells, "Heat/Flux=1: -u"}, "no Heat/Flux or Robin");
  // On a fine mesh Newton's method takes as many steps as with rows.
  std::vector<std::string> fine = {"Linear solver/Products=rows", "Heat/Newton steps=20"};
  const auto               rows = solve(2, 6, 0, 0.4, fine);
  fine[0]                       = by_cells;
  EXPECT_EQ(solve(2, 6, 0, 0.4, fine).record.at("newton_steps"), rows.record.at("newton_steps"));
}

TEST_F(NonlinearHeat, TutorialIsTheDefault)
{
  const auto built_in = start({"--print-parameters"}), shipped = start({NONLINEAR_HEAT_PRM, "--print-parameters"});
  EXPECT_EQ(shipped.code, 0) << shipped.err;
  EXPECT_EQ(built_in.out, shipped.out);
}

// All terms depend on the solution, place and time; the source is made of the exact solution.
TEST_F(NonlinearHeat, TermsOfAllKindsKeepTheOrder)
{
  for (const int dimension : {2, 3})
    for (const int degree : {1, 2})
      {
        const std::string exact = std::string("sin(x+2*y") + (dimension == 3 ? "-z" : "") + ")*(1+0.3*cos(3*t))";
        const std::vector<std::string> terms = {"Heat/Conductivity=0.2*(1+0.5*u^2+0.3*x*t)",
                                                "Heat/Heat capacity=1+0.2*sin(u)+0.1*y",
                                                "Heat/Exact solution=" + exact,
                                                "Heat/Degree=" + std::to_string(degree),
                                                "Heat/End time=" + std::string(degree == 1 ? "0.4" : "0.2"),
                                                "Heat/Newton tolerance=1e-9"};
        const int                      n     = dimension == 2 ? 3 : degree == 1 ? 2 : 1;
        const double                   dt = degree == 1 ? 0.04 : 0.02, coarse = solve(dimension, n, 1, dt, terms).l2(),
                     fine = solve(dimension, n + 1, 1, degree == 1 ? dt / 2 : 0.00625, terms).l2();
        EXPECT_GT(std::log2(coarse / fine), degree + 0.85)
          << dimension << "D, degree " << degree << ": " << coarse << ", " << fine;
      }
}

// A flux that depends on u, Robin's condition with a factor that does, and boundaries that are insulated.
TEST_F(NonlinearHeat, FluxesThatDependOnTheSolution)
{
  const std::string              u = "(1+0.5*sin(x)*cos(2*t)+0.2*y*y)", k = "0.5*(1+" + u + ")";
  const std::vector<std::string> problem = {"Heat/Exact solution=" + u,
                                            "Heat/Conductivity=0.5*(1+u)",
                                            "Heat/Heat capacity=1+0.1*u",
                                            "Heat/Boundary values=0: " + u,
                                            "Heat/Flux=1: " + k + "*0.5*cos(x)*cos(2*t)+" + u + "^4-u^4, 3: " + k +
                                              "*0.4*y+sin(" + u + ")-sin(u)",
                                            "Heat/Robin=2: 2+u; " + u,
                                            "Heat/Newton tolerance=1e-10",
                                            "Heat/End time=0.4"};
  const auto                     coarse = solve(2, 3, 1, 0.04, problem), fine = solve(2, 4, 1, 0.02, problem);
  EXPECT_NEAR(std::log2(coarse.l2() / fine.l2()), 2., 0.15) << "errors " << coarse.l2() << ", " << fine.l2();
  EXPECT_LE(fine.record.at("newton_steps"), 3.3 * 20) << "the derivatives are those of the terms";
}

// Picard's matrix keeps the factor of Robin's condition: a linear problem takes one step. A flux may have an infinite
// slope at the initial values, and no value at t = 0.
TEST_F(NonlinearHeat, FluxesThatNeedCare)
{
  const auto steps = [&](const std::vector<std::string> &more) {
    std::vector<std::string> settings = {"Heat/Source=0", "Heat/Conductivity=1", "Heat/Exact solution="};
    settings.insert(settings.end(), more.begin(), more.end());
    return solve(2, 3, 0, 0.1, settings).record.at("newton_steps").get<int>();
  };
  EXPECT_LE(steps({"Heat/Newton=false", "Heat/Boundary values=0: 1", "Heat/Initial values=1", "Heat/Robin=1: 100; 0"}),
            16);
  EXPECT_LE(steps({"Heat/Boundary values=0: 20+50*t", "Heat/Initial values=20", "Heat/Robin=1: 2*abs(u-20)^0.25; 20"}),
            48);
  EXPECT_LE(steps({"Heat/Boundary values=0: 1", "Heat/Initial values=1", "Heat/Flux=1: -u/t"}), 16);
}

TEST_F(NonlinearHeat, SourcesThatDependOnTheSolution)
{
  const std::string u       = "sin(x+2*y)*(1+0.3*cos(3*t))";
  const auto        problem = [&](int n, double dt) {
    return solve(2, n, 1, dt,
                        {"Heat/Exact solution=" + u, "Heat/Initial values=" + u, "Heat/Boundary values=" + u,
                  "Heat/Conductivity=0.1", "Heat/Newton tolerance=1e-10", "Heat/End time=0.4",
                  "Heat/Source=-u^3-0.9*sin(3*t)*sin(x+2*y)+0.5*" + u + "+(" + u + ")^3"})
      .l2();
  };
  EXPECT_NEAR(std::log2(problem(3, 0.04) / problem(4, 0.02)), 2., 0.15);
}

TEST_F(NonlinearHeat, ShippedProblems)
{
  const auto error = [&](const std::vector<std::string> &settings) {
    std::vector<std::string> arguments = {NONLINEAR_HEAT_RODS, "--backend", "host", "--threads", "2"};
    for (const auto &setting : settings)
      arguments.insert(arguments.end(), {"--set", setting});
    const auto outcome = start(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.l2();
  };
  EXPECT_LT(error({}), 2e-4);
  EXPECT_NEAR(std::log2(error({"Heat/Refinements=3"}) / error({"Heat/Refinements=4"})), 2., 0.15);
}

TEST_F(NonlinearHeat, TermsThatCannotBe)
{
  const std::string numbers = "has values that are no numbers";
  expect_refused({"Heat/Conductivity=k"}, "Heat/Conductivity = k");
  expect_refused({"Heat/Conductivity=u+"}, "Heat/Conductivity = u+");
  expect_refused({"Heat/Conductivity=u=1"}, "assigns a value");
  expect_refused({"Heat/Conductivity=u/0"}, "Heat/Conductivity, at the initial values, " + numbers);
  expect_refused({"Heat/Conductivity=-1"}, "Heat/Conductivity is negative at the initial values");
  expect_refused({"Heat/Heat capacity=0.5-u"}, "Heat/Heat capacity is negative");
  expect_refused({"Heat/Conductivity=3: 1"}, "no entry for material 0");
  expect_refused({"Heat/Conductivity=1, 2"}, "both have no material in front");
  expect_refused({"Heat/Source=foo(u)"}, "Heat/Source = foo(u)");
  expect_refused({"Heat/Conductivity=1: 5, 0.01"}, "the mesh has no material 1");
  expect_refused({"Heat/Dimension=3", "Heat/Exact solution=sin(x+2*y)*cos(z*x)*(1+t)*exp(-(x-t)^2-(y-t)^2)/(1+x^2+y^2)",
                  "Heat/Conductivity=exp(-u)*(1+u^2+u^3)/(1+u^4)+max(u,1,u^2,sin(u))"},
                 "Heat/Source: the expression has ");
  expect_refused({"Heat/Flux=7: 1"}, "Heat/Flux: the mesh has no boundary 7");
  expect_refused({"Heat/Flux=1: sqrt(u-5)"}, numbers);
  expect_refused({"Heat/Robin=1: 2"}, "alpha and u_out");
  expect_refused({"Heat/Exact solution=u"}, "Heat/Exact solution = u");
  expect_refused({"Heat/Exact solution="}, "Heat/Exact solution is empty");
}

TEST_F(NonlinearHeat, TooFewStepsAreSaid)
{
  const auto outcome = start({"--set", "Heat/Newton steps=1", "--set", "Heat/Conductivity=0.1*(1+10*u^2)"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("limit of steps"), std::string::npos) << outcome.err;
}
} // namespace
