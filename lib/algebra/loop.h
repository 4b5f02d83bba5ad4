#pragma once

#include "algebra/device.h"

#include <functional>
#include <memory>

namespace adamant
{
/// A functor that sets *to = value, for a value that differs from run to run of recorded operations.
template <class T>
struct Assign
{
  T                        value;
  T                       *to;
  ADAMANT_HOST_DEVICE void operator()(int) const { *to = value; }
};

/// Repeats a step while control() says so. The control is a functor that one thread of the device calls. On a GPU the
/// whole loop is one launch, in which the host takes no part: a graph with a conditional node (CUDA 12.4 or newer). The
/// host fetches the answers with older versions, with MatrixFormat::cusparse, on several ranks, and where a step cannot
/// be recorded.
class Loop
{
public:
  Loop() = default;
  /// Makes a loop whose `step` ends by asking the control, with Device::sums or `ask`, and returns the answer. Objects
  /// that the control or the step refers to have to outlive the loop. A `recordable` step does not wait and makes no
  /// vectors; it is recorded once.
  template <class Control>
  Loop(const Device &device, const Control &control, const std::function<bool(const LoopAnswer &)> &step,
       bool recordable)
    : loop(device.interface().create_loop(asking(device, control), step, {}, recordable))
  {}
  /// Makes a loop of several cycles. control.goes_on() is true while a cycle lasts. When a cycle has ended and
  /// control.again() is true, the operations `again` prepare another one. `finish`, where there is one, may run behind
  /// any step. If the cycle has ended it completes the cycle, and it asks a control whether the loop goes on or begins
  /// again. Where the loop does not repeat itself, the caller of `run` also calls `finish` and begins the cycles.
  template <class Control>
  Loop(const Device &device, const Control &control, const std::function<bool(const LoopAnswer &)> &step,
       bool recordable, const std::function<void()> &again, const std::function<bool(const LoopAnswer &)> &finish = {})
    : loop(device.interface().create_loop(asking(device, control), step, {again, finish, telling(device, control)},
                                          recordable))
  {}

  explicit operator bool() const { return loop != nullptr; }
  void     run() const { loop->run(); }
  /// Returns whether `run` only launches the loop, so that the host may go on.
  bool repeats_itself() const { return loop->repeats_itself(); }
  /// `steps` is the length of the last run. The next runs may launch `steps` steps without asking the control. Steps
  /// after the end must change no result.
  void expect(int steps) const { loop->expect(steps); }

  /// Asks a control, in a kernel of its own. Returns its answer on the host, and true on a GPU, where the answer goes
  /// where `answer` says.
  template <class Control>
  static bool ask(const Device &device, const Control &control, const LoopAnswer &answer)
  {
    if constexpr (built_with_cuda)
      if (device.traits().kernels)
        {
          cuda::decide(device.interface(), control, answer);
          return true;
        }
    return control();
  }

private:
  template <class Control>
  static DeviceInterface::Asking asking(const Device &device, const Control &control)
  {
    return [device, control](const LoopAnswer &answer) { return ask(device, control, answer); };
  }
  template <class Control>
  static DeviceInterface::Asking telling(const Device &device, const Control &control)
  {
    if constexpr (built_with_cuda)
      if (device.traits().kernels)
        return [device, control](const LoopAnswer &answer) {
          cuda::tell(device.interface(), control, answer);
          return true;
        };
    return {};
  }

  std::shared_ptr<LoopStorage> loop;
};
} // namespace adamant
