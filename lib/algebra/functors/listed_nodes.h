#pragma once

#include "base/host_device.h"

// Functors for host and GPU that change fields at listed nodes. Fields have several components, which are stored one
// after the other: component c of node i is u[c n + i]. For the listed node number k it is value[c n_listed + k].

namespace adamant
{
/// A functor that sets u at the listed nodes to `value`.
struct SetAtNodes
{
  int           n_components, n_listed;
  long          n;
  const int    *node;
  const double *value;
  double       *u;

  ADAMANT_HOST_DEVICE void operator()(int k) const
  {
    for (int c = 0; c < n_components; ++c)
      u[c * n + node[k]] = value[c * n_listed + k];
  }
};

/// A functor that takes, where several values are candidates for a node, the shortest vector or the longest. It runs
/// for one candidate after the other. `role` of the present one is 0 where it does not apply, 2 where it is the node's
/// first, else 1.
struct ChooseCandidate
{
  int           n_components, n_listed;
  bool          shortest;
  const int    *role;
  const double *candidate;
  double       *value;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    double candidate_square = 0, value_square = 0;
    for (int k = i; k < n_components * n_listed; k += n_listed)
      {
        candidate_square += candidate[k] * candidate[k];
        value_square += value[k] * value[k];
      }
    if (role[i] == 2 ||
        (role[i] == 1 && (shortest ? candidate_square < value_square : candidate_square > value_square)))
      for (int k = i; k < n_components * n_listed; k += n_listed)
        value[k] = candidate[k];
  }
};
} // namespace adamant
