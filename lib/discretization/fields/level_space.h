#pragma once

#include "base/csr_matrix.h"
#include "base/storage_order.h"
#include "discretization/fields/distributed_rows.h"
#include "discretization/meshes/cell_list.h"
#include "discretization/meshes/owned_cells.h"

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/component_mask.h>
#include <deal.II/fe/fe.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/affine_constraints.h>

#include <map>
#include <memory>
#include <vector>

namespace adamant
{
/// Which components of the solution are prescribed on which boundary.
using DirichletBoundary = std::map<dealii::types::boundary_id, dealii::ComponentMask>;

/// All components prescribed on all boundaries that the mesh has.
template <int dim>
DirichletBoundary all_boundaries(const dealii::Triangulation<dim> &mesh)
{
  DirichletBoundary dirichlet;
  for (const auto id : boundary_ids(mesh))
    dirichlet[id] = {};
  return dirichlet;
}

/// The finite element space of one level as tables: cells' DoFs and constraints as sparse matrices, in host memory.
///
/// DoFs are free, hanging, or prescribed. A function of the space has the nodal values
///   u = H x + B g,
/// x the free unknowns (other entries are not read), g the values at the prescribed DoFs. Row i of H (n x n) is e_i for
/// a free DoF, the interpolation weights of the free DoFs for a hanging one, empty for a prescribed one (Liebchen et
/// al., Section 2.2). Row i of B (n x n_prescribed) holds the weights of prescribed DoFs. Neither changes in time.
///
/// On a distributed mesh this is one rank's part: the cells that it owns and, by local numbers, their DoFs and those
/// that constrain them. The DoFs that the rank owns come first. H and B have a row for each local DoF; vectors and
/// exported matrices have the owned ones only. On one rank all are owned; Q1 and Q2 are numbered by the vertices, lines
/// and faces of the mesh there (CellEntities), other elements and those of several ranks by deal.II's DoFHandler.
template <int dim>
class LevelSpace
{
public:
  using Cell = typename CellList<dim>::Cell;

  /// `fe` is copied; the cells are shared. All ranks of the mesh call it together, as everything that makes matrices.
  LevelSpace(std::shared_ptr<const CellList<dim>> cells, const dealii::FiniteElement<dim> &fe,
             const DirichletBoundary &dirichlet);
  /// On the active cells of a mesh.
  LevelSpace(std::shared_ptr<const dealii::Triangulation<dim>> mesh, const dealii::FiniteElement<dim> &fe,
             const DirichletBoundary &dirichlet);

  const dealii::FiniteElement<dim> &element() const { return *element_; }
  /// Whose active cells are those of the space. For those of a coarser level, which are in the tree of the finest mesh,
  /// it is made when it or dof_handler() is first asked for.
  const dealii::Triangulation<dim> &triangulation() const { return *CellList<dim>::as_active(cells)->mesh(); }
  /// For deal.II's functions. On one rank it is made when it is first asked for, which threads must not do at once:
  /// set-up goes without, as it would take half the time that the mesh takes.
  const dealii::DoFHandler<dim> &dof_handler() const { return *shared_dof_handler(); }
  /// The same, to be kept beyond the space: a MeshChange carries nodal values with it.
  const std::shared_ptr<dealii::DoFHandler<dim>> &shared_dof_handler() const;
  std::size_t                                     n_global_dofs() const { return numbers->size(); } ///< of all ranks
  int                                             n_dofs() const { return H.n_rows; }               ///< local ones
  int                  n_owned() const { return static_cast<int>(numbers->locally_owned_size()); }
  int                  n_cells() const { return static_cast<int>(constrained_cell.size()); }
  int                  dofs_per_cell() const { return per_cell; }
  int                  node_size() const { return rows_per_node; } ///< see Field
  const CellList<dim> &active_cells() const { return *cells; }     ///< owned, in the order of their numbers
  int                  cell_number(const Cell &cell) const { return cells->number(cell); } ///< of one of these
  const int           *cell_dofs(int cell) const { return table.data() + std::size_t(cell) * per_cell; }
  bool                 is_free(int dof) const { return constrained[dof] == free; }
  bool                 has_constraints(int cell) const { return constrained_cell[cell] != 0; }
  long                 n_hanging() const; ///< of all ranks, which call it together

  Communicator communicator() const { return Communicator(numbers->get_mpi_communicator()); } ///< the mesh's ranks
  const Partitioner &partition() const { return *numbers; } ///< the global numbers of the DoFs
  const Partitioner &prescribed_partition() const
  {
    return *prescribed_numbers;
  } ///< of the prescribed ones, the columns of B
  CSRMatrix<double> owned_H() const { return owned_rows(H, *numbers, *numbers); }            ///< for vectors
  CSRMatrix<double> owned_B() const { return owned_rows(B, *numbers, *prescribed_numbers); } ///< for vectors

  /// The values at the local DoFs from those at the owned ones. All ranks call it together.
  Array<double> local_values(const double *owned) const;
  /// The sums over ranks of what each has for its local DoFs, at the owned ones. All ranks call it together.
  Array<double> sum_local(Array<double> local) const;

  /// Of nodal values, for checkpoints: on meshes of p4est in the order in which the forest's cells meet the DoFs, which
  /// is the same on any number of ranks.
  StorageOrder storage_order() const;

  CSRMatrix<double> H;          ///< constraint matrix
  CSRMatrix<double> B;          ///< extension of the prescribed values
  Array<int>        prescribed; ///< the owned prescribed DoFs, ascending: the first columns of B

  /// Frees the mesh, where nobody else shares it, and deal.II's DoFs and cells. What transfer to the next finer level
  /// reads stays: the element, cell_dofs(), partition() and the constraints.
  void release_mesh();

  /// Hanging-node constraints alone, closed; for deal.II's own functions.
  dealii::AffineConstraints<double> hanging_nodes;

  mutable Array<int> same_shape; ///< what cells_of_same_shape remembers

private:
  enum Kind : unsigned char
  {
    free,
    hanging,
    fixed
  };
  void       number_by_dof_handler();
  void       sort_by_position();
  void       number_locally();
  void       mark_constrained(const DirichletBoundary &dirichlet);
  void       agree_on_prescribed();
  Array<int> number_prescribed();
  void       build_constraint_matrices(const Array<int> &column_in_B);
  int        local_number(dealii::types::global_dof_index dof) const
  {
    return static_cast<int>(numbers->global_to_local(dof));
  }

  std::unique_ptr<const dealii::FiniteElement<dim>> element_;
  std::shared_ptr<const CellList<dim>>              cells; // before `dofs`, which refers to its mesh
  mutable std::shared_ptr<dealii::DoFHandler<dim>>  dofs;  // null until it is asked for, where entities do
  std::shared_ptr<const Partitioner>                numbers, prescribed_numbers;
  std::shared_ptr<const ExchangePlan>               plan; // of `numbers`; null on one rank
  int                                               per_cell = 0, rows_per_node = 1;
  Array<int>                                        table;
  Array<unsigned char>                              constrained;      // of each DoF, a Kind
  Array<unsigned char>                              constrained_cell; // of each cell, whether one of its DoFs is
};
} // namespace adamant
