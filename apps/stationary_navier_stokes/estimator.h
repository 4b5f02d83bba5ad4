#pragma once

#include "boundary.h"
#include "equations.h"

#include "discretization/fields/error_estimate.h"
#include "discretization/forms/cell_loop.h"

#include <deal.II/lac/vector.h>

#include <cmath>
#include <map>
#include <memory>
#include <vector>

/// Where the mesh is to be refined: estimates of the velocity's error on the active cells.
namespace stationary_navier_stokes
{
/// h ∫_F |u_D - u|² over the faces F of a cell at this boundary, u the nodal values of (u, p) in host memory, h the
/// diameter of the cell: what the mesh does not show of the velocity that is prescribed.
template <int dim>
class BoundaryError
{
public:
  BoundaryError(const ProblemParameters &problem, const adamant::LevelSpace<dim> &space, const Mapping<dim> &mapping)
    : problem(problem)
    , space(space)
    , face_values(mapping, space.dof_handler().get_fe(), QGauss<dim - 1>(3),
                  update_values | update_quadrature_points | update_JxW_values)
  {}

  double operator()(int cell, const Array<double> &nodal)
  {
    const auto &iterator = space.active_cells()[cell];
    double      sum      = 0.;
    for (const unsigned int face : iterator->face_indices())
      if (iterator->at_boundary(face) && problem.outflow.count(iterator->face(face)->boundary_id()) == 0)
        sum += on_face(cell, face, nodal) * iterator->diameter();
    return sum;
  }

private:
  double on_face(int cell, unsigned int face, const Array<double> &nodal)
  {
    const auto &iterator = space.active_cells()[cell];
    auto       &given    = velocities[iterator->face(face)->boundary_id()];
    if (!given)
      given = velocity_on<dim>(problem, iterator->face(face)->boundary_id());
    face_values.reinit(iterator, face);
    double sum = 0.;
    for (const unsigned int q : face_values.quadrature_point_indices())
      {
        double difference[dim + 1] = {};
        for (const unsigned int i : face_values.dof_indices())
          difference[face_values.get_fe().system_to_component_index(i).first] +=
            nodal[space.cell_dofs(cell)[i]] * face_values.shape_value(i, q);
        for (int c = 0; c < dim; ++c)
          sum += std::pow(difference[c] - given->value(face_values.quadrature_point(q), c), 2) * face_values.JxW(q);
      }
    return sum;
  }

  const ProblemParameters                                     &problem;
  const adamant::LevelSpace<dim>                              &space;
  FEFaceValues<dim>                                            face_values;
  std::map<types::boundary_id, std::unique_ptr<Function<dim>>> velocities;
};

/// The residual estimator, for each active cell K
///   η_K² = ∫_K |τ R|² + h_K ∫_{∂K ∩ Γ_D} |u_D - u|²,
/// τ R being what the stabilisation takes for the velocity that the mesh does not resolve (Hauke, Doweidar & Miana
/// 2006). `unresolved` has |τ R|² at the quadrature points, cell by cell (FlowEquations), `nodal` (u, p) in host memory.
template <int dim>
dealii::Vector<float> residual_indicators(const ProblemParameters &problem, const adamant::LevelSpace<dim> &space,
                                          const Mapping<dim> &mapping, const Array<double> &unresolved,
                                          const Array<double> &nodal)
{
  const QGauss<dim>  quadrature(2);
  BoundaryError<dim> boundary(problem, space, mapping);
  Array<double>      squares(space.n_cells(), 0.);
  adamant::for_each_cell(space, mapping, quadrature, update_JxW_values, [&](int cell, const FEValues<dim> &fe_values) {
    for (const unsigned int q : fe_values.quadrature_point_indices())
      squares[cell] += unresolved[std::size_t(cell) * quadrature.size() + q] * fe_values.JxW(q);
  });
  dealii::Vector<float> indicators(space.dof_handler().get_triangulation().n_active_cells());
  for (int cell = 0; cell < space.n_cells(); ++cell)
    indicators[space.active_cells()[cell]->active_cell_index()] =
      static_cast<float>(std::sqrt(squares[cell] + boundary(cell, nodal)));
  return indicators;
}
} // namespace stationary_navier_stokes
