// The program for solids at finite deformation as a user meets it. References: an independent prototype with a direct
// solver, on the same meshes.
#include "solid.h"

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace
{
const Settings nearly_incompressible = {"Problem/Material=neo_hooke; mu = 80.194; K = 400889.8"};

// Each mesh has its own value, as the clamped corner is singular.
TEST_F(Solid, CooksMembrane)
{
  const double q1[] = {8.1299583, 8.5680911, 8.7062732}, q2[] = {8.6676691, 8.7333798, 8.7566232};
  for (int k = 0; k < 3; ++k)
    {
      EXPECT_NEAR(cook(3 + k, 1, {"Newton/Tolerance=1e-10"}), q1[k], 6e-8);
      EXPECT_NEAR(cook(2 + k, 2, {"Newton/Tolerance=1e-10"}), q2[k], 6e-8);
    }
  EXPECT_NEAR(row.at("boundary0_force_y").back(), -100., 1e-6);
  EXPECT_NEAR(row.at("boundary0_force_x").back(), 0., 1e-6);
  cook(4, 1);
  EXPECT_NEAR(row.at("newton_steps").back(), 5., 1.);
}

// Prescribed displacements in steps: the torque and the axial force of the end that turns, on hanging nodes, too.
TEST_F(Solid, TwistedBlock)
{
  const auto outcome = solve("twisted_block.prm", {});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  auto columns = statistics(outcome);
  EXPECT_NEAR(columns.at("boundary5_moment_z").back(), 0.115056, 6e-7);
  EXPECT_NEAR(columns.at("boundary5_force_z").back(), -0.023037, 6e-7);
  for (const double steps : columns.at("newton_steps"))
    EXPECT_NEAR(steps, 5., 1.);
  const auto local =
    solve("twisted_block.prm", {"Mesh/Refinements=2", "Mesh/Local refinements=1", "Mesh/Refine where=x-0.5"});
  ASSERT_EQ(local.code, 0) << local.err;
  columns = statistics(local);
  EXPECT_NEAR(columns.at("boundary5_moment_z").back(), 0.12, 5e-3);
  EXPECT_NEAR(columns.at("boundary5_force_z").back() + columns.at("boundary4_force_z").back(), 0., 1e-8);
}

// A cylinder of Mooney and Rivlin's material that is twisted and keeps its length (Rivlin): the torque and the axial
// force. Its mesh is a polygon, so that errors fall by four.
TEST_F(Solid, TorsionOfACylinder)
{
  const double c1 = 0.3, c2 = 0.1, twist = 0.5;
  double       torque[2], force[2];
  for (int k = 0; k < 2; ++k)
    {
      const auto outcome =
        solve("cook_nearly_incompressible.prm",
              {"Problem/Dimension=3", "Problem/Material=mooney_rivlin; c1 = 0.3; c2 = 0.1; K = 400",
               "Problem/Body force=0; 0; 0", "Problem/Traction=", "Problem/Dirichlet boundaries=4: xyz, 5: xyz",
               "Problem/Boundary displacement=(z>0.5)*(x*cos(0.5*t)-y*sin(0.5*t)-x); "
               "(z>0.5)*(x*sin(0.5*t)+y*cos(0.5*t)-y); 0",
               "Mesh/Cells=2, 2, 1", "Mesh/Refinements=" + std::to_string(k),
               "Output/Points=", "Mesh/Coordinates=(2*x-1)*sqrt(1-(2*y-1)^2/2); (2*y-1)*sqrt(1-(2*x-1)^2/2); z"});
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      row       = statistics(outcome);
      torque[k] = row.at("boundary5_moment_z").back();
      force[k]  = row.at("boundary5_force_z").back();
    }
  const double pi = std::acos(-1.), exact[] = {pi * (c1 + c2) * twist, -0.5 * pi * (c1 + 2. * c2) * twist * twist};
  EXPECT_NEAR((4. * torque[1] - torque[0]) / 3., exact[0], 0.01 * exact[0]);
  EXPECT_NEAR((4. * force[1] - force[0]) / 3., exact[1], 0.01 * std::abs(exact[1]));
}

// A nearly incompressible membrane does not lock, in five steps of Newton's method whatever the mesh.
TEST_F(Solid, NearlyIncompressibleMembrane)
{
  const Settings projected = nearly_incompressible + Settings{"Discretization/Volumetric strain=mean_dilatation"};
  const Settings exact     = projected + Settings{"Linear solver/Coarsest level cells=1024"}; // by a dense inverse
  const double   q1[] = {6.6185772, 6.8144334}, q2[] = {6.8821192, 6.9046440, 6.9198357};
  for (int k = 0; k < 2; ++k)
    {
      EXPECT_NEAR(cook(3 + k, 1, exact), q1[k], 6e-8);
      EXPECT_NEAR(row.at("newton_steps").back(), 5., 1.);
    }
  for (int k = 0; k < 3; ++k)
    {
      const auto outcome =
        solve("cook_nearly_incompressible.prm", {"Mesh/Refinements=" + std::to_string(2 + k), "Newton/Tolerance=1e-9"});
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      row = statistics(outcome);
      EXPECT_NEAR(row.at("point0_u_y").back(), q2[k], 6e-8);
      EXPECT_NEAR(row.at("newton_steps").back(), 5., 1.);
    }
  EXPECT_NEAR(cook(3, 2, {"Discretization/Volumetric strain=mean_dilatation", "Newton/Tolerance=1e-10"}), 8.7567461,
              6e-8);
  // Standard elements lock.
  EXPECT_LT(cook(3, 1, nearly_incompressible + Settings{"Linear solver/Coarsest level cells=64"}), 2.5);
}

// deal.II's step-44 itself has these values.
TEST_F(Solid, BlockOfStep44)
{
  const auto compression = [this](const Settings &settings) {
    const auto outcome = solve("step_44.prm", settings);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    auto u = statistics(outcome).at("point0_u_y");
    for (double &value : u)
      value *= -1e5; // in per cent of the height
    return u;
  };
  const auto q1 = compression({}), q2 = compression({"Discretization/Degree=2", "Mesh/Refinements=1"});
  EXPECT_NEAR(q1.at(1), 21.98410, 6e-6);
  EXPECT_NEAR(q1.at(9), 78.97128, 6e-6);
  EXPECT_NEAR(q2.at(1), 21.18657, 6e-6);
  EXPECT_NEAR(q2.at(9), 72.78589, 6e-6);
}

// The linear systems of a deformed membrane and of a twisted block. Coarse levels have averages of the pressure, as
// tangents with the pressures of u at coarse nodes are not positive definite.
TEST_F(Solid, IterationsOfATangent)
{
  const auto iterations = [this](const Outcome &outcome) {
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.record.at("newton").back().at("iterations").get<int>();
  };
  const Settings tight = {"Newton/Least linear tolerance=1e-8", "Newton/Largest linear tolerance=1e-8"};
  const Settings load  = tight + Settings{"Problem/Traction=1: 0; 25", "Time stepping/Load steps=2",
                                         "Newton/Tolerance=1e-6", "Linear solver/Coarsest level cells=16"};
  EXPECT_NEAR(iterations(solve("cook.prm", load + Settings{"Mesh/Refinements=4"})), 17, 1);
  EXPECT_NEAR(iterations(solve("cook.prm", load + Settings{"Mesh/Refinements=5"})), 20, 1);
  const Settings block = tight + Settings{"Newton/Tolerance=1e-6", "Problem/Material=neo_hooke; E = 2.9; nu = 0.45"};
  EXPECT_NEAR(iterations(solve("twisted_block.prm", block)), 10, 1);
}

// A stretched cube with free sides on meshes that change by the size of their cells: the stress stays one everywhere.
TEST_F(Solid, HomogeneousStatesStayExact)
{
  const Settings cube    = {"Problem/Dimension=3",
                            "Problem/Traction=",
                            "Problem/Body force=0; 0; 0",
                            "Problem/Dirichlet boundaries=0: x, 2: y, 4: z, 1: x",
                            "Problem/Boundary displacement=0.5*t*x; 0; 0",
                            "Mesh/Coordinates=",
                            "Mesh/Refinements=1",
                            "Mesh/Local refinements=1",
                            "Mesh/Refine where=0.4-x",
                            "Newton/Tolerance=1e-12",
                            "Time stepping/Load steps=2",
                            "Adaptivity/Interval=1",
                            "Adaptivity/Indicator=h",
                            "Adaptivity/Refine fraction=0.5",
                            "Adaptivity/Coarsen fraction=0.5",
                            "Output/Points=",
                            "Output/Statistics=min stress_xx; max stress_xx"};
  const Settings of_mean = {"Discretization/Volumetric strain=mean_dilatation"};
  for (const auto &more : {Settings{}, of_mean, of_mean + Settings{"Discretization/Degree=2"}})
    {
      const auto outcome = solve("cook.prm", cube + more);
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      EXPECT_EQ(outcome.record.at("remeshes"), 1);
      const auto columns = statistics(outcome);
      EXPECT_NEAR(columns.at("boundary1_force_x").back(), 69.782340, 6e-7);
      EXPECT_NEAR(columns.at("largest_J").back(), columns.at("least_J").back(), 1e-10);
      EXPECT_NEAR(columns.at("max_stress_xx").back(), columns.at("min_stress_xx").back(), 1e-8);
      EXPECT_NE(columns.at("cells")[0], columns.at("cells")[1]);
    }
}

// They come closer to the limit of fine meshes than 32 x 32 cells, which have more unknowns.
TEST_F(Solid, CooksMembraneOnMeshesThatFollow)
{
  const Settings adaptive = {
    "Mesh/Refinements=2",         "Time stepping/Load steps=6",     "Adaptivity/Interval=1",
    "Adaptivity/Largest level=8", "Adaptivity/Refine fraction=0.2", "Adaptivity/Coarsen fraction=0.05"};
  const auto expect = [&](const std::string &file, const Settings &more, double limit, double uniform) {
    const auto outcome = solve(file, adaptive + more);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    row = statistics(outcome);
    EXPECT_EQ(outcome.record.at("remeshes"), 5);
    EXPECT_LT(row.at("dofs").back(), 2178.); // of 16 x 16 cells
    EXPECT_LT(std::abs(row.at("point0_u_y").back() - limit), std::abs(uniform - limit)) << file;
  };
  expect("cook.prm", {"Discretization/Degree=2"}, 8.7697, 8.7648366);
  expect("cook_nearly_incompressible.prm", {}, 6.9340, 6.9271392);
}

// A ring whose inner circle turns: its two layers of cells bear what one layer could not.
TEST_F(Solid, MeshesOnWhichCellsWouldInvertAreRefused)
{
  const Settings steps = {"Time stepping/Load steps=10"};
  expect_mesh_kept(turning_ring("1.6") + steps);
  // A change that keeps det F > 0 is taken.
  const auto early = solve("cook.prm", turning_ring("0.8") + steps + coarsens);
  EXPECT_EQ(early.code, 0) << early.err;
  EXPECT_EQ(early.record.at("remeshes"), 1);
}

// A column bears up to Euler's load P; beyond it the straight branch is not stable. The clamped end turns by φ = 1e-5,
// and the tip moves by φ tan(k L) / k, k L = π/2 √(load / P), about: the column is not slender.
TEST_F(Solid, BuckledColumn)
{
  for (const double load : {0.5, 1.05, 2.})
    {
      const auto solve_with = [&](const std::string &solver) {
        return solve("cook.prm", {"Problem/Material=neo_hooke; mu = 1; K = 13/6",
                                  "Problem/Traction=1: -5.874765e-3*" + std::to_string(load) + "; 0",
                                  "Problem/Boundary displacement=-1e-5*(y-0.5)*t; 0", "Mesh/Cells=10, 1",
                                  "Mesh/Coordinates=10*x; y", "Mesh/Refinements=3", "Output/Points=10, 0.5",
                                  "Newton/Largest linear tolerance=1e-8", "Newton/Least linear tolerance=1e-8",
                                  "Newton/Tolerance=1e-10", "Linear solver/Solver=" + solver});
      };
      const auto outcome = solve_with("cg");
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      row = statistics(outcome);
      EXPECT_EQ(row.at("stable").back(), load < 1.);
      EXPECT_EQ(outcome.out.find("the tangent is not positive definite") == std::string::npos, load < 1.);
      for (const auto &step : outcome.record.at("newton"))
        EXPECT_LE(step.at("iterations"), 10);
      const double kL = std::acos(-1.) / 2. * std::sqrt(load), tip = 1e-4 * std::tan(kL) / kL;
      EXPECT_NEAR(row.at("point0_u_y").back(), tip, (load == 1.05 ? 0.5 : 0.1) * std::abs(tip)) << load;
      const auto with_gmres = solve_with("gmres");
      ASSERT_EQ(with_gmres.code, 0) << with_gmres.err;
      auto of_gmres = statistics(with_gmres);
      EXPECT_EQ(of_gmres.count("stable"), 0u);
      EXPECT_NEAR(of_gmres.at("point0_u_y").back(), row.at("point0_u_y").back(), 1e-6 * std::abs(tip));
    }
}

// A trust region leads past the load that buckles, in about as many steps as an independent prototype with direct
// solves, which refuses 32. Newton's full steps from rest end in the straight column, which is not stable.
TEST_F(Solid, TrustRegionPastBuckling)
{
  int        negative = 0;
  const auto tip      = [&](const Settings &settings) {
    const auto outcome = solve("column.prm", settings);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    row      = statistics(outcome);
    negative = outcome.record.at("negative_eigenvalues");
    return std::array<double, 2>{{row.at("point0_u_x").back(), row.at("point0_u_y").back()}};
  };
  const auto expect_buckled = [](const std::array<double, 2> &u) {
    EXPECT_NEAR(u[0], -6.078412, 1e-6);
    EXPECT_NEAR(u[1], 7.845686, 1e-6);
  };
  expect_buckled(tip({}));
  EXPECT_EQ(negative, 0);
  EXPECT_EQ(row.at("stable").back(), 1.);
  EXPECT_NEAR(row.at("refusals").back(), 26., 4.);
  EXPECT_NEAR(row.at("newton_steps").back() - row.at("refusals").back(), 40., 4.);
  expect_buckled(tip({"Linear solver/Solver=gmres"}));
  expect_buckled(tip({"Time stepping/Load steps=10"}));
  const int below[] = {3, 3, 3, 3, 4, 5}; // the buckling load
  for (int k = 0; k < 6; ++k)
    {
      EXPECT_EQ(row.at("newton_steps")[k], below[k]);
      EXPECT_EQ(row.at("refusals")[k], 0.);
    }
  EXPECT_LT(std::abs(tip({"Newton/Globalisation=full"})[1]), 0.1);
  EXPECT_EQ(negative, 1);
  EXPECT_EQ(row.at("stable").back(), 0.);
}

// Guesses from coarser meshes leave few steps to the finest one, and find what full steps from rest miss.
TEST_F(Solid, NestedIteration)
{
  const auto expect = [this](const std::string &file, const Settings &settings, double steps, const std::string &name) {
    const Settings tight = settings + Settings{"Newton/Tolerance=1e-10"};
    const auto     with = solve(file, tight + Settings{"Newton/Nested=true"}), without = solve(file, tight);
    ASSERT_EQ(with.code, 0) << with.err;
    row = statistics(with);
    EXPECT_LE(row.at("newton_steps").front(), steps) << file;
    EXPECT_EQ(row.at("halvings").front(), 0.);
    const double expected = statistics(without).at(name).back();
    EXPECT_NEAR(row.at(name).back(), expected, 1e-8 * std::abs(expected)) << file;
  };
  expect("cook.prm", {"Mesh/Refinements=5"}, 5., "point0_u_y");
  expect("cook_nearly_incompressible.prm", {"Mesh/Refinements=4"}, 4., "point0_u_y");
  expect("cook_nearly_incompressible.prm", {"Mesh/Refinements=3", "Mesh/Local refinements=1", "Mesh/Refine where=20-x"},
         4., "point0_u_y");
  expect("tube.prm", {"Mesh/Refinements=3"}, 4., "point0_u_x");
  const auto turned = solve("twisted_block.prm", {"Time stepping/Load steps=1", "Newton/Nested=true"});
  ASSERT_EQ(turned.code, 0) << turned.err;
  row = statistics(turned);
  EXPECT_EQ(row.at("halvings").front(), 0.);
  EXPECT_LE(row.at("newton_steps").front(), 5.);
  EXPECT_NEAR(row.at("boundary5_moment_z").back(), 0.115056, 6e-7);
}

// A square under a load that shears it, with steps that are refused, on one rank and more.
TEST_F(Solid, TrustRegionOnRanks)
{
  std::map<std::string, std::vector<double>> expected;
  for (const int ranks : {1, 3})
    {
      before = ranks == 1 ? "" : "mpirun --oversubscribe -np " + std::to_string(ranks) + " ";
      const auto outcome =
        solve("column.prm", {"Mesh/Cells=1, 1", "Mesh/Coordinates=", "Mesh/Refinements=4", "Output/Points=1, 0.5",
                             "Problem/Traction=1: -0.5; 0.001", "Newton/Tolerance=1e-11"});
      before.clear();
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      row = statistics(outcome);
      if (ranks == 1)
        expected = row;
      EXPECT_GT(row.at("refusals").back(), 3.);
      for (const std::string name : {"point0_u_x", "point0_u_y", "refusals", "newton_steps", "stable"})
        EXPECT_NEAR(row.at(name).back(), expected.at(name).back(), 1e-9) << name << ", " << ranks << " ranks";
    }
}

// A displacement that is prescribed enters at once, and the region only bounds what follows.
TEST_F(Solid, TrustRegionWithPrescribedDisplacements)
{
  const auto outcome = solve("twisted_block.prm", {"Mesh/Refinements=2", "Newton/Globalisation=trust_region"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NEAR(statistics(outcome).at("boundary5_moment_z").back(), 0.119873743, 1e-8);
}

const std::string as_expression =
  "; W = mu/2*(I1-3); U = K/4*(J^2-1-2*ln(J))"; // neo_hooke, after split_expression and its constants

// An expression gives what the kind of the same energy gives, in as many steps of Newton's method.
TEST_F(Solid, EnergiesAsExpressions)
{
  const auto compare = [this](const std::string &constants, const Settings &settings) {
    const double expected = cook(3, 1, settings + Settings{"Problem/Material=neo_hooke; " + constants}),
                 steps    = row.at("newton_steps").back();
    const double actual =
      cook(3, 1, settings + Settings{"Problem/Material=split_expression; " + constants + as_expression});
    EXPECT_NEAR(actual, expected, 1e-10 * expected);
    EXPECT_EQ(row.at("newton_steps").back(), steps);
  };
  compare("mu = 80.194; K = 173.754", {});
  compare("mu = 80.194; K = 400889.8", {"Discretization/Volumetric strain=mean_dilatation",
                                        "Linear solver/Coarsest level cells=1024", "Newton/Tolerance=1e-10"});
}

// A thick tube under an inner pressure that follows its wall; an independent program has the
// same errors. Above a
// pressure of ln 2 mu there is no equilibrium.
TEST_F(Solid, InflatedTube)
{
  const Settings linear   = {"Discretization/Degree=1",
                             "Linear solver/Coarsest level cells=1024",
                             "Linear solver/Smoother=block_jacobi",
                             "Linear solver/Interpolation=embedding",
                             "Problem/Material=neo_hooke; mu = 1; K = 1e6",
                             "Newton/Tolerance=1e-10",
                             "Linear solver/Precision=float64"};
  const double   errors[] = {1.26e-2, 3.13e-3};
  for (int k = 0; k < 2; ++k)
    {
      const auto outcome = solve("tube.prm", linear + Settings{"Mesh/Refinements=" + std::to_string(2 + k)});
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      row = statistics(outcome);
      EXPECT_NEAR(std::abs(row.at("point0_u_x").back() - 0.5), errors[k], 6e-3 * errors[k]);
    }
  const auto quadratic = solve("tube.prm", {"Mesh/Refinements=3"});
  ASSERT_EQ(quadratic.code, 0) << quadratic.err;
  EXPECT_NEAR(statistics(quadratic).at("point0_u_x").back(), 0.5, 5e-3); // the cells have straight sides
  const auto fails = solve("tube.prm", linear + Settings{"Mesh/Refinements=2", "Problem/Follower pressure=0: 0.75"});
  EXPECT_EQ(fails.code, 1) << fails.out;
  EXPECT_NE(fails.err.find("a follower pressure may have a largest value"), std::string::npos) << fails.err;
}

// An eighth of a thick sphere, which bears a pressure of 0.8164 mu at most.
TEST_F(Solid, SphereBeyondItsLargestPressure)
{
  const double       a = std::sqrt(0.5), c = std::sqrt(1. / 3.);
  const double       directions[7][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {a, a, 0}, {0, a, a}, {a, 0, a}, {c, c, c}};
  const int          quads[3][4]      = {{0, 3, 6, 5}, {1, 4, 6, 3}, {2, 5, 6, 4}}; // counterclockwise from outside
  std::ostringstream mesh;
  mesh << "14 15 0 0 0\n";
  for (int k = 0; k < 14; ++k)
    {
      mesh << k + 1;
      for (const double x : directions[k % 7])
        mesh << " " << (k < 7 ? 1. : 2.) * x;
      mesh << "\n";
    }
  int        n    = 0;
  const auto cell = [&](int id, const char *kind, const std::vector<int> &vertices) {
    mesh << ++n << " " << id << " " << kind;
    for (const int vertex : vertices)
      mesh << " " << vertex + 1;
    mesh << "\n";
  };
  for (const auto &q : quads)
    cell(0, "hex", {q[0], q[1], q[2], q[3], q[0] + 7, q[1] + 7, q[2] + 7, q[3] + 7});
  for (int k = 0; k < 3; ++k)
    {
      const auto &q = quads[k];
      cell(0, "quad", {q[0], q[1], q[2], q[3]});
      cell(1, "quad", {q[0] + 7, q[1] + 7, q[2] + 7, q[3] + 7});
      cell(2 + (k + 2) % 3, "quad", {q[0], q[1], q[1] + 7, q[0] + 7}); // x = 0 has the id 2, and so on
      cell(2 + (k + 1) % 3, "quad", {q[0], q[3], q[3] + 7, q[0] + 7});
    }
  write("sphere.ucd", mesh.str());
  const auto run = [&](const std::string &p) {
    return solve("tube.prm",
                 {"Problem/Dimension=3", "Mesh/Coordinates=", "Mesh/File=" + (folder / "sphere.ucd").string(),
                  "Mesh/Curved boundaries=0: sphere; 0; 0; 0, 1: sphere; 0; 0; 0", "Mesh/Refinements=1",
                  "Problem/Dirichlet boundaries=2: x, 3: y, 4: z", "Problem/Follower pressure=0: " + p,
                  "Problem/Body force=0; 0; 0", "Problem/Material=neo_hooke; mu = 1; K = 1e4",
                  "Discretization/Degree=1", "Linear solver/Coarsest level cells=1024",
                  "Linear solver/Smoother=block_jacobi", "Linear solver/Interpolation=embedding",
                  "Linear solver/Precision=float64", "Output/Points=1, 0, 0"});
  };
  const auto below = run("0.75543312"), beyond = run("1");
  ASSERT_EQ(below.code, 0) << below.err;
  EXPECT_NEAR(statistics(below).at("point0_u_x").back(), 0.5, 0.05);
  EXPECT_EQ(beyond.code, 1) << beyond.out;
  EXPECT_NE(beyond.err.find("a follower pressure may have a largest value"), std::string::npos) << beyond.err;
  EXPECT_NEAR(statistics(beyond).at("load_factor").back(), 0.8164, 0.05);
}

// A thin beam under a pressure that stays across it, half of it on each side. The errors against the elastica fall with
// the square of the thickness.
TEST_F(Solid, BeamUnderFollowerPressure)
{
  double errors[2][2];
  for (int k = 0; k < 2; ++k)
    {
      const std::string h       = k == 0 ? "0.05" : "0.025";
      const auto        outcome = solve(
               "cook.prm", {"Mesh/Cells=20, 1", "Mesh/Refinements=1", "Mesh/Coordinates=x; " + h + "*(y-0.5)",
                            "Problem/Traction=", "Problem/Material=st_venant_kirchhoff; nu = 0; E = 12/" + h + "^3",
                            "Discretization/Degree=2", "Problem/Follower pressure=3: 2.5, 2: -2.5",
                            "Time stepping/Load steps=2", "Output/Points=1, 0", "Linear solver/Coarsest level cells=1024"});
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      row          = statistics(outcome);
      errors[k][0] = row.at("point0_u_x").back() + 0.2044774;
      errors[k][1] = row.at("point0_u_y").back() + 0.5604232;
    }
  for (int c = 0; c < 2; ++c)
    {
      EXPECT_LT(std::abs(errors[0][c]), 0.01);
      EXPECT_NEAR(errors[1][c] / errors[0][c], 0.25, 0.05);
    }
}

// A pressure on a side that ends at free ones: GMRES, with the pressure in the matrices of all levels.
TEST_F(Solid, PressureOnAnOpenSide)
{
  const auto outcome = solve("cook.prm", {"Mesh/Coordinates=", "Problem/Traction=", "Problem/Follower pressure=1: 0.25",
                                          "Problem/Material=neo_hooke; E = 2.6; nu = 0.3",
                                          "Newton/Least linear tolerance=1e-8", "Newton/Largest linear tolerance=1e-8",
                                          "Linear solver/Coarsest level cells=16", "Output/Points="});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("GMRES"), std::string::npos) << outcome.out;
  for (const auto &step : outcome.record.at("newton"))
    EXPECT_NEAR(step.at("iterations").get<int>(), 9, 1);
}

// A load that is too large for one step is halved, and then goes on in larger steps.
TEST_F(Solid, LoadStepsThatFailAreHalved)
{
  const auto outcome =
    solve("twisted_block.prm", {"Time stepping/Load steps=1", "Mesh/Refinements=2", "Newton/Steps=6"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto columns = statistics(outcome);
  EXPECT_GT(columns.at("halvings").front(), 0.);
  EXPECT_EQ(columns.at("time").back(), 1.);
  EXPECT_NE(outcome.out.find("is taken again with half its length"), std::string::npos) << outcome.out;
}

// Thin cells around one node: below the coarsest level an aggregate of ML has fewer unknowns than there are modes.
TEST_F(Solid, AlgebraicLevelsOfAFan)
{
  const int         n    = 254;
  const std::string file = (folder / "fan.msh").string();
  std::ofstream     out(file);
  out.precision(17);
  out << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" << 2 * n + 1 << "\n1 0 0 0\n";
  for (int k = 0; k < 2 * n; ++k)
    {
      const double angle = std::acos(-1.) * k / n, radius = k % 2 == 0 ? 1. : 1.05;
      out << k + 2 << ' ' << radius * std::cos(angle) << ' ' << radius * std::sin(angle) << " 0\n";
    }
  out << "$EndNodes\n$Elements\n" << 3 * n << '\n';
  for (int k = 0; k < n; ++k)
    {
      const int a = 2 * k + 2, b = a + 1, c = (2 * k + 2) % (2 * n) + 2;
      out << 3 * k + 1 << " 1 2 10 10 " << a << ' ' << b << '\n'
          << 3 * k + 2 << " 1 2 10 10 " << b << ' ' << c << '\n'
          << 3 * k + 3 << " 3 2 20 20 1 " << a << ' ' << b << ' ' << c << '\n';
    }
  out << "$EndElements\n";
  out.close();
  std::vector<std::string> arguments = {"--dry-run"};
  for (const std::string setting :
       {"Mesh/File=" + file, std::string("Mesh/Refinements=1"), std::string("Discretization/Degree=2"),
        std::string("Problem/Dimension=2"), std::string("Problem/Material=neo_hooke; E = 10; nu = 0.3"),
        std::string("Problem/Body force=0; -0.2"), std::string("Problem/Dirichlet boundaries=10: xy"),
        std::string("Linear solver/Smoother=block_jacobi"), std::string("Linear solver/Coarsest level cells=300")})
    arguments.insert(arguments.end(), {"--set", setting});
  const auto outcome = start(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("V-cycles on 3 algebraic levels"), std::string::npos) << outcome.out;
}

TEST_F(Solid, SaysWhatIsWrong)
{
  const auto message = [this](const Settings &settings) {
    const auto outcome = solve("cook.prm", settings);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    return outcome.message();
  };
  const auto expect = [&](const Settings &settings, const std::string &part) {
    const auto text = message(settings);
    EXPECT_NE(text.find(part), std::string::npos) << settings.back() << ": " << text;
  };
  expect({"Problem/Material=neo_hook; mu = 1; K = 2"}, "did you mean 'neo_hooke'");
  expect({"Problem/Material=neo_hooke; mu = -1; K = 2"}, "shear modulus");
  expect({"Problem/Material=neo_hooke; mu = 1; K = 0"}, "bulk modulus");
  expect({"Problem/Material=neo_hooke; E = 1; nu = 0.5"}, "K/mu = 5000 is nu = 0.4999");
  expect({"Problem/Material=neo_hooke; E = 1e-320; nu = 0.3"}, "double precision does not hold");
  expect({"Problem/Material=neo_hooke; mu = 1"}, "K is missing");
  expect({"Problem/Material=yeoh; c1 = 1; c2 = 1; c3 = 1; K = 1; c4 = 1"}, "c4 counts for nothing");
  expect({"Problem/Material=neo_hooke; mu = 1; mu = 2; K = 1"}, "given twice");
  expect({"Problem/Material=neo_hooke; mu; K = 1"}, "should be a constant");
  expect({"Problem/Material=7: neo_hooke; mu = 1; K = 1"}, "material");
  expect({"Problem/Dirichlet boundaries="}, "needs the component x");
  expect({"Mesh/Coordinates=", "Problem/Dirichlet boundaries=0: y, 2: x"}, "move or turn as a rigid body");
  expect({"Discretization/Volumetric strain=mean_dilatation", "Problem/Material=st_venant_kirchhoff; mu = 1; K = 2"},
         "mean_dilatation needs energies");
  expect({"Discretization/Volumetric strain=mean_dilatation",
          "Problem/Material=expression; mu = 1; W = mu/2*(I1-3); U = -mu*ln(J)+ln(J)^2"},
         "mean_dilatation needs energies");
  expect({"Problem/Material=split_expression; mu = 1; W = mu/2*(I1-3); U = J-1"}, "the undeformed body has the stress");
  expect({"Problem/Follower pressure=0: 1"}, "displacement along the normal is prescribed");
  expect({"Problem/Follower pressure=7: 1"}, "no boundary 7");
  expect({"Problem/Follower pressure=1: x"}, "Follower pressure");
  expect({"Problem/Follower pressure=1: log(0*t-1)"}, "Follower pressure on boundary 1");
  expect({"Time stepping/Load steps=2", "Problem/Follower pressure=1: log(0.7-t)"}, "nan at t = 1");
  expect({"Problem/Traction=1: 0; t"}, "contains t");
  expect({"Adaptivity/Interval=1"}, "Time stepping/Load steps = 1");
  expect({"Problem/Boundary displacement=1/0; 0"}, "no numbers");
  expect({"Time stepping/Load steps=4", "Problem/Boundary displacement=log(0.6-t); 0"}, "no numbers");
  expect({"Problem/Load factor=log(0*t-1)"}, "Load factor");
  expect({"Newton/Least linear tolerance=0.5"}, "is above");
  expect({"Problem/Follower pressure=1: 1", "Newton/Globalisation=trust_region"}, "needs an energy");
  expect({"Discretization/Volumetric strain=mean_dilatation", "Newton/Globalisation=trust_region"}, "needs an energy");
  for (const std::string of_motion :
       {"Problem/Density = 2", "Problem/Initial displacement = 0; 1", "Problem/Initial velocity = x; 1",
        "Time stepping/End time = 2", "Time stepping/Time step = 0.1", "Time stepping/Scheme = newmark",
        "Time stepping/Spectral radius = 0.5"})
    {
      const auto equals = of_motion.find(" = ");
      expect({of_motion.substr(0, equals) + "=" + of_motion.substr(equals + 3)},
             of_motion + " counts for nothing with Time stepping/Stationary = true");
    }
  expect({"Time stepping/Load steps=4", "Problem/Load factor=log(0.6-t)"}, "nan at t = 0.75");
  for (const std::string smoother : {"downstream_patches", "fsai"})
    {
      const auto outcome =
        solve("twisted_block.prm", {"Mesh/Refinements=1", "Discretization/Degree=2", "Linear solver/Solver=gmres",
                                    "Linear solver/Coarsest level cells=4", "Linear solver/Smoother=" + smoother});
      EXPECT_EQ(outcome.code, 2);
      EXPECT_NE(outcome.message().find("Linear solver/Smoother = " + smoother), std::string::npos) << outcome.message();
      EXPECT_FALSE(std::filesystem::exists(outcome.folder));
    }
}

// Conjugate gradients that come to no end within their iterations tell nothing of the matrix.
TEST_F(Solid, TrustRegionWithTooFewIterations)
{
  const auto outcome = solve("column.prm", {"Linear solver/Maximum iterations=1"});
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_NE(outcome.err.find("allow more iterations"), std::string::npos) << outcome.err;
}

// The coarsest mesh's solve is that of a run on this mesh alone. Without the rigid body modes Trilinos ML would take six
// times as many iterations.
TEST_F(Solid, NestedIterationIsRecorded)
{
  const Settings settings = {"Linear solver/Coarsest level cells=1024", "Linear solver/Coarse solver=trilinos_amg",
                             "Newton/Largest linear tolerance=1e-6", "Newton/Least linear tolerance=1e-6"};
  const auto     nested   = solve("cook.prm", settings + Settings{"Newton/Nested=true", "Mesh/Refinements=6"}),
             alone        = solve("cook.prm", settings + Settings{"Mesh/Refinements=5"});
  ASSERT_EQ(nested.code, 0) << nested.err;
  ASSERT_EQ(alone.code, 0) << alone.err;
  const auto &levels = nested.record.at("nested_iteration");
  ASSERT_EQ(levels.size(), 1u);
  EXPECT_EQ(levels[0].at("unknowns"), 2 * 33 * 33);
  EXPECT_EQ(levels[0].at("converged"), true);
  EXPECT_EQ(levels[0].at("newton"), alone.record.at("newton"));
}

// By default all sides of a box are held, also of a square.
TEST_F(Solid, SquareWhoseSidesAreHeld)
{
  const auto outcome =
    start({"--backend", "host", "--threads", "1", "--set", "Problem/Dimension=2", "--set", "Mesh/Refinements=2",
           "--set", "Problem/Body force=0; 0", "--set", "Problem/Boundary displacement=0.2*t*y; 0.1*t*y"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto columns = statistics(outcome);
  EXPECT_NEAR(columns.at("least_J").back(), 1.1, 1e-11);
  EXPECT_NEAR(columns.at("largest_J").back(), 1.1, 1e-11);
}

// Forces of a wrong pressure would act on held nodes alone.
TEST_F(Solid, PressureOfASquareWhoseSidesAreHeld)
{
  const auto outcome = start({"--backend", "host",
                              "--threads", "1",
                              "--set",     "Problem/Dimension=2",
                              "--set",     "Problem/Material=neo_hooke; mu = 1; K = 20",
                              "--set",     "Mesh/Refinements=2",
                              "--set",     "Problem/Body force=0; 0",
                              "--set",     "Problem/Boundary displacement=-0.3*t*x; -0.3*t*y",
                              "--set",     "Discretization/Volumetric strain=mean_dilatation",
                              "--set",     "Output/Statistics=mean mean_stress",
                              "--set",     "Output/Interval=0"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NEAR(statistics(outcome).at("mean_mean_stress").back(), 10. * (0.49 - 1. / 0.49), 1e-6);
}

TEST_F(Solid, SaysWhereAnEnergyIsNoNumber)
{
  const auto outcome =
    solve("cook.prm", {"Mesh/Refinements=2", "Problem/Material=split_expression; mu = 80; K = 170; W = "
                                             "mu/2*(I1-3); U = K/2*(J-1)^2+(J > 1.05 ? sqrt(1-J) : 0)"});
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_NE(outcome.err.find("the energy is no number (I1 = "), std::string::npos) << outcome.err;
  const auto infinite = solve("cook.prm", {"Mesh/Refinements=1", "Problem/Boundary displacement=1e300*t; 0"});
  EXPECT_EQ(infinite.code, 1) << infinite.out;
  EXPECT_NE(infinite.err.find("cells would invert (det F = "), std::string::npos) << infinite.err;
}

// Expressions and pressures after a restart, and on ranks, one of which has few faces.
TEST_F(Solid, ExpressionsAndPressuresAfterARestartAndOnRanks)
{
  const Settings problem    = {"Problem/Dimension=2",
                               "Problem/Material=split_expression; mu = 1; K = 5" + as_expression,
                               "Problem/Body force=0; 0",
                               "Problem/Dirichlet boundaries=0: xy",
                               "Problem/Follower pressure=1: 0.1*t, 3: 0.05",
                               "Mesh/Refinements=3",
                               "Discretization/Volumetric strain=mean_dilatation",
                               "Time stepping/Load steps=2",
                               "Newton/Tolerance=1e-12",
                               "Checkpoint/Steps=1"};
  const auto     start_with = [&](const Settings &settings, const Settings &more) {
    std::vector<std::string> arguments = {"--backend", "host", "--threads", "1"};
    for (const auto &setting : settings)
      arguments.insert(arguments.end(), {"--set", setting});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return start(arguments);
  };
  const auto whole = start_with(problem, {});
  ASSERT_EQ(whole.code, 0) << whole.err;
  const auto expected = statistics(whole);
  const auto compare  = [&](const Outcome &outcome, double tolerance) {
    const auto columns = statistics(outcome);
    for (const std::string name : {"strain_energy", "least_J", "boundary0_force_x", "boundary0_moment_z"})
      for (std::size_t k = 0; k < expected.at(name).size(); ++k)
        EXPECT_NEAR(columns.at(name).at(k), expected.at(name)[k], tolerance) << name;
  };
  setenv("ADAMANT_CHECKPOINT_KILL", "opened:2", 1);
  const auto killed = start_with(problem, {});
  unsetenv("ADAMANT_CHECKPOINT_KILL");
  ASSERT_EQ(killed.code, 137) << killed.err;
  auto continued = start_with({}, {"--restart=" + killed.folder});
  ASSERT_EQ(continued.code, 0) << continued.err;
  continued.folder = killed.folder;
  compare(continued, 1e-12);
  for (const int ranks : {2, 3})
    {
      before             = "mpirun --oversubscribe -np " + std::to_string(ranks) + " ";
      const auto outcome = start_with(problem, {});
      before.clear();
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      compare(outcome, 1e-9);
    }
}
} // namespace
