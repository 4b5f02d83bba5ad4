#include "algebra/cuda/runtime/context.h"

#include "algebra/cuda/operations.h"
#include "algebra/cuda/peers/ranks.h"
#include "algebra/cuda/runtime/batch.cuh"
#include "algebra/cuda/runtime/decide.cuh"
#include "algebra/profiler_range.h"
#include "base/exceptions.h"

#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

namespace adamant
{
namespace cuda
{
namespace
{
// Checked calls until the one that is to fail; 0: none is.
std::atomic<long> calls_to_fault =
  std::getenv("ADAMANT_CUDA_FAIL_CALL") ? std::atol(std::getenv("ADAMANT_CUDA_FAIL_CALL")) : 0;

// 16 bytes a thread: with 4 the memory is a third idle. A graph's own copies of 1 GB and more run no faster either, on
// the copy engines (benchmarks/cuda/copy_variants.cu, docs/benchmarks/gpu-notes.md).
__global__ void copy_kernel(long n, const float4 *from, float4 *to)
{
  wait_for_predecessor();
  const long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x;
  if (i < n)
    to[i] = from[i];
}
} // namespace

bool injected_fault()
{
  return calls_to_fault > 0 && --calls_to_fault == 0;
}

void fail(const std::string &library, const Call &call, const std::string &arguments, const std::string &error)
{
  throw RunError(library + ": " + call.function + "(" + arguments + ") failed with " + error + ", " + call.file + ":" +
                 std::to_string(call.line));
}

void fail(cudaError_t status, const Call &call, const std::string &arguments)
{
  fail("CUDA", call, arguments, std::string(cudaGetErrorName(status)) + " (" + cudaGetErrorString(status) + ")");
}

namespace
{
// Tells whether the program holds machine code for the device.
__global__ void probe() {}

// `begin` bytes up to where memory is aligned, n times 16, and `end` bytes.
__global__ void clear_kernel(char *memory, int begin, std::size_t n, int end)
{
  wait_for_predecessor();
  const std::size_t i       = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  uint4 *const      aligned = reinterpret_cast<uint4 *>(memory + begin);
  if (i < begin)
    memory[i] = 0;
  if (i < n)
    aligned[i] = {0, 0, 0, 0};
  if (i < end)
    reinterpret_cast<char *>(aligned + n)[i] = 0;
}

std::string version(int v)
{
  return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10);
}

struct FoundDevice
{
  int                number;
  cudaDeviceProp     properties;
  cudaFuncAttributes of_kernels;
};

// The device of this number among the ranks of its machine. Throws RunError that says why there is no usable one.
FoundDevice find_device(int rank_on_machine)
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
  FoundDevice device{rank_on_machine % n, {}, {}};
  const auto &properties = device.properties;
  check(cudaSetDevice(device.number), "cudaSetDevice", device.number);
  check(cudaGetDeviceProperties(&device.properties, device.number), "cudaGetDeviceProperties", device.number);
  const cudaError_t runs = cudaFuncGetAttributes(&device.of_kernels, probe);
  if (runs == cudaErrorNoKernelImageForDevice || runs == cudaErrorInvalidDeviceFunction)
    throw RunError("backend cuda: " + std::string(properties.name) + " has compute capability " +
                   std::to_string(properties.major) + "." + std::to_string(properties.minor) +
                   ", for which this program was not built; configure with -DCMAKE_CUDA_ARCHITECTURES=" +
                   std::to_string(properties.major) + std::to_string(properties.minor) + " or take --backend host");
  check(runs, "cudaFuncGetAttributes", "probe");
  return device;
}

// One of each rank.
std::vector<DeviceId> gather(const Communicator &ranks, const DeviceId &own)
{
  std::vector<DeviceId> all(ranks.size());
  check_mpi(
    MPI_Allgather(own.data(), sizeof(DeviceId), MPI_BYTE, all.data(), sizeof(DeviceId), MPI_BYTE, ranks.handle()),
    "MPI_Allgather");
  return all;
}
} // namespace

Context::Context(const Communicator &ranks, bool share_devices, MatrixFormat format)
  : all_ranks(ranks)
  , sparse_format(format)
{
  const int   rank_on_machine = ranks.place_on_machine().rank;
  DeviceId    id{};
  std::string failure;
  try
    {
      id = take_device(rank_on_machine);
      std::tie(in_double, in_float) =
        format == MatrixFormat::compressed ? operations_of_kernels(*this) : operations_of_libraries(*this);
    }
  catch (const RunError &error)
    {
      failure = error.what();
    }
  if (const std::string first = ranks.first_text(failure); !first.empty())
    throw RunError(first);
  if (ranks.size() > 1)
    {
      const std::string shared = why_shared(gather(ranks, id));
      if (!shared.empty() && !share_devices)
        throw RunError("backend cuda: " + shared);
      across = std::make_shared<Ranks>(ranks, shared.empty(), *ledger);
    }
  if (!replays_loops())
    return;
  together               = std::make_unique<Batch>(*this);
  ledger->before_release = [this] { together->launch_before_release(); };
}

Context::~Context()
{
  ledger->before_release = nullptr;
}

DeviceId Context::take_device(int rank_on_machine)
{
  const FoundDevice found = find_device(rank_on_machine);
  device_number           = found.number;
  device_name             = found.properties.name;
  multiprocessors         = found.properties.multiProcessorCount;
  // Only kernels of the library know how to wait for each other, and only where they were compiled to do so. Machine
  // code that the driver made for a new GPU from a program for older ones does not wait.
  programmatic_launch = found.of_kernels.ptxVersion >= 90 && sparse_format == MatrixFormat::compressed;
  const char *setting = std::getenv("ADAMANT_CUDA_GRAPHS");
  graphs              = setting == nullptr || std::string(setting) != "0";
  int driver          = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  loops       = conditional_nodes && driver >= 12040 && sparse_format == MatrixFormat::compressed;
  main_stream = create_stream();
  partials    = DeviceArray<double>(ledger, max_sums * reduction_blocks, "reductions");
  finished    = DeviceArray<unsigned int>(ledger, 1, "reductions");
  check(cudaMemsetAsync(finished.data(), 0, sizeof(unsigned int), stream()), "cudaMemsetAsync", finished.data(), 0);
  synchronize();
  DeviceId id;
  std::copy_n(found.properties.uuid.bytes, id.size(), id.begin());
  return id;
}

CUstream_st *Context::stream() const
{
  if (together)
    together->launch_waiting();
  return main_stream.get();
}

Batch *Context::open_batch() const
{
  return together && together->open() ? together.get() : nullptr;
}

int Context::n_recorded() const
{
  return together ? together->n_recorded() : 0;
}

std::string Context::exchange() const
{
  return across ? across->description() : "";
}

bool Context::replays_graphs() const
{
  return graphs && (!across || across->in_graphs());
}

bool Context::replays_loops() const
{
  return graphs && loops && !across;
}

std::shared_ptr<void> Context::allocate(std::size_t bytes, const char *purpose)
{
  const auto array = std::make_shared<DeviceArray<char>>(ledger, bytes, purpose);
  clear(array->data(), bytes); // kernels load more addresses of a table than it has, before they know how many
  return {array, array->data()};
}

void Context::clear(void *memory, std::size_t bytes)
{
  if (open_batch() != nullptr) // which only takes kernels
    {
      const std::size_t begin = std::min(bytes, (16 - reinterpret_cast<std::uintptr_t>(memory) % 16) % 16),
                        n     = (bytes - begin) / 16;
      launch(*this, "clear", clear_kernel, blocks_for(std::max(n, std::min(bytes, std::size_t(16)))), block_size,
             static_cast<char *>(memory), static_cast<int>(begin), n, static_cast<int>(bytes - begin - 16 * n));
    }
  else if (bytes > 0)
    check(cudaMemsetAsync(memory, 0, bytes, stream()), "cudaMemsetAsync", memory, 0, bytes);
}

void Context::upload(void *to, const void *on_host, std::size_t bytes)
{
  send(to, on_host, bytes);
  synchronize();
}

void Context::send(void *to, const void *on_host, std::size_t bytes) const
{
  if (bytes >= Staging::least)
    staging.send(to, on_host, bytes, stream());
  else if (bytes > 0)
    check(cudaMemcpyAsync(to, on_host, bytes, cudaMemcpyHostToDevice, stream()), "cudaMemcpyAsync", to, on_host, bytes,
          "to device");
}

void Context::download(void *on_host, const void *from, std::size_t bytes) const
{
  if (bytes > 0)
    check(cudaMemcpyAsync(on_host, from, bytes, cudaMemcpyDeviceToHost, stream()), "cudaMemcpyAsync", on_host, from,
          bytes, "to host");
  synchronize();
}

void Context::synchronize() const
{
  check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize", stream());
}

ScalarStorage Context::create_scalars(int n)
{
  // Kernels write into pinned host memory, so that reading results takes a wait but no copy.
  struct Owner
  {
    std::shared_ptr<double> on_host; // given back last: until then operations that write there may wait
    DeviceArray<double>     on_device;
  };
  const auto owner = std::make_shared<Owner>(
    Owner{pinned_memory<double>(n, cudaHostAllocMapped), DeviceArray<double>(ledger, n, "scalars")});
  std::fill_n(owner->on_host.get(), n, 0.);
  return {n, owner->on_device.data(), owner->on_host.get(), owner};
}

// What the device memory can do, as the measure of all kernels.
double Context::copy_bandwidth()
{
  constexpr int repeat = 8;
  std::size_t   free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  const long          n = static_cast<long>(std::min<std::size_t>(std::size_t(1) << 30, free / 4) / sizeof(float4));
  DeviceArray<float4> from(ledger, n, "bandwidth"), to(ledger, n, "bandwidth");
  clear(from.data(), n * sizeof(float4));
  const auto copies = record([&] {
    for (int i = 0; i < repeat; ++i)
      launch(*this, "copy", copy_kernel, blocks_for(n), block_size, n, from.data(), to.data());
  });
  return 2. * repeat * n * sizeof(float4) / copies->seconds();
}

void Context::run_together(const std::function<void()> &operations)
{
  together ? together->run(operations) : operations();
}

} // namespace cuda

void fail_cuda_call(long n)
{
  cuda::calls_to_fault = n;
}

std::shared_ptr<DeviceInterface> make_cuda_device(const Communicator &ranks, bool share_devices, MatrixFormat format)
{
  return std::make_shared<cuda::Context>(ranks, share_devices, format);
}

ProfilerRange::ProfilerRange(const std::string &name)
{
  nvtxRangePushA(name.c_str());
}

ProfilerRange::~ProfilerRange()
{
  nvtxRangePop();
}
} // namespace adamant
