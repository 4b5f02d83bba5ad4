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

/// Returns the library in the file that the environment variable `variable` names or, without that variable, in the
/// first of `files` that can be loaded. Throws RunError with `error` and the loader's reasons where there is none.
SharedLibrary find_library(const std::string &error, const char *variable, const std::vector<std::string> &files);

/// The base of a library's interface. The pointer to function f is a member initialised by function("f").
struct LoadedLibrary
{
  struct Function
  {
    const SharedLibrary &library;
    const char          *name;
    template <typename Type>
    operator Type *() const
    {
      return library.function<Type>(name);
    }
  };
  Function function(const char *name) const { return {library, name}; }

  SharedLibrary library;
};
} // namespace adamant
