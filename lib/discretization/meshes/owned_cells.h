#pragma once

#include <deal.II/grid/tria.h>

#include <vector>

namespace adamant
{
/// The cells that this rank owns; where the mesh is p4est's, in the order of its forest.
template <int dim>
std::vector<typename dealii::Triangulation<dim>::active_cell_iterator>
owned_cells(const dealii::Triangulation<dim> &mesh);
} // namespace adamant
