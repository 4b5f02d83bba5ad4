#pragma once

#include "algebra/device.h"
#include "fem/spaces/level_space.h"

namespace adamant
{
/// The hanging nodes of a scalar space on a device. The class makes fields of several components, stored one after the
/// other, continuous there.
template <int dim>
class HangingNodes
{
public:
  /// All ranks call it together.
  HangingNodes(const Device &device, const LevelSpace<dim> &space, int n_components);

  /// Sets u = H u at the hanging nodes, for all components. All ranks call it together, or record it in graphs.
  void apply(Vector<double> &u);

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
