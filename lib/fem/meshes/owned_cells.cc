#include "fem/meshes/owned_cells.h"

#include <deal.II/distributed/tria.h>
#include <deal.II/distributed/tria_base.h>
#include <deal.II/grid/tria_accessor.h>
#include <deal.II/grid/tria_iterator.h>

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

template <int dim>
std::set<dealii::types::boundary_id> boundary_ids(const dealii::Triangulation<dim> &mesh)
{
  if (dynamic_cast<const dealii::parallel::DistributedTriangulationBase<dim> *>(&mesh) != nullptr)
    {
      const auto of_all_ranks = mesh.get_boundary_ids();
      return {of_all_ranks.begin(), of_all_ranks.end()};
    }
  unsigned int n_faces = mesh.n_raw_lines();
  if constexpr (dim == 3)
    n_faces = mesh.n_raw_quads();
  std::set<dealii::types::boundary_id> ids;
  dealii::types::boundary_id           last = dealii::numbers::internal_face_boundary_id;
  for (unsigned int f = 0; f < n_faces; ++f)
    {
      const dealii::TriaRawIterator<dealii::TriaAccessor<dim - 1, dim, dim>> face(&mesh, 0, static_cast<int>(f));
      if (!face->used() || face->has_children() || !face->at_boundary() || face->boundary_id() == last)
        continue;
      last = face->boundary_id();
      ids.insert(last);
    }
  return ids;
}

template std::set<dealii::types::boundary_id>                        boundary_ids(const dealii::Triangulation<2> &);
template std::set<dealii::types::boundary_id>                        boundary_ids(const dealii::Triangulation<3> &);
template std::vector<dealii::Triangulation<2>::active_cell_iterator> owned_cells(const dealii::Triangulation<2> &);
template std::vector<dealii::Triangulation<3>::active_cell_iterator> owned_cells(const dealii::Triangulation<3> &);
} // namespace adamant
