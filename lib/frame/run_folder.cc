#include "frame/run_folder.h"

#include "base/command_line.h"
#include "base/exceptions.h"
#include "base/run_record.h"
#include "frame/signals.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <regex>
#include <sstream>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

namespace adamant
{
std::string output_folder(const CommandLine &line, const std::string &application)
{
  return !line.output.empty()         ? line.output :
         !line.restart_folder.empty() ? line.restart_folder :
                                        "output/" + application;
}

namespace
{
namespace fs = std::filesystem;

// The files of a run in its folder, unfinished ones included, and whether a checkpoint is among them.
std::pair<std::vector<std::string>, bool> files_of_run(const std::string &folder)
{
  static const std::regex  ours("((last_)?solution(_[0-9]{4,}([.]pvtu|([.][0-9]+)?[.]vtu)|[.]pvd)|"
                                 "(?:profile_|plane_|heat_flux_(?:[0-9]+_)?)[0-9]+[.]csv|horizontal_averages[.]csv|"
                                 "statistics[.]csv|run[.]json|parameters[.]prm|(checkpoint_[0-9]{10}))([.]new)?");
  std::vector<std::string> names;
  bool                     checkpoint = false;
  std::error_code          none;
  for (const auto &entry : fs::directory_iterator(folder, none))
    {
      const std::string name = entry.path().filename().string();
      std::smatch       parts;
      if (!std::regex_match(name, parts, ours))
        continue;
      names.push_back(name);
      checkpoint = checkpoint || (parts[6].matched && !parts[7].matched);
    }
  return {names, checkpoint};
}

// Tells a run's parameters.prm from a user's own.
const std::string first_of_parameters = "# All parameters of a run. The next run in this folder replaces this file.";

std::string first_line(const std::string &file)
{
  std::ifstream in(file);
  std::string   line;
  std::getline(in, line);
  return line;
}

// Where a run with checkpoints moves to: another one that is there stays.
std::string folder_for_earlier_run(const std::string &folder)
{
  std::string earlier = folder + "/earlier";
  for (int k = 2; files_of_run(earlier).second; ++k)
    earlier = folder + "/earlier_" + std::to_string(k);
  return earlier;
}
} // namespace

OutputFolder::OutputFolder(const std::string &folder, bool continues)
  : folder(folder)
  , continues(continues)
{
  try
    {
      fs::path path;
      for (const auto &part : fs::path(folder))
        {
          path /= part;
          std::error_code error, none;
          if (!is_directory(path, none) && fs::create_directory(path, error))
            made.push_back(path.string());
          require(!error, "output folder '", folder, "' cannot be written: ",
                  error == std::errc::file_exists ? "'" + path.string() + "' is not a folder" : error.message());
        }
      const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      lock             = std::shared_ptr<void>(nullptr, [opened](void *) { ::close(opened); });
      // A file system without locks gives another error, and one on a network may lock for its machine alone.
      require(::flock(opened, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK, "output folder '", folder,
              "': another run writes into it now; wait for its end, or take another --output");
      if (const UnfinishedFile trial(folder + "/parameters.prm"); !std::ofstream(trial.name))
        throw InputError("output folder '" + folder + "' cannot be written: " + std::strerror(errno));
      const auto [names, checkpoint] = files_of_run(folder);
      if (names == std::vector<std::string>{"parameters.prm"} &&
          first_line(folder + "/parameters.prm") != first_of_parameters)
        throw InputError(
          "output folder '" + folder + "' has a file parameters.prm, which no run has written. The run " +
          "would replace it by its own parameters: give the file another name, or take another --output");
      const std::string earlier = folder_for_earlier_run(folder);
      if (!continues && checkpoint && exists(fs::path(earlier)) && !is_directory(fs::path(earlier)))
        throw InputError("output folder '" + folder + "' has checkpoints of an earlier run, which cannot move to '" +
                         earlier + "': it is not a folder");
    }
  catch (...)
    {
      take_back();
      throw;
    }
}

void OutputFolder::begin(const std::string &parameters) const
{
  const SignalsWait whole; // no run may lie in two folders
  const auto [names, checkpoint] = files_of_run(folder);
  if (continues)
    fs::remove(folder + "/run.json");
  else if (checkpoint)
    {
      const std::string earlier = folder_for_earlier_run(folder);
      fs::create_directories(earlier);
      for (const auto &name : files_of_run(earlier).first)
        fs::remove(earlier + "/" + name);
      for (const auto &name : names)
        fs::rename(folder + "/" + name, earlier + "/" + name);
      std::cout << "the earlier run in '" << folder << "' has checkpoints: it is in '" << earlier
                << "' now, where --restart=" << earlier << " continues it" << std::endl;
    }
  else
    for (const auto &name : names)
      fs::remove(folder + "/" + name);
  write_file(folder + "/parameters.prm", first_of_parameters + "\n" + parameters);
}

void OutputFolder::take_back() const
{
  for (auto path = made.rbegin(); path != made.rend(); ++path)
    ::rmdir(path->c_str()); // fails, and removes nothing, where the folder is not empty, or something else now
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

void Statistics::save(const std::string &file, bool at_once)
{
  const auto now = Clock::now();
  if (n_saved == text.size() || (!at_once && n_saved > 0 && now < last_saved + std::chrono::milliseconds(200)))
    return;
  if (n_saved == 0)
    write_file(file, text);
  else
    {
      std::ofstream out(file, std::ios::binary | std::ios::app);
      out << text.substr(n_saved);
      out.close();
      if (!out)
        {
          n_saved = 0; // part of it may be there: the next time writes the file anew
          throw RunError("cannot write '" + file + "': " + std::strerror(errno));
        }
    }
  n_saved    = text.size();
  last_saved = now;
}
} // namespace adamant
