// What a run leaves in its folder and what goes from it; what signals do.
#include "base/exceptions.h"
#include "base/run_record.h"
#include "frame/restart/checkpoint.h"
#include "frame/run_folder.h"
#include "frame/section.h"
#include "frame/signals.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace
{
bool folders_cannot_be_synced = false;
}

// In place of the C library's: as on a file system that does not know how to sync a folder.
extern "C" int fsync(int descriptor)
{
  struct stat status
  {
  };
  if (folders_cannot_be_synced && fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode))
    {
      errno = EINVAL;
      return -1;
    }
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

namespace
{
namespace fs = std::filesystem;

class RunFiles : public testing::Test
{
protected:
  RunFiles()
    : folder(fs::temp_directory_path() / ("adamant_run_files_" + std::to_string(getpid())))
  {
    fs::create_directories(folder);
  }
  ~RunFiles() override
  {
    folders_cannot_be_synced = false;
    fs::remove_all(folder);
  }

  void write(const std::string &name, const std::string &text) const { std::ofstream(folder / name) << text; }
  void write(const std::vector<std::string> &names) const
  {
    for (const auto &name : names)
      write(name, name);
  }
  std::string read(const std::string &name) const
  {
    std::ifstream in(folder / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  using Names = std::set<std::string>;
  Names names(const std::string &in = "") const
  {
    Names result;
    for (const auto &entry : fs::directory_iterator(folder / in))
      result.insert(entry.path().filename().string());
    return result;
  }

  const fs::path folder;

  const std::vector<std::string> results = {
    "run.json",          "statistics.csv",         "parameters.prm",     "solution.pvd",
    "solution_0000.vtu", "solution_10000.vtu",     "solution_0000.pvtu", "solution_0000.1.vtu",
    "last_solution.pvd", "last_solution_0000.vtu", "profile_0.csv",      "run.json.new"};
  const std::vector<std::string> others = {
    "notes.txt",          "solution.txt",      "solution_0000.vtu.png", "my_solution_0000.vtu", "checkpoint_notes.txt",
    "profile_a.csv",      "solution_1.vtu",    "solution.vtu",          "solution.pvtu",        "last_solution.vtu",
    "last_solution.pvtu", "solution_0003.pvd", "solution_0003.1.pvtu"};
};

TEST_F(RunFiles, AFolderHoldsOneRun)
{
  write(results);
  write(others);
  const adamant::OutputFolder made(folder.string(), false);
  made.take_back();
  EXPECT_EQ(names().size(), results.size() + others.size()) << "expected that a run that is refused changes nothing";
  made.begin("new");
  Names expected(others.begin(), others.end());
  expected.insert("parameters.prm");
  EXPECT_EQ(names(), expected);
  EXPECT_EQ(read("parameters.prm").substr(read("parameters.prm").find('\n') + 1), "new");
}

TEST_F(RunFiles, AContinuedRunKeepsAllButItsRecord)
{
  write(results);
  adamant::OutputFolder(folder.string(), true).begin("new");
  Names expected(results.begin(), results.end());
  expected.erase("run.json");
  EXPECT_EQ(names(), expected);
}

TEST_F(RunFiles, ARunWithCheckpointsIsMoved)
{
  fs::create_directories(folder / "earlier");
  write({"earlier/solution_0007.vtu", "earlier/notes.txt"}); // of a run without checkpoints
  write(results);
  write(others);
  write({"checkpoint_0000000004"});
  adamant::OutputFolder(folder.string(), false).begin("new");
  Names expected(others.begin(), others.end());
  expected.insert({"parameters.prm", "earlier"});
  EXPECT_EQ(names(), expected);
  Names moved(results.begin(), results.end());
  moved.insert({"checkpoint_0000000004", "notes.txt"});
  EXPECT_EQ(names("earlier"), moved) << "expected no mixture with the one before, whose own files stay";
  EXPECT_EQ(read("earlier/parameters.prm"), "parameters.prm");
  // Folders that can be continued stay, too, however many.
  for (const std::string other : {"earlier_2", "earlier_3"})
    {
      write("checkpoint_0000000005", other);
      adamant::OutputFolder(folder.string(), false).begin("new");
      EXPECT_EQ(names("earlier"), moved);
      EXPECT_EQ(names(other), (Names{"checkpoint_0000000005", "parameters.prm"}));
      EXPECT_EQ(read(other + "/checkpoint_0000000005"), other);
    }
  EXPECT_EQ(read("earlier_2/checkpoint_0000000005"), "earlier_2");
}

TEST_F(RunFiles, ARunMovesToNoFileOfTheUser)
{
  write({"earlier", "solution_0000.vtu"});
  EXPECT_NO_THROW(adamant::OutputFolder(folder.string(), false));
  write({"checkpoint_0000000004"});
  EXPECT_NO_THROW(adamant::OutputFolder(folder.string(), true));
  EXPECT_THROW(adamant::OutputFolder(folder.string(), false), adamant::InputError);
  EXPECT_EQ(names(), (Names{"earlier", "solution_0000.vtu", "checkpoint_0000000004"}));
}

TEST_F(RunFiles, WhatCannotBeWrittenIsRefused)
{
  write("file", "");
  EXPECT_THROW(adamant::OutputFolder((folder / "file").string(), false), adamant::InputError);
  EXPECT_THROW(adamant::OutputFolder((folder / "file/below").string(), false), adamant::InputError);
  const adamant::OutputFolder made((folder / "a/b").string(), false);
  EXPECT_EQ(names("a/b"), Names{}) << "expected nothing before the run begins";
  made.take_back();
  EXPECT_EQ(names(), Names{"file"});
  fs::create_symlink("nowhere", folder / "link");
  EXPECT_THROW(adamant::OutputFolder((folder / "new/../link").string(), false), adamant::InputError);
  EXPECT_THROW(adamant::OutputFolder((folder / "new/../file").string(), false), adamant::InputError);
  EXPECT_EQ(names(), (Names{"file", "link"})) << "expected that no new folder stays";
}

TEST_F(RunFiles, OnlyItsOwnFoldersAreTakenBack)
{
  fs::create_directories(folder / "empty");
  fs::create_directory_symlink("empty", folder / "link");
  for (const char *path : {"new/../empty", "new/../link", "new/../link/", "./empty/new/.."})
    {
      const adamant::OutputFolder made((folder / path).string(), false);
      made.take_back();
      EXPECT_EQ(names(), (Names{"empty", "link"})) << path;
      EXPECT_EQ(names("empty"), Names{}) << path;
    }
  const adamant::OutputFolder made((folder / "a/b").string(), false);
  fs::remove(folder / "a/b");
  write("a/b", "the user's file, made since");
  made.take_back();
  EXPECT_EQ(names("a"), Names{"b"});
}

TEST_F(RunFiles, AParameterFileOfTheUserStays)
{
  write("parameters.prm", "# a comment");
  EXPECT_THROW(adamant::OutputFolder(folder.string(), false), adamant::InputError);
  EXPECT_EQ(read("parameters.prm"), "# a comment");
  fs::remove(folder / "parameters.prm");
  for (int k = 0; k < 2; ++k) // the second time the file is a run's
    EXPECT_NO_THROW(adamant::OutputFolder(folder.string(), false).begin("new"));
  write("parameters.prm", "of an earlier version");
  write({"run.json"});
  EXPECT_NO_THROW(adamant::OutputFolder(folder.string(), false));
}

TEST_F(RunFiles, OneRunAtATimeWritesIntoAFolder)
{
  {
    const adamant::OutputFolder made(folder.string(), false);
    EXPECT_THROW(adamant::OutputFolder(folder.string(), false), adamant::InputError);
    EXPECT_THROW(adamant::OutputFolder((folder / "new/..").string(), true), adamant::InputError);
    EXPECT_FALSE(fs::exists(folder / "new"));
    EXPECT_NO_THROW(adamant::OutputFolder((folder / "below").string(), false));
  }
  EXPECT_NO_THROW(adamant::OutputFolder(folder.string(), false));
}

TEST_F(RunFiles, RowsAreWrittenAsTheyCome)
{
  const std::string   file = (folder / "statistics.csv").string();
  adamant::Statistics rows;
  write("statistics.csv", "step\n1\n2\n3\n"); // of a run that is continued
  rows.text = "step\n1\n";
  rows.add({{"step", 2}});
  const auto begin = std::chrono::steady_clock::now();
  rows.save(file, false);
  EXPECT_EQ(read("statistics.csv"), "step\n1\n2\n") << "expected the first time at once, without later rows";
  rows.add({{"step", 3}});
  rows.save(file, false);
  const bool soon = std::chrono::steady_clock::now() < begin + std::chrono::milliseconds(200); // others may compute
  if (soon)
    {
      EXPECT_EQ(read("statistics.csv"), "step\n1\n2\n") << "expected no file operation for each of many short steps";
    }
  std::this_thread::sleep_for(std::chrono::milliseconds(220));
  rows.save(file, false);
  EXPECT_EQ(read("statistics.csv"), "step\n1\n2\n3\n");
  rows.add({{"step", 4}});
  rows.save(file, true);
  EXPECT_EQ(read("statistics.csv"), "step\n1\n2\n3\n4\n");
}

TEST_F(RunFiles, RowsThatCouldNotBeWrittenAreWrittenLater)
{
  const std::string   file = (folder / "statistics.csv").string();
  adamant::Statistics rows;
  rows.add({{"step", 1}});
  rows.save(file, true);
  fs::remove(file);
  fs::create_directories(file);
  rows.add({{"step", 2}});
  EXPECT_THROW(rows.save(file, true), adamant::RunError);
  fs::remove(file);
  rows.save(file, true);
  EXPECT_EQ(read("statistics.csv"), "step\n1\n2\n");
}

TEST(Sections, ASecondCountsOnceExceptInAChangeOfTheMesh)
{
  adamant::SectionTimer timer(std::cout, dealii::TimerOutput::never, dealii::TimerOutput::wall_times);
  const auto            both = [&timer](const char *outer, const char *inner) {
    const adamant::Section around(timer, outer), within(timer, inner);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  };
  both("init/hierarchy", "init/solver");
  both("solve", "solve");
  timer.remeshing = true;
  both("remesh", "init/solver");
  auto seconds = timer.get_summary_data(dealii::TimerOutput::total_wall_time);
  EXPECT_LT(seconds["init/hierarchy"], 0.04);
  EXPECT_GE(seconds["init/solver"], 0.05);
  EXPECT_GE(seconds["solve"], 0.05);
  EXPECT_GE(seconds["remesh/solver"], 0.05);
  EXPECT_GE(seconds["remesh"], seconds["remesh/solver"]);
}

TEST_F(RunFiles, FoldersThatCannotBeSynced)
{
  folders_cannot_be_synced = true;
  adamant::CheckpointParameters parameters;
  adamant::CheckpointWriter     writer(parameters, folder.string(), "");
  adamant::CheckpointHeader     header;
  for (header.step = 1; header.step <= 3; ++header.step)
    EXPECT_NO_THROW(writer.write(header, [](auto &) {}));
  EXPECT_EQ(names(), (Names{"checkpoint_0000000002", "checkpoint_0000000003"}));
}

// Wherever the disk is full: before the first byte, in a buffer that is flushed, at the checksum.
TEST_F(RunFiles, ACheckpointOnAFullDiskLeavesTheOneBefore)
{
  adamant::CheckpointParameters parameters;
  adamant::CheckpointWriter     writer(parameters, folder.string(), "");
  adamant::CheckpointHeader     header;
  header.parameters = std::string(20000, 'x');
  writer.write(header, [](auto &) {});
  const rlim_t        size  = fs::file_size(folder / "checkpoint_0000000000");
  std::vector<rlim_t> rooms = {size - 5, size - 4, size - 1};
  for (rlim_t room = 0; room < size; room += room < 200 ? 10 : 1000)
    rooms.push_back(room);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t room : rooms)
    {
      const rlimit full{room, before.rlim_max};
      header.step = 1;
      std::string message;
      setrlimit(RLIMIT_FSIZE, &full);
      try
        {
          writer.write(header, [&](auto &archive) { archive << header.step; });
        }
      catch (const adamant::RunError &error)
        {
          message = error.what();
        }
      setrlimit(RLIMIT_FSIZE, &before);
      EXPECT_NE(message.find("cannot be written: File too large; the last good one is"), std::string::npos)
        << "room for " << room << " bytes: " << message;
      EXPECT_EQ(names(), Names{"checkpoint_0000000000"});
    }
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_NO_THROW(writer.write(header, [](auto &) {}));
}

using RunFilesDeathTest = RunFiles;

void raise_waiting(int first, int second, int milliseconds)
{
  std::signal(SIGINT, SIG_DFL); // the tests may run in the background of a shell, which ignores it
  adamant::handle_signals("program");
  adamant::let_signals_wait(true);
  raise(first);
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  raise(second);
  _exit(adamant::signal_received());
}

TEST_F(RunFilesDeathTest, SignalsEndAProgramAtOnce)
{
  const auto exit_with = [this](int signal) {
    std::signal(SIGINT, SIG_DFL);
    adamant::handle_signals("program");
    const adamant::UnfinishedFile file((folder / "solution_0000.vtu").string());
    std::ofstream(file.name) << "half";
    raise(signal);
  };
  for (const auto &[signal, name, code] : std::vector<std::tuple<int, std::string, int>>{
         {SIGTERM, "SIGTERM", 3}, {SIGINT, "SIGINT", 130}, {SIGUSR1, "SIGUSR1", 3}})
    {
      EXPECT_EXIT(exit_with(signal), testing::ExitedWithCode(code), "program: ended at once by " + name);
      EXPECT_EQ(names(), Names{}) << "expected no half file";
    }
}

TEST_F(RunFilesDeathTest, SignalsWaitForATimeLoop)
{
  EXPECT_EXIT(raise_waiting(SIGTERM, SIGUSR1, 0), testing::ExitedWithCode(SIGTERM), "^$");
  EXPECT_EXIT(raise_waiting(SIGINT, SIGINT, 0), testing::ExitedWithCode(SIGINT), "^$") << "timeout sends two";
  EXPECT_EXIT(raise_waiting(SIGTERM, SIGTERM, 1100), testing::ExitedWithCode(SIGTERM), "^$")
    << "a batch system may repeat it while the checkpoint is written";
  EXPECT_EXIT(raise_waiting(SIGINT, SIGINT, 1100), testing::ExitedWithCode(130), "ended at once by SIGINT");
  const auto nobody_asks = [] {
    adamant::handle_signals("program");
    adamant::let_signals_wait(true);
    raise(SIGUSR1);
    adamant::let_signals_wait(false);
  };
  EXPECT_EXIT(nobody_asks(), testing::ExitedWithCode(3), "ended at once by SIGUSR1");
  const auto in_scope = [] {
    adamant::handle_signals("program", false);
    {
      const adamant::SignalsWait waits;
      raise(SIGTERM);
      fputs("still there", stderr);
    }
  };
  EXPECT_EXIT(in_scope(), testing::ExitedWithCode(3), "^still there$") << "another rank says how it ended";
}

TEST_F(RunFilesDeathTest, InterruptsThatAreIgnoredStayIgnored)
{
  const auto ignores = [] {
    std::signal(SIGINT, SIG_IGN);
    adamant::handle_signals("program");
    raise(SIGINT);
    _exit(0);
  };
  EXPECT_EXIT(ignores(), testing::ExitedWithCode(0), "^$");
}
} // namespace
