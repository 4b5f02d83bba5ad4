#include "application/run_folder.h"

#include "base/exceptions.h"
#include "base/run_record.h"

#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iterator>
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

OutputFolder::OutputFolder(const std::string &folder, const std::string &parameters)
  : folder(folder)
{
  std::error_code error;
  for (std::filesystem::path path = folder; !path.empty() && !exists(path, error); path = path.parent_path())
    ++n_made;
  if (std::ifstream old(folder + "/parameters.prm"); old)
    old_parameters = std::string(std::istreambuf_iterator<char>(old), {});
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

void OutputFolder::take_back() const
{
  if (folder.empty())
    return;
  std::error_code ignored; // what cannot be removed stays
  if (old_parameters)
    return write_file(folder + "/parameters.prm", *old_parameters);
  std::filesystem::remove(folder + "/parameters.prm", ignored);
  std::filesystem::path path = folder;
  for (int i = 0; i < n_made; ++i, path = path.parent_path())
    std::filesystem::remove(path, ignored); // removes empty ones only
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
