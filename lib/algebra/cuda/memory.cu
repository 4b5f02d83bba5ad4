#include "algebra/cuda/check.cuh"
#include "algebra/cuda/memory.h"
#include "base/exceptions.h"

#include <algorithm>

namespace adamant
{
namespace cuda
{
namespace
{
std::string in_megabytes(std::size_t bytes)
{
  const std::size_t tenths = (bytes * 10 + (1 << 19)) >> 20;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MiB";
}
} // namespace

void *Memory::allocate(std::size_t bytes, const std::string &purpose)
{
  void             *memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  if (status == cudaErrorMemoryAllocation)
    {
      cudaGetLastError(); // an allocation that failed leaves the device usable
      std::size_t free = 0, total = 0;
      cudaMemGetInfo(&free, &total);
      std::string held;
      for (const auto &[what, size] : ledger)
        held += (held.empty() ? "" : ", ") + what + " " + in_megabytes(size);
      throw RunError("out of GPU memory: " + in_megabytes(bytes) + " were asked for " + purpose + ", " +
                     in_megabytes(free) + " of " + in_megabytes(total) + " are free; this run holds " +
                     (held.empty() ? "nothing" : held) + "; use a smaller mesh");
    }
  try
    {
      check(status, "cudaMalloc", bytes, "for " + purpose);
    }
  catch (...)
    {
      cudaFree(memory);
      throw;
    }
  ledger[purpose] += bytes;
  in_use += bytes;
  highest = std::max(highest, in_use);
  return memory;
}

void Memory::release(void *memory, std::size_t bytes, const std::string &purpose) noexcept
{
  if (before_release)
    before_release();
  cudaFree(memory);
  const auto entry = ledger.find(purpose);
  if (entry != ledger.end())
    entry->second -= bytes;
  in_use -= bytes;
}
} // namespace cuda
} // namespace adamant
