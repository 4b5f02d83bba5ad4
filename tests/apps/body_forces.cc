// Body forces and sources by material, against exact solutions: columns of two densities under their own weight.
#include "program.h"
#include "two_layers.h"

#include <string>
#include <vector>

namespace
{
// The densities are 3 below y = 1/2 and 1 above.
const Settings file = {"Mesh/File=layers.msh"};

class BodyForces : public OnTwoLayers<Program>
{
protected:
  explicit BodyForces(const std::string &executable)
    : OnTwoLayers(executable, file)
  {}

  Outcome run_on_two_ranks(const Settings &settings)
  {
    before             = "mpirun --oversubscribe --bind-to none -np 2";
    const auto outcome = run(settings + Settings{"Ranks/Distributed mesh=true"});
    before             = "";
    return outcome;
  }

  static double error(const Outcome &outcome, const char *of) { return outcome.record.at("errors").at(of); }
};

struct ForcesOfElasticity : BodyForces
{
  ForcesOfElasticity()
    : BodyForces(ELASTICITY)
  {}
};

// E u'' = density, nu = 0: a column that stands on y = 0, whose top is free. It is exact in Q2.
TEST_F(ForcesOfElasticity, ColumnOfTwoDensities)
{
  const Settings column = {"Problem/Dimension=2",
                           "Problem/Young modulus=1",
                           "Problem/Poisson ratio=0",
                           "Problem/Dirichlet boundaries=bottom: xyz",
                           "Problem/Exact displacement=0; if(y<0.5, 1.5*y^2-2*y, 0.5*y^2-y-0.25)",
                           "Discretization/Degree=2",
                           "Discretization/Refinement=uniform",
                           "Discretization/Refinement steps=0",
                           "Discretization/Uniform refinements=1",
                           "Time stepping/Stationary=true",
                           "Output/Interval=0",
                           "Linear solver/Tolerance=1e-12"},
                 weight = {"Problem/Body force=oil: 0; -3, 6: 0; -1"};
  EXPECT_LE(run(file + column + weight).l2(), 1e-10);
  EXPECT_LE(run_on_two_ranks(file + column + Settings{"Problem/Body force=water: 0; -1, 0; -3"}).l2(), 1e-10);
}

TEST_F(ForcesOfElasticity, MistakesAreRefused)
{
  const Settings plane = {"Problem/Dimension=2", "Problem/Dirichlet boundaries=bottom: xyz",
                          "Discretization/Refinement=uniform", "Time stepping/Stationary=true"};
  expect_list_refused(plane, "Problem/Body force=oil: 0; -3, watr: 0; -1", "water");
  expect_list_refused(plane, "Problem/Body force=oil: 0; -3", "there is no entry for material 6");
  expect_list_refused(plane, "Problem/Body force=7: 0; -3, 0; -1", "the mesh has no material 7");
  expect_list_refused(plane, "Problem/Body force=oil: 0; -3*t, 0; -1", "contains t");
  expect_list_refused(plane, "Problem/Body force=oil: -3, 0; -1", "Problem/Body force");
}

struct ForcesOfStokes : BodyForces
{
  ForcesOfStokes()
    : BodyForces(STOKES)
  {}
};

// The pressure balances the weight: linear in each layer.
const Settings at_rest = file + Settings{"Problem/Exact velocity=0; 0", "Problem/Body force=oil: 0; -3, water: 0; -1",
                                         "Problem/Exact pressure=if(y<0.5, 2-3*y, 1-y)-0.75"};

TEST_F(ForcesOfStokes, ColumnAtRest)
{
  const Settings settings = {"Problem/Case=expressions",      "Mesh/Refinements=1",
                             "Linear solver/Tolerance=1e-12", "Linear solver/Precision=float64",
                             "Problem/Boundaries=no_slip",    "Output/Files=false"};
  const auto     outcome  = run(at_rest + settings);
  EXPECT_LE(error(outcome, "u_l2"), 1e-10);
  EXPECT_LE(error(outcome, "p_l2"), 1e-9);
  EXPECT_LE(error(run_on_two_ranks(at_rest + settings), "p_l2"), 1e-9);
  expect_list_refused(settings, "Problem/Body force=oil: 0; -3", "there is no entry for material 6");
}

struct ForcesOfStationaryFlow : BodyForces
{
  ForcesOfStationaryFlow()
    : BodyForces(STATIONARY)
  {}
};

TEST_F(ForcesOfStationaryFlow, ColumnAtRest)
{
  const Settings settings = {"Problem/Viscosity=0.1", "Problem/Boundary velocity=", "Problem/Boundaries=no_slip",
                             "Output/Files=false",    "Mesh/Refinements=2",         "Nonlinear solver/Tolerance=1e-12"};
  const auto     outcome  = run(at_rest + settings);
  EXPECT_LE(error(outcome, "u_l2"), 1e-9);
  EXPECT_LE(error(outcome, "p_l2"), 1e-9);
  expect_list_refused(settings, "Problem/Body force=oil: 0; -3", "there is no entry for material 6");
}

struct ForcesOfNavierStokes : BodyForces
{
  ForcesOfNavierStokes()
    : BodyForces(NAVIER_STOKES)
  {}
};

// At the nodes between the layers the force is the mean over the cells around them. The initial pressure is that of a
// force which is linear between nodes, and moves the fluid a little until it rests.
TEST_F(ForcesOfNavierStokes, ColumnAtRest)
{
  const Settings settings = {
    "Problem/Viscosity=1",       "Problem/Boundary velocity=", "Problem/Boundaries=no_slip",
    "Output/Interval=0",         "Mesh/Refinements=1",         "Time stepping/Unstable step=shorten",
    "Time stepping/Time step=1", "Time stepping/End time=2",   "Linear solver/Tolerance=1e-12"};
  const auto outcome = run(at_rest + settings);
  EXPECT_LE(error(outcome, "l2"), 1e-9);
  EXPECT_LE(error(outcome, "pressure_l2"), 1e-8);
  EXPECT_LE(error(run_on_two_ranks(at_rest + settings), "l2"), 1e-9);
  expect_list_refused(settings, "Problem/Body force=oil: 0; -3", "there is no entry for material 6");
}

struct SourcesOfTransport : BodyForces
{
  SourcesOfTransport()
    : BodyForces(TRANSPORT_DIFFUSION)
  {}
};

// -u'' = 3 below and 1 above, u = 0 below, no flux above; also where the source begins with a time that has come.
TEST_F(SourcesOfTransport, TwoSources)
{
  const std::string u        = "if(y<0.5, 2*y-1.5*y^2, 0.25+y-0.5*y^2)";
  const Settings    settings = {"Problem/Diffusion=1",
                                "Problem/Transport=0; 0",
                                "Problem/Boundary values=bottom: 0",
                                "Problem/Initial values=0",
                                "Problem/Exact solution=" + u,
                                "Discretization/Degree=2",
                                "Discretization/Adaptive cycles=0",
                                "Discretization/Refinements=1",
                                "Time stepping/Time step=1e9",
                                "Time stepping/End time=1e9",
                                "Linear solver/Tolerance=1e-12"};
  EXPECT_LE(run(file + settings + Settings{"Problem/Source=oil: 3, water: 1"}).l2(), 1e-8);
  EXPECT_LE(run(file + settings + Settings{"Problem/Source=oil: if(t>0, 3, 0), 1"}).l2(), 1e-8);
  expect_list_refused(settings, "Problem/Source=oil: 3", "there is no entry for material 6");
}

struct SourcesOfPoisson : BodyForces
{
  SourcesOfPoisson()
    : BodyForces(POISSON)
  {}
};

// Exact at the nodes, as in one dimension, so that errors have order 2.
TEST_F(SourcesOfPoisson, TwoSources)
{
  const auto error = [&](int refinements, const Settings &more = {}) {
    return run(file +
               Settings{"Problem/Source=oil: 3*(1+s), water: 1+s", "Problem/Samples=2",
                        "Problem/Exact solution=(1+s)*if(y<0.5, 2*y-1.5*y^2, 0.25+y-0.5*y^2)",
                        "Problem/Natural boundaries=left, right, top",
                        "Mesh/Refinements=" + std::to_string(refinements), "Output/Files=false",
                        "Output/Points=0.3, 0.5"} +
               more)
      .l2();
  };
  const double coarse = error(2), fine = error(3);
  EXPECT_NEAR(coarse / fine, 4., 0.01);
  expect_list_refused({}, "Problem/Source=oil: 3", "there is no entry for material 6");
  expect_refused({"Problem/Domain=flow_around_square", "Problem/Source=0: 3"}, "has no materials");
}
} // namespace
