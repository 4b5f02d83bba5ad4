#pragma once

#include "fem/spaces/level_space.h"

#include <map>
#include <string>

namespace adamant
{
/// Returns the components prescribed on each boundary, from texts such as {{0, "xyz"}, {2, "y"}}. The letters x, y, z
/// stand for the components 0, 1, 2 of each vector of dim components in the element.
template <int dim>
DirichletBoundary prescribed_axes(const std::map<unsigned int, std::string> &axes,
                                  const dealii::FiniteElement<dim>          &element)
{
  DirichletBoundary dirichlet;
  for (const auto &[id, text] : axes)
    {
      dealii::ComponentMask mask(element.n_components(), false);
      for (unsigned int c = 0; c < element.n_components(); ++c)
        mask.set(c, text.find("xyz"[c % dim]) != std::string::npos);
      if (mask.n_selected_components() > 0)
        dirichlet[id] = mask;
    }
  return dirichlet;
}
} // namespace adamant
