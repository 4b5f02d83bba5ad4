// Signals end every program at once wherever it is, which may take some seconds on a busy machine, with the exit codes
// that docs/checkpoints.md gives.
#include "program.h"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <thread>

namespace
{
using Clock = std::chrono::steady_clock;

class Signals : public Program
{
protected:
  Signals()
    : Program("")
  {}

  struct Ended
  {
    int         code; ///< -1: by the signal itself
    double      seconds;
    std::string out, err;
  };

  // Starts the program, sends the signal when `ready` says so of its process, and waits for it.
  Ended send(int signal, const std::string &program, std::vector<std::string> arguments,
             const std::function<bool(pid_t)> &ready)
  {
    arguments.insert(arguments.begin(), {program, "--backend", "host", "--threads", "1"});
    arguments.insert(arguments.end(), {"--output", (folder / "run").string()});
    const pid_t pid = fork();
    if (pid == 0)
      {
        std::signal(SIGINT, SIG_DFL); // shells ignore it in the background
        std::vector<char *> words;
        for (auto &argument : arguments)
          words.push_back(argument.data());
        words.push_back(nullptr);
        for (const auto &[file, descriptor] : {std::pair{"out.txt", 1}, std::pair{"err.txt", 2}})
          dup2(open((folder / file).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), descriptor);
        execv(words[0], words.data());
        _exit(127);
      }
    const auto until  = Clock::now() + std::chrono::seconds(100);
    int        status = 0;
    while (!ready(pid) && Clock::now() < until)
      {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        if (waitpid(pid, &status, WNOHANG) == pid)
          {
            ADD_FAILURE() << "the program ended before it could get a signal: " << read("err.txt");
            return {};
          }
      }
    const auto begin = Clock::now();
    kill(pid, signal);
    while (waitpid(pid, &status, WNOHANG) == 0)
      {
        if (Clock::now() > begin + std::chrono::seconds(30))
          kill(pid, SIGKILL);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    const std::chrono::duration<double> passed = Clock::now() - begin;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, passed.count(), read("out.txt"), read("err.txt")};
  }

  void expect_end_at_once(const Ended &ended, int code)
  {
    EXPECT_EQ(ended.code, code) << ended.err;
    EXPECT_LT(ended.seconds, 10.);
    EXPECT_NE(ended.err.find(": ended at once by SIG"), std::string::npos) << ended.err;
  }

  // Whether the process has a handler for this signal.
  static bool handles(pid_t pid, int signal)
  {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string word; status >> word;)
      if (std::string mask; word == "SigCgt:" && status >> mask)
        return (std::stoull(mask, nullptr, 16) >> (signal - 1) & 1) != 0;
    return false;
  }
  // Once it has had one for some time: MPI takes it away for a moment.
  static std::function<bool(pid_t)> after(int milliseconds, int signal)
  {
    return [=, since = Clock::now()](pid_t pid) mutable {
      if (!handles(pid, signal))
        since = Clock::now();
      return Clock::now() >= since + std::chrono::milliseconds(milliseconds);
    };
  }
  std::function<bool(pid_t)> when_out_has(const std::string &text) const
  {
    return [this, text](pid_t) { return read("out.txt").find(text) != std::string::npos; };
  }
};

TEST_F(Signals, SetUpOfADryRun)
{
  const std::vector<std::string> much = {"--dry-run", "--set", "Discretization/Uniform refinements=5"};
  expect_end_at_once(send(SIGTERM, ELASTICITY, much, after(500, SIGTERM)), 3);
  expect_end_at_once(send(SIGINT, ELASTICITY, much, after(500, SIGINT)), 130);
  EXPECT_FALSE(std::filesystem::exists(folder / "run"));
}

TEST_F(Signals, SetUp)
{
  expect_end_at_once(send(SIGUSR1, TRANSPORT_DIFFUSION, {"--set", "Discretization/Refinements=9"}, after(400, SIGUSR1)),
                     3);
  EXPECT_FALSE(std::filesystem::exists(folder / "run/parameters.prm"))
    << "expected nothing of a run that has not begun";
}

TEST_F(Signals, OneLongSolve)
{
  const std::vector<std::string> settings = {"--set", "Mesh/Refinements=5",
                                             "--set", "Linear solver/Pre-smoothing steps=100",
                                             "--set", "Linear solver/Post-smoothing steps=100"};
  expect_end_at_once(send(SIGTERM, STOKES, settings, when_out_has(" levels, ")), 3);
}

TEST_F(Signals, ManyRightHandSides)
{
  const Ended ended = send(SIGTERM, POISSON,
                           {"--set", "Mesh/Refinements=7", "--set", "Problem/Samples=4096", "--set",
                            "Solver/Columns at once=4", "--set", "Problem/Source=random"},
                           when_out_has("step 1/"));
  expect_end_at_once(ended, 3);
  const std::string rows = read("run/statistics.csv");
  EXPECT_GE(std::count(rows.begin(), rows.end(), '\n'), 5) << "expected a header and the first four samples:\n" << rows;
}

// Between steps: with a checkpoint, as tests/apps/checkpoint.cc has it for the others.
TEST_F(Signals, InterruptedBetweenSteps)
{
  const Ended ended =
    send(SIGINT, TRANSPORT_DIFFUSION,
         {"--set", "Discretization/Refinements=3", "--set", "Time stepping/Time step=1e-5"}, when_out_has("step 1/"));
  EXPECT_EQ(ended.code, 130);
  EXPECT_LT(ended.seconds, 10.);
  EXPECT_NE(ended.out.find("stopped by SIGINT after step "), std::string::npos) << ended.out;
  int n_checkpoints = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder / "run"))
    n_checkpoints += entry.path().filename().string().rfind("checkpoint_", 0) == 0;
  EXPECT_EQ(n_checkpoints, 1);
}
} // namespace
