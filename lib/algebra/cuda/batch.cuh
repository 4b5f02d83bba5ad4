#pragma once

#include "algebra/cuda/check.cuh"

#include <cstddef>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace adamant
{
namespace cuda
{
class Loop;

/// Launches that wait to be made together: those of the operations that run() is given, up to where the stream is asked
/// for something else, such as a copy or a wait of the host. A sequence that has come often, with the same arguments,
/// is recorded, loops included, and one launch from then on; other sequences are launched one by one. Marks are taken
/// behind all that waits with them. Memory that a waiting kernel may use is not given back before it is launched.
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

  int n_recorded() const; ///< sequences that are one launch now

private:
  struct Operation
  {
    KernelLaunch                                     kernel;
    std::vector<std::pair<std::size_t, std::size_t>> arguments; // where they begin in `bytes`, and their sizes
    std::shared_ptr<Loop>                            loop;      // not null: this in the place of a kernel
  };
  struct Launches
  {
    void clear();

    std::vector<Operation>                   operations;
    std::vector<std::shared_ptr<CUevent_st>> marks;
    std::string                              bytes; // of all that makes up the operations, marks apart
  };
  struct Repeated
  {
    int                             n = 0; // times it has come
    std::shared_ptr<CUgraphExec_st> graph;
  };

  void                            launch_waiting(bool may_record);
  CUgraphExec_st                 *graph_of(Launches &launches);
  std::shared_ptr<CUgraphExec_st> record(Launches &launches);
  void                            launch_kernel(Launches &launches, const Operation &operation, bool overlaps) const;
  void                            forget();

  const Context                            &context;
  bool                                      is_open = false;
  Launches                                  waiting, under_way;
  std::unordered_map<std::string, Repeated> repeated;
  std::exception_ptr                        failure;
};
} // namespace cuda
} // namespace adamant
