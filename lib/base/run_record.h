#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace adamant
{
/// The record of one run, written as run.json: application, version, backend, dofs, iterations, timings in wall-clock
/// seconds, errors and more. Scripts and tests read this file, never the screen.
using RunRecord = nlohmann::ordered_json;

/// The name FILE.new for what is written beside FILE and then renamed. However that ends, a file of that name goes with
/// this object; up to eight at a time go with the program, too, where a signal ends it.
class UnfinishedFile
{
public:
  explicit UnfinishedFile(const std::string &file);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile &)            = delete;
  UnfinishedFile &operator=(const UnfinishedFile &) = delete;

  const std::string name;

private:
  int place = -1; // among those that remove_unfinished_files knows
};

/// For a signal handler before it ends the program.
void remove_unfinished_files();

/// Writes beside `file`, then renames, so that a reader never meets half a file. Throws RunError where that fails.
void write_file(const std::string &file, const std::string &text);

/// Peak resident memory of this process in bytes.
long peak_host_memory();
} // namespace adamant
