#pragma once

#include "coefficients/coefficient.h"
#include "evaluation/derived_fields.h"
#include "evaluation/evaluation.h"
#include "fem/spaces/level_space.h"
#include "solid/finite_deformation.h"
#include "solid/solid_energy.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping.h>

#include <array>
#include <memory>
#include <vector>

namespace adamant
{
/// The projected dilatations θ - 1 and pressures p of a state, in host memory.
template <int dim>
class ProjectedValues
{
public:
  /// The arguments have to outlive the object.
  ProjectedValues(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping)
    : space(space)
    , mapping(mapping)
    , quadrature(space.element().degree + 1)
  {}

  /// Takes the values of the last residual's state.
  void set(const FiniteDeformation<dim> &deformation)
  {
    dilatation = to_host(deformation.dilatations_at_points());
    pressure   = to_host(deformation.pressures_at_points());
  }

  const LevelSpace<dim> &cells() const { return space; }
  std::array<double, 2>  at(const PointState<dim> &state) const; ///< θ - 1 and p

private:
  const LevelSpace<dim>      &space;
  const dealii::Mapping<dim> &mapping;
  const dealii::QGauss<dim>   quadrature;
  Array<double>               dilatation, pressure; // at the points of all cells
};

/// Returns the quantities of a displacement: its length `displacement`, J, and energy, W + U by reference volume.
/// Others are the components stress_xx, ... of the Cauchy stress σ = P Fᵀ / J, with von_mises and mean_stress, tr σ /
/// 3. Where `projected` is given, it has the arguments and values of U and U'; states then have the number of their
/// cell.
template <int dim>
std::vector<Quantity<dim>> solid_quantities(const OfEntries<SolidEnergy>                      &energies,
                                            const std::shared_ptr<const ProjectedValues<dim>> &projected);

/// Returns the derived fields of files; see solid_quantities.
template <int dim>
std::shared_ptr<const DerivedFields<dim>> solid_fields(const EvaluationParameters                        &parameters,
                                                       const OfEntries<SolidEnergy>                      &energies,
                                                       const std::shared_ptr<const ProjectedValues<dim>> &projected);
} // namespace adamant
