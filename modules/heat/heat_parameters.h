#pragma once

#include "frame/parameters/linear_solver_parameters.h"
#include "meshes/mesh_file.h"
#include "scalar/scalar_boundaries.h"

#include <deal.II/base/parameter_acceptor.h>

#include <string>

namespace adamant
{
/// Section "Temperature": the data of a temperature. Without an initial temperature there is none.
struct TemperatureParameters : dealii::ParameterAcceptor
{
  std::string      initial, heating = "0";
  double           diffusivity = 1.;
  ScalarBoundaries boundaries;

  explicit TemperatureParameters(const MeshFileParameters &mesh_file);

  bool on() const { return !initial.empty(); }
  /// Throws InputError for mistakes that show without a mesh.
  void check(unsigned int dim) const;
};

/// Section "Temperature" of steps whose diffusion alone may be implicit (ImplicitDiffusion).
struct SplitHeatParameters : TemperatureParameters
{
  std::string            diffusion = "auto";
  LinearSolverParameters linear_solver;

  explicit SplitHeatParameters(const MeshFileParameters &mesh_file);

  /// Returns whether diffusion is implicit in a fluid whose largest viscosity is this.
  bool is_implicit(double viscosity) const;
  /// Throws InputError for mistakes that show without a mesh.
  void check(unsigned int dim) const;
};

/// Section "Temperature" of HeatEquation, with the parameters of its implicit steps.
struct HeatParameters : TemperatureParameters
{
  std::string            element = "q1", advection = "supg", scheme = "bdf2";
  double                 courant = 1., growth = 1.5;
  LinearSolverParameters linear_solver;

  explicit HeatParameters(const MeshFileParameters &mesh_file);

  bool is_limited() const { return on() && advection == "limited"; }
  bool is_q2() const { return element == "q2"; }
  /// Throws InputError for mistakes that show without a mesh.
  void check(unsigned int dim) const;
};
} // namespace adamant
