// Meshes that follow the solution: section Adaptivity of the programs.
#include "restart.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace
{
class AdaptivityOf : public RestartedProgram
{
protected:
  using RestartedProgram::RestartedProgram;

  /// The numbers of a column of statistics.csv.
  std::vector<double> column(const Outcome &outcome, const std::string &name) const
  {
    return statistics(outcome).at(name);
  }

  void expect_mistake(const std::string &setting, const Settings &says)
  {
    SCOPED_TRACE(setting);
    const auto outcome = start({"--backend", "host", "--set", "Adaptivity/Interval=2", "--set", setting});
    EXPECT_EQ(outcome.code, 2);
    const std::string message = outcome.message();
    EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 1) << "one line expected:\n" << outcome.err;
    for (const auto &text : says)
      EXPECT_NE(outcome.err.find(text), std::string::npos) << "expected '" << text << "' in: " << outcome.err;
  }
};

struct TransportDiffusion : AdaptivityOf
{
  TransportDiffusion()
    : AdaptivityOf(TRANSPORT_DIFFUSION)
  {}

  /// A blob that moves by its own width, on a mesh that is fine around it.
  const Settings blob = {
    "Problem/Diffusion=1e-4",
    "Problem/Transport=0.5,0.25",
    "Problem/Source=0",
    "Problem/Boundary values=0",
    "Problem/Initial values=exp(-200*((x-0.25)^2+(y-0.375)^2))",
    "Problem/Exact solution=0.0025/(0.0025+2e-4*t)*exp(-((x-0.25-0.5*t)^2+(y-0.375-0.25*t)^2)/(0.005+4e-4*t))",
    "Discretization/Refinements=4",
    "Discretization/Adaptive cycles=0",
    "Time stepping/Scheme=bdf2",
    "Time stepping/Time step=0.01",
    "Time stepping/End time=0.12",
    "Time stepping/Output interval=3",
    "Adaptivity/Interval=3",
    "Adaptivity/Strategy=error",
    "Adaptivity/Refine fraction=0.95",
    "Adaptivity/Coarsen fraction=0.001",
    "Adaptivity/Smallest level=3",
    "Adaptivity/Largest level=7",
    "Adaptivity/First mesh cycles=4"};
};

struct Template : AdaptivityOf
{
  Template()
    : AdaptivityOf(TEMPLATE)
  {}
};

struct Elasticity : AdaptivityOf
{
  Elasticity()
    : AdaptivityOf(ELASTICITY)
  {}

  /// A bump that spreads in a clamped square.
  const Settings bump = {"Problem/Dimension=2",
                         "Problem/Dirichlet boundaries=0: xy, 1: xy, 2: xy, 3: xy",
                         "Problem/Body force=0; 0",
                         "Problem/Initial displacement=0; exp(-100*((x-0.5)^2+(y-0.5)^2))",
                         "Discretization/Uniform refinements=5",
                         "Discretization/Refinement steps=0",
                         "Time stepping/End time=0.12",
                         "Time stepping/Time step=0.01",
                         "Output/Interval=3",
                         "Linear solver/Tolerance=1e-10"};
};

struct NavierStokes : AdaptivityOf
{
  NavierStokes()
    : AdaptivityOf(NAVIER_STOKES)
  {}

  /// Taylor's vortex, a Gaussian stream function, carried along by a constant flow: exact for every viscosity.
  static Settings vortex()
  {
    const std::string x = "(x-0.3-t)", y = "(y-0.5)", s = "(1+0.8*t)", // s = 1 + 4 nu t / 0.1^2
      swirl             = "*8/" + s + "^2*exp(-100*(" + x + "^2+" + y + "^2)/" + s + ")";
    const std::string u = "1-" + y + swirl + "; " + x + swirl;
    return {
      "Problem/Viscosity=0.002",
      "Problem/Boundary velocity=0: " + u + ", 1: " + u + ", 2: " + u + ", 3: " + u,
      "Problem/Edges=moving",
      "Problem/Initial velocity=1-(y-0.5)*8*exp(-100*((x-0.3)^2+(y-0.5)^2)); (x-0.3)*8*exp(-100*((x-0.3)^2+(y-0.5)^2))",
      "Problem/Exact velocity=" + u,
      "Mesh/Refinements=3",
      "Time stepping/End time=0.24",
      "Time stepping/Time step=0.0004",
      "Linear solver/Tolerance=1e-9",
      "Output/Statistics interval=25",
      "Adaptivity/Interval=25",
      "Adaptivity/Strategy=error",
      "Adaptivity/Refine fraction=0.95",
      "Adaptivity/Coarsen fraction=0.002",
      "Adaptivity/Smallest level=3",
      "Adaptivity/Largest level=6",
      "Adaptivity/First mesh cycles=3"};
  }

  /// What a change does to the divergence, in run.json.
  static double divergence(const Outcome &outcome, const char *of)
  {
    return outcome.record.at("remesh_divergence").at(of);
  }
};

// The claim of docs/tutorial_adaptive_meshes.md, on coarser meshes, where the blob takes a larger part of the box.
TEST_F(TransportDiffusion, AMeshThatFollowsABlobDoesWhatAUniformOneDoes)
{
  const Settings finest   = {"Discretization/Refinements=7", "Adaptivity/Interval=0", "Adaptivity/First mesh cycles=0"};
  const auto     adaptive = run(blob, 2), uniform = run(blob + finest, 2);
  const auto     unknowns = column(adaptive, "dofs");
  ASSERT_EQ(unknowns.size(), 12u);
  EXPECT_LT(*std::max_element(unknowns.begin(), unknowns.end()), 0.3 * uniform.record.at("dofs").get<double>());
  EXPECT_LT(adaptive.l2(), 1.3 * uniform.l2());
  EXPECT_EQ(adaptive.record.at("remeshes"), 3) << "after steps 3, 6 and 9";
  EXPECT_LT(adaptive.record.at("remesh_mass_change"), 1e-3);
  for (const char *part : {"remesh", "remesh/estimate", "remesh/refinement", "remesh/transfer", "remesh/hierarchy",
                           "remesh/assembly", "remesh/solver", "remesh/mass"})
    EXPECT_TRUE(adaptive.record.at("timings").contains(part)) << "run.json lacks timings." << part;
  EXPECT_FALSE(uniform.record.contains("remeshes"));
  // The mesh moves: without changes the same first mesh loses the blob.
  const Settings later = {"Time stepping/Scheme=crank_nicolson", "Time stepping/End time=0.36"};
  EXPECT_GT(run(blob + later + Settings{"Adaptivity/Interval=0"}, 2).l2(), 2. * run(blob + later, 2).l2());
  const auto cells = column(adaptive, "cells");
  EXPECT_EQ(cells.back(), adaptive.record.at("cells").get<double>());
}

TEST_F(TransportDiffusion, RefinementKeepsTheMass)
{
  const auto outcome = run(blob + Settings{"Adaptivity/Coarsen fraction=0", "Adaptivity/First mesh cycles=2"});
  EXPECT_EQ(outcome.record.at("remeshes"), 3);
  EXPECT_LT(outcome.record.at("remesh_mass_change"), 1e-10);
}

TEST_F(TransportDiffusion, TheInitialGuessSurvivesAChange)
{
  const auto guess = column(run(blob + Settings{"Time stepping/Scheme=crank_nicolson"}), "initial_residual");
  ASSERT_EQ(guess.size(), 12u);
  EXPECT_LT(guess[6], 3. * guess[5]) << "the first step on a new mesh, beside the last one on the old mesh";
}

TEST_F(TransportDiffusion, AnIndicatorOfTheGradient)
{
  const auto outcome = run(blob + Settings{"Adaptivity/Indicator=h*sqrt(u_x^2+u_y^2)"}, 2);
  EXPECT_EQ(outcome.record.at("remeshes"), 3);
  EXPECT_LT(outcome.l2(), 2. * run(blob, 2).l2());
}

TEST_F(TransportDiffusion, TheIndicatorSaysWhen)
{
  const Settings grown = blob + Settings{"Adaptivity/Interval=0", "Adaptivity/Check interval=1"};
  EXPECT_EQ(run(grown + Settings{"Adaptivity/Growth=100"}).record.at("remeshes"), 0);
  EXPECT_GT(run(grown + Settings{"Adaptivity/Growth=1.0001", "Time stepping/End time=0.24"}).record.at("remeshes"), 0);
}

TEST_F(TransportDiffusion, ANumberOfCells)
{
  const auto outcome = run(blob + Settings{"Adaptivity/Strategy=cells", "Adaptivity/Refine fraction=0.1",
                                           "Adaptivity/Cells=1000", "Time stepping/End time=0.24"});
  EXPECT_NEAR(column(outcome, "cells").back(), 1000., 250.);
}

TEST_F(TransportDiffusion, RestartGivesTheSameBits)
{
  expect_restart_equals_uninterrupted(blob + Settings{"Adaptivity/Growth=1.5"});
}

// The files' cells are in deal.II's order, which knows of earlier refinement; the state's bits are not.
TEST_F(TransportDiffusion, RestartOnP4estGivesTheSameState)
{
  const Settings settings =
    blob + Settings{"Adaptivity/Growth=1.5", "Ranks/Distributed mesh=true", "Checkpoint/Steps=4"};
  ASSERT_EQ(start_in("reference", settings).code, 0);
  start_and_kill("killed", settings, "opened:2");
  ASSERT_EQ(restart("killed").code, 0);
  const std::string last = checkpoints("reference").back();
  EXPECT_EQ(checkpoints("killed").back(), last);
  EXPECT_TRUE(read("killed/" + last) == read("reference/" + last)) << "expected the same bits in " << last;
  EXPECT_EQ(read("killed/statistics.csv"), read("reference/statistics.csv"));
}

TEST_F(Template, KeepsItsError)
{
  const Settings smooth   = {"Heat/Time step=0.1", "Heat/Output interval=0", "Linear solver/Tolerance=1e-10"};
  const Settings changing = {"Adaptivity/Interval=2", "Adaptivity/Largest level=7"};
  const auto     fixed = run(smooth), changed = run(smooth + changing);
  EXPECT_EQ(changed.record.at("remeshes"), 4);
  EXPECT_LT(changed.l2(), 0.5 * fixed.l2()) << "one more level around the blob";
}

TEST_F(Template, RestartGivesTheSameBits)
{
  expect_restart_equals_uninterrupted({"Heat/Refinements=3", "Heat/End time=0.6", "Heat/Output interval=3",
                                       "Adaptivity/Interval=2", "Adaptivity/Largest level=6"});
}

TEST_F(Template, Mistakes)
{
  expect_mistake("Adaptivity/Largest level=3", {"Adaptivity/Largest level = 3", "first mesh has cells of level 6"});
  expect_mistake("Adaptivity/Refine fraction=0.8", {"Adaptivity/Refine fraction = 0.8", "more than 1 together"});
  expect_mistake("Adaptivity/Refine fraction=-0.1", {"Adaptivity/Refine fraction=-0.1"});
  expect_mistake("Adaptivity/Field=v", {"Adaptivity/Field=v", "u"});
  expect_mistake("Adaptivity/Growth=0.5", {"Adaptivity/Growth = 0.5", "larger than 1"});
  expect_mistake("Adaptivity/Indicator=u_x+u_z", {"Adaptivity/Indicator = u_x+u_z", "u_z"});
  expect_mistake("Adaptivity/Refine fractoin=0.1", {"did you mean 'Adaptivity/Refine fraction'"});
}

// Whatever the indicator is in other cells. It is the solution's gradient that decides, so the run has begun by then.
TEST_F(Template, AnIndicatorThatIsNoNumberEndsTheRun)
{
  for (const std::string ranks : {"", "mpirun --oversubscribe --bind-to none -np 2"})
    for (const std::string indicator : {"1/0", "0/0", "u_x>0.01 ? 0/0 : 1", "1e300*h"})
      {
        SCOPED_TRACE(ranks + " " + indicator);
        before             = ranks;
        const auto outcome = start({"--backend", "host", "--threads", "1", "--set", "Heat/Refinements=3", "--set",
                                    "Heat/Adaptive cycles=0", "--set", "Adaptivity/Interval=2", "--set",
                                    "Adaptivity/Indicator=" + indicator});
        EXPECT_EQ(outcome.code, 1);
        EXPECT_NE(outcome.err.find("Adaptivity/Indicator = " + indicator + " is infinite or no number in a cell"),
                  std::string::npos)
          << outcome.err;
      }
  // Before the first step it is a mistake of the input.
  before = "";
  const auto outcome =
    start({"--backend", "host", "--threads", "1", "--set", "Heat/Refinements=3", "--set", "Adaptivity/Interval=2",
           "--set", "Adaptivity/First mesh cycles=1", "--set", "Adaptivity/Indicator=1/0"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("Adaptivity/Indicator = 1/0 is infinite or no number"), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(outcome.folder)) << "expected that nothing is written";
}

TEST_F(Elasticity, NearestNameOfAField)
{
  expect_mistake("Adaptivity/Field=displacment", {"Adaptivity/Field=displacment", "did you mean 'displacement'"});
}

// Both formulations are the same scheme: so are their states on meshes that change alike.
TEST_F(Elasticity, FormulationsAgreeOnMeshesThatChange)
{
  const Settings changing = bump + Settings{"Adaptivity/Interval=3", "Adaptivity/Largest level=6"},
                 coupled  = {"Discretization/Formulation=coupled", "Linear solver/Solver=gmres"};
  const auto condensed = run(changing), mixed = run(changing + coupled);
  EXPECT_EQ(condensed.record.at("remeshes"), 3);
  EXPECT_EQ(mixed.record.at("cells"), condensed.record.at("cells"));
  for (const char *energy : {"strain_energy", "kinetic_energy"})
    EXPECT_NEAR(mixed.record.at(energy).get<double>() / condensed.record.at(energy).get<double>(), 1., 1e-5) << energy;
  const auto velocity = run(changing + coupled + Settings{"Adaptivity/Field=velocity"});
  EXPECT_NE(velocity.record.at("cells"), mixed.record.at("cells")) << "another field asks for another mesh";
}

TEST_F(Elasticity, RestartGivesTheSameBits)
{
  expect_restart_equals_uninterrupted(bump + Settings{"Adaptivity/Interval=2", "Adaptivity/Largest level=6"});
}

TEST_F(NavierStokes, AMeshThatFollowsAVortexDoesWhatAUniformOneDoes)
{
  const Settings uniform_mesh = {"Mesh/Refinements=5", "Adaptivity/Interval=0", "Adaptivity/First mesh cycles=0"};
  const auto     adaptive = run(vortex(), 2), uniform = run(vortex() + uniform_mesh, 2);
  const auto     cells = column(adaptive, "cells");
  EXPECT_LT(*std::max_element(cells.begin(), cells.end()), 0.4 * uniform.record.at("cells").get<double>());
  EXPECT_LT(adaptive.l2(), 1.1 * uniform.l2());
  EXPECT_GE(adaptive.record.at("remeshes"), 12);
  const auto fixed = run(vortex() + Settings{"Adaptivity/Interval=0"}, 2);
  EXPECT_GT(fixed.l2(), 1.5 * adaptive.l2()) << "expected that the first mesh loses the vortex";
  for (const char *part : {"remesh", "remesh/estimate", "remesh/refinement", "remesh/transfer", "remesh/matrices",
                           "remesh/solver", "remesh/projection"})
    EXPECT_TRUE(adaptive.record.at("timings").contains(part)) << "run.json lacks timings." << part;
  EXPECT_NEAR(divergence(adaptive, "projected"), divergence(adaptive, "wanted"),
              1e-7 * divergence(adaptive, "interpolated"));
  EXPECT_GT(divergence(adaptive, "interpolated"), 10. * divergence(adaptive, "wanted"))
    << "the projection has nothing to do";
}

// Everywhere finer: at nodes between the old ones interpolation would miss the parabola and the wall's velocity.
TEST_F(NavierStokes, BoundaryConditionsHoldOnANewMesh)
{
  const Settings channel = {"Problem/Viscosity=0.05",
                            "Problem/Boundary velocity=0: 4*y*(1-y); 0, 3: x^2; 0",
                            "Problem/Boundaries=1: outflow",
                            "Mesh/Refinements=2",
                            "Output/Points=0, 0.0625; 0, 0.9375; 0.3125, 1; 0.5625, 0",
                            "Time stepping/End time=0.003",
                            "Time stepping/Time step=0.001",
                            "Adaptivity/Interval=1",
                            "Adaptivity/Refine fraction=1",
                            "Adaptivity/Coarsen fraction=0",
                            "Adaptivity/Largest level=4"};
  const auto     outcome = run(channel);
  EXPECT_GE(outcome.record.at("remeshes"), 1);
  EXPECT_EQ(outcome.record.at("cells"), 256);
  const auto u = outcome.record.at("velocity_at_points").at("x");
  EXPECT_NEAR(u[0].get<double>(), 4 * 0.0625 * 0.9375, 1e-14);
  EXPECT_NEAR(u[1].get<double>(), 4 * 0.0625 * 0.9375, 1e-14);
  EXPECT_NEAR(u[2].get<double>(), 0.3125 * 0.3125, 1e-14);
  EXPECT_NEAR(u[3].get<double>(), 0., 1e-14);
  EXPECT_NEAR(divergence(outcome, "projected"), divergence(outcome, "wanted"),
              1e-6 * divergence(outcome, "interpolated"));
}

TEST_F(NavierStokes, TheStepIsThatOfTheFinestMesh)
{
  const Settings lid   = {"Mesh/Refinements=2",
                          "Problem/Viscosity=0.1",
                          "Time stepping/End time=0.1",
                          "Time stepping/Time step=0.1",
                          "Time stepping/Unstable step=shorten",
                          "Adaptivity/Interval=10"};
  const auto     first = run(lid), finer = run(lid + Settings{"Adaptivity/Largest level=5"}),
             uniform = run(lid + Settings{"Mesh/Refinements=4", "Adaptivity/Interval=0"});
  EXPECT_LT(finer.record.at("time_step").get<double>(), 0.3 * first.record.at("time_step").get<double>());
  EXPECT_EQ(finer.record.at("time_step"), uniform.record.at("time_step"));
  EXPECT_EQ(finer.record.at("shortest_edge"), uniform.record.at("shortest_edge")) << "expected fine cells at the lid";
  EXPECT_EQ(finer.out.find("note: the time step"), std::string::npos) << finer.out;
}

TEST_F(NavierStokes, RestartGivesTheSameBits)
{
  expect_restart_equals_uninterrupted(vortex() + Settings{"Time stepping/End time=0.0048", "Output/Interval=3",
                                                          "Output/Statistics interval=2", "Adaptivity/Interval=2",
                                                          "Adaptivity/Largest level=5", "Adaptivity/Growth=1.01"});
}

// The checkpoint's step is kept, and the limit is that of the faster walls.
TEST_F(NavierStokes, ARestartToFasterWallsSaysThatTheStepIsTooLong)
{
  const Settings wall = {"Mesh/Refinements=2", "Problem/Boundary velocity=3: max(1,20*(t-0.15)); 0",
                         "Time stepping/Time step=0.01", "Output/Interval=0"};
  EXPECT_EQ(start_in("run", wall + Settings{"Time stepping/End time=0.2", "Checkpoint/Steps=10"}).code, 0);
  const Outcome same = restart("run"), longer = restart("run", {"Time stepping/End time=0.25"});
  EXPECT_EQ(same.out.find("note: the time step"), std::string::npos) << same.out;
  EXPECT_EQ(longer.code, 0) << longer.err;
  EXPECT_NE(longer.out.find("note: the time step 0.01 is too long from here on"), std::string::npos) << longer.out;
}

// New nodes on the cylinder are placed by manifolds, which checkpoints do not hold, and the step was shortened.
TEST_F(NavierStokes, RestartWithACylinder)
{
  expect_restart_equals_uninterrupted({"Mesh/Type=cylinder", "Mesh/Refinements=0", "Problem/Viscosity=1e-3",
                                       "Problem/Boundary velocity=0: 6*y*(0.41-y)/0.1681*(1+t); 0",
                                       "Problem/Boundaries=1: outflow", "Output/Force boundaries=2",
                                       "Time stepping/End time=0.0048", "Time stepping/Time step=0.00041",
                                       "Time stepping/Unstable step=shorten", "Output/Interval=3",
                                       "Adaptivity/Interval=2", "Adaptivity/Largest level=2"});
}

TEST_F(NavierStokes, Mistakes)
{
  expect_mistake("Adaptivity/Largest level=4", {"Adaptivity/Largest level = 4", "first mesh has cells of level 5"});
  expect_mistake("Adaptivity/Refine fraction=0.8", {"Adaptivity/Refine fraction = 0.8", "more than 1 together"});
  expect_mistake("Adaptivity/Coarsen fraction=1.5", {"Adaptivity/Coarsen fraction=1.5"});
  expect_mistake("Adaptivity/Field=velocty", {"Adaptivity/Field=velocty", "did you mean 'velocity'"});
  expect_mistake("Implementation/Pressure solver=fast_diagonalization", {"Adaptivity", "multigrid"});
}
} // namespace
