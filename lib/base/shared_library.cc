#include "base/shared_library.h"

#include "base/exceptions.h"

#include <dlfcn.h>

#include <cstdlib>

namespace adamant
{
SharedLibrary::SharedLibrary(const std::vector<std::string> &names)
{
  std::string reasons;
  for (const auto &candidate : names)
    {
      handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
      name   = candidate;
      if (handle != nullptr)
        return;
      reasons += (reasons.empty() ? "" : "; ") + std::string(dlerror());
    }
  throw RunError(reasons);
}

void *SharedLibrary::address(const char *function) const
{
  void *const found = dlsym(handle, function);
  if (found == nullptr)
    throw RunError(name + " has no function " + function);
  return found;
}

SharedLibrary find_library(const std::string &error, const char *variable, const std::vector<std::string> &files)
{
  const char *chosen = std::getenv(variable);
  try
    {
      return SharedLibrary(chosen != nullptr ? std::vector<std::string>{chosen} : files);
    }
  catch (const RunError &reason)
    {
      throw RunError(error + ": " + reason.what());
    }
}
} // namespace adamant
