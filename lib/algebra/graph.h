#pragma once

#include "algebra/device.h"

#include <functional>
#include <memory>

namespace adamant
{
/// A recorded sequence of operations on the same vectors and matrices, to be repeated: on a GPU one launch. It stays
/// valid when values of matrices change. What it refers to has to outlive it.
class Graph
{
public:
  Graph() = default;
  /// `operations` must not wait for numbers. On the host they are run at each replay.
  Graph(const Device &device, const std::function<void()> &operations)
    : graph(device.interface().record(operations))
  {}

  explicit operator bool() const { return graph != nullptr; }
  void     replay() const { graph->replay(); }
  int      n_operations() const { return graph->n_operations(); } ///< launches that one replay replaces; 0 on the host
  double   seconds() const { return graph->seconds(); }           ///< of one replay on the device, median of a few

private:
  std::shared_ptr<GraphStorage> graph;
};
} // namespace adamant
