#pragma once

#include "dealii/vectors.h"
#include "fem/forms/form.h"
#include "fem/spaces/field.h"
#include "multigrid/linear_solver.h"
#include "multigrid/v_cycle.h"

#include <memory>

namespace adamant
{
/// The V-cycle on a device, in the precision Number, as preconditioner of deal.II's SolverCG, SolverGMRES and
/// SolverFGMRES. A whole program is in examples/add_multigrid.
/// ```
///   adamant::DealiiPreconditioner<float> multigrid(device, field, form, dof_handler);
///   multigrid.scale_constrained(A);
///   solver_cg.solve(A, x, b, multigrid);
/// ```
/// A is deal.II's own matrix for the same mesh, element and constraints. AffineConstraints::distribute_local_to_global
/// has filled it on `dof_handler`, whose DoFs may be numbered in any way. The constrained rows of A are decoupled, with
/// some d_i on the diagonal. There the preconditioner is exactly 1 / d_i. So these rows add no iterations, whatever the
/// right-hand side and the start vector hold in them.
///
/// Vectors may be dealii::Vector<double>, LinearAlgebra::distributed::Vector<double>, TrilinosWrappers::MPI::Vector and
/// others whose `begin` and `locally_owned_size` describe doubles in a row. On a distributed mesh the device is made
/// for the mesh's ranks, for example by Device::host(n_threads, Communicator(mpi_communicator)). All ranks call
/// everything together. Each application copies vectors to and from a GPU.
///
/// With equally many pre- and post-smoothing steps the V-cycle is symmetric, as SolverCG needs. With Number = float,
/// rounding makes it a slightly different matrix each time, and SolverGMRES reaches about 1e-6. For smaller tolerances
/// take double or SolverFGMRES.
template <typename Number = float>
class DealiiPreconditioner : private DealiiVectors
{
public:
  /// Makes the V-cycle with the level matrices of `form`, a system matrix of the field; they are shared. `dofs`
  /// distributes the field's element on its finest mesh; throws RunError where it does not.
  template <int dim>
  DealiiPreconditioner(const Device &device, const Field<dim> &field, const Form<dim> &form,
                       const dealii::DoFHandler<dim> &dofs, const MultigridOptions &options = {})
    : DealiiVectors(device, field.finest(), dofs, *form.finest())
    , cycle(std::make_unique<VCycle<Number>>(device, levels_of(field, form), options))
    , b(device, cycle->n_rows())
  {}

  /// Takes the d_i of the constrained rows from the diagonal of the condensed matrix; without this call d_i = 1.
  using DealiiVectors::scale_constrained;

  /// Reads the present values of the level matrices, for example after an update of the form. Patterns and transfer
  /// stay.
  void update() { cycle->update(); }

  /// Computes dst = M src, where M is the V-cycle.
  template <class DealiiVector>
  void vmult(DealiiVector &dst, const DealiiVector &src) const
  {
    take(src, b);
    give(cycle->vmult(b), src, dst);
  }

private:
  std::unique_ptr<VCycle<Number>> cycle;
  mutable Vector<Number>          b;
};

/// The whole solver (Krylov method and V-cycle) on a device, for the vectors of deal.II that DealiiPreconditioner
/// takes. The form has the matrix of the finest level. deal.II's own matrix is needed for `scale_constrained` alone.
class DealiiSolver : private DealiiVectors
{
public:
  template <int dim>
  DealiiSolver(const Device &device, const Field<dim> &field, const Form<dim> &form,
               const dealii::DoFHandler<dim> &dofs, const LinearSolverOptions &options = {})
    : DealiiVectors(device, field.finest(), dofs, *form.finest())
    , solver(device, levels_of(field, form), options)
    , x(device, form.finest()->n_rows)
    , b(device, form.finest()->n_rows)
  {}

  using DealiiVectors::scale_constrained; ///< works as in DealiiPreconditioner
  void update() { solver.update(); }      ///< works as DealiiPreconditioner::update

  /// Solves A solution = rhs from the guess `solution`. Throws SolverError where the tolerance is not reached.
  template <class DealiiVector>
  SolverResult solve(DealiiVector &solution, const DealiiVector &rhs)
  {
    take(rhs, b);
    take(solution, x);
    const SolverResult result = solver.solve(b, x);
    give(x, rhs, solution);
    return result;
  }

private:
  LinearSolver   solver;
  Vector<double> x, b;
};
} // namespace adamant
