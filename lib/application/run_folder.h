#pragma once

#include "base/command_line.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace adamant
{
/// The folder for all files of a run: --output, else that of --restart, else output/APPLICATION.
std::string output_folder(const CommandLine &line, const std::string &application);

/// The output folder of a run. It holds one run's files: of those of an earlier run none is left where one begins.
class OutputFolder
{
public:
  OutputFolder() = default;
  /// Makes the folder, for a run that `continues` the one there or for a new one. Throws InputError where it cannot be
  /// written.
  OutputFolder(const std::string &folder, bool continues);

  /// Before the first file: writes the effective parameters. An earlier run's files go, and no others: where there is a
  /// checkpoint, so that somebody may want to continue that run, they move to FOLDER/earlier, in place of what a run
  /// left there, or FOLDER/earlier_2 and so on where that one has checkpoints, too. Where this run continues that one,
  /// only run.json goes. Signals wait meanwhile.
  void begin(const std::string &parameters) const;

  /// For a run that is refused: without the folders that were made, unless something has been written.
  void take_back() const;

private:
  std::string folder;
  bool        continues = false;
  int         n_made    = 0; // folders, this one and those above it
};

/// The rows of statistics.csv, one for each step that has one.
class Statistics
{
public:
  using Row = std::vector<std::pair<std::string, double>>;

  void add(const Row &row); ///< the first one's names make the header

  /// Writes the file the first time, which cuts rows that a continued run computes again, and adds what is new later
  /// on: unless it has to be `at_once`, not within 0.2 seconds of the last time. Throws RunError where that fails.
  void save(const std::string &file, bool at_once);

  std::string text; ///< of the file so far; a continued run goes on with that of its checkpoint

private:
  using Clock = std::chrono::steady_clock;

  std::size_t       n_saved = 0; // characters
  Clock::time_point last_saved;
};
} // namespace adamant
