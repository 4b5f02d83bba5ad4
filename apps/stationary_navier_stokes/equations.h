#pragma once

#include "data.h"
#include "parameters.h"

#include "base/exceptions.h"
#include "coefficients/coarser_values.h"
#include "coefficients/level_points.h"
#include "coefficients/values_at_points.h"
#include "expressions/expressions.h"
#include "fem/forms/assembly_tables.h"
#include "fem/forms/form.h"
#include "fem/functions/points.h"
#include "fem/spaces/field.h"
#include "flow/flow_boundaries.h"
#include "flow/nodal_functionals.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace stationary_navier_stokes
{
using namespace dealii;
using adamant::Array;

/// Returns the element: velocity and pressure of one node stand together, in this order.
template <int dim>
FESystem<dim> flow_element()
{
  return FESystem<dim>(FE_Q<dim>(1), dim + 1);
}

/// The discrete equations on the levels of a field of (u, p), computed on a device: the residual on the finest level
/// and the derivative on all levels. Coarser levels take the flow from the finest one's nodes.
template <int dim>
class FlowEquations
{
public:
  using Vector = adamant::Vector<double>;

  /// All arguments but `force` have to outlive the object. `blocks` says whether `velocities` is wanted. A
  /// viscosity that varies counts in units of constants.viscosity; where this is 0, it becomes the smallest value of
  /// the finest level. Throws InputError where the viscosity is not positive, or the force no number.
  FlowEquations(const adamant::Device &device, const adamant::Field<dim> &field, const Mapping<dim> &mapping,
                const Constants &constants, const adamant::Coefficient &viscosity, const adamant::Coefficient &force,
                bool blocks)
    : constants(constants)
    , J("J", field, adamant::unknowns(field), mapping, QGauss<dim>(2), flags, nullptr, adamant::Levels::all)
    , device(device)
    , field(field)
    , gather(device, adamant::cell_gather(field.finest()))
    , on_levels(device, field)
  {
    const QGauss<dim>                        quadrature(2);
    const adamant::CoefficientFunctions<dim> functions(force, dim);
    force.check_materials(field.finest().communicator(), adamant::materials_of(field.finest()));
    for (std::size_t l = 0; l < field.n_levels(); ++l)
      {
        const auto &space = field.space(l);
        levels.emplace_back(device, space, mapping, quadrature);
        const int n = levels[l].n_points();
        values.emplace_back(device, adamant::to_index(std::size_t(n) * FlowValues<dim>::size, "values at points"));
        forces.emplace_back();
        if (force.is_zero())
          continue;
        const auto f = functions.at(0., adamant::quadrature_points(space, mapping, quadrature),
                                    adamant::materials_at_points(space, quadrature.size()));
        adamant::require_numbers(space.communicator(), force.key(), f);
        forces.back() = Vector(device, f);
      }
    if (blocks)
      velocities = std::make_unique<adamant::Form<dim>>("J_u", field, adamant::unknowns(field), mapping, quadrature,
                                                        flags, nullptr, adamant::Levels::all);
    set_viscosity(viscosity, mapping, quadrature);
    const auto &finest = field.finest();
    local = Vector(device, adamant::to_index(std::size_t(finest.n_cells()) * finest.dofs_per_cell(), "nodes of cells"));
  }

  Constants                           constants;   ///< may change
  double                              least, most; ///< extremes of the problem's viscosity on the finest level
  adamant::Form<dim>                  J;           ///< with values after `linearize`
  std::unique_ptr<adamant::Form<dim>> velocities;  ///< VelocityJacobian, after `linearize`; null: not wanted

  /// Sets the tractions, whose load F lacks on the finest level.
  void set(const adamant::Tractions<dim> &tractions, const Mapping<dim> &mapping)
  {
    if (tractions.boundaries().empty())
      return;
    const auto   &space = field.finest();
    const auto   &fe    = space.element();
    Array<double> load(local.size(), 0.);
    tractions.for_each_load(space, mapping, [&](int cell, unsigned int i, double value) {
      const auto [component, node] = fe.system_to_component_index(i);
      load[std::size_t(cell) * space.dofs_per_cell() + node * (dim + 1) + component] += value;
    });
    adamant::require_traction(space.communicator(), load);
    traction_load = Vector(device, load);
  }

  /// Computes r = -Hᵀ F(u, p), from all nodal values.
  void residual(const Vector &nodal, Vector &r)
  {
    integrate(nodal);
    device.multiply(-1., gather, local, 0., r);
  }

  /// Computes J; with theta = 0 Picard's matrix.
  void linearize(const Vector &nodal, double theta)
  {
    on_levels.update(nodal);
    J.update(device, [&](std::size_t l) {
      evaluate(l, on_levels[l]);
      return jacobian(l, theta);
    });
    if (velocities)
      velocities->update(device, [&](std::size_t l) { return VelocityJacobian<dim>{jacobian(l, theta)}; });
  }

  /// Returns the force that the fluid exerts on a boundary where no traction is given: -F of its nodes, prescribed or
  /// not.
  std::vector<double> force_on(types::boundary_id id, const Vector &nodal)
  {
    integrate(nodal);
    std::vector<double> force;
    for (const double F : product(adamant::boundary_gather(field.finest(), id), adamant::to_host(local)))
      force.push_back(-F);
    force.resize(dim); // drops the continuity equation's entry
    return force;
  }

  adamant::RunRecord record_of_viscosity() const { return adamant::record_of_viscosity(least, most); }

  /// Returns |τ R|² at the quadrature points of the finest level, cell by cell, in host memory.
  Array<double> unresolved(const Vector &nodal)
  {
    const int n = levels.back().n_points();
    evaluate(levels.size() - 1, nodal);
    const auto    all = adamant::to_host(values.back());
    Array<double> squares(n);
    for (int point = 0; point < n; ++point)
      {
        const FlowValues<dim> at(all.data(), point);
        squares[point] = at.tau() * at.tau() * adamant::dot<dim>(at.R(), at.R());
      }
    return squares;
  }

private:
  inline static const UpdateFlags flags = update_values | update_gradients | update_JxW_values;

  FlowJacobian<dim> jacobian(std::size_t l, double theta) const { return {values[l].data(), viscosity_on(l), theta}; }

  Viscosity viscosity_on(std::size_t l) const { return {constants.viscosity, relative[l].data()}; }

  // Sets ν over constants.viscosity on all levels, where it varies, and its extremes.
  void set_viscosity(const adamant::Coefficient &viscosity, const Mapping<dim> &mapping, const QGauss<dim> &quadrature)
  {
    relative.resize(levels.size());
    if (const auto number = viscosity.number())
      {
        viscosity.check_materials(field.finest().communicator(), adamant::materials_of(field.finest()));
        constants.viscosity = least = most = *number;
        return;
      }
    for (std::size_t l = levels.size(); l-- > 0;) // the finest first
      {
        auto nu = adamant::positive_values(viscosity, field.space(l), mapping, quadrature);
        if (l + 1 == levels.size())
          {
            const auto [first, last] = std::minmax_element(nu.begin(), nu.end());
            least                    = *first;
            most                     = *last;
            if (constants.viscosity == 0.)
              constants.viscosity = least;
          }
        for (double &value : nu)
          value /= constants.viscosity;
        relative[l] = Vector(device, nu);
      }
  }

  void evaluate(std::size_t l, const Vector &nodal)
  {
    const int n = levels[l].n_points();
    device.for_each(n, EvaluateFlow<dim>{levels[l].view(), nodal.data(), forces[l].data(), n, constants,
                                         viscosity_on(l), values[l].data()});
  }

  void integrate(const Vector &nodal)
  {
    evaluate(levels.size() - 1, nodal);
    device.for_each(local.size() / (dim + 1), CellResidual<dim>{levels.back().view(), values.back().data(),
                                                                viscosity_on(levels.size() - 1), local.data()});
    if (traction_load.size() > 0)
      device.axpby(-1., traction_load, 1., local);
  }

  adamant::Device                           device;
  const adamant::Field<dim>                &field;
  adamant::Matrix<double>                   gather; // Hᵀ of the nodes of cells
  adamant::InjectedValues<dim>              on_levels;
  std::vector<adamant::QuadratureData<dim>> levels;
  std::vector<Vector>                       values, forces; // at the quadrature points of each level
  std::vector<Vector>                       relative;       // viscosities there; empty: they are constant
  Vector                                    local;          // residuals of the nodes of all cells
  Vector                                    traction_load;  // what tractions subtract from them; empty: nothing
};
} // namespace stationary_navier_stokes
