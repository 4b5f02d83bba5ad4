#pragma once

#include "algebra/device.h"
#include "fem/ranks/distributed_rows.h"
#include "fem/spaces/level_space.h"
#include "flow/flow_functors.h"

#include <utility>

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
    Array<int> hanging;
    rows   = Matrix<double>(device, by_components(hanging_rows(space, hanging), n_components));
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
  // Lists the rank's own hanging nodes; returns the rows of H that interpolate there, with columns of own nodes and
  // ghosts.
  static CSRMatrix<double> hanging_rows(const LevelSpace<dim> &space, Array<int> &nodes)
  {
    for (int i = 0; i < space.n_owned(); ++i)
      if (!space.is_free(i))
        nodes.push_back(i);
    const auto       &H    = space.H;
    CSRMatrix<double> rows = matrix_of_rows(H.n_rows, H.n_cols, [&](int i, Row &row) {
      if (i < space.n_owned() && !space.is_free(i))
        for (auto k = H.row_start[i]; k < H.row_start[i + 1]; ++k)
          row.emplace_back(H.column[k], H.value[k]);
    });
    rows = sum_rows(std::move(rows), space.partition(), space.partition()); // with the ghosts that occur
    // The other rows are empty.
    rows.n_rows = static_cast<int>(nodes.size());
    for (int k = 0; k < rows.n_rows; ++k)
      rows.row_start[k + 1] = rows.row_start[nodes[k] + 1];
    rows.row_start.resize(rows.n_rows + 1);
    return rows;
  }

  Device         device;
  int            n_components;
  long           n;    // the space's own nodes
  bool           none; // whether no rank has hanging nodes
  List<int>      nodes;
  Matrix<double> rows;
  Vector<double> values;
};
} // namespace adamant
