#pragma once

#include "boundary.h"
#include "equations.h"

#include "fem/forms/cell_loop.h"
#include "fem/functions/error_estimate.h"

#include <deal.II/lac/vector.h>

#include <cmath>

/// Estimates of the velocity's error on the active cells, for refinement of the mesh.
namespace stationary_navier_stokes
{
/// Returns the residual estimator η_K of each active cell K,
///   `η_K² = ∫_K |τ R|² + h_K ∫_{∂K ∩ Γ_D} |u_D - u|²`,
/// where τ R is the stabilisation's model of the velocity that the mesh does not resolve (Hauke, Doweidar & Miana
/// 2006). On faces Γ_D the velocity u_D is prescribed; h_K is the diameter of K. `unresolved` has |τ R|² at the
/// quadrature points, cell by cell (FlowEquations). `nodal` has (u, p); both are in host memory.
template <int dim>
dealii::Vector<float> residual_indicators(const ProblemParameters &problem, const adamant::LevelSpace<dim> &space,
                                          const Mapping<dim> &mapping, const Array<double> &unresolved,
                                          const Array<double> &nodal)
{
  const QGauss<dim> quadrature(2);
  Array<double>     squares(space.n_cells(), 0.);
  adamant::for_each_cell(space, mapping, quadrature, update_JxW_values, [&](int cell, const FEValues<dim> &fe_values) {
    for (const unsigned int q : fe_values.quadrature_point_indices())
      squares[cell] += unresolved[std::size_t(cell) * quadrature.size() + q] * fe_values.JxW(q);
  });
  for (const auto id : problem.all(&ProblemParameters::prescribes, space.triangulation()))
    adamant::for_each_boundary_point(
      space, mapping, id, 3,
      [&, given = adamant::parse_function<dim>("Problem/Boundary velocity", problem.velocity_on(id), dim)](
        int cell, const FEFaceValues<dim> &at, unsigned int q) {
        const auto value  = value_at(space, nodal, cell, at, q);
        double     square = 0.;
        for (int c = 0; c < dim; ++c)
          square += std::pow(value[c] - given->value(at.quadrature_point(q), c), 2);
        squares[cell] += space.active_cells()[cell]->diameter() * square * at.JxW(q);
      });
  dealii::Vector<float> indicators(space.triangulation().n_active_cells());
  for (int cell = 0; cell < space.n_cells(); ++cell)
    indicators[space.active_cells()[cell]->active_cell_index()] = static_cast<float>(std::sqrt(squares[cell]));
  return indicators;
}
} // namespace stationary_navier_stokes
