// A hundred runs killed at random times, and thirty damaged checkpoints: the slow set, run by name (ctest -C slow -L
// slow).
#include "restart.h"

#include <chrono>
#include <random>

namespace
{
class SlowRestart : public RestartedProgram
{
protected:
  explicit SlowRestart(const char *program)
    : RestartedProgram(program)
  {}

  /// Kills runs at random times until `n_runs` of them have left a whole checkpoint, and continues each of these: some
  /// are killed again, the others end with the right results. What is killed before its first checkpoint begins anew.
  void expect_same_results_after_kills(const Settings &settings, int n_runs)
  {
    const auto    begin     = std::chrono::steady_clock::now();
    const Outcome reference = start_in("reference", settings);
    ASSERT_EQ(reference.code, 0) << reference.err;
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

    std::mt19937                           random(2026);
    std::uniform_real_distribution<double> part(0.1, 1.);
    int                                    n_continued = 0, n_early = 0;
    while (n_continued < n_runs)
      {
        std::filesystem::remove_all(folder / "run");
        for (bool done = false, whole = false; !done;)
          {
            before = n_continued < n_runs ? "timeout -s KILL " + std::to_string(part(random) * seconds) : "";
            const Outcome outcome = start_in("run", settings, whole ? Settings{"--restart"} : Settings{});
            before.clear();
            done = outcome.code == 0;
            ASSERT_TRUE(done || outcome.code == 137) << outcome.code << ": " << outcome.err;
            if (done && whole)
              {
                EXPECT_NE(outcome.out.find("continuing from"), std::string::npos) << outcome.out;
              }
            const bool some = std::filesystem::exists(folder / "run") && !checkpoints("run").empty();
            whole           = some && checkpoints("run").front().find(".new") == std::string::npos;
            n_continued += !done && whole;
            if (!done && !whole)
              {
                ASSERT_LT(++n_early, 20 * n_runs) << "no run reaches its first checkpoint within " << seconds << " s";
                seconds *= 1.02; // the machine is busier than it was during the reference
              }
          }
        expect_same_results("run", "reference");
        if (HasFailure())
          return;
      }
    std::cout << n_continued << " runs killed and continued; " << n_early
              << " more killed before their first checkpoint" << std::endl;
  }
};

class SlowTransport : public SlowRestart
{
protected:
  SlowTransport()
    : SlowRestart(TRANSPORT_DIFFUSION)
  {}
};

class SlowElasticity : public SlowRestart
{
protected:
  SlowElasticity()
    : SlowRestart(ELASTICITY)
  {}
};

class SlowFlow : public SlowRestart
{
protected:
  SlowFlow()
    : SlowRestart(NAVIER_STOKES)
  {}
};

TEST_F(SlowTransport, RandomKills)
{
  expect_same_results_after_kills({"Discretization/Refinements=4", "Time stepping/Scheme=bdf2",
                                   "Time stepping/Time step=0.005", "Time stepping/Output interval=20",
                                   "Checkpoint/Steps=10"},
                                  40);
}

TEST_F(SlowElasticity, RandomKills)
{
  expect_same_results_after_kills({"Discretization/Uniform refinements=2", "Time stepping/Time step=0.0125",
                                   "Problem/Load factor=sin(3*t)", "Output/Interval=20", "Checkpoint/Steps=5"},
                                  30);
}

TEST_F(SlowFlow, RandomKills)
{
  expect_same_results_after_kills({"Mesh/Refinements=3", "Mesh/Local refinements=1", "Mesh/Refine where=x+y-1",
                                   "Time stepping/Time step=0.004", "Time stepping/End time=2", "Output/Interval=50",
                                   "Checkpoint/Steps=20"},
                                  30);
}

TEST_F(SlowTransport, DamagedCheckpoints)
{
  const Settings settings = {"Discretization/Refinements=3", "Time stepping/End time=0.32", "Checkpoint/Steps=4",
                             "Time stepping/Output interval=3"};
  ASSERT_EQ(start_in("reference", settings).code, 0);
  const auto        names = checkpoints("reference");
  const std::string good  = read("reference/" + names[1]);
  std::mt19937      random(2026);
  for (int k = 0; k < 30; ++k)
    {
      std::filesystem::remove_all(folder / "run");
      std::filesystem::copy(folder / "reference", folder / "run");
      std::string       bytes = good;
      const std::size_t place = random() % bytes.size();
      if (k % 2 == 0)
        bytes.resize(place);
      else
        bytes[place] ^= static_cast<char>(1 << random() % 8);
      write("run/" + names[1], bytes);
      const Outcome outcome = start_in("run", {}, {"--restart"});
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      ASSERT_NE(outcome.out.find(names[1] + " is damaged"), std::string::npos)
        << (k % 2 == 0 ? "cut" : "a bit flipped") << " at byte " << place << ": " << outcome.out;
      expect_same_results("run", "reference");
    }
}
} // namespace
