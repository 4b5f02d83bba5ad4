#pragma once

#include "algebra/cuda/runtime/context.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace adamant::cuda
{
/// A loop that the device repeats by itself. Its graph has the first question to the control, some steps, and a node
/// that repeats the step. Where there are several cycles, that node repeats `again`, if another cycle begins, a node
/// that repeats the step, and `finish`. So a loop that ends within its first steps passes a single conditional node;
/// these nodes take time.
class Loop : public LoopStorage, public std::enable_shared_from_this<Loop>
{
public:
  Loop(std::shared_ptr<Context> context, DeviceInterface::Asking first, DeviceInterface::Asking step,
       DeviceInterface::Cycles cycles);

  void run() override;
  /// Takes the number of steps of the last run. The fewest steps of some runs precede the node that repeats, which
  /// takes 4 us a step.
  void expect(int steps) override;
  bool repeats_itself() const override { return true; }

  /// @name For batches
  /// @{
  std::uint64_t number() const { return recording; } ///< of the last recording; no other one has it
  void          launch() const;                      ///< launches the last recording at once
  void          add_to(CUgraph_st *graph) const;     ///< adds the loop behind the graph's last node
  /// @}

private:
  void capture();

  std::shared_ptr<Context>        context;
  DeviceInterface::Asking         first, step;
  DeviceInterface::Cycles         cycles;
  std::shared_ptr<CUgraphExec_st> executable;
  std::uint64_t                   recording = 0;
  int                             revision  = 0;
  int                             at_once   = 0;             // steps before the node that repeats
  int                             n_runs = 0, n_counted = 8; // runs since at_once was set; runs until it is set anew
  int                             fewest = most_at_once;     // fewest steps of one of these runs

  static constexpr int most_at_once = 32;
};

} // namespace adamant::cuda
