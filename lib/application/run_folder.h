#pragma once

#include "base/command_line.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace adamant
{
/// The folder for all files of a run: --output, else that of --restart, else output/APPLICATION.
std::string output_folder(const CommandLine &line, const std::string &application);

/// The output folder of a run, and what take_back needs to know of what was there before.
class OutputFolder
{
public:
  OutputFolder() = default;
  /// Makes the folder and writes the effective parameters into it. Throws InputError where it cannot.
  OutputFolder(const std::string &folder, const std::string &parameters);

  /// For a run that is refused: the file of parameters as it was before, or none, and without the folders that were
  /// made, unless something else has been written.
  void take_back() const;

private:
  std::string                folder;
  std::optional<std::string> old_parameters;
  int                        n_made = 0; // folders, this one and those above it
};

/// The rows of statistics.csv, one for each step that has one.
class Statistics
{
public:
  using Row = std::vector<std::pair<std::string, double>>;

  void add(const Row &row); ///< the first one's names make the header

  std::string text; ///< of the file so far; a continued run goes on with that of its checkpoint
};
} // namespace adamant
