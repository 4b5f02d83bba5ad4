#pragma once

#include <string>

namespace adamant
{
/// Compiles CUDA C++ with NVRTC and returns machine code for `architecture` ("sm_90"). NVRTC is looked for when this is
/// called, under its usual names or as the environment variable ADAMANT_NVRTC says. Products and sums are not
/// contracted, so that results are the host's but for the last digits of functions. It needs no GPU. Throws RunError
/// where NVRTC is missing, or with NVRTC's messages where it refuses the source.
std::string compile_cuda(const std::string &source, const std::string &architecture);
} // namespace adamant
