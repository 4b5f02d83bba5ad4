#pragma once

#include "frame/trilinos_amg.h"
#include "multigrid/linear_solver.h"

#include <deal.II/base/parameter_acceptor.h>

#include <string>

namespace adamant
{
std::string to_text(Precision precision); ///< as parameter files write it

/// A section of LinearSolverOptions as parameters, and the choice of the preconditioner. A program with several solvers
/// has one section for each, with a name of its own.
class LinearSolverParameters : public dealii::ParameterAcceptor
{
public:
  /// `defaults` are an application's own; its `control.name` is not used. `section` is written as in ParameterAcceptor.
  explicit LinearSolverParameters(const LinearSolverOptions &defaults               = LinearSolverOptions(),
                                  unsigned int               default_coarsest_cells = 256,
                                  const std::string         &section                = "/Linear solver");

  /// Returns the options for the solver; `name` says in messages what is solved.
  LinearSolverOptions options(const std::string &name) const;

  std::string        preconditioner = "multigrid", interpolation = "embedding", coarse_solver = "auto";
  std::string        sweep = "symmetric"; ///< of component_blocks; or gauss_seidel, jacobi
  unsigned int       coarsest_cells;
  double             tolerance, omega = 1.; ///< omega: relaxation factor of component_blocks
  TrilinosAMGOptions amg;                   ///< without near-null space
  bool amg_suits = true; ///< whether Coarse solver = auto may take Trilinos; set it to false for saddle point problems

  /// Adds what makes external solvers and algebraic levels for the coarsest level, with these options of ML.
  void add_coarse_solver(const TrilinosAMGOptions &of_ml, MultigridOptions &options) const;

  /// Throws InputError unless the preconditioner is multigrid; for programs that have no other preconditioner.
  void require_multigrid() const;
  /// Throws InputError unless multigrid's levels are linked by the elements' embedding and need no Trilinos. Programs
  /// that build multigrid themselves call it.
  void require_own_levels() const;
  /// Throws InputError where the smoother or the interpolation works on one rank only and there are more. It also does
  /// so where all levels would lie on one rank: a later mesh may be larger.
  void require_ranks(int n_ranks) const;

  bool coarsest_on_one_rank() const { return coarse_solver != "trilinos_amg"; } ///< see LevelMeshOptions

private:
  void add_smoothing();
  void check_component_blocks(SolverType type) const;

  LinearSolverOptions given; // without the tolerance, and without the enumerations, whose names follow
  std::string         section, solver, precision;
};
} // namespace adamant
