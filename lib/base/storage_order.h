#pragma once

#include "base/array.h"
#include "base/communicator.h"

namespace adamant
{
/// The order in which files keep the entries of a distributed vector, for any number of ranks. The entries of one rank
/// follow the entries of another. Within a rank, the order does not depend on the other ranks.
struct StorageOrder
{
  Communicator ranks;
  Array<int>   entry; ///< the own entry that comes i-th; empty: entries keep their order
};

/// Returns the storage order of vectors that have one component of all own nodes after the other. `nodes` is the order
/// of the nodes. Files then keep all components of a node together.
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
