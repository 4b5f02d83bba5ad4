#pragma once

#include "base/command_line.h"

#include <string>
#include <utility>
#include <vector>

namespace adamant
{
/// The folder for all files of a run: --output, else that of --restart, else output/APPLICATION.
std::string output_folder(const CommandLine &line, const std::string &application);

/// Makes the folder and writes the effective parameters into it. Throws InputError where it cannot.
void make_output_folder(const std::string &folder, const std::string &parameters);

/// The rows of statistics.csv, one for each step that has one.
class Statistics
{
public:
  using Row = std::vector<std::pair<std::string, double>>;

  void add(const Row &row); ///< the first one's names make the header

  std::string text; ///< of the file so far; a continued run goes on with that of its checkpoint
};
} // namespace adamant
