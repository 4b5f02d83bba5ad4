#pragma once

#include "base/array.h"
#include "evaluation/evaluation.h"

#include <deal.II/fe/fe_update_flags.h>
#include <deal.II/fe/fe_values.h>

#include <map>
#include <memory>
#include <type_traits>
#include <vector>

namespace adamant
{
/// The state of fields at the points of a rule on a cell, for FE = FEValues, or on a face, for FE = FEFaceValues. Each
/// thread has its own object.
template <int dim, class FE>
class FieldStates
{
public:
  using Cell = typename LevelSpace<dim>::Cell;

  /// `values` has the values at the local DoFs of each field.
  template <class Rule>
  FieldStates(const std::vector<EvaluatedField<dim>> &fields, const std::vector<Array<double>> &values,
              const dealii::Mapping<dim> &mapping, const Rule &rule)
    : fields(fields)
    , values(values)
  {
    using namespace dealii;
    const auto flags = update_values | update_gradients | update_quadrature_points | update_JxW_values |
                       (std::is_same_v<FE, FEFaceValues<dim>> ? update_normal_vectors : update_default);
    std::size_t n = 0;
    for (const auto &field : fields)
      {
        n += field.names.size();
        auto &shape = shapes[field.space];
        if (!shape)
          shape = std::make_unique<FE>(mapping, field.space->element(), rule, flags);
      }
    state.value.resize(n);
    state.gradient.resize(n);
  }

  /// Goes to a cell, or to a face of it.
  template <class... Face>
  void reinit(const Cell &cell, Face... face)
  {
    for (auto &[space, shape] : shapes)
      shape->reinit(cell, face...);
    at             = cell;
    state.material = cell->material_id();
    state.cell     = fields[0].space->cell_number(cell);
  }

  unsigned int size() const { return first().n_quadrature_points; }
  double       weight(unsigned int q) const { return first().JxW(q); }

  /// Returns the state at point q; the next call changes it.
  const PointState<dim> &operator[](unsigned int q)
  {
    std::fill(state.value.begin(), state.value.end(), 0.);
    std::fill(state.gradient.begin(), state.gradient.end(), dealii::Tensor<1, dim>());
    std::size_t begin = 0;
    for (std::size_t f = 0; f < fields.size(); ++f)
      {
        const auto &[space, names, columns] = fields[f];
        const auto &shape                   = *shapes.at(space);
        const int  *dofs                    = space->cell_dofs(space->cell_number(at));
        for (const unsigned int i : shape.dof_indices())
          if (const auto c = shape.get_fe().system_to_component_index(i).first; c < names.size())
            {
              state.value[begin + c] += values[f][dofs[i]] * shape.shape_value(i, q);
              state.gradient[begin + c] += values[f][dofs[i]] * shape.shape_grad(i, q);
            }
        begin += names.size();
      }
    state.point = first().quadrature_point(q);
    if constexpr (std::is_same_v<FE, dealii::FEFaceValues<dim>>)
      state.normal = first().normal_vector(q);
    return state;
  }

private:
  const FE &first() const { return *shapes.at(fields[0].space); }

  const std::vector<EvaluatedField<dim>>                &fields;
  const std::vector<Array<double>>                      &values; // at local DoFs
  std::map<const LevelSpace<dim> *, std::unique_ptr<FE>> shapes;
  Cell                                                   at;
  PointState<dim>                                        state;
};
} // namespace adamant
