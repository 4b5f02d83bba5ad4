#include "flow/hanging_nodes.h"

#include "flow/flow_functors.h"

#include <utility>

namespace adamant
{
namespace
{
// Lists the rank's own hanging nodes; returns the rows of H that interpolate there, with columns of own nodes and
// ghosts.
template <int dim>
CSRMatrix<double> hanging_rows(const LevelSpace<dim> &space, Array<int> &nodes)
{
  const auto       &H = space.H;
  CSRMatrix<double> rows;
  rows.n_rows = H.n_rows;
  rows.n_cols = H.n_cols;
  rows.row_start.push_back(0);
  for (int i = 0; i < H.n_rows; ++i)
    {
      if (i < space.n_owned() && !space.is_free(i))
        {
          nodes.push_back(i);
          const auto begin = H.row_start[i], end = H.row_start[i + 1];
          rows.column.insert(rows.column.end(), H.column.begin() + begin, H.column.begin() + end);
          rows.value.insert(rows.value.end(), H.value.begin() + begin, H.value.begin() + end);
        }
      rows.row_start.push_back(rows.column.size());
    }
  rows = sum_rows(std::move(rows), space.partition(), space.partition()); // with the ghosts that occur
  // The other rows are empty.
  rows.n_rows = static_cast<int>(nodes.size());
  for (int k = 0; k < rows.n_rows; ++k)
    rows.row_start[k + 1] = rows.row_start[nodes[k] + 1];
  rows.row_start.resize(rows.n_rows + 1);
  return rows;
}
} // namespace

template <int dim>
HangingNodes<dim>::HangingNodes(const Device &device, const LevelSpace<dim> &space, int n_components)
  : device(device)
  , n_components(n_components)
  , n(space.n_owned())
  , none(space.n_hanging() == 0)
{
  Array<int> hanging;
  rows   = Matrix<double>(device, by_components(hanging_rows(space, hanging), n_components));
  nodes  = List<int>(device, hanging);
  values = Vector<double>(device, n_components * nodes.size());
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
