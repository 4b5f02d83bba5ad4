#pragma once

#include "evaluation/evaluation.h"

#include <deal.II/numerics/data_postprocessor.h>

#include <functional>
#include <string>
#include <vector>

namespace adamant
{
/// The fields of VTU files that "Output/Fields" names, as a postprocessor for DataOut of the one field that the
/// quantities are of. A name stands for a quantity without a normal, for the vector whose components are the quantities
/// NAME_x, NAME_y, ..., or else for all quantities NAME_.... The names material, level and rank are numbers of the
/// cell. Names of anything else are the program's own, and it writes these itself.
template <int dim>
class DerivedFields : public dealii::DataPostprocessor<dim>
{
public:
  /// Changes the states at all points of a cell before they are evaluated, as for projections.
  using Prepare = std::function<void(const typename LevelSpace<dim>::Cell &cell, std::vector<PointState<dim>> &states)>;

  DerivedFields(const EvaluationParameters &parameters, std::vector<Quantity<dim>> quantities,
                Prepare prepare = nullptr);

  bool empty() const { return shown.empty(); }

  void                     evaluate_scalar_field(const dealii::DataPostprocessorInputs::Scalar<dim> &input,
                                                 std::vector<dealii::Vector<double>>                &results) const override;
  void                     evaluate_vector_field(const dealii::DataPostprocessorInputs::Vector<dim> &input,
                                                 std::vector<dealii::Vector<double>>                &results) const override;
  std::vector<std::string> get_names() const override;
  std::vector<dealii::DataComponentInterpretation::DataComponentInterpretation>
                      get_data_component_interpretation() const override;
  dealii::UpdateFlags get_needed_update_flags() const override;

private:
  struct Shown // a component of a field
  {
    std::string   name;
    bool          of_vector;
    Quantity<dim> quantity;
  };
  void evaluate(const dealii::DataPostprocessorInputs::CommonInputs<dim> &input, std::vector<PointState<dim>> &states,
                std::vector<dealii::Vector<double>> &results) const;

  std::vector<Shown> shown;
  const Prepare      prepare;
};
} // namespace adamant
