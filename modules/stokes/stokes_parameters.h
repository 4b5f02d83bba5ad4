#pragma once

#include "coefficients/coarser_values.h"
#include "evaluation/evaluation_parameters.h"
#include "frame/parameters/linear_solver_parameters.h"
#include "meshes/mesh_file.h"
#include "stokes/saddle_point_solver.h"
#include "stokes/viscous_levels.h"

#include <deal.II/base/parameter_acceptor.h>

#include <string>

namespace adamant
{
/// Section "Viscosity": how a viscosity that varies is averaged.
struct ViscosityParameters : dealii::ParameterAcceptor
{
  std::string finest = "auto", coarse = "arithmetic";

  ViscosityParameters();

  Average coarse_average() const { return average(coarse); }
  /// Returns the average over the points of a cell, `automatic` for "auto". With "none" the average is arithmetic, for
  /// coarser levels and the pressure's equation.
  Average            finest_average(const std::string &automatic) const { return average(finest_name(automatic)); }
  const std::string &finest_name(const std::string &automatic) const { return finest == "auto" ? automatic : finest; }

private:
  static Average average(const std::string &name)
  {
    return name == "harmonic" ? Average::harmonic : name == "geometric" ? Average::geometric : Average::arithmetic;
  }
};

/// Section "Viscosity" where the viscosity may depend on the strain rate.
struct NonlinearViscosityParameters : ViscosityParameters
{
  bool         newton    = true;
  double       tolerance = 1e-4;
  unsigned int steps     = 50;

  NonlinearViscosityParameters();
};

/// Section "Output" of Stokes flow.
struct StokesOutputParameters : EvaluationParameters
{
  /// `more` are further fields of the program, and `recorded` says what is recorded at points.
  StokesOutputParameters(const MeshFileParameters &mesh_file, const std::string &recorded,
                         const std::string &more = "");
};

/// Section "Linear solver" of Stokes flow: parameters of every linear solver, and of the Schur complement.
struct StokesSolverParameters : LinearSolverParameters
{
  std::string schur           = "auto";
  double      exponent        = 0.75;
  double      boundary_weight = 1.;
  bool        adapt_precision = true;

  /// `automatic` says in the description what "auto" chooses.
  explicit StokesSolverParameters(const std::string &automatic);

  /// Throws InputError for options that this system cannot have.
  void check() const;

  SchurComplement schur_complement(SchurComplement automatic) const
  {
    return schur == "auto" ? automatic : schur == "bfbt" ? SchurComplement::bfbt : SchurComplement::mass;
  }
  Products products_of(const ViscosityParameters &averages) const; ///< the velocity's

  /// Returns options of the pressure's V-cycle in bfbt; `singular`: the pressure has a free constant.
  static MultigridOptions pressure_options(bool singular);

private:
  ProductsParameter products;
};
} // namespace adamant
