#pragma once

#include "base/host_device.h"

namespace adamant
{
/// y = x, from nodes of m components each to one component after the other.
struct ToComponents
{
  int           n_nodes, m;
  const double *x;
  double       *y;

  ADAMANT_HOST_DEVICE double value(int i) const { return x[(i % n_nodes) * m + i / n_nodes]; }
  ADAMANT_HOST_DEVICE void   store(int i, double value) const { y[i] = value; }
};

/// y = a x, back to nodes.
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
