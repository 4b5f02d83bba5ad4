#pragma once

#include <deal.II/base/tensor.h>
#include <deal.II/base/types.h>
#include <deal.II/numerics/data_postprocessor.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace adamant
{
/// Computes scalars from the gradient of a vector field for DataOut, such as stresses or a vorticity. The field
/// consists of the first dim components of the postprocessor's input.
template <int dim>
class GradientPostprocessor : public dealii::DataPostprocessor<dim>
{
public:
  using Evaluate =
    std::function<std::vector<double>(const dealii::Tensor<2, dim> &gradient, dealii::types::material_id material)>;

  /// Makes a postprocessor for scalars with these names. `evaluate` returns their values from gradient[c][d] = d_d u_c
  /// and the material id of the cell. Several threads call it at once.
  GradientPostprocessor(std::vector<std::string> names, Evaluate evaluate)
    : names(std::move(names))
    , evaluate(std::move(evaluate))
  {}

  void evaluate_vector_field(const dealii::DataPostprocessorInputs::Vector<dim> &input,
                             std::vector<dealii::Vector<double>>                &results) const override
  {
    const auto material = input.template get_cell<dim>()->material_id();
    for (unsigned int q = 0; q < results.size(); ++q)
      {
        dealii::Tensor<2, dim> gradient;
        for (int c = 0; c < dim; ++c)
          gradient[c] = input.solution_gradients[q][c];
        const auto values = evaluate(gradient, material);
        results[q]        = dealii::Vector<double>(values.begin(), values.end());
      }
  }

  std::vector<std::string> get_names() const override { return names; }
  std::vector<dealii::DataComponentInterpretation::DataComponentInterpretation>
  get_data_component_interpretation() const override
  {
    return std::vector<dealii::DataComponentInterpretation::DataComponentInterpretation>(
      names.size(), dealii::DataComponentInterpretation::component_is_scalar);
  }
  dealii::UpdateFlags get_needed_update_flags() const override { return dealii::update_gradients; }

private:
  const std::vector<std::string> names;
  const Evaluate                 evaluate;
};
} // namespace adamant
