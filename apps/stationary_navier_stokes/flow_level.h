#pragma once

#include "block_triangular.h"
#include "boundary.h"
#include "equations.h"

#include "frame/device_field.h"
#include "frame/linear_solver_setup.h"
#include "solvers/krylov.h"
#include "solvers/newton.h"

#include <deal.II/grid/grid_tools.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace stationary_navier_stokes
{
/// The nonlinear problem on one of the level meshes, with multigrid on the coarser ones. It has the unknowns x = (u, p)
/// of its nodes and the functions that Newton's method needs.
template <int dim>
class FlowLevel : public adamant::NonlinearProblem
{
public:
  using Vector = adamant::Vector<double>;

  /// Makes the problem on level `top` of the meshes. All arguments have to outlive the object. `unit` is the unit of a
  /// viscosity that varies; 0: its smallest value on this level.
  FlowLevel(const adamant::Device &device, const Parameters &parameters, const adamant::LevelMeshes<dim> &meshes,
            std::size_t top, const MappingQ<dim> &mapping, double unit = 0.)
    : device(device)
    , parameters(parameters)
    , field(meshes, "flow", flow_element<dim>(),
            adamant::dirichlet_boundary(parameters.problem, *meshes.finest_mesh(), mapping, dim + 1), top)
    , on_device(device, field, mapping)
    , equations(device, field, mapping, constants(parameters, unit),
                parameters.problem.viscosity_on(*meshes.finest_mesh()), parameters.problem.body_force,
                parameters.linear_solver.is_block_triangular())
    , boundary_values(device, prescribed_velocities(parameters.problem, field.finest(), mapping))
    , viscosity(equations.constants.viscosity)
    , has_constant_pressure(!flows_out(parameters.problem, field.finest()))
    , nodal(on_device.vector())
    , newton(device, *this, on_device.size())
  {
    equations.set(adamant::Tractions<dim>(parameters.problem), mapping);
    Array<double> ones(on_device.size(), 0.);
    for (int i = dim; i < on_device.size(); i += dim + 1)
      ones[i] = field.finest().is_free(i);
    if (unit == 0.)
      parameters.nonlinear.check(equations.least);
    n_pressures    = static_cast<double>(std::count(ones.begin(), ones.end(), 1.));
    free_pressures = Vector(device, ones);
  }

  /// Runs Newton's method from the guess x, until ‖F‖ <= tolerance times `scale`, or times its first value where
  /// `scale` is 0. Picard's steps come first where the guess is the fluid at rest.
  adamant::NewtonResult solve_nonlinear(double viscosity, double tolerance, double scale, bool from_rest, Vector &x)
  {
    equations.constants.viscosity = viscosity;
    newton.options                = parameters.nonlinear.options(from_rest);
    const adamant::SolverControl control{tolerance, static_cast<int>(parameters.nonlinear.max_steps),
                                         "flow of viscosity " + adamant::to_text(viscosity) + " on " +
                                           std::to_string(field.finest().n_cells()) + " cells"};
    return newton.solve(x, control, scale);
  }

  /// Returns ‖F‖ of a fluid that is at rest except on the boundary.
  double residual_at_rest()
  {
    equations.constants.viscosity = viscosity;
    return newton.residual(on_device.vector());
  }

  const Vector &nodal_values(const Vector &x)
  {
    on_device.nodal_values(x, boundary_values, nodal);
    return nodal;
  }

  /// @name Functions that Newton's method calls
  /// @{
  void residual(const Vector &x, Vector &r) override
  {
    equations.residual(nodal_values(x), r);
    if (has_constant_pressure)
      device.axpby(-device.dot(free_pressures, r) / n_pressures, free_pressures, 1., r);
  }

  void linearize(const Vector &x, adamant::Linearization kind) override
  {
    assemble(x, kind);
    update_solver();
  }

  adamant::SolverResult solve(const Vector &r, Vector &d, double tolerance) override
  {
    auto control      = parameters.linear_solver.options("step of Newton's method").control;
    control.tolerance = tolerance > 0. ? tolerance : control.tolerance;
    control.accepted  = 0.5;
    try
      {
        const auto result = solver->solve(r, d, control);
        n_accepted += result.final_residual > control.tolerance;
        return result;
      }
    catch (const adamant::SolverError &error)
      {
        throw adamant::SolverError(error.what() + ("; " + advice()));
      }
  }
  /// @}

  /// The two parts of linearize(): the derivative at x, and the solver for it, which the first call makes.
  /// @{
  void assemble(const Vector &x, adamant::Linearization kind)
  {
    equations.linearize(nodal_values(x), kind == adamant::Linearization::newton ? 1. : 0.);
    device.synchronize();
  }
  void update_solver()
  {
    if (solver)
      solver->update();
    else
      make_solver();
    device.synchronize();
  }
  bool has_solver() const { return solver.has_value(); }
  /// @}

  /// Returns the largest prescribed velocity times the length of the domain: over ν it is a Reynolds number.
  double speed_times_length() const
  {
    double largest = 0.;
    for (const double u : adamant::to_host(boundary_values))
      largest = std::max(largest, std::abs(u));
    return largest * std::pow(GridTools::volume(field.finest().triangulation()), 1. / dim);
  }

  const adamant::LinearSolver &linear_solver() const { return *solver; }

  const adamant::Device     device;
  const Parameters         &parameters;
  adamant::Field<dim>       field;
  adamant::DeviceField<dim> on_device;
  FlowEquations<dim>        equations;
  Vector                    boundary_values;
  const double              viscosity;             ///< the problem's, or its unit
  const bool                has_constant_pressure; ///< whether a constant may be added to the pressure
  unsigned int              n_accepted = 0;        ///< linear solves that ended at their limit of iterations

private:
  static Constants constants(const Parameters &parameters, double unit)
  {
    const auto &given = parameters.discretization;
    return {unit, given.C_I > 0. ? given.C_I : 144. / dim, given.gamma_0};
  }

  // Returns advice for a linear solve that has failed.
  std::string advice() const
  {
    const std::string smoother = parameters.linear_solver.options("").multigrid.smoother.type;
    std::string       sizes;
    for (std::size_t l = field.n_levels(); l-- > 0;)
      sizes += (sizes.empty() ? "" : ", ") + std::to_string(field.space(l).n_dofs());
    return "with Linear solver/Smoother = " + smoother + " on levels of " + sizes + " unknowns; " +
           (smoother == "cell_patches" ? "" : "Smoother = cell_patches or ") + "more Coarsest level cells may help";
  }

  void make_solver()
  {
    auto options = parameters.linear_solver.options("step of Newton's method");

    std::unique_ptr<adamant::Preconditioner> blocks; // in place of the V-cycle
    if (parameters.linear_solver.is_block_triangular())
      blocks = std::make_unique<BlockTriangular<dim>>(device, field, equations, options, free_pressures);
    options.multigrid.singular           = !blocks && !flows_out(parameters.problem, field.space(0));
    options.multigrid.singular_component = dim;
    solver.emplace(device, levels_of(field, equations.J), options, std::move(blocks));
  }

  Vector                               nodal, free_pressures;
  double                               n_pressures;
  std::optional<adamant::LinearSolver> solver; // of the derivative, once it has values
  adamant::Newton                      newton;
};
} // namespace stationary_navier_stokes
