#pragma once

#include "algebra/cuda/check.cuh"

#include <functional>
#include <memory>

// How graphs are recorded.

namespace adamant
{
namespace cuda
{
std::shared_ptr<CUgraph_st> create_graph();

/// Adds what `operations` launch on the context's stream to a graph, behind the last of its nodes, or, where that is
/// null, makes one. A batch that is open does not keep these launches.
std::shared_ptr<CUgraph_st> captured_graph(const Context &context, const std::function<void()> &operations,
                                           CUgraph_st *into = nullptr);

std::shared_ptr<CUgraphExec_st> instantiate(CUgraph_st *graph);

/// The last of the nodes of a graph where each but the first depends on the one before it. Null: none.
CUgraphNode_st *last_node(CUgraph_st *graph);
} // namespace cuda
} // namespace adamant
