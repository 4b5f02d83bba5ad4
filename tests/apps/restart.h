#pragma once

#include "program.h"

#include <algorithm>

/// Runs that are killed and continued, compared with one that is not, bit by bit.
class RestartedProgram : public Program
{
protected:
  using Program::Program;

  Outcome start_with(const std::string &backend, const Settings &settings, const Settings &arguments)
  {
    Settings all = {"--backend", backend, "--threads", "2"};
    for (const auto &setting : settings)
      all.insert(all.end(), {"--set", setting});
    all.insert(all.end(), arguments.begin(), arguments.end());
    return start(all);
  }
  Outcome start_in(const std::string &name, const Settings &settings, const Settings &arguments = {},
                   const std::string &backend = "host")
  {
    Settings all = arguments;
    all.insert(all.end(), {"--output", (folder / name).string()});
    return start_with(backend, settings, all);
  }

  /// A run that is killed at a stage ("opened:2" and so on) of writing a checkpoint.
  void start_and_kill(const std::string &name, const Settings &settings, const std::string &stage,
                      const std::string &backend = "host")
  {
    setenv("ADAMANT_CHECKPOINT_KILL", stage.c_str(), 1);
    const Outcome outcome = start_in(name, settings, {}, backend);
    unsetenv("ADAMANT_CHECKPOINT_KILL");
    ASSERT_EQ(outcome.code, 137) << "expected to be killed at " << stage << ": " << outcome.err;
  }

  Outcome restart(const std::string &name, const Settings &settings = {}, const std::string &backend = "host")
  {
    return start_with(backend, settings, {"--restart=" + (folder / name).string()});
  }

  std::vector<std::string> checkpoints(const std::string &name) const
  {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(folder / name))
      if (const std::string file = entry.path().filename().string(); file.rfind("checkpoint_", 0) == 0)
        names.push_back(file);
    std::sort(names.begin(), names.end());
    return names;
  }

  /// The newest checkpoint holds the state's bits, statistics.csv so far, the list of the series' files and the
  /// effective parameters.
  void expect_same_results(const std::string &name, const std::string &reference) const
  {
    const auto files = checkpoints(name), expected = checkpoints(reference);
    ASSERT_FALSE(expected.empty());
    EXPECT_EQ(files, expected);
    EXPECT_TRUE(read(name + "/" + files.back()) == read(reference + "/" + expected.back()))
      << "expected the same bits in the newest checkpoint of " << name << " and " << reference;
    EXPECT_EQ(read(name + "/statistics.csv"), read(reference + "/statistics.csv"));
    for (const auto &entry : std::filesystem::directory_iterator(folder / reference))
      {
        const std::string file = entry.path().filename().string();
        EXPECT_TRUE(std::filesystem::exists(folder / name / file)) << "expected " << file;
        if (entry.path().extension() == ".vtu" || entry.path().extension() == ".pvd")
          {
            EXPECT_TRUE(without_date(read(name + "/" + file)) == without_date(read(reference + "/" + file)))
              << "expected the same " << file;
          }
      }
    for (const auto &entry : std::filesystem::directory_iterator(folder / name))
      EXPECT_TRUE(std::filesystem::exists(folder / reference / entry.path().filename()))
        << "expected no " << entry.path();
  }

  /// Twelve steps with a checkpoint every four and a file every three, killed before the second checkpoint: four rows
  /// and a file are past the first one then.
  void expect_restart_equals_uninterrupted(const Settings &settings, const std::string &backend = "host")
  {
    Settings all = settings;
    all.push_back("Checkpoint/Steps=4");
    const Outcome reference = start_in("reference", all, {}, backend);
    ASSERT_EQ(reference.code, 0) << reference.err;
    start_and_kill("killed", all, "opened:2", backend);
    const Outcome continued = restart("killed", {}, backend);
    ASSERT_EQ(continued.code, 0) << continued.err;
    EXPECT_NE(continued.out.find("checkpoint_0000000004: step 4,"), std::string::npos) << continued.out;
    ASSERT_EQ(checkpoints("reference").back(), "checkpoint_0000000012");
    expect_same_results("killed", "reference");
    const auto now = nlohmann::json::parse(read("killed/run.json"));
    for (const char *key : {"steps", "iterations", "dofs", "levels"})
      EXPECT_EQ(now.at(key), reference.record.at(key)) << key;
    std::filesystem::remove_all(folder / "reference");
    std::filesystem::remove_all(folder / "killed");
  }

  static std::string without_date(const std::string &text)
  {
    const auto begin = text.find("<VTKFile");
    return begin == std::string::npos ? text : text.substr(begin);
  }
};
