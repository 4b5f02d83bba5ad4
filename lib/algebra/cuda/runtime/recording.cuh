#pragma once

#include "algebra/cuda/runtime/check.cuh"

#include <functional>
#include <memory>

// The recording of graphs.

namespace adamant
{
namespace cuda
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
} // namespace cuda
} // namespace adamant
