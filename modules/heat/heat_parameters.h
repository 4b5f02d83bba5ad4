#pragma once

#include "frame/parameters/linear_solver_parameters.h"
#include "meshes/mesh_file.h"
#include "scalar/scalar_boundaries.h"

#include <deal.II/base/parameter_acceptor.h>

#include <string>

namespace adamant
{
/// Section "Temperature". Without an initial temperature there is none.
struct HeatParameters : dealii::ParameterAcceptor
{
  std::string            initial, heating = "0", advection = "supg", scheme = "bdf2";
  double                 diffusivity = 1., courant = 1., growth = 1.5;
  ScalarBoundaries       boundaries;
  LinearSolverParameters linear_solver;

  explicit HeatParameters(const MeshFileParameters &mesh_file);

  bool on() const { return !initial.empty(); }
  /// Throws InputError for mistakes that show without a mesh.
  void check(unsigned int dim) const;
};
} // namespace adamant
