#pragma once

#include "base/csr/csr_matrix.h"
#include "fem/meshes/mesh.h"
#include "fem/spaces/numbering.h"

#include <deal.II/base/function.h>
#include <deal.II/base/tensor.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/lac/la_parallel_vector.h>

#include <array>
#include <functional>
#include <set>
#include <vector>

namespace adamant
{
/// Returns the directions of the normals at a DoF, from the nodal_normals() of boundaries. Boundaries whose normals
/// differ by less than 15 degrees share one.
template <int dim>
std::vector<dealii::Tensor<1, dim>> directions_at(int dof, const std::vector<std::array<Array<double>, dim>> &normals)
{
  std::vector<dealii::Tensor<1, dim>> sums;
  for (const auto &of_boundary : normals)
    {
      dealii::Tensor<1, dim> n;
      for (int d = 0; d < dim; ++d)
        n[d] = of_boundary[d][dof];
      const auto like = std::find_if(sums.begin(), sums.end(),
                                     [&n](const auto &sum) { return sum * n > 0.966 * sum.norm() * n.norm(); });
      if (like != sums.end())
        *like += n;
      else if (n.norm() > 0.)
        sums.push_back(n);
    }
  return sums;
}

/// The order in which files keep the entries of a distributed vector, for any number of ranks. The entries of one rank
/// follow the entries of another. Within a rank, the order does not depend on the other ranks.
struct StorageOrder
{
  Communicator ranks;
  Array<int>   entry; ///< the own entry that comes i-th; empty: entries keep their order
};

/// Returns the storage order of vectors that have one component of all own nodes after the other. `nodes` is the order
/// of the nodes. Files then keep all components of a node together.
inline StorageOrder by_components(const StorageOrder &nodes, int n_components)
{
  StorageOrder all{nodes.ranks, {}};
  const int    n = static_cast<int>(nodes.entry.size());
  for (const int node : nodes.entry)
    for (int c = 0; c < n_components; ++c)
      all.entry.push_back(c * n + node);
  return all;
}

/// The finite element space of one level as tables in host memory: DoFs of the cells, and constraints as sparse
/// matrices.
///
/// A DoF is free, hanging, or prescribed; one that another DoF replaces, as a periodic face makes it, counts as
/// hanging. A function of the space has the nodal values
///   `u = H x + B g`,
/// where x are the free unknowns (other entries are not read) and g the values at the prescribed DoFs. Row i of H (n x
/// n) is e_i for a free and empty for a prescribed DoF. For a hanging DoF it has the weights of the free DoFs (Liebchen
/// et al., Section 2.2). Row i of B (n x n_prescribed) has the weights of prescribed DoFs. Neither changes.
///
/// On a distributed mesh this is one rank's part: the cells that the rank owns, their DoFs, and the DoFs that constrain
/// these. DoFs have local numbers, owned DoFs first. H and B have a row for each local DoF; vectors and exported
/// matrices have owned rows only. number_dofs() numbers the DoFs where a space is not made of tables.
template <int dim>
class LevelSpace
{
public:
  using Cell = typename CellList<dim>::Cell;

  /// Makes the space on `cells`, which are shared; `fe` is copied. All ranks of the mesh call it together.
  LevelSpace(std::shared_ptr<const CellList<dim>> cells, const dealii::FiniteElement<dim> &fe,
             const DirichletBoundary &dirichlet);
  /// Makes the space on the active cells of a mesh.
  LevelSpace(std::shared_ptr<const dealii::Triangulation<dim>> mesh, const dealii::FiniteElement<dim> &fe,
             const DirichletBoundary &dirichlet);
  /// Makes the space of tables, for transfer_matrices alone. It has no prescribed DoFs. A DoF whose row of H is not e_i
  /// counts as hanging. H may have rows for more DoFs than `numbers` has, such as for one that hangs in a single cell.
  /// `cells` may be null.
  LevelSpace(std::shared_ptr<const CellList<dim>> cells, const dealii::FiniteElement<dim> &fe,
             std::shared_ptr<const Partitioner> numbers, Array<int> cell_dofs, CSRMatrix<double> H);

  const dealii::FiniteElement<dim> &element() const { return *element_; }
  /// Returns the mesh whose active cells are the cells of the space. A coarser level, whose cells are in the finest
  /// mesh's tree, gets such a mesh when this function or dof_handler() is first called.
  const dealii::Triangulation<dim> &triangulation() const { return *CellList<dim>::as_active(cells)->mesh(); }
  /// Returns a DoFHandler for deal.II's functions. The first call may make it, so all ranks call it together, and
  /// threads not at once. Set-up does without it, as it would take half the time of the mesh.
  const dealii::DoFHandler<dim> &dof_handler() const { return *shared_dof_handler(); }
  /// Returns dof_handler() for callers who keep it longer than the space, as a MeshChange does.
  const std::shared_ptr<dealii::DoFHandler<dim>> &shared_dof_handler() const;
  std::size_t                                     n_global_dofs() const { return numbers->size(); } ///< of all ranks
  int                                             n_dofs() const { return H.n_rows; }               ///< local DoFs
  int                  n_owned() const { return static_cast<int>(numbers->locally_owned_size()); }
  int                  n_cells() const { return static_cast<int>(constrained_cell.size()); }
  int                  dofs_per_cell() const { return per_cell; }
  int                  node_size() const { return rows_per_node; } ///< see Field
  const CellList<dim> &active_cells() const { return *cells; }     ///< owned cells, by their numbers
  int                  cell_number(const Cell &cell) const { return cells->number(cell); } ///< of one of active_cells()
  const int           *cell_dofs(int cell) const { return table.data() + std::size_t(cell) * per_cell; }
  bool                 is_free(int dof) const { return constrained[dof] == free; }
  bool                 has_constraints(int cell) const { return constrained_cell[cell] != 0; }
  long                 n_hanging() const; ///< of all ranks, which call it together

  Communicator communicator() const { return Communicator(numbers->get_mpi_communicator()); } ///< the mesh's ranks
  /// Returns the global numbers of the DoFs, and of the prescribed DoFs, the columns of B.
  const Partitioner &partition() const { return *numbers; }
  const Partitioner &prescribed_partition() const { return *prescribed_numbers; }
  CSRMatrix<double>  owned_H() const { return owned_rows(H, *numbers, *numbers); }            ///< for vectors
  CSRMatrix<double>  owned_B() const { return owned_rows(B, *numbers, *prescribed_numbers); } ///< for vectors

  /// Returns the values at the local DoFs from the values at the owned DoFs. All ranks call it together.
  Array<double> local_values(const double *owned) const;
  /// Returns the sums over ranks of values at local DoFs, for the owned DoFs. All ranks call it together.
  Array<double> sum_local(Array<double> local) const { return plan ? sum_ghosts(*plan, std::move(local)) : local; }

  /// Returns the order in which checkpoints store nodal values. On a mesh of p4est it is the order in which the
  /// forest's cells meet the DoFs, for any number of ranks.
  StorageOrder storage_order() const;

  /// Returns 1 for local DoFs on a boundary's faces, of any rank's cells, else 0. All ranks call it, with the cells.
  Array<unsigned char> on_boundary(dealii::types::boundary_id id) const
  {
    return marked_on_boundary([id](unsigned int of_face, unsigned int) { return of_face == id; });
  }

  /// Returns ∫ φ_i n over a boundary, for each local DoF i, by components. These nodal normals keep mass: a velocity
  /// whose product with each of them is 0 has ∮ u . n = 0 (Engelman, Sani & Gresho 1982). Where the DirichletBoundary
  /// has mapping degree 2, cells are curved and the integrals are sums over the nodes: so normals point where n does at
  /// the nodes, and order 3 is kept. All ranks call it together.
  std::array<Array<double>, dim> nodal_normals(dealii::types::boundary_id id) const;

  CSRMatrix<double> H;          ///< constraint matrix
  CSRMatrix<double> B;          ///< extension of the prescribed values
  Array<int>        prescribed; ///< the owned prescribed DoFs, ascending: the first columns of B

  /// The closed constraints of hanging nodes and periodic faces, without boundary values, for deal.II's own functions.
  dealii::AffineConstraints<double> hanging_nodes;

  mutable Array<int> same_shape; ///< the result that cells_of_same_shape remembers

private:
  template <int>
  friend class HierarchyBuilder;

  // Frees deal.II's DoFs, the cells and, where nobody else shares it, the mesh. The data that the transfer to the next
  // finer level reads stay: the element, cell_dofs(), partition() and the constraints.
  void release_mesh();

  enum Kind : unsigned char
  {
    free,
    fixed, // as marked_on_boundary() has it
    hanging
  };
  // As on_boundary, for faces and components with marks(id of the boundary, component), which threads call at once;
  // also where DirichletBoundary::at_point has bits. A DoF that a periodic face replaces marks the other one, too.
  Array<unsigned char> marked_on_boundary(const std::function<bool(unsigned, unsigned)>     &marks,
                                          const std::function<unsigned int(const double *)> &at = nullptr) const;
  void                 mark_constrained(const DirichletBoundary &dirichlet);
  // Adds constraints u . n = 0 at the nodes of these boundaries to hanging_nodes. Boundaries of about one direction
  // share the normal of a node.
  void       constrain_normals(const std::set<dealii::types::boundary_id> &ids);
  void       mark_constrained_cells();
  Array<int> number_prescribed();
  void       build_constraint_matrices(const Array<int> &column_in_B);
  int        local_number(dealii::types::global_dof_index dof) const
  {
    return static_cast<int>(numbers->global_to_local(dof));
  }

  std::unique_ptr<const dealii::FiniteElement<dim>> element_;
  std::shared_ptr<const CellList<dim>>              cells; // declared before `dofs`, which refers to its mesh
  mutable std::shared_ptr<dealii::DoFHandler<dim>>  dofs;  // null until asked for, where number_dofs made none
  std::shared_ptr<const Partitioner>                numbers, prescribed_numbers;
  std::shared_ptr<const ExchangePlan>               plan; // of `numbers`; null on one rank
  int                                               per_cell = 0, rows_per_node = 1;
  unsigned int                                      mapping_degree = 1;
  Array<int>                                        table;
  Array<unsigned char>                              constrained;      // of each DoF, a Kind
  Array<unsigned char>                              constrained_cell; // of each cell, whether a DoF of it is not free
};

/// deal.II's vector of nodal values. It includes values of other ranks, on this rank's cells and their neighbours.
using NodalVector = dealii::LinearAlgebra::distributed::Vector<double>;

/// Returns the nodal interpolation of a function, continuous at hanging nodes.
template <int dim>
NodalVector interpolate(const dealii::Mapping<dim> &mapping, const dealii::DoFHandler<dim> &dofs,
                        const dealii::Function<dim> &function);

/// Returns nodal values that are all zero.
template <int dim>
NodalVector nodal_vector(const dealii::DoFHandler<dim> &dofs);
template <int dim>
NodalVector nodal_vector(const LevelSpace<dim> &space);

/// Returns the nodal values of a space, for deal.II's functions. `owned` has the values at the owned DoFs, in host
/// memory. All ranks call it together.
template <int dim>
NodalVector nodal_vector(const LevelSpace<dim> &space, const double *owned);
} // namespace adamant
