#pragma once

#include "algebra/cuda/runtime/context.h"
#include "base/communicator.h"
#include "base/exchange_plan.h"

#include <memory>
#include <optional>
#include <string>

struct CUstream_st;
struct CUevent_st;

namespace adamant::cuda
{
struct PeerRegion;

/// NCCL: messages and sums that travel between the GPUs of ranks without the host. The library is loaded while the
/// program runs; the environment variable ADAMANT_NCCL may name another file. Calls are asynchronous on the stream that
/// they are given, and may be recorded in a CUDA graph. They throw RunError with NCCL's own words, the call and its
/// arguments.
class Nccl
{
public:
  static std::string why_unavailable(); ///< empty where the library can be loaded

  /// Connects the ranks, which call it together. Each has a device of its own, which is the current one.
  explicit Nccl(const Communicator &ranks);

  /// Sums n values in device memory over all ranks, in place; all ranks get the same bits.
  void sum(double *values, int n, CUstream_st *stream) const;

  /// Sends outgoing[n m.begin .. n m.end) for each message m of the plan and receives the ghosts into `incoming`. Both
  /// are in device memory, with n numbers for each entry.
  template <typename Number>
  void exchange(const ExchangePlan &plan, int n, const Number *outgoing, Number *incoming, CUstream_st *stream) const;

  std::string version() const; ///< e.g. "2.28.9"

private:
  struct Library;
  std::shared_ptr<const Library> library;
  std::shared_ptr<void>          communicator;
};

/// Boxes where kernels leave sums for the other GPUs of a machine, and find the sums of these (sum_over_peers). A
/// number travels as two words. Each word holds a half of the number and the count of the sum for which it is: who
/// reads that count has the half.
struct PeerBoxes
{
  using Word = unsigned long long;

  static constexpr int most_ranks = 16, words = 2 * Context::max_sums; ///< words of a message
  static constexpr int size = 2 * most_ranks * words; ///< words of a box: two buffers of a message of each rank

  int          n_ranks = 0, rank = 0; ///< 0 ranks: there are no boxes
  Word *const *boxes = nullptr;       ///< boxes of all ranks, this one's too
  unsigned    *count = nullptr;       ///< number of sums made
};
/// The common work of the GPUs of several ranks: sums, and the exchange of ghosts. Both go from device to device by
/// NCCL where each rank has a device of its own and NCCL is found. Else they go through host memory by MPI: the host
/// then waits, and graphs cannot record it. Where all GPUs are in one machine and reach each other's memory, kernels
/// exchange ghosts (Exchange) and make sums (Reduction) themselves.
///
/// For tests, ADAMANT_PEER_MEMORY=0 in the environment leaves both to NCCL.
class Ranks
{
public:
  /// Connects the ranks, which call it together, each on its current device. The communicator has to live to the end.
  Ranks(const Communicator &ranks, bool own_devices, Memory &ledger);
  ~Ranks();
  Ranks(const Ranks &)            = delete;
  Ranks &operator=(const Ranks &) = delete;

  bool               in_graphs() const { return nccl.has_value(); }
  bool               reach_memory() const { return peer_memory; } ///< whether kernels reach all other ranks' GPUs
  PeerBoxes          peer_boxes() const { return boxes; }
  const std::string &description() const { return how; } ///< e.g. "NCCL 2.28.9"

  /// Sums n values in device memory over all ranks, in place; all ranks get the same bits.
  void sum(double *values, int n, CUstream_st *stream) const;

  /// @name Exchange beside the operations that follow on the main stream
  /// @{
  void start(CUstream_st *main_stream) const; ///< all data to be sent are ready at this point
  /// Sends the plan's messages from `outgoing` and receives the ghosts into `incoming`. Both are in device memory, with
  /// n_components numbers for each entry. Later work on the main stream finds the ghosts there.
  template <typename Number>
  void finish(const ExchangePlan &plan, int n_components, const Number *outgoing, Number *incoming,
              CUstream_st *main_stream) const;
  /// @}

private:
  std::string swap_boxes(Memory &ledger);

  Communicator                      ranks;
  MPI_Comm                          for_the_end = MPI_COMM_NULL; // for the destructor, where there is NCCL
  std::optional<Nccl>               nccl;
  std::string                       how;
  bool                              peer_memory = false;
  std::shared_ptr<const PeerRegion> box; // this rank's box, and data that it alone uses
  PeerBoxes                         boxes;
  std::shared_ptr<CUstream_st>      stream; // of the exchange
  std::shared_ptr<CUevent_st>       ready, arrived;
};
} // namespace adamant::cuda
