#pragma once

#include "base/csr/csr_matrix.h"
#include "fem/forms/form.h"
#include "fem/spaces/field.h"

#include <memory>
#include <vector>

namespace adamant
{
/// One level of global coarsening, as matrices in host memory. Level 0 is the coarsest (Liebchen et al., Sections 2.2
/// and 3.1). All vectors have an entry for each DoF of the level. A function has the nodal values u = H x + B g, where
/// x are the free unknowns and g the prescribed values. A, P and R act on x. Constrained DoFs have rows of the identity
/// in A and empty rows in P.
struct Level
{
  std::shared_ptr<const CSRMatrix<double>> A; ///< Hᵀ (sum of all cells' matrices) H, n x n
  std::shared_ptr<const CSRMatrix<double>> P; ///< n x n_coarser prolongation from the coarser level; null on level 0
  std::shared_ptr<const CSRMatrix<double>> R; ///< restriction, the transpose of P; null on level 0
  std::shared_ptr<const CSRMatrix<double>> H; ///< constraints: gives hanging nodes from free ones, n x n
  std::shared_ptr<const CSRMatrix<double>> B; ///< extension of prescribed values, n x n_prescribed
};

/// Returns all matrices that multigrid on an adaptive mesh needs, for anybody's solver; no Device takes part:
/// ```
///   LevelMeshes<dim> meshes(mesh, {256});                        // the sequence of coarser meshes
///   Field<dim>       u(meshes, "u", FE_Q<dim>(1), {{0, {}}});    // element and prescribed boundaries
///   const auto       levels = export_levels<dim>(u, mapping, QGauss<dim>(2), update_gradients | update_JxW_values,
///                       [](const auto &cell, auto &local) {      // a cell's matrix, from its shape functions
///                         for (const unsigned int q : cell.quadrature_point_indices())
///                           for (const unsigned int i : cell.dof_indices())
///                             for (const unsigned int j : cell.dof_indices())
///                               local(i, j) += cell.gradient(i, q) * cell.gradient(j, q) * cell.JxW(q);
///                       });
/// ```
/// The finest level's DoFs have the numbers of u.finest().dof_handler(). On several ranks each rank gets its rows
/// (CSRMatrix::ghosts), and all ranks call this function together. `field` and the matrices are independent afterwards.
/// Exceptions of the kernel reach the caller.
template <int dim>
std::vector<Level> export_levels(const Field<dim> &field, const dealii::Mapping<dim> &mapping,
                                 const dealii::Quadrature<dim> &quadrature, dealii::UpdateFlags flags,
                                 const typename Form<dim>::Kernel &kernel)
{
  Form<dim> A(field.name(), field, unknowns(field), mapping, quadrature, flags, kernel, Levels::all);
  A.update();
  std::vector<Level> levels;
  for (std::size_t l = 0; l < field.n_levels(); ++l)
    {
      const auto &space = field.space(l);
      levels.push_back({A.matrix(l), field.prolongation(l), field.restriction(l),
                        std::make_shared<CSRMatrix<double>>(space.owned_H()),
                        std::make_shared<CSRMatrix<double>>(space.owned_B())});
    }
  return levels;
}
} // namespace adamant
