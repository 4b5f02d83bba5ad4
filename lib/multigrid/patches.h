#pragma once

#include "base/array.h"

namespace adamant
{
enum class PatchKind
{
  cells,    ///< of each cell the nodes that act on it
  vertices, ///< around each vertex the nodes that act on none but its own cells
  stars     ///< around each vertex all nodes that act on its cells
};

/// Overlapping sets of nodes: those of patch k are node[start[k]], ..., node[start[k + 1] - 1].
struct Patches
{
  Array<int> start = {0}, node;

  int size() const { return static_cast<int>(start.size()) - 1; }
};
} // namespace adamant
