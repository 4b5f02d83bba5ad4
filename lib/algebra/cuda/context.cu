#include "algebra/cuda/context.h"

#include "algebra/cuda/batch.cuh"
#include "algebra/cuda/decide.cuh"
#include "algebra/cuda/graph.h"
#include "algebra/cuda/operations.h"
#include "algebra/cuda/peers/ranks.h"
#include "algebra/cuda/snapshot.h"
#include "base/exceptions.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>
#include <tuple>

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

// `end` bytes behind n times 16.
__global__ void clear_kernel(std::size_t n, uint4 *memory, int end)
{
  wait_for_predecessor();
  const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  if (i < n)
    memory[i] = {0, 0, 0, 0};
  if (i < end)
    reinterpret_cast<char *>(memory + n)[i] = 0;
}

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
} // namespace

Context::Context(const Communicator &ranks, bool share_devices, MatrixFormat format)
  : all_ranks(ranks)
  , sparse_format(format)
{
  const Communicator::Place place = ranks.place_on_machine();
  std::string               failure;
  try
    {
      take_device(place, share_devices);
      if (format == MatrixFormat::compressed)
        {
          in_double = std::make_unique<CudaOperations<double>>(*this);
          in_float  = std::make_unique<CudaOperations<float>>(*this);
        }
      else
        std::tie(in_double, in_float) = operations_of_libraries(*this);
    }
  catch (const RunError &error)
    {
      failure = error.what();
    }
  if (const std::string first = ranks.first_text(failure); !first.empty())
    throw RunError(first);
  if (ranks.size() > 1)
    {
      int n = 0;
      check(cudaGetDeviceCount(&n), "cudaGetDeviceCount");
      across = std::make_shared<Ranks>(ranks, place.size <= n);
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

void Context::take_device(const Communicator::Place &place, bool share_devices)
{
  const cudaDeviceProp properties = find_device(place, share_devices, device_number);
  device_name                     = properties.name;
  multiprocessors                 = properties.multiProcessorCount;
  // Only kernels of the library know how to wait for each other.
  programmatic_launch = properties.major >= 9 && sparse_format == MatrixFormat::compressed;
  const char *setting = std::getenv("ADAMANT_CUDA_GRAPHS");
  graphs              = setting == nullptr || std::string(setting) != "0";
  int driver          = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  loops                     = conditional_nodes && driver >= 12040 && sparse_format == MatrixFormat::compressed;
  cudaStream_t      stream  = nullptr;
  const cudaError_t created = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  main_stream.reset(stream, [](cudaStream_t s) { cudaStreamDestroy(s); });
  check(created, "cudaStreamCreateWithFlags");
  partials = DeviceArray<double>(ledger, max_sums * reduction_blocks, "reductions");
  finished = DeviceArray<unsigned int>(ledger, 1, "reductions");
  check(cudaMemsetAsync(finished.data(), 0, sizeof(unsigned int), stream), "cudaMemsetAsync", finished.data(), 0);
  synchronize();
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
    launch(*this, "clear", clear_kernel, blocks_for(bytes / 16 + (bytes % 16 > 0)), block_size, bytes / 16,
           static_cast<uint4 *>(memory), static_cast<int>(bytes % 16));
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

void Context::download(void *on_host, const void *from, std::size_t bytes)
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
  // Kernels write into pinned host memory, so that reading results takes a wait but no copy. On the device as many
  // again, as scratch.
  struct Owner
  {
    std::shared_ptr<double> on_host; // given back last: until then operations that write there may wait
    DeviceArray<double>     on_device;
  };
  const auto        owner  = std::make_shared<Owner>();
  double           *memory = nullptr;
  const std::size_t bytes  = n * sizeof(double);
  owner->on_device         = DeviceArray<double>(ledger, 2 * static_cast<std::size_t>(n), "scalars");
  const cudaError_t status = cudaHostAlloc(&memory, bytes, cudaHostAllocMapped);
  owner->on_host.reset(memory, [](double *p) { cudaFreeHost(p); });
  check(status, "cudaHostAlloc", bytes, "mapped");
  std::fill_n(memory, n, 0.);
  return {n, owner->on_device.data(), memory, owner};
}

std::shared_ptr<SnapshotStorage> Context::create_snapshot(int n)
{
  return std::make_shared<Snapshot>(shared_from_this(), n);
}

std::shared_ptr<MarkStorage> Context::create_mark()
{
  return std::make_shared<Mark>(shared_from_this());
}

std::shared_ptr<GraphStorage> Context::record(const std::function<void()> &operations)
{
  return std::make_shared<Graph>(shared_from_this(), operations);
}

void Context::run_together(const std::function<void()> &operations)
{
  together ? together->run(operations) : operations();
}

std::shared_ptr<LoopStorage> Context::create_loop(const Asking &first, const Asking &step,
                                                  const std::function<void()> &again, bool recordable)
{
  if (recordable && replays_loops())
    return std::make_shared<Loop>(shared_from_this(), first, step, again);
  return std::make_shared<HostedLoop>(shared_from_this(), first, step, recordable);
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
} // namespace adamant
