#pragma once

#include "base/array.h"
#include "base/communicator.h"

namespace adamant
{
/// The order in which the entries of a distributed vector are kept in files, whatever the number of ranks: one rank's after the
/// other's, each with its own ones in an order that does not depend on the others.
struct StorageOrder
{
  Communicator ranks;
  Array<int>   entry; ///< which own entry comes i-th; empty: all as they are
};
} // namespace adamant
