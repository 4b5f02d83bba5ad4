#include "base/run_record.h"

#include "base/exceptions.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace adamant
{
namespace
{
// Fixed places, as a signal handler reads them: no file of ours is written beside more than a few others.
struct Unfinished
{
  std::atomic<bool> taken{false}, named{false};
  char              name[4096] = "";
};
Unfinished unfinished[8];
} // namespace

UnfinishedFile::UnfinishedFile(const std::string &file)
  : name(file + ".new")
{
  for (auto &entry : unfinished)
    if (bool free = false; name.size() < sizeof(entry.name) && entry.taken.compare_exchange_strong(free, true))
      {
        std::strcpy(entry.name, name.c_str());
        entry.named = true;
        place       = static_cast<int>(&entry - unfinished);
        return;
      }
}

UnfinishedFile::~UnfinishedFile()
{
  std::remove(name.c_str());
  if (place < 0)
    return;
  unfinished[place].named = false;
  unfinished[place].taken = false;
}

void remove_unfinished_files()
{
  for (const auto &entry : unfinished)
    if (entry.named)
      unlink(entry.name);
}

void write_file(const std::string &file, const std::string &text)
{
  const UnfinishedFile beside(file);
  std::ofstream        out(beside.name, std::ios::binary);
  out << text;
  out.close();
  if (!out || std::rename(beside.name.c_str(), file.c_str()) != 0)
    throw RunError("cannot write '" + file + "': " + std::strerror(errno));
}

long peak_host_memory()
{
  static long   peak = 0; // of the calls so far: pages of files that come later do not lessen it
  long          most = 0, of_files = 0;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (std::sscanf(line.c_str(), "VmHWM: %ld", &most) != 1)
      (void)std::sscanf(line.c_str(), "RssFile: %ld", &of_files);
  return peak = std::max(peak, 1024L * (most - of_files));
}
} // namespace adamant
