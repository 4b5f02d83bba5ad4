#pragma once

#include "flow/flow_results.h"
#include "frame/parameters/mesh_parameters.h"

#include <deal.II/base/parameter_acceptor.h>

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
  /// In descriptions `variables` are the names that expressions may use, `outflow` is the condition of outflow
  /// boundaries, and `constant` says how a pressure's constant is chosen.
  FlowProblemParameters(const MeshFileParameters &mesh_file, const std::string &variables, const std::string &outflow,
                        const std::string &constant);

  unsigned int dimension  = 2;
  double       viscosity  = 0.01; ///< kinematic
  std::string  body_force = "0; 0; 0", edges = "wall", exact_velocity, exact_pressure;

  std::set<unsigned int>              outflow;           ///< by id, once the parameters are read
  std::map<unsigned int, std::string> boundary_velocity; ///< by id, once the parameters are read

  /// Throws InputError where the parameters do not fit together, or a boundary is none of the mesh.
  void check(const MeshParameters &mesh) const;

private:
  std::string              boundary_velocities = "3: 1; 0; 0";
  std::vector<std::string> outflow_names;
};

/// Section "Output" of incompressible flow: boundaries where forces act, lines and points of interest.
struct FlowOutputParameters : dealii::ParameterAcceptor, FlowResultsOptions
{
  /// In descriptions `sampled` is what lines are for, and `recorded` what points are for.
  FlowOutputParameters(const MeshFileParameters &mesh_file, const std::string &sampled, const std::string &recorded);

  /// Throws InputError for a boundary that the mesh does not have, and where coordinates are missing.
  void check(const MeshParameters &mesh, unsigned int dim) const;

private:
  std::vector<std::string> force_names;
};
} // namespace adamant
