#include "algebra/cuda/graph.h"

#include "algebra/cuda/check.cuh"

#include <algorithm>
#include <utility>
#include <vector>

namespace adamant
{
namespace cuda
{
namespace
{
// What `operations` launch on the stream.
std::shared_ptr<CUgraph_st> captured_graph(cudaStream_t stream, const std::function<void()> &operations)
{
  cudaGraph_t captured = nullptr;
  const auto  end      = [&] { return cudaStreamEndCapture(stream, &captured); };
  try
    {
      check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture", stream);
      operations();
    }
  catch (...)
    {
      end();
      cudaGraphDestroy(captured);
      throw;
    }
  const cudaError_t           ended = end();
  std::shared_ptr<CUgraph_st> graph(captured, [](cudaGraph_t g) { cudaGraphDestroy(g); });
  check(ended, "cudaStreamEndCapture", stream);
  return graph;
}

// An event that takes the time.
std::shared_ptr<CUevent_st> create_timer()
{
  cudaEvent_t                 created = nullptr;
  const cudaError_t           status  = cudaEventCreate(&created);
  std::shared_ptr<CUevent_st> owned(created, [](cudaEvent_t e) { cudaEventDestroy(e); });
  check(status, "cudaEventCreate");
  return owned;
}
} // namespace

Graph::Graph(std::shared_ptr<Context> context_, std::function<void()> operations_)
  : context(std::move(context_))
  , operations(std::move(operations_))
{
  if (context->replays_graphs())
    capture();
}

void Graph::capture()
{
  const auto        graph        = captured_graph(context->stream(), operations);
  cudaGraphExec_t   created      = nullptr;
  const cudaError_t instantiated = cudaGraphInstantiate(&created, graph.get(), 0);
  executable.reset(created, [](cudaGraphExec_t g) { cudaGraphExecDestroy(g); });
  check(instantiated, "cudaGraphInstantiate", graph.get());
  std::size_t n = 0;
  check(cudaGraphGetNodes(graph.get(), nullptr, &n), "cudaGraphGetNodes", graph.get());
  n_nodes  = static_cast<int>(n);
  revision = context->revision();
}

void Graph::replay()
{
  if (!context->replays_graphs())
    return operations();
  if (revision != context->revision())
    capture();
  check(cudaGraphLaunch(executable.get(), context->stream()), "cudaGraphLaunch", n_nodes, "nodes");
}

double Graph::seconds(int n_samples)
{
  const auto         begin = create_timer(), end = create_timer();
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
} // namespace cuda
} // namespace adamant
