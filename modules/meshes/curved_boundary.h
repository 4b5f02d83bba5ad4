#pragma once

#include <deal.II/grid/manifold.h>

#include <memory>
#include <string>

namespace adamant
{
/// Returns the manifold that a text of Mesh/Curved boundaries describes, such as "sphere; 0; 0; 0". `folder` is where
/// files of CAD are looked for. Throws InputError for other texts, and for files that cannot be read.
template <int dim>
std::unique_ptr<dealii::Manifold<dim>> manifold_of(const std::string &text, const std::string &folder);
} // namespace adamant
