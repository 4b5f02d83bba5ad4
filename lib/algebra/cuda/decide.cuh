#pragma once

#include "algebra/cuda/check.cuh"

namespace adamant
{
namespace cuda
{
/// Whether the CUDA that this is compiled with knows loops in graphs.
inline constexpr bool conditional_nodes = CUDART_VERSION >= 12040;

/// What is asked behind operations that no loop ends with.
struct NoControl
{
};

/// Whether what has ended is to begin again: control.again(), where there is one.
/// @{
template <class Control>
__device__ auto begins_again(const Control &control, int) -> decltype(control.again())
{
  return control.again();
}
template <class Control>
__device__ bool begins_again(const Control &, long)
{
  return false;
}
/// @}

/// Asks the control of a loop and leaves its answer; one thread calls it.
template <class Control>
__device__ void ask(const Control &control, const LoopAnswer &answer)
{
  const bool goes_on = control();
  if (answer.on_host != nullptr)
    *answer.on_host = goes_on;
#if CUDART_VERSION >= 12040
  else if (answer.node != 0)
    cudaGraphSetConditional(answer.node, goes_on);
  if (answer.again != 0 && !goes_on)
    cudaGraphSetConditional(answer.again, begins_again(control, 0));
#endif
}

template <class Control>
__global__ void control_kernel(const Control control, const LoopAnswer answer)
{
  wait_for_predecessor();
  ask(control, answer);
}

/// In a kernel of its own.
template <class Control>
void decide(const DeviceInterface &device, const Control &control, const LoopAnswer &answer)
{
  const auto &context = static_cast<const Context &>(device);
  launch(context, __PRETTY_FUNCTION__, control_kernel<Control>, 1, 1, control, answer);
}
} // namespace cuda
} // namespace adamant
