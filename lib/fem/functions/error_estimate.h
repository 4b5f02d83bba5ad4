#pragma once

#include "fem/spaces/level_space.h"

#include <deal.II/base/point.h>
#include <deal.II/fe/component_mask.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/lac/vector.h>

#include <functional>

namespace adamant
{
/// Returns Kelly's estimate of the error on each active cell K of the mesh,
///   `η_K² = h_K / 24 Σ_F ∫_F [∂_n u]²`   (de S. R. Gago, Kelly, Zienkiewicz & Babuška 1983),
/// where h_K is the diameter of K and F are its faces inside the mesh. `u` has the nodal values of the owned DoFs, in
/// host memory; `components` says which count (default: all). It works as deal.II's KellyErrorEstimator, on all
/// threads. Other ranks' cells get 0. All ranks call it together, as values are exchanged.
template <int dim>
dealii::Vector<float> estimate_errors(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                      const double *u, const dealii::ComponentMask &components = {});

/// Returns on each active cell the largest |f(∇u_c, h)|, and infinity where f is no number. The maximum is over the
/// given components c and a Gauss rule of degree + 1 points per direction; h is the length of the cell's longest edge.
/// `u` has the owned DoFs' nodal values, in host memory. Several threads call f at once. Other ranks' cells get 0.
template <int dim>
dealii::Vector<float> gradient_indicators(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                          const double                                                              *u,
                                          const std::function<double(const dealii::Point<dim> &gradient, double h)> &f,
                                          const dealii::ComponentMask &components = {});
} // namespace adamant
