#include "algebra/cuda/runtime/batch.cuh"

#include <algorithm>
#include <utility>
#include <vector>

namespace adamant::cuda
{
namespace
{
#if CUDART_VERSION >= 12040
// What kernels of a graph tell one of its nodes, or one inside these.
unsigned long long create_handle(cudaGraph_t graph)
{
  cudaGraphConditionalHandle handle = 0;
  check(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0), "cudaGraphConditionalHandleCreate", graph);
  return handle;
}

// Adds a node that does what `record` puts into its graph, once or while the condition holds, behind the last one.
void add_conditional(cudaGraph_t graph, unsigned long long handle, cudaGraphConditionalNodeType type,
                     const std::function<void(cudaGraph_t)> &record)
{
  const cudaGraphNode_t before = last_node(graph);
  cudaGraphNodeParams   parameters{};
  parameters.type               = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = handle;
  parameters.conditional.type   = type;
  parameters.conditional.size   = 1;
  cudaGraphNode_t node          = nullptr;
#if CUDART_VERSION >= 13000
  check(cudaGraphAddNode(&node, graph, &before, nullptr, 1, &parameters), "cudaGraphAddNode", graph, "conditional");
#else
  check(cudaGraphAddNode(&node, graph, &before, 1, &parameters), "cudaGraphAddNode", graph, "conditional");
#endif
  record(parameters.conditional.phGraph_out[0]);
}
#endif

void begin_capture(cudaStream_t stream, cudaGraph_t into)
{
  constexpr auto mode = cudaStreamCaptureModeRelaxed;
#if CUDART_VERSION >= 12040
  if (into != nullptr)
    {
      const cudaGraphNode_t before = last_node(into);
      return check(cudaStreamBeginCaptureToGraph(stream, into, &before, nullptr, before == nullptr ? 0 : 1, mode),
                   "cudaStreamBeginCaptureToGraph", stream, into);
    }
#endif
  check(cudaStreamBeginCapture(stream, mode), "cudaStreamBeginCapture", stream);
}

std::shared_ptr<CUgraph_st> capture_on(cudaStream_t stream, const std::function<void()> &operations, cudaGraph_t into)
{
  cudaGraph_t captured = nullptr;
  const auto  end      = [&] { return cudaStreamEndCapture(stream, &captured); };
  const auto  release  = [into](cudaGraph_t g) {
    if (into == nullptr)
      cudaGraphDestroy(g);
  };
  try
    {
      begin_capture(stream, into);
      operations();
    }
  catch (...)
    {
      end();
      release(captured);
      throw;
    }
  const cudaError_t           ended = end();
  std::shared_ptr<CUgraph_st> graph(captured, release);
  check(ended, "cudaStreamEndCapture", stream);
  return graph;
}

} // namespace

CUgraphNode_st *last_node(CUgraph_st *graph)
{
#if CUDART_VERSION >= 12040
  std::size_t n = 0;
  check(cudaGraphGetNodes(graph, nullptr, &n), "cudaGraphGetNodes", graph);
  if (n == 0)
    return nullptr;
  std::vector<cudaGraphNode_t> nodes(n), from(n), to(n);
  check(cudaGraphGetNodes(graph, nodes.data(), &n), "cudaGraphGetNodes", graph);
  if (n == 1)
    return nodes[0];
  std::vector<cudaGraphEdgeData> data(n); // kernels that start early have some, which may not be left out
  std::size_t                    n_edges = n;
#if CUDART_VERSION >= 13000
  check(cudaGraphGetEdges(graph, from.data(), to.data(), data.data(), &n_edges), "cudaGraphGetEdges", graph);
#else
  check(cudaGraphGetEdges_v2(graph, from.data(), to.data(), data.data(), &n_edges), "cudaGraphGetEdges", graph);
#endif
  from.resize(std::min(n, n_edges));
  std::sort(from.begin(), from.end());
  const auto last = std::find_if(nodes.begin(), nodes.end(), [&](cudaGraphNode_t node) {
    return !std::binary_search(from.begin(), from.end(), node);
  });
  return last == nodes.end() ? nullptr : *last;
#else
  (void)graph;
  return nullptr;
#endif
}

std::shared_ptr<CUgraph_st> create_graph()
{
  return owned<CUgraph_st>(
    "cudaGraphCreate", [](cudaGraph_t *g) { return cudaGraphCreate(g, 0); }, cudaGraphDestroy);
}

std::shared_ptr<CUgraph_st> captured_graph(const Context &context, const std::function<void()> &operations,
                                           CUgraph_st *into)
{
  std::shared_ptr<CUgraph_st> graph;
  const auto                  capture = [&] { graph = capture_on(context.stream(), operations, into); };
  if (Batch *batch = context.open_batch())
    batch->leave(capture);
  else
    capture();
  return graph;
}

std::shared_ptr<CUgraphExec_st> instantiate(CUgraph_st *graph)
{
  return owned<CUgraphExec_st>(
    "cudaGraphInstantiate", [graph](cudaGraphExec_t *g) { return cudaGraphInstantiate(g, graph, 0); },
    cudaGraphExecDestroy, graph);
}

namespace
{
// A sequence of operations that is recorded as a CUDA graph, and anew when matrices have changed since. Where the
// device replays no graphs the operations are run one by one.
class Graph : public GraphStorage
{
public:
  Graph(std::shared_ptr<Context> context_, std::function<void()> operations)
    : context(std::move(context_))
    , operations(std::move(operations))
  {
    if (context->replays_graphs())
      capture();
  }

  void replay() override
  {
    if (!context->replays_graphs())
      return operations();
    if (revision != context->revision())
      capture();
    check(cudaGraphLaunch(executable.get(), context->stream()), "cudaGraphLaunch", n_nodes, "nodes");
  }
  int    n_operations() const override { return n_nodes; }
  double seconds(int n_samples) override
  {
    const auto         begin = create_event(cudaEventDefault), end = create_event(cudaEventDefault);
    std::vector<float> times(n_samples);
    replay();
    for (float &time : times)
      {
        check(cudaEventRecord(begin.get(), context->stream()), "cudaEventRecord", "begin");
        replay();
        check(cudaEventRecord(end.get(), context->stream()), "cudaEventRecord", "end");
        check(cudaEventSynchronize(end.get()), "cudaEventSynchronize", "end");
        check(cudaEventElapsedTime(&time, begin.get(), end.get()), "cudaEventElapsedTime");
      }
    std::nth_element(times.begin(), times.begin() + n_samples / 2, times.end());
    return 1e-3 * times[n_samples / 2];
  }

private:
  void capture()
  {
    const auto graph = captured_graph(*context, operations);
    executable       = instantiate(graph.get());
    std::size_t n    = 0;
    check(cudaGraphGetNodes(graph.get(), nullptr, &n), "cudaGraphGetNodes", graph.get());
    n_nodes  = static_cast<int>(n);
    revision = context->revision();
  }

  std::shared_ptr<Context>        context;
  std::function<void()>           operations;
  std::shared_ptr<CUgraphExec_st> executable;
  int                             n_nodes = 0, revision = 0; // context's revision when the graph was recorded
};

// A loop whose answers the host fetches.
class HostedLoop : public LoopStorage
{
public:
  HostedLoop(std::shared_ptr<Context> context, DeviceInterface::Asking first, DeviceInterface::Asking step,
             bool recordable)
    : context(std::move(context))
    , first(std::move(first))
    , step(std::move(step))
    , recordable(recordable)
  {}

  void run() override
  {
    const LoopAnswer to_host{0, answer.get()};
    first(to_host);
    for (context->synchronize(); *answer != 0; context->synchronize())
      if (!recordable)
        step(to_host);
      else
        {
          if (!graph)
            graph = context->record([this, to_host] { step(to_host); });
          graph->replay();
        }
  }

private:
  std::shared_ptr<Context>      context;
  DeviceInterface::Asking       first, step;
  bool                          recordable;
  std::shared_ptr<GraphStorage> graph; // the graph of a step
  std::shared_ptr<int>          answer = pinned_memory<int>(1, cudaHostAllocMapped);
};
} // namespace

Loop::Loop(std::shared_ptr<Context> context_, DeviceInterface::Asking first_, DeviceInterface::Asking step_,
           DeviceInterface::Cycles cycles_)
  : context(std::move(context_))
  , first(std::move(first_))
  , step(std::move(step_))
  , cycles(std::move(cycles_))
{
  capture();
}

void Loop::capture()
{
  if (executable)
    context->synchronize(); // it may be under way
  static std::uint64_t n_recordings = 0;
  const auto           graph        = create_graph();
  add_to(graph.get());
  executable = instantiate(graph.get());
  recording  = ++n_recordings;
  revision   = context->revision();
}

void Loop::add_to(CUgraph_st *graph) const
{
#if CUDART_VERSION >= 12040
  const auto record = [this](cudaGraph_t into, const std::function<void()> &operations) {
    captured_graph(*context, operations, into);
  };
  const auto       &finish = cycles.finish ? cycles.finish : cycles.tell;
  const LoopAnswer  answer{create_handle(graph)}, nobody;
  const LoopAnswer &of_step = cycles.again ? nobody : answer;
  record(graph, [&] {
    first(of_step);
    for (int i = 0; i < at_once; ++i)
      step(of_step);
    if (cycles.again)
      finish(answer);
  });
  add_conditional(graph, answer.node, cudaGraphCondTypeWhile, [&](cudaGraph_t body) {
    if (!cycles.again)
      return record(body, [&] { step(answer); });
    const LoopAnswer inner{create_handle(body), nullptr, create_handle(body)};
    record(body, [&] { cycles.tell(inner); });
    add_conditional(body, inner.again, cudaGraphCondTypeIf, [&](cudaGraph_t restart) {
      record(restart, [&] {
        cycles.again();
        first({inner.node});
      });
    });
    add_conditional(body, inner.node, cudaGraphCondTypeWhile,
                    [&](cudaGraph_t steps) { record(steps, [&] { step({inner.node}); }); });
    record(body, [&] { finish(answer); });
  });
#else
  (void)graph;
#endif
}

void Loop::expect(int steps)
{
  fewest = std::min(fewest, steps);
  if (++n_runs < n_counted)
    return;
  if (fewest != at_once)
    {
      at_once = fewest;
      capture();
      n_counted *= 2; // recording takes as long as many runs
    }
  n_runs = 0;
  fewest = most_at_once;
}

void Loop::run()
{
  if (revision != context->revision()) // with the least to record: that may happen again soon
    {
      at_once = n_runs = 0;
      fewest           = most_at_once;
      capture();
    }
  if (Batch *batch = context->open_batch())
    return batch->add(shared_from_this());
  launch();
}

void Loop::launch() const
{
  check(cudaGraphLaunch(executable.get(), context->stream()), "cudaGraphLaunch", "loop");
}

std::shared_ptr<GraphStorage> Context::record(const std::function<void()> &operations)
{
  return std::make_shared<Graph>(shared_from_this(), operations);
}

std::shared_ptr<LoopStorage> Context::create_loop(const Asking &first, const Asking &step, const Cycles &cycles,
                                                  bool recordable)
{
  if (recordable && replays_loops())
    return std::make_shared<Loop>(shared_from_this(), first, step, cycles);
  return std::make_shared<HostedLoop>(shared_from_this(), first, step, recordable);
}
} // namespace adamant::cuda
