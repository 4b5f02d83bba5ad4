#include "frame/restart/checkpoint.h"

#include "base/exceptions.h"
#include "base/run_record.h"

#include <deal.II/base/config.h>
#include <deal.II/base/utilities.h>

#include <boost/crc.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <regex>
#include <set>
#include <unistd.h>

namespace adamant
{
namespace
{
namespace fs = std::filesystem;

// The first line of a checkpoint, and its layout: what follows is read only where both are as expected.
const std::string mark = "adamant checkpoint, layout ", present_layout = "7";

bool is_whole(const std::string &file)
{
  std::error_code error;
  const auto      size = fs::file_size(file, error);
  std::uint32_t   sum  = 0;
  if (error || size <= sizeof(sum))
    return false;
  std::ifstream in(file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(size - sizeof(sum)));
  in.read(reinterpret_cast<char *>(&sum), sizeof(sum));
  return in && checksum(file, size - sizeof(sum)) == sum;
}

void append_checksum(const std::string &file)
{
  const std::uint32_t sum = checksum(file, fs::file_size(file));
  std::ofstream       out(file, std::ios::binary | std::ios::app);
  out.write(reinterpret_cast<const char *>(&sum), sizeof(sum));
  out.close();
  if (!out)
    throw RunError(std::strerror(errno));
}

// Waits until the file, or the folder's list of files, is on the disk; some file systems do not know that of a folder.
void sync_to_disk(const std::string &path)
{
  const int  descriptor = open(path.c_str(), O_RDONLY);
  const bool synced     = descriptor >= 0 && (fsync(descriptor) == 0 || (errno == EINVAL && fs::is_directory(path)));
  const int  error      = errno;
  if (descriptor >= 0)
    close(descriptor);
  if (!synced)
    throw RunError(std::strerror(error));
}

void kill_for_test(const std::string &stage, unsigned int number)
{
  const char *wish = std::getenv("ADAMANT_CHECKPOINT_KILL");
  if (wish != nullptr && stage + ":" + std::to_string(number) == wish)
    std::raise(SIGKILL);
}

double minutes_since(std::chrono::steady_clock::time_point begin)
{
  return std::chrono::duration<double, std::ratio<60>>(std::chrono::steady_clock::now() - begin).count();
}

// What is neither a new checkpoint nor the one before is older, damaged or unfinished.
void remove_checkpoints(const std::string &folder, const std::set<std::string> &all_but)
{
  static const std::regex own("checkpoint_[0-9]{10}([.]new)?");
  std::error_code         ignored;
  for (const auto &entry : fs::directory_iterator(folder, ignored))
    if (const std::string name = entry.path().filename().string(), path = folder + "/" + name;
        std::regex_match(name, own) && all_but.count(path) == 0)
      fs::remove(path, ignored);
}

// A file with the layout, the header and the objects; `reached` is told the stages.
void write_archive(const std::string &file, const CheckpointHeader &header,
                   const std::function<void(CheckpointWriter::Archive &)> &save_objects,
                   const std::function<void(const char *)>                &reached)
{
  std::ofstream out(file, std::ios::binary);
  const auto    check = [&out] {
    if (!out)
      throw RunError(std::strerror(errno));
  };
  check();
  reached("opened");
  out << mark << present_layout << '\n' << std::flush;
  check(); // Boost's archive ends the program where it meets a stream whose first bytes find no room
  {
    CheckpointWriter::Archive archive(out);
    archive << header;
    reached("writing");
    save_objects(archive);
    out.flush();
    check(); // the archive's end would flush, too, and turn the reason into std::bad_cast
  }
  out.close();
  check();
}
} // namespace

std::uint32_t checksum(const std::string &file, std::uintmax_t n)
{
  std::ifstream      in(file, std::ios::binary);
  boost::crc_32_type crc;
  std::vector<char>  block(1 << 20);
  while (n > 0 && in)
    {
      in.read(block.data(), static_cast<std::streamsize>(std::min<std::uintmax_t>(n, block.size())));
      crc.process_bytes(block.data(), static_cast<std::size_t>(in.gcount()));
      n -= static_cast<std::uintmax_t>(in.gcount());
    }
  return crc.checksum();
}

CheckpointParameters::CheckpointParameters()
  : dealii::ParameterAcceptor("/Checkpoint")
{
  using namespace dealii::Patterns;
  add_parameter("Steps", steps, "Time steps between checkpoints, from which --restart continues; 0: none", prm,
                Integer(0));
  add_parameter("Minutes", minutes, "Wall-clock minutes between checkpoints; 0: none", prm, Double(0.));
  add_parameter(
    "Wall-time limit", wall_time_limit,
    "Minutes after which the run ends with a checkpoint and exit code 3, as it does on SIGTERM and SIGUSR1: "
    "leave time for one step and the writing. 0: none",
    prm, Double(0.));
}

CheckpointReader::CheckpointReader(const std::string &folder, const std::string &application)
{
  const std::regex         whole("checkpoint_[0-9]{10}");
  std::vector<std::string> names; // which ascend as steps do; other files in the folder are the user's
  std::error_code          error;
  for (const auto &entry : fs::directory_iterator(folder, error))
    if (const std::string name = entry.path().filename().string(); std::regex_match(name, whole))
      names.push_back(name);
  std::sort(names.rbegin(), names.rend());
  require(!names.empty(), "--restart: there is no checkpoint in folder '", folder, "'");
  for (const auto &name : names)
    {
      file = folder + "/" + name;
      if (is_whole(file))
        break;
      std::cout << "checkpoint " << file << " is damaged: its checksum is wrong" << std::endl;
      file.clear();
    }
  require(!file.empty(), "--restart: all checkpoints in folder '", folder, "' are damaged");

  in.open(file, std::ios::binary);
  const auto refuse = [&](const std::string &by, const std::string &wanted) {
    throw InputError("--restart: '" + file + "' was written by " + by + ", which this program, " + wanted +
                     ", cannot continue");
  };
  std::string line(mark.size(), ' ');
  in.read(line.data(), static_cast<std::streamsize>(line.size()));
  if (line != mark || !std::getline(in, line) || line != present_layout)
    refuse("an adamant whose checkpoints have another layout", "with layout " + present_layout);
  try
    {
      objects.emplace(in);
      *objects >> header;
    }
  catch (const std::exception &error)
    {
      throw InputError("--restart: '" + file + "' cannot be read: " + error.what());
    }
  if (header.application != application)
    refuse("the program " + header.application, application);
  if (header.deal_ii != DEAL_II_PACKAGE_VERSION)
    refuse("a program with deal.II " + header.deal_ii, "with deal.II " DEAL_II_PACKAGE_VERSION);
  std::cout << "continuing from " << file << ": step " << header.step << ", time " << header.time << std::endl;
}

bool CheckpointWriter::due(unsigned int step, bool last_step) const
{
  const bool by_steps = parameters.steps > 0, by_time = parameters.minutes > 0.;
  return (by_steps && step % parameters.steps == 0) || (by_time && minutes_since(last_written) >= parameters.minutes) ||
         (last_step && (by_steps || by_time));
}

bool CheckpointWriter::out_of_time() const
{
  return parameters.wall_time_limit > 0. && minutes_since(start) >= parameters.wall_time_limit;
}

void CheckpointWriter::write(const CheckpointHeader &header, const std::function<void(Archive &)> &save_objects)
{
  if (ranks.rank() > 0) // has only parts to send
    {
      std::ofstream nothing("/dev/null", std::ios::binary);
      Archive       archive(nothing);
      save_objects(archive);
      last_written = Clock::now();
      return;
    }
  const auto           reached = [number = ++n_written](const char *stage) { kill_for_test(stage, number); };
  const std::string    file    = folder + "/checkpoint_" + dealii::Utilities::int_to_string(header.step, 10);
  const UnfinishedFile unfinished_file(file);
  const std::string   &beside        = unfinished_file.name;
  const auto           remove_others = [&] {
    remove_checkpoints(folder, {file, beside, last_good});
    reached("cleaned");
  };
  try
    {
      write_archive(beside, header, save_objects, reached);
      append_checksum(beside);
      reached("written");
      sync_to_disk(beside);
      reached("synced");
      if (!last_good.empty()) // before the last of a run is there: killed later, it has nothing more to write
        remove_others();
      fs::rename(beside, file);
      sync_to_disk(folder);
      reached("renamed");
      if (last_good.empty()) // those of an earlier run go when this one has its own
        remove_others();
    }
  catch (const std::exception &error)
    {
      // Boost's archive only tells that its stream failed.
      const bool        stream = dynamic_cast<const boost::archive::archive_exception *>(&error) != nullptr;
      const std::string reason = stream ? std::strerror(errno) : error.what();
      throw RunError("checkpoint '" + file + "' cannot be written: " + reason + "; " +
                     (last_good.empty() ? "there is no earlier one" : "the last good one is '" + last_good + "'"));
    }
  last_good    = file;
  last_written = Clock::now();
}
} // namespace adamant
