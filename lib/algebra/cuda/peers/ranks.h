#pragma once

#include "algebra/cuda/context.h"
#include "algebra/cuda/peers/nccl.h"
#include "base/communicator.h"
#include "base/exchange_plan.h"

#include <memory>
#include <optional>
#include <string>

struct CUstream_st;
struct CUevent_st;

namespace adamant
{
namespace cuda
{
struct PeerRegion;

/// Where kernels leave sums for the other GPUs of a machine, and find theirs (sum_over_peers). A number travels as two
/// words, each of which holds a half of it and the count of the sum it is for: who reads that count has the half.
struct PeerBoxes
{
  using Word = unsigned long long;

  static constexpr int most_ranks = 16, words = 2 * Context::max_sums; ///< of a message
  static constexpr int size = 2 * most_ranks * words; ///< of a box: two buffers of a message of each rank

  int          n_ranks = 0, rank = 0; ///< no ranks: there are no boxes
  Word *const *boxes = nullptr;       ///< of all ranks, this one's too
  unsigned    *count = nullptr;       ///< of the sums made
};
/// What the GPUs of several ranks do together: sums, and the exchange of ghosts. Both go from device to device by NCCL
/// where each rank has a device of its own and NCCL is found, else through host memory by MPI: the host then waits, and
/// graphs cannot record it. Where all GPUs are in one machine and reach each other's memory, kernels exchange ghosts
/// (Exchange) and make sums (Reduction) themselves.
///
/// For tests, ADAMANT_PEER_MEMORY=0 in the environment leaves that to NCCL.
class Ranks
{
public:
  /// All ranks together, each on its current device. The communicator is there to the end.
  Ranks(const Communicator &ranks, bool own_devices, Memory &ledger);
  ~Ranks();
  Ranks(const Ranks &)            = delete;
  Ranks &operator=(const Ranks &) = delete;

  bool               in_graphs() const { return nccl.has_value(); }
  bool               reach_memory() const { return peer_memory; } ///< of all other ranks' GPUs
  PeerBoxes          peer_boxes() const { return boxes; }
  const std::string &description() const { return how; } ///< e.g. "NCCL 2.28.9"

  /// Sums of n values in device memory over all ranks, in place: the same bits on all ranks.
  void sum(double *values, int n, CUstream_st *stream) const;

  /// @name Exchange beside the operations that follow on the main stream
  /// @{
  void start(CUstream_st *main_stream) const; ///< what is to be sent is ready here
  /// Sends the plan's messages from `outgoing` and receives the ghosts into `incoming`, device memory both with
  /// n_components numbers for each entry; what follows on the main stream finds them there.
  template <typename Number>
  void finish(const ExchangePlan &plan, int n_components, const Number *outgoing, Number *incoming,
              CUstream_st *main_stream) const;
  /// @}

private:
  std::string swap_boxes(Memory &ledger);

  Communicator                      ranks;
  MPI_Comm                          for_the_end = MPI_COMM_NULL; // of the ranks, where there is NCCL
  std::optional<Nccl>               nccl;
  std::string                       how;
  bool                              peer_memory = false;
  std::shared_ptr<const PeerRegion> box; // this rank's, and what it alone uses
  PeerBoxes                         boxes;
  std::shared_ptr<CUstream_st>      stream; // of the exchange
  std::shared_ptr<CUevent_st>       ready, arrived;
};
} // namespace cuda
} // namespace adamant
