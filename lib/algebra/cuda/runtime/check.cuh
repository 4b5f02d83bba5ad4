#pragma once

#include "algebra/cuda/runtime/context.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <type_traits>

namespace adamant::cuda
{
/// A function of CUDA, cuSPARSE or cuBLAS and the line that calls it.
struct Call
{
  Call(const char *function, const char *file = __builtin_FILE(), int line = __builtin_LINE())
    : function(function)
    , file(file)
    , line(line)
  {}
  const char *function, *file;
  int         line;
};

/// Counts the checked calls, and returns true for the one that is to fail.
bool injected_fault();

/// Throws RunError naming the library, the call, its arguments, the error in words and the line.
[[noreturn]] void fail(const std::string &library, const Call &call, const std::string &arguments,
                       const std::string &error);
[[noreturn]] void fail(cudaError_t status, const Call &call, const std::string &arguments);

/// Throws RunError where `status` is no success; the arguments are for the message. Every status of a CUDA call goes
/// through here.
template <typename... Arguments>
void check(cudaError_t status, const Call &call, const Arguments &...arguments)
{
  if (injected_fault())
    status = cudaErrorUnknown;
  if (status != cudaSuccess)
    fail(status, call, listed(arguments...));
}

/// Returns a copy on the device of n objects in host memory. They may change when this returns; later work on the
/// stream finds the copy there.
template <typename T>
DeviceArray<T> to_device(const Context &context, const T *source, std::size_t n, const char *purpose)
{
  DeviceArray<T> target(context.memory_of_device(), n, purpose);
  context.send(target.data(), source, n * sizeof(T));
  return target;
}

/// Lets the next kernel start, in all blocks at once with this one: it loads data that no kernel writes, and waits.
/// Kernels that do so themselves begin with this call. Else the next one is not launched before their loads have come:
/// in a chain of small kernels, that takes most of the time.
__device__ inline void let_successor_start()
{
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Waits until all earlier work on the stream is visible. A kernel starts before its predecessor in the stream has
/// ended, and may load data that no kernel writes (matrices) before this wait. Every kernel of the library waits here
/// or in wait_and_hold_successors.
__device__ inline void wait_for_predecessor()
{
  let_successor_start();
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// Waits as wait_for_predecessor does, but lets no successor start: for a kernel that writes a matrix, launched by
/// launch_writer.
__device__ inline void wait_and_hold_successors()
{
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

constexpr int block_size = 256;

inline int blocks_for(long n, int threads = block_size)
{
  return static_cast<int>((n + threads - 1) / threads);
}

/// A kernel and the form of its launch.
struct KernelLaunch
{
  Call        name;
  const void *kernel   = nullptr;
  dim3        blocks   = {};
  int         threads  = 0;
  bool        overlaps = false; ///< whether its start overlaps with the end of the kernel before
  int         shared   = 0;     ///< bytes of dynamic shared memory
};

/// A kernel's argument: its address, and its size in bytes.
struct Argument
{
  const void *value;
  std::size_t size;
};

/// Launches `kernel` on the context's stream, or leaves that to the context's batch where one is open.
void launch(const Context &context, const KernelLaunch &kernel, std::initializer_list<Argument> arguments);

/// Clears the padding of an argument, so that equal arguments have equal bytes.
template <typename T>
void clear_padding(T &argument)
{
#ifdef __has_builtin
#if __has_builtin(__builtin_clear_padding)
  if constexpr (std::is_trivially_copyable_v<T>)
    __builtin_clear_padding(&argument);
#endif
#endif
  (void)argument;
}

/// Launches kernel(arguments...) on the context's stream, overlapping its start with the end of the previous kernel.
/// `overlaps` is false behind work that is no kernel of the library; `shared` is as in KernelLaunch.
template <bool overlaps = true, int shared = 0, typename... Parameters, typename... Arguments>
void launch(const Context &context, const Call &name, void (*kernel)(Parameters...), dim3 blocks, int threads,
            Arguments &&...arguments)
{
  if (blocks.x == 0)
    return;
  const KernelLaunch what{name,    reinterpret_cast<const void *>(kernel),        blocks,
                          threads, context.next_launch_may_overlap() && overlaps, shared};
  const auto         launch_with = [&](Parameters... parameters) {
    (clear_padding(parameters), ...);
    launch(context, what, {Argument{&parameters, sizeof(parameters)}...});
  };
  launch_with(Parameters(std::forward<Arguments>(arguments))...);
}

/// Launches a kernel that writes data, such as a matrix, that later kernels load before they wait. The next kernel
/// begins when this one has ended. A kernel that overlapped with it might load old values, also where this one lets no
/// successor start.
template <int shared = 0, typename... Parameters, typename... Arguments>
void launch_writer(const Context &context, const Call &name, void (*kernel)(Parameters...), dim3 blocks, int threads,
                   Arguments &&...arguments)
{
  launch<true, shared>(context, name, kernel, blocks, threads, std::forward<Arguments>(arguments)...);
  context.separate_next_launch();
}

/// Returns what create(&handle) makes, owned: `destroy` takes it back. The arguments are for the message.
template <typename T, class Create, class Destroy, typename... Arguments>
std::shared_ptr<T> owned(const Call &call, const Create &create, const Destroy &destroy, const Arguments &...arguments)
{
  T                       *made   = nullptr;
  const cudaError_t        status = create(&made);
  const std::shared_ptr<T> result(made, [destroy](T *p) { destroy(p); });
  check(status, call, arguments...);
  return result;
}

/// Returns an event that orders streams and takes no time, or with other flags.
inline std::shared_ptr<CUevent_st> create_event(unsigned flags = cudaEventDisableTiming)
{
  return owned<CUevent_st>(
    "cudaEventCreateWithFlags", [flags](cudaEvent_t *e) { return cudaEventCreateWithFlags(e, flags); },
    cudaEventDestroy);
}

/// Returns a stream that does not wait for the default one.
inline std::shared_ptr<CUstream_st> create_stream(int priority = 0)
{
  return owned<CUstream_st>(
    "cudaStreamCreateWithPriority",
    [priority](cudaStream_t *s) { return cudaStreamCreateWithPriority(s, cudaStreamNonBlocking, priority); },
    cudaStreamDestroy, priority);
}

/// Returns n numbers in pinned host memory.
template <typename T>
std::shared_ptr<T> pinned_memory(std::size_t n, unsigned flags)
{
  return owned<T>(
    "cudaHostAlloc", [&](T **memory) { return cudaHostAlloc(memory, n * sizeof(T), flags); }, cudaFreeHost,
    n * sizeof(T), flags == cudaHostAllocMapped ? "mapped" : "pinned");
}
} // namespace adamant::cuda
