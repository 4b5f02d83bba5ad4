#pragma once

#include <string>

namespace adamant
{
/// Compiles CUDA C++ with NVRTC, which is looked for when this is called: under its usual names, or as the environment
/// variable ADAMANT_NVRTC says. Products and sums are not contracted, so that results are the host's but for the last
/// digits of the functions. Needs no GPU. Returns machine code for `architecture` ("sm_90"). Throws RunError: NVRTC is
/// missing, or what it said of the source.
std::string compile_cuda(const std::string &source, const std::string &architecture);
} // namespace adamant
