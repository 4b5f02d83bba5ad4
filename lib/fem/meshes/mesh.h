#pragma once

#include "base/communicator.h"

#include <deal.II/fe/component_mask.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/vector.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace adamant
{
/// This file has the functions that work differently on serial meshes and on meshes of p4est.

/// Returns an empty mesh: of p4est where there are several `ranks` or `distributed` is set, else a serial one.
template <int dim>
std::unique_ptr<dealii::Triangulation<dim>> create_mesh(const Communicator &ranks, bool distributed = false);

/// Returns whether `mesh` is a mesh of p4est.
template <int dim>
bool is_distributed(const dealii::Triangulation<dim> &mesh);

/// Gives the unrefined `mesh` the manifolds and periodic faces of `from`, a mesh with the same coarse cells.
template <int dim>
void copy_manifolds(const dealii::Triangulation<dim> &from, dealii::Triangulation<dim> &mesh);

/// Makes the empty `mesh` of the coarse cells of `from`, with their manifolds and periodic faces.
template <int dim>
void copy_coarse_cells(const dealii::Triangulation<dim> &from, dealii::Triangulation<dim> &mesh);

/// Gives `mesh`, which may be refined, the manifolds of `from`, an unrefined mesh with the same coarse cells. `from`
/// has to outlive `mesh`.
template <int dim>
void share_manifolds(const dealii::Triangulation<dim> &from, dealii::Triangulation<dim> &mesh);

/// @name Refinement
/// These functions refine as deal.II does. But a mesh of p4est is made in one step, of the refined forest, and gives
/// each rank cells of about the same work. A cell counts a fifth more for each of its faces with hanging nodes. The
/// partition depends on the mesh and the number of ranks alone. No DoFHandler may use the mesh. All ranks call them
/// together.
/// @{

/// Refines all cells `times` times.
template <int dim>
void refine_global(dealii::Triangulation<dim> &mesh, unsigned int times);

/// Refines and coarsens the flagged cells.
template <int dim>
void execute_refinement(dealii::Triangulation<dim> &mesh);

/// Refines the fraction `refine` of all cells, of largest indicators, and coarsens the fraction `coarsen`, of smallest
/// indicators. `indicators` has an entry for each active cell.
template <int dim>
void refine_and_coarsen(dealii::Triangulation<dim> &mesh, const dealii::Vector<float> &indicators, double refine,
                        double coarsen);
/// @}

/// Returns the active cells that this rank owns; on a mesh of p4est they have the order of its forest.
template <int dim>
std::vector<typename dealii::Triangulation<dim>::active_cell_iterator>
owned_cells(const dealii::Triangulation<dim> &mesh);

/// Returns 1, 0 or -1 for each of owned_cells(): it is flagged for refinement, not flagged, or flagged for coarsening.
template <int dim>
std::vector<signed char> flags_of(const dealii::Triangulation<dim> &mesh);

/// Sets the flag of a cell, as flags_of() returns it.
template <class Cell>
void set_flag(const Cell &cell, int flag)
{
  cell->clear_refine_flag();
  cell->clear_coarsen_flag();
  if (flag > 0)
    cell->set_refine_flag();
  else if (flag < 0)
    cell->set_coarsen_flag();
}

/// Returns which child of its parent a cell is.
template <class Cell>
unsigned int child_number(const Cell &cell)
{
  unsigned int child = 0;
  while (cell->parent()->child_index(child) != cell->index())
    ++child;
  return child;
}

/// Returns the ids of all ranks' boundaries except periodic ones. All ranks call it together. deal.II's
/// get_boundary_ids, which asks each face of each cell, is slower.
template <int dim>
std::set<dealii::types::boundary_id> boundary_ids(const dealii::Triangulation<dim> &mesh);

/// Returns the pairs of coarse faces that Triangulation::add_periodicity() has joined. `cell_of` turns a coarse cell of
/// `mesh` into one of another mesh, or of a DoFHandler.
template <int dim, class CellOf>
auto periodic_faces(const dealii::Triangulation<dim> &mesh, const CellOf &cell_of)
{
  std::vector<dealii::GridTools::PeriodicFacePair<decltype(cell_of(mesh.begin()))>> pairs;
  for (const auto &[face, partner] : mesh.get_periodic_face_map())
    if (const auto &other = partner.first; face.first->level() == 0 && other.first->level() == 0 && face < other)
      {
        auto &pair       = pairs.emplace_back();
        pair.cell[0]     = cell_of(face.first);
        pair.cell[1]     = cell_of(other.first);
        pair.face_idx[0] = face.second;
        pair.face_idx[1] = other.second;
        pair.orientation = partner.second;
      }
  return pairs;
}

/// Says which components of the solution are prescribed on which boundary and at which other nodes, and on which
/// boundaries u . n = 0.
struct DirichletBoundary : std::map<dealii::types::boundary_id, dealii::ComponentMask>
{
  using std::map<dealii::types::boundary_id, dealii::ComponentMask>::map;
  /// Where u . n = 0 for each vector u of dim components; sides may have any direction.
  std::set<dealii::types::boundary_id> normal;
  unsigned int                         mapping_degree = 1; ///< of the cells that normals and points belong to
  /// Returns the bits of the components prescribed at a point; null: none. Several threads may call it at once.
  std::function<unsigned int(const double *point)> at_point;
};

/// Returns a DirichletBoundary that prescribes all components on all boundaries of the mesh.
template <int dim>
DirichletBoundary all_boundaries(const dealii::Triangulation<dim> &mesh)
{
  DirichletBoundary dirichlet;
  for (const auto id : boundary_ids(mesh))
    dirichlet[id] = {};
  return dirichlet;
}
} // namespace adamant
