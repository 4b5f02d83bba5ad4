// Programs on meshes that have a name (Mesh/Type): elements of degree 2 on curved cells, and mistakes.
#include "program.h"

#include <cmath>
#include <string>
#include <vector>

namespace
{
struct TransportOnShapes : Program
{
  TransportOnShapes()
    : Program(TRANSPORT_DIFFUSION)
  {}
};

struct ElasticityOnShapes : Program
{
  ElasticityOnShapes()
    : Program(ELASTICITY)
  {}
};

// Errors of Taylor-Hood elements against u = (2 cos(x + 2y), -cos(x + 2y)) and p = sin x cos y.
struct StokesOnShapes : Program
{
  StokesOnShapes()
    : Program(STOKES)
  {}

  struct Errors
  {
    double u, p;
  };
  Errors errors(Settings settings, int refinements, const Settings &more = {})
  {
    settings.insert(settings.end(),
                    {"Problem/Case=expressions", "Discretization/Velocity=q2", "Linear solver/Tolerance=1e-9",
                     "Output/Files=false", "Mesh/Refinements=" + std::to_string(refinements)});
    settings.insert(settings.end(), more.begin(), more.end());
    const auto outcome = run(settings);
    EXPECT_LE(outcome.max_iterations(), 21);
    const auto &errors = outcome.record.at("errors");
    return {errors.at("u_l2"), errors.at("p_l2")};
  }
  static Settings flow(int dim, const std::string &type)
  {
    const std::string last = dim == 3 ? "; 0" : "";
    return {"Mesh/Type=" + type,
            "Problem/Dimension=" + std::to_string(dim),
            "Problem/Body force=10*cos(x+2*y)+cos(x)*cos(y); -5*cos(x+2*y)-sin(x)*sin(y)" + last,
            "Problem/Exact velocity=2*cos(x+2*y); -cos(x+2*y)" + last,
            "Problem/Exact pressure=sin(x)*cos(y)",
            "Problem/Boundary velocity=exact"};
  }
  static void expect_orders(const Errors &coarse, const Errors &fine, double of_u = 2.85, double of_p = 1.95)
  {
    EXPECT_GT(std::log2(coarse.u / fine.u), of_u) << "errors of u: " << coarse.u << ", " << fine.u;
    EXPECT_GT(std::log2(coarse.p / fine.p), of_p) << "errors of p: " << coarse.p << ", " << fine.p;
  }
};
} // namespace

// Poisson's equation with Q2 on a disc and a ball: order 3 needs cells with curved sides. On p4est, and in a run that
// is continued, they have the same ones.
TEST_F(TransportOnShapes, OrderThree)
{
  const auto settings = [](int dim, const std::string &type, int refinements) {
    const std::string zero = dim == 2 ? "0; 0" : "0; 0; 0", u = dim == 2 ? "sin(x+2*y)" : "sin(x+2*y+2*z)";
    return Settings{"Mesh/Type=" + type,
                    "Problem/Dimension=" + std::to_string(dim),
                    "Problem/Diffusion=1",
                    "Problem/Transport=" + zero,
                    "Problem/Reaction=0",
                    "Problem/Source=" + std::string(dim == 2 ? "5*" : "9*") + u,
                    "Problem/Boundary values=" + u,
                    "Problem/Initial values=" + u,
                    "Problem/Exact solution=" + u,
                    "Discretization/Degree=2",
                    "Discretization/Adaptive cycles=0",
                    "Discretization/Refinements=" + std::to_string(refinements),
                    "Time stepping/Scheme=backward_euler",
                    "Time stepping/Time step=1e3",
                    "Time stepping/End time=1e3",
                    "Linear solver/Tolerance=1e-11"};
  };
  const auto error = [&](int dim, const std::string &type, int refinements, const Settings &more = {}) {
    auto all = settings(dim, type, refinements);
    all.insert(all.end(), more.begin(), more.end());
    return run(all).l2();
  };
  for (const std::string type : {"ball", "shell"})
    {
      SCOPED_TRACE(type);
      const double middle = error(2, type, 2), fine = error(2, type, 3);
      EXPECT_GT(std::log2(middle / fine), 2.85) << "2D, errors " << middle << ", " << fine;
      EXPECT_NEAR(error(2, type, 2, {"Ranks/Distributed mesh=true"}), middle, 1e-5 * middle);
    }
  const double coarse = error(3, "ball", 1), fine = error(3, "ball", 2);
  EXPECT_GT(std::log2(coarse / fine), 2.7) << "3D, errors " << coarse << ", " << fine;
}

// Lamé's thick cylinder under the pressure 1 from inside: u_r = (1 + nu) / (3 E) ((1 - 2 nu) r + 4 / r), E = 1,
// nu = 0.25. Its displacement is prescribed outside.
TEST_F(ElasticityOnShapes, OrderThree)
{
  const std::string factor = "*(1.25/3*(0.5+4/(x^2+y^2)))";
  const auto        error  = [&](int dim, int refinements) {
    const std::string last = dim == 3 ? "; 0" : "", u = "x" + factor + "; y" + factor + last;
    return run({"Mesh/Type=" + std::string(dim == 2 ? "shell" : "tube"),
                "Mesh/Sizes=" + std::string(dim == 2 ? "1, 2" : "1, 2, 0.5"),
                "Problem/Dimension=" + std::to_string(dim), "Problem/Young modulus=1", "Problem/Poisson ratio=0.25",
                "Problem/Body force=0; 0" + last,
                "Problem/Dirichlet boundaries=1: xyz" + std::string(dim == 2 ? "" : ", 2: z, 3: z"),
                "Problem/Boundary displacement=" + u, "Problem/Pressure=0: 1", "Problem/Exact displacement=" + u,
                "Discretization/Degree=2", "Discretization/Refinement=uniform", "Discretization/Refinement steps=0",
                "Discretization/Uniform refinements=" + std::to_string(refinements), "Time stepping/Stationary=true",
                "Output/Interval=0", "Linear solver/Tolerance=1e-11"})
      .l2();
  };
  const double coarse = error(2, 2), fine = error(2, 3), coarse3 = error(3, 1), fine3 = error(3, 2);
  EXPECT_GT(std::log2(coarse / fine), 2.85) << "2D, errors " << coarse << ", " << fine;
  EXPECT_GT(std::log2(coarse3 / fine3), 2.7) << "3D, errors " << coarse3 << ", " << fine3;
}

// Velocities have order 3 and pressures order 2, also with hanging nodes.
TEST_F(StokesOnShapes, Orders)
{
  const Settings hanging = {"Refinement/For velocity=1", "Refinement/Fraction=0.3"};
  expect_orders(errors(flow(2, "ball"), 2), errors(flow(2, "ball"), 3));
  expect_orders(errors(flow(2, "shell"), 2, hanging), errors(flow(2, "shell"), 3, hanging));
  expect_orders(errors(flow(3, "ball"), 1), errors(flow(3, "ball"), 2));
}

TEST_F(StokesOnShapes, RanksAndForests)
{
  const Settings hanging = {"Refinement/For velocity=1", "Refinement/Fraction=0.3"};
  const Settings forest  = {"Ranks/Distributed mesh=true", hanging[0], hanging[1]};
  const auto     serial  = errors(flow(2, "shell"), 2, hanging);
  EXPECT_NEAR(errors(flow(2, "shell"), 2, forest).u, serial.u, 1e-5 * serial.u);
  before = "mpirun --oversubscribe --bind-to none -np 3";
  EXPECT_NEAR(errors(flow(2, "shell"), 2, forest).u, serial.u, 1e-5 * serial.u);
}

// The fluid slips along the inner circle: u = h (-y, x) with h = 1 + (r - 1)², whose stress is zero there.
TEST_F(StokesOnShapes, FreeSlip)
{
  const std::string r = "sqrt(x^2+y^2)", h = "(1+(" + r + "-1)^2)", f = "(8-6/" + r + ")", u = "-y*" + h + "; x*" + h;
  const Settings    slip  = {"Mesh/Type=shell",
                             "Mesh/Sizes=1, 2",
                             "Problem/Body force=y*" + f + "; -x*" + f,
                             "Problem/Boundaries=0: free_slip",
                             "Problem/Boundary velocity=1: " + u,
                             "Problem/Exact velocity=" + u};
  const auto        error = [&](int refinements) {
    auto settings = slip;
    settings.emplace_back("Problem/Exact pressure=0");
    return errors(settings, refinements);
  };
  const auto coarse = error(1), fine = error(2);
  EXPECT_GT(std::log2(coarse.u / fine.u), 2.85) << "errors " << coarse.u << ", " << fine.u;
  EXPECT_LE(fine.p, 1e-4);
}

TEST_F(TransportOnShapes, Mistakes)
{
  expect_refused({"Mesh/Type=bal"}, "did you mean 'ball'");
  expect_refused({"Mesh/Type=pipe"}, "Mesh/Type = pipe is for three dimensions; take ball or shell");
  expect_refused({"Mesh/Type=shell", "Mesh/Sizes=1"},
                 "Mesh/Sizes of shell: 1 numbers are given; it has 2: inner radius");
  expect_refused({"Mesh/Type=shell", "Mesh/Sizes=2, 1"}, "Mesh/Sizes of shell: 2 has to be smaller than 1");
  expect_refused({"Mesh/Type=ball", "Mesh/Sizes=-1"}, "Mesh/Sizes of ball: they have to be positive");
  expect_refused({"Mesh/Sizes=1"}, "Mesh/Sizes: Mesh/Type = box has none");
  expect_refused({"Mesh/Type=file"}, "Mesh/Type = file needs Mesh/File");
  expect_refused({"Mesh/Type=ball", "Problem/Boundary values=3: 1"}, "3");
}
