#include "base/run_record.h"

#include "base/exceptions.h"

#include <sys/resource.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace adamant
{
void write_file(const std::string &file, const std::string &text)
{
  const std::string beside = file + ".new";
  std::ofstream     out(beside, std::ios::binary);
  out << text;
  out.close();
  if (!out || std::rename(beside.c_str(), file.c_str()) != 0)
    {
      const std::string reason = std::strerror(errno);
      std::remove(beside.c_str());
      throw RunError("cannot write '" + file + "': " + reason);
    }
}

long peak_host_memory()
{
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024L;
}
} // namespace adamant
