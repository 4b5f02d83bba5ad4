#pragma once

#include "coefficients/coefficient.h"
#include "evaluation/evaluation.h"
#include "fem/spaces/level_space.h"
#include "solid/stored_energy.h"

#include <deal.II/base/tensor.h>
#include <deal.II/fe/mapping.h>

#include <map>
#include <set>
#include <vector>

namespace adamant
{
/// Returns the quantities of a displacement: its length `displacement`, J, the components stress_xx, ... of the Cauchy
/// stress σ = P Fᵀ / J with von_mises, and energy, W + U by reference volume.
template <int dim>
std::vector<Quantity<dim>> solid_quantities(const OfEntries<StoredEnergy> &energies);

/// The resultant of forces, and their moment about the origin: (0, 0, M) in two dimensions.
struct Resultant
{
  dealii::Tensor<1, 3> force, moment;
};

/// Returns what the nodes of each of these boundaries bear: the sum of the forces that deform the body there, which are
/// given as ∫ P : ∇φ_i over each cell, at [cell n + i]. Moments are those at the nodes' places in the deformed body.
/// Where all of u is prescribed, these are reactions. `owned_u` has the nodal values of u, in host memory. All ranks call
/// it together.
template <int dim>
std::map<unsigned int, Resultant> resultants(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                             const std::set<unsigned int> &boundaries,
                                             const Array<double> &forces_of_cells, const double *owned_u);
} // namespace adamant
