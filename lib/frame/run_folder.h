#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace adamant
{
struct CommandLine;

/// Returns the folder for all files of a run: --output, else the folder of --restart, else output/APPLICATION.
std::string output_folder(const CommandLine &line, const std::string &application);

/// The output folder of a run. It holds one run's files: a run that begins removes or moves an earlier run's files.
class OutputFolder
{
public:
  OutputFolder() = default;
  /// Makes and locks the folder. `continues` says that the run continues the one whose files are there. Throws
  /// InputError, and leaves no new folder, where the folder cannot be written, or another run has locked it. Throws it,
  /// too, where the folder has parameters.prm but no other file of a run, and no run has written that file.
  OutputFolder(const std::string &folder, bool continues);

  /// Makes the folder ready for the first file, and writes the effective parameters. It deletes the files of an earlier
  /// run, and no others. Where that run left a checkpoint, its files move to FOLDER/earlier instead, and replace an
  /// earlier run's files there. They move to FOLDER/earlier_2 and so on where that folder has checkpoints, too. Where
  /// this run continues the earlier one, only run.json is deleted. Signals wait meanwhile.
  void begin(const std::string &parameters) const;

  /// Removes the folders that were made where they are empty; for a run that ends before it writes.
  void take_back() const;

private:
  std::string              folder;
  bool                     continues = false;
  std::vector<std::string> made; // new folders, each after the one that it lies in
  std::shared_ptr<void>    lock; // held by this object and its copies
};

/// The text of statistics.csv: a header and rows of steps.
class Statistics
{
public:
  using Row = std::vector<std::pair<std::string, double>>;

  void add(const Row &row); ///< adds a row; the names in the first one make the header

  /// Writes the file the first time, which cuts rows that a continued run computes again; later calls append new rows.
  /// Unless `at_once` is set, a call within 0.2 seconds of the last write does nothing. Throws RunError where writing
  /// fails.
  void save(const std::string &file, bool at_once);

  std::string text; ///< the file so far; a continued run begins with its checkpoint's text

private:
  using Clock = std::chrono::steady_clock;

  std::size_t       n_saved = 0; // characters
  Clock::time_point last_saved;
};
} // namespace adamant
