#include "application/mesh_input.h"

#include "base/exceptions.h"
#include "discretization/meshes/mesh.h"
#include "solvers/krylov.h"

#include <deal.II/base/mpi.h>
#include <deal.II/grid/grid_tools.h>

#include <algorithm>

namespace adamant
{
void refuse_moved_vertices(const std::string &key, bool distributed_mesh)
{
  if (distributed_mesh)
    throw InputError(key + ": p4est's meshes (on several ranks, and with Ranks/Distributed mesh = true) do not keep "
                           "vertices that have been moved; one rank with a serial mesh does");
}

template <int dim>
void move_vertices(const std::string &key, const dealii::Function<dim> &map, dealii::Triangulation<dim> &mesh)
{
  refuse_moved_vertices(key, is_distributed(mesh));
  dealii::GridTools::transform(
    [&](const dealii::Point<dim> &from) {
      dealii::Point<dim> to;
      for (unsigned int d = 0; d < dim; ++d)
        to[d] = map.value(from, d);
      return to;
    },
    mesh);
  for (const auto &cell : mesh.active_cell_iterators())
    if (const double volume = cell->measure(); !(volume > 0.))
      throw InputError(key + ": a cell has the volume " + to_text(volume) + "; do the coordinates ascend?");
}

template <int dim>
void refine_where(const dealii::Function<dim> &positive, unsigned int times, dealii::Triangulation<dim> &mesh)
{
  for (unsigned int cycle = 0; cycle < times; ++cycle)
    {
      for (const auto &cell : mesh.active_cell_iterators())
        if (cell->is_locally_owned() && positive.value(cell->center()) > 0.)
          cell->set_refine_flag();
      execute_refinement(mesh);
    }
}

template <int dim>
void check_boundaries(const std::string &key, const std::set<unsigned int> &ids, const dealii::Triangulation<dim> &mesh)
{
  const auto present = mesh.get_boundary_ids();
  for (const unsigned int id : ids)
    if (std::find(present.begin(), present.end(), id) == present.end())
      throw InputError(key + ": the mesh has no boundary " + std::to_string(id));
}

template <int dim>
std::vector<double> extent(const dealii::Triangulation<dim> &mesh)
{
  const auto          box = dealii::GridTools::compute_bounding_box(mesh);
  std::vector<double> lengths;
  for (unsigned int d = 0; d < dim; ++d)
    lengths.push_back(dealii::Utilities::MPI::max(box.upper_bound(d), mesh.get_communicator()) -
                      dealii::Utilities::MPI::min(box.lower_bound(d), mesh.get_communicator()));
  return lengths;
}

#define INSTANTIATE(dim)                                                                                         \
  template void move_vertices(const std::string &, const dealii::Function<dim> &, dealii::Triangulation<dim> &); \
  template void refine_where(const dealii::Function<dim> &, unsigned int, dealii::Triangulation<dim> &);         \
  template void check_boundaries(const std::string &, const std::set<unsigned int> &,                            \
                                 const dealii::Triangulation<dim> &);                                            \
  template std::vector<double> extent(const dealii::Triangulation<dim> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
