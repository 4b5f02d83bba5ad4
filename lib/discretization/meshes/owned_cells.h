#pragma once

#include <deal.II/grid/tria.h>

#include <set>
#include <vector>

namespace adamant
{
/// The cells that this rank owns; where the mesh is p4est's, in the order of its forest.
template <int dim>
std::vector<typename dealii::Triangulation<dim>::active_cell_iterator>
owned_cells(const dealii::Triangulation<dim> &mesh);

/// The ids of all ranks' boundaries, as deal.II's get_boundary_ids, which asks each face of each cell.
template <int dim>
std::set<dealii::types::boundary_id> boundary_ids(const dealii::Triangulation<dim> &mesh);
} // namespace adamant
