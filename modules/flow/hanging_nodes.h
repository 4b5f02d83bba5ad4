#pragma once

#include "algebra/device.h"
#include "discretization/fields/level_space.h"

namespace adamant
{
/// The hanging nodes of a scalar space on a device: fields of several components, one after the other, are made
/// continuous there.
template <int dim>
class HangingNodes
{
public:
  /// All ranks call it together.
  HangingNodes(const Device &device, const LevelSpace<dim> &space, int n_components);

  /// u = H u at these nodes, of all components. All ranks call it together, or record it in graphs.
  void apply(Vector<double> &u);

private:
  Device         device;
  int            n_components;
  long           n;    // the space's own nodes
  bool           none; // on all ranks
  List<int>      nodes;
  Matrix<double> rows;
  Vector<double> values;
};
} // namespace adamant
