#pragma once

#include "dealii/multigrid.h"

#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_gmres.h>

#include <memory>

namespace adamant
{
/// Multigrid as preconditioner of deal.II's, Trilinos' and PETSc's solvers; see DealiiMultigrid for its functions:
/// ```
///   adamant::DealiiPreconditioner<> multigrid;                      // a member of the program
///   multigrid.initialize(system_matrix, dof_handler, constraints);  // on each new mesh
///   multigrid.initialize(system_matrix);                            // the same mesh, new values
///   solver_cg.solve(system_matrix, solution, rhs, multigrid);
///   adamant::solve(system_matrix, solution, rhs, multigrid, control); // or the whole solve on the device
/// ```
/// The V-cycle runs in the precision Number. SolverCG works with float. Rounding makes the V-cycle in float a slightly
/// different matrix each time: SolverGMRES then reaches about 1e-6, and smaller tolerances need double or SolverFGMRES.
template <typename Number = float>
class DealiiPreconditioner : public DealiiMultigrid
{
public:
  /// Runs on the host: with deal.II's number of threads on a serial mesh, with one thread a rank on a mesh of p4est.
  explicit DealiiPreconditioner(const DealiiOptions &options = {})
    : DealiiMultigrid(std::nullopt, precision_of_cycle, options)
  {}
  /// Runs on a device, which is made for the ranks of the mesh.
  explicit DealiiPreconditioner(const Device &device, const DealiiOptions &options = {})
    : DealiiMultigrid(device, precision_of_cycle, options)
  {}
  /// Makes the V-cycle with the level matrices of `form`, a system matrix of the field (rediscretization); they are
  /// shared. `dofs` distributes the field's element on its finest mesh; throws RunError where it does not.
  template <int dim>
  DealiiPreconditioner(const Device &device, const Field<dim> &field, const Form<dim> &form,
                       const dealii::DoFHandler<dim> &dofs, const MultigridOptions &options = {})
    : DealiiMultigrid(device, precision_of_cycle, with(options))
  {
    set_up(device, field, form, dofs);
  }

  /// @name With a form
  /// @{
  /// Takes the diagonal entries of the constrained rows from the user's condensed matrix; they are 1 before.
  template <class Matrix>
  void scale_constrained(const Matrix &matrix)
  {
    take_diagonal(matrix_rows(matrix));
  }
  void update() { update_from_form(); } ///< reads the present values of the level matrices, as after the form's update
  /// @}

private:
  static constexpr Precision precision_of_cycle =
    sizeof(Number) == sizeof(float) ? Precision::float32 : Precision::float64;
  static DealiiOptions with(const MultigridOptions &multigrid)
  {
    DealiiOptions options;
    options.multigrid = multigrid;
    return options;
  }
};

/// The whole solver (Krylov method and V-cycle) on a device, for level matrices of a form. The form has the matrix of
/// the finest level. deal.II's own matrix is needed for `scale_constrained` alone.
class DealiiSolver
{
public:
  /// Throws RunError as the constructor of DealiiPreconditioner does.
  template <int dim>
  DealiiSolver(const Device &device, const Field<dim> &field, const Form<dim> &form,
               const dealii::DoFHandler<dim> &dofs, const LinearSolverOptions &options = {});
  ~DealiiSolver();

  /// Works as in DealiiPreconditioner.
  template <class Matrix>
  void scale_constrained(const Matrix &matrix)
  {
    take_diagonal(matrix_rows(matrix));
  }
  void update() { solver->update(); } ///< works as in DealiiPreconditioner

  /// Solves A solution = rhs from the guess `solution`. Throws SolverError where the tolerance is not reached.
  template <class DealiiVector>
  SolverResult solve(DealiiVector &solution, const DealiiVector &rhs)
  {
    vectors.check(dofs.ranks, rhs.locally_owned_elements(), solution.locally_owned_elements());
    Array<double> buffer, guess;
    vectors.take(own_values(rhs, buffer), b);
    vectors.take(own_values(solution, guess), x);
    const SolverResult result = solver->solve(b, x);
    guess.resize(solution.locally_owned_size());
    vectors.give(x, own_values(rhs, buffer), guess.data());
    write(guess.data(), solution);
    return result;
  }

private:
  void take_diagonal(const MatrixRows &rows);

  std::unique_ptr<LinearSolver> solver;
  UserDofs                      dofs;
  DealiiVectors                 vectors;
  Vector<double>                x, b;
};

/// Does the work of solve() for a control that is asked after each step.
template <class Matrix, class DealiiVector>
void solve_step_by_step(const Matrix &matrix, DealiiVector &solution, const DealiiVector &rhs,
                        const DealiiMultigrid &multigrid, dealii::SolverControl &control)
{
  if (multigrid.symmetric_with(matrix_rows(matrix)))
    dealii::SolverCG<DealiiVector>(control).solve(matrix, solution, rhs, multigrid);
  else
    dealii::SolverFGMRES<DealiiVector>(control).solve(matrix, solution, rhs, multigrid);
}

/// Solves A x = b on the device of `multigrid`, which need not have been initialized with the present values of
/// `matrix`: CG where A and M are symmetric, else GMRES. The device gets the matrix and the right-hand side, and
/// `solution`, the guess, gets the result. Like deal.II's solvers, it tells `control` how the iteration goes, and
/// throws dealii::SolverControl::NoConvergence where that is not content. `solution` then has the last iterate if its
/// residual is smaller than that of the guess, else it has not changed. Constrained DoFs get their value from their own
/// row. A ghosted vector of deal.II comes back with updated ghosts. Throws RunError on all ranks where another row is
/// decoupled than in the matrix of initialize(), or where vmult() would throw.
///
/// A control of another class than SolverControl, ReductionControl and IterationNumberControl, such as
/// ConsecutiveControl, is asked after each step. The Krylov method is then deal.II's own on the host, SolverCG or
/// SolverFGMRES, and the V-cycle alone runs on the device. `matrix` has vmult() for these vectors. `solution` then always
/// has the last iterate, also in constrained DoFs.
template <class Matrix, class DealiiVector>
void solve(const Matrix &matrix, DealiiVector &solution, const DealiiVector &rhs, const DealiiMultigrid &multigrid,
           dealii::SolverControl &control)
{
  multigrid.check_vectors(rhs.locally_owned_elements(), solution.locally_owned_elements());
  if (!DealiiMultigrid::takes_whole_solve(control))
    return solve_step_by_step(matrix, solution, rhs, multigrid, control);
  Array<double> b, x, values(solution.locally_owned_size());
  const double *guess = own_values(solution, x);
  values.assign(guess, guess + values.size());
  const auto write_result = [&] { write(values.data(), solution); };
  try
    {
      multigrid.solve(matrix_rows(matrix), own_values(rhs, b), values.data(), control);
    }
  catch (const dealii::SolverControl::NoConvergence &)
    {
      write_result();
      throw;
    }
  write_result();
}
} // namespace adamant
