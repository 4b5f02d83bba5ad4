#include "flow/bundle/host_bundle.h"

namespace adamant
{
namespace host
{
Bundle::Bundle(const std::vector<const CSRMatrix<double> *> &matrices, int n_values)
  : BundleStorage(*matrices[0], static_cast<int>(matrices.size()), n_values)
  , owned(pack(matrices, lanes))
  , ghosts(pack_ghosts(matrices, lanes))
{
  if (ghosts.plan)
    exchange = std::make_unique<GhostExchange<double>>(*ghosts.plan, n_values);
}
} // namespace host
} // namespace adamant
