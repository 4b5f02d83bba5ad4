#pragma once

#include "algebra/cuda/runtime/memory.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <string>

namespace adamant::cuda
{
/// Device memory that kernels of other ranks write to. Other ranks have it open for as long as they live, so that it is
/// never freed. A region that is given back is taken again by the next request of its size.
struct PeerRegion
{
  char              *memory;
  std::size_t        bytes;
  cudaIpcMemHandle_t handle; ///< by which other ranks open it
};

/// Returns a region of at least so many bytes, all zero, on the current device. The last user of a region ends all
/// exchanges that write there before giving it back. Throws RunError where CUDA fails.
std::shared_ptr<const PeerRegion> take_region(Memory &ledger, std::size_t bytes);

/// Returns another rank's region, or null where the device does not reach it; `error` then says why.
char *open_region(const cudaIpcMemHandle_t &handle, std::string &error);
} // namespace adamant::cuda
