#include "operators/ghost_values.h"

#include <numeric>

namespace adamant
{
GhostValues::GhostValues(const Device &device, const std::shared_ptr<const ExchangePlan> &plan, int n_owned)
  : device(device)
  , n_owned(n_owned)
  , n_ghosts(plan ? plan->n_ghosts() : 0)
  , several_ranks(plan != nullptr)
{
  if (!several_ranks)
    return;
  CSRMatrix<double> ones;
  ones.ghosts = plan;
  ones.n_rows = n_ghosts;
  ones.n_cols = n_owned + n_ghosts;
  ones.row_start.resize(n_ghosts + 1);
  ones.column.resize(n_ghosts);
  ones.value.assign(n_ghosts, 1.);
  std::iota(ones.row_start.begin(), ones.row_start.end(), 0);
  std::iota(ones.column.begin(), ones.column.end(), n_owned);
  pick = Matrix<double>(device, ones);
}

Vector<double> GhostValues::vector() const
{
  return Vector<double>(device, n_owned + n_ghosts);
}

void GhostValues::fill(Vector<double> &x) const
{
  if (!several_ranks)
    return;
  Vector<double> ghosts = x.part(n_owned, n_ghosts);
  device.multiply(1., pick, x, 0., ghosts);
}

Vector<double> GhostValues::with_ghosts(const Vector<double> &x) const
{
  if (!several_ranks)
    return x.part(0, x.size());
  Vector<double> all = vector();
  device.copy(x, all);
  fill(all);
  return all;
}
} // namespace adamant
