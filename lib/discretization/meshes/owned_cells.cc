#include "discretization/meshes/owned_cells.h"

#include <deal.II/distributed/tria.h>

namespace adamant
{
namespace
{
template <int dim>
void append_cells(const typename dealii::Triangulation<dim>::cell_iterator               &cell,
                  std::vector<typename dealii::Triangulation<dim>::active_cell_iterator> &list)
{
  if (cell->has_children())
    for (unsigned int c = 0; c < cell->n_children(); ++c)
      append_cells<dim>(cell->child(c), list);
  else if (const typename dealii::Triangulation<dim>::active_cell_iterator active(cell); active->is_locally_owned())
    list.push_back(active);
}
} // namespace

template <int dim>
std::vector<typename dealii::Triangulation<dim>::active_cell_iterator>
owned_cells(const dealii::Triangulation<dim> &mesh)
{
  std::vector<typename dealii::Triangulation<dim>::active_cell_iterator> list;
  if (const auto *distributed = dynamic_cast<const dealii::parallel::distributed::Triangulation<dim> *>(&mesh))
    {
      for (const auto index : distributed->get_p4est_tree_to_coarse_cell_permutation())
        append_cells<dim>(typename dealii::Triangulation<dim>::cell_iterator(&mesh, 0, static_cast<int>(index)), list);
      return list;
    }
  list.reserve(mesh.n_active_cells());
  for (const auto &cell : mesh.active_cell_iterators())
    list.push_back(cell);
  return list;
}

template std::vector<dealii::Triangulation<2>::active_cell_iterator> owned_cells(const dealii::Triangulation<2> &);
template std::vector<dealii::Triangulation<3>::active_cell_iterator> owned_cells(const dealii::Triangulation<3> &);
} // namespace adamant
