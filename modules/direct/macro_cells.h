#pragma once

#include "direct/hierarchical_basis.h"

#include <array>
#include <memory>
#include <vector>

namespace adamant
{
/// The unknowns of nested levels by the coarse mesh: C at its nodes, E on its edges (and faces, in 3D), I inside its
/// cells; and cells with the same local matrices together. All of it follows from the exported matrices: a node is at a
/// coarse node, on an edge or in a cell if its interpolation from the coarse level has 1, 2 or as many weights as a
/// cell has vertices.
struct MacroCells
{
  /// Cells with the same local matrices, numbered alike: for each of them node (i) of the class, the number of an
  /// unknown; those on edges -1 where prescribed.
  struct Class
  {
    int        n_cells = 0;
    int        n_inner = 0, n_edge = 0; ///< nodes inside a cell and on its edges
    Array<int> inner;                   ///< n_cells x n_inner numbers of unknowns
    Array<int> edge;                    ///< n_cells x n_edge numbers among E, or -1
  };

  /// `matrix` is that of all nodes of the finest level, without boundary conditions. Throws InputError where there are
  /// hanging nodes, or more than 64 classes.
  MacroCells(const NestedNodes &nodes, const CSRMatrix<double> &matrix);

  Array<int>         coarse, edge; ///< the unknowns of C and E
  std::vector<Class> classes;
  int                n_inner = 0; ///< unknowns in I
};
} // namespace adamant
