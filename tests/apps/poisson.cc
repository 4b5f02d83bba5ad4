// The program for many right-hand sides: solvers against each other and the known solution, the ensemble's statistics,
// and refused input.

#include "program.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace
{
class Poisson : public Program
{
protected:
  Poisson()
    : Program(POISSON)
  {}

  double error_of(const Settings &settings) { return run(settings).record.at("error_against_double"); }

  const Settings square = {"Mesh/Refinements=5", "Schur complement/Coarse refinements=2", "Output/Files=false"};
  const Settings sines  = {"Problem/Source=(1+(s+1)^2)*pi^2*sin(pi*x)*sin((s+1)*pi*y)",
                           "Problem/Exact solution=sin(pi*x)*sin((s+1)*pi*y)", "Problem/Samples=4"};
  const Settings schur = {"Solver/Solver=schur"}, direct = {"Solver/Solver=fast_diagonalization"},
                 random = {"Problem/Source=random", "Problem/Samples=10"};
};

TEST_F(Poisson, SolversAgreeWithTheSolution)
{
  // ‖u - u_h‖ of order h²: about 1.2e-2 for s = 3 at h = 1/32.
  double errors[2][3];
  for (int fine = 0; fine < 2; ++fine)
    {
      const Settings mesh = square + sines + Settings{"Mesh/Refinements=" + std::to_string(5 + fine)};
      errors[fine][0]     = run(mesh).l2();
      errors[fine][1]     = run(mesh + direct).l2();
      errors[fine][2]     = run(mesh + schur).l2();
      for (const double error : errors[fine])
        EXPECT_NEAR(error, errors[fine][0], 1e-8) << "expected the same of all solvers";
    }
  EXPECT_NEAR(errors[0][0] / errors[1][0], 4., 0.2) << "expected second order";
}

TEST_F(Poisson, SolversAgreeOnAllProblems)
{
  for (const auto &problem : {Settings{"Problem/Natural boundaries=1, 2", "Mesh/Coordinates=2*x; y"},
                              Settings{"Problem/Dimension=3", "Mesh/Refinements=3", "Problem/Natural boundaries=5"}})
    for (const auto &solver : {Settings{}, direct, schur})
      EXPECT_LT(error_of(square + random + problem + solver), 1e-9) << problem[0];
  EXPECT_LT(error_of(square + random + schur + Settings{"Solver/Precision=float32"}), 1e-9) << "refinement";
  for (const auto &solver : {Settings{}, direct})
    EXPECT_LT(error_of(square + random + solver + Settings{"Problem/Natural boundaries=0, 1, 2, 3"}), 1e-9)
      << "expected that the constant is taken out";
  EXPECT_LT(error_of(square + random + direct + Settings{"Mesh/Coordinates=x^2+x; exp(y)"}), 1e-9) << "graded";
  const Settings triangles = {"Problem/Domain=flow_around_square", "Mesh/Refinements=4"};
  EXPECT_LT(error_of(square + random + schur + triangles), 1e-9) << "triangles";
  EXPECT_LT(error_of(square + random + Settings{"Mesh/Local refinements=1", "Mesh/Refine where=x-y"}), 1e-9);
}

TEST_F(Poisson, OneSolveHasTheErrorOfItsPrecision)
{
  const Settings one_solve = square + random + Settings{"Solver/Refinement tolerance=0"};
  for (const auto &solver : {direct, schur})
    {
      EXPECT_LT(error_of(one_solve + solver), 1e-12);
      const double error = error_of(one_solve + solver + Settings{"Solver/Precision=float32"});
      EXPECT_LT(error, 1e-5);
      EXPECT_GT(error, 1e-9) << "expected float";
      const double in_float =
        error_of(one_solve + solver + Settings{"Solver/Precision=float32", "Solver/Vectors=float32"});
      EXPECT_LT(in_float, 1e-5);
      EXPECT_NE(in_float, error) << "expected that right-hand sides are rounded";
    }
}

// FEAST's mixed precision: refinement in double around cycles in float is as good as all in double, all in float is not.
TEST_F(Poisson, RefinementAroundCyclesInFloat)
{
  const auto level_8 = [&](const Settings &settings) {
    return start({POISSON_PRM "/one_subdomain.prm", "--backend", "host", "--threads", "1", "--set",
                  "Solver/Repetitions=1", "--set", settings[0], "--set", settings.back()})
      .record;
  };
  const auto   in_double = level_8({"Solver/Precision=float64"});
  const double error     = in_double.at("errors").at("l2");
  int          fewest    = 100;
  for (const int cycles : {1, 2, 4})
    {
      const auto mixed = level_8({"Solver/Cycles=" + std::to_string(cycles)});
      EXPECT_NEAR(mixed.at("errors").at("l2").get<double>(), error, 1e-3 * error);
      EXPECT_LE(mixed.at("residual").get<double>(), 1e-10);
      const int refinements = mixed.at("applications");
      EXPECT_LT(refinements, fewest) << "expected fewer refinements with more cycles";
      EXPECT_LE(refinements, in_double.at("applications").get<int>() + 1) << "expected those in double, and one more";
      fewest = refinements;
      EXPECT_GT(mixed.at("transfer_seconds").get<double>(), 0.);
    }
  const auto in_float = level_8({"Solver/Refinement tolerance=0", "Solver/Cycles=20"});
  EXPECT_GT(in_float.at("errors").at("l2").get<double>(), 2. * error);
  EXPECT_FALSE(in_float.contains("residual")) << "one application computes none";
}

// Graded cells around a cylinder: lines turn from radial to circular, and the aspect ratio does not matter.
TEST_F(Poisson, SectorAroundACylinder)
{
  const auto sector = [&](const Settings &settings) {
    std::vector<std::string> arguments = {POISSON_PRM "/sector.prm", "--backend", "host", "--threads", "1"};
    for (const auto &setting : settings)
      arguments.insert(arguments.end(), {"--set", setting});
    return start(arguments);
  };
  const auto coarse = sector({"Mesh/Refinements=5"}), fine = sector({"Mesh/Refinements=6"});
  EXPECT_NEAR(coarse.l2() / fine.l2(), 4., 0.3) << "expected second order with prescribed values";
  EXPECT_LE(fine.max_iterations(), 6);
  EXPECT_GE(sector({"Mesh/Refinements=6", "Solver/Smoother=jacobi"}).max_iterations(), 15);
  const auto graded = [](const std::string &by) {
    const std::string r = "(0.05+0.15*(exp(" + by + "*x)-1)/(exp(" + by + ")-1))";
    return "Mesh/Coordinates=" + r + "*cos(pi/2*y); " + r + "*sin(pi/2*y)";
  };
  for (const char *by : {"1.1794", "4.4554", "9.8414"}) // 1, 10, 1000
    EXPECT_LE(sector({"Mesh/Refinements=6", graded(by)}).max_iterations(), 6) << by;
}

// With u given on the boundary all solvers find x y + 1 exactly, hanging nodes or not; the files have it there, too.
TEST_F(Poisson, BoundaryValues)
{
  const Settings bilinear = {"Problem/Source=0", "Problem/Boundary values=x*y+1", "Problem/Exact solution=x*y+1",
                             "Problem/Samples=3"};
  for (const auto &solver : {Settings{}, direct, schur, Settings{"Mesh/Local refinements=1", "Mesh/Refine where=x-y"}})
    EXPECT_LT(run(square + bilinear + solver).l2(), 1e-9);
}

// Stretched cells with one prescribed side: rounding allows no comparison at its tolerance, but the solve has its own.
TEST_F(Poisson, AComparisonThatFailsCostsNoSolution)
{
  const auto outcome =
    run({"Mesh/Cells=16, 1, 1", "Mesh/Refinements=3", "Problem/Natural boundaries=1, 2, 3", "Output/Files=false"});
  EXPECT_NE(outcome.out.find("note: nothing is compared. "), std::string::npos) << outcome.out;
  EXPECT_FALSE(outcome.record.contains("error_against_double"));
  EXPECT_LT(outcome.record.at("residual").get<double>(), 1e-9);
}

// 7 samples, 3 at once, give the same results as all at once; mean and deviation are computed by hand.
TEST_F(Poisson, StatisticsAreThoseOfTheSamples)
{
  const Settings samples  = {"Mesh/Refinements=3", "Problem/Source=(1+s)*x", "Problem/Samples=7"};
  const auto     in_parts = run(samples + Settings{"Solver/Columns at once=3"}), at_once = run(samples);
  EXPECT_EQ(in_parts.record.at("columns").get<int>(), 3);
  const auto rows = [&](const Outcome &outcome) {
    std::ifstream       in(outcome.folder + "/statistics.csv");
    std::vector<double> values;
    std::string         line;
    std::getline(in, line);
    EXPECT_EQ(line, "sample,root_mean_square");
    while (std::getline(in, line))
      values.push_back(std::stod(line.substr(line.find(',') + 1)));
    return values;
  };
  const auto parts = rows(in_parts), all = rows(at_once);
  ASSERT_EQ(all.size(), 7u);
  for (int s = 0; s < 7; ++s)
    {
      EXPECT_NEAR(all[s], (1 + s) * all[0], 1e-8 * all[s]) << "expected that solutions are multiples of the first";
      EXPECT_NEAR(parts[s], all[s], 1e-8 * all[s]);
    }
  // Sample s is (1 + s) times the first: mean 4, deviation √(28 / 6) times the first.
  const auto fields = [&](const Outcome &outcome, const std::string &name) {
    std::ifstream     in(outcome.folder + "/solution_0000.vtu");
    std::stringstream text;
    text << in.rdbuf();
    EXPECT_NE(text.str().find("Name=\"" + name + "\""), std::string::npos) << "expected the field " << name;
  };
  for (const char *name : {"first_sample", "mean", "standard_deviation"})
    fields(at_once, name);
}

TEST_F(Poisson, CountsOperationsAndConditions)
{
  const auto flop = run(square + random + direct).record.at("flop_per_dof").get<double>();
  EXPECT_NEAR(flop, 4. * 31 + 6., 1e-9) << "expected two products, and elimination";
  const Settings in_float = square + random + direct + Settings{"Solver/Precision=float32"};
  EXPECT_NEAR(run(in_float).record.at("flop_per_dof").get<double>(), 6. * 31, 1e-9) << "expected three products";
  EXPECT_NEAR(run(in_float + Settings{"Problem/Samples=8"}).record.at("flop_per_dof").get<double>(), 8. * 31, 1e-9)
    << "expected four products for few columns";
  for (const char *samples : {"Problem/Samples=1", "Problem/Samples=8"})
    {
      const auto record = run(square + Settings{samples, "Problem/Source=random"}).record;
      EXPECT_GT(record.at("flop_per_dof").get<double>(), 100.) << "expected six products with nine entries a row";
      EXPECT_GT(record.at("bytes_per_dof").get<double>(), 8. * 33) << "expected the vectors of the finest level";
    }
  const auto conditions = run(square + schur + Settings{"Schur complement/Conditions=true"}).record.at("conditions");
  EXPECT_EQ(conditions.at("C"), 9);
  EXPECT_EQ(conditions.at("E"), 168);
  EXPECT_EQ(conditions.at("I"), 784);
  EXPECT_NEAR(conditions.at("kappa_C")[0], 6.6, 0.05);
  const auto dry = start(
    {"--backend", "host", "--dry-run", "--set", "Solver/Solver=schur", "--set", "Schur complement/Conditions=true"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_NE(dry.out.find("host memory expected"), std::string::npos) << "expected no conditions, but the size";
  const auto triangles =
    run(schur + Settings{"Problem/Domain=flow_around_square", "Mesh/Refinements=3",
                         "Schur complement/Coarse refinements=0", "Schur complement/Conditions=true"})
      .record.at("conditions");
  EXPECT_EQ(triangles.at("C"), 7);
  EXPECT_EQ(triangles.at("kappa_C").size(), 3u) << "expected right, obtuse and scalene triangles";
}

TEST_F(Poisson, MistakesAreRefused)
{
  expect_refused({"Solver/Precision=float16", "Solver/Solver=schur"}, "needs --backend cuda");
  expect_refused({"Solver/Precision=tf32"}, "multigrid has float64 and float32");
  expect_refused({"Solver/Refinement tolerance=0"}, "needs a positive one");
  expect_refused({"Solver/Vectors=float32"}, "needs fast_diagonalization or schur");
  expect_refused(direct + Settings{"Solver/Vectors=float32", "Solver/Refinement tolerance=0"}, "below float64");
  expect_refused({"Solver/Smoother=line"}, "Columns at once = 1");
  expect_refused({"Solver/Cycles=2"}, "Columns at once = 1");
  expect_refused({"Problem/Boundary values=x*s"}, "Boundary values");
  expect_refused({"Problem/Domain=flow_around_square", "Problem/Boundary values=x"}, "no Boundary values");
  expect_refused(direct + Settings{"Mesh/Coordinates=x+0.3*y; y"}, "not a tensor product");
  expect_refused(schur + Settings{"Mesh/Coordinates=x+0.3*y; y"}, "not harmonic");
  expect_refused(schur + Settings{"Schur complement/Coarse refinements=5"}, "has to be coarser");
  expect_refused(schur + Settings{"Problem/Domain=flow_around_square", "Problem/Source=random", "Mesh/Refinements=2",
                                  "Schur complement/Coarse refinements=1"},
                 "no node lies inside a coarse cell");
  expect_refused(schur + Settings{"Mesh/Local refinements=1", "Mesh/Refine where=x-y"}, "take multigrid");
  expect_refused(schur + Settings{"Problem/Natural boundaries=0, 1, 2, 3"}, "needs prescribed values");
  const auto dry = start({"--backend", "host", "--dry-run", "--set", "Solver/Solver=schur", "--set",
                          "Schur complement/Conditions=true", "--set", "Problem/Natural boundaries=0, 1, 2, 3"});
  EXPECT_EQ(dry.code, 2) << "expected that a dry run refuses what a run refuses";
  EXPECT_NE(dry.err.find("needs prescribed values"), std::string::npos) << dry.err;
  expect_refused({"Problem/Source=x*t"}, "not on t");
  expect_refused({"Problem/Source=0: random, 1"}, "Problem/Source = 0: random, 1: the entry 'random'");
  expect_refused({"Problem/Source=1: x"}, "there is no entry for material 0"); // the material of a box
  expect_refused({"Problem/Source=sqrt(x-s)"}, "right-hand side 1 has values that are no numbers");
  expect_refused({"Problem/Natural boundaries=7"}, "has no boundary 7");
  expect_refused({"Problem/Domain=flow_around_square", "Solver/Solver=fast_diagonalization"}, "tensor-product");
  expect_refused({"Ranks/Distributed mesh=true"}, "serial mesh");
  expect_refused({"Problem/Boundary values=log(x-0.5)"}, "Problem/Boundary values has values that are no numbers");
  // The last one is NaN for the first sample only.
  for (const char *exact :
       {"Problem/Exact solution=1/(x-x)", "Problem/Exact solution=sqrt(x-0.5)", "Problem/Exact solution=sqrt(s-0.5)"})
    {
      const auto failed = start({"--backend", "host", "--threads", "1", "--set", "Problem/Samples=2", "--set", exact});
      EXPECT_EQ(failed.code, 1);
      EXPECT_NE(failed.err.find("a result is NaN or infinite: errors/l2"), std::string::npos) << failed.err;
      EXPECT_NE(read(failed.folder + "/run.json").find("\"l2\": null"), std::string::npos) << "expected other results";
    }
  // A folder with earlier results is left as it was.
  const auto earlier = run({"Mesh/Refinements=3", "Problem/Samples=2", "Output/Files=false"});
  const auto before  = read(earlier.folder + "/parameters.prm");
  EXPECT_EQ(
    start({"--backend", "host", "--threads", "1", "--set", "Problem/Source=sqrt(x-s)", "--output", earlier.folder})
      .code,
    2);
  EXPECT_FALSE(before.empty());
  EXPECT_EQ(read(earlier.folder + "/parameters.prm"), before);
  const auto zero = run({"Mesh/Refinements=3", "Problem/Source=x*s", "Problem/Samples=2"});
  EXPECT_NE(zero.out.find("right-hand side 0 is zero"), std::string::npos) << zero.out;
}

TEST_F(Poisson, SeveralRanksAreRefused)
{
  before = "mpirun --oversubscribe --bind-to none -np 2";
  expect_refused({}, "runs on one rank");
}

TEST_F(Poisson, EveryParameterFileIsRead)
{
  EXPECT_EQ(read_parameter_files(POISSON_PRM), 7);
}
} // namespace
