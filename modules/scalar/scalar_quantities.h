#pragma once

#include "coefficients/coefficient.h"
#include "evaluation/evaluation.h"

namespace adamant
{
/// Returns the quantity "flux" for statistics: -(Λ ∇u) · n on boundaries, by the gradient of the first field. Λ may
/// depend on its value u. `time` is read at each evaluation and has to outlive the
/// result. Throws InputError for Λ of u and t in three dimensions, as expressions have four variables at most.
template <int dim>
Quantity<dim> diffusive_flux(const Coefficient &diffusion, const double &time);
} // namespace adamant
