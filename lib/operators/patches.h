#pragma once

#include "base/array.h"

namespace adamant
{
enum class PatchKind
{
  cells,    ///< a patch for each cell: the nodes that act on the cell
  vertices, ///< a patch for each vertex: the nodes that act on no other cells than those around the vertex
  stars     ///< a patch for each vertex: all nodes that act on the cells around the vertex
};

/// Overlapping sets of nodes, in host memory. Patch k has the nodes node[start[k]], ..., node[start[k + 1] - 1].
struct Patches
{
  Array<int> start = {0}, node;

  int size() const { return static_cast<int>(start.size()) - 1; }
};
} // namespace adamant
