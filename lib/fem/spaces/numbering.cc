#include "fem/spaces/numbering.h"

#include "base/exceptions.h"
#include "fem/meshes/mesh.h"
#include "fem/spaces/position_order.h"

#include <deal.II/dofs/dof_tools.h>

#include <algorithm>
#include <utility>

namespace adamant
{
namespace
{
using Index = dealii::types::global_dof_index;

template <int dim>
void sort_by_position(const CellList<dim> &cells, dealii::DoFHandler<dim> &dofs)
{
  const int          n     = to_index(dofs.n_locally_owned_dofs(), "degrees of freedom");
  const Index        first = n > 0 ? dofs.locally_owned_dofs().nth_index_in_set(0) : 0;
  PositionOrder<dim> order(cells, dofs.get_fe().get_unit_support_points(), n);
  for_dofs_of_cells(cells, dofs, [&](int c, const std::vector<Index> &of_cell) {
    order.place(cells[c], [&](std::size_t i) {
      return of_cell[i] >= first && of_cell[i] - first < Index(n) ? static_cast<int>(of_cell[i] - first) : -1;
    });
  });
  const auto         sorted = order.sorted();
  std::vector<Index> new_number(n);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i)
    new_number[sorted[i]] = first + i;
  dofs.renumber_dofs(new_number);
}

template <int dim>
Numbering<dim> number_by_dof_handler(const CellList<dim> &cells, const dealii::FiniteElement<dim> &fe)
{
  Numbering<dim> result;
  result.dofs = std::make_shared<dealii::DoFHandler<dim>>(*cells.mesh());
  auto &dofs  = *result.dofs;
  dofs.distribute_dofs(fe);
  sort_by_position(cells, dofs);
  result.hanging_nodes = hanging_node_constraints(dofs);

  // The local DoFs are the DoFs of the owned cells and the DoFs that constrain them.
  const auto        &owned = dofs.locally_owned_dofs();
  std::vector<Index> ghosts, of_cell(fe.n_dofs_per_cell());
  const auto         add = [&](Index dof) {
    if (!owned.is_element(dof)) // else the list would be long
      ghosts.push_back(dof);
  };
  if (dofs.n_dofs() != owned.n_elements())
    for (const auto cell : cells)
      {
        with_dofs(cell, dofs)->get_dof_indices(of_cell);
        for (const Index dof : of_cell)
          {
            add(dof);
            if (result.hanging_nodes.is_constrained(dof))
              for (const auto &[master, weight] : *result.hanging_nodes.get_constraint_entries(dof))
                add(master);
          }
      }
  result.partition = make_partitioner(owned, std::move(ghosts), cells.mesh()->get_communicator());
  result.cell_dofs.resize(cells.size() * fe.n_dofs_per_cell());
  for_dofs_of_cells(cells, dofs, [&](int c, const std::vector<Index> &numbers) {
    std::transform(numbers.begin(), numbers.end(), result.cell_dofs.begin() + c * numbers.size(),
                   [&](Index dof) { return static_cast<int>(result.partition->global_to_local(dof)); });
  });
  return result;
}

} // namespace

template <int dim>
dealii::AffineConstraints<double> hanging_node_constraints(const dealii::DoFHandler<dim> &dofs, bool periodic)
{
  dealii::AffineConstraints<double> constraints(dealii::DoFTools::extract_locally_relevant_dofs(dofs));
  const auto                       &mesh = dofs.get_triangulation();
  if (mesh.has_hanging_nodes())
    dealii::DoFTools::make_hanging_node_constraints(dofs, constraints);
  using Cell = typename dealii::DoFHandler<dim>::cell_iterator;
  if (periodic)
    dealii::DoFTools::make_periodicity_constraints<dim, dim>(
      periodic_faces(mesh, [&](const auto &cell) { return Cell(&mesh, 0, cell->index(), &dofs); }), constraints);
  constraints.close();
  return constraints;
}

template <int dim>
Numbering<dim> number_dofs(std::shared_ptr<const CellList<dim>> cells, const dealii::FiniteElement<dim> &fe)
{
  const bool by_entities = entities_suffice(fe) && cells->mesh()->get_periodic_face_map().empty();
  if (!by_entities)
    cells = CellList<dim>::as_active(cells);
  auto result  = by_entities ? number_by_entities(*cells, fe) : number_by_dof_handler(*cells, fe);
  result.cells = std::move(cells);
  return result;
}

template dealii::AffineConstraints<double> hanging_node_constraints(const dealii::DoFHandler<2> &, bool);
template dealii::AffineConstraints<double> hanging_node_constraints(const dealii::DoFHandler<3> &, bool);
template Numbering<2> number_dofs(std::shared_ptr<const CellList<2>>, const dealii::FiniteElement<2> &);
template Numbering<3> number_dofs(std::shared_ptr<const CellList<3>>, const dealii::FiniteElement<3> &);
} // namespace adamant
