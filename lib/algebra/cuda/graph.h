#pragma once

#include "algebra/cuda/context.h"

#include <functional>
#include <memory>

namespace adamant
{
namespace cuda
{
/// A recorded sequence of operations as a CUDA graph, recorded anew when matrices have changed since. Where the device
/// replays no graphs the operations are run one by one.
class Graph : public GraphStorage
{
public:
  Graph(std::shared_ptr<Context> context, std::function<void()> operations);

  void   replay() override;
  int    n_operations() const override { return n_nodes; }
  double seconds(int n_samples) override;

private:
  void capture();

  std::shared_ptr<Context>        context;
  std::function<void()>           operations;
  std::shared_ptr<CUgraphExec_st> executable;
  int                             n_nodes = 0, revision = 0; // of the context when it was recorded
};
} // namespace cuda
} // namespace adamant
