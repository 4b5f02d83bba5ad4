#include "base/shared_library.h"

#include "base/exceptions.h"

#include <dlfcn.h>

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
} // namespace adamant
