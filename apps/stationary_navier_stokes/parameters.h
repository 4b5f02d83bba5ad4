#pragma once

#include "base/exceptions.h"
#include "expressions/expressions.h"
#include "flow/flow_parameters.h"
#include "frame/parameters/linear_solver_parameters.h"
#include "meshes/mesh_parameters.h"
#include "solvers/newton.h"

#include <deal.II/base/parameter_acceptor.h>

#include <cmath>
#include <string>
#include <vector>

namespace stationary_navier_stokes
{
using namespace dealii;
using adamant::Array;
using adamant::require;

struct ProblemParameters : adamant::FlowProblemParameters
{
  bool keep_flux = true;

  explicit ProblemParameters(const adamant::MeshParameters &mesh)
    : FlowProblemParameters(
        mesh,
        {"x, y, z", "nu d_n u - p n (nu (grad u + grad u^T) n - p n where nu varies)", "no_slip", "", "3: 1; 0; 0"},
        "of zero mean where no boundary is open")
  {
    add_parameter(
      "Keep flux", keep_flux,
      "Scale the interpolated velocity of each boundary, so that as much flows through it as the expression says");
  }
};

struct DiscretizationParameters : ParameterAcceptor
{
  double C_I = 0., gamma_0 = 0.;

  DiscretizationParameters()
    : ParameterAcceptor("/Discretization")
  {
    add_parameter("Stabilization constant", C_I,
                  "C_I in tau = (4 u.Gu + C_I nu^2 G:G)^(-1/2); 0: 144 / Problem/Dimension");
    add_parameter("Grad-div factor", gamma_0, "gamma_0 of the term (gamma div u, div v), gamma = gamma_0 / (tau tr G)");
  }

  void check() const
  {
    require(C_I >= 0. && std::isfinite(C_I), "Discretization/Stabilization constant = ", C_I,
            ": it has to be positive, or 0 for the usual one");
    require(gamma_0 >= 0. && std::isfinite(gamma_0), "Discretization/Grad-div factor = ", gamma_0,
            ": it must not be negative");
  }
};

struct NonlinearParameters : ParameterAcceptor
{
  double              tolerance = 1e-8, level_tolerance = 1e-3, picard_until = 0.1, least = 1e-3, most = 0.1;
  unsigned int        max_steps = 50;
  bool                newton = true, nested = true;
  std::vector<double> continuation;

  NonlinearParameters()
    : ParameterAcceptor("/Nonlinear solver")
  {
    using namespace Patterns;
    add_parameter("Tolerance", tolerance, "Final |F| on the finest mesh over |F| at rest", prm, Double(1e-14, 0.1));
    add_parameter("Maximum steps", max_steps, "Most steps on each mesh, for each viscosity", prm, Integer(1));
    add_parameter("Newton", newton, "Newton's method; else Picard's alone");
    add_parameter(
      "Picard until", picard_until,
      "From rest Picard's steps come before Newton's, until |F| is below this times its first value; 0: none", prm,
      Double(0., 1.));
    add_parameter("Nested", nested,
                  "Solve on the coarser meshes first, from the coarsest on, each to Level tolerance of its first |F|");
    add_parameter("Level tolerance", level_tolerance, "See Nested", prm, Double(1e-14, 0.5));
    add_parameter("Continuation", continuation,
                  "Viscosities to solve for before, or least values, the largest first; empty: none up to a Reynolds "
                  "number of 2000 in 2D and 500 in 3D, above it viscosities that fall by factors of at most 2.5");
    add_parameter("Least linear tolerance", least,
                  "Linear systems are solved to 0.9 (|F| / |F before|)^2 between this and Largest linear tolerance",
                  prm, Double(1e-14, 0.5));
    add_parameter("Largest linear tolerance", most, "See Least linear tolerance", prm, Double(1e-14, 0.5));
  }

  adamant::NewtonOptions options(bool from_rest) const
  {
    adamant::NewtonOptions options;
    options.picard_until    = !newton ? 1e-300 : from_rest ? picard_until : 0.;
    options.max_halvings    = 6;
    options.rescues         = newton ? 2 : 0;
    options.least_tolerance = least;
    options.most_tolerance  = most;
    return options;
  }

  // Throws InputError unless the viscosities of a continuation fall towards the problem's, or its smallest one.
  void check(double viscosity) const
  {
    require(least <= most, "Nonlinear solver/Least linear tolerance = ", least,
            " is above Largest linear tolerance = ", most);
    double last = HUGE_VAL;
    for (const double nu : continuation)
      {
        require(nu < last && nu > viscosity,
                "Nonlinear solver/Continuation: viscosities have to decrease towards "
                "Problem/Viscosity = ",
                viscosity, ", and ", nu, " does not");
        last = nu;
      }
  }
};

// Parameters of every linear solver, and the scheme of the preconditioner.
struct SolverParameters : adamant::LinearSolverParameters
{
  std::string scheme = "coupled";

  SolverParameters()
    : LinearSolverParameters(default_options(), 64)
  {
    add_parameter(
      "Scheme", scheme,
      "Preconditioner: coupled, a V-cycle for velocity and pressure together; block_triangular, for comparison: a "
      "V-cycle for the velocity, then nu times the inverse of the pressure's lumped mass matrix",
      prm, Patterns::Selection("coupled|block_triangular"));
  }

  bool is_block_triangular() const { return scheme == "block_triangular"; }

  static adamant::LinearSolverOptions default_options()
  {
    adamant::LinearSolverOptions options;
    options.control.max_iterations = 200;
    options.restart                = 60;
    options.multigrid.smoother     = {"cell_patches", false, 0.7};
    return options;
  }
};

// Further refinement of the mesh after a solve.
struct RefinementParameters : ParameterAcceptor
{
  unsigned int cycles    = 0;
  double       fraction  = 0.2;
  std::string  estimator = "kelly";

  RefinementParameters()
    : ParameterAcceptor("/Refinement")
  {
    using namespace Patterns;
    add_parameter("Cycles", cycles, "Times that the mesh is refined where the velocity's error is estimated largest",
                  prm, Integer(0, 20));
    add_parameter("Fraction", fraction, "Fraction of the cells that each cycle refines", prm, Double(0., 1.));
    add_parameter("Estimator", estimator,
                  "Estimator of a cell's error: kelly, the jumps of the velocity's derivatives; residual, tau |R| and "
                  "the part of the prescribed velocity that the mesh does not show",
                  prm, Selection("kelly|residual"));
  }
};

struct OutputParameters : adamant::FlowOutputParameters
{
  bool files = true;

  explicit OutputParameters(const adamant::MeshFileParameters &mesh_file)
    : FlowOutputParameters(mesh_file, "the flow is", "velocity and pressure are recorded")
  {
    add_parameter("Files", files, "Write VTU files");
  }
};

struct Parameters
{
  adamant::MeshParameters  mesh;
  ProblemParameters        problem{mesh};
  DiscretizationParameters discretization;
  NonlinearParameters      nonlinear;
  SolverParameters         linear_solver;
  RefinementParameters     refinement;
  OutputParameters         output{mesh};

  Parameters() { linear_solver.amg_suits = false; }

  unsigned int dim() const { return problem.dimension; }

  // Checks conditions that no single parameter's pattern can tell.
  void check() const
  {
    mesh.check(dim());
    problem.check();
    discretization.check();
    nonlinear.check(problem.viscosity.number().value_or(0.));
    output.check(mesh, dim(), problem);
    linear_solver.require_own_levels();
    const auto type = linear_solver.options("").type;
    require(type == adamant::SolverType::gmres || type == adamant::SolverType::bicgstab,
            "Linear solver/Solver: the matrices are not symmetric, and this program has gmres and bicgstab only");
  }
};
} // namespace stationary_navier_stokes
