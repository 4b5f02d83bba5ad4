#pragma once

#include "base/csr/csr_matrix.h"
#include "fem/spaces/level_space.h"

#include <vector>

namespace adamant
{
/// Functions that list a rank's own nodes of a scalar space. All ranks call them together.

/// Returns the nodes on a boundary, ascending.
template <int dim>
std::vector<int> nodes_on_boundary(const LevelSpace<dim> &space, dealii::types::boundary_id id);

/// The hanging nodes, and the rows of H that interpolate there.
struct HangingRows
{
  Array<int>        nodes;
  CSRMatrix<double> rows; ///< row k belongs to nodes[k]; columns are the rank's own nodes and ghosts
};
template <int dim>
HangingRows hanging_rows(const LevelSpace<dim> &space);
} // namespace adamant
