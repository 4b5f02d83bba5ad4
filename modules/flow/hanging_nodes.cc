#include "flow/hanging_nodes.h"

#include "flow/boundary_nodes.h"
#include "flow/flow_functors.h"

namespace adamant
{
template <int dim>
HangingNodes<dim>::HangingNodes(const Device &device, const LevelSpace<dim> &space, int n_components)
  : device(device)
  , n_components(n_components)
  , n(space.n_owned())
  , none(space.n_hanging() == 0)
{
  const auto hanging = hanging_rows(space);
  nodes              = List<int>(device, hanging.nodes);
  rows               = Matrix<double>(device, by_components(hanging.rows, n_components));
  values             = Vector<double>(device, n_components * hanging.rows.n_rows);
}

template <int dim>
void HangingNodes<dim>::apply(Vector<double> &u)
{
  if (none)
    return;
  device.multiply(1., rows, u, 0., values);
  device.for_each(nodes.size(), SetAtNodes{n_components, nodes.size(), n, nodes.data(), values.data(), u.data()});
}

template class HangingNodes<2>;
template class HangingNodes<3>;
} // namespace adamant
