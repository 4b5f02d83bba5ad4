#pragma once

#include "algebra/cuda/memory.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <string>

namespace adamant
{
namespace cuda
{
/// Device memory that kernels of other ranks write to. Others have it open for as long as they live, so that it is
/// never freed: what is given back is taken again by the next one that needs as much.
struct PeerRegion
{
  char              *memory;
  std::size_t        bytes;
  cudaIpcMemHandle_t handle; ///< by which other ranks open it
};

/// A region of at least so many bytes, all zero, on the current device. Who gives one back has ended all exchanges that
/// write there. Throws RunError.
std::shared_ptr<const PeerRegion> take_region(Memory &ledger, std::size_t bytes);

/// Another rank's region; null where the device does not reach it, and `error` then says why.
char *open_region(const cudaIpcMemHandle_t &handle, std::string &error);
} // namespace cuda
} // namespace adamant
