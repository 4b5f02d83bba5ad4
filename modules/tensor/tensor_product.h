#pragma once

#include "fem/spaces/level_space.h"
#include "tensor/fast_diagonalization.h"

#include <deal.II/fe/mapping.h>

#include <vector>

namespace adamant
{
/// Returns the one-dimensional eigenpairs of a scalar Q1 space whose nodes are a tensor product of coordinates,
/// numbered along lines. The direction whose numbers follow each other is first. Values may be prescribed on whole
/// sides. With `without_prescribed`, vectors have no prescribed nodes. Throws InputError for any other space.
template <int dim>
std::vector<Eigenpairs> tensor_product_eigenpairs(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                                  bool without_prescribed = false);
} // namespace adamant
