#pragma once

#include "discretization/fields/level_space.h"
#include "tensor/fast_diagonalization.h"

#include <deal.II/fe/mapping.h>

#include <vector>

namespace adamant
{
/// The one-dimensional eigenpairs of a scalar Q1 space whose nodes are a tensor product of coordinates, numbered along
/// lines: of the direction whose numbers follow each other first. Values may be prescribed on whole sides. Throws
/// InputError where the space is not of that kind. With `without_prescribed`, vectors have no prescribed nodes.
template <int dim>
std::vector<Eigenpairs> tensor_product_eigenpairs(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                                  bool without_prescribed = false);
} // namespace adamant
