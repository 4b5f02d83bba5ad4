#pragma once

#include "base/csr_matrix.h"

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

/// The finite element space of one level as tables: cells' DoFs and constraints as sparse matrices, in host memory.
///
/// DoFs are free, hanging, or prescribed. A function of the space has the nodal values
///   u = H x + B g,
/// x the free unknowns (other entries are not read), g the values at the prescribed DoFs. Row i of H (n x n) is e_i for a
/// free DoF, the interpolation weights of the free DoFs for a hanging one, empty for a prescribed one (Liebchen
/// et al., Section 2.2). Row i of B (n x n_prescribed) holds the weights of prescribed DoFs. Neither changes in time.
template <int dim>
class LevelSpace
{
public:
  using Cell = typename dealii::DoFHandler<dim>::active_cell_iterator;

  /// `fe` is copied; the mesh is shared.
  LevelSpace(std::shared_ptr<const dealii::Triangulation<dim>> mesh, const dealii::FiniteElement<dim> &fe,
             const DirichletBoundary &dirichlet);

  const dealii::DoFHandler<dim> &dof_handler() const { return *dofs; }
  int                            n_dofs() const { return H.n_rows; }
  int                            n_cells() const { return static_cast<int>(cells.size()); }
  int                            dofs_per_cell() const { return per_cell; }
  const std::vector<Cell>       &active_cells() const { return cells; } ///< in their order, for threaded loops
  const int                     *cell_dofs(int cell) const { return table.data() + std::size_t(cell) * per_cell; }
  bool                           is_free(int dof) const { return constrained[dof] == free; }
  bool                           has_constraints(int cell) const { return constrained_cell[cell] != 0; }

  CSRMatrix<double> H;          ///< constraint matrix
  CSRMatrix<double> B;          ///< extension of the prescribed values
  Array<int>        prescribed; ///< the prescribed DoFs, ascending: the columns of B

  /// Hanging-node constraints alone, closed; for deal.II's own functions.
  dealii::AffineConstraints<double> hanging_nodes;

private:
  enum Kind : unsigned char
  {
    free,
    hanging,
    fixed
  };
  void fill_cell_table();
  void sort_by_position();
  void mark_constrained(const DirichletBoundary &dirichlet);
  void build_constraint_matrices();

  std::shared_ptr<const dealii::Triangulation<dim>> mesh; // before `dofs`, which refers to it
  std::unique_ptr<dealii::DoFHandler<dim>>          dofs;
  std::vector<Cell>                                 cells;
  int                                               per_cell = 0;
  Array<int>                                        table;
  Array<unsigned char>                              constrained;      // of each DoF, a Kind
  Array<unsigned char>                              constrained_cell; // of each cell, whether one of its DoFs is
};
} // namespace adamant
