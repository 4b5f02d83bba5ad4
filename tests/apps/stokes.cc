// The Stokes program, as a user meets it: against exact solutions, against an independent program, and against itself.
#include "program.h"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace
{
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
    const std::string cells    = std::to_string(coarse);
    Settings          settings = {"Problem/Case=" + name,
                                  "Problem/Dimension=" + std::to_string(dimension),
                                  "Mesh/Cells=" + cells + ", " + cells + ", " + cells,
                                  "Mesh/Refinements=" + std::to_string(refinements),
                                  "Output/Files=false",
                                  "Output/Points=0.5, 0.5, 0.5"};
    settings.insert(settings.end(), more.begin(), more.end());
    return run(settings, 2);
  }

  // A file of prm/stokes with these settings.
  Outcome run_file(const std::string &file, const Settings &settings)
  {
    std::vector<std::string> arguments = {std::string(STOKES_PRM) + "/" + file, "--backend", "host", "--threads", "2"};
    for (const auto &setting : settings)
      arguments.insert(arguments.end(), {"--set", setting});
    auto outcome = start(arguments);
    if (outcome.code != 0 || outcome.record.is_null())
      throw std::runtime_error("the program did not run: " + outcome.err); // ends this test
    return outcome;
  }

  static int    iterations(const Outcome &outcome) { return outcome.max_iterations(); }
  static double at_centre(const Outcome &outcome, int component)
  {
    return outcome.record.at("velocity_at_points")[component];
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

// Published errors of Q2-Q1 (ASPECT's benchmark: 4², 16² cells), and errors of the same independent program (8², 32²).
// Both take errors at 4² points of each cell. At 5² points they differ by 1e-3 on 4² cells, and by a quarter of that on
// the next.
TEST_F(Stokes, TaylorHoodErrors)
{
  const double u[] = {1.069688e-4, 1.340050e-5, 1.670009e-6, 2.085040e-7},
               p[] = {2.047718e-2, 1.395243e-2, 9.778441e-3, 6.884131e-3};
  for (int k = 0; k < 4; ++k) // as many nodes as 2 4² 2^k bilinear cells
    {
      const auto outcome = solve("solcx", 2, 8 << k, {"Linear solver/Tolerance=1e-10", "Discretization/Velocity=q2"});
      EXPECT_NEAR(outcome.record.at("errors").at("u_l2"), u[k], 2e-3 / (1 << 2 * k) * u[k]);
      EXPECT_NEAR(outcome.record.at("errors").at("p_l2"), p[k], 1e-4 * p[k]);
      EXPECT_LE(iterations(outcome), 18);
    }
}

// Of deal.II's step-104, on 4³ and 8³ cells: orders 3 and more than 2, about its errors, in fewer iterations than its
// 20.
TEST_F(Stokes, Step104)
{
  const auto coarse = run_file("step104.prm", {"Mesh/Refinements=2", "Output/Files=false"}),
             fine   = run_file("step104.prm", {"Mesh/Refinements=3", "Output/Files=false"});
  const auto error  = [](const Outcome &outcome, const char *name) {
    return outcome.record.at("errors").at(name).get<double>();
  };
  EXPECT_EQ(fine.record.at("dofs"), 15468);
  EXPECT_NEAR(error(fine, "u_l2"), 6.0e-3, 0.25 * 6.0e-3) << "at 3³ points, where the error is smaller";
  EXPECT_NEAR(error(fine, "p_l2"), 1.2e-2, 0.15 * 1.2e-2);
  EXPECT_LT(error(fine, "u_l2"), 0.14 * error(coarse, "u_l2"));
  EXPECT_LT(error(fine, "p_l2"), 0.2 * error(coarse, "p_l2"));
  EXPECT_LE(iterations(fine), 18);
}

// The exact torques and force of Jeffery and Wannier, which are integrals of gradients, of order 2.
TEST_F(Stokes, EccentricCylinders)
{
  const auto errors = [&](const std::string &refinements) {
    const auto statistics =
      run_file("eccentric_cylinders.prm", {"Mesh/Refinements=" + refinements, "Output/Files=false"})
        .record.at("statistics");
    const auto error = [&](const char *name, double exact) { return statistics.at(name).get<double>() / exact - 1.; };
    return std::vector<double>{error("wall_shear_on_boundary_inner", 20.02392),
                               error("wall_shear_on_boundary_outer", 6.553544),
                               error("force_y_on_boundary_inner", 13.83366)};
  };
  const auto coarse = errors("2"), fine = errors("3");
  for (int k = 0; k < 3; ++k)
    {
      EXPECT_LE(std::abs(fine[k]), 0.0035);
      EXPECT_GT(coarse[k] / fine[k], 3.1);
    }
}

// Zick and Homsy (1982) have the drag coefficient 4.292; on 3072 cells it is 0.7 % larger, on 24576 cells 0.2 %. The
// curved cells of Q2 have 0.13 % on the same nodes.
TEST_F(Stokes, ArrayOfSpheres)
{
  const std::vector<std::pair<std::string, double>> cases = {{"q1_iso_q2", 0.008}, {"q2", 0.002}};
  for (const auto &[element, tolerance] : cases)
    {
      const auto   outcome = run_file("array_of_spheres.prm",
                                      {"Mesh/Refinements=2", "Output/Files=false", "Discretization/Velocity=" + element});
      const double U       = outcome.record.at("statistics").at("integral_u_x");
      EXPECT_NEAR(0.171038 / U, 4.292, tolerance * 4.292);
      EXPECT_LE(iterations(outcome), 21);
    }
}

// On 65 x 65 nodes no more iterations than an independent program has; on adaptive meshes as few, and errors that fall.
TEST_F(Stokes, TaylorHoodIterations)
{
  const auto q2 = [&](const std::string &name, int n, Settings more) {
    more.push_back("Discretization/Velocity=q2");
    return solve(name, 2, n, more);
  };
  EXPECT_LE(iterations(q2("sinker", 64, {})), 13);
  EXPECT_LE(iterations(q2("nsinker", 64, {"Problem/Sinkers=8"})), 19);
  EXPECT_LE(iterations(q2("nsinker", 64, {"Problem/Sinkers=8", "Viscosity/Finest average=none"})), 22);
  const Settings tight  = {"Linear solver/Tolerance=1e-8"};
  const auto     coarse = q2("solcx", 32, tight),
             refined    = q2("solcx", 32, {tight[0], "Refinement/For velocity=2", "Refinement/Fraction=0.3"});
  EXPECT_GT(refined.record.at("hanging_nodes"), 0);
  EXPECT_LT(refined.record.at("errors").at("u_l2"), 0.25 * coarse.record.at("errors").at("u_l2").get<double>());
  EXPECT_LE(iterations(refined), iterations(coarse) + 4);
}

// A viscosity that varies smoothly in 3D, all velocities prescribed.
TEST_F(Stokes, ManufacturedSolutionConverges)
{
  const auto settings = [](int refinements) {
    return Settings{"Mesh/Refinements=" + std::to_string(refinements), "Output/Files=false"};
  };
  const auto coarse = run_file("burstedde.prm", settings(2)), fine = run_file("burstedde.prm", settings(3));
  EXPECT_LT(fine.record.at("errors").at("u_l2"), 0.15 * coarse.record.at("errors").at("u_l2").get<double>());
}

// Velocities of the block's centre by an independent program, to the digits that its tolerance allows.
TEST_F(Stokes, SinkerSinksAsFast)
{
  const auto expect = [&](int dimension, int n, const std::string &ratio, double velocity, int most) {
    for (const std::string schur : {"mass", "bfbt"})
      {
        if (dimension == 3 && schur == "bfbt")
          continue; // the balls are its business there
        const auto outcome = solve("sinker", dimension, n,
                                   {"Problem/Viscosity ratio=" + ratio, "Linear solver/Schur complement=" + schur}, 5);
        EXPECT_NEAR(at_centre(outcome, 1), velocity, 5e-5 * std::abs(velocity)) << dimension << "D, " << schur;
        EXPECT_LE(iterations(outcome), most) << dimension << "D, " << schur;
      }
  };
  expect(2, 40, "1", -4.196133e-3, 11);
  expect(2, 40, "1e6", -2.514531e-3, 13);
  expect(3, 20, "1e4", -1.855312e-3, 13);
}

// The largest nodal component and the iterations of the same program (Rudi, Stadler and Ghattas' balls).
TEST_F(Stokes, BallsAndIterations)
{
  const auto bfbt = solve("nsinker", 3, 32, {"Problem/Viscosity ratio=1e4", "Linear solver/Precision=float64"}, 2);
  EXPECT_NEAR(bfbt.record.at("max_velocity"), 1.283e-3, 1e-6);
  EXPECT_LE(iterations(bfbt), 9 + 2);
  const auto in_float = solve("nsinker", 3, 16, {"Problem/Viscosity ratio=1e8", "Problem/Sinkers=8"}, 2),
             in_double =
               solve("nsinker", 3, 16,
                     {"Problem/Viscosity ratio=1e8", "Problem/Sinkers=8", "Linear solver/Precision=float64"}, 2);
  EXPECT_LE(iterations(in_float), iterations(in_double) + 3);
}

// A force that is a gradient moves nothing: the pressure balances it.
TEST_F(Stokes, HydrostaticLoad)
{
  const auto outcome   = solve("expressions", 2, 32,
                               {"Problem/Viscosity=if(x+y<0.9,1,1e4)", "Problem/Body force=cos(x)*y;sin(x)",
                                "Problem/Boundaries=free_slip", "Linear solver/Tolerance=1e-10"});
  const auto quadratic = solve("expressions", 2, 32,
                               {"Problem/Viscosity=if(x+y<0.9,1,1e4)", "Problem/Body force=0;-1",
                                "Problem/Boundaries=free_slip", "Linear solver/Tolerance=1e-10"});
  EXPECT_LT(outcome.record.at("max_velocity"), 1e-4) << "up to what the pressure cannot represent";
  EXPECT_LT(quadratic.record.at("max_velocity"), 1e-11) << "a linear pressure is exact";
}

// Orders 3 and 2 of Q2-Q1 also where the viscosity varies: with means in cells they would be 2 and less.
TEST_F(Stokes, TaylorHoodOrdersWithVaryingViscosity)
{
  const Settings vortex = {"Discretization/Velocity=q2",
                           "Problem/Viscosity=exp(2*x*y)",
                           "Problem/Boundary velocity=exact",
                           "Problem/Exact velocity=y^3; x^3",
                           "Problem/Exact pressure=x^2-1/3",
                           "Problem/Body force=-3*exp(2*x*y)*(2*x*(x^2+y^2)+2*y)+2*x; "
                           "-3*exp(2*x*y)*(2*y*(x^2+y^2)+2*x)",
                           "Linear solver/Tolerance=1e-11"};
  const auto     error  = [](const Outcome &outcome, const char *name) {
    return outcome.record.at("errors").at(name).get<double>();
  };
  auto in_stages = vortex;
  in_stages.push_back("Viscosity/Continuation stages=2");
  const auto coarse = solve("expressions", 2, 16, vortex), fine = solve("expressions", 2, 32, vortex),
             staged = solve("expressions", 2, 16, in_stages);
  EXPECT_LT(error(fine, "u_l2"), 0.14 * error(coarse, "u_l2"));
  EXPECT_LT(error(fine, "p_l2"), 0.27 * error(coarse, "p_l2"));
  EXPECT_NEAR(error(staged, "u_l2"), error(coarse, "u_l2"), 1e-6 * error(coarse, "u_l2"));
}

// Where nobody has asked for a point, none has to be in the mesh.
// The flow sin(πξ) cos(πη), -cos(πξ) sin(πη) slips along all sides of a square. Components are prescribed, or u . n = 0
// where the square is turned by 30 degrees.
TEST_F(Stokes, SlipsAlongSlantedSidesAsAlongOthers)
{
  const auto problem = [](bool turned) {
    const std::string c = turned ? "sqrt(0.75)" : "1", s = turned ? "0.5" : "0", xi = "(" + c + "*x+" + s + "*y)",
                      eta = "(-" + s + "*x+" + c + "*y)", u = "(sin(pi*" + xi + ")*cos(pi*" + eta + "))",
                      v = "(-cos(pi*" + xi + ")*sin(pi*" + eta + "))", u_x = c + "*" + u + "-" + s + "*" + v,
                      u_y = s + "*" + u + "+" + c + "*" + v;
    return Settings{"Problem/Body force=2*pi^2*(" + u_x + "); 2*pi^2*(" + u_y + ")",
                    "Problem/Exact velocity=" + u_x + "; " + u_y,
                    "Problem/Exact pressure=0",
                    "Problem/Boundaries=free_slip",
                    "Output/Points=",
                    "Linear solver/Tolerance=1e-11",
                    "Mesh/Coordinates=" + c + "*x-" + s + "*y; " + s + "*x+" + c + "*y"};
  };
  for (const std::string element : {"q1_iso_q2", "q2"})
    {
      double last = 0.;
      for (const int n : {16, 32})
        {
          Settings straight = problem(false), turned = problem(true);
          for (auto *settings : {&straight, &turned})
            settings->push_back("Discretization/Velocity=" + element);
          const auto   expected = solve("expressions", 2, n, straight), outcome = solve("expressions", 2, n, turned);
          const double error = outcome.record.at("errors").at("u_l2");
          EXPECT_NEAR(error, expected.record.at("errors").at("u_l2").get<double>(), 1e-7 * error)
            << element << ", " << n;
          EXPECT_NEAR(iterations(outcome), iterations(expected), 1) << element << ", " << n;
          if (n == 32)
            EXPECT_GT(last / error, element == "q2" ? 7.5 : 3.8) << element << ": the order";
          last = error;
        }
    }
}

// The fluid in an annulus whose inner side turns, and whose outer one does not hold it back, turns as a whole. The
// corners of the polygons are on circles, and the nodal normals are radial.
TEST_F(Stokes, TurnsAsAWholeInASlipperyShell)
{
  const Settings ring = {"Mesh/Type=shell",
                         "Mesh/Sizes=0.5, 1",
                         "Mesh/Refinements=2",
                         "Problem/Case=expressions",
                         "Problem/Body force=0; 0",
                         "Problem/Boundaries=1: free_slip",
                         "Problem/Boundary velocity=0: -y; x",
                         "Problem/Exact velocity=-y; x",
                         "Problem/Exact pressure=0",
                         "Linear solver/Tolerance=1e-11"};
  for (const std::string element : {"q1_iso_q2", "q2"})
    {
      Settings settings = ring;
      settings.push_back("Discretization/Velocity=" + element);
      const auto outcome = run(settings);
      EXPECT_LT(outcome.record.at("errors").at("u_l2").get<double>(), 1e-9) << element;
      EXPECT_LE(iterations(outcome), 14) << element;
    }
}

// A wavy wall along which the fluid slips, in a channel that is periodic. Where the pair of sides lies does not matter,
// though the normals of a node there come from both sides.
TEST_F(Stokes, SlipsAlongAPeriodicWave)
{
  const auto fastest = [&](const std::string &wave) {
    const auto outcome = solve("expressions", 2, 16,
                               {"Mesh/Coordinates=x; y+0.1*(1-y)*" + wave + "(2*pi*x)", "Mesh/Periodic boundaries=0: 1",
                                "Problem/Boundaries=2: free_slip, 3: no_slip", "Problem/Body force=1; 0",
                                "Output/Points=", "Linear solver/Tolerance=1e-10"});
    return outcome.record.at("max_velocity").get<double>();
  };
  const double expected = fastest("sin"); // moved by a quarter of the length, as many cells
  EXPECT_NEAR(fastest("cos"), expected, 1e-6 * expected);
}

// Tractions on both ends drive a parabola between a wall and a side where it slips, in 2D and 3D. It is exact in Q2,
// and at the nodes in Q1.
TEST_F(Stokes, TractionsDriveAParabola)
{
  const auto channel = [](bool in_3d, const std::string &element, const std::string &schur) {
    const std::string zero = in_3d ? "; 0" : "";
    return Settings{"Problem/Body force=0; 0" + zero,
                    std::string("Problem/Boundaries=2: no_slip, 3: free_slip") +
                      (in_3d ? ", 4: free_slip, 5: free_slip" : ""),
                    "Problem/Traction=0: 0; 2*y-2" + zero + ", 1: 0; 2-2*y" + zero,
                    "Problem/Pressure=0: 2",
                    "Problem/Exact velocity=y*(2-y); 0" + zero,
                    "Problem/Exact pressure=2*(1-x)",
                    "Discretization/Velocity=" + element,
                    "Linear solver/Schur complement=" + schur,
                    "Linear solver/Tolerance=1e-10"};
  };
  for (const bool in_q2 : {false, true})
    {
      const auto outcome =
        solve("expressions", 2, 8, in_q2 ? channel(false, "q2", "mass") : channel(false, "q1_iso_q2", "bfbt"));
      if (in_q2)
        EXPECT_LT(outcome.record.at("errors").at("u_l2").get<double>(), 1e-9);
      EXPECT_LT(outcome.record.at("errors").at("p_l2").get<double>(), 1e-8) << in_q2;
      EXPECT_NEAR(at_centre(outcome, 0), 0.75, 1e-9) << in_q2;
      EXPECT_NEAR(outcome.record.at("dissipation").get<double>(), outcome.record.at("work_of_force").get<double>(),
                  1e-8);
      EXPECT_LE(iterations(outcome), in_q2 ? 18 : 14);
    }
  Settings settings = channel(true, "q1_iso_q2", "mass");
  settings.push_back("Linear solver/Products=cells");
  EXPECT_NEAR(at_centre(solve("expressions", 3, 8, settings), 0), 0.75, 1e-9);
}

// A flow whose traction is given on one side, with the pressure's constant that it has there. Orders 2, and 3 and 2.
TEST_F(Stokes, TractionOnOneSideKeepsTheOrders)
{
  for (const std::string element : {"q1_iso_q2", "q2"})
    {
      const Settings flow   = {"Problem/Exact velocity=y^3; x^3",   "Problem/Exact pressure=x^2",
                               "Problem/Body force=-6*y+2*x; -6*x", "Problem/Boundary velocity=exact",
                               "Problem/Traction=1: -1; 3*y^2+3",   "Discretization/Velocity=" + element,
                               "Linear solver/Tolerance=1e-10"};
      const auto     coarse = solve("expressions", 2, 8, flow), fine = solve("expressions", 2, 16, flow);
      for (const char *error : {"u_l2", "p_l2"})
        EXPECT_GT(coarse.record.at("errors").at(error).get<double>() / fine.record.at("errors").at(error).get<double>(),
                  element == "q2" && error[0] == 'u' ? 7.5 : 3.8)
          << element << ", " << error;
      Settings adaptive = flow;
      adaptive.insert(adaptive.end(), {"Refinement/For velocity=1", "Linear solver/Schur complement=bfbt"});
      const auto refined = solve("expressions", 2, 8, adaptive);
      EXPECT_GT(refined.record.at("hanging_nodes"), 0);
      EXPECT_LT(refined.record.at("errors").at("u_l2"), coarse.record.at("errors").at("u_l2")) << element;
    }
}

// An open side needs no more iterations than a closed one.
TEST_F(Stokes, OutflowCostsNoIterations)
{
  for (const auto &[element, schur] :
       {std::pair{"q1_iso_q2", "mass"}, std::pair{"q1_iso_q2", "bfbt"}, std::pair{"q2", "bfbt"}})
    {
      const auto with = [this, of = std::string(element), by = std::string(schur)](const std::string &boundaries) {
        return iterations(solve("nsinker", 2, 32,
                                {"Problem/Viscosity ratio=1e4", "Discretization/Velocity=" + of,
                                 "Linear solver/Schur complement=" + by, "Problem/Boundaries=" + boundaries}));
      };
      EXPECT_LE(with("0: outflow, 1: outflow, 3: free_slip"), with("no_slip") + 2) << element << ", " << schur;
    }
}

TEST_F(Stokes, SlantedChannelIsExact)
{
  const auto outcome = run_file("slanted_channel.prm", {});
  EXPECT_LT(outcome.record.at("errors").at("u_l2").get<double>(), 1e-9);
  EXPECT_LT(outcome.record.at("errors").at("p_l2").get<double>(), 1e-7) << "by the tolerance";
}

// A force that is periodic in x between two walls moves layers, u_x(y). The mesh is finer at one of the two sides that
// are one. In 3D products go by cells as by rows.
TEST_F(Stokes, PeriodicLayers)
{
  const Settings layers = {"Problem/Body force=pi^2*sin(pi*y); 0; 0",
                           "Problem/Exact velocity=sin(pi*y); 0; 0",
                           "Problem/Exact pressure=0",
                           "Mesh/Periodic boundaries=0: 1",
                           "Mesh/Local refinements=1",
                           "Mesh/Refine where=0.3-x-abs(y-0.5)",
                           "Output/Points=",
                           "Linear solver/Tolerance=1e-10"};
  double         last   = 0.;
  for (const int n : {16, 32})
    {
      const auto   outcome = solve("expressions", 2, n, layers);
      const double error   = outcome.record.at("errors").at("u_l2");
      if (n == 32)
        EXPECT_GT(last / error, 3.5);
      last = error;
    }
  Settings in_3d = layers;
  in_3d.push_back("Mesh/Periodic boundaries=0: 1, 4: 5");
  in_3d.push_back("Linear solver/Products=rows");
  const auto rows  = solve("expressions", 3, 8, in_3d);
  in_3d.back()     = "Linear solver/Products=cells";
  const auto cells = solve("expressions", 3, 8, in_3d);
  EXPECT_EQ(iterations(cells), iterations(rows));
  EXPECT_NEAR(cells.record.at("errors").at("u_l2").get<double>(), rows.record.at("errors").at("u_l2").get<double>(),
              1e-10);
}

TEST_F(Stokes, OtherMeshesNeedNoPoint)
{
  const auto outcome = run({"Mesh/Type=cylinder", "Mesh/Refinements=0", "Problem/Case=expressions",
                            "Problem/Body force=y;-x", "Output/Files=false"});
  EXPECT_TRUE(outcome.record.at("velocity_at_points").empty());
  EXPECT_GT(outcome.record.at("max_velocity"), 0.);
}

// 2 η |ε(u)|² in all is what the force does.
TEST_F(Stokes, DissipationIsWork)
{
  for (const std::string average : {"harmonic", "geometric", "arithmetic", "none"})
    {
      const auto outcome =
        solve("nsinker", 2, 32,
              {"Linear solver/Tolerance=1e-9", "Viscosity/Finest average=" + average, "Problem/Viscosity ratio=1e4"});
      const double work = outcome.record.at("work_of_force");
      EXPECT_GT(work, 0.);
      EXPECT_NEAR(outcome.record.at("dissipation"), work, 1e-6 * work) << average;
    }
  // What moves at a boundary does work there, too.
  const auto driven = solve("expressions", 2, 8, {"Problem/Boundary velocity=3: x*(1-x); 0"});
  EXPECT_GT(driven.record.at("max_velocity"), 0.);
  EXPECT_FALSE(driven.record.contains("dissipation") || driven.record.contains("work_of_force"));
}

// The same problem turned by a quarter, and mirrored.
TEST_F(Stokes, TurnedAndMirrored)
{
  const Settings common = {"Problem/Boundaries=free_slip", "Linear solver/Tolerance=1e-10",
                           "Output/Points=0.375, 0.25; 0.75, 0.375; 0.375, 0.75"};
  const auto     with   = [&](const std::string &viscosity, const std::string &force) {
    Settings settings = common;
    settings.insert(settings.end(), {"Problem/Viscosity=" + viscosity, "Problem/Body force=" + force});
    return solve("expressions", 2, 32, settings).record.at("velocity_at_points").get<std::vector<double>>();
  };
  const auto as_it_is = with("1+1e3*(abs(x-0.4)<0.1)*(abs(y-0.3)<0.1)", "0;-(abs(x-0.4)<0.1)*(abs(y-0.3)<0.1)"),
             turned   = with("1+1e3*(abs(y-0.4)<0.1)*(abs(x-0.7)<0.1)", "(abs(y-0.4)<0.1)*(abs(x-0.7)<0.1);0"),
             mirrored = with("1+1e3*(abs(x-0.4)<0.1)*(abs(y-0.7)<0.1)", "0;(abs(x-0.4)<0.1)*(abs(y-0.7)<0.1)");
  const double size   = std::abs(as_it_is[1]);
  // The points are (0.375, 0.25), and where it gets.
  EXPECT_NEAR(turned[2], -as_it_is[1], 1e-7 * size);
  EXPECT_NEAR(turned[3], as_it_is[0], 1e-7 * size);
  EXPECT_NEAR(mirrored[4], as_it_is[0], 1e-7 * size);
  EXPECT_NEAR(mirrored[5], -as_it_is[1], 1e-7 * size);
}

// Of SolCx: less error where the viscosity jumps, and by Kelly's estimator less than all cells refined, with fewer of
// them.
TEST_F(Stokes, AdaptiveMeshes)
{
  const Settings tight  = {"Linear solver/Tolerance=1e-8"};
  const auto     error  = [](const Outcome &outcome) { return outcome.record.at("errors").at("u_l2").get<double>(); };
  const auto     coarse = solve("solcx", 2, 32, tight), fine = solve("solcx", 2, 64, tight),
             at_jump = solve("solcx", 2, 32, {tight[0], "Refinement/For viscosity=1"}),
             kelly   = solve("solcx", 2, 32, {tight[0], "Refinement/For velocity=2", "Refinement/Fraction=0.3"});
  EXPECT_GT(at_jump.record.at("hanging_nodes"), 0);
  EXPECT_LT(error(at_jump), 0.75 * error(coarse));
  EXPECT_LT(error(kelly), 0.9 * error(fine));
  EXPECT_LT(kelly.record.at("cells"), fine.record.at("cells"));
  EXPECT_LE(iterations(kelly), iterations(fine) + 5);
  for (const std::string schur : {"mass", "bfbt"})
    {
      const auto balls =
        solve("nsinker", 2, 32,
              {"Refinement/For viscosity=1", "Linear solver/Schur complement=" + schur, "Problem/Viscosity ratio=1e4"});
      EXPECT_GT(balls.record.at("hanging_nodes"), 0);
      EXPECT_LE(iterations(balls), schur == "mass" ? 45 : 20) << schur;
    }
}

TEST_F(Stokes, PrecisionsAgree)
{
  const auto with = [&](const std::string &precision, const std::string &ratio, const std::string &adapt = "false") {
    return solve("sinker", 2, 64,
                 {"Problem/Viscosity ratio=" + ratio, "Linear solver/Precision=" + precision,
                  "Linear solver/Adapt precision=" + adapt});
  };
  const auto in_double = with("float64", "1e8"), mixed = with("mixed", "1e8"), chosen = with("float32", "1e8", "true");
  EXPECT_LE(iterations(mixed), iterations(in_double) + 1);
  EXPECT_NEAR(at_centre(mixed, 1), at_centre(in_double, 1), 1e-4 * std::abs(at_centre(in_double, 1)));
  EXPECT_EQ(chosen.record.at("precision"), "mixed");
  EXPECT_EQ(with("float32", "1e2", "true").record.at("precision"), "float32");
}

// Stages of a growing contrast end with the same solution, and take longer.
TEST_F(Stokes, Continuation)
{
  const Settings balls = {"Problem/Viscosity ratio=1e6"};
  const auto     once  = solve("nsinker", 2, 32, balls),
             stages    = solve("nsinker", 2, 32, {balls[0], "Viscosity/Continuation stages=3"});
  EXPECT_NEAR(stages.record.at("max_velocity"), once.record.at("max_velocity"),
              1e-4 * once.record.at("max_velocity").get<double>());
  EXPECT_GT(iterations(stages), iterations(once));
}

// Lengths, viscosities and forces in SI units give the velocity that the numbers without units give, times
// Δρ g L² / η: 981 (1e5)² / 1e20 m/s.
TEST_F(Stokes, UnitsScale)
{
  const auto   si   = run_file("block.prm", {"Mesh/Refinements=1", "Output/Files=false"});
  const double unit = 981. * 1e10 / 1e20;
  EXPECT_NEAR(at_centre(si, 1), -1.854509e-3 * unit, 1e-4 * 1.85e-3 * unit);
  EXPECT_LE(iterations(si), 16);
}

// The paper's smoother, by colours.
TEST_F(Stokes, GaussSeidel)
{
  const auto outcome = solve("nsinker", 2, 32,
                             {"Linear solver/Smoother=gauss_seidel", "Linear solver/Chebyshev=false",
                              "Linear solver/Damping=1", "Linear solver/Pre-smoothing steps=2",
                              "Linear solver/Post-smoothing steps=2", "Problem/Viscosity ratio=1e4"});
  EXPECT_LE(iterations(outcome), 25);
}

// By the cells' viscosities instead of stored rows: the same iterations and flow, with new viscosities, too.
TEST_F(Stokes, ByCellsAsByRows)
{
  for (const auto &[schur, precision] : {std::pair("bfbt", "float32"), {"mass", "mixed"}})
    {
      const auto in = [&, schur = std::string(schur), precision = std::string(precision)](const std::string &product) {
        return solve("nsinker", 3, 16,
                     {"Problem/Viscosity ratio=1e4", "Linear solver/Schur complement=" + schur,
                      "Linear solver/Precision=" + precision, "Linear solver/Products=" + product,
                      "Viscosity/Continuation stages=2"});
      };
      const auto rows = in("rows"), cells = in("cells");
      EXPECT_EQ(rows.record.at("levels_by_cells"), 0);
      EXPECT_EQ(cells.record.at("levels_by_cells"), 2);
      EXPECT_NEAR(iterations(cells), iterations(rows), 1) << schur << ", " << precision;
      for (const char *key : {"max_velocity", "dissipation"})
        EXPECT_NEAR(cells.record.at(key), rows.record.at(key), 1e-5 * rows.record.at(key).get<double>()) << key;
    }
}

TEST_F(Stokes, TrilinosAsPeer)
{
  const auto outcome = solve("nsinker", 2, 32, {"Linear solver/Preconditioner=trilinos_amg"});
  EXPECT_NEAR(outcome.record.at("dissipation"), outcome.record.at("work_of_force"),
              1e-3 * outcome.record.at("work_of_force").get<double>());
}

// Velocities component by component.
TEST_F(Stokes, ScalarBlocks)
{
  const auto all = solve("nsinker", 2, 32, {"Problem/Viscosity ratio=1e2"}),
             one = solve("nsinker", 2, 32,
                         {"Problem/Viscosity ratio=1e2", "Linear solver/Preconditioner=component_blocks"});
  EXPECT_NEAR(one.record.at("work_of_force").get<double>(), all.record.at("work_of_force").get<double>(),
              1e-3 * std::abs(all.record.at("work_of_force").get<double>()));
  EXPECT_LE(iterations(one), 2 * iterations(all));
}

// A run that was done reports its earlier results, to the bit.
TEST_F(Stokes, Restart)
{
  const auto once  = solve("nsinker", 2, 32, {"Checkpoint/Steps=1", "Problem/Boundary velocity=0: 0;y*(1-y),1: 0;-x"}),
             again = start({"--backend", "host", "--threads", "2", "--restart=" + once.folder});
  ASSERT_EQ(again.code, 0) << again.err;
  std::ifstream in(once.folder + "/run.json");
  const auto    record = nlohmann::json::parse(in);
  for (const char *key : {"max_velocity", "velocity_at_points", "pressure_at_points"})
    EXPECT_EQ(record.at(key), once.record.at(key)) << key;
}

TEST_F(Stokes, NoForceNoFlow)
{
  const auto outcome = solve("expressions", 2, 16, {"Problem/Body force=0;0"});
  EXPECT_EQ(outcome.record.at("max_velocity"), 0.);
}

TEST_F(Stokes, TutorialIsTheDefault)
{
  const auto built_in = start({"--print-parameters"}),
             shipped  = start({std::string(STOKES_PRM) + "/tutorial.prm", "--print-parameters"});
  EXPECT_EQ(shipped.code, 0) << shipped.err;
  EXPECT_EQ(built_in.out, shipped.out);
}

TEST_F(Stokes, BadInput)
{
  expect_refused({"Problem/Viscosity ratio=0.5"}, "between 1 and 1e12");
  expect_refused({"Problem/Viscosity ratio=1e13"}, "between 1 and 1e12");
  for (const auto &[setting, name] : {std::pair("Viscosity=1: 1, 2", "sinker"),
                                      {"Body force=0; -2; 0", "nsinker"},
                                      {"Exact velocity=x; -y", "solcx"},
                                      {"Exact pressure=x", "sinker"},
                                      {"Sinkers=5", "sinker"},
                                      {"Viscosity ratio=10", "expressions"}})
    {
      const std::string text = setting, key = text.substr(0, text.find('='));
      expect_refused({"Problem/" + text, std::string("Problem/Case=") + name},
                     "Problem/" + key + " = " + text.substr(key.size() + 1) +
                       " counts for nothing with Problem/Case = " + name);
    }
  expect_refused({"Problem/Case=nsinker", "Problem/Sinkers=25"}, "centres for 1 to 24");
  expect_refused({"Problem/Case=solcx", "Problem/Dimension=3"}, "needs Problem/Dimension = 2");
  expect_refused({"Problem/Case=expressions", "Problem/Viscosity=x-0.5"}, "has to be positive");
  expect_refused({"Problem/Case=expressions", "Problem/Boundary velocity=3: sqrt(x-0.5); 0"},
                 "velocity has values that");
  // NaN at a node only, and infinite.
  expect_refused({"Problem/Case=expressions", "Problem/Boundary velocity=3: sin(x-0.5)/(x-0.5); 0"},
                 "Problem/Boundary velocity has values that are no numbers");
  expect_refused({"Problem/Case=expressions", "Problem/Body force=1/0; 0"},
                 "Problem/Body force has values that are no numbers");
  expect_refused({"Problem/Case=expressions", "Problem/Viscosity=10^(14*x)"}, "more than 1e12");
  expect_refused({"Problem/Case=expressions", "Problem/Viscosity=2*"}, "Problem/Viscosity");
  expect_refused({"Linear solver/Interpolation=harmonic"}, "this program has embedding only");
  expect_refused({"Problem/Boundaries=slip"},
                 "'slip' should be no_slip, free_slip or outflow; did you mean 'no_slip'?");
  expect_refused({"Problem/Boundaries=0: free_slip", "Problem/Boundary velocity=0: 1;0"},
                 "boundary 0 has two conditions, one in Boundaries and one in Boundary velocity");
  expect_refused({"Problem/Boundary velocity=0: 1;0"}, "the inflow exceeds the outflow by 1");
  expect_refused({"Problem/Boundary velocity=7: 1;0"}, "Problem/Boundary velocity: a box in 2D has no boundary 7");
  expect_refused({"Problem/Boundaries=0: no_slip, 7: free_slip"}, "Problem/Boundaries: a box in 2D has no boundary 7");
  expect_refused({"Mesh/Type=shell", "Problem/Traction=7: 1;0"}, "Problem/Traction: the mesh has no boundary 7");
  expect_refused({"Problem/Traction=0: 1;t"}, "contains t");
  expect_refused({"Problem/Pressure=0: log(y-0.5)"}, "Problem/Pressure has values that are no numbers");
  // What may move as a whole: along a channel, around a corner of free sides, or around the axis of a ring.
  for (const Settings &free :
       {Settings{"Problem/Boundaries=2: free_slip, 3: free_slip", "Mesh/Periodic boundaries=0: 1"},
        Settings{"Problem/Boundaries=0: free_slip, 1: outflow, 2: outflow, 3: outflow"},
        Settings{"Problem/Boundaries=free_slip", "Mesh/Type=shell", "Problem/Case=expressions"}})
    expect_refused(free, "can move as a rigid body");
  expect_refused({"Problem/Boundary velocity=exact"}, "needs Problem/Exact velocity");
  // The rounding of coordinates in a file is no slope.
  run({"Problem/Case=expressions", "Problem/Boundaries=free_slip", "Mesh/Coordinates=x+1e-8*y;y", "Mesh/Refinements=1",
       "Problem/Viscosity=1", "Problem/Body force=0; x", "Output/Files=false"});
  write("partly.inp", "6 8 0 0 0\n1 0 0 0\n2 1 0 0\n3 2 0.5 0\n4 0 1 0\n5 1 1 0\n6 2 1 0\n1 0 quad 1 2 5 4\n"
                      "2 0 quad 2 3 6 5\n3 1 line 1 2\n4 1 line 2 3\n5 1 line 1 4\n6 3 line 3 6\n7 4 line 4 5\n"
                      "8 4 line 5 6\n"); // boundary 1 has a part along x, a slope, and a part along y
  expect_refused({"Mesh/Type=file", "Mesh/File=partly.inp", "Mesh/Refinements=1", "Problem/Case=expressions",
                  "Problem/Boundaries=1: free_slip, 3: no_slip, 4: no_slip"},
                 "boundary 1 has u . n = 0 and an edge at (0 0)");
  expect_refused({"Mesh/Refinements=1", "Output/Points=0.5, 0.5; 2, 0.5"},
                 "Output/Points: the point (2 0.5) lies outside the mesh");
  expect_refused({"Discretization/Velocity=q3"}, "Velocity");
  expect_refused({"Linear solver/Solver=cg"}, "gmres only");
  expect_refused({"Linear solver/Products=cells", "Linear solver/Smoother=gauss_seidel"}, "Products");
  expect_refused({"Problem/Csae=sinker"}, "Case");
}

TEST_F(Stokes, FailuresAreSaid)
{
  expect_refused({"Linear solver/Maximum iterations=2", "Linear solver/Adapt precision=false", "Mesh/Refinements=3"},
                 "rounding allows", 1);
  const auto coarse = solve("sinker", 2, 8), cut = solve("sinker", 2, 32);
  EXPECT_NE(coarse.out.find("unresolved"), std::string::npos);
  EXPECT_NE(cut.out.find("faces lie within cells"), std::string::npos);
}
} // namespace
