#include "algebra/cuda/check.cuh"
#include "algebra/cuda/peers/ranks.h"
#include "base/exceptions.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>

namespace adamant
{
namespace cuda
{
namespace
{
// Checked calls until the one that is to fail; 0: none is.
std::atomic<long> calls_to_fault =
  std::getenv("ADAMANT_CUDA_FAIL_CALL") ? std::atol(std::getenv("ADAMANT_CUDA_FAIL_CALL")) : 0;
} // namespace

bool injected_fault()
{
  return calls_to_fault > 0 && --calls_to_fault == 0;
}

void fail(cudaError_t status, const Call &call, const std::string &arguments)
{
  throw RunError(std::string("CUDA: ") + call.function + "(" + arguments + ") failed with " + cudaGetErrorName(status) +
                 " (" + cudaGetErrorString(status) + "), " + call.file + ":" + std::to_string(call.line));
}

namespace
{
// Tells whether the program holds machine code for the device.
__global__ void probe() {}

std::string version(int v)
{
  return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10);
}

// The device of a rank; throws RunError with the reason where there is no usable one.
cudaDeviceProp find_device(const Communicator::Place &place, bool share_devices, int &device)
{
  int               n = 0, driver = 0;
  const cudaError_t found = cudaGetDeviceCount(&n);
  cudaDriverGetVersion(&driver);
  if (driver == 0 && found != cudaSuccess)
    throw RunError("backend cuda: no NVIDIA driver is loaded on this machine; take --backend host");
  if (found == cudaErrorInsufficientDriver)
    throw RunError("backend cuda: the NVIDIA driver supports CUDA " + version(driver) +
                   ", but this program needs CUDA " + version(CUDART_VERSION) +
                   "; install a newer driver or take --backend host");
  if (found == cudaErrorNoDevice || (found == cudaSuccess && n == 0))
    throw RunError(
      "backend cuda: the NVIDIA driver finds no GPU (is CUDA_VISIBLE_DEVICES empty?); take --backend host");
  check(found, "cudaGetDeviceCount");
  if (place.size > n && !share_devices)
    throw RunError("backend cuda: " + std::to_string(place.size) + " ranks on this machine and " + std::to_string(n) +
                   (n == 1 ? " GPU" : " GPUs") +
                   "; start as many ranks, or let them share by Ranks/Share devices = true");
  device = place.rank % n;
  check(cudaSetDevice(device), "cudaSetDevice", device);
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties", device);
  cudaFuncAttributes attributes;
  const cudaError_t  runs = cudaFuncGetAttributes(&attributes, probe);
  if (runs == cudaErrorNoKernelImageForDevice || runs == cudaErrorInvalidDeviceFunction)
    throw RunError("backend cuda: " + std::string(properties.name) + " has compute capability " +
                   std::to_string(properties.major) + "." + std::to_string(properties.minor) +
                   ", for which this program was not built; configure with -DCMAKE_CUDA_ARCHITECTURES=" +
                   std::to_string(properties.major) + std::to_string(properties.minor) + " or take --backend host");
  check(runs, "cudaFuncGetAttributes", "probe");
  return properties;
}

std::string in_megabytes(std::size_t bytes)
{
  const std::size_t tenths = (bytes * 10 + (1 << 19)) >> 20;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MiB";
}
} // namespace
} // namespace cuda

void fail_cuda_call(long n)
{
  cuda::calls_to_fault = n;
}

CudaContext::CudaContext(const Communicator &ranks, bool share_devices)
  : all_ranks(ranks)
{
  const Communicator::Place place = ranks.place_on_machine();
  std::string               failure;
  try
    {
      take_device(place, share_devices);
    }
  catch (const RunError &error)
    {
      failure = error.what();
    }
  if (const std::string first = ranks.first_text(failure); !first.empty())
    throw RunError(first);
  if (ranks.size() == 1)
    return;
  int n = 0;
  cuda::check(cudaGetDeviceCount(&n), "cudaGetDeviceCount");
  across = std::make_shared<CudaRanks>(ranks, place.size <= n);
}

bool CudaContext::replays_graphs() const
{
  return graphs && (!across || across->in_graphs());
}

void CudaContext::take_device(const Communicator::Place &place, bool share_devices)
{
  const cudaDeviceProp properties = cuda::find_device(place, share_devices, device_number);
  name                            = properties.name;
  programmatic_launch             = properties.major >= 9;
  const char *setting             = std::getenv("ADAMANT_CUDA_GRAPHS");
  graphs                          = setting == nullptr || std::string(setting) != "0";
  cudaStream_t      stream        = nullptr;
  const cudaError_t created       = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  main_stream.reset(stream, [](cudaStream_t s) { cudaStreamDestroy(s); });
  cuda::check(created, "cudaStreamCreateWithFlags");
  const auto free_memory = [](void *memory) { cudaFree(memory); };
  partials.reset(static_cast<double *>(allocate(sizeof(double) * max_sums * reduction_blocks, "reductions")),
                 free_memory);
  finished.reset(static_cast<unsigned int *>(allocate(sizeof(unsigned int), "reductions")), free_memory);
  cuda::check(cudaMemsetAsync(finished.get(), 0, sizeof(unsigned int), stream), "cudaMemsetAsync", finished.get(), 0);
  synchronize();
}

void CudaContext::synchronize() const
{
  cuda::check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize", stream());
}

void *CudaContext::allocate(std::size_t bytes, const std::string &purpose)
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
        held += (held.empty() ? "" : ", ") + what + " " + cuda::in_megabytes(size);
      throw RunError("out of GPU memory: " + cuda::in_megabytes(bytes) + " were asked for " + purpose + ", " +
                     cuda::in_megabytes(free) + " of " + cuda::in_megabytes(total) + " are free; this run holds " +
                     (held.empty() ? "nothing" : held) + "; use a smaller mesh");
    }
  try
    {
      cuda::check(status, "cudaMalloc", bytes, "for " + purpose);
    }
  catch (...)
    {
      cudaFree(memory);
      throw;
    }
  ledger[purpose] += bytes;
  in_use += bytes;
  peak = std::max(peak, in_use);
  return memory;
}

void CudaContext::release(void *memory, std::size_t bytes, const std::string &purpose) noexcept
{
  cudaFree(memory);
  const auto entry = ledger.find(purpose);
  if (entry != ledger.end())
    entry->second -= bytes;
  in_use -= bytes;
}

CudaScalars::CudaScalars(const std::shared_ptr<CudaContext> &context, int n)
  : on_device(context, 2 * static_cast<std::size_t>(n), "scalars")
{
  double    *memory = nullptr;
  const auto status = cudaHostAlloc(&memory, n * sizeof(double), cudaHostAllocMapped);
  on_host           = {memory, [](double *p) { cudaFreeHost(p); }};
  cuda::check(status, "cudaHostAlloc", n * sizeof(double), "mapped");
  std::fill_n(memory, n, 0.);
}
} // namespace adamant
