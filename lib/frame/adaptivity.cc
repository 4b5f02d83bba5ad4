#include "frame/adaptivity.h"

#include "base/exceptions.h"
#include "expressions/expressions.h"
#include "fem/forms/integrals.h"
#include "fem/functions/error_estimate.h"
#include "fem/meshes/flag_cells.h"
#include "fem/meshes/mesh.h"
#include "fem/spaces/level_space.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/lac/vector.h>
#include <deal.II/numerics/error_estimator.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace adamant
{
namespace
{
template <int dim>
dealii::Vector<float>
error_of_interpolation(const dealii::Function<dim> &function, const dealii::Triangulation<dim> &mesh,
                       const dealii::Mapping<dim> &mapping, const dealii::FiniteElement<dim> &element)
{
  dealii::DoFHandler<dim> dofs(mesh);
  dofs.distribute_dofs(element);
  const auto            values = interpolate(mapping, dofs, function);
  dealii::Vector<float> indicators(mesh.n_active_cells());
  dealii::KellyErrorEstimator<dim>::estimate(mapping, dofs, dealii::QGauss<dim - 1>(element.degree + 1), {}, values,
                                             indicators);
  return indicators;
}
} // namespace

template <int dim>
void refine_for(const dealii::Function<dim> &function, dealii::Triangulation<dim> &mesh,
                const dealii::Mapping<dim> &mapping, const dealii::FiniteElement<dim> &element,
                const Refinement &refinement)
{
  for (unsigned int cycle = 0; cycle < refinement.cycles; ++cycle)
    refine_and_coarsen(mesh, error_of_interpolation(function, mesh, mapping, element), refinement.refine,
                       refinement.coarsen);
}

template void refine_for(const dealii::Function<2> &, dealii::Triangulation<2> &, const dealii::Mapping<2> &,
                         const dealii::FiniteElement<2> &, const Refinement &);
template void refine_for(const dealii::Function<3> &, dealii::Triangulation<3> &, const dealii::Mapping<3> &,
                         const dealii::FiniteElement<3> &, const Refinement &);

template <int dim>
void Adaptivity<dim>::begin(const dealii::Triangulation<dim> &first_mesh)
{
  if (!options.on())
    return;
  first_level = static_cast<int>(first_mesh.n_global_levels()) - 1;
  if (options.largest_level > 0 && static_cast<int>(options.largest_level) < first_level)
    throw InputError("Adaptivity/Largest level = " + std::to_string(options.largest_level) +
                     ": the first mesh has cells of level " + std::to_string(first_level));
}

template <int dim>
bool Adaptivity<dim>::due(unsigned int step) const
{
  const auto every = [step](unsigned int interval) { return interval > 0 && step > 0 && step % interval == 0; };
  return every(options.interval) || (options.growth > 0. && every(options.check_interval));
}

template <int dim>
dealii::Vector<float> Adaptivity<dim>::indicators(const FollowedField<dim> &field) const
{
  const auto            values = to_host(*field.values);
  const std::size_t     n      = field.space->n_owned();
  dealii::Vector<float> sum(field.space->triangulation().n_active_cells());
  const auto            f = options.indicator == AdaptivityOptions::kelly ?
                              nullptr :
                              parse_function_of_gradient<dim>("Adaptivity/Indicator", options.indicator);
  for (int part = 0; part < field.n_parts; ++part)
    {
      const double *u = values.data() + part * n;
      const auto    indicators =
        f == nullptr ?
             estimate_errors(*field.space, mapping, u, field.components) :
             gradient_indicators<dim>(
            *field.space, mapping, u,
            [&f](const dealii::Point<dim> &gradient, double h) { return f->value_at(h, gradient); }, field.components);
      for (unsigned int cell = 0; cell < sum.size(); ++cell)
        sum[cell] = field.n_parts == 1 ? indicators[cell] : std::hypot(sum[cell], indicators[cell]);
    }
  double bad = std::any_of(sum.begin(), sum.end(), [](float value) { return !std::isfinite(value); }) ? 1. : 0.;
  field.space->communicator().max(&bad, 1);
  if (bad > 0. && f == nullptr)
    throw RunError("the solution is NaN or infinite, as an error estimate of it shows");
  if (bad > 0.)
    throw InputError("Adaptivity/Indicator = " + options.indicator +
                     " is infinite or no number in a cell; abs() and max() may keep roots and divisions from that");
  return sum;
}

template <int dim>
bool Adaptivity<dim>::wants_change(unsigned int step, const dealii::Triangulation<dim> &mesh,
                                   const dealii::Vector<float> &indicators)
{
  const bool in_turn = options.interval > 0 && step % options.interval == 0;
  if (options.growth == 0.)
    return in_turn;
  const double now   = norm_of_indicators(mesh, indicators);
  const bool   grown = after_change > 0. && now > options.growth * after_change;
  if (in_turn || grown)
    after_change = 0.;
  else if (after_change == 0.)
    after_change = now;
  return in_turn || grown;
}

// With r n cells refined and c n coarsened, n (1 + r (2^dim - 1) - c (1 - 2^-dim)) cells remain.
template <int dim>
double Adaptivity<dim>::coarsen_fraction(double n_cells) const
{
  if (options.n_cells == 0)
    return options.coarsen;
  const double children = 1 << dim, growth = options.n_cells / n_cells - 1.;
  return std::clamp((options.refine * (children - 1.) - growth) / (1. - 1. / children), 0., 1. - options.refine);
}

template <int dim>
void Adaptivity<dim>::flag(dealii::Triangulation<dim> &mesh, dealii::Vector<float> indicators) const
{
  if (options.families)
    sum_over_families(mesh, indicators);
  const double coarsen = coarsen_fraction(static_cast<double>(mesh.n_global_active_cells()));
  flag_cells(mesh, indicators, options.refine, coarsen,
             options.strategy == "error" ? FractionsOf::error : FractionsOf::cells);
  for (const auto &cell : mesh.active_cell_iterators())
    {
      if (cell->level() >= largest_level())
        cell->clear_refine_flag();
      if (cell->level() <= static_cast<int>(options.smallest_level))
        cell->clear_coarsen_flag();
    }
  if (options.families)
    flag_families(mesh);
}

template <int dim>
void Adaptivity<dim>::count_change(const std::array<double, 2> &before, const std::array<double, 2> &after)
{
  ++n_changes;
  if (before[1] > 0.)
    mass_change = std::max(mass_change, std::abs(after[0] - before[0]) / before[1]);
}

template <int dim>
std::array<double, 2> mass(const FollowedField<dim> &field, const dealii::Mapping<dim> &mapping)
{
  const auto           &space  = *field.space;
  const auto           &fe     = space.element();
  const auto            values = to_host(*field.values);
  std::array<double, 2> sum{};
  for (int part = 0; part < field.n_parts; ++part)
    {
      const auto u   = space.local_values(values.data() + std::size_t(part) * space.n_owned());
      const auto add = [&](int cell, const dealii::FEValues<dim> &fe_values, double *sums) {
        for (const unsigned int q : fe_values.quadrature_point_indices())
          {
            double value = 0;
            for (const unsigned int i : fe_values.dof_indices())
              if (field.components[fe.system_to_component_index(i).first])
                value += u[space.cell_dofs(cell)[i]] * fe_values.shape_value(i, q);
            sums[0] += value * fe_values.JxW(q);
            sums[1] += std::abs(value) * fe_values.JxW(q);
          }
      };
      const auto of_part = integrate<2>(space, mapping, dealii::QGauss<dim>(fe.degree + 1),
                                        dealii::update_values | dealii::update_JxW_values, add);
      sum[0] += of_part[0];
      sum[1] += of_part[1];
    }
  return sum;
}

template class Adaptivity<2>;
template class Adaptivity<3>;
template std::array<double, 2> mass(const FollowedField<2> &, const dealii::Mapping<2> &);
template std::array<double, 2> mass(const FollowedField<3> &, const dealii::Mapping<3> &);
} // namespace adamant
