#pragma once

#include "fem/functions/gradient_postprocessor.h"
#include "fem/spaces/level_space.h"
#include "frame/output/output.h"

#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/numerics/data_out.h>

#include <string>
#include <vector>

namespace adamant
{
/// Computes the vorticity, a scalar in 2D.
template <int dim>
class VorticityPostprocessor : public GradientPostprocessor<dim>
{
public:
  using Interpretation = dealii::DataComponentInterpretation::DataComponentInterpretation;

  VorticityPostprocessor()
    : GradientPostprocessor<dim>(std::vector<std::string>(dim == 2 ? 1 : 3, "vorticity"),
                                 [](const dealii::Tensor<2, dim> &grad, dealii::types::material_id) {
                                   std::vector<double> curl;
                                   for (unsigned int c = dim == 2 ? 2 : 0; c < 3; ++c)
                                     curl.push_back(grad[(c + 2) % 3][(c + 1) % 3] - grad[(c + 1) % 3][(c + 2) % 3]);
                                   return curl;
                                 })
  {}
  std::vector<Interpretation> get_data_component_interpretation() const override
  {
    using namespace dealii::DataComponentInterpretation;
    return dim == 2 ? std::vector<Interpretation>{component_is_scalar} :
                      std::vector<Interpretation>(3, component_is_part_of_vector);
  }
};

/// Returns nodal values that are stored by components as the nodal values of a vector-valued element.
template <int dim>
NodalVector vector_valued(const LevelSpace<dim> &space, const double *by_components,
                          const dealii::DoFHandler<dim> &dofs)
{
  const auto                                  &fe     = dofs.get_fe();
  auto                                         values = nodal_vector(dofs);
  std::vector<Array<double>>                   components;
  std::vector<dealii::types::global_dof_index> indices(fe.n_dofs_per_cell());
  for (unsigned int d = 0; d < dim; ++d)
    components.push_back(space.local_values(by_components + std::size_t(d) * space.n_owned()));
  for (const auto &scalar_cell : space.active_cells())
    {
      const int *nodes = space.cell_dofs(space.cell_number(scalar_cell));
      with_dofs(scalar_cell, dofs)->get_dof_indices(indices);
      for (unsigned int i = 0; i < indices.size(); ++i)
        {
          const auto [component, node] = fe.system_to_component_index(i);
          if (values.in_local_range(indices[i]))
            values(indices[i]) = components[component][nodes[node]];
        }
    }
  values.update_ghost_values();
  return values;
}

/// Adds one state of velocity, vorticity and pressure to a series, from the values at a rank's own nodes of a scalar
/// Q1 space; the velocity is stored by components. All ranks call it together.
template <int dim>
void write_flow(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, const double *velocity,
                const double *pressure, TimeSeries &series, double time)
{
  dealii::DoFHandler<dim> dofs(space.triangulation());
  dofs.distribute_dofs(dealii::FESystem<dim>(dealii::FE_Q<dim>(1), dim));
  const auto                        vectors = vector_valued(space, velocity, dofs);
  const auto                        scalars = nodal_vector(space, pressure);
  const VorticityPostprocessor<dim> vorticity;
  dealii::DataOut<dim>              data;
  data.add_data_vector(dofs, vectors, std::vector<std::string>(dim, "velocity"),
                       std::vector<typename VorticityPostprocessor<dim>::Interpretation>(
                         dim, dealii::DataComponentInterpretation::component_is_part_of_vector));
  data.add_data_vector(dofs, vectors, vorticity);
  data.add_data_vector(space.dof_handler(), scalars, "pressure");
  data.build_patches(mapping, 1);
  series.write(data, time);
}
} // namespace adamant
