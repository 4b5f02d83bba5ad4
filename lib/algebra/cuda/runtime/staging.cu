#include "algebra/cuda/runtime/staging.h"

#include "algebra/cuda/runtime/event.cuh"

#include <algorithm>
#include <cstring>
#include <utility>

namespace adamant
{
namespace cuda
{
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
} // namespace cuda
} // namespace adamant
