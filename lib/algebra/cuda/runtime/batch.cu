#include "algebra/cuda/runtime/batch.cuh"

#include <algorithm>
#include <iterator>

namespace adamant::cuda
{
namespace
{
// A sequence is recorded when it would have spared so many launches.
constexpr std::size_t enough_launches = 700;
// Sequences, and arguments of one, to be remembered.
constexpr std::size_t most = 256;
// An operation that came with more different arguments than this has others each time.
constexpr std::size_t most_arguments = 24;

void launch_at_once(const Context &context, const KernelLaunch &kernel, void **arguments)
{
  cudaLaunchAttribute attribute;
  attribute.id                                         = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  const cudaLaunchConfig_t config = {kernel.blocks,    dim3(kernel.threads), static_cast<std::size_t>(kernel.shared),
                                     context.stream(), &attribute,           kernel.overlaps ? 1u : 0u};
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
  kernels.clear();
  bytes.clear();
}

std::vector<void *> Batch::Launches::arguments(const Operation &operation)
{
  std::vector<void *> values;
  for (const auto &[begin, size] : operation.arguments)
    values.push_back(bytes.data() + begin);
  return values;
}

std::string_view Batch::Launches::bytes_of(const Operation &operation) const
{
  if (operation.arguments.empty())
    return {};
  const auto [last, size] = operation.arguments.back();
  const auto begin        = operation.arguments.front().first;
  return {bytes.data() + begin, last + size - begin};
}

bool Batch::Sequence::varies(std::size_t operation) const
{
  return values[operation].size() > most_arguments;
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
  append(waiting.kernels, {reinterpret_cast<std::uintptr_t>(kernel.kernel), kernel.blocks.x, kernel.blocks.y,
                           kernel.blocks.z, std::uint64_t(kernel.threads), kernel.overlaps});
  Operation operation{kernel, nullptr, {}};
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
  append(waiting.kernels, {0, loop->number()});
  waiting.operations.push_back({{{"loop"}}, loop, {}});
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
  const std::shared_ptr<void> at_end(nullptr, [&](void *) {
    under_way.clear(); // loops in it keep the context, which owns this; memory that they free finds nothing waiting
    is_open = open;
  });
  if (!may_record || !replay(under_way))
    for (const Operation &operation : under_way.operations)
      if (operation.loop)
        operation.loop->launch();
      else
        launch_at_once(context, operation.kernel, under_way.arguments(operation).data());
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

// Whether they were launched, by a graph.
bool Batch::replay(Launches &launches)
{
  if (launches.operations.size() < 2)
    return false;
  forget();
  Sequence &sequence = sequences[launches.kernels];
  Repeated &it       = find(launches, sequence);
  if (!it.executable)
    it.n_launches += launches.operations.size() - 1;
  if (!it.executable && it.n_launches > enough_launches)
    it = record(launches, sequence);
  if (!it.executable)
    return false;
  for (const auto &[i, node] : it.varying)
    {
      const KernelLaunch  &kernel    = launches.operations[i].kernel;
      std::vector<void *>  arguments = launches.arguments(launches.operations[i]);
      cudaKernelNodeParams changed   = {};
      changed.func                   = const_cast<void *>(kernel.kernel);
      changed.gridDim                = kernel.blocks;
      changed.blockDim               = dim3(kernel.threads);
      changed.sharedMemBytes         = kernel.shared;
      changed.kernelParams           = arguments.data();
      check(cudaGraphExecKernelNodeSetParams(it.executable.get(), node, &changed), "cudaGraphExecKernelNodeSetParams",
            kernel.name.function);
    }
  check(cudaGraphLaunch(it.executable.get(), context.stream()), "cudaGraphLaunch", launches.operations.size(),
        "operations");
  return true;
}

// Returns the entry of these arguments, without the arguments that vary.
Batch::Repeated &Batch::find(const Launches &launches, Sequence &sequence)
{
  sequence.values.resize(launches.operations.size());
  std::string lasting;
  for (std::size_t i = 0; i < launches.operations.size(); ++i)
    {
      const std::string_view arguments = launches.bytes_of(launches.operations[i]);
      if (!sequence.varies(i))
        {
          sequence.values[i].insert(std::hash<std::string_view>()(arguments));
          if (sequence.varies(i)) // none of the earlier ones comes again
            forget(sequence);
        }
      lasting += sequence.varies(i) ? 'v' : 'l';
      if (!sequence.varies(i))
        lasting += arguments;
    }
  return sequence.repeated[lasting];
}

Batch::Repeated Batch::record(Launches &launches, const Sequence &sequence) const
{
  Repeated it;
  it.graph          = create_graph();
  bool       in_row = true; // behind a kernel, which alone lets the next one overlap
  const auto end    = launches.operations.size();
  for (std::size_t i = 0; i < end;)
    if (launches.operations[i].loop)
      {
        launches.operations[i++].loop->add_to(it.graph.get());
        in_row = false;
      }
    else
      {
        const bool varies = sequence.varies(i);
        captured_graph(
          context,
          [&] {
            do
              {
                KernelLaunch kernel = launches.operations[i].kernel;
                kernel.overlaps     = kernel.overlaps && std::exchange(in_row, true);
                launch_at_once(context, kernel, launches.arguments(launches.operations[i]).data());
                ++i;
              }
            while (!varies && i < end && !launches.operations[i].loop && !sequence.varies(i));
          },
          it.graph.get());
        if (varies)
          it.varying.emplace_back(i - 1, last_node(it.graph.get()));
      }
  it.executable = instantiate(it.graph.get());
  return it;
}

// Forgets sets of arguments that came a few times and no more.
void Batch::forget(Sequence &sequence)
{
  for (auto it = sequence.repeated.begin(); it != sequence.repeated.end();)
    it = it->second.executable ? std::next(it) : sequence.repeated.erase(it);
}

// Where sequences and their sets are many, forgets sets of each; where graphs alone are many, forgets all sequences.
void Batch::forget()
{
  const auto total = [this] {
    std::size_t n = sequences.size();
    for (const auto &[kernels, sequence] : sequences)
      n += sequence.repeated.size();
    return n;
  };
  if (total() < most)
    return;
  for (auto it = sequences.begin(); it != sequences.end();)
    {
      forget(it->second);
      it = it->second.repeated.empty() ? sequences.erase(it) : std::next(it);
    }
  if (total() < most / 2)
    return;
  context.synchronize(); // one may be under way
  sequences.clear();
}

int Batch::n_recorded() const
{
  int n = 0;
  for (const auto &[kernels, sequence] : sequences)
    for (const auto &[arguments, it] : sequence.repeated)
      n += it.executable != nullptr;
  return n;
}
} // namespace adamant::cuda
