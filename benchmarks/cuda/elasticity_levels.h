#pragma once

#include "discretization/forms/hierarchy.h"
#include "multigrid/smoothers/smoother.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>

#include <memory>

// The levels of a condensed elasticity step M + dt² K with the paper's material on a mesh with coloured boundary: trilinear elements,
// prescribed on the boundary, matrices assembled.
inline std::unique_ptr<adamant::Hierarchy<3>> elasticity_levels(dealii::Triangulation<3> &mesh, unsigned int coarsest_cells,
                                                                unsigned int cells_per_rank = 1000)
{
  adamant::DirichletBoundary dirichlet;
  for (int side = 0; side < 6; ++side)
    dirichlet[side] = dealii::ComponentMask();
  const dealii::FESystem<3> fe(dealii::FE_Q<3>(1), 3);
  auto hierarchy = std::make_unique<adamant::Hierarchy<3>>(mesh, fe, dirichlet, coarsest_cells, cells_per_rank);
  const double lambda = 8e4, mu = 2e4, weight = 0.025 * 0.025;
  hierarchy->assemble(dealii::MappingQ1<3>(), dealii::QGauss<3>(2),
                      dealii::update_values | dealii::update_gradients | dealii::update_JxW_values,
                      [=](const auto &, const auto &values, auto &local) {
                        for (const unsigned int i : values.dof_indices())
                          for (const unsigned int j : values.dof_indices())
                            for (const unsigned int q : values.quadrature_point_indices())
                              {
                                const unsigned int c = values.get_fe().system_to_component_index(i).first,
                                                   d = values.get_fe().system_to_component_index(j).first;
                                const auto &g = values.shape_grad(i, q), &h = values.shape_grad(j, q);
                                local[0](i, j) +=
                                  (weight * (lambda * g[c] * h[d] + mu * g[d] * h[c]) +
                                   (c == d ? weight * mu * (g * h) + values.shape_value(i, q) * values.shape_value(j, q) : 0.)) *
                                  values.JxW(q);
                              }
                      });
  return hierarchy;
}

// The smoother of the application.
inline adamant::MultigridOptions elasticity_options()
{
  adamant::MultigridOptions options;
  options.smoother.chebyshev = true;
  options.smoother.range     = 20.;
  options.smoother.type      = adamant::SmootherType::block_jacobi;
  options.pre_steps = options.post_steps = 3;
  return options;
}
