#pragma once

#include "coefficients/coefficient.h"
#include "evaluation/evaluation.h"

#include <vector>

namespace adamant
{
/// Returns the quantities of a scalar u, the first field: gradient_x, ... and the components flux_x, ... of -Λ ∇u. On
/// boundaries there is "flux", -(Λ ∇u) · n. Λ may depend on u; where it is null there are no fluxes. `time` is read at
/// each evaluation and has to outlive the result. Throws InputError for Λ of u and t in three dimensions, as
/// expressions have four variables at most.
template <int dim>
std::vector<Quantity<dim>> scalar_quantities(const Coefficient *diffusion, const double &time);
} // namespace adamant
