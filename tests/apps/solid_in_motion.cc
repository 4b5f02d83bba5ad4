// The program for solids at finite deformation as it takes time steps. References: an independent prototype.
#include "solid.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <sstream>
#include <string>

namespace
{
// Settings of a turn of the bar in so many steps; it has turned once at t = pi.
Settings turns(int steps, const std::string &scheme, double radius = 1.)
{
  const double step = std::acos(-1.) / steps;
  const auto   text = [](double value) {
    std::ostringstream out;
    out.precision(17);
    out << value;
    return out.str();
  };
  const Settings settings = {"Time stepping/Time step=" + text(step), "Time stepping/Scheme=" + scheme};
  return scheme == "generalized_alpha" ? settings + Settings{"Time stepping/Spectral radius=" + text(radius)} :
                                         settings;
}
Settings until(int step, int steps)
{
  std::ostringstream out;
  out.precision(17);
  out << "Time stepping/End time=" << std::acos(-1.) / steps * step;
  return {out.str()};
}

// A bar that turns freely, ten times. Energy and momentum stay to the digits of statistics.csv; others fail.
TEST_F(Solid, FreeRotation)
{
  const double exact   = 0.104 / 3.;
  const auto   outcome = solve("free_rotation.prm", turns(20, "energy_momentum") + until(200, 20));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  row = statistics(outcome);
  ASSERT_EQ(row.at("step").back(), 200);
  for (std::size_t k = 0; k < row.at("step").size(); ++k)
    {
      EXPECT_NEAR(row.at("kinetic_energy")[k] + row.at("strain_energy")[k], exact, 3e-11 * exact);
      EXPECT_NEAR(row.at("angular_momentum_z")[k], exact, 1e-11 * exact);
      EXPECT_NEAR(row.at("momentum_x")[k], 0., 1e-13);
    }
  const auto first_failure = [&](const Settings &settings, int after) {
    const auto outcome = solve("free_rotation.prm", settings + until(after + 1, 20));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    row             = statistics(outcome);
    const auto &all = row.at("halvings");
    return std::find_if(all.begin(), all.end(), [](double n) { return n > 0.; }) - all.begin();
  };
  EXPECT_EQ(first_failure(turns(20, "newmark"), 31), 31); // Newton's method takes 31 steps
  EXPECT_EQ(first_failure(turns(20, "generalized_alpha", 1.), 9), 9);
  EXPECT_EQ(first_failure(turns(20, "generalized_alpha", 0.8), 28), 28);
}

// A bar that flies without a force: the guess of each step is exact, and rounding is all that is left to solve for. A
// step of Newton's method may halve what rounding leaves by chance, and then another one follows.
TEST_F(Solid, FreeTranslation)
{
  for (const std::string scheme : {"newmark", "generalized_alpha", "energy_momentum"})
    {
      const auto outcome =
        solve("free_rotation.prm", turns(40, scheme, 0.8) + until(20, 40) +
                                     Settings{"Problem/Initial velocity=0.3; 0.1",
                                              "Problem/Initial displacement=20; -3", "Output/Points=0.5, 0.1"});
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      row                      = statistics(outcome);
      const auto &newton_steps = row.at("newton_steps");
      EXPECT_LE(std::accumulate(newton_steps.begin(), newton_steps.end(), 0.), 2. * double(newton_steps.size()));
      for (std::size_t k = 0; k < row.at("step").size(); ++k)
        {
          EXPECT_LE(newton_steps[k], 4.) << scheme << ", step " << k + 1;
          EXPECT_NEAR(row.at("point0_u_x")[k], 20. + 0.3 * row.at("time")[k], 1e-10); // twelve digits
          EXPECT_NEAR(row.at("point0_u_y")[k], -3. + 0.1 * row.at("time")[k], 1e-10);
        }
    }
}

// A beam on whose end a load acts at once; the end's displacement at t = 1.
TEST_F(Solid, BeamInMotion)
{
  const auto check = [&](const std::string &scheme, double u_y) {
    const auto outcome = solve("beam.prm", {"Time stepping/End time=1", "Time stepping/Scheme=" + scheme});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    row = statistics(outcome);
    EXPECT_NEAR(row.at("point0_u_y").back(), u_y, 6e-7);
    for (const double steps : row.at("newton_steps"))
      EXPECT_NEAR(steps, 3., 1.);
  };
  check("generalized_alpha", 1.770635);
  check("energy_momentum", 1.770838);
  for (std::size_t k = 0; k < row.at("step").size(); ++k) // midpoints know the work of a dead load
    EXPECT_NEAR(row.at("kinetic_energy")[k] + row.at("strain_energy")[k], row.at("work_of_load")[k], 1e-6);
}

// Errors fall by four where the time step is halved. A boundary moves, and a follower pressure acts.
TEST_F(Solid, OrderOfTimeSteps)
{
  const Settings body  = {"Problem/Traction=",
                          "Problem/Body force=0; -0.1; 0.05",
                          "Problem/Load factor=1-t^2",
                          "Problem/Follower pressure=1: 0.1*t",
                          "Problem/Dirichlet boundaries=0: xyz",
                          "Problem/Boundary displacement=0; 0.1*t^2*(3-2*t); 0",
                          "Problem/Initial velocity=0; 0.1*x^2; 0",
                          "Problem/Initial displacement=0.01*x^2; 0; 0",
                          "Problem/Density=5",
                          "Mesh/Coordinates=",
                          "Mesh/Refinements=1",
                          "Newton/Tolerance=1e-12",
                          "Time stepping/Stationary=false",
                          "Time stepping/End time=0.25",
                          "Output/Points=1, 1, 1"};
  const auto     check = [&](const Settings &settings) {
    double u[3];
    for (int k = 0; k < 3; ++k)
      {
        const auto outcome =
          solve("cook.prm", body + settings + Settings{"Time stepping/Time step=" + std::to_string(0.05 / (1 << k))});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        u[k] = statistics(outcome).at("point0_u_y").back();
      }
    EXPECT_NEAR((u[0] - u[1]) / (u[1] - u[2]), 4., 0.4) << settings[1] << ' ' << u[0] << ' ' << u[1] << ' ' << u[2];
  };
  const std::string of_mean = "Discretization/Volumetric strain=mean_dilatation", soft = "neo_hooke; mu = 1; K = 5";
  check({"Problem/Dimension=2", "Time stepping/Scheme=newmark", "Problem/Material=" + soft});
  check({"Problem/Dimension=2", "Time stepping/Scheme=generalized_alpha", "Problem/Material=" + soft, of_mean});
  check({"Problem/Dimension=3", "Time stepping/Scheme=energy_momentum", "Problem/Material=" + soft});
}

// A rubber bar in three dimensions turns freely, and keeps energy and momentum: Gonzalez's stresses.
TEST_F(Solid, FreeRotationOfRubber)
{
  const auto outcome = solve("free_rotation.prm",
                             Settings{"Problem/Dimension=3", "Problem/Material=yeoh; c1 = 20; c2 = -1; c3 = 1; K = 100",
                                      "Problem/Initial velocity=-2*(y-0.1)+2*z; 2*(x-0.5); -2*(x-0.5)",
                                      "Problem/Boundary displacement=0; 0; 0", "Problem/Body force=0; 0; 0",
                                      "Problem/Initial displacement=0; 0; 0", "Mesh/Cells=5, 1, 1",
                                      "Mesh/Coordinates=x; 0.2*y; 0.2*z-0.1"} +
                               turns(20, "energy_momentum") + until(40, 20));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  row = statistics(outcome);
  for (const std::string name : {"momentum_x", "angular_momentum_y", "angular_momentum_z"})
    EXPECT_NEAR(row.at(name).back(), row.at(name).front(), 1e-13) << name;
  double largest = 0.;
  for (std::size_t k = 0; k < row.at("step").size(); ++k)
    {
      EXPECT_NEAR(row.at("kinetic_energy")[k] + row.at("strain_energy")[k],
                  row.at("kinetic_energy")[0] + row.at("strain_energy")[0], 1e-13);
      largest = std::max(largest, row.at("strain_energy")[k]);
    }
  EXPECT_GT(largest, 1e-4);
}

// A block that was compressed to 3 % of its volume flies apart and keeps its energy, to the digits of statistics.csv.
TEST_F(Solid, ACompressedBodyKeepsItsEnergy)
{
  const auto outcome =
    solve("free_rotation.prm",
          {"Problem/Material=neo_hooke; mu = 80; K = 170", "Problem/Initial velocity=0; 0",
           "Problem/Initial displacement=-0.827*x; -0.827*y", "Mesh/Cells=4, 2", "Mesh/Coordinates=x; 0.5*y",
           "Time stepping/Time step=0.0004", "Time stepping/End time=0.004"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const double s = 0.173, J = s * s,
               first = 0.5 * (80. / 2. * (std::pow(J, -2. / 3.) * (2. * s * s + 1.) - 3.) +
                              170. / 4. * (J * J - 1. - 2. * std::log(J)));
  row                = statistics(outcome);
  for (std::size_t k = 0; k < row.at("step").size(); ++k)
    EXPECT_NEAR((row.at("kinetic_energy")[k] + row.at("strain_energy")[k]) / first, 1., 2e-11) << k;
  EXPECT_GT(row.at("volume").back(), 7. * row.at("volume").front());
}

// J has few digits of C - I where lengths are a twentieth.
TEST_F(Solid, ABodyOfAnEightThousandthOfItsVolumeKeepsItsEnergy)
{
  const auto outcome =
    solve("free_rotation.prm",
          {"Problem/Dimension=3", "Problem/Material=neo_hooke_compressible; mu = 80; lambda = 120",
           "Problem/Body force=0; 0; 0", "Problem/Boundary displacement=0; 0; 0", "Problem/Initial velocity=0; 0; 0",
           "Problem/Initial displacement=-0.95*x; -0.95*y; -0.95*z", "Mesh/Cells=2, 1, 1",
           "Mesh/Coordinates=x; 0.5*y; 0.7*z", "Time stepping/Time step=5e-5", "Time stepping/End time=2e-4"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const double log_J = 3. * std::log(0.05),
               first = 0.35 * (80. / 2. * (3. * 0.0025 - 3.) - 80. * log_J + 120. / 2. * log_J * log_J);
  row                = statistics(outcome);
  EXPECT_EQ(row.at("newton_steps"), std::vector<double>(4, 4.)); // to a tolerance of 1e-12
  EXPECT_EQ(row.at("halvings"), std::vector<double>(4, 0.));
  for (std::size_t k = 0; k < row.at("step").size(); ++k)
    EXPECT_NEAR((row.at("kinetic_energy")[k] + row.at("strain_energy")[k]) / first, 1., 1e-11) << k;
}

// What cannot be is told before anything is written.
TEST_F(Solid, MotionsThatAreRefused)
{
  const auto refused = [&](const Settings &settings, const std::string &message) {
    const auto outcome = solve("free_rotation.prm", settings);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  };
  const std::string rubber  = "Problem/Material=neo_hooke; mu = 1; K = 5";
  const std::string of_mean = "Discretization/Volumetric strain=mean_dilatation";
  refused({rubber, of_mean}, "Scheme = energy_momentum is for Discretization/Volumetric strain = standard");
  refused({"Problem/Material=expression; W = mu/2*(I1-3-2*ln(J)); U = (J-1)^2; mu = 1"},
          "Scheme = energy_momentum takes no energy that is an expression");
  refused({"Problem/Density=0"}, "Problem/Density = 0 is not positive");
  refused({"Problem/Density=1+x"}, "Problem/Density");
  refused({"Problem/Initial velocity=t; 0"}, "Problem/Initial velocity = t; 0 contains t");
  refused({"Problem/Initial velocity=0/x; 0"}, "Problem/Initial velocity");
  refused({"Time stepping/Time step=0.3"}, "is not a multiple of");
  refused({"Time stepping/Stationary=true"}, "Problem/Dirichlet boundaries");
  refused({"Time stepping/Load steps=2"}, "Load steps = 2 counts for nothing with Time stepping/Stationary = false");
  refused({"Time stepping/Spectral radius=0.5"}, "counts for nothing with Time stepping/Scheme = energy_momentum");
  refused({"Newton/Nested=true"}, "Time stepping/Stationary = true");
  const Settings two_steps = {"Time stepping/Time step=0.1", "Time stepping/End time=0.2"};
  refused(two_steps + Settings{"Problem/Load factor=sqrt(0.199-t)"}, "nan at t = 0.2");
  refused(two_steps + Settings{"Problem/Load factor=(t-0.05)/abs(t-0.05)"}, "nan at t = 0.05");
  refused(two_steps + Settings{"Problem/Follower pressure=1: 1/t"}, "nan at t = 0");
}

// An initial velocity where the body is held counts for nothing, which a note says.
TEST_F(Solid, InitialValuesThatBoundariesContradict)
{
  const auto notes = [&](const std::string &velocity) {
    const auto outcome = solve("beam.prm", {"Time stepping/End time=0.0125", "Problem/Initial velocity=" + velocity});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find("Initial displacement differs"), std::string::npos);
    return outcome.out.find("note: Problem/Initial velocity differs from Problem/Boundary displacement");
  };
  EXPECT_NE(notes("0; 1"), std::string::npos);
  EXPECT_EQ(notes("0; x"), std::string::npos);
}

// On a mesh that follows, pressures agree with a fixed mesh of the finest cells, also in the steps after a change.
// Interpolation alone makes them wrong by a multiple.
TEST_F(Solid, PressuresOfAMotionOnOtherMeshes)
{
  const Settings body = {"Problem/Material=neo_hooke; mu = 4000; K = 2e7",
                         "Problem/Traction=1: 0; 24000*(y*(1-y))^2",
                         "Problem/Load factor=sin(10*pi*t)^2",
                         "Problem/Dirichlet boundaries=0: n, 2: n",
                         "Mesh/Coordinates=2*x; y",
                         "Mesh/Cells=2, 1",
                         "Time stepping/Stationary=false",
                         "Time stepping/Time step=0.0005",
                         "Time stepping/End time=0.005",
                         "Output/Points=",
                         "Output/Statistics=min mean_stress; max mean_stress"};
  const auto     rows = [&](const std::string &scheme, const Settings &settings) {
    const auto outcome =
      solve("cook_nearly_incompressible.prm", body + settings + Settings{"Time stepping/Scheme=" + scheme});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return statistics(outcome);
  };
  for (const std::string scheme : {"newmark", "generalized_alpha"})
    {
      const auto fixed = rows(scheme, {"Mesh/Refinements=3"});
      auto following   = rows(scheme, {"Mesh/Refinements=2", "Adaptivity/Interval=5", "Adaptivity/Largest level=3"});
      for (const std::string name : {"min_mean_stress", "max_mean_stress"})
        for (std::size_t k = 0; k < 10; ++k)
          EXPECT_NEAR(following.at(name)[k], fixed.at(name)[k], 0.05 * std::abs(fixed.at(name).back()))
            << scheme << name << k;
      EXPECT_GT(following.at("cells").back(), following.at("cells").front());
    }
}

// Coarser cells of a ring that is turned would invert: the motion goes on with its mesh, to the bit.
TEST_F(Solid, AMotionKeepsAMeshWhereCellsWouldInvert)
{
  const auto rows = expect_mesh_kept(
    turning_ring("1.6") + Settings{"Problem/Density=0.01", "Discretization/Volumetric strain=mean_dilatation",
                                   "Time stepping/Stationary=false", "Time stepping/Time step=0.1"});
  EXPECT_EQ(rows.at("cells").back(), 40.);
}

// The load factor of a motion that ends early need be known until then only.
TEST_F(Solid, LoadFactorOfAShortMotion)
{
  const auto outcome = solve("beam.prm", {"Problem/Load factor=sqrt(0.03-t)", "Time stepping/End time=0.025"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}
} // namespace
