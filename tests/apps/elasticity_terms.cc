// The terms of the elasticity program against exact solutions, and the problems that are shipped against their
// published values: coefficients of place, thermal strains, springs, supports, axial symmetry.
#include "program.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace
{
// Stationary, on a mesh with hanging nodes, solved to rounding.
const Settings exact   = {"Time stepping/Stationary=true",        "Problem/Body force=0; 0; 0",
                          "Linear solver/Tolerance=1e-13",        "Discretization/Refinement=edge",
                          "Discretization/Uniform refinements=2", "Discretization/Refinement steps=1",
                          "Linear solver/Coarsest level cells=20"};
const Settings plane   = {"Problem/Dimension=2"};
const Settings degree2 = {"Discretization/Degree=2"};
const Settings b_bar   = {"Discretization/Volumetric strain=b_bar"};

class ElasticTerms : public Program
{
protected:
  ElasticTerms()
    : Program(ELASTICITY)
  {}

  Outcome solve(const Settings &settings) { return run(Settings{"Output/Interval=0"} + settings); }

  Outcome shipped(const std::string &file, const Settings &settings)
  {
    return run(Settings{"Output/Interval=0"} + settings, 1, {ELASTICITY_PRM "/" + file + ".prm"});
  }

  static std::string statistics(const Outcome &outcome)
  {
    std::ifstream in(outcome.folder + "/statistics.csv");
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
};

// E = 1 + x + 2 y and nu = 1/4, so that lambda = mu = 2/5 E; u = (x y, x²), whose divergence is linear. It lies in Q2.
TEST_F(ElasticTerms, CoefficientsOfPlace)
{
  const Settings field = {"Problem/Young modulus=1+x+2*y",
                          "Problem/Poisson ratio=0.25+0*x",
                          "Problem/Body force=-(1.2*y+2.4*x); -(1.6*(1+x+2*y)+1.2*x+0.8*y); 0",
                          "Problem/Boundary displacement=x*y; x^2; 0",
                          "Problem/Exact displacement=x*y; x^2; 0",
                          "Output/Stress points=0.3, 0.4, 0.6"};
  for (const Settings &dimension : {plane, Settings{"Problem/Dimension=3", "Discretization/Uniform refinements=1"}})
    {
      const auto record = solve(exact + field + degree2 + dimension).record;
      EXPECT_LT(record.at("errors").at("l2"), 1e-11) << dimension[0];
      EXPECT_NEAR(record.at("stresses")[0].at("stress_xx"), 1.2 * (1 + 0.3 + 0.8) * 0.4, 1e-8);
      EXPECT_NEAR(record.at("stresses")[0].at("stress_xy"), 1.2 * (1 + 0.3 + 0.8) * 0.3, 1e-8);
      EXPECT_GT(record.at("hanging_nodes"), 5);
    }
  // With B-bar, lambda times the divergence is no polynomial that the projection keeps.
  const auto with_b_bar = [&](const std::string &n) {
    return solve(exact + field + degree2 + plane + b_bar + Settings{"Discretization/Uniform refinements=" + n}).l2();
  };
  const double coarse = with_b_bar("2"), fine = with_b_bar("3");
  EXPECT_GT(std::log2(coarse / fine), 2.8) << "errors " << coarse << ", " << fine;
  // Constants in the form of expressions.
  const auto energy = [&](const std::string &young, const std::string &density) {
    return solve(exact + plane + b_bar +
                 Settings{"Problem/Young modulus=" + young, "Problem/Poisson ratio=0.4", "Problem/Body force=0; -1; 0",
                          "Time stepping/Stationary=false", "Problem/Density=" + density, "Time stepping/End time=0.1",
                          "Problem/Dirichlet boundaries=0: xy", "Time stepping/Time step=0.05"})
      .record.at("strain_energy")
      .get<double>();
  };
  const double constant = energy("7", "3");
  EXPECT_NEAR(energy("7+0*x", "3+0*y") / constant, 1., 1e-9);
  EXPECT_GT(std::abs(energy("7+x", "3") / constant - 1.), 1e-3);
  EXPECT_GT(std::abs(energy("7", "3+x") / constant - 1.), 1e-3);
  for (const std::string text : {"log(x-0.5)", "x-0.5"})
    expect_refused({"Problem/Young modulus=" + text}, "it has to be positive, at (");
  expect_refused({"Problem/Poisson ratio=0.6*x"}, "below 0.5");
  expect_refused({"Problem/Density=x-0.5"}, "Density");
  expect_refused({"Problem/Young modulus=1+t"}, "only Problem/Load factor depends on the time");
  expect_refused({"Problem/Young modulus=1+w"}, "Problem/Young modulus = 1+w");
  expect_refused({"Problem/Young modulus=3: 1, 2"}, "the mesh has no material 3");
}

// Held at three points, a body expands freely: u = a T x where the temperature is constant, and a quadratic function
// where it is linear. No stresses are left.
TEST_F(ElasticTerms, FreeThermalExpansion)
{
  const std::string points2 = "Problem/Supports=x = 0, y = 0: xy; x = 1, y = 0: y";
  const Settings    free  = {"Problem/Dirichlet boundaries=", "Problem/Poisson ratio=0.3", "Problem/Young modulus=200",
                             "Problem/Thermal expansion=0.02", "Output/Stress points=0.3, 0.4, 0.6"};
  const auto        check = [&](const Settings &settings, const std::string &u, double sigma_zz) {
    const auto record = solve(exact + free + Settings{"Problem/Exact displacement=" + u} + settings).record;
    EXPECT_LT(record.at("errors").at("l2"), 1e-12) << u;
    for (const char *name : {"stress_xx", "stress_xy", "stress_yy"})
      EXPECT_NEAR(record.at("stresses")[0].at(name), 0., 1e-9) << u;
    EXPECT_NEAR(record.at("stresses")[0].at("von_mises"), std::abs(sigma_zz), 1e-9) << u;
    // In plane strain the body is held across the plane.
    EXPECT_NEAR(record.at("strain_energy"), 0.5 * sigma_zz * sigma_zz / 200., 1e-9) << u;
  };
  const std::string points3 =
    "Problem/Supports=x = 0, y = 0, z = 0: xyz; x = 1, y = 0, z = 0: yz; x = 0, y = 1, z = 0: z";
  const Settings solid = {points3, "Problem/Temperature change=5"};
  check(solid, "0.1*x; 0.1*y; 0.1*z", 0.);
  check(solid + degree2 + b_bar, "0.1*x; 0.1*y; 0.1*z", 0.);
  for (const Settings &strain : {Settings{}, b_bar})
    check(Settings{points3, "Problem/Temperature change=5*x"} + degree2 + strain,
          "0.05*(x^2-y^2-z^2); 0.1*x*y; 0.1*x*z", 0.);
  const Settings flat = plane + Settings{points2, "Problem/Temperature change=5"};
  check(flat, "0.13*x; 0.13*y", -200. * 0.1);
  check(flat + Settings{"Problem/Plane=stress"}, "0.1*x; 0.1*y", 0.);
  check(flat + Settings{"Problem/Plane=axial", "Problem/Supports=", "Problem/Dirichlet boundaries=2: y"},
        "0.1*x; 0.1*y", 0.);
}

// A bar that cannot grow longer: sigma_xx = -E a T.
TEST_F(ElasticTerms, HeatedBar)
{
  const auto record =
    solve(exact + Settings{"Problem/Young modulus=200", "Problem/Poisson ratio=0.3", "Problem/Thermal expansion=0.02",
                           "Problem/Temperature change=5", "Problem/Dirichlet boundaries=0: x, 1: x, 2: y, 4: z",
                           "Output/Stress points=0.3, 0.4, 0.6", "Problem/Exact displacement=0; 0.13*y; 0.13*z"})
      .record;
  EXPECT_LT(record.at("errors").at("l2"), 1e-12);
  EXPECT_NEAR(record.at("stresses")[0].at("stress_xx"), -20., 1e-9);
  EXPECT_NEAR(record.at("stresses")[0].at("stress_zz"), 0., 1e-9);
  EXPECT_NEAR(record.at("strain_energy"), 0.5 * 200. * 0.01, 1e-10);
}

// All sides are on springs, and nothing is prescribed: u is linear where the tractions are sigma n + k u.
TEST_F(ElasticTerms, Springs)
{
  const std::string ux = "(0.3*x-0.2*y+0.5)", uy = "(0.4*y+0.7*x)";
  const std::string k_n = "(3+x)", k_t = "2"; // lambda = 8, mu = 2: sigma = (6.8, 1, 7.2)
  const Settings    linear = {"Problem/Young modulus=5.6", "Problem/Poisson ratio=0.4", "Problem/Dirichlet boundaries=",
                              "Problem/Traction=0: -6.8+" + k_n + "*" + ux + "; -1+" + k_t + "*" + uy + ", 1: 6.8+" + k_n +
                                "*" + ux + "; 1+" + k_t + "*" + uy + ", 2: -1+" + k_t + "*" + ux + "; -7.2+" + k_n + "*" +
                                uy + ", 3: 1+" + k_t + "*" + ux + "; 7.2+" + k_n + "*" + uy,
                              "Problem/Exact displacement=" + ux + "; " + uy};
  const std::string both   = k_n + "; " + k_t;
  for (const Settings &degree : {Settings{}, degree2})
    EXPECT_LT(solve(exact + plane + linear + degree +
                    Settings{"Problem/Springs=0: " + both + ", 1: " + both + ", 2: " + both + ", 3: " + both})
                .l2(),
              1e-11);
  // A cube under a pressure, on springs and rollers: -u_z = p / k + p / E z.
  const Settings block = {"Problem/Young modulus=5",
                          "Problem/Poisson ratio=0.25",
                          "Problem/Pressure=5: 3",
                          "Problem/Springs=4: 2; 0",
                          "Problem/Dirichlet boundaries=0: x, 2: y",
                          "Problem/Exact displacement=0.15*x; 0.15*y; -1.5-0.6*z"};
  EXPECT_LT(solve(exact + block).l2(), 1e-11);
  expect_refused({"Problem/Springs=0: -1", "Problem/Dirichlet boundaries="},
                 "Problem/Springs has values that are negative");
  expect_refused({"Problem/Springs=0: 1; 2; 3", "Problem/Dirichlet boundaries="}, "k_n; k_t");
  expect_refused({"Problem/Springs=9: 1"}, "no boundary 9");
  expect_refused({"Problem/Springs=0: 1"}, "prescribes all components");
}

// Springs, thermal loads and supports in time: the coupled formulation against the condensed one.
TEST_F(ElasticTerms, CoupledEqualsCondensed)
{
  const Settings common = {"Problem/Dirichlet boundaries=",
                           "Problem/Springs=0: 2; 1",
                           "Problem/Supports=x = 1, z = 0: y",
                           "Problem/Thermal expansion=0.01*(1+x)",
                           "Problem/Young modulus=6+y",
                           "Problem/Density=1+x",
                           "Discretization/Uniform refinements=2",
                           "Discretization/Refinement steps=1",
                           "Time stepping/End time=0.2",
                           "Time stepping/Time step=0.05",
                           "Linear solver/Tolerance=1e-12",
                           "Output/Points=0.5, 0.5, 0.5; 1, 0.25, 0",
                           "Linear solver/Coarsest level cells=20"};
  const auto     one    = solve(common).record;
  const auto     other =
    solve(common + Settings{"Discretization/Formulation=coupled", "Linear solver/Solver=gmres"}).record;
  for (const char *key : {"strain_energy", "kinetic_energy"})
    EXPECT_NEAR(other.at(key).get<double>() / one.at(key).get<double>(), 1., 1e-8) << key;
  for (int c = 0; c < 3; ++c)
    EXPECT_NEAR(other.at("displacements")[0][c], one.at("displacements")[0][c], 1e-9);
  EXPECT_LT(std::abs(one.at("displacements")[1][1].get<double>()), 1e-15) << "on the line that is held";
  EXPECT_GT(std::abs(one.at("displacements")[1][0].get<double>()), 1e-4);
}

// Supports of all nodes of a side are what the side's boundary condition is.
TEST_F(ElasticTerms, SupportsAreAsBoundaries)
{
  const Settings common = exact + Settings{"Problem/Body force=1; -1; 0.5", "Problem/Boundary displacement=y; x*z; 0"};
  for (const Settings &degree : {Settings{}, degree2})
    {
      const auto a = solve(common + degree + Settings{"Problem/Dirichlet boundaries=0: xyz, 3: y"});
      const auto b =
        solve(common + degree + Settings{"Problem/Dirichlet boundaries=", "Problem/Supports=x = 0: xyz; y >= 1: y"});
      EXPECT_EQ(statistics(a), statistics(b));
    }
  // A cube that stands on four points of its ground under its weight: as by rollers, as nu = 0.
  const auto tower = [&](const std::string &where) {
    return solve(exact + Settings{"Problem/Dirichlet boundaries=0: x, 2: y", "Problem/Traction=5: 0; 0; -1",
                                  "Problem/Supports=" + where, "Output/Points=0.5, 0.5, 1"})
      .record.at("displacements")[0][2]
      .get<double>();
  };
  EXPECT_LT(tower("z = 0: z"), 0.);
  EXPECT_LT(tower("z = 0, (2*x-1)^2+(2*y-1)^2 = 2: z"), 1.2 * tower("z = 0: z")) << "points let it sink deeper";
}

// A body turned by 30 degrees between sides that hold it normally is as the body along the axes.
TEST_F(ElasticTerms, NormalSidesOfATurnedBody)
{
  const std::string c = "0.8660254037844386", s = "0.5";
  const Settings    common  = {"Discretization/Uniform refinements=2", "Discretization/Refinement steps=1",
                               "Linear solver/Tolerance=1e-12",        "Linear solver/Coarsest level cells=20",
                               "Time stepping/End time=0.1",           "Time stepping/Time step=0.05"};
  const Settings    turned  = {"Discretization/Coordinates=" + c + "*x-" + s + "*y; " + s + "*x+" + c + "*y; z",
                               "Problem/Body force=3.232050807568877; -1.598076211353316; 1"};
  const Settings    coupled = {"Discretization/Formulation=coupled", "Linear solver/Solver=gmres"};
  const auto        check   = [&](const std::string &along, const std::string &normal, const Settings &more) {
    SCOPED_TRACE(normal + (more.empty() ? "" : ", " + more[0]));
    const auto a = solve(common + Settings{"Problem/Dirichlet boundaries=" + along, "Problem/Body force=2; -3; 1"} +
                                  more),
               b = solve(common + turned + Settings{"Problem/Dirichlet boundaries=" + normal} + more);
    EXPECT_NEAR(b.record.at("strain_energy").get<double>() / a.record.at("strain_energy").get<double>(), 1., 1e-8);
    EXPECT_NEAR(b.record.at("work_of_load").get<double>() / a.record.at("work_of_load").get<double>(), 1., 1e-8);
    EXPECT_LE(b.max_iterations(), a.max_iterations() + 2);
  };
  const Settings stationary = {"Time stepping/Stationary=true"}, three = {"Problem/Dimension=3"};
  check("0: x, 2: y", "0: n, 2: n", stationary + plane + degree2);
  check("0: xz, 2: y", "0: nz, 2: n", coupled + three);
  check("0: x, 2: y, 4: z", "0: n, 2: n, 4: n", three + degree2 + Settings{"Discretization/Uniform refinements=1"});
  // With springs along a side, a support on it, and periodic sides.
  const Settings with = {"Problem/Springs=2: 0; 5e3", "Problem/Supports=z = 0.5: z", "Mesh/Periodic boundaries=4: 5"};
  check("0: x, 2: y", "0: n, 2: n", stationary + three + with);
}

// Lame's tube and a hollow sphere under a pressure from inside, whose outer side is held normally: u = x (B/r^dim - A).
TEST_F(ElasticTerms, NormalSidesOnCurves)
{
  const auto on = [&](int dim, int degree, int refinements, const std::string &supports) {
    const std::string u  = dim == 2 ? "(1/(x^2+y^2)-1/4)" : "((x^2+y^2+z^2)^(-1.5)-1/8)";
    const std::string by = "x*" + u + "; y*" + u + (dim == 2 ? "" : "; z*" + u);
    return Settings{"Mesh/Type=shell",
                    "Mesh/Sizes=1, 2",
                    "Problem/Dimension=" + std::to_string(dim),
                    "Problem/Young modulus=2.5",
                    "Problem/Poisson ratio=0.25",
                    "Problem/Body force=0; 0; 0",
                    "Problem/Dirichlet boundaries=1: n",
                    "Problem/Supports=" + supports,
                    "Problem/Pressure=0: " + std::string(dim == 2 ? "3" : "4.625"),
                    "Problem/Exact displacement=" + by,
                    "Discretization/Degree=" + std::to_string(degree),
                    "Discretization/Refinement=uniform",
                    "Discretization/Refinement steps=0",
                    "Discretization/Uniform refinements=" + std::to_string(refinements),
                    "Time stepping/Stationary=true",
                    "Linear solver/Tolerance=1e-10"};
  };
  const std::string point  = "x = 2, y = 0: y";
  const std::string points = "x = y, y = z, x > 1.14: xyz; x = y, z = -x, x > 1.14: xyz";
  for (const int degree : {1, 2})
    {
      const double coarse = solve(on(2, degree, 2, point)).l2(), fine = solve(on(2, degree, 3, point)).l2();
      EXPECT_NEAR(std::log2(coarse / fine), degree + 1., 0.2) << "Q" << degree << ", 2D: " << coarse << ", " << fine;
    }
  const double coarse = solve(on(3, 2, 1, points)).l2(), fine = solve(on(3, 2, 2, points)).l2();
  EXPECT_GT(std::log2(coarse / fine), 2.6) << "Q2, 3D: " << coarse << ", " << fine;
  // Quadratic cells: all nodes of a curve are on it.
  const Settings ring = {"Problem/Dirichlet boundaries=", "Problem/Exact displacement="};
  EXPECT_EQ(statistics(solve(on(2, 2, 2, "x^2+y^2 = 4: xy") + ring)),
            statistics(solve(on(2, 2, 2, "") + Settings{"Problem/Dirichlet boundaries=1: xy", ring[1]})));
  expect_refused(on(2, 1, 2, ""),
                 "Problem/Dirichlet boundaries: with these conditions the solid can still move or turn");
}

// On the coarsest level no node has the support, so that multigrid begins on a finer one.
TEST_F(ElasticTerms, SupportsThatTheCoarsestLevelLacks)
{
  const auto energy = [&](const std::string &cells) {
    return solve(exact + Settings{"Problem/Dirichlet boundaries=", "Problem/Supports=x = 0.25: xyz",
                                  "Problem/Body force=0; 0; -1", "Linear solver/Coarsest level cells=" + cells})
      .record.at("strain_energy")
      .get<double>();
  };
  EXPECT_NEAR(energy("4") / energy("64"), 1., 1e-9);
}

// A support at a node of a periodic side holds the node that it is joined to.
TEST_F(ElasticTerms, SupportsOnPeriodicSides)
{
  const auto on = [&](const std::string &x) {
    return statistics(solve(exact + plane +
                            Settings{"Mesh/Periodic boundaries=0: 1",
                                     "Problem/Dirichlet boundaries=", "Problem/Body force=1; sin(2*pi*x)*y",
                                     "Output/Points=0.5, 0.5", "Problem/Supports=x = " + x + ", y = 0: xy"}));
  };
  EXPECT_EQ(on("0"), on("1"));
}

// Springs alone may hold a body, or leave it free to slide or to turn.
TEST_F(ElasticTerms, SpringsAgainstRigidMotions)
{
  const auto refused = [&](const Settings &settings) {
    expect_refused(exact + settings, "with these conditions the solid can still move or turn as a rigid body");
  };
  refused({"Problem/Dirichlet boundaries=", "Problem/Springs=4: 1; 0"});
  refused({"Problem/Dirichlet boundaries=0: x", "Problem/Springs=4: 1; 0"});
  refused({"Problem/Dirichlet boundaries=0: n, 1: n, 2: n"});
  for (const std::string springs : {"4: 1", "0: 1; 0, 2: 1; 0, 4: 1; 0"})
    EXPECT_GT(solve(exact + Settings{"Problem/Dirichlet boundaries=", "Problem/Springs=" + springs,
                                     "Problem/Body force=0; 0; -1", "Linear solver/Tolerance=1e-8"})
                .record.at("strain_energy"),
              0.);
}

TEST_F(ElasticTerms, MistakesInNormalSides)
{
  expect_refused({"Problem/Dirichlet boundaries=0: normal"}, "should name components, as xyz, or n for the normal one");
  expect_refused({"Mesh/Type=l_shape", "Problem/Dimension=2", "Problem/Dirichlet boundaries=4: n",
                  "Discretization/Refinement=uniform"},
                 "boundary 4 has u . n = 0 and an edge at (0 0)");
}

TEST_F(ElasticTerms, MistakesInSupports)
{
  const auto refused = [&](const std::string &text, const std::string &message, const Settings &more = {}) {
    expect_refused(exact + Settings{"Problem/Dirichlet boundaries=", "Problem/Supports=" + text} + more, message);
  };
  refused("x = 0.3, y = 0, z = 0: xyz",
          "no node of the mesh has x = 0.3, y = 0, z = 0; the nearest one is (0.25, 0, 0)");
  refused("x = 0, y = 0, z = 0: xyz", "can still move or turn as a rigid body");
  refused("x = 0, y = 0: xyz", "can still move or turn as a rigid body");
  refused("x = 0: xw", "'xw' of 'x = 0' should name components");
  refused("x = 0", "has no components after a colon");
  refused("x: xyz", "'x' compares nothing");
  refused("0 < x < 1: xyz", "should be one comparison");
  refused("x = foo: xyz", "foo");
  refused("x = t: xyz", "contains t");
}

// Lame's tube by axial symmetry, also held in the middle of a line, and a full cylinder.
TEST_F(ElasticTerms, AxialSymmetry)
{
  for (const unsigned int degree : {1, 2})
    {
      double     errors[2];
      const auto setting = "Discretization/Degree=" + std::to_string(degree);
      for (const int i : {0, 1})
        {
          const auto outcome =
            shipped("axial_cylinder", {setting, "Discretization/Uniform refinements=" + std::to_string(4 + i)});
          errors[i] = outcome.l2();
          // The forces of the whole ring: 2 pi r, with the pressure 10 and u_r = 1.3/300 4.4 at r = 1.
          const double work = outcome.record.at("work_of_load");
          EXPECT_NEAR(work, 2. * std::acos(-1.) * 10. * 1.3 / 300. * 4.4, 2e-3 * work);
          EXPECT_NEAR(outcome.record.at("strain_energy").get<double>() / work, 0.5, 1e-7);
          if (degree == 2 && i == 1)
            {
              EXPECT_NEAR(outcome.record.at("stresses")[0].at("stress_hoop"), 50. / 3., 0.02);
              EXPECT_NEAR(outcome.record.at("stresses")[1].at("stress_hoop"), 20. / 3., 0.02);
            }
        }
      EXPECT_NEAR(std::log2(errors[0] / errors[1]), degree + 1., 0.1) << errors[0] << ", " << errors[1];
    }
  // A full cylinder under the pressure 3 on all sides; at the axis the hoop stress is the radial one.
  const auto cylinder = [&](const Settings &settings) {
    return solve(exact + plane +
                 Settings{"Problem/Plane=axial", "Problem/Young modulus=200", "Problem/Poisson ratio=0.3"} + settings);
  };
  const auto record = cylinder({"Problem/Pressure=1: 3, 3: 3", "Problem/Dirichlet boundaries=2: y",
                                "Problem/Exact displacement=-3*0.4/200*x; -3*0.4/200*y", "Output/Stress points=0, 0.5"})
                        .record;
  EXPECT_LT(record.at("errors").at("l2"), 1e-13);
  EXPECT_NEAR(record.at("stresses")[0].at("stress_hoop"), -3., 1e-9);
  EXPECT_NEAR(record.at("stresses")[0].at("von_mises"), 0., 1e-9);
  // On springs below, under a traction: the force of a disc of radius 1 is pi.
  EXPECT_LT(cylinder({"Problem/Poisson ratio=0", "Problem/Traction=3: 0; -1", "Problem/Springs=2: 4; 0",
                      "Problem/Dirichlet boundaries=", "Problem/Exact displacement=0; -1/4-y/200"})
              .l2(),
            1e-12);
  // A uniform fall: mass and weight have the same factor.
  const auto fall = cylinder(
    {"Time stepping/Stationary=false", "Time stepping/End time=0.2", "Time stepping/Time step=0.1",
     "Problem/Dirichlet boundaries=", "Problem/Body force=0; -2", "Problem/Density=2", "Output/Points=1, 0.5"});
  EXPECT_NEAR(fall.record.at("displacements")[0][1], -0.03, 1e-10);
  EXPECT_NEAR(fall.record.at("kinetic_energy"), 0.5 * 2. * 0.04 * std::acos(-1.), 1e-10);
  expect_refused(plane + Settings{"Problem/Plane=axial"} + b_bar, "Problem/Plane = axial is not for");
  expect_refused({"Problem/Plane=axial"}, "Problem/Plane = axial is for two dimensions");
  expect_refused(plane + Settings{"Problem/Plane=axial", "Discretization/Coordinates=x-1; y"}, "points with x < 0");
}

// NAFEMS: 92.7 in MPa. Finer meshes have 92.66.
TEST_F(ElasticTerms, NafemsLE1)
{
  EXPECT_NEAR(shipped("le1", {}).record.at("stresses")[0].at("stress_yy"), 92.7, 0.005 * 92.7);
}

// NAFEMS: -5.38 in MPa. The pressure on the top is 1.
TEST_F(ElasticTerms, NafemsLE10)
{
  const auto outcome = shipped("le10", {});
  EXPECT_NEAR(outcome.record.at("stresses")[0].at("stress_yy"), -5.38, 0.01 * 5.38);
  EXPECT_NEAR(outcome.record.at("stresses")[0].at("stress_zz"), -1., 0.03);
  EXPECT_LE(outcome.record.at("dofs"), 12400);
  EXPECT_LE(outcome.max_iterations(), 11);
}

// Lame's tube in three dimensions, with curved boundaries: order 2 by Q1, and order 3 by Q2 with its curved cells.
TEST_F(ElasticTerms, ThickCylinder)
{
  for (const std::string degree : {"1", "2"})
    {
      const auto on = [&](const std::string &n) {
        return shipped("thick_cylinder",
                       {"Discretization/Degree=" + degree, "Discretization/Uniform refinements=" + n});
      };
      const auto coarse = on("0"), middle = on("1"), fine = on(degree == "1" ? "2" : "1");
      const auto order = std::log2(coarse.l2() / middle.l2());
      EXPECT_NEAR(order, degree == "1" ? 2. : 3., 0.2) << "Q" << degree << ": " << coarse.l2() << ", " << middle.l2();
      if (degree == "1")
        {
          EXPECT_NEAR(std::log2(middle.l2() / fine.l2()), 2., 0.1) << middle.l2() << ", " << fine.l2();
        }
      EXPECT_NEAR(fine.record.at("displacements")[0][0], 1.3 / 300. * 4.4, 0.01 * 0.019);
    }
}

// Timoshenko (1925): the curvature of a strip of two layers of the same height 1/2, from the difference 11e-6 of their
// expansions and the ratio 3 of their moduli. The place of the support adds what is below 1 %.
TEST_F(ElasticTerms, Bimetal)
{
  const double curvature = 6. * 11e-6 * 100. * 4. / (12. + 4. * (1. + 1. / 3.));
  EXPECT_NEAR(shipped("bimetal", {}).record.at("displacements")[0][1], -curvature * 50., 0.005 * curvature * 50.);
}

// Timoshenko's beam on Winkler's foundation: a sine of the load gives a sine.
TEST_F(ElasticTerms, BeamOnSprings)
{
  const double beta = std::acos(-1.) / 20., bending = 1e4 / 12. * std::pow(beta, 4), nu = 0.3,
               shear     = 10. * (1. + nu) / (12. + 11. * nu) * 1e4 / (2. * (1. + nu)) * beta * beta,
               compliant = 1. / bending + 1. / shear, height = compliant / (1. + 0.5 * compliant);
  EXPECT_NEAR(shipped("beam_on_springs", {}).record.at("displacements")[0][1], -height, 1e-3 * height);
}
} // namespace
