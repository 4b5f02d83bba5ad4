#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace adamant
{
/// The record of one run, which is written as run.json. It has the application, version, backend, dofs, iterations,
/// timings in wall-clock seconds, errors and more. Scripts and tests read this file, never the screen.
using RunRecord = nlohmann::ordered_json;

/// A file FILE.new that is written beside FILE and then renamed. The destructor removes FILE.new if it is still there.
/// Where a signal ends the program, remove_unfinished_files removes the files of up to eight objects at a time.
class UnfinishedFile
{
public:
  explicit UnfinishedFile(const std::string &file);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile &)            = delete;
  UnfinishedFile &operator=(const UnfinishedFile &) = delete;

  const std::string name;

private:
  int place = -1; // number in the list of remove_unfinished_files; -1: not listed
};

/// Removes the listed FILE.new of each UnfinishedFile; a signal handler calls it before it ends the program.
void remove_unfinished_files();

/// Writes `text` to a new file and renames it `file`, so that a reader never meets half a file. Throws RunError where
/// this fails.
void write_file(const std::string &file, const std::string &text);

/// Returns the peak resident memory of this process in bytes, without pages of files such as libraries.
long peak_host_memory();
} // namespace adamant
