#pragma once

#include <string>
#include <vector>

namespace adamant
{
/// A library that is loaded while the program runs, so that the program starts where the library is missing. It stays
/// loaded until the program ends.
class SharedLibrary
{
public:
  /// Loads the first of the names that can be loaded. Throws RunError with the loader's reasons where none can.
  explicit SharedLibrary(const std::vector<std::string> &names);

  /// Returns a function by its C name and type, as in function<int(double)>("f"). Throws RunError where the library
  /// lacks it.
  template <typename Function>
  Function *function(const char *name) const
  {
    return reinterpret_cast<Function *>(address(name));
  }

private:
  void *address(const char *name) const;

  void       *handle = nullptr;
  std::string name;
};
} // namespace adamant
