#pragma once

#include "program.h"

#include <sys/personality.h>

#include <cmath>
#include <cstdlib>
#include <regex>

/// --dry-run against what the run then is and uses.
class DryRun : public Program
{
protected:
  using Program::Program;

  /// The number of MB behind "host memory expected: " or "device memory expected: "; 0 where there is none.
  static double megabytes(const std::string &out, const std::string &kind)
  {
    std::smatch match;
    return std::regex_search(out, match, std::regex(kind + " memory expected: ([0-9.]+) MB")) ? std::stod(match[1]) :
                                                                                                0.;
  }

  void expect_what_the_run_uses(const std::vector<std::string> &arguments, const std::string &backend = "host")
  {
    // Random addresses and threads' arenas make two runs of one command differ by up to 15 % in memory.
    if (personality(ADDR_NO_RANDOMIZE) == -1)
      GTEST_SKIP() << "this machine does not let a program choose its addresses";
    setenv("DEAL_II_NUM_THREADS", "1", 1);
    setenv("MALLOC_ARENA_MAX", "1", 1);
    std::vector<std::string> all = {"--backend", backend, "--threads", "1"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    auto with_dry_run = all;
    with_dry_run.push_back("--dry-run");
    const Outcome run = start(all), dry = start(with_dry_run);
    ASSERT_EQ(run.code, 0) << run.err;
    ASSERT_EQ(dry.code, 0) << dry.err;
    EXPECT_FALSE(std::filesystem::exists(dry.folder)) << "expected that nothing is written";
    EXPECT_EQ(dry.out.find("step 1/"), std::string::npos) << "expected no time step";

    const auto &record = run.record;
    const auto  expect = [&](const std::string &text) {
      EXPECT_NE(dry.out.find(text + "\n"), std::string::npos) << "expected '" << text << "' in\n" << dry.out;
    };
    expect(record.at("dofs").dump() + " unknowns, " + record.at("cells").dump() + " cells");
    for (std::size_t l = 0; l < record.at("levels").size(); ++l)
      expect("level " + std::to_string(l) + ": " + record.at("levels")[l].at("dofs").dump() + " unknowns, " +
             record.at("levels")[l].at("nonzeros").dump() + " nonzeros");

    const auto  &used = record.at("peak_memory_bytes");
    const double host = 1e-6 * used.at("host").get<double>(), device = 1e-6 * used.at("device").get<double>();
    const double beside = 4.; // MB, of output beside time steps
    EXPECT_NEAR(megabytes(dry.out, "host"), host, 0.05 * host + beside) << dry.out;
    EXPECT_NEAR(megabytes(dry.out, "device"), device, 0.05 * device) << dry.out;
    std::cout << "expected and used, MB: host " << megabytes(dry.out, "host") << ", " << host << ", device "
              << megabytes(dry.out, "device") << ", " << device << std::endl;
  }
};
