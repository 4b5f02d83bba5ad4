#include "evaluation/derived_fields.h"

#include <algorithm>
#include <utility>

namespace adamant
{
namespace
{
template <int dim>
std::vector<Quantity<dim>> numbers_of_cells()
{
  return {{"material", [](const PointState<dim> &state) { return double(state.material); }},
          {"level", [](const PointState<dim> &state) { return double(state.level); }},
          {"rank", [](const PointState<dim> &state) { return double(state.rank); }}};
}
} // namespace

template <int dim>
DerivedFields<dim>::DerivedFields(const EvaluationParameters &parameters, std::vector<Quantity<dim>> quantities,
                                  Prepare prepare)
  : prepare(std::move(prepare))
{
  for (auto &number : numbers_of_cells<dim>())
    quantities.push_back(std::move(number));
  quantities.erase(std::remove_if(quantities.begin(), quantities.end(), [](const auto &q) { return q.on_boundary; }),
                   quantities.end());
  const auto named = [&](const std::string &name) {
    return std::find_if(quantities.begin(), quantities.end(), [&](const auto &q) { return q.name == name; });
  };
  for (const auto &name : parameters.fields)
    if (const auto found = named(name); found != quantities.end())
      shown.push_back({name, false, *found});
    else if (named(name + "_x") != quantities.end())
      for (int c = 0; c < dim; ++c)
        shown.push_back({name, true, *named(name + "_" + "xyz"[c])});
    else
      for (const auto &quantity : quantities)
        if (quantity.name.rfind(name + "_", 0) == 0)
          shown.push_back({quantity.name, false, quantity});
}

template <int dim>
void DerivedFields<dim>::evaluate_scalar_field(const dealii::DataPostprocessorInputs::Scalar<dim> &input,
                                               std::vector<dealii::Vector<double>>                &results) const
{
  std::vector<PointState<dim>> states(results.size());
  for (std::size_t q = 0; q < states.size(); ++q)
    {
      states[q].value    = {input.solution_values[q]};
      states[q].gradient = {input.solution_gradients[q]};
    }
  evaluate(input, states, results);
}

template <int dim>
void DerivedFields<dim>::evaluate_vector_field(const dealii::DataPostprocessorInputs::Vector<dim> &input,
                                               std::vector<dealii::Vector<double>>                &results) const
{
  std::vector<PointState<dim>> states(results.size());
  for (std::size_t q = 0; q < states.size(); ++q)
    {
      const auto &value = input.solution_values[q];
      states[q].value.assign(value.begin(), value.end());
      states[q].gradient = input.solution_gradients[q];
    }
  evaluate(input, states, results);
}

template <int dim>
void DerivedFields<dim>::evaluate(const dealii::DataPostprocessorInputs::CommonInputs<dim> &input,
                                  std::vector<PointState<dim>>                             &states,
                                  std::vector<dealii::Vector<double>>                      &results) const
{
  const auto cell = input.template get_cell<dim>();
  for (std::size_t q = 0; q < states.size(); ++q)
    {
      states[q].point    = input.evaluation_points[q];
      states[q].material = cell->material_id();
      states[q].level    = cell->level();
      states[q].rank     = static_cast<int>(cell->subdomain_id());
    }
  if (prepare)
    prepare(cell, states);
  for (std::size_t q = 0; q < states.size(); ++q)
    for (std::size_t k = 0; k < shown.size(); ++k)
      results[q](k) = shown[k].quantity.value(states[q]);
}

template <int dim>
std::vector<std::string> DerivedFields<dim>::get_names() const
{
  std::vector<std::string> names;
  for (const auto &component : shown)
    names.push_back(component.name);
  return names;
}

template <int dim>
std::vector<dealii::DataComponentInterpretation::DataComponentInterpretation>
DerivedFields<dim>::get_data_component_interpretation() const
{
  using namespace dealii::DataComponentInterpretation;
  std::vector<DataComponentInterpretation> kinds;
  for (const auto &component : shown)
    kinds.push_back(component.of_vector ? component_is_part_of_vector : component_is_scalar);
  return kinds;
}

template <int dim>
dealii::UpdateFlags DerivedFields<dim>::get_needed_update_flags() const
{
  return dealii::update_values | dealii::update_gradients | dealii::update_quadrature_points;
}

template class DerivedFields<2>;
template class DerivedFields<3>;
} // namespace adamant
