#pragma once

#include "solid/equilibrium.h"

#include <iostream>
#include <string>
#include <utility>

namespace adamant
{
/// Notes, once each, on what makes GMRES take the place of conjugate gradients.
class SolverNotes
{
public:
  template <int dim>
  void print(const Equilibrium<dim> &equilibrium, bool symmetric, bool wants_cg)
  {
    if (!wants_cg)
      return;
    const int negative = equilibrium.negative_eigenvalues().value_or(0);
    if (const auto hint = equilibrium.rounding(); !hint.empty() && !std::exchange(on_rounding, true))
      std::cout << "note: GMRES takes the place of conjugate gradients" << hint << std::endl;
    if (equilibrium.stable() == false && !std::exchange(on_stability, true))
      std::cout << "note: the tangent is not positive definite: the state is not stable, or buckled"
                << (negative > 0 ?
                      "; on the coarsest level it has " + std::to_string(negative) + " negative eigenvalues" :
                      "")
                << std::endl;
    if (!symmetric && !std::exchange(on_symmetry, true))
      std::cout << "note: a boundary under follower pressure ends where the body may move across its edge, or meets "
                   "another pressure: the tangent is not symmetric, and GMRES takes the place of conjugate gradients"
                << std::endl;
  }

private:
  bool on_stability = false, on_symmetry = false, on_rounding = false;
};
} // namespace adamant
