#pragma once

#include "base/exceptions.h"
#include "evaluation/evaluation_parameters.h"
#include "expressions/expressions.h"
#include "meshes/mesh_parameters.h"

#include <deal.II/base/parameter_acceptor.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace adamant
{
/// Section "Problem" of incompressible flow: the force, conditions on the boundaries of a mesh, and the exact solution
/// where it is known. The program adds "Viscosity" and parameters of its own.
struct FlowProblemParameters : dealii::ParameterAcceptor
{
  /// In descriptions `variables` are the names that expressions may use, `outflow_condition` is the condition of
  /// outflow boundaries, and `constant` says how a pressure's constant is chosen.
  FlowProblemParameters(const MeshFileParameters &mesh_file, const std::string &variables,
                        const std::string &outflow_condition, const std::string &constant);

  unsigned int dimension  = 2;
  double       viscosity  = 0.01; ///< kinematic
  std::string  body_force = "0; 0; 0", edges = "wall", exact_velocity, exact_pressure;

  std::set<unsigned int>              outflow, free_slip; ///< by id, once the parameters are read
  std::map<unsigned int, std::string> boundary_velocity;  ///< by id, once the parameters are read

  /// Throws InputError where the parameters do not fit together, or a boundary is none of the mesh.
  void check(const MeshParameters &mesh) const
  {
    require(viscosity > 0. && std::isfinite(viscosity), "Problem/Viscosity = ", viscosity, ": it has to be positive");
    check_expression("Problem/Body force", body_force, dimension, dimension);
    if (!exact_velocity.empty())
      check_expression("Problem/Exact velocity", exact_velocity, dimension, dimension);
    if (!exact_pressure.empty())
      check_expression("Problem/Exact pressure", exact_pressure, 1, dimension);
    for (const auto id : outflow)
      mesh.check_boundary("Problem/Outflow boundaries", id, dimension);
    for (const auto id : free_slip)
      {
        mesh.check_boundary("Problem/Free slip boundaries", id, dimension);
        require(outflow.count(id) == 0, "Problem/Free slip boundaries: boundary ", id, " is an outflow, too");
      }
    for (const auto &[id, velocity] : boundary_velocity)
      {
        mesh.check_boundary("Problem/Boundary velocity", id, dimension);
        require(outflow.count(id) == 0, "Problem/Outflow boundaries: boundary ", id, " has a Boundary velocity");
        require(free_slip.count(id) == 0, "Problem/Free slip boundaries: boundary ", id, " has a Boundary velocity");
        check_expression("Problem/Boundary velocity", velocity, dimension, dimension);
      }
  }

  /// Returns the boundaries where no velocity is prescribed.
  std::set<unsigned int> natural() const
  {
    auto ids = outflow;
    ids.insert(free_slip.begin(), free_slip.end());
    return ids;
  }

private:
  std::string              boundary_velocities = "3: 1; 0; 0";
  std::vector<std::string> outflow_names, free_slip_names;
};

/// Section "Output" of incompressible flow.
struct FlowOutputParameters : EvaluationParameters
{
  /// In descriptions `sampled` is what lines are for, and `recorded` what points are for. `fields` are the derived ones
  /// of files by default.
  FlowOutputParameters(const MeshFileParameters &mesh_file, const std::string &sampled, const std::string &recorded,
                       const std::vector<std::string> &fields = {});

  /// Throws InputError for a boundary that the mesh does not have, and where coordinates are missing.
  void check(const MeshParameters &mesh, unsigned int dim) const
  {
    for (const auto id : force_boundaries)
      mesh.check_boundary("Output/Force boundaries", id, dim);
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
