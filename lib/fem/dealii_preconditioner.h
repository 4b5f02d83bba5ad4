#pragma once

#include "fem/dealii_vectors.h"
#include "fem/forms/form.h"
#include "multigrid/linear_solver.h"
#include "multigrid/v_cycle.h"

#include <memory>

namespace adamant
{
/// The V-cycle on a device, in the precision Number, as preconditioner of deal.II's SolverCG, SolverGMRES and
/// SolverFGMRES.
///
/// ```
///   adamant::LevelMeshes<dim> meshes(mesh, {256});
///   adamant::Field<dim>       field(meshes, "u", fe, {{0, dealii::ComponentMask()}});
///   adamant::Form<dim>        form("A", field, unknowns(field), mapping, quadrature, flags, kernel,
///                                  adamant::Levels::all);
///   form.update();
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
class DealiiPreconditioner
{
public:
  /// Makes the V-cycle with the level matrices of `form`, a system matrix of the field; they are shared. `dofs`
  /// distributes the field's element on its finest mesh; throws RunError where it does not.
  template <int dim>
  DealiiPreconditioner(const Device &device, const Field<dim> &field, const Form<dim> &form,
                       const dealii::DoFHandler<dim> &dofs, const MultigridOptions &options = {})
    : DealiiPreconditioner(device, levels_of(field, form), options, numbers_in_space(field.finest(), dofs))
  {}
  /// Makes the V-cycle of `levels`. Without `numbers`, vectors have the order of the field's own DoFHandler, which
  /// differs from the order that distribute_dofs gives.
  DealiiPreconditioner(const Device &device, const std::vector<LevelData> &levels, const MultigridOptions &options,
                       const DofNumbers &numbers = {})
    : vectors(device, levels.back().rows(), numbers)
    , cycle(std::make_unique<VCycle<Number>>(device, levels, options))
    , b(device, cycle->n_rows())
  {}

  /// Takes the d_i of the constrained rows from the diagonal of the condensed matrix; without this call d_i = 1.
  template <class SparseMatrix>
  void scale_constrained(const SparseMatrix &matrix)
  {
    vectors.scale_constrained(matrix);
  }

  /// Reads the present values of the level matrices, for example after an update of the form. Patterns and transfer
  /// stay.
  void update() { cycle->update(); }

  /// Computes dst = M src, where M is the V-cycle.
  template <class DealiiVector>
  void vmult(DealiiVector &dst, const DealiiVector &src) const
  {
    vectors.take(src, b);
    vectors.give(cycle->vmult(b), src, dst);
  }

private:
  DealiiVectors                   vectors;
  std::unique_ptr<VCycle<Number>> cycle;
  mutable Vector<Number>          b;
};

/// The whole solver (Krylov method and V-cycle) on a device, for the vectors of deal.II that DealiiPreconditioner
/// takes. The form has the matrix of the finest level. deal.II's own matrix is needed for `scale_constrained` alone.
class DealiiSolver
{
public:
  template <int dim>
  DealiiSolver(const Device &device, const Field<dim> &field, const Form<dim> &form,
               const dealii::DoFHandler<dim> &dofs, const LinearSolverOptions &options = {})
    : vectors(device, *form.finest(), numbers_in_space(field.finest(), dofs))
    , solver(device, levels_of(field, form), options)
    , x(device, form.finest()->n_rows)
    , b(device, form.finest()->n_rows)
  {}

  /// Works as DealiiPreconditioner::scale_constrained.
  template <class SparseMatrix>
  void scale_constrained(const SparseMatrix &matrix)
  {
    vectors.scale_constrained(matrix);
  }
  void update() { solver.update(); } ///< works as DealiiPreconditioner::update

  /// Solves A solution = rhs from the guess `solution`. Throws SolverError where the tolerance is not reached.
  template <class DealiiVector>
  SolverResult solve(DealiiVector &solution, const DealiiVector &rhs)
  {
    vectors.take(rhs, b);
    vectors.take(solution, x);
    const SolverResult result = solver.solve(b, x);
    vectors.give(x, rhs, solution);
    return result;
  }

private:
  DealiiVectors  vectors;
  LinearSolver   solver;
  Vector<double> x, b;
};
} // namespace adamant
