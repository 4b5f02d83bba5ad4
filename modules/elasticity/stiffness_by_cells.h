#pragma once

#include "cells/products.h"
#include "elasticity/elastic_material.h"
#include "fem/spaces/field.h"

#include <deal.II/fe/mapping.h>

#include <memory>
#include <vector>

namespace adamant
{
/// Returns for each level of a displacement the matrix of its stiffness by cells (ElasticIntegrals), where products use
/// it, else null. The numbers of a cell are its μ and λ, or μ alone where λ/μ is one number. All ranks call it
/// together.
template <int dim>
std::vector<std::shared_ptr<const RowlessMatrix>>
stiffness_by_cells(const Device &device, const Field<dim> &displacement, const dealii::Mapping<dim> &mapping,
                   const ElasticMaterials &materials, Products products);
} // namespace adamant
