#include "algebra/cuda/runtime/memory.h"

#include "algebra/cuda/runtime/check.cuh"
#include "base/exceptions.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>

namespace adamant::cuda
{
namespace
{
std::string in_megabytes(std::size_t bytes)
{
  const std::size_t tenths = (bytes * 10 + (1 << 19)) >> 20;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MiB";
}

constexpr unsigned char pattern = 0xa5; // of red zones

void lay_red_zone(char *zone)
{
  check(cudaMemset(zone, pattern, red_zone), "cudaMemset", static_cast<void *>(zone), red_zone);
  check(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize", "legacy"); // before anybody writes
}

void look_at_red_zone(const char *zone, std::size_t bytes, const std::string &purpose)
{
  unsigned char found[red_zone + 1];
  if (cudaDeviceSynchronize() != cudaSuccess ||
      cudaMemcpy(found, zone, red_zone, cudaMemcpyDeviceToHost) != cudaSuccess)
    return; // another error is on its way
  const auto changed = std::find_if(found, found + red_zone, [](unsigned char byte) { return byte != pattern; });
  if (changed == found + red_zone)
    return;
  std::cerr << "device memory of " << bytes << " bytes for " << purpose << ": byte " << bytes + (changed - found)
            << ", behind its end, was written to" << std::endl;
  std::abort();
}
} // namespace

void *Memory::allocate(std::size_t bytes, const std::string &purpose)
{
  void             *memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes + red_zone);
  if (status == cudaErrorMemoryAllocation)
    {
      cudaGetLastError(); // an allocation that failed leaves the device usable
      std::size_t free = 0, total = 0;
      cudaMemGetInfo(&free, &total);
      const std::size_t others = total - std::min(total, free + in_use);
      std::string       held;
      for (const auto &[what, size] : ledger)
        held += (held.empty() ? "" : ", ") + what + " " + in_megabytes(size);
      throw RunError("out of GPU memory: " + in_megabytes(bytes) + " were asked for " + purpose + ", " +
                     in_megabytes(free) + " of " + in_megabytes(total) + " are free; this run holds " +
                     (held.empty() ? "nothing" : held) + ", CUDA, recorded graphs and other programs " +
                     in_megabytes(others) + "; use a smaller mesh");
    }
  try
    {
      check(status, "cudaMalloc", bytes, "for " + purpose);
      if constexpr (red_zone > 0)
        lay_red_zone(static_cast<char *>(memory) + bytes);
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
  if constexpr (red_zone > 0)
    look_at_red_zone(static_cast<const char *>(memory) + bytes, bytes, purpose);
  cudaFree(memory);
  const auto entry = ledger.find(purpose);
  if (entry != ledger.end())
    entry->second -= bytes;
  in_use -= bytes;
}

namespace
{
constexpr std::size_t piece_size = std::size_t(16) << 20, block = std::size_t(256) << 10; // bytes

void copy_by_all_threads(char *to, const char *from, std::size_t bytes)
{
  const long n = static_cast<long>((bytes + block - 1) / block);
#pragma omp parallel for schedule(static)
  for (long b = 0; b < n; ++b)
    std::memcpy(to + b * block, from + b * block, std::min(block, bytes - b * block));
}
} // namespace

bool Staging::make(Piece &piece)
{
  char *memory = nullptr;
  if (injected_fault() || cudaHostAlloc(&memory, piece_size, cudaHostAllocDefault) != cudaSuccess)
    {
      cudaGetLastError(); // the device stays usable
      return false;
    }
  Piece made{{memory, [](char *p) { cudaFreeHost(p); }}, nullptr};
  made.left = create_event();
  piece     = std::move(made);
  return true;
}

void Staging::send(void *to, const void *on_host, std::size_t bytes, CUstream_st *stream)
{
  for (std::size_t done = 0; done < bytes; done += piece_size, next = 1 - next)
    {
      Piece &piece = pieces[next];
      if (!piece.memory && !make(piece)) // the driver makes the copy by itself, more slowly
        return check(cudaMemcpyAsync(static_cast<char *>(to) + done, static_cast<const char *>(on_host) + done,
                                     bytes - done, cudaMemcpyHostToDevice, stream),
                     "cudaMemcpyAsync", to, on_host, bytes - done, "to device");
      const std::size_t n = std::min(piece_size, bytes - done);
      check(cudaEventSynchronize(piece.left.get()), "cudaEventSynchronize", "piece");
      copy_by_all_threads(piece.memory.get(), static_cast<const char *>(on_host) + done, n);
      char *target = static_cast<char *>(to) + done;
      check(cudaMemcpyAsync(target, piece.memory.get(), n, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync",
            static_cast<void *>(target), n, "piece to device");
      check(cudaEventRecord(piece.left.get(), stream), "cudaEventRecord", "piece");
    }
}
} // namespace adamant::cuda
