#include "operators/ghost_values.h"

#include "base/csr/csr_operations.h"

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
  auto ones = matrix_of_rows(n_ghosts, n_owned + n_ghosts, [&](int i, Row &row) { row.emplace_back(n_owned + i, 1.); });
  ones.ghosts = plan;
  pick        = Matrix<double>(device, ones);
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
