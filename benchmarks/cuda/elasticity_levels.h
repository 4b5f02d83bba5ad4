#pragma once

#include "fem/forms/form.h"
#include "fem/spaces/field.h"
#include "multigrid/options.h"
#include "operators/level_data.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_q1.h>

#include <vector>

// The levels of a condensed elasticity step M + dt² K with the paper's material on a mesh with coloured boundary:
// trilinear elements, prescribed on the boundary, matrices assembled.
inline std::vector<adamant::LevelData> elasticity_levels(dealii::Triangulation<3> &mesh, unsigned int coarsest_cells,
                                                         unsigned int cells_per_rank = 1000)
{
  adamant::DirichletBoundary dirichlet;
  for (int side = 0; side < 6; ++side)
    dirichlet[side] = dealii::ComponentMask();
  const adamant::LevelMeshes<3> meshes(mesh, {coarsest_cells, cells_per_rank});
  const adamant::Field<3>       u(meshes, "u", dealii::FESystem<3>(dealii::FE_Q<3>(1), 3), dirichlet);
  const dealii::MappingQ1<3>    mapping;
  const double                  lambda = 8e4, mu = 2e4, weight = 0.025 * 0.025;
  const auto local_matrix = [=](const adamant::CellContext<3> &cell, dealii::FullMatrix<double> &local) {
    for (const unsigned int i : cell.dof_indices())
      for (const unsigned int j : cell.dof_indices())
        for (const unsigned int q : cell.quadrature_point_indices())
          {
            const unsigned int c = cell.component(i), d = cell.component(j);
            const auto        &g = cell.gradient(i, q), &h = cell.gradient(j, q);
            local(i, j) += (weight * (lambda * g[c] * h[d] + mu * g[d] * h[c]) +
                            (c == d ? weight * mu * (g * h) + cell.value(i, q) * cell.value(j, q) : 0.)) *
                           cell.JxW(q);
          }
  };
  adamant::Form<3> A("A", u, unknowns(u), mapping, dealii::QGauss<3>(2),
                     dealii::update_values | dealii::update_gradients | dealii::update_JxW_values, local_matrix,
                     adamant::Levels::all);
  A.update();
  return levels_of(u, A);
}

// The smoother of the application.
inline adamant::MultigridOptions elasticity_options()
{
  adamant::MultigridOptions options;
  options.smoother.chebyshev = true;
  options.smoother.range     = 20.;
  options.smoother.type      = "block_jacobi";
  options.pre_steps = options.post_steps = 3;
  return options;
}
