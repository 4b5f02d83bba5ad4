#pragma once

#include "support/forked_runs.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using Settings = std::vector<std::string>; ///< "SECTION/KEY=VALUE", as --set takes them

inline Settings operator+(Settings a, const Settings &b)
{
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Runs a program of apps/ in a folder of its own, which is removed afterwards.
class Program : public testing::Test
{
protected:
  struct Outcome
  {
    int            code = -1;
    std::string    out, err, folder;
    nlohmann::json record; ///< run.json, null where there is none

    /// Standard error from the program's own message on: MPI's libraries may have written before.
    std::string message() const
    {
      const auto begin = err.find(": error: ");
      return begin == std::string::npos ? "" : err.substr(err.rfind('\n', begin) + 1); // npos + 1 is 0
    }
    double l2() const { return record.at("errors").at("l2"); }
    double mean_iterations() const { return record.at("iterations").at("mean"); }
    int    max_iterations() const { return record.at("iterations").at("max"); }
  };

  explicit Program(const std::string &executable)
    : executable(executable)
    , folder(std::filesystem::temp_directory_path() / ("adamant_test_" + std::to_string(getpid())))
  {
    std::filesystem::create_directories(folder);
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1); // as in a container
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 1);      // Open MPI then starts no daemon for each run: 0.1 s
    setenv("OMPI_MCA_orte_tmpdir_base", folder.c_str(), 1); // programs that start at once may collide in a common one
  }
  ~Program() override { std::filesystem::remove_all(folder); }

  /// Every run has its own output folder, given by --output unless the arguments do so, by --output or --restart.
  Outcome start(const std::vector<std::string> &arguments)
  {
    Outcome outcome;
    outcome.folder  = (folder / ("run" + std::to_string(++n_runs))).string();
    bool has_output = false;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      {
        if (arguments[i].rfind("--restart=", 0) == 0 || (arguments[i] == "--restart" && arguments.size() > i + 1))
          has_output = true;
        if (arguments[i] == "--output" && i + 1 < arguments.size())
          {
            has_output     = true;
            outcome.folder = arguments[i + 1];
          }
      }
    std::vector<std::string> words = {executable};
    words.insert(words.end(), arguments.begin(), arguments.end());
    if (!has_output)
      words.insert(words.end(), {"--output", outcome.folder});
    const int status = before.empty() && ForkedRuns::available() ? run_forked(words) : run_by_shell(words);
    outcome.code     = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); // as a shell says
    outcome.out      = read("out.txt");
    outcome.err      = read("err.txt");
    if (std::ifstream in(outcome.folder + "/run.json"); in)
      outcome.record = nlohmann::json::parse(in);
    return outcome;
  }

  /// A run with these parameters on one thread that has to succeed.
  Outcome run(const std::vector<std::string> &settings, int threads = 1, std::vector<std::string> arguments = {})
  {
    arguments.insert(arguments.end(), {"--backend", "host", "--threads", std::to_string(threads)});
    for (const auto &setting : settings)
      {
        arguments.push_back("--set");
        arguments.push_back(setting);
      }
    Outcome outcome = start(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    if (outcome.code != 0 || outcome.record.is_null())
      throw std::runtime_error("the program did not run: " + outcome.err); // ends this test
    return outcome;
  }

  /// Makes a run with these parameters on one thread that has to end with this exit code and message, and without
  /// run.json. Where the input is refused (code 2), there must be no output folder.
  Outcome expect_refused(const std::vector<std::string> &settings, const std::string &message, int code = 2)
  {
    std::vector<std::string> arguments = {"--backend", "host", "--threads", "1"};
    for (const auto &setting : settings)
      arguments.insert(arguments.end(), {"--set", setting});
    const Outcome outcome = start(arguments);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << "expected '" << message << "' in: " << outcome.err;
    EXPECT_TRUE(outcome.record.is_null()) << "expected no run.json";
    if (code == 2)
      {
        EXPECT_FALSE(std::filesystem::exists(outcome.folder)) << "expected that nothing is written";
      }
    return outcome;
  }

  /// The columns of a file by name; an empty entry is no number.
  static std::map<std::string, std::vector<double>> statistics(const Outcome     &outcome,
                                                               const std::string &file = "statistics.csv")
  {
    std::ifstream                              in(outcome.folder + "/" + file);
    std::string                                line, entry;
    std::vector<std::string>                   names;
    std::map<std::string, std::vector<double>> columns;
    std::getline(in, line);
    for (std::istringstream head(line); std::getline(head, entry, ',');)
      {
        names.push_back(entry);
        columns[entry];
      }
    while (std::getline(in, line))
      {
        std::istringstream row(line);
        for (std::size_t k = 0; std::getline(row, entry, ','); ++k)
          columns.at(names.at(k)).push_back(entry.empty() ? std::nan("") : std::stod(entry));
      }
    return columns;
  }

  /// The program reads all parameter files of the folder; their number.
  int read_parameter_files(const std::filesystem::path &prm_folder)
  {
    int n_files = 0;
    for (const auto &entry : std::filesystem::directory_iterator(prm_folder))
      if (entry.path().extension() == ".prm")
        {
          const Outcome outcome = start({entry.path().string(), "--print-parameters"});
          EXPECT_EQ(outcome.code, 0) << entry.path() << ": " << outcome.err;
          ++n_files;
        }
    return n_files;
  }

  std::string read(const std::filesystem::path &file) const
  {
    std::ifstream in(folder / file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  void write(const std::string &file, const std::string &text) const { std::ofstream(folder / file) << text; }

  std::string                 before; ///< shell code that comes before the program: limits, timeout
  const std::string           executable;
  const std::filesystem::path folder;

private:
  int run_forked(const std::vector<std::string> &words)
  {
    if (!forked)
      forked = std::make_unique<ForkedRuns>(executable, folder);
    return forked->run(words);
  }
  int run_by_shell(const std::vector<std::string> &words) const
  {
    std::string command = "cd '" + folder.string() + "' && " + before;
    for (const auto &word : words)
      command += " '" + word + "'";
    return std::system((command + " > out.txt 2> err.txt").c_str());
  }

  std::unique_ptr<ForkedRuns> forked;
  int                         n_runs = 0;
};
