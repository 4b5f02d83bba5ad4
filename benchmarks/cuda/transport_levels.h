#pragma once

#include "fem/forms/form.h"
#include "fem/spaces/field.h"
#include "operators/level_data.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/mapping_q1.h>

#include <vector>

// The levels of a transport-diffusion step on this mesh: bilinear elements, prescribed on the boundary, matrices
// assembled.
inline std::vector<adamant::LevelData> transport_levels(dealii::Triangulation<2> &mesh, unsigned int coarsest_cells,
                                                        unsigned int cells_per_rank)
{
  const adamant::LevelMeshes<2> meshes(mesh, {coarsest_cells, cells_per_rank});
  const adamant::Field<2>       u(meshes, "u", dealii::FE_Q<2>(1), {{0, dealii::ComponentMask()}});
  const dealii::MappingQ1<2>    mapping;
  adamant::Form<2>              A(
                 "A", u, unknowns(u), mapping, dealii::QGauss<2>(3),
                 dealii::update_values | dealii::update_gradients | dealii::update_JxW_values,
                 [](const adamant::CellContext<2> &cell, dealii::FullMatrix<double> &local) {
      for (const unsigned int q : cell.quadrature_point_indices())
        for (const unsigned int i : cell.dof_indices())
          for (const unsigned int j : cell.dof_indices())
            local(i, j) +=
              (cell.value(i, q) * cell.value(j, q) + 0.02 * (0.01 * (cell.gradient(i, q) * cell.gradient(j, q)) -
                                                             cell.gradient(j, q)[1] * cell.value(i, q))) *
              cell.JxW(q);
    },
    adamant::Levels::all);
  A.update();
  return levels_of(u, A);
}
