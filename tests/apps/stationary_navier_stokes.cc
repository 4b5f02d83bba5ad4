// The program for stationary flow, as a user meets it: against published values, its own continuation, and bad input.
#include "program.h"

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

namespace
{
class StationaryNavierStokes : public Program
{
protected:
  StationaryNavierStokes()
    : Program(STATIONARY)
  {}

  Outcome solve(Settings settings)
  {
    settings.insert(settings.begin(), "Output/Files=false");
    return run(settings, 2);
  }

  // Flow around a cylinder, case 2D-1 of Schaefer & Turek.
  Outcome cylinder(Settings more)
  {
    more.insert(more.begin(),
                {"Mesh/Type=cylinder", "Problem/Viscosity=1e-3",
                 "Problem/Boundary velocity=0: 1.2 * y * (0.41 - y) / 0.1681; 0", "Problem/Boundaries=1: outflow",
                 "Output/Force boundaries=2", "Output/Force scale=500", "Output/Points=0.15, 0.2; 0.25, 0.2"});
    return solve(more);
  }

  // Linear iterations on the finest mesh.
  static int iterations(const Outcome &outcome) { return outcome.record.at("nonlinear").back().at("iterations"); }
};

// A run that was done reports its earlier results, to the bit, also the pressure whose mean has been removed.
TEST_F(StationaryNavierStokes, Restart)
{
  const auto once =
               solve({"Mesh/Refinements=3", "Mesh/Local refinements=1", "Mesh/Refine where=x-0.6", "Checkpoint/Steps=1",
                      "Problem/Viscosity=0.1", "Output/Force boundaries=3", "Output/Points=0.3, 0.7"}),
             again = start({"--backend", "host", "--threads", "2", "--restart=" + once.folder});
  ASSERT_EQ(again.code, 0) << again.err;
  std::ifstream in(once.folder + "/run.json");
  const auto    record = nlohmann::json::parse(in);
  for (const char *key : {"forces", "kinetic_energy", "at_points"})
    EXPECT_EQ(record.at(key), once.record.at(key)) << key;
}

// A rigid rotation has no stress, so that a fluid turns with the outer cylinder where it slips along the inner one.
TEST_F(StationaryNavierStokes, RotatesRigidlyWhereItSlips)
{
  const auto outcome =
    solve({"Mesh/Type=shell", "Mesh/Refinements=2", "Problem/Boundaries=0: free_slip",
           "Problem/Boundary velocity=1: -y; x", "Problem/Exact velocity=-y; x", "Problem/Viscosity=1"});
  EXPECT_LT(outcome.record.at("errors").at("u_l2").get<double>(), 1e-4);
}

// Gartling's step at Re = 800 has the zeros 6.10 on the lower wall, 4.85 and 10.48 on the upper one. On 8 cells a
// height they are 14 % off, on 16 cells 4 to 9 %.
TEST_F(StationaryNavierStokes, BackwardFacingStep)
{
  const auto outcome =
    start({std::string(STATIONARY_PRM) + "/step.prm", "--backend", "host", "--threads", "2", "--set",
           "Output/Files=false", "--set", "Mesh/Refinements=2", "--set", "Mesh/Sizes=0.5, 1, 0, 15, 1", "--set",
           "Nonlinear solver/Nested=false", "--set", "Nonlinear solver/Continuation=0.01, 0.005, 0.0025"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto statistics = outcome.record.at("statistics"), lower = statistics.at("zeros_wall_shear_on_boundary_2"),
             upper = statistics.at("zeros_wall_shear_on_boundary_3");
  ASSERT_EQ(lower.size(), 1);
  ASSERT_EQ(upper.size(), 2);
  EXPECT_NEAR(lower[0][0].get<double>(), 6.10, 0.15 * 6.10);
  EXPECT_NEAR(upper[0][0].get<double>(), 4.85, 0.15 * 4.85);
  EXPECT_NEAR(upper[1][0].get<double>(), 10.48, 0.15 * 10.48);
}

// A stream in a channel that is periodic in x, with the mesh finer at one of the two sides that are one. A force drives
// it between two walls, or between a wall and a side where it slips. Both are of second order.
TEST_F(StationaryNavierStokes, PeriodicChannels)
{
  for (const bool slips : {false, true})
    {
      double last = 0.;
      for (const int n : {4, 5})
        {
          const std::string u = slips ? "sin(pi*y/2)" : "sin(2*pi*y)", force = slips ? "0.1*pi^2/4*" : "0.4*pi^2*";
          Settings          channel = {"Problem/Viscosity=0.1",
                                       "Problem/Boundary velocity=",
                                       "Problem/Body force=" + force + u + "; 0",
                                       "Problem/Exact velocity=" + u + "; 0",
                                       "Mesh/Periodic boundaries=0: 1",
                                       "Mesh/Local refinements=1",
                                       "Mesh/Refine where=0.3-x-abs(y-0.5)",
                                       "Mesh/Refinements=" + std::to_string(n)};
          if (slips)
            channel.push_back("Problem/Boundaries=3: free_slip");
          const auto   outcome = solve(channel);
          const double error   = outcome.record.at("errors").at("u_l2");
          if (n == 5)
            EXPECT_GT(last / error, 3.5) << (slips ? "slips" : "walls");
          last = error;
        }
    }
}

// A pressure drives Poiseuille's flow, between walls or along a side where it slips, of second order; a traction
// Couette's, which is exact. The force on a wall has no part of the pressure beside it.
TEST_F(StationaryNavierStokes, PressuresAndTractionsDriveChannels)
{
  const auto channel = [this](Settings more) {
    more.insert(more.end(), {"Problem/Viscosity=0.1", "Problem/Boundary velocity=", "Output/Force boundaries=2"});
    return solve(more).record;
  };
  double last = 0.;
  for (const std::string n : {"3", "4"})
    {
      const auto record =
        channel({"Problem/Pressure=0: 0.2", "Problem/Boundaries=3: free_slip, 1: outflow",
                 "Problem/Exact velocity=y*(2-y); 0", "Problem/Exact pressure=0.2*(1-x)", "Mesh/Refinements=" + n});
      const double error = record.at("errors").at("u_l2");
      EXPECT_NEAR(record.at("forces").at("2")[0].get<double>(), 0.2, 0.02);
      if (last > 0.)
        EXPECT_GT(last / error, 3.5);
      last = error;
    }
  for (const std::string dimension : {"2", "3"})
    {
      const auto couette = channel(
        {"Problem/Dimension=" + dimension, "Problem/Traction=3: 0.1; 0; 0", "Problem/Exact velocity=y; 0; 0",
         "Mesh/Periodic boundaries=0: 1", "Mesh/Refinements=2",
         std::string("Problem/Boundaries=2: no_slip") + (dimension == "3" ? ", 4: free_slip, 5: free_slip" : "")});
      EXPECT_LT(couette.at("errors").at("u_l2").get<double>(), 1e-7) << dimension;
      EXPECT_NEAR(couette.at("forces").at("2")[0].get<double>(), 0.1, 1e-7) << dimension;
    }
}

// Extrapolated from two meshes: within 0.3% of Botella & Peyret's spectral values, and the counts of the specification.
TEST_F(StationaryNavierStokes, CavityIsThatOfBotellaAndPeyret)
{
  const Settings profiles = {"Output/Profiles=0.5, 0, 0.5, 1; 0, 0.5, 1, 0.5", "Output/Profile points=2001"};
  const auto     on       = [&](int refinements) {
    auto settings = profiles;
    settings.push_back("Mesh/Refinements=" + std::to_string(refinements));
    return solve(settings);
  };
  const auto coarse = on(5), fine = on(6);
  EXPECT_LE(iterations(fine), 16);
  EXPECT_NEAR(fine.record.at("kinetic_energy"), 0.0344319, 6e-8);
  const auto extreme = [](const Outcome &outcome, int line, const char *component, const char *which) {
    return outcome.record.at("profiles")[line].at(component).at(which).get<double>();
  };
  const auto expect = [&](int line, const char *component, const char *which, double published) {
    const double extrapolated =
      (4. * extreme(fine, line, component, which) - extreme(coarse, line, component, which)) / 3.;
    EXPECT_NEAR(extrapolated, published, 3e-3 * std::abs(published)) << component << " " << which;
  };
  expect(0, "u_x", "min", -0.2140424);
  expect(1, "u_y", "max", 0.1795728);
  expect(1, "u_y", "min", -0.2538030);
}

// Picard's method, other smoothers and Krylov methods: the same flow.
TEST_F(StationaryNavierStokes, EveryWayLeadsToTheSameFlow)
{
  const Settings common   = {"Mesh/Refinements=4", "Problem/Viscosity=0.005", "Nonlinear solver/Tolerance=1e-10"};
  const double   expected = solve(common).record.at("kinetic_energy");
  for (const Settings &further : {Settings{"Nonlinear solver/Newton=false"},
                                  {"Linear solver/Solver=bicgstab"},
                                  {"Linear solver/Precision=float64"},
                                  {"Linear solver/Smoother=block_jacobi", "Linear solver/Damping=0.4"},
                                  {"Linear solver/Scheme=block_triangular"},
                                  {"Linear solver/Arnoldi polynomial=true"}})
    {
      Settings settings = common;
      settings.insert(settings.end(), further.begin(), further.end());
      EXPECT_NEAR(solve(settings).record.at("kinetic_energy"), expected, 1e-8 * expected) << further[0];
    }
}

// Where Newton's method fails on the way to a small viscosity, the step is halved.
TEST_F(StationaryNavierStokes, SmallViscositiesAreReachedByWayOfLarger)
{
  const Settings common = {"Mesh/Refinements=4", "Problem/Viscosity=5e-4"};
  const auto     halved = solve(common).record;
  EXPECT_GT(halved.at("nonlinear").size(), 2U) << "more than a solve on each of two meshes";
  auto given = common;
  given.insert(given.end(), {"Nonlinear solver/Nested=false", "Nonlinear solver/Continuation=0.01, 0.004, 0.002"});
  const auto by_list = solve(given).record;
  EXPECT_EQ(by_list.at("nonlinear").size(), 4U);
  EXPECT_NEAR(halved.at("kinetic_energy"), by_list.at("kinetic_energy"), 1e-7);
}

TEST_F(StationaryNavierStokes, CylinderIsThatOfSchaeferAndTurek)
{
  const auto record = cylinder({"Mesh/Refinements=3"}).record;
  const auto forces = record.at("forces").at("2");
  EXPECT_NEAR(forces[0], 5.57953523, 0.0005 * 5.58);
  EXPECT_NEAR(forces[1], 0.010618948, 0.03 * 0.0106);
  const auto p = record.at("at_points").at("p");
  EXPECT_NEAR(p[0].get<double>() - p[1].get<double>(), 0.11752017, 0.002 * 0.1175);
}

// From the second cycle on each solution is the guess on the next mesh. The kinetic energy, extrapolated from uniform
// meshes of 84 384 and 334 656 unknowns, is 0.0218665.
TEST_F(StationaryNavierStokes, MeshesAdapt)
{
  const auto error = [](const auto &of) {
    return std::abs(of.at("kinetic_energy").template get<double>() - 0.0218665);
  };
  for (const std::string estimator : {"kelly", "residual"})
    {
      SCOPED_TRACE(estimator);
      const auto record =
        cylinder({"Mesh/Refinements=1", "Refinement/Cycles=3", "Refinement/Estimator=" + estimator}).record;
      const auto &meshes = record.at("meshes");
      ASSERT_EQ(meshes.size(), 3U) << "all but the last one";
      EXPECT_EQ(meshes[0].at("cells"), 432);
      EXPECT_EQ(meshes[0].at("hanging_nodes"), 0);
      EXPECT_GT(record.at("hanging_nodes"), 20);
      EXPECT_LE(error(record), 0.5 * error(meshes[0]));
    }
}

// With all cells refined the mesh is that of as many uniform refinements, whichever way the vertices went.
TEST_F(StationaryNavierStokes, RefiningAllCellsIsUniform)
{
  const auto record  = cylinder({"Mesh/Refinements=1", "Refinement/Cycles=2", "Refinement/Fraction=1"}).record,
             uniform = cylinder({"Mesh/Refinements=3"}).record;
  EXPECT_EQ(record.at("cells"), uniform.at("cells"));
  EXPECT_NEAR(record.at("kinetic_energy"), uniform.at("kinetic_energy"), 1e-8);
  EXPECT_NEAR(record.at("forces").at("2")[0], uniform.at("forces").at("2")[0], 1e-6);
}

// A vertex that hangs on an arc moves to its chord. Where the cells beside it are flatter than the arc, they would
// turn.
TEST_F(StationaryNavierStokes, FlatCellsBesideACoarseArcAreRefused)
{
  const std::string says = "hangs on an arc";
  for (const std::string where : {"0.06-sqrt((x-0.2)^2+(y-0.2)^2)", "0.05-abs(x-0.2)"})
    expect_refused(
      {"Mesh/Type=cylinder", "Mesh/Refinements=0", "Mesh/Local refinements=1", "Mesh/Refine where=" + where}, says);
}

TEST_F(StationaryNavierStokes, BadInputIsRefused)
{
  expect_refused({"Problem/Viscosity=-1"}, "Problem/Viscosity = -1: it has to be positive");
  expect_refused({"Problem/Boundaries=3: outflow"},
                 "boundary 3 has two conditions, one in Boundaries and one in Boundary velocity");
  expect_refused({"Problem/Outflow boundaries=1"}, "did you mean 'Problem/Boundaries'");
  expect_refused({"Problem/Pressure=1: t"}, "contains t");
  expect_refused({"Problem/Boundary velocity=", "Problem/Boundaries=outflow"}, "can move as a rigid body");
  expect_refused({"Problem/Boundary velocity=0: 1; 0"}, "the inflow exceeds the outflow by 1");
  // NaN at one node, between nodes, and at a node where boundaries meet.
  for (const char *velocity :
       {"0: 1/0; 0", "3: sin(x-0.5)/(x-0.5); 0", "0: if(abs(y-0.3)<0.01, 0/0, y*(1-y)); 0", "3: if(x<1e-9, 0/0, 1); 0"})
    expect_refused({std::string("Problem/Boundary velocity=") + velocity, "Problem/Boundaries=1: outflow"},
                   "Problem/Boundary velocity has values that are no numbers");
  expect_refused({"Problem/Body force=1/0; 0"}, "Problem/Body force has values that are no numbers");
  expect_refused({"Nonlinear solver/Continuation=0.001"}, "have to decrease");
  expect_refused({"Linear solver/Solver=cg"}, "gmres and bicgstab only");
  expect_refused({"Linear solver/Smoother=cell_patch"}, "did you mean 'cell_patches'");
  expect_refused(
    {"Mesh/Refinements=6", "Linear solver/Coarsest level cells=20000", "Linear solver/Coarse solver=dense_inverse"},
    "dense inverse at most 8192");
}

// One message, and nothing is written.
TEST_F(StationaryNavierStokes, RanksAreRefused)
{
  before             = "mpirun --oversubscribe --bind-to none -np 2";
  const auto outcome = start({"--backend", "host", "--threads", "1"});
  EXPECT_EQ(outcome.code, 2);
  const auto first = outcome.err.find("stationary_navier_stokes runs on one rank");
  ASSERT_NE(first, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("stationary_navier_stokes runs on one rank", first + 1), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(outcome.folder)) << outcome.folder;
  before = "";
  expect_refused({"Ranks/Distributed mesh=true"}, "stationary_navier_stokes runs on one rank, with a serial mesh");
}

// A lid that does not leak has no flux to be compared, on a mesh whose corners are not exact either.
TEST_F(StationaryNavierStokes, GradedCavitiesDoNotLeak)
{
  const std::string graded = "x - 0.7*sin(2*pi*x)/(2*pi); y - 0.7*sin(2*pi*y)/(2*pi); z - 0.7*sin(2*pi*z)/(2*pi)";
  EXPECT_GT(solve({"Problem/Dimension=3", "Problem/Boundary velocity=3: 1; 0; 0", "Mesh/Refinements=2",
                   "Mesh/Coordinates=" + graded})
              .record.at("kinetic_energy"),
            0.01);
}

TEST_F(StationaryNavierStokes, FailingLinearSolvesNameSmootherAndLevels)
{
  expect_refused(
    {"Linear solver/Smoother=block_jacobi", "Linear solver/Maximum iterations=2", "Output/Files=false"},
    "with Linear solver/Smoother = block_jacobi on levels of 867, 243 unknowns; Smoother = cell_patches or", 1);
}

// There is one coarse cell across. All velocities of the coarsest mesh are walls', also at the outflow, so that its
// pressure has a free constant; the finest mesh's pressure has none.
TEST_F(StationaryNavierStokes, OneCoarseCellAcrossAChannel)
{
  for (const Settings &cells : {Settings{"Mesh/Cells=8, 1", "Mesh/Coordinates=8*x; y"}, Settings{"Mesh/Cells=1, 1"}})
    {
      Settings settings = {
        "Problem/Boundary velocity=0: 4*y*(1-y); 0", "Problem/Boundaries=1: outflow", "Mesh/Refinements=3",
        "Linear solver/Coarsest level cells=8",      "Problem/Viscosity=0.1",         "Output/Profiles=1, 0.1, 1, 0.9"};
      settings.insert(settings.end(), cells.begin(), cells.end());
      const auto outcome = solve(settings);
      EXPECT_NEAR(outcome.record.at("profiles")[0].at("u_x").at("max"), 1., 0.02);
      EXPECT_LE(iterations(outcome), 40);
    }
}

TEST_F(StationaryNavierStokes, PointsOutsideAreFoundBeforeTheSolve)
{
  expect_refused({"Mesh/Refinements=2", "Output/Points=0.5, 0.5; 2, 0.5"},
                 "Output/Points: the point (2 0.5) lies outside the mesh");
  expect_refused({"Mesh/Refinements=2", "Output/Profiles=0, 0, 2, 2"},
                 "Output/Profiles: the point (1.02 1.02) lies outside the mesh");
}

// The message says what has been reached, and the last solution is there.
TEST_F(StationaryNavierStokes, FailuresLeaveTheLastSolution)
{
  std::vector<std::string> arguments = {"--backend", "host", "--threads", "1"};
  for (const char *setting : {"Mesh/Refinements=4", "Problem/Viscosity=1e-4", "Nonlinear solver/Maximum steps=7",
                              "Nonlinear solver/Continuation=0.01", "Output/Files=true"})
    arguments.insert(arguments.end(), {"--set", setting});
  const auto outcome = start(arguments);
  EXPECT_EQ(outcome.code, 1);
  for (const char *part : {"limit of steps", "last solution is that of viscosity", "Nonlinear solver/Continuation",
                           "largest Reynolds number of a cell"})
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(outcome.folder + "/last_solution_0000.vtu"));
  EXPECT_TRUE(outcome.record.is_null());
  // Where the mesh is refined with the solution this is the first file: the folder is that of this run from then on.
  const std::string used = outcome.folder;
  write(used + "/statistics.csv", "of an earlier run");
  arguments.insert(arguments.end(), {"--set", "Refinement/Cycles=1", "--output", used});
  EXPECT_EQ(start(arguments).code, 1);
  EXPECT_TRUE(std::filesystem::exists(used + "/last_solution_0000.vtu"));
  EXPECT_FALSE(std::filesystem::exists(used + "/statistics.csv"));
}
} // namespace
