#include "base/run_record.h"

#include "base/exceptions.h"

#include <sys/resource.h>
#include <unistd.h>

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
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024L;
}
} // namespace adamant
