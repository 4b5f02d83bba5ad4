#pragma once

#include <deal.II/base/tensor.h>
#include <deal.II/numerics/data_postprocessor.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace adamant
{
/// For DataOut, scalars made of the gradient of a vector field, such as stresses or a vorticity. The field is the first
/// dim components of what the postprocessor is given.
template <int dim>
class GradientPostprocessor : public dealii::DataPostprocessor<dim>
{
public:
  /// The scalars have these names; evaluate(gradient) gives their values, gradient[c][d] = d_d u_c. It is called from
  /// several threads at once.
  GradientPostprocessor(std::vector<std::string>                                                   names,
                        std::function<std::vector<double>(const dealii::Tensor<2, dim> &gradient)> evaluate)
    : names(std::move(names))
    , evaluate(std::move(evaluate))
  {}

  void evaluate_vector_field(const dealii::DataPostprocessorInputs::Vector<dim> &input,
                             std::vector<dealii::Vector<double>>                &results) const override
  {
    for (unsigned int q = 0; q < results.size(); ++q)
      {
        dealii::Tensor<2, dim> gradient;
        for (int c = 0; c < dim; ++c)
          gradient[c] = input.solution_gradients[q][c];
        const auto values = evaluate(gradient);
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
  const std::vector<std::string>                                                   names;
  const std::function<std::vector<double>(const dealii::Tensor<2, dim> &gradient)> evaluate;
};
} // namespace adamant
