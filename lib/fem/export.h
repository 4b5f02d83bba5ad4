#pragma once

#include "base/level.h"
#include "fem/forms/form.h"

#include <vector>

namespace adamant
{
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
                                 const typename Form<dim>::Kernel &kernel);
} // namespace adamant
