// Program solid where it fails: messages, the last state, and runs that are continued.
#include "restart.h"
#include "solid.h"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace
{
// A small steel cube that flies: its stiffness is far above its mass by the numbers.
TEST_F(Solid, SmallStiffFreeBody)
{
  const auto outcome =
    solve("free_rotation.prm",
          {"Problem/Dimension=3", "Problem/Material=neo_hooke; E = 2.1e11; nu = 0.3", "Problem/Density=7800",
           "Problem/Initial velocity=0; 0; 1e-3", "Problem/Initial displacement=0; 0; 0",
           "Problem/Boundary displacement=0; 0; 0", "Problem/Body force=0; 0; 0", "Mesh/Cells=1, 1, 1",
           "Mesh/Refinements=2", "Mesh/Coordinates=1e-3*x; 1e-3*y; 1e-3*z", "Time stepping/Time step=1e-8",
           "Time stepping/End time=2e-8", "Output/Points="});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NEAR(statistics(outcome).at("momentum_z").back(), 7800e-9 * 1e-3, 1e-18);
}

// An error that is none of Newton's method ends the run on all ranks; a smaller load step would not help.
TEST_F(Solid, ErrorsThatNoSmallerStepMends)
{
  for (const std::string rank : {"0", "1"})
    {
      before = rank == "0" ? "" : "mpirun --oversubscribe -np 2 ";
      setenv("ADAMANT_FAIL", (rank + ":update:2").c_str(), 1);
      const auto outcome = solve("cook.prm", {"Mesh/Refinements=3", "Mesh/Coordinates=", "Output/Points="});
      unsetenv("ADAMANT_FAIL");
      before.clear();
      EXPECT_NE(outcome.code, 0) << outcome.out;
      EXPECT_NE(outcome.err.find("failed as ADAMANT_FAIL wants it"), std::string::npos) << outcome.err;
      EXPECT_EQ(outcome.out.find("is taken again"), std::string::npos) << outcome.out;
    }
}

// A time that only a step which is halved meets. The last state is kept.
TEST_F(Solid, DisplacementsThatAreNoNumbersLater)
{
  const std::string c = "cos(pi/2*t)", d = "sin(pi/2*t)", x = "(x-0.5)", y = "(y-0.5)";
  const auto        outcome =
    solve("twisted_block.prm", {"Time stepping/Load steps=1", "Mesh/Refinements=2", "Newton/Steps=6",
                                "Problem/Boundary displacement=(z>1)*(0.5+" + x + "*" + c + "-" + y + "*" + d +
                                  "-x); (z>1)*(0.5+" + x + "*" + d + "+" + y + "*" + c + "-y); 0*log(abs(t-0.6)-0.3)",
                                "Checkpoint/Steps=1"});
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_NE(outcome.err.find("Boundary displacement"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("the last state is that of t = 0"), std::string::npos) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(outcome.folder + "/checkpoint_0000000000"));
}

// Where K/mu leaves no digits of the shear stiffness in float32, conjugate gradients tell nothing of stability. A note
// and the message say so; double precision gives the result of K/mu = 5000 to its accuracy.
TEST_F(Solid, RoundingOfNearlyIncompressibleBodies)
{
  const Settings rubber   = {"Mesh/Refinements=3", "Discretization/Degree=1",
                             "Discretization/Volumetric strain=mean_dilatation"},
                 more     = {"Problem/Material=neo_hooke; mu = 80; K = 8e8"};
  const std::string hint  = "K/mu = 1e+07 leaves few digits of the shear stiffness in linear systems: take K/mu = 5000";
  const auto        fails = solve("cook_nearly_incompressible.prm", rubber + more);
  EXPECT_EQ(fails.code, 1) << fails.out;
  EXPECT_NE(fails.err.find(hint), std::string::npos) << fails.err;
  EXPECT_NE(fails.out.find(hint), std::string::npos) << fails.out;
  EXPECT_EQ(fails.out.find("buckled"), std::string::npos) << fails.out;
  const auto tip = [&](const Settings &settings) {
    const auto outcome = solve("cook_nearly_incompressible.prm", rubber + settings);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find("buckled"), std::string::npos) << outcome.out;
    EXPECT_EQ(statistics(outcome).at("stable").back(), 1.);
    return statistics(outcome).at("point0_u_y").back();
  };
  const double usual = tip({"Problem/Material=neo_hooke; mu = 80; K = 4e5"});
  EXPECT_NEAR(tip(more + Settings{"Linear solver/Precision=float64"}), usual, 1e-3 * usual);
  EXPECT_NEAR(tip({"Problem/Material=neo_hooke; mu = 80; K = 8e6"}), usual, 1e-3 * usual); // GMRES helps
}

TEST_F(Solid, NotesOnEnergies)
{
  const auto run = [this](const std::string &material, const std::string &displacement) {
    return start({"--backend", "host", "--threads", "1", "--set", "Problem/Dimension=2", "--set", "Mesh/Refinements=1",
                  "--set", "Output/Interval=0", "--set", "Problem/Body force=0; 0", "--set",
                  "Problem/Material=" + material, "--set", "Problem/Boundary displacement=" + displacement});
  };
  const std::string note  = "note: J or a principal stretch is 0.5 somewhere",
                    plain = "st_venant_kirchhoff; mu = 1; K = 2";
  const auto thin = run(plain, "-0.5*t*x; 0.4*t*y"), turned = run(plain, "-t*x-0.8*t*y; 0.8*t*x-t*y");
  EXPECT_EQ(thin.code, 0) << thin.err;
  EXPECT_NE(thin.out.find(note), std::string::npos) << thin.out;
  EXPECT_EQ(run("neo_hooke; mu = 1; K = 2", "-0.5*t*x; 0.4*t*y").out.find(note), std::string::npos);
  EXPECT_EQ(turned.out.find("principal stretch"), std::string::npos) << turned.out;
  EXPECT_NE(run("neo_hooke_compressible; E = 1; nu = 0.49", "0; 0").out.find("with energies whose volumetric part"),
            std::string::npos);
}

class SolidRestart : public RestartedProgram
{
protected:
  SolidRestart()
    : RestartedProgram(SOLID)
  {}

  const Settings body = {"Problem/Dimension=2",
                         "Problem/Material=neo_hooke; mu = 1; K = 5",
                         "Problem/Body force=0; -0.1",
                         "Problem/Dirichlet boundaries=0: xy",
                         "Mesh/Cells=2, 1",
                         "Mesh/Coordinates=2*x; y",
                         "Mesh/Refinements=2",
                         "Output/Interval=3"};
};

// Load steps and time steps, on meshes that follow, also with projected dilatations.
TEST_F(SolidRestart, GivesTheSameBits)
{
  const Settings follows = {"Adaptivity/Interval=3", "Adaptivity/Largest level=4",
                            "Discretization/Volumetric strain=mean_dilatation"},
                 moves = {"Time stepping/Stationary=false", "Time stepping/Time step=0.1", "Time stepping/End time=1.2",
                          "Problem/Boundary displacement=0; 0.1*sin(t)", "Problem/Load factor=1"};
  expect_restart_equals_uninterrupted(body + follows + Settings{"Time stepping/Load steps=12"});
  expect_restart_equals_uninterrupted(body + moves + follows);
  expect_restart_equals_uninterrupted(body + moves + Settings{"Time stepping/Scheme=energy_momentum"});
}

// A load step fails right after the mesh has changed. What is continued changes it no further. It fails in the same
// way, or under another load goes on as a run under that load, to the bit.
TEST_F(SolidRestart, AnotherLoadAfterAFailedStep)
{
  const Settings steps     = {"Time stepping/Load steps=6", "Adaptivity/Interval=3", "Adaptivity/Largest level=4",
                              "Newton/Steps=6", "Checkpoint/Steps=3"};
  const auto     too_large = start_in("failed", body + steps + Settings{"Problem/Load factor=t+100*(t>0.501)"});
  EXPECT_EQ(too_large.code, 1);
  EXPECT_NE(too_large.err.find("fails after 6 halvings; the last state is that of t = 0.5"), std::string::npos)
    << too_large.err;
  const auto checkpoint = read("failed/checkpoint_0000000003"), rows = read("failed/statistics.csv");
  EXPECT_EQ(restart("failed").err, too_large.err);
  EXPECT_TRUE(read("failed/checkpoint_0000000003") == checkpoint);
  EXPECT_EQ(read("failed/statistics.csv"), rows);

  ASSERT_EQ(start_in("whole", body + steps + Settings{"Problem/Load factor=t"}).code, 0);
  std::filesystem::copy(folder / "failed", folder / "shorter");
  const auto continued = restart("failed", {"Problem/Load factor=t"});
  ASSERT_EQ(continued.code, 0) << continued.err;
  expect_same_results("failed", "whole");

  auto shorter = restart("shorter", {"Problem/Load factor=t", "Time stepping/Load steps=12"});
  ASSERT_EQ(shorter.code, 0) << shorter.err;
  shorter.folder        = (folder / "shorter").string();
  const auto of_shorter = statistics(shorter);
  ASSERT_EQ(of_shorter.at("time").size(), 9u);
  EXPECT_NEAR(of_shorter.at("time")[3], 7. / 12., 1e-12);
}

// A motion goes on with shorter steps and another load.
TEST_F(SolidRestart, OtherStepsOfAMotion)
{
  const Settings moves = {"Time stepping/Stationary=false", "Time stepping/Time step=0.1", "Time stepping/End time=0.2",
                          "Problem/Load factor=1", "Checkpoint/Steps=2"};
  ASSERT_EQ(start_in("run", body + moves).code, 0);
  auto outcome = restart("run", {"Time stepping/End time=0.4", "Time stepping/Time step=0.05",
                                 "Problem/Load factor=1-t", "Problem/Body force=0; -0.2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  outcome.folder  = (folder / "run").string();
  const auto rows = statistics(outcome);
  ASSERT_EQ(rows.at("time").size(), 6u);
  EXPECT_NEAR(rows.at("time")[2], 0.25, 1e-12);
  EXPECT_NEAR(rows.at("load_factor")[2], 0.75, 1e-12);
}

// Loads that are no numbers before the checkpoint, where they act no more, and after it.
TEST_F(SolidRestart, LoadsThatAreNoNumbersBefore)
{
  const Settings moves = {"Time stepping/Stationary=false", "Time stepping/Time step=0.1", "Time stepping/End time=0.2",
                          "Checkpoint/Steps=2"};
  ASSERT_EQ(start_in("run", body + moves).code, 0);
  std::filesystem::copy(folder / "run", folder / "moved");
  const std::string later = "Time stepping/End time=0.4", after = "Problem/Load factor=1+0*sqrt(t-0.15)";
  EXPECT_EQ(restart("run", {later, after}).code, 0);
  const auto before = restart("moved", {later, "Problem/Load factor=1+0*sqrt(0.35-t)"});
  EXPECT_EQ(before.code, 2);
  EXPECT_NE(before.err.find("nan at t = 0.355556"), std::string::npos) << before.err;
}

// The steps of a motion do not depend on where it stops, also where steps are halved on both sides of a stop.
TEST_F(SolidRestart, LaterEndTimesGiveTheSameSteps)
{
  const Settings moves = {"Time stepping/Stationary=false",
                          "Time stepping/Time step=0.1",
                          "Checkpoint/Steps=1000",
                          "Problem/Body force=0; -2",
                          "Problem/Load factor=1",
                          "Output/Interval=0",
                          "Newton/Steps=2"};
  const auto     whole = start_in("whole", body + moves + Settings{"Time stepping/End time=3"});
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_NE(whole.out.find("from t = 1.6 to 1.7 is taken again with half its length"), std::string::npos) << whole.out;
  ASSERT_EQ(start_in("parts", body + moves + Settings{"Time stepping/End time=1.7"}).code, 0);
  ASSERT_EQ(restart("parts", {"Time stepping/End time=2.1"}).code, 0);
  ASSERT_EQ(restart("parts", {"Time stepping/End time=3"}).code, 0);
  EXPECT_EQ(read("parts/statistics.csv"), read("whole/statistics.csv"));
  EXPECT_TRUE(read("parts/" + checkpoints("parts").back()) == read("whole/" + checkpoints("whole").back()));
}

TEST_F(SolidRestart, RefusesWhatDoesNotFit)
{
  const Settings moves = {"Time stepping/Stationary=false", "Time stepping/Time step=0.1", "Time stepping/End time=0.4",
                          "Checkpoint/Steps=2"};
  ASSERT_EQ(start_in("run", body + moves).code, 0);
  const auto refused = [&](const std::string &setting, const std::string &message) {
    const auto outcome = restart("run", {setting});
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  };
  refused("Time stepping/End time=0.2", "the checkpoint is of t = 0.4, beyond the end time 0.2");
  refused("Newton/Steps=3", "Newton/Steps");
  refused("Problem/Material=neo_hooke; mu = 2; K = 5", "Problem/Material");
  refused("Problem/Boundary displacement=0; t", "Problem/Boundary displacement");
  refused("Problem/Follower pressure=1: t", "cannot come or go");
}

// A run without steps that are left would have the results of one load and the parameters of another.
TEST_F(SolidRestart, RefusesOtherLoadsOfAFinishedRun)
{
  ASSERT_EQ(start_in("run", body + Settings{"Time stepping/Load steps=2", "Checkpoint/Steps=2"}).code, 0);
  const auto parameters = read("run/parameters.prm"), record = read("run/run.json");
  for (const Settings &dry : {Settings{}, Settings{"--dry-run"}})
    for (const std::string change :
         {"Problem/Body force=0; -7", "Problem/Load factor=t^2", "Time stepping/Load steps=4"})
      {
        const auto outcome = start_with("host", {change}, dry + Settings{"--restart=" + (folder / "run").string()});
        EXPECT_EQ(outcome.code, 2) << outcome.out;
        EXPECT_NE(outcome.err.find("no step is left after step 2"), std::string::npos) << outcome.err;
        EXPECT_NE(outcome.err.find(change.substr(0, change.find('=')) + " is '"), std::string::npos) << outcome.err;
      }
  EXPECT_EQ(read("run/parameters.prm"), parameters);
  EXPECT_EQ(read("run/run.json"), record);
  EXPECT_EQ(restart("run", {"Output/Interval=1", "Problem/Body force=0, -0.10"}).code, 2); // another separator
  EXPECT_EQ(restart("run", {"Output/Interval=1", "Problem/Body force=0; -0.10"}).code, 0);
}
} // namespace
