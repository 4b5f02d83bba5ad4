#include "algebra/compiled_kernel.h"

#include "base/exceptions.h"
#include "base/shared_library.h"

#include <memory>
#include <vector>

namespace adamant
{
namespace
{
// NVRTC's interface, so that its headers are not needed either.
using Program = struct _nvrtcProgram *;

struct Nvrtc : LoadedLibrary
{
  int (*create)(Program *, const char *, const char *, int, const char *const *,
                const char *const *)                = function("nvrtcCreateProgram");
  int (*destroy)(Program *)                         = function("nvrtcDestroyProgram");
  int (*compile)(Program, int, const char *const *) = function("nvrtcCompileProgram");
  int (*log_size)(Program, std::size_t *)           = function("nvrtcGetProgramLogSize");
  int (*log)(Program, char *)                       = function("nvrtcGetProgramLog");
  int (*code_size)(Program, std::size_t *)          = function("nvrtcGetCUBINSize");
  int (*code)(Program, char *)                      = function("nvrtcGetCUBIN");
  const char *(*error)(int)                         = function("nvrtcGetErrorString");
};

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
  const Nvrtc nvrtc{
    {find_library("NVRTC, the CUDA toolkit's compiler library, cannot be loaded", "ADAMANT_NVRTC",
                  {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"})}};
  Program program = nullptr;
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
