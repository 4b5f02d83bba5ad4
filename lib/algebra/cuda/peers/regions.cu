#include "algebra/cuda/peers/regions.cuh"

#include "algebra/cuda/runtime/check.cuh"

#include <cstring>
#include <map>
#include <utility>
#include <vector>

namespace adamant::cuda
{
namespace
{
struct Opened
{
  int                device;
  cudaIpcMemHandle_t handle;
  char              *memory;
};
struct Pool
{
  std::multimap<std::pair<int, std::size_t>, PeerRegion> unused; // by device and size
  std::vector<Opened>                                    opened;
};

Pool &pool()
{
  static Pool &of_process = *new Pool; // CUDA may end before static objects do
  return of_process;
}

int current_device()
{
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

PeerRegion make_region(Memory &ledger, std::size_t bytes)
{
  PeerRegion region{static_cast<char *>(ledger.allocate(bytes, "exchange")), bytes, {}};
  try
    {
      check(cudaIpcGetMemHandle(&region.handle, region.memory), "cudaIpcGetMemHandle", bytes);
    }
  catch (...)
    {
      cudaGetLastError(); // the device stays usable
      ledger.release(region.memory, bytes, "exchange");
      throw;
    }
  return region;
}
} // namespace

std::shared_ptr<const PeerRegion> take_region(Memory &ledger, std::size_t bytes)
{
  std::size_t size = std::size_t(1) << 21; // what is smaller may share memory with other allocations
  while (size < bytes)                     // few sizes, so that regions serve again
    size *= 2;
  const std::pair<int, std::size_t> key(current_device(), size);
  const auto                        found  = pool().unused.find(key);
  const PeerRegion                  region = found != pool().unused.end() ? found->second : make_region(ledger, size);
  if (found != pool().unused.end())
    pool().unused.erase(found);
  const std::shared_ptr<const PeerRegion> taken(new PeerRegion(region), [key](const PeerRegion *r) {
    pool().unused.emplace(key, *r);
    delete r;
  });
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); // who had it before may still read it
  check(cudaMemset(region.memory, 0, size), "cudaMemset", static_cast<void *>(region.memory), 0, size);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); // before others may write there
  return taken;
}

char *open_region(const cudaIpcMemHandle_t &handle, std::string &error)
{
  const int device = current_device();
  for (const Opened &opened : pool().opened)
    if (opened.device == device && std::memcmp(&opened.handle, &handle, sizeof(handle)) == 0)
      return opened.memory;
  void             *memory = nullptr;
  const cudaError_t status = cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess);
  if (status != cudaSuccess)
    {
      cudaGetLastError(); // the device stays usable
      error = std::string("another rank's memory cannot be opened: ") + cudaGetErrorString(status);
      return nullptr;
    }
  pool().opened.push_back({device, handle, static_cast<char *>(memory)});
  return pool().opened.back().memory;
}
} // namespace adamant::cuda
