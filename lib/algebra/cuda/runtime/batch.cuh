#pragma once

#include "algebra/cuda/runtime/check.cuh"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

// Graphs are recorded here, also the ones that repeat batches of launches.

namespace adamant::cuda
{
std::shared_ptr<CUgraph_st> create_graph();

/// Adds the launches of `operations` on the context's stream to the graph `into`, behind the last of its nodes, or,
/// where `into` is null, to a new graph. Returns that graph. A batch that is open does not keep these launches.
std::shared_ptr<CUgraph_st> captured_graph(const Context &context, const std::function<void()> &operations,
                                           CUgraph_st *into = nullptr);

std::shared_ptr<CUgraphExec_st> instantiate(CUgraph_st *graph);

/// Returns the last node of a graph in which each node but the first depends on the one before it, or null where there
/// is none.
CUgraphNode_st *last_node(CUgraph_st *graph);

class Loop;

/// Launches that wait to be made together. They come from the operations that run() is given, up to where the stream is
/// asked for something else, such as a copy or a wait of the host. A sequence of kernels and loops that comes again and
/// again is recorded. It has a graph for each set of arguments that comes again, as vectors change places. Arguments
/// that never do, such as the time, are given to the graph before each launch. A sequence that came a few times only is
/// launched one by one. Marks are taken behind all launches that wait with them. Memory that a waiting kernel may use
/// is not given back before its launch.
class Batch
{
public:
  explicit Batch(const Context &context)
    : context(context)
  {}

  void run(const std::function<void()> &operations);   ///< runs them in one batch, or as part of an open one
  void leave(const std::function<void()> &operations); ///< runs them outside of the batch

  bool open() const { return is_open; }
  void add(const KernelLaunch &kernel, std::initializer_list<Argument> arguments);
  void add(const std::shared_ptr<Loop> &loop);
  void add(const std::shared_ptr<CUevent_st> &mark) { waiting.marks.push_back(mark); }
  bool holds(const CUevent_st *mark) const;

  void launch_waiting() { launch_waiting(true); }
  void launch_before_release() noexcept; ///< as launch_waiting; the next launch throws its error

  int n_recorded() const; ///< number of graphs

private:
  struct Operation
  {
    KernelLaunch                                     kernel;
    std::shared_ptr<Loop>                            loop;      // not null: takes the place of the kernel
    std::vector<std::pair<std::size_t, std::size_t>> arguments; // of the kernel: places in `bytes`, and sizes
  };
  struct Launches
  {
    void                clear();
    std::vector<void *> arguments(const Operation &operation);
    std::string_view    bytes_of(const Operation &operation) const; // its arguments, with gaps of zeros

    std::vector<Operation>                   operations;
    std::vector<std::shared_ptr<CUevent_st>> marks;
    std::string                              kernels; // identifies the operations but for their arguments
    std::string                              bytes;   // of the arguments
  };
  // The launches of a sequence with one set of arguments.
  struct Repeated
  {
    std::size_t                                           n_launches = 0; // launches so far that a graph would spare
    std::shared_ptr<CUgraph_st>                           graph;
    std::shared_ptr<CUgraphExec_st>                       executable;
    std::vector<std::pair<std::size_t, CUgraphNode_st *>> varying; // operations that get new arguments
  };
  struct Sequence
  {
    std::vector<std::unordered_set<std::size_t>> values; // for each operation, hashes of its arguments so far
    std::unordered_map<std::string, Repeated>    repeated;

    bool varies(std::size_t operation) const;
  };

  void      launch_waiting(bool may_record);
  bool      replay(Launches &launches);
  Repeated &find(const Launches &launches, Sequence &sequence);
  Repeated  record(Launches &launches, const Sequence &sequence) const;
  void      forget();
  void      forget(Sequence &sequence);

  const Context                            &context;
  bool                                      is_open = false;
  Launches                                  waiting, under_way;
  std::unordered_map<std::string, Sequence> sequences; // found by their kernels and loops
  std::exception_ptr                        failure;
};

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
