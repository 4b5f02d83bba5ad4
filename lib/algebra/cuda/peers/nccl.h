#pragma once

#include "base/communicator.h"
#include "base/exchange_plan.h"

#include <memory>
#include <string>

struct CUstream_st;

namespace adamant::cuda
{
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
} // namespace adamant::cuda
