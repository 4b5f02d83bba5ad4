#pragma once

#include "base/communicator.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

// CUDA's handles, opaque here: no CUDA header outside .cu and .cuh files.
struct CUstream_st;
struct CUevent_st;
struct CUgraphExec_st;

namespace adamant
{
class CudaRanks;

/// For tests: the n-th checked CUDA call from now on fails; 0: none.
void fail_cuda_call(long n);

/// One GPU as all CUDA backends of a run share it: one stream, the ledger of device memory, scratch space of
/// reductions, the way to the GPUs of other ranks. Not thread-safe.
///
/// For tests of programs, the environment variable ADAMANT_CUDA_FAIL_CALL=N makes the N-th checked CUDA call fail.
class CudaContext
{
public:
  /// Takes the first device; the ranks of a machine take one each, or share them where `share_devices` allows it. Throws RunError in
  /// one sentence: no driver, driver too old, no device, device too old, more ranks than devices. All ranks throw, or none.
  explicit CudaContext(const Communicator &ranks = Communicator(), bool share_devices = false);
  CudaContext(const CudaContext &)            = delete;
  CudaContext &operator=(const CudaContext &) = delete;

  CUstream_st *stream() const { return main_stream.get(); }
  std::string  device_name() const { return name; }
  bool         overlaps_launches() const { return programmatic_launch; } ///< compute capability 9.0 or newer
  int          device() const { return device_number; }
  /// Not where ADAMANT_CUDA_GRAPHS=0 (profilers then see each operation) or ranks exchange through host memory.
  bool replays_graphs() const;

  const Communicator &communicator() const { return all_ranks; }
  const CudaRanks    *ranks() const { return across.get(); } ///< null on one rank

  /// Waits for all work on the stream.
  void synchronize() const;

  /// @name Device memory, counted for each purpose ("vectors", "matrices", ...)
  /// @{
  void       *allocate(std::size_t bytes, const std::string &purpose); ///< throws RunError: asked, free, held by whom
  void        release(void *memory, std::size_t bytes, const std::string &purpose) noexcept;
  std::size_t peak_memory() const { return peak; } ///< bytes
  const std::map<std::string, std::size_t> &memory_by_purpose() const { return ledger; }
  /// @}

  /// Reductions: one block of sums for each of `reduction_blocks` thread blocks, and the count of finished blocks.
  static constexpr int reduction_blocks = 8192, max_sums = 9;
  double              *partial_sums() const { return partials.get(); }
  unsigned int        *finished_blocks() const { return finished.get(); }

  /// Rises when matrices change: graphs recorded before hold old addresses and coefficients and are recorded anew.
  int  revision() const { return matrix_revision; }
  void matrices_changed() { ++matrix_revision; }

private:
  void take_device(const Communicator::Place &place, bool share_devices);

  Communicator                       all_ranks;
  std::shared_ptr<CUstream_st>       main_stream;
  std::shared_ptr<const CudaRanks>   across;
  std::string                        name;
  int                                device_number       = 0;
  bool                               programmatic_launch = false, graphs = true;
  std::map<std::string, std::size_t> ledger;
  std::size_t                        in_use = 0, peak = 0;
  std::shared_ptr<double>            partials;
  std::shared_ptr<unsigned int>      finished;
  int                                matrix_revision = 0;
};

/// Owned device memory of n objects of type T.
template <typename T>
class CudaArray
{
public:
  CudaArray() = default;
  CudaArray(std::shared_ptr<CudaContext> context, std::size_t n, const char *purpose)
    : context(std::move(context))
    , n(n)
    , purpose(purpose)
  {
    memory = n == 0 ? nullptr : static_cast<T *>(this->context->allocate(n * sizeof(T), purpose));
  }
  CudaArray(CudaArray &&other) noexcept { *this = std::move(other); }
  CudaArray &operator=(CudaArray &&other) noexcept
  {
    std::swap(context, other.context);
    std::swap(memory, other.memory);
    std::swap(n, other.n);
    std::swap(purpose, other.purpose);
    return *this;
  }
  ~CudaArray()
  {
    if (memory != nullptr)
      context->release(memory, n * sizeof(T), purpose);
  }

  std::size_t size() const { return n; }
  T          *data() { return memory; }
  const T    *data() const { return memory; }

private:
  std::shared_ptr<CudaContext> context;
  T                           *memory  = nullptr;
  std::size_t                  n       = 0;
  const char                  *purpose = "";
};

/// Results of reductions: on the device, where later kernels read them, and mirrored by the same kernels into pinned
/// host memory, so that reading them takes a wait but no copy.
class CudaScalars
{
public:
  CudaScalars() = default;
  CudaScalars(const std::shared_ptr<CudaContext> &context, int n);

  int           size() const { return static_cast<int>(on_device.size() / 2); }
  double       *device() { return on_device.data(); }
  const double *device() const { return on_device.data(); }
  double       *device_scratch() { return on_device.data() + size(); } ///< as many again
  double       *host() { return on_host.get(); }

private:
  CudaArray<double>                           on_device;
  std::unique_ptr<double, void (*)(double *)> on_host{nullptr, [](double *) {}};
};

/// Values on their way to host memory. They are set aside on the device and sent on a stream of their own, so that the
/// operations that follow neither wait nor change them.
class CudaSnapshot
{
public:
  CudaSnapshot() = default;
  CudaSnapshot(const std::shared_ptr<CudaContext> &context, int n);

  int     size() const { return static_cast<int>(on_device.size()); }
  double *device() { return on_device.data(); }

  void          send(CUstream_st *main_stream); ///< what the main stream has put into device() so far
  const double *values() const;                 ///< waits until they have arrived; may be called by another thread

private:
  CudaArray<double>                           on_device;
  std::unique_ptr<double, void (*)(double *)> on_host{nullptr, [](double *) {}};
  std::shared_ptr<CUstream_st>                stream;
  std::shared_ptr<CUevent_st>                 taken, arrived;
};

/// A recorded sequence of operations as a CUDA graph.
struct CudaGraph
{
  struct Recording
  {
    std::shared_ptr<CUgraphExec_st> executable;
    int                             n_nodes = 0, revision = 0; // revision of the context when it was made
  };
  std::function<void()>      operations;
  std::shared_ptr<Recording> recording; // replaced when matrices have changed
};
} // namespace adamant
