// Programs on meshes that have a name (Mesh/Type): elements of degree 2 on curved cells, and mistakes.
#include "program.h"

#include <cmath>
#include <string>
#include <vector>

namespace
{
using Settings = std::vector<std::string>;

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
