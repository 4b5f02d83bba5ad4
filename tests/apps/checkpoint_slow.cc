// A hundred runs killed at random times, and thirty damaged checkpoints: the slow set, run by name (ctest -C slow -L slow).
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

  /// Kills runs at random times, some of them again after a restart, until they end by themselves.
  void expect_same_results_after_kills(const Settings &settings, int n_runs)
  {
    const auto    begin     = std::chrono::steady_clock::now();
    const Outcome reference = start_in("reference", settings);
    ASSERT_EQ(reference.code, 0) << reference.err;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

    std::mt19937                           random(2026); // the same times in every run of the test
    std::uniform_real_distribution<double> moment(0.1 * seconds, seconds);
    int                                    n_kills = 0, n_before_first = 0;
    while (n_kills < n_runs)
      {
        std::filesystem::remove_all(folder / "run");
        for (bool done = false; !done;)
          {
            const bool some = std::filesystem::exists(folder / "run") && !checkpoints("run").empty();
            // What was killed before its first whole checkpoint begins anew.
            const bool whole      = some && checkpoints("run").front().find(".new") == std::string::npos;
            before                = n_kills < n_runs ? "timeout -s KILL " + std::to_string(moment(random)) : "";
            const Outcome outcome = start_in("run", settings, whole ? Settings{"--restart"} : Settings{});
            before.clear();
            done = outcome.code == 0;
            ASSERT_TRUE(done || outcome.code == 137) << outcome.code << ": " << outcome.err;
            n_kills += !done;
            n_before_first += !done && !whole;
          }
        expect_same_results("run", "reference");
        if (HasFailure())
          return;
      }
    std::cout << n_kills << " kills, " << n_before_first << " of them in runs without a whole checkpoint" << std::endl;
    EXPECT_LT(n_before_first, n_kills) << "expected some kills of continued runs; on a busy machine they come early";
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
