#pragma once

#include "multigrid/linear_solver.h"
#include "operators/linear_operator.h"
#include "solid/finite_deformation.h"
#include "solid/newton/trust_region.h"
#include "solvers/gmres.h"
#include "solvers/newton.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace adamant
{
/// How a state of equilibrium is found.
struct EquilibriumOptions
{
  double tolerance = 1e-8; ///< of ‖F‖₂, relative to the larger of its first value and the reactions' norm
  int    steps     = 25;   ///< of Newton's method, at most
  double growth    = 3.;   ///< most growth of ‖F‖ in a step with projected dilatations, over the last and first one
  double least_tolerance = 1e-4, most_tolerance = 0.1; ///< of linear systems, see NewtonOptions
  /// The least shift of the tangent in a trust region on the energy, see TrustRegion; 0: full steps. It needs dead
  /// loads and dilatations that are not projected.
  double first_shift = 0.;
  /// What to do against rounding, to end messages, where K / μ is so large that conjugate gradients may find the
  /// tangent or its V-cycle indefinite by it. That then tells nothing of stability. Empty: K / μ is not so large.
  std::string rounding = {};
};

/// Finds equilibrium of a FiniteDeformation by Newton's method. A step is halved until det F > 0 at all points. ‖F‖ may
/// grow: on thin bodies full steps make it larger by orders, and are right. With projected dilatations growth has a
/// bound, beyond which another solution may lie. Prescribed displacements enter in the first
/// step of a solve, so that cells at boundaries which move do not bear the whole motion. Where the tangent is not
/// positive definite, a trust region on the energy leads to its least value. Symmetry may keep the state
/// at a saddle; an imperfection of the load then helps. All ranks call all functions together.
template <int dim>
class Equilibrium : private NonlinearProblem
{
public:
  /// `deformation` and `field`, its unknown, have to outlive the object. `linear` are the options of the tangent's
  /// solver, whose tolerance counts for nothing.
  Equilibrium(const Device &device, FiniteDeformation<dim> &deformation, const DeviceField<dim> &field,
              const LinearSolverOptions &linear, const EquilibriumOptions &options);

  /// Sets whether the tangent is symmetric. Where it is not, GMRES takes the place of conjugate gradients.
  void set_symmetric(bool symmetric) { symmetric_tangent = symmetric; }
  /// Sets a function that returns the solver of the tangent with its present values. It is told whether these are the
  /// first ones of a solve, which is to depend on nothing but the state that it begins with.
  void set_solver(std::function<LinearSolver &(bool first)> of_tangent) { updated_solver = std::move(of_tangent); }

  /// Sets what surrounds the work of each part of a solve, "residual" or "tangent", such as a clock.
  using Part = std::function<void(const char *name, const std::function<void()> &work)>;
  void set_parts(Part surround) { part = std::move(surround); }

  /// Changes `state` into that of equilibrium under factor times `load` (rows of unknowns), with the prescribed
  /// displacements g. Throws SolverError where the method fails; `state` is then unchanged. Linear systems whose matrix
  /// conjugate gradients find to be indefinite are solved once more, by GMRES.
  NewtonResult solve(double factor, const Vector<double> &load, const Vector<double> &g, Vector<double> &state);

  /// Changes u in `state`, then v, which were interpolated on another mesh, until cells have the `wanted` volumes and
  /// rates of volumes (see FiniteDeformation). θ and p stay. The change is nearly the least one in the norm of the
  /// tangent, whose inertia is that of a step of this length. Returns the number of linear systems. Throws SolverError
  /// where cells would invert or volumes be far worse than before.
  int restore_volumes(const Vector<double> &wanted, double time_step, Vector<double> &state, Vector<double> &v);

  /// Returns whether the last solve has ended in a stable state, as far as is known. Conjugate gradients have then
  /// solved the last linear system, and its tangent has no negative eigenvalue on the coarsest level. In a trust region
  /// only the tangent at the end counts. Empty: nothing is known.
  std::optional<bool> stable() const;
  /// Returns what to do against rounding where conjugate gradients may have failed by it in the last solve, or nothing.
  std::string rounding() const { return definite == false && !stable() ? options.rounding : ""; }
  /// Returns the number of negative eigenvalues of the last tangent on the coarsest level. Empty: it is not known.
  std::optional<int> negative_eigenvalues() const { return negative; }
  int                refusals() const { return region.refusals(); } ///< of the last solve, by the trust region

  /// Returns why the last solve has refused the last state that it tried, to begin a message: "cells would invert (det
  /// F = ... at ...): " or "the energy is no number (...): ". Empty: it has not, or for another cause.
  const std::string &cause() const { return fault; }

private:
  struct WithGMRES // in place of a solver's own method
  {
    WithGMRES(const Device &device, LinearSolver &of, int restart)
      : of(&of)
      , A(of.matrix(), device)
      , method(device, A, of.preconditioner(), restart)
    {}
    LinearSolver        *of;
    const MatrixOperator A;
    GMRES                method;
  };
  void         residual(const Vector<double> &state, Vector<double> &r) override;
  void         linearize(const Vector<double> &state, Linearization kind) override;
  SolverResult solve(const Vector<double> &r, Vector<double> &d, double tolerance) override;
  SolverResult solve_for_unknowns(const SolverControl &control);
  void         count_negative_eigenvalues();
  bool         accepts(const NewtonTrial &step) override;
  bool         has_another() override { return in_region(); }
  bool         in_region() const { return options.first_shift > 0. && !moves; }
  void         predict(const Vector<double> &d_u);
  double       decrease();
  bool         solved(double norm, double wanted) override;

  const Device                        device;
  FiniteDeformation<dim>             &deformation;
  const DeviceField<dim>             &field;
  const LinearSolverOptions           linear;
  EquilibriumOptions                  options;
  Newton                              newton;
  std::function<LinearSolver &(bool)> updated_solver;
  Part                                part   = [](const char *, const std::function<void()> &work) { work(); };
  LinearSolver                       *solver = nullptr; // null: no tangent of this solve has been one
  std::unique_ptr<WithGMRES>          gmres;            // of that solver
  Vector<double>                      x, rhs, unknowns;
  Vector<double>                      delta, nothing; // the change of prescribed displacements, and none
  double                factor = 1., reference = 0.;  // reference: ‖F‖ once prescribed displacements are reached
  const Vector<double> *load  = nullptr;
  bool                  moves = false, symmetric_tangent = true;
  TrustRegion           region;
  double                energy = 0., work = 0., slope = 0., predicted = 0.; // before a step; of the load, -r . d
  const Vector<double> *last_residual = nullptr;
  std::optional<bool>   definite;
  std::optional<int>    negative;
  std::string           fault; // of the last state on trial
};
} // namespace adamant
