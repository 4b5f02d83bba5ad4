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
#include <deal.II/numerics/error_estimator.h>

#include <boost/algorithm/string/join.hpp>

#include <algorithm>
#include <cmath>

namespace adamant
{
constexpr const char *of_gradient[] = {"u_x,u_y,h", "u_x,u_y,u_z,h"}; // variables of an indicator in 2D and 3D

AdaptivityParameters::AdaptivityParameters(const std::vector<std::string> &fields, bool families)
  : ParameterAcceptor("/Adaptivity")
{
  using namespace dealii::Patterns;
  field          = fields.front();
  this->families = families;
  add_parameter("Interval", interval, "Steps between changes of the mesh; 0: none", prm, Integer(0));
  add_parameter(
    "Growth", growth,
    "The mesh also changes where the indicators of all cells together (the root of the sum of their squares) "
    "are larger by this factor than after the last change; 0: it does not",
    prm, Double(0.));
  add_parameter("Check interval", check_interval, "Steps between evaluations for Growth", prm, Integer(1));
  add_parameter("Field", field, "The field that the mesh follows", prm, Selection(boost::algorithm::join(fields, "|")));
  add_parameter(
    "Indicator", indicator,
    "Indicator of a cell: kelly takes the jumps of the gradient on its faces. An expression of the gradient u_x, u_y, "
    "u_z and the length h of the longest edge gives its largest absolute value in the cell, of all components");
  add_parameter("Strategy", strategy,
                "cells: the fractions are of the number of cells; error: of the sum of the squared indicators", prm,
                Selection("cells|error"));
  add_parameter("Refine fraction", refine, "The cells of largest indicators are refined", prm, Double(0., 1.));
  add_parameter("Coarsen fraction", coarsen, "The cells of smallest indicators are coarsened", prm, Double(0., 1.));
  add_parameter(
    "Cells", n_cells,
    "With Strategy = cells: where positive, coarsening keeps about this number of cells, instead of Coarsen fraction",
    prm, Integer(0));
  add_parameter("Smallest level", smallest_level, "Cells refined at most so many times are not coarsened", prm,
                Integer(0, 20));
  add_parameter("Largest level", largest_level,
                "Cells refined so many times are not refined again; 0: the largest level of the first mesh", prm,
                Integer(0, 20));
  add_parameter("First mesh cycles", first_cycles, "Times that the first mesh is adapted to the initial values", prm,
                Integer(0, 20));
}

void AdaptivityParameters::check(unsigned int dim) const
{
  if (!on())
    return;
  require(refine + coarsen <= 1., "Adaptivity/Refine fraction = ", refine,
          " and Adaptivity/Coarsen fraction = ", coarsen, " are more than 1 together");
  require(refine + coarsen > 0., "Adaptivity/Refine fraction and Adaptivity/Coarsen fraction are both 0, so the mesh "
                                 "cannot change");
  require(growth == 0. || growth > 1., "Adaptivity/Growth = ", growth, " has to be larger than 1, or 0");
  require(n_cells == 0 || strategy == "cells", "Adaptivity/Cells = ", n_cells, " needs Adaptivity/Strategy = cells");
  require(largest_level == 0 || smallest_level <= largest_level, "Adaptivity/Smallest level = ", smallest_level,
          " is above Adaptivity/Largest level = ", largest_level);
  if (indicator != kelly && dim == 2)
    parse_scalar<2>(of_gradient[0], "Adaptivity/Indicator", indicator);
  else if (indicator != kelly)
    parse_scalar<3>(of_gradient[1], "Adaptivity/Indicator", indicator);
}

template <int dim>
void refine_for(const dealii::Function<dim> &function, dealii::Triangulation<dim> &mesh,
                const dealii::Mapping<dim> &mapping, const dealii::FiniteElement<dim> &element, unsigned int cycles,
                double refine, double coarsen)
{
  for (unsigned int cycle = 0; cycle < cycles; ++cycle)
    {
      dealii::Vector<float> indicators(mesh.n_active_cells());
      {
        dealii::DoFHandler<dim> dofs(mesh);
        dofs.distribute_dofs(element);
        dealii::KellyErrorEstimator<dim>::estimate(mapping, dofs, dealii::QGauss<dim - 1>(element.degree + 1), {},
                                                   interpolate(mapping, dofs, function), indicators);
      }
      refine_and_coarsen(mesh, indicators, refine, coarsen);
    }
}

template decltype(refine_for<2>) refine_for<2>;
template decltype(refine_for<3>) refine_for<3>;

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
  return step != last_asked && (every(options.interval) || (options.growth > 0. && every(options.check_interval)));
}

template <int dim>
dealii::Vector<float> Adaptivity<dim>::indicators(const FollowedField<dim> &field) const
{
  const auto            values = to_host(*field.values);
  const std::size_t     n      = field.space->n_owned();
  dealii::Vector<float> sum(field.space->triangulation().n_active_cells());
  const auto            f = options.indicator == AdaptivityOptions::kelly ?
                              nullptr :
                              parse_scalar<dim>(of_gradient[dim - 2], "Adaptivity/Indicator", options.indicator);
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
  last_asked         = step;
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

template <int dim>
void Adaptivity<dim>::flag(dealii::Triangulation<dim> &mesh, dealii::Vector<float> indicators) const
{
  if (options.families)
    sum_over_families(mesh, indicators);
  double coarsen = options.coarsen;
  if (options.n_cells > 0) // r n cells refined and c n coarsened leave n (1 + r (2^dim - 1) - c (1 - 2^-dim)) cells
    {
      const double children = 1 << dim, growth = options.n_cells / double(mesh.n_global_active_cells()) - 1.;
      coarsen = std::clamp((options.refine * (children - 1.) - growth) / (1. - 1. / children), 0., 1. - options.refine);
    }
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
std::array<double, 2> Adaptivity<dim>::mass(const FollowedField<dim> &field) const
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
} // namespace adamant
