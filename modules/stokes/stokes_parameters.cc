#include "stokes/stokes_parameters.h"

#include "base/exceptions.h"

namespace adamant
{
namespace
{
LinearSolverOptions default_options()
{
  LinearSolverOptions options;
  options.restart             = 60;
  options.precision           = Precision::float32;
  options.control.tolerance   = 1e-6;
  options.multigrid.smoother  = {"block_jacobi", true, 0.8, 8.};
  options.multigrid.pre_steps = options.multigrid.post_steps = 3;
  return options;
}
} // namespace

ViscosityParameters::ViscosityParameters()
  : ParameterAcceptor("/Viscosity")
{
  using namespace dealii::Patterns;
  add_parameter(
    "Finest average", finest,
    "In each cell of the velocity's mesh, over its Gauss points, degree + 1 in each direction; none: at each "
    "point on the finest level; auto: none for Q2 velocities where the viscosity varies by less than 10 in every cell, "
    "so that they keep their order; else harmonic",
    prm, Selection("auto|harmonic|geometric|arithmetic|none"));
  add_parameter("Coarse average", coarse, "In each cell of coarser levels, over the cells that it contains", prm,
                Selection("arithmetic|geometric|harmonic"));
}

StokesSolverParameters::StokesSolverParameters(const std::string &automatic)
  : LinearSolverParameters(default_options(), 125)
{
  using namespace dealii::Patterns;
  add_parameter("Schur complement", schur,
                "Its approximation: mass, the pressure's mass matrix over the viscosity; bfbt, the weighted "
                "least-squares commutator; auto: " +
                  automatic,
                prm, Selection("auto|mass|bfbt"));
  add_parameter(
    "Velocity product", product,
    "How its matrices are multiplied: rows, stored; cells, by the cells' viscosities on levels that are "
    "grids of cells, in 3D on one rank, with smoothers jacobi and block_jacobi; auto: cells on large levels "
    "on a GPU, where possible",
    prm, Selection("auto|rows|cells"));
  add_parameter("BFBT exponent", exponent, "q of the weights 1 / int eta^q phi of bfbt", prm, Double(0., 2.));
  add_parameter("BFBT boundary weight", boundary_weight, "Of cells at walls in these weights", prm, Double(0.01, 100.));
  add_parameter("Adapt precision", adapt_precision,
                "float32 becomes mixed where the viscosity varies by more than 1e5, and by more than 1e3 from a cell "
                "to the next, or where GMRES has not converged");
}

void StokesSolverParameters::check() const
{
  require(options("").type == SolverType::gmres,
          "Linear solver/Solver: the system is indefinite, and this program has gmres only");
}

VelocityProduct StokesSolverParameters::velocity_product(const ViscosityParameters &averages) const
{
  const auto &smoother = options("").multigrid.smoother.type;
  const bool  possible =
    averages.finest != "none" && preconditioner == "multigrid" && (smoother == "jacobi" || smoother == "block_jacobi");
  require(possible || product != "cells", "Linear solver/Velocity product = cells needs a Finest average other than "
                                          "none, multigrid, and the smoother jacobi or block_jacobi");
  return !possible || product == "rows" ? VelocityProduct::rows :
         product == "cells"             ? VelocityProduct::cells :
                                          VelocityProduct::automatic;
}

MultigridOptions StokesSolverParameters::pressure_options()
{
  MultigridOptions options;
  options.smoother  = {"jacobi", true, 0.8, 16.};
  options.pre_steps = options.post_steps = 3;
  options.singular                       = true;
  return options;
}
} // namespace adamant
