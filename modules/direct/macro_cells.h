#pragma once

#include "direct/hierarchical_basis.h"

#include <vector>

namespace adamant
{
/// The unknowns of nested levels, sorted by the coarse mesh: C at its nodes, E on its edges (and faces, in 3D), I
/// inside its cells. Cells with equal local matrices form a class. All this follows from the exported matrices. A node
/// at a coarse node has 1 weight in its interpolation from the coarse level, and a node on an edge has 2. A node inside
/// a cell has as many as the cell has vertices.
struct MacroCells
{
  /// Cells with equal local matrices. Node i of the class is an unknown of each cell, in one order for all; on edges
  /// its number is -1 where it is prescribed.
  struct Class
  {
    int        n_cells = 0;
    int        n_inner = 0, n_edge = 0; ///< nodes inside a cell and on its edges
    Array<int> inner;                   ///< n_cells x n_inner numbers of unknowns
    Array<int> edge;                    ///< n_cells x n_edge numbers among E, or -1
  };

  /// `matrix` has all nodes of the finest level, without boundary conditions. Throws InputError where there are hanging
  /// nodes, or more than 64 classes.
  MacroCells(const NestedNodes &nodes, const CSRMatrix<double> &matrix);

  Array<int>         coarse, edge; ///< the unknowns of C and E
  std::vector<Class> classes;
  int                n_inner = 0; ///< unknowns in I
};
} // namespace adamant
