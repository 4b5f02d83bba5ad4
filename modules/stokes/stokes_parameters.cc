#include "stokes/stokes_parameters.h"

#include "base/exceptions.h"
#include "frame/sparse_direct.h"

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

StokesOutputParameters::StokesOutputParameters(const MeshFileParameters &mesh_file, const std::string &recorded,
                                               const std::string &more)
  : EvaluationParameters(mesh_file,
                         "u_x, u_y, u_z (u: each of them), p, " + more +
                           "speed, kinetic_energy, vorticity, strain_rate or divergence; on boundaries volume_flux, or "
                           "force: the fluid's, by quadrature",
                         recorded, "velocity and pressure are",
                         {"strain_rate", "viscosity", "vorticity", "speed", "divergence"}, {"strain_rate", "viscosity"})
{}

ViscosityParameters::ViscosityParameters()
  : ParameterAcceptor("/Viscosity")
{
  using namespace dealii::Patterns;
  add_parameter(
    "Finest average", finest,
    "Average of the viscosity in each cell of the velocity's mesh, over its Gauss points, degree + 1 in each "
    "direction. With none, points of the finest level keep their viscosity. Auto is none for Q2 velocities where the "
    "viscosity varies by less than 10 in every cell, so that they keep their order. Else it is arithmetic for a "
    "viscosity that depends on temperature or strain rate, and harmonic for others",
    prm, Selection("auto|harmonic|geometric|arithmetic|none"));
  add_parameter("Coarse average", coarse,
                "Average of the viscosity in each cell of coarser levels, over the cells that it contains", prm,
                Selection("arithmetic|geometric|harmonic"));
}

NonlinearViscosityParameters::NonlinearViscosityParameters()
{
  using namespace dealii::Patterns;
  add_parameter("Newton", newton,
                "Newton's method, with backtracking, for a viscosity that depends on the strain rate; else Picard's, "
                "which takes the last strain rate");
  add_parameter("Nonlinear tolerance", tolerance,
                "Residual relative to the load at which a flow counts as solved; for such a viscosity", prm,
                Double(1e-14, 0.5));
  add_parameter("Nonlinear steps", steps, "Most linear systems of a flow with such a viscosity", prm, Integer(1));
}

StokesSolverParameters::StokesSolverParameters(const std::string &automatic)
  : LinearSolverParameters(default_options(), 125)
  , products(*this, "cells for the velocity on large levels on a GPU, where possible")
{
  using namespace dealii::Patterns;
  add_parameter("Schur complement", schur,
                "Approximation of the Schur complement: mass, the pressure's mass matrix over the viscosity; bfbt, the "
                "weighted least-squares commutator; auto: " +
                  automatic,
                prm, Selection("auto|mass|bfbt"));
  add_parameter("BFBT exponent", exponent, "q of the weights 1 / int eta^q phi of bfbt", prm, Double(0., 2.));
  add_parameter("BFBT boundary weight", boundary_weight, "Factor of the cells at walls in the weights of bfbt", prm,
                Double(0.01, 100.));
  add_parameter("Adapt precision", adapt_precision,
                "float32 becomes mixed where the viscosity varies by more than 1e5, and by more than 1e3 from a cell "
                "to the next, or where GMRES has not converged");
}

void StokesSolverParameters::check() const
{
  require(options("").type == SolverType::gmres,
          "Linear solver/Solver: the system is indefinite, and this program has gmres only");
  require(interpolation == "embedding", "Linear solver/Interpolation = ", interpolation,
          ": this program has embedding only");
}

Products StokesSolverParameters::products_of(const ViscosityParameters &averages) const
{
  return products.products(averages.finest == "none" ? "a Finest average other than none" : "");
}

MultigridOptions StokesSolverParameters::pressure_options(bool singular)
{
  MultigridOptions options;
  options.coarse_solver      = CoarseSolverType::automatic;
  options.make_coarse_solver = has_sparse_direct ? MakeExternalSolver(sparse_direct) : nullptr;
  options.smoother           = {"jacobi", true, 0.8, 16.};
  options.pre_steps = options.post_steps = 3;
  options.singular                       = singular;
  return options;
}
} // namespace adamant
