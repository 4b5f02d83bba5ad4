#pragma once

#include "fem/spaces/level_space.h"
#include "fem/spaces/nodal_vector.h"

#include <deal.II/fe/mapping.h>
#include <deal.II/numerics/data_out.h>
#include <deal.II/numerics/data_postprocessor.h>

#include <deque>
#include <string>
#include <vector>

namespace adamant
{
/// deal.II's DataOut for fields; it keeps the nodal values that it shows.
template <int dim>
class FieldOutput : public dealii::DataOut<dim>
{
public:
  /// Adds a scalar field; `owned` are nodal values of the owned DoFs, in host memory.
  void add_scalar(const LevelSpace<dim> &space, const double *owned, const std::string &name);

  /// Adds the vector fields, of dim components each, that the space consists of, times factors.
  void add_vectors(const LevelSpace<dim> &space, const double *owned, const std::vector<std::string> &names,
                   std::vector<double> factors = {});

  /// Adds what the postprocessor computes from the nodal values. The postprocessor has to outlive build_patches.
  void add_derived(const LevelSpace<dim> &space, const double *owned,
                   const dealii::DataPostprocessor<dim> &postprocessor);

private:
  std::deque<NodalVector> values;
};
} // namespace adamant
