#pragma once

#include "base/exceptions.h"
#include "base/run_record.h"
#include "coefficients/coefficient.h"
#include "coefficients/expression_text.h"
#include "evaluation/evaluation.h"
#include "evaluation/evaluation_parameters.h"
#include "evaluation/flow_quantities.h"
#include "expressions/expressions.h"
#include "flow/flow_boundaries.h"
#include "meshes/mesh_parameters.h"

#include <deal.II/base/parameter_acceptor.h>

#include <cmath>
#include <iomanip>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace adamant
{
/// Section "Problem" of incompressible flow: the force, conditions on the boundaries of a mesh, and the exact solution
/// where it is known. The program adds parameters of its own.
struct FlowProblemParameters : FlowBoundaries
{
  /// In descriptions `constant` says how a pressure's constant is chosen.
  FlowProblemParameters(const MeshParameters &mesh, const Words &words, const std::string &constant);

  unsigned int dimension = 2;
  Coefficient  viscosity, body_force; ///< the viscosity is kinematic; once the parameters are read
  std::string  exact_velocity, exact_pressure;

  using FlowBoundaries::check;
  /// Throws InputError where the parameters do not fit together.
  void check() const
  {
    viscosity.check([&](const std::string &text) {
      check_expression(viscosity.key(), text, 1, dimension);
      require(!depends_on_time(text), viscosity.key(), " = ", text,
              " contains t, but it may depend on the place alone");
      const double value = adamant::is_constant(text) ? constant_values(viscosity.key(), text, 1)[0] : 1.;
      require(value > 0. && std::isfinite(value), viscosity.key(), " = ", text, ": it has to be positive");
    });
    body_force.check(
      [this](const std::string &text) { check_expression(body_force.key(), text, dimension, dimension); });
    if (!exact_velocity.empty())
      check_expression("Problem/Exact velocity", exact_velocity, dimension, dimension);
    if (!exact_pressure.empty())
      check_expression("Problem/Exact pressure", exact_pressure, 1, dimension);
    check(dimension);
  }

  /// Returns the viscosity for a mesh. Where the fluid slips on curves it is a function of the place. The term is then
  /// div(nu (grad u + grad u^T)), as without the transpose a tangential stress would be left. All ranks call it
  /// together.
  template <int dim>
  Coefficient viscosity_on(const dealii::Triangulation<dim> &mesh) const
  {
    const auto number = viscosity.number();
    if (!number || !slips_on_curves(*this, mesh))
      return viscosity;
    std::ostringstream text;
    text << std::setprecision(17) << *number << "+0*x";
    return {viscosity.key(), text.str(), nullptr};
  }

protected:
  std::string exact() const override { return exact_velocity; }

private:
  std::string viscosity_text = "0.01", force_text = "0; 0; 0";
};

/// Returns the quantities of a flow with this viscosity.
template <int dim>
std::vector<Quantity<dim>> flow_quantities(const Coefficient &viscosity)
{
  return flow_quantities<dim>(
    [f = CoefficientFunction(viscosity)](const PointState<dim> &state) { return f(state.material, state.point); });
}

/// Returns a viscosity for run.json: a number, or its extremes.
inline RunRecord record_of_viscosity(double least, double most)
{
  return least == most ? RunRecord(least) : RunRecord{{"min", least}, {"max", most}};
}

/// Section "Output" of incompressible flow.
struct FlowOutputParameters : EvaluationParameters
{
  /// In descriptions `sampled` is what lines are for, and `recorded` what points are for. `fields` are the derived ones
  /// of files by default; `scalars` are the fields beside the velocity.
  FlowOutputParameters(const MeshFileParameters &mesh_file, const std::string &sampled, const std::string &recorded,
                       const std::vector<std::string> &fields = {}, const std::string &scalars = "p");

  /// Throws InputError for a boundary that the mesh does not have or that has a given traction, and where coordinates
  /// are missing.
  void check(const MeshParameters &mesh, unsigned int dim, const FlowBoundaries &boundaries) const
  {
    for (const auto id : force_boundaries)
      mesh.check_boundary("Output/Force boundaries", id, dim);
    for (const auto id : boundaries_with_force())
      require(boundaries.on(id) != FlowCondition::traction, "Output: the force on boundary ", id,
              " is that of its Traction or Pressure, and is not computed");
    EvaluationParameters::check(dim);
  }
  /// Returns the boundaries with a force in statistics.csv: "Force boundaries", and boundaries of statistics.
  std::set<unsigned int> boundaries_with_force() const
  {
    auto ids = force_boundaries;
    for (const auto &statistic : statistics)
      if (statistic.quantity == "force")
        ids.insert(statistic.id);
    return ids;
  }

  double                 force_scale = 1.;
  std::set<unsigned int> force_boundaries; ///< once the parameters are read

private:
  std::vector<std::string> force_names;
};
} // namespace adamant
