#pragma once

#include "algebra/cuda/runtime/check.cuh"

namespace adamant::cuda
{
/// True where the CUDA that this is compiled with knows loops in graphs.
inline constexpr bool conditional_nodes = CUDART_VERSION >= 12040;

/// The control of operations that end no loop's step; it is not asked.
struct NoControl
{
};

/// Asks the control of a loop and leaves its answer where `answer` says; one thread calls it.
template <class Control>
__device__ void ask(const Control &control, const LoopAnswer &answer)
{
  const bool goes_on = control();
  if (answer.on_host != nullptr)
    *answer.on_host = goes_on;
#if CUDART_VERSION >= 12040
  else if (answer.node != 0)
    cudaGraphSetConditional(answer.node, goes_on);
#endif
}

template <class Control>
__global__ void control_kernel(const Control control, const LoopAnswer answer)
{
  wait_for_predecessor();
  ask(control, answer);
}

/// Asks the control in a kernel of its own.
template <class Control>
void decide(const DeviceInterface &device, const Control &control, const LoopAnswer &answer)
{
  const auto &context = static_cast<const Context &>(device);
  launch(context, __PRETTY_FUNCTION__, control_kernel<Control>, 1, 1, control, answer);
}

template <class Control>
__global__ void tell_kernel(const Control control, const LoopAnswer answer)
{
  wait_for_predecessor();
#if CUDART_VERSION >= 12040
  const bool again = control.again();
  if (answer.again != 0)
    cudaGraphSetConditional(answer.again, again);
  cudaGraphSetConditional(answer.node, again || control.goes_on());
#endif
}

/// Leaves where `answer` says whether a loop goes on or begins again, and whether it begins again. It does not ask the
/// control for another step.
template <class Control>
void tell(const DeviceInterface &device, const Control &control, const LoopAnswer &answer)
{
  const auto &context = static_cast<const Context &>(device);
  launch(context, __PRETTY_FUNCTION__, tell_kernel<Control>, 1, 1, control, answer);
}
} // namespace adamant::cuda
