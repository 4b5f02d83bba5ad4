#pragma once

#include "algebra/cuda/check.cuh"

#include <cstddef>
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

namespace adamant
{
namespace cuda
{
class Loop;

/// Launches that wait to be made together: those of the operations that run() is given, up to where the stream is asked
/// for something else, such as a copy or a wait of the host. A sequence of kernels and loops that comes again and again
/// is recorded, a graph for each of the sets of arguments that come again, as vectors change places; arguments that
/// never do, such as the time, are given to it before each launch. What came a few times is launched one by one. Marks
/// are taken behind all that waits with them. Memory that a waiting kernel may use is not given back before its launch.
class Batch
{
public:
  explicit Batch(const Context &context)
    : context(context)
  {}

  void run(const std::function<void()> &operations);   ///< in one batch; in another one they are part of that
  void leave(const std::function<void()> &operations); ///< these are launched at once

  bool open() const { return is_open; }
  void add(const KernelLaunch &kernel, std::initializer_list<Argument> arguments);
  void add(const std::shared_ptr<Loop> &loop);
  void add(const std::shared_ptr<CUevent_st> &mark) { waiting.marks.push_back(mark); }
  bool holds(const CUevent_st *mark) const;

  void launch_waiting() { launch_waiting(true); }
  void launch_before_release() noexcept; ///< likewise; an error is thrown by the next launch

  int n_recorded() const; ///< graphs

private:
  struct Operation
  {
    KernelLaunch                                     kernel;
    std::shared_ptr<Loop>                            loop;      // not null: this in the place of a kernel
    std::vector<std::pair<std::size_t, std::size_t>> arguments; // of the kernel: where in `bytes`, and their sizes
  };
  struct Launches
  {
    void                clear();
    std::vector<void *> arguments(const Operation &operation);
    std::string_view    bytes_of(const Operation &operation) const; // all arguments, with gaps of zeros

    std::vector<Operation>                   operations;
    std::vector<std::shared_ptr<CUevent_st>> marks;
    std::string                              kernels; // all that tells the operations apart but their arguments
    std::string                              bytes;   // of the arguments
  };
  // Operations with some arguments.
  struct Repeated
  {
    std::size_t                                           n_launches = 0; // so far, that a graph would have spared
    std::shared_ptr<CUgraph_st>                           graph;
    std::shared_ptr<CUgraphExec_st>                       executable;
    std::vector<std::pair<std::size_t, CUgraphNode_st *>> varying; // operations whose arguments are given anew
  };
  struct Sequence
  {
    std::vector<std::unordered_set<std::size_t>> values; // of each operation, hashes of the arguments that it had
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
  std::unordered_map<std::string, Sequence> sequences; // by their kernels and loops
  std::exception_ptr                        failure;
};
} // namespace cuda
} // namespace adamant
