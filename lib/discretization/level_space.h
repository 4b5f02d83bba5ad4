#pragma once

#include "base/csr_matrix.h"

#include <deal.II/base/index_set.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/component_mask.h>
#include <deal.II/fe/fe.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/affine_constraints.h>

#include <map>
#include <memory>

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
  /// `fe` is copied; the mesh is shared.
  LevelSpace(std::shared_ptr<const dealii::Triangulation<dim>> mesh,
             const dealii::FiniteElement<dim>                 &fe,
             const DirichletBoundary                          &dirichlet);

  const dealii::DoFHandler<dim> &dof_handler() const { return *dofs; }
  int                            n_dofs() const { return H.n_rows; }
  int                            n_cells() const { return cells; }
  int                            dofs_per_cell() const { return per_cell; }
  const int                     *cell_dofs(int cell) const { return table.data() + std::size_t(cell) * per_cell; }
  bool                           is_free(int dof) const { return constrained[dof] == 0; }
  bool                           has_constraints(int cell) const { return constrained_cell[cell] != 0; }

  CSRMatrix<double> H; ///< constraint matrix
  CSRMatrix<double> B; ///< extension of the prescribed values
  Array<int>        prescribed; ///< the prescribed DoFs, ascending: the columns of B

  /// Hanging-node constraints alone, closed; for deal.II's own functions.
  dealii::AffineConstraints<double> hanging_nodes;

private:
  void fill_cell_table();
  void build_constraint_matrices(const dealii::IndexSet &dirichlet);

  std::shared_ptr<const dealii::Triangulation<dim>> mesh; // before `dofs`, which refers to it
  std::unique_ptr<dealii::DoFHandler<dim>>          dofs;
  int                                               cells    = 0;
  int                                               per_cell = 0;
  Array<int>                                        table;
  Array<unsigned char>                              constrained, constrained_cell;
};

/// For each cell of the active cells' order, the iterator; for threaded loops.
template <int dim>
std::vector<typename dealii::DoFHandler<dim>::active_cell_iterator> active_cells(const dealii::DoFHandler<dim> &dofs);
} // namespace adamant
