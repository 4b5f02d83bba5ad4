#include "algebra/cuda/batch.cuh"

#include "algebra/cuda/graph.h"
#include "algebra/cuda/recording.cuh"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace adamant
{
namespace cuda
{
namespace
{
// Recording a sequence takes as long as about so many launches of its operations one by one.
constexpr int often = 64;
// Sequences to be remembered; those whose arguments change with time come once.
constexpr std::size_t most = 64;

void launch_at_once(const Context &context, const KernelLaunch &kernel, void **arguments)
{
  cudaLaunchAttribute attribute;
  attribute.id                                         = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config                            = {};
  config.gridDim                                       = kernel.blocks;
  config.blockDim                                      = dim3(kernel.threads);
  config.stream                                        = context.stream();
  config.attrs                                         = &attribute;
  config.numAttrs                                      = kernel.overlaps ? 1 : 0;
  check(cudaLaunchKernelExC(&config, kernel.kernel, arguments), kernel.name, kernel.blocks.x, kernel.blocks.y,
        kernel.threads);
}

void append(std::string &bytes, const void *value, std::size_t size)
{
  bytes.append(static_cast<const char *>(value), size);
}

void append(std::string &bytes, std::initializer_list<std::uint64_t> numbers)
{
  append(bytes, numbers.begin(), numbers.size() * sizeof(std::uint64_t));
}
} // namespace

void launch(const Context &context, const KernelLaunch &kernel, std::initializer_list<Argument> arguments)
{
  if (Batch *batch = context.open_batch())
    return batch->add(kernel, arguments);
  std::vector<void *> values;
  for (const Argument &argument : arguments)
    values.push_back(const_cast<void *>(argument.value));
  launch_at_once(context, kernel, values.data());
}

void Batch::Launches::clear()
{
  operations.clear();
  marks.clear();
  bytes.clear();
}

void Batch::run(const std::function<void()> &operations)
{
  if (is_open)
    return operations();
  is_open = true;
  try
    {
      operations();
      launch_waiting();
    }
  catch (...)
    {
      is_open = false;
      launch_before_release(); // what came before the error
      failure = nullptr;
      throw;
    }
  is_open = false;
}

void Batch::leave(const std::function<void()> &operations)
{
  launch_waiting();
  const bool                  open = std::exchange(is_open, false);
  const std::shared_ptr<void> at_end(nullptr, [&](void *) { is_open = open; });
  operations();
}

void Batch::add(const KernelLaunch &kernel, std::initializer_list<Argument> arguments)
{
  Operation operation{kernel, {}, nullptr};
  append(waiting.bytes, {reinterpret_cast<std::uintptr_t>(kernel.kernel), kernel.blocks.x, kernel.blocks.y,
                         kernel.blocks.z, std::uint64_t(kernel.threads), kernel.overlaps});
  for (const auto &[value, size] : arguments)
    {
      waiting.bytes.resize((waiting.bytes.size() + 15) / 16 * 16); // as an argument may be aligned
      operation.arguments.emplace_back(waiting.bytes.size(), size);
      append(waiting.bytes, value, size);
    }
  waiting.operations.push_back(std::move(operation));
}

void Batch::add(const std::shared_ptr<Loop> &loop)
{
  append(waiting.bytes, {0, loop->number()});
  waiting.operations.push_back({KernelLaunch{{"loop"}}, {}, loop});
}

bool Batch::holds(const CUevent_st *mark) const
{
  return std::any_of(waiting.marks.begin(), waiting.marks.end(), [mark](const auto &m) { return m.get() == mark; });
}

void Batch::launch_waiting(bool may_record)
{
  if (failure)
    std::rethrow_exception(std::exchange(failure, nullptr));
  if (waiting.operations.empty() && waiting.marks.empty())
    return;
  std::swap(waiting, under_way); // the stream is asked for in here, too, and nothing waits then
  waiting.clear();
  const bool                  open = std::exchange(is_open, false);
  const std::shared_ptr<void> at_end(nullptr, [&](void *) { is_open = open; });
  if (CUgraphExec_st *graph = may_record ? graph_of(under_way) : nullptr)
    check(cudaGraphLaunch(graph, context.stream()), "cudaGraphLaunch", "batch", under_way.operations.size());
  else
    for (const Operation &operation : under_way.operations)
      if (operation.loop)
        operation.loop->launch();
      else
        launch_kernel(under_way, operation, operation.kernel.overlaps);
  for (const auto &mark : under_way.marks)
    check(cudaEventRecord(mark.get(), context.stream()), "cudaEventRecord", "mark");
}

void Batch::launch_before_release() noexcept
{
  try
    {
      launch_waiting(false);
    }
  catch (...)
    {
      failure = std::current_exception();
    }
}

void Batch::launch_kernel(Launches &launches, const Operation &operation, bool overlaps) const
{
  KernelLaunch kernel = operation.kernel;
  kernel.overlaps     = overlaps;
  std::vector<void *> values;
  for (const auto &[begin, size] : operation.arguments)
    values.push_back(launches.bytes.data() + begin);
  launch_at_once(context, kernel, values.data());
}

// Null where they are to be launched one by one.
CUgraphExec_st *Batch::graph_of(Launches &launches)
{
  if (launches.operations.size() < 2)
    return nullptr;
  forget();
  Repeated &it = repeated[launches.bytes];
  if (!it.graph && ++it.n > often)
    it.graph = record(launches);
  return it.graph.get();
}

std::shared_ptr<CUgraphExec_st> Batch::record(Launches &launches)
{
  const auto graph     = create_graph();
  const auto end       = launches.operations.end();
  bool       in_a_line = true; // kernels behind kernels, which alone overlap
  for (auto operation = launches.operations.begin(); operation != end;)
    if (operation->loop)
      {
        (operation++)->loop->add_to(graph.get());
        in_a_line = false;
      }
    else
      captured_graph(
        context,
        [&] {
          for (; operation != end && !operation->loop; ++operation)
            launch_kernel(launches, *operation, operation->kernel.overlaps && std::exchange(in_a_line, true));
        },
        graph.get());
  return instantiate(graph.get());
}

// Sequences that came a few times and no more; all, where even the recorded ones are many.
void Batch::forget()
{
  if (repeated.size() < most)
    return;
  for (auto it = repeated.begin(); it != repeated.end();)
    it = it->second.graph ? std::next(it) : repeated.erase(it);
  if (repeated.size() < most / 2)
    return;
  context.synchronize(); // one may be under way
  repeated.clear();
}

int Batch::n_recorded() const
{
  return static_cast<int>(
    std::count_if(repeated.begin(), repeated.end(), [](const auto &it) { return it.second.graph != nullptr; }));
}
} // namespace cuda
} // namespace adamant
