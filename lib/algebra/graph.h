#pragma once

#include "algebra/vector.h"

#include <functional>
#include <memory>
#include <utility>

namespace adamant
{
/// A recorded sequence of operations on given vectors and matrices, to be repeated; on a GPU a replay is one launch. It
/// stays valid when values of matrices change. The objects that the operations use have to outlive it.
class Graph
{
public:
  Graph() = default;
  /// Records `operations`, which must not wait for numbers. On the host they are run at each replay.
  Graph(const Device &device, const std::function<void()> &operations)
    : graph(device.interface().record(operations))
  {}

  explicit operator bool() const { return graph != nullptr; }
  void     replay() const { graph->replay(); }
  int      n_operations() const { return graph->n_operations(); } ///< launches that one replay replaces; 0 on the host
  double   seconds() const { return graph->seconds(); }           ///< median time of a replay; not on the host

private:
  std::shared_ptr<GraphStorage> graph;
};

/// Returns a function that calls operations(b, x), to be recorded. It keeps the memory of both vectors: the objects b
/// and x may end before it.
template <typename Number, class Operations>
std::function<void()> on_vectors(const Vector<Number> &b, Vector<Number> &x, const Operations &operations)
{
  const auto kept =
    std::make_shared<std::pair<Vector<Number>, Vector<Number>>>(b.part(0, b.size()), x.part(0, x.size()));
  return [kept, operations] { operations(kept->first, kept->second); };
}
} // namespace adamant
