#pragma once

#include "algebra/device.h"
#include "fem/ranks/distributed_rows.h"
#include "fem/spaces/level_space.h"
#include "flow/flow_functors.h"

namespace adamant
{
/// The hanging nodes of a scalar space on a device. The class makes fields of several components, stored one after the
/// other, continuous there.
template <int dim>
class HangingNodes
{
public:
  /// All ranks call it together.
  HangingNodes(const Device &device, const LevelSpace<dim> &space, int n_components)
    : device(device)
    , n_components(n_components)
    , n(space.n_owned())
    , none(space.n_hanging() == 0)
  {
    Array<int> hanging; // of the rank's own nodes
    for (int i = 0; i < space.n_owned(); ++i)
      if (!space.is_free(i))
        hanging.push_back(i);
    const auto    &H       = space.H;
    const MPI_Comm comm    = space.partition().get_mpi_communicator();
    const auto     of_node = matrix_of_rows(static_cast<int>(hanging.size()), H.n_cols, [&](int i, Row &row) {
      for (auto k = H.row_start[hanging[i]]; k < H.row_start[hanging[i] + 1]; ++k)
        row.emplace_back(H.column[k], H.value[k]);
    });
    const auto     numbers = make_partitioner(owned_range(hanging.size(), comm), {}, comm);
    rows   = Matrix<double>(device, by_components(sum_rows(of_node, *numbers, space.partition()), n_components));
    nodes  = List<int>(device, hanging);
    values = Vector<double>(device, n_components * nodes.size());
  }

  /// Sets u = H u at the hanging nodes, for all components. All ranks call it together, or record it in graphs.
  void apply(Vector<double> &u)
  {
    if (none)
      return;
    device.multiply(1., rows, u, 0., values);
    device.for_each(nodes.size(), SetAtNodes{n_components, nodes.size(), n, nodes.data(), values.data(), u.data()});
  }

private:
  Device         device;
  int            n_components;
  long           n;    // the space's own nodes
  bool           none; // whether no rank has hanging nodes
  List<int>      nodes;
  Matrix<double> rows;
  Vector<double> values;
};
} // namespace adamant
