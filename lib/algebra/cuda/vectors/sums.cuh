#pragma once

#include "algebra/cuda/runtime/decide.cuh"
#include "algebra/cuda/vectors/partial_sums.cuh"
#include "algebra/cuda/vectors/reduction.cuh"
#include "algebra/functors/functor_types.h"

#include <type_traits>

namespace adamant::cuda
{
/// Adds f(i, constants) over this thread's elements of n to `mine`.
template <class Functor, class Constants>
__device__ void add_my_elements(int n, const Functor &f, const Constants &constants, double (&mine)[Functor::n_sums])
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    {
      const Sums<Functor::n_sums> term = f(i, constants);
#pragma unroll
      for (int s = 0; s < Functor::n_sums; ++s)
        mine[s] += term.value[s];
    }
}

template <class Functor, class Control>
__global__ void sums_kernel(int n, const Functor f, const Reduction reduction, double *result, const Control control,
                            const LoopAnswer answer)
{
  wait_for_predecessor();
  constexpr int n_sums       = Functor::n_sums;
  double        mine[n_sums] = {}, sum[n_sums];
  add_my_elements(n, f, f.prepare(), mine);
  if (!reduction.total(mine, sum))
    return;
  for (int s = 0; s < n_sums; ++s)
    result[s] = sum[s];
  if constexpr (!std::is_same_v<Control, NoControl>)
    ask(control, answer);
}

template <class Functor, class Control>
void launch_sums(const Context &context, const Call &name, int n, const Functor &f, double *result,
                 const Control &control, const LoopAnswer &answer)
{
  launch(context, name, sums_kernel<Functor, Control>, reduction_blocks_for(n), block_size, n, f, Reduction(context),
         result, control, answer);
}

/// Leaves this block's part of the sums of f.
template <class Functor>
__global__ void partial_sums_kernel(int n, const Functor f, const PartialSums sums)
{
  wait_for_predecessor();
  double mine[Functor::n_sums] = {};
  add_my_elements(n, f, f.prepare(), mine);
  sums.leave(0, Functor::n_sums, mine);
}

/// Writes the sums that as many blocks have left in `before` to result[0, ...). The functor f takes these, and its own
/// sums go behind them.
template <int n_before, class Functor, class Control>
__global__ void sums_with_sums_kernel(int n, const Functor f, const PartialSums before, const Reduction reduction,
                                      double *result, const Control control, const LoopAnswer answer)
{
  __shared__ double here[PartialSums::most_sums];
  wait_for_predecessor();
  constexpr int n_sums       = Functor::n_sums;
  double        mine[n_sums] = {}, sum[n_sums];
  add_my_elements(n, f, f.prepare(before.sums(n_before, gridDim.x, result, here)), mine);
  if (!reduction.total(mine, sum))
    return;
  for (int s = 0; s < n_before; ++s)
    result[s] = here[s];
  for (int s = 0; s < n_sums; ++s)
    result[n_before + s] = sum[s];
  ask(control, answer);
}

/// Sets result[j] to the sum of f(i, f.prepare()).value[j] over i < n and all ranks.
template <class Functor>
void sums(const DeviceInterface &device, int n, const Functor &f, double *result)
{
  const auto &context = static_cast<const Context &>(device);
  launch_sums(context, __PRETTY_FUNCTION__, n, f, result, NoControl(), {});
  sum_over_ranks(context, Functor::n_sums, result);
}

/// Computes the sums of f, then asks the control of a loop, or ToHost. The thread that has the sums asks, unless they
/// still have to be added up over ranks.
template <class Functor, class Control>
void sums(const DeviceInterface &device, int n, const Functor &f, double *result, const Control &control,
          const LoopAnswer &answer)
{
  const auto &context = static_cast<const Context &>(device);
  if (!leaves_sums_to_ranks(context))
    return launch_sums(context, __PRETTY_FUNCTION__, n, f, result, control, answer);
  sums(device, n, f, result);
  decide(device, control, answer);
}

/// Computes the sums of f, then the sums of g, which takes the sums of f. On one rank the second kernel adds up the
/// parts that the first one's blocks leave.
template <class F, class G, class Control>
void sums(const DeviceInterface &device, int n, const F &f, const G &g, double *result, const Control &control,
          const LoopAnswer &answer)
{
  const auto &context = static_cast<const Context &>(device);
  if (context.ranks() != nullptr)
    {
      sums(device, n, f, result);
      return sums(device, n, WithSums<G>{g, result}, result + F::n_sums, control, answer);
    }
  const int         blocks = reduction_blocks_for(n);
  const PartialSums parts{Reduction(context), context.partial_sums() + PartialSums::room, true};
  launch(context, __PRETTY_FUNCTION__, partial_sums_kernel<F>, blocks, block_size, n, f, parts);
  launch(context, __PRETTY_FUNCTION__, sums_with_sums_kernel<F::n_sums, G, Control>, blocks, block_size, n, g, parts,
         Reduction(context), result, control, answer);
}
} // namespace adamant::cuda
