#pragma once

#include "discretization/fields/level_space.h"

#include <deal.II/base/point.h>
#include <deal.II/fe/component_mask.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/lac/vector.h>

#include <functional>

namespace adamant
{
/// Kelly's estimate of the error on each active cell K of the mesh,
///   η_K² = h_K / 24 Σ_F ∫_F [∂_n u]²   (de S. R. Gago, Kelly, Zienkiewicz & Babuška 1983),
/// h_K its diameter, F its faces inside the mesh, u nodal values of the owned DoFs in host memory, in these components
/// (by default all); as deal.II's KellyErrorEstimator, threaded. 0 on other ranks' cells, whose neighbours' values are
/// needed: all ranks call it together.
template <int dim>
dealii::Vector<float> estimate_errors(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                      const double *u, const dealii::ComponentMask &components = {});

/// On each active cell the largest |f(∇u_c, h)| over these components c and the points of a Gauss rule of degree + 1
/// points, infinity where f is no number; h is the length of the cell's longest edge. Threaded: f is called from
/// several threads at once. 0 on other ranks' cells.
template <int dim>
dealii::Vector<float> gradient_indicators(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                          const double                                                              *u,
                                          const std::function<double(const dealii::Point<dim> &gradient, double h)> &f,
                                          const dealii::ComponentMask &components = {});
} // namespace adamant
