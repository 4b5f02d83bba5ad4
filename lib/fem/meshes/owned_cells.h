#pragma once

#include <deal.II/grid/tria.h>

#include <set>
#include <vector>

namespace adamant
{
/// Returns the active cells that this rank owns; on a mesh of p4est they have the order of its forest.
template <int dim>
std::vector<typename dealii::Triangulation<dim>::active_cell_iterator>
owned_cells(const dealii::Triangulation<dim> &mesh);

/// Returns the ids of all ranks' boundaries, as deal.II's slower get_boundary_ids, which asks each face of each cell.
template <int dim>
std::set<dealii::types::boundary_id> boundary_ids(const dealii::Triangulation<dim> &mesh);
} // namespace adamant
