#include "application/run_folder.h"

#include "base/exceptions.h"
#include "base/run_record.h"

#include <filesystem>
#include <iomanip>
#include <sstream>
#include <system_error>

namespace adamant
{
std::string output_folder(const CommandLine &line, const std::string &application)
{
  return !line.output.empty()         ? line.output :
         !line.restart_folder.empty() ? line.restart_folder :
                                        "output/" + application;
}

void make_output_folder(const std::string &folder, const std::string &parameters)
{
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  try
    {
      if (error)
        throw RunError(error.message());
      write_file(folder + "/parameters.prm", parameters);
    }
  catch (const RunError &reason)
    {
      throw InputError("output folder '" + folder + "' cannot be written: " + reason.what());
    }
}

void Statistics::add(const Row &row)
{
  std::ostringstream rows;
  rows << std::setprecision(12);
  if (text.empty())
    for (std::size_t i = 0; i < row.size(); ++i)
      rows << row[i].first << (i + 1 < row.size() ? "," : "\n");
  for (std::size_t i = 0; i < row.size(); ++i)
    rows << row[i].second << (i + 1 < row.size() ? "," : "\n");
  text += rows.str();
}
} // namespace adamant
