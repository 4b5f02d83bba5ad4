#include "algebra/compiled_kernel.h"

#include "base/exceptions.h"
#include "base/shared_library.h"

#include <cstdlib>
#include <memory>
#include <vector>

namespace adamant
{
namespace
{
// NVRTC's interface, so that its headers are not needed either.
using Program = struct _nvrtcProgram *;

struct Nvrtc
{
  explicit Nvrtc(const SharedLibrary &library)
    : create(
        library.function<int(Program *, const char *, const char *, int, const char *const *, const char *const *)>(
          "nvrtcCreateProgram"))
    , destroy(library.function<int(Program *)>("nvrtcDestroyProgram"))
    , compile(library.function<int(Program, int, const char *const *)>("nvrtcCompileProgram"))
    , log_size(library.function<int(Program, std::size_t *)>("nvrtcGetProgramLogSize"))
    , log(library.function<int(Program, char *)>("nvrtcGetProgramLog"))
    , code_size(library.function<int(Program, std::size_t *)>("nvrtcGetCUBINSize"))
    , code(library.function<int(Program, char *)>("nvrtcGetCUBIN"))
    , error(library.function<const char *(int)>("nvrtcGetErrorString"))
  {}

  int (*create)(Program *, const char *, const char *, int, const char *const *, const char *const *);
  int (*destroy)(Program *);
  int (*compile)(Program, int, const char *const *);
  int (*log_size)(Program, std::size_t *);
  int (*log)(Program, char *);
  int (*code_size)(Program, std::size_t *);
  int (*code)(Program, char *);
  const char *(*error)(int);
};

SharedLibrary find_nvrtc()
{
  const char *chosen = std::getenv("ADAMANT_NVRTC");
  try
    {
      if (chosen != nullptr)
        return SharedLibrary({chosen});
      return SharedLibrary({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"});
    }
  catch (const RunError &reason)
    {
      throw RunError(std::string("NVRTC, the CUDA toolkit's compiler library, cannot be loaded: ") + reason.what());
    }
}

// A text or code that NVRTC hands out in two steps.
std::string fetch(Program program, int (*size)(Program, std::size_t *), int (*get)(Program, char *))
{
  std::size_t n = 0;
  if (size(program, &n) != 0 || n == 0)
    return "";
  std::string result(n, '\0');
  return get(program, result.data()) == 0 ? result : "";
}
} // namespace

std::string compile_cuda(const std::string &source, const std::string &architecture)
{
  const SharedLibrary library = find_nvrtc();
  const Nvrtc         nvrtc(library);
  Program             program = nullptr;
  if (const int status = nvrtc.create(&program, source.c_str(), "expression.cu", 0, nullptr, nullptr); status != 0)
    throw RunError(std::string("nvrtcCreateProgram failed: ") + nvrtc.error(status));
  const std::unique_ptr<Program, int (*)(Program *)> cleanup(&program, nvrtc.destroy);
  const std::string                                  target  = "--gpu-architecture=" + architecture;
  const std::vector<const char *>                    options = {target.c_str(), "--fmad=false"};
  const int         status = nvrtc.compile(program, static_cast<int>(options.size()), options.data());
  const std::string code   = status == 0 ? fetch(program, nvrtc.code_size, nvrtc.code) : "";
  if (code.empty())
    throw RunError(std::string("NVRTC for ") + architecture + ": " + nvrtc.error(status) + ": " +
                   fetch(program, nvrtc.log_size, nvrtc.log).c_str());
  return code;
}
} // namespace adamant
