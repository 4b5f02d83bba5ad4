#pragma once

#include "algebra/cuda/runtime/memory.h"
#include "algebra/device_interface.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// CUDA's handles, opaque here: no CUDA header outside .cu and .cuh files.
struct CUstream_st;
struct CUgraphExec_st;

namespace adamant
{
/// Makes the n-th checked CUDA call from now on fail, for tests; 0: no call fails.
void fail_cuda_call(long n);

namespace cuda
{
/// The UUID of a GPU, by which ranks know whether they share it. The number of a GPU does not tell: it differs where
/// each rank sees other GPUs, as where a batch system gives each rank its own.
using DeviceId = std::array<char, 16>;

/// Returns an empty text where each rank has a device of its own, else a message for the user. `devices` has one entry
/// for each rank.
inline std::string why_shared(std::vector<DeviceId> devices)
{
  const std::size_t n_ranks = devices.size();
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  if (devices.size() == n_ranks)
    return "";
  return std::to_string(n_ranks) + " ranks have " + std::to_string(devices.size()) +
         (devices.size() == 1 ? " GPU" : " GPUs") +
         " between them; start a rank for each GPU, or let them share by Ranks/Share devices = true";
}

class Ranks;
class Batch;

/// One GPU as a device. It has one stream, the ledger of its memory, scratch space for reductions, and the way to the
/// GPUs of other ranks. Operations are asynchronous on the stream. Reductions sum a fixed partition in a fixed order:
/// two runs agree to the last bit. Errors of CUDA are RunErrors. The class is not thread-safe.
///
/// For tests of programs, the environment variable ADAMANT_CUDA_FAIL_CALL=N makes the N-th checked CUDA call fail.
class Context : public DeviceInterface, public std::enable_shared_from_this<Context>
{
public:
  /// Takes the first device. The ranks of a machine take one each of the devices that they see, or share them where
  /// `share_devices` allows it. Throws RunError where the driver or the device is missing or too old, or where ranks
  /// outnumber devices. All ranks throw, or none. MPI's communicator has to live to the end.
  Context(const Communicator &ranks, bool share_devices, MatrixFormat format);
  ~Context() override;
  Context(const Context &)            = delete;
  Context &operator=(const Context &) = delete;

  const DeviceTraits                &traits() const override { return traits_of_gpu; }
  std::string                        name() const override { return device_name; }
  int                                n_threads() const override { return 1; }
  const Communicator                &communicator() const override { return all_ranks; }
  MatrixFormat                       matrix_format() const override { return sparse_format; }
  std::string                        exchange() const override;
  double                             copy_bandwidth() override;
  std::map<std::string, std::size_t> memory() const override { return ledger->by_purpose(); }
  std::size_t                        peak_memory() const override { return ledger->peak(); }

  std::shared_ptr<void> allocate(std::size_t bytes, const char *purpose) override;
  void                  clear(void *memory, std::size_t bytes) override;
  void                  upload(void *to, const void *on_host, std::size_t bytes) override;
  void                  download(void *on_host, const void *from, std::size_t bytes) const override;
  void                  synchronize() const override; ///< waits for all work on the stream

  ScalarStorage                    create_scalars(int n) override;
  std::shared_ptr<SnapshotStorage> create_snapshot(int n) override;
  std::shared_ptr<MarkStorage>     create_mark() override;
  std::shared_ptr<GraphStorage>    record(const std::function<void()> &operations) override;
  void                             run_together(const std::function<void()> &operations) override;
  void                             launch_waiting() override { stream(); }
  int                              n_recorded() const override;
  std::shared_ptr<LoopStorage>     create_loop(const Asking &first, const Asking &step, const Cycles &cycles,
                                               bool recordable) override;
  void                             invert(double *a, int n) override;
  void                             arnoldi(const ArnoldiVectors &vectors) const override;

  const Operations<double> &operations(double) const override { return *in_double; }
  const Operations<float>  &operations(float) const override { return *in_float; }

  /// @name For kernels
  /// @{
  CUstream_st *stream() const;     ///< first launches all that waits in a batch
  Batch       *open_batch() const; ///< the batch that keeps launches now; null: none does
  int          device() const { return device_number; }
  int          n_multiprocessors() const { return multiprocessors; }
  /// Copies to the device from host memory, which may change when this returns; later work on the stream finds the
  /// copy.
  void send(void *to, const void *on_host, std::size_t bytes) const;
  /// Returns whether kernels may start before the ones before them have ended. This needs kernels that were compiled
  /// for compute capability 9.0 or newer, so that they wait, and no library's kernels between them.
  bool overlaps_launches() const { return programmatic_launch; }
  /// Returns whether the next launch may start before the kernels before it have ended. It may not behind a kernel that
  /// writes data that others load early. Call it once for each launch.
  bool next_launch_may_overlap() const { return !std::exchange(behind_writer, false) && programmatic_launch; }
  void separate_next_launch() const { behind_writer = true; }
  /// Returns whether graphs are replayed: not where ADAMANT_CUDA_GRAPHS=0 (profilers then see each operation) or ranks
  /// exchange through host memory.
  bool replays_graphs() const;
  /// Returns whether graphs repeat parts of themselves: CUDA and driver 12.4 or newer, one rank, no library's kernels.
  bool                           replays_loops() const;
  const Ranks                   *ranks() const { return across.get(); } ///< null on one rank
  const std::shared_ptr<Memory> &memory_of_device() const { return ledger; }

  /// Scratch space for reductions: max_sums sums of each of `reduction_blocks` thread blocks, and the count of finished
  /// blocks.
  static constexpr int reduction_blocks = 8192, max_sums = 9;
  double              *partial_sums() const { return partials.data(); }
  unsigned int        *finished_blocks() const { return finished.data(); }

  /// Returns a number that rises when matrices change. Graphs recorded before hold old addresses and coefficients and
  /// are recorded anew.
  int  revision() const { return matrix_revision; }
  void outdate_graphs() override { ++matrix_revision; }
  /// @}

private:
  DeviceId take_device(int rank_on_machine);

  Communicator                        all_ranks;
  MatrixFormat                        sparse_format;
  std::shared_ptr<Memory>             ledger = std::make_shared<Memory>();
  std::shared_ptr<CUstream_st>        main_stream;
  std::shared_ptr<const Ranks>        across;
  std::string                         device_name;
  int                                 device_number = 0, multiprocessors = 0;
  bool                                programmatic_launch = false, graphs = true, loops = false;
  mutable bool                        behind_writer = false; // whether the last launch was a writer
  mutable DeviceArray<double>         partials;
  mutable DeviceArray<unsigned int>   finished;
  mutable Staging                     staging;
  int                                 matrix_revision = 0;
  std::unique_ptr<Batch>              together;  // null where no loops are replayed
  std::unique_ptr<Operations<double>> in_double; // these two hold the handles of cuSPARSE and cuBLAS
  std::unique_ptr<Operations<float>>  in_float;
};
} // namespace cuda
} // namespace adamant
