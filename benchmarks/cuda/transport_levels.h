#pragma once

#include "discretization/forms/hierarchy.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>

#include <memory>

// The levels of a transport-diffusion step on this mesh: bilinear elements, prescribed on the boundary, matrices assembled.
inline std::unique_ptr<adamant::Hierarchy<2>> transport_levels(dealii::Triangulation<2> &mesh, unsigned int coarsest_cells,
                                                               unsigned int cells_per_rank)
{
  auto hierarchy = std::make_unique<adamant::Hierarchy<2>>(mesh, dealii::FE_Q<2>(1),
                                                           adamant::DirichletBoundary{{0, dealii::ComponentMask()}},
                                                           coarsest_cells, cells_per_rank);
  hierarchy->assemble(dealii::MappingQ1<2>(), dealii::QGauss<2>(3),
                      dealii::update_values | dealii::update_gradients | dealii::update_JxW_values,
                      [](const auto &, const auto &fe, auto &local) {
                        for (const unsigned int q : fe.quadrature_point_indices())
                          for (const unsigned int i : fe.dof_indices())
                            for (const unsigned int j : fe.dof_indices())
                              local[0](i, j) += (fe.shape_value(i, q) * fe.shape_value(j, q) +
                                                 0.02 * (0.01 * (fe.shape_grad(i, q) * fe.shape_grad(j, q)) -
                                                         fe.shape_grad(j, q)[1] * fe.shape_value(i, q))) *
                                                fe.JxW(q);
                      });
  return hierarchy;
}
