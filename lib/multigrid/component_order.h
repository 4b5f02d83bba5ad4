#pragma once

#include "base/host_device.h"

namespace adamant
{
/// Sets y to the entries of x in another order. In x the m components of a node lie together; in y the n_nodes entries
/// of a component do.
struct ToComponents
{
  int           n_nodes, m;
  const double *x;
  double       *y;

  ADAMANT_HOST_DEVICE double value(int i) const { return x[(i % n_nodes) * m + i / n_nodes]; }
  ADAMANT_HOST_DEVICE void   store(int i, double value) const { y[i] = value; }
};

/// Sets y = a x, and undoes the order of ToComponents: in y the m components of a node lie together.
struct ToNodes
{
  int           n_nodes, m;
  double        a;
  const double *x;
  double       *y;

  ADAMANT_HOST_DEVICE double value(int i) const { return a * x[(i % m) * n_nodes + i / m]; }
  ADAMANT_HOST_DEVICE void   store(int i, double value) const { y[i] = value; }
};
} // namespace adamant
