#include "frame/output/field_output.h"

#include "fem/functions/nodal_values.h"

namespace adamant
{
template <int dim>
void FieldOutput<dim>::add_scalar(const LevelSpace<dim> &space, const double *owned, const std::string &name)
{
  values.push_back(nodal_vector(space, owned));
  this->add_data_vector(space.dof_handler(), values.back(), name);
}

template <int dim>
void FieldOutput<dim>::add_vectors(const LevelSpace<dim> &space, const double *owned,
                                   const std::vector<std::string> &names, std::vector<double> factors)
{
  factors.resize(names.size(), 1.);
  Array<double>             scaled(space.n_owned());
  const Array<unsigned int> component = components(space);
  for (int i = 0; i < space.n_owned(); ++i)
    scaled[i] = factors[component[i] / dim] * owned[i];
  values.push_back(nodal_vector(space, scaled.data()));
  std::vector<std::string> of_components;
  for (const auto &name : names)
    of_components.insert(of_components.end(), dim, name);
  using namespace dealii::DataComponentInterpretation;
  this->add_data_vector(space.dof_handler(), values.back(), of_components,
                        std::vector<DataComponentInterpretation>(of_components.size(), component_is_part_of_vector));
}

template <int dim>
void FieldOutput<dim>::add_derived(const LevelSpace<dim> &space, const double *owned,
                                   const dealii::DataPostprocessor<dim> &postprocessor)
{
  values.push_back(nodal_vector(space, owned));
  this->add_data_vector(space.dof_handler(), values.back(), postprocessor);
}

template class FieldOutput<2>;
template class FieldOutput<3>;
} // namespace adamant
