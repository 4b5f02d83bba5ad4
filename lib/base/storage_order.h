#pragma once

#include "base/array.h"
#include "base/communicator.h"

namespace adamant
{
/// The order in which the entries of a distributed vector are kept in files, whatever the number of ranks: one rank's
/// after the other's, each with its own ones in an order that does not depend on the others.
struct StorageOrder
{
  Communicator ranks;
  Array<int>   entry; ///< which own entry comes i-th; empty: all as they are
};

/// That of vectors that hold one component of all own nodes after the other, from the order of the nodes: all of a node
/// together.
inline StorageOrder by_components(const StorageOrder &nodes, int n_components)
{
  StorageOrder all{nodes.ranks, {}};
  const int    n = static_cast<int>(nodes.entry.size());
  for (const int node : nodes.entry)
    for (int c = 0; c < n_components; ++c)
      all.entry.push_back(c * n + node);
  return all;
}
} // namespace adamant
