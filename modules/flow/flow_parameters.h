#pragma once

#include "base/exceptions.h"
#include "expressions/expressions.h"
#include "frame/parameters/mesh_parameters.h"

#include <deal.II/base/parameter_acceptor.h>
#include <deal.II/base/patterns.h>

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
                        const std::string &outflow_condition, const std::string &constant)
    : ParameterAcceptor("/Problem")
  {
    using namespace dealii::Patterns;
    parse_parameters_call_back.connect([this, &mesh_file] {
      const std::string key = "Problem/Boundary velocity";
      boundary_velocity     = split_by_boundary(key, boundary_velocities, mesh_file.boundaries(key));
      outflow               = mesh_file.boundary_ids("Problem/Outflow boundaries", outflow_names);
    });
    add_parameter("Dimension", dimension, "2 or 3", prm, Integer(2, 3));
    add_parameter("Body force", body_force, "f: expressions of " + variables + " separated by semicolons");
    add_parameter("Boundary velocity", boundary_velocities,
                  "Moving walls and inflow by boundary id: 'id: u_x; u_y; u_z, id: ...', expressions of " + variables +
                    ". The sides of a box have ids 0, 1 (x), 2, 3 (y), 4, 5 (z). Boundaries named nowhere are walls at "
                    "rest");
    add_parameter("Outflow boundaries", outflow_names, "Ids where nothing is prescribed" + outflow_condition);
    add_parameter("Edges", edges,
                  "The velocity where boundaries meet: wall takes the smallest of their velocities, so that a lid does "
                  "not leak; moving takes the largest",
                  prm, Selection("wall|moving"));
    add_parameter("Exact velocity", exact_velocity,
                  "Where it is known: expressions of " + variables + "; errors go to run.json");
    add_parameter("Exact pressure", exact_pressure,
                  "Where it is known: an expression of " + variables + ", " + constant);
  }

  unsigned int dimension  = 2;
  double       viscosity  = 0.01; ///< kinematic
  std::string  body_force = "0; 0; 0", edges = "wall", exact_velocity, exact_pressure;

  std::set<unsigned int>              outflow;           ///< by id, once the parameters are read
  std::map<unsigned int, std::string> boundary_velocity; ///< by id, once the parameters are read

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
    for (const auto &[id, velocity] : boundary_velocity)
      {
        mesh.check_boundary("Problem/Boundary velocity", id, dimension);
        require(outflow.count(id) == 0, "boundary ", id, " has a velocity and is an outflow; it can be one of them");
        check_expression("Problem/Boundary velocity", velocity, dimension, dimension);
      }
  }

private:
  std::string              boundary_velocities = "3: 1; 0; 0";
  std::vector<std::string> outflow_names;
};

/// Section "Output" of incompressible flow: boundaries where forces act, and lines and points of interest, with dim
/// coordinates or more.
struct FlowOutputParameters : dealii::ParameterAcceptor
{
  double                           force_scale = 1.;
  std::set<unsigned int>           force_boundaries;
  std::vector<std::vector<double>> profiles, points; ///< a profile has two points
  unsigned int                     profile_points = 101;

  /// In descriptions `sampled` is what lines are for, and `recorded` what points are for.
  FlowOutputParameters(const MeshFileParameters &mesh_file, const std::string &sampled, const std::string &recorded)
    : ParameterAcceptor("/Output")
  {
    parse_parameters_call_back.connect(
      [this, &mesh_file] { force_boundaries = mesh_file.boundary_ids("Output/Force boundaries", force_names); });
    add_parameter("Force boundaries", force_names, "Ids on which the fluid's force is computed");
    add_parameter("Force scale", force_scale, "Forces are multiplied by this, as for drag and lift coefficients");
    add_parameter("Profiles", profiles,
                  "Lines along which " + sampled + " sampled: 'x0, y0, x1, y1; ...', six numbers each in 3D");
    add_parameter("Profile points", profile_points, "On each line, ends included", prm, dealii::Patterns::Integer(2));
    add_parameter("Points", points, "Where " + recorded + ": 'x, y; x, y; ...'");
  }

  /// Throws InputError for a boundary that the mesh does not have, and where coordinates are missing.
  void check(const MeshParameters &mesh, unsigned int dim) const
  {
    for (const auto id : force_boundaries)
      mesh.check_boundary("Output/Force boundaries", id, dim);
    for (const auto &line : profiles)
      require(line.size() == 2 * dim, "Output/Profiles: a line needs ", 2 * dim, " numbers, one has ", line.size());
    for (const auto &point : points)
      require(point.size() >= dim, "Output/Points: a point has fewer than ", dim, " coordinates");
  }

private:
  std::vector<std::string> force_names;
};
} // namespace adamant
