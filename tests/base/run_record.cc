#include "base/run_record.h"

#include "base/exceptions.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

using namespace adamant;
namespace fs = std::filesystem;

namespace
{
class WriteFile : public ::testing::Test
{
protected:
  WriteFile()
    : folder(fs::path(::testing::TempDir()) / ("adamant_write_file_" + std::to_string(getpid())))
  {
    fs::create_directories(folder);
  }
  ~WriteFile() override { fs::remove_all(folder); }

  static std::string read(const fs::path &file)
  {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  void expect_failure(const fs::path &file)
  {
    try
      {
        write_file(file.string(), "new");
        ADD_FAILURE() << "expected RunError for " << file;
      }
    catch (const RunError &error)
      {
        const std::string message = error.what();
        EXPECT_NE(message.find(file.string()), std::string::npos) << "expected the file's name in: " << message;
        EXPECT_EQ(message.find("Success"), std::string::npos) << "expected a reason in: " << message;
      }
    EXPECT_FALSE(fs::exists(file.string() + ".new")) << "expected nothing left behind";
  }

  fs::path folder;
};
} // namespace

TEST_F(WriteFile, WritesAndReplaces)
{
  write_file((folder / "run.json").string(), "a long first text\n");
  EXPECT_EQ(read(folder / "run.json"), "a long first text\n");
  write_file((folder / "run.json").string(), "short");
  EXPECT_EQ(read(folder / "run.json"), "short");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1) << "expected only run.json";
}

TEST_F(WriteFile, MissingFolder)
{
  expect_failure(folder / "missing" / "run.json");
}

TEST_F(WriteFile, FolderThatTakesNoFiles)
{
  expect_failure("/proc/run.json"); // nobody may write there, root included
}

TEST_F(WriteFile, TargetIsAFolder)
{
  fs::create_directories(folder / "run.json" / "inside");
  expect_failure(folder / "run.json");
  EXPECT_TRUE(fs::exists(folder / "run.json" / "inside")) << "expected the folder untouched";
}

TEST(RunRecord, KeepsTheOrderOfItsKeys)
{
  RunRecord record;
  record["version"]     = 1;
  record["application"] = "a";
  EXPECT_EQ(record.dump(), R"({"version":1,"application":"a"})");
}

// The kernel drops pages of files as it likes; which are resident depends on what else the machine does.
TEST(RunRecord, PeakMemoryIsThatOfArraysAndNotOfFiles)
{
  const long size = 1L << 26, before = peak_host_memory();
  const long after = (std::vector<char>(size, 'a'), peak_host_memory());
  EXPECT_NEAR(after - before, size, 0.05 * size);
  const int  file   = open("/proc/self/exe", O_RDONLY);
  const auto length = fs::file_size("/proc/self/exe");
  for (std::size_t mapped = 0; mapped < 2 * size; mapped += length)
    ASSERT_NE(mmap(nullptr, length, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0), MAP_FAILED);
  close(file);
  EXPECT_NEAR(peak_host_memory() - after, 0., 0.05 * size);
}
