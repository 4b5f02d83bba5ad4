// Checkpoints and restart of the programs: the same bits as without interruption, whatever ended the run.
#include "restart.h"

#include <csignal>
#include <filesystem>
#include <functional>
#include <set>

namespace
{
class TransportDiffusion : public RestartedProgram
{
protected:
  TransportDiffusion()
    : RestartedProgram(TRANSPORT_DIFFUSION)
  {}

  /// Four checkpoints of a small run.
  const Settings small = {"Discretization/Refinements=3", "Time stepping/End time=0.32", "Checkpoint/Steps=4",
                          "Time stepping/Output interval=3"};

  void expect_error(const Outcome &outcome, const std::string &text)
  {
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find(text), std::string::npos) << "expected '" << text << "' in: " << outcome.err;
  }
};

class Elasticity : public RestartedProgram
{
protected:
  Elasticity()
    : RestartedProgram(ELASTICITY)
  {}
};

class NavierStokes : public RestartedProgram
{
protected:
  NavierStokes()
    : RestartedProgram(NAVIER_STOKES)
  {}
};

class Template : public RestartedProgram
{
protected:
  Template()
    : RestartedProgram(TEMPLATE)
  {}
};

TEST_F(Template, RestartGivesTheSameBits)
{
  expect_restart_equals_uninterrupted({"Heat/Refinements=3", "Heat/End time=0.6", "Heat/Output interval=3"});
}

TEST_F(TransportDiffusion, RestartGivesTheSameBits)
{
  const Settings common = {"Time stepping/End time=0.24", "Time stepping/Output interval=3",
                           "Linear solver/Coarsest level cells=30"};
  // Hanging nodes, and a scheme of two steps.
  const std::vector<Settings> cases = {
    {"Time stepping/Scheme=bdf2", "Time stepping/Extrapolation order=3"},
    {"Time stepping/Scheme=crank_nicolson", "Discretization/Degree=2", "Discretization/SUPG=true"},
    {"Problem/Dimension=3", "Discretization/Refinements=2", "Linear solver/Chebyshev=true"}};
  for (auto settings : cases)
    {
      SCOPED_TRACE(settings.front());
      settings.insert(settings.end(), common.begin(), common.end());
      expect_restart_equals_uninterrupted(settings);
    }
}

TEST_F(Elasticity, RestartGivesTheSameBits)
{
  const Settings              common = {"Time stepping/End time=0.3",          "Output/Interval=3",
                                        "Problem/Load factor=sin(20*t)",       "Discretization/Uniform refinements=2",
                                        "Time stepping/Extrapolation order=2", "Problem/Initial velocity=0.1*x*(1-x); y; 0"};
  const std::vector<Settings> cases  = {
     {"Discretization/Refinement=edge"},
     {"Discretization/Formulation=coupled", "Linear solver/Solver=gmres", "Discretization/Refinement=vertex"},
     {"Discretization/Refinement=kelly", "Problem/Dimension=2", "Discretization/Uniform refinements=3"}};
  for (auto settings : cases)
    {
      SCOPED_TRACE(settings.front());
      settings.insert(settings.begin(), common.begin(), common.end());
      expect_restart_equals_uninterrupted(settings);
    }
}

TEST_F(NavierStokes, RestartGivesTheSameBits)
{
  const std::vector<Settings> cases = {
    // Hanging nodes, pressures extrapolated from three steps
    {"Mesh/Refinements=3", "Mesh/Local refinements=1", "Mesh/Refine where=x+y-1", "Time stepping/Time step=0.004",
     "Time stepping/End time=0.048", "Output/Interval=3", "Time stepping/Extrapolation order=3"},
    // A lid and a force that vary
    {"Problem/Dimension=3", "Mesh/Refinements=2", "Problem/Boundary velocity=3: sin(20*t); 0; 0",
     "Problem/Body force=0; t; 0", "Problem/Initial velocity=0; 0; sin(pi*x)*sin(pi*y)",
     "Time stepping/Time step=0.004", "Time stepping/End time=0.048", "Output/Interval=3",
     "Problem/Boundaries=4: outflow", "Problem/Traction=5: 0.1*t; 0; sin(20*t)"},
    // The pressure without multigrid; rows every second step
    {"Implementation/Pressure solver=fast_diagonalization", "Mesh/Refinements=3", "Time stepping/Time step=0.004",
     "Time stepping/End time=0.048", "Output/Interval=3", "Output/Statistics interval=2",
     "Implementation/Custom kernels=false"},
    // Curved boundary
    {"Mesh/Type=cylinder", "Mesh/Refinements=0", "Problem/Boundary velocity=0: 6*y*(0.41-y)/0.1681; 0",
     "Problem/Boundaries=1: outflow", "Problem/Viscosity=0.001", "Output/Force boundaries=2", "Output/Points=0.15, 0.2",
     "Time stepping/Time step=0.0004", "Time stepping/End time=0.0048", "Output/Interval=3"}};
  for (const auto &settings : cases)
    {
      SCOPED_TRACE(settings.front());
      expect_restart_equals_uninterrupted(settings);
    }
}

TEST_F(TransportDiffusion, RunsKilledAtEachStageOfWritingContinue)
{
  ASSERT_EQ(start_in("reference", small).code, 0);
  // Of the second checkpoint, the first and the last.
  for (const auto &[stage, step] : std::vector<std::pair<std::string, int>>{{"opened:2", 4},
                                                                            {"writing:2", 4},
                                                                            {"written:2", 4},
                                                                            {"synced:2", 4},
                                                                            {"cleaned:2", 4},
                                                                            {"renamed:2", 8},
                                                                            {"renamed:1", 4},
                                                                            {"synced:4", 12},
                                                                            {"cleaned:4", 12},
                                                                            {"renamed:4", 16}})
    {
      SCOPED_TRACE(stage);
      start_and_kill(stage, small, stage);
      const Outcome outcome = restart(stage);
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      EXPECT_NE(outcome.out.find("step " + std::to_string(step) + ", time"), std::string::npos) << outcome.out;
      expect_same_results(stage, "reference");
    }
}

TEST_F(TransportDiffusion, OfDamagedCheckpointsTheOlderOneIsTaken)
{
  ASSERT_EQ(start_in("reference", small).code, 0);
  const auto names = checkpoints("reference");
  ASSERT_EQ(names.size(), 2u) << "the last two are kept";
  const auto damages = std::vector<std::pair<std::string, std::function<void(std::string &)>>>{
    {"truncated", [](std::string &bytes) { bytes.resize(bytes.size() - 1); }},
    {"half", [](std::string &bytes) { bytes.resize(bytes.size() / 2); }},
    {"empty", [](std::string &bytes) { bytes.clear(); }},
    {"longer", [](std::string &bytes) { bytes += '\0'; }},
    {"first bit", [](std::string &bytes) { bytes.front() ^= 1; }},
    {"bit", [](std::string &bytes) { bytes[bytes.size() / 2] ^= 16; }},
    {"checksum", [](std::string &bytes) { bytes.back() ^= 1; }}};
  for (const auto &[name, damage] : damages)
    {
      SCOPED_TRACE(name);
      std::filesystem::copy(folder / "reference", folder / name);
      std::string bytes = read("reference/" + names[1]);
      damage(bytes);
      write(name + "/" + names[1], bytes);
      const Outcome outcome = restart(name);
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      EXPECT_NE(outcome.out.find(names[1] + " is damaged"), std::string::npos) << outcome.out;
      EXPECT_NE(outcome.out.find("continuing from " + (folder / name / names[0]).string()), std::string::npos);
      expect_same_results(name, "reference");
    }
  for (const auto &name : names)
    write("reference/" + name, "nothing");
  expect_error(restart("reference"), "all checkpoints");
}

TEST_F(TransportDiffusion, ANewRunMovesOneThatCanBeContinued)
{
  ASSERT_EQ(start_in("run", small).code, 0); // ends with step 16
  ASSERT_EQ(start_in("reference", small).code, 0);
  Settings other = small;
  other.push_back("Problem/Diffusion=0.02");
  start_and_kill("run", other, "synced:1");
  EXPECT_EQ(checkpoints("run"), Settings{"checkpoint_0000000004.new"});
  expect_same_results("run/earlier", "reference");
  EXPECT_FALSE(std::filesystem::exists(folder / "run/run.json"));
  expect_error(restart("run", {"Problem/Diffusion=0.02"}), "there is no checkpoint");
  start_and_kill("run", other, "renamed:1"); // the one before had no checkpoint and goes
  EXPECT_EQ(checkpoints("run"), Settings{"checkpoint_0000000004"});
  expect_same_results("run/earlier", "reference");
  ASSERT_EQ(restart("run", {"Problem/Diffusion=0.02"}).code, 0);
  EXPECT_EQ(restart("run/earlier", {"Time stepping/End time=0.4"}).code, 0);
  std::filesystem::remove_all(folder / "run/earlier");
  ASSERT_EQ(start_in("other", other).code, 0);
  expect_same_results("run", "other");
}

TEST_F(TransportDiffusion, AFailingRunKeepsItsRowsAndNothingOfAnEarlierOne)
{
  const Settings settings = {"Discretization/Refinements=3", "Time stepping/Output interval=2"};
  ASSERT_EQ(start_in("run", settings).code, 0);
  setenv("ADAMANT_FAIL", "0:solve:8", 1);
  const Outcome failed = start_in("run", settings);
  unsetenv("ADAMANT_FAIL");
  EXPECT_EQ(failed.code, 1);
  const std::string rows = read("run/statistics.csv");
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 8) << "expected a header and seven rows:\n" << rows;
  std::set<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder / "run"))
    files.insert(entry.path().filename().string());
  EXPECT_EQ(files, (std::set<std::string>{"parameters.prm", "statistics.csv", "solution.pvd", "solution_0000.vtu",
                                          "solution_0001.vtu", "solution_0002.vtu", "solution_0003.vtu"}));
}

TEST_F(TransportDiffusion, ADryRestartWritesNothing)
{
  ASSERT_EQ(start_in("run", small).code, 0);
  std::filesystem::copy(folder / "run", folder / "before");
  const Outcome dry =
    start_with("host", {"Time stepping/End time=0.4"}, {"--restart=" + (folder / "run").string(), "--dry-run"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_FALSE(std::filesystem::exists("/solution.pvd"));
  expect_same_results("run", "before");
  for (const char *file : {"run.json", "parameters.prm"})
    EXPECT_EQ(read(std::string("run/") + file), read(std::string("before/") + file)) << file;
}

// A flow that is steady before the last step that it may take.
TEST_F(NavierStokes, ARunThatEndsEarlyEndsWithACheckpoint)
{
  const Outcome outcome = start_in("run", {"Mesh/Refinements=2", "Problem/Viscosity=1", "Time stepping/Time step=0.005",
                                           "Time stepping/End time=5", "Time stepping/Steady tolerance=1e-3",
                                           "Output/Interval=0", "Checkpoint/Steps=100000"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const int steps = outcome.record.at("steps");
  ASSERT_LT(steps, 1000) << "expected a steady state";
  ASSERT_EQ(checkpoints("run").size(), 1u);
  EXPECT_EQ(std::stoi(checkpoints("run")[0].substr(11)), steps);
}

TEST_F(TransportDiffusion, AFullDiskLeavesOldCheckpoints)
{
  Settings settings = small;
  settings.insert(settings.end(), {"Time stepping/Output interval=0", "Time stepping/End time=0.16"});
  ASSERT_EQ(start_in("full", settings).code, 0);
  const auto        names = checkpoints("full");
  const std::string first = read("full/" + names[0]), second = read("full/" + names[1]);
  // Files may not grow beyond half a checkpoint, in blocks of 512 bytes.
  before                = "trap '' XFSZ; ulimit -f " + std::to_string(second.size() / 1024) + ";";
  const Outcome outcome = restart("full", {"Time stepping/End time=0.32"});
  before.clear();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("cannot be written: File too large; the last good one is"), std::string::npos)
    << outcome.err;
  EXPECT_EQ(checkpoints("full"), names);
  EXPECT_TRUE(read("full/" + names[0]) == first && read("full/" + names[1]) == second);
  EXPECT_EQ(restart("full", {"Time stepping/End time=0.32"}).code, 0);
  settings.back() = "Time stepping/End time=0.32";
  ASSERT_EQ(start_in("reference", settings).code, 0);
  expect_same_results("full", "reference");
}

// Not even the first bytes of a checkpoint find room.
TEST_F(TransportDiffusion, ADiskThatIsFullBeforeACheckpointBeginsEndsTheRun)
{
  Settings settings = small;
  settings.insert(settings.end(), {"Time stepping/Output interval=0", "Time stepping/End time=0.16"});
  ASSERT_EQ(start_in("none_free", settings).code, 0);
  const auto names = checkpoints("none_free");
  ASSERT_EQ(names.back(), "checkpoint_0000000008");
  std::filesystem::create_symlink("/dev/full", folder / "none_free/checkpoint_0000000012.new");
  const Outcome outcome = restart("none_free", {"Time stepping/End time=0.32"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("cannot be written: No space left on device; the last good one is"), std::string::npos)
    << outcome.err;
  EXPECT_EQ(checkpoints("none_free"), names);
}

TEST_F(TransportDiffusion, SignalsAndTheWallTimeLimitEndTheRunWithACheckpoint)
{
  std::signal(SIGINT, SIG_DFL); // shells ignore it in the background
  for (const std::string name : {"SIGTERM", "SIGUSR1", "SIGINT", "the wall-time limit"})
    {
      SCOPED_TRACE(name);
      std::string limit = "Checkpoint/Wall-time limit=0";
      if (name == "the wall-time limit")
        limit = "Checkpoint/Wall-time limit=0.003";
      else // in the first steps
        before = "rm -f out.txt; (until grep -q '^step 1/' out.txt 2> /dev/null; do sleep 0.02; done; kill -" +
                 name.substr(3) + " $(cat pid)) & sh -c 'echo $$ > pid; exec \"$@\"' sh";
      const Outcome ended =
        start_in("ended", {"Time stepping/Time step=1e-5", limit, "Time stepping/Output interval=0"});
      before.clear();
      EXPECT_EQ(ended.code, name == "SIGINT" ? 130 : 3) << ended.err;
      EXPECT_NE(ended.out.find("stopped by " + name + " after step "), std::string::npos) << ended.out;
      ASSERT_EQ(checkpoints("ended").size(), 1u);
      const int         step      = std::stoi(checkpoints("ended")[0].substr(11));
      const std::string end       = "Time stepping/End time=" + std::to_string((step + 10) * 1e-5);
      const Outcome     continued = restart("ended", {end, "Checkpoint/Wall-time limit=0", "Checkpoint/Steps=1000000"});
      EXPECT_EQ(continued.code, 0) << continued.err;
      const Outcome reference =
        start_in("reference", {"Time stepping/Time step=1e-5", end, "Time stepping/Output interval=0"});
      EXPECT_EQ(nlohmann::json::parse(read("ended/run.json")).at("errors"), reference.record.at("errors"));
      EXPECT_EQ(read("ended/statistics.csv"), read("reference/statistics.csv"));
      std::filesystem::remove_all(folder / "ended");
      std::filesystem::remove_all(folder / "reference");
    }
}

TEST_F(TransportDiffusion, MinutesBetweenCheckpoints)
{
  const Outcome outcome = start_in("run", {"Discretization/Refinements=3", "Time stepping/Time step=1e-4",
                                           "Time stepping/End time=0.5", "Checkpoint/Minutes=0.001"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto names = checkpoints("run");
  ASSERT_EQ(names.size(), 2u) << "expected one by time before that of the last step";
  EXPECT_EQ(names.back(), "checkpoint_0000005000");
  EXPECT_GT(outcome.record.at("timings").at("checkpoint"), 0.);
}

TEST_F(TransportDiffusion, FilesAndRowsPastTheCheckpointAreCut)
{
  Settings settings = small;
  settings.push_back("Time stepping/Output interval=1");
  start_and_kill("run", settings, "opened:3"); // files of steps 0 to 12, a checkpoint of step 8
  ASSERT_TRUE(std::filesystem::exists(folder / "run/solution_0012.vtu"));
  const Outcome outcome = start_in("run", {"Time stepping/Output interval=100"}, {"--restart"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string index = read("run/solution.pvd");
  for (int i = 0; i <= 12; ++i) // of steps 0 to 8, and the last
    {
      std::string name = "solution_0000.vtu";
      name.replace(11, 2, (i < 10 ? "0" : "") + std::to_string(i));
      EXPECT_EQ(std::filesystem::exists(folder / "run" / name), i < 10) << name;
      EXPECT_EQ(index.find(name) != std::string::npos, i < 10) << name;
    }
  const std::string rows = read("run/statistics.csv");
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 17) << "expected a header and sixteen rows:\n" << rows;
}

TEST_F(TransportDiffusion, OtherParametersAreRefused)
{
  ASSERT_EQ(start_in("run", small).code, 0);
  expect_error(restart("run", {"Problem/Diffusion=0.02"}), "Problem/Diffusion is '0.02', was '0.01'");
  expect_error(restart("run", {"Discretization/Degree=2", "Linear solver/Tolerance=1e-6"}),
               "Discretization/Degree is '2', was '1'; Linear solver/Tolerance is '1e-6', was '1e-08'");
  expect_error(restart("run", {"Time stepping/End time=0.02"}), "the checkpoint is of step 16");
  expect_error(start_with("host", {}, {"--restart=" + (folder / "nothing").string()}), "there is no checkpoint");
  expect_error(start_in("elsewhere", {}, {"--restart=" + (folder / "run").string()}), "not in --output");
  const std::string parameters = read("run/parameters.prm");
  const Outcome     longer =
    restart("run", {"Time stepping/End time=4e-1", "Time stepping/Output interval=1", "Problem/Diffusion=1e-2"});
  EXPECT_EQ(longer.code, 0) << longer.err;
  EXPECT_EQ(nlohmann::json::parse(read("run/run.json")).at("steps"), 20);
  // Without an equals sign, and with a parameter file; and from the folder that --output names.
  write("other.prm", parameters);
  const std::string run = (folder / "run").string();
  EXPECT_EQ(start_with("host", {"Time stepping/End time=0.4"}, {"--restart", run, "other.prm"}).code, 0);
  EXPECT_EQ(start_in("run", {}, {"--restart"}).code, 0);
}

TEST_F(Elasticity, CheckpointsOfOtherProgramsAreRefused)
{
  const Outcome flow = start_in("run", {"Time stepping/End time=0.05", "Discretization/Uniform refinements=1",
                                        "Checkpoint/Steps=1", "Output/Interval=0"});
  ASSERT_EQ(flow.code, 0) << flow.err;
  const std::string command = std::string("'") + TRANSPORT_DIFFUSION + "' --restart='" + (folder / "run").string() +
                              "' 2> '" + (folder / "err.txt").string() + "' > /dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2);
  EXPECT_NE(read("err.txt").find("was written by the program elasticity"), std::string::npos) << read("err.txt");
}
} // namespace
