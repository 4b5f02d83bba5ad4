#pragma once

#include "algebra/cuda/peers/ranks.h"
#include "algebra/cuda/peers/regions.cuh"
#include "algebra/cuda/runtime/check.cuh"
#include "base/exchange_plan.h"

#include <memory>

namespace adamant::cuda
{
/// Another rank, with which messages are exchanged by writing into its memory.
template <typename Number>
struct Neighbour
{
  Number   *values;        ///< in its memory: where this rank's message goes, in the first of two buffers
  long      buffer;        ///< distance from the first buffer to the second
  unsigned *arrived;       ///< in its memory: how many blocks of this rank have sent
  int       begin, length; ///< the message's part of the plan's `sent`
};

/// The ghosts as kernels get them, component c of ghost j at [j n_components + c].
template <typename Number>
struct Ghosts
{
  const Number   *values;
  long            buffer;
  const unsigned *count;   ///< exchanges that have begun; null: the stream waits instead
  const unsigned *arrived; ///< for each neighbour, how many of its blocks have sent, and how many do so in an exchange
  int             n_neighbours;

  static constexpr int spacing = 32; // of neighbours in `arrived`: each has a line of the cache

  /// Returns the ghosts when they are there; all threads of a block wait.
  __device__ const Number *wait() const
  {
    if (count == nullptr)
      return values;
    const unsigned current = __ldcg(count);
    for (int k = threadIdx.x; k < n_neighbours; k += blockDim.x)
      {
        const unsigned expected = current * arrived[k * spacing + 1];
        unsigned       sent;
        do
          asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(sent) : "l"(arrived + k * spacing) : "memory");
        while (static_cast<int>(sent - expected) < 0);
      }
    __syncthreads();
    return values + (current % 2) * buffer;
  }
};

template <typename Number, class Gather>
__global__ void pack_kernel(int n, const int *sent, int n_components, Gather x, Number *outgoing)
{
  wait_for_predecessor();
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n)
    outgoing[k] = x(sent[k / n_components], k % n_components);
}

/// The messages that a rank sends in an exchange. The first n_blocks blocks of a kernel send them, to each neighbour in
/// turn.
template <typename Number>
struct Sends
{
  const Neighbour<Number> *neighbours   = nullptr;
  const int               *sent         = nullptr;
  unsigned                *counters     = nullptr; // exchanges begun; then the blocks that have sent in the present one
  int                      n_components = 1, n_neighbours = 0, n_blocks = 0;

  /// Returns whether this is one of the blocks that send. If so, it writes its part of x(i, component) into a
  /// neighbour's memory and tells the neighbour; the last block counts the exchange. The buffers alternate: a neighbour
  /// that has begun the next exchange has done with the last but one.
  template <class Gather>
  __device__ bool by_this_block(const Gather &x) const
  {
    if (static_cast<int>(blockIdx.x) >= n_blocks)
      return false;
    const Neighbour<Number> to   = neighbours[blockIdx.x % n_neighbours];
    const int               step = n_blocks / n_neighbours * blockDim.x, length = to.length * n_components;
    const auto              entry = [&](int k) { return k < length ? sent[to.begin + k / n_components] : 0; };
    int                     k = blockIdx.x / n_neighbours * blockDim.x + threadIdx.x, i = entry(k);
    wait_for_predecessor();
    const unsigned begun_before = __ldcg(counters);
    Number        *target       = to.values + ((begun_before + 1) % 2) * to.buffer;
    for (; k < length; k += step, i = entry(k))
      target[k] = x(i, k % n_components);
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x > 0)
      return true;
    asm volatile("red.release.sys.global.add.u32 [%0], 1;" ::"l"(to.arrived) : "memory");
    if (static_cast<int>(atomicAdd(counters + 1, 1)) + 1 == n_blocks)
      {
        counters[1] = 0;
        counters[0] = begun_before + 1;
      }
    return true;
  }
};

template <typename Number, class Gather>
__global__ void send_kernel(Sends<Number> sends, Gather x)
{
  sends.by_this_block(x);
}

template <typename Number>
__global__ void receive_kernel(Ghosts<Number> ghosts, long n, Number *values)
{
  wait_for_predecessor();
  const Number *from = ghosts.wait();
  for (long k = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x; k < n;
       k += static_cast<long>(gridDim.x) * blockDim.x)
    values[k] = __ldcg(from + k);
}
/// The exchange of the ghosts of vectors by a plan, beside the kernels between `start` (or `send`) and `finish`. Where
/// the GPUs of all ranks reach each other's memory, the kernels write there; else Ranks exchanges. All ranks that
/// exchange messages make it together.
template <typename Number>
class Exchange
{
public:
  /// Makes the exchange. Each rank ends it by itself, when the exchanges that have begun are over: neighbours write no
  /// more then.
  Exchange(const std::shared_ptr<Context> &context, const std::shared_ptr<const ExchangePlan> &plan,
           int n_components = 1);

  /// Begins to send x(i, c), component c of the owned entry i, to the ranks that read it. Where kernels write into
  /// neighbours' memory, that is left to the next kernel: returns the messages that it has to send.
  template <class Gather>
  Sends<Number> start(const Context &context, const Gather &x)
  {
    const int n = static_cast<int>(sent.size()) * n_components;
    if (const int n_neighbours = static_cast<int>(neighbours.size()); n_neighbours > 0)
      {
        return {neighbours.data(), sent.data(),  counters.data(),
                n_components,      n_neighbours, n_neighbours * blocks_each()};
      }
    launch(context, "pack", pack_kernel<Number, Gather>, blocks_for(n), block_size, n, sent.data(), n_components, x,
           outgoing.data());
    context.ranks()->start(context.stream());
    return {};
  }

  /// Sends x(i, c) by a kernel of its own.
  template <class Gather>
  void send(const Context &context, const Gather &x)
  {
    const auto sends = start(context, x);
    launch(context, "send", send_kernel<Number, Gather>, sends.n_blocks, block_size, sends, x);
  }

  /// Returns whether the result of `finish` follows on kernels of the library only, with which the next kernel may
  /// overlap.
  bool follows_kernels() const { return neighbours.size() > 0; }

  /// Returns the ghosts, for which kernels have to wait.
  Ghosts<Number> finish(const Context &context)
  {
    if (neighbours.size() > 0)
      return {values, buffer, counters.data(), arrived, static_cast<int>(neighbours.size())};
    context.ranks()->finish(*plan, n_components, outgoing.data(), incoming.data(), context.stream());
    return {incoming.data(), 0, nullptr, nullptr, 0};
  }

  /// Returns the ghosts in memory that later kernels may read at once.
  const Number *finish_and_wait(const Context &context)
  {
    const auto ghosts = finish(context);
    const long n      = static_cast<long>(plan->n_ghosts()) * n_components;
    if (neighbours.size() > 0)
      launch(context, "receive", receive_kernel<Number>, std::max(1, std::min(512, blocks_for(n))), block_size, ghosts,
             n, incoming.data());
    return incoming.data();
  }

private:
  // Returns the number of blocks that send to each neighbour.
  int  blocks_each() const { return std::max(1, std::min(256, blocks_for(longest * static_cast<long>(n_components)))); }
  void meet_neighbours();
  void connect(); // makes a first exchange, which a graph could not record

  std::shared_ptr<Context>            context;
  std::shared_ptr<const ExchangePlan> plan;
  int                                 n_components, longest = 0; // entries of the longest message sent
  DeviceArray<int>                    sent;
  DeviceArray<Number>                 outgoing, incoming;

  // The memory where neighbours write: their counts, then two buffers.
  std::shared_ptr<const PeerRegion> region;
  DeviceArray<Neighbour<Number>>    neighbours; // empty: Ranks exchanges
  DeviceArray<unsigned>             counters;   // the counters of Sends
  unsigned                         *arrived = nullptr;
  Number                           *values  = nullptr;
  long                              buffer  = 0;
};
} // namespace adamant::cuda
