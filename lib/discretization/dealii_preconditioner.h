#pragma once

#include "discretization/dealii_vectors.h"
#include "discretization/forms/form.h"
#include "multigrid/linear_solver.h"
#include "multigrid/v_cycle.h"

#include <memory>

namespace adamant
{
/// The V-cycle as the preconditioner of deal.II's own SolverCG, SolverGMRES and SolverFGMRES, on a device, in the
/// precision Number:
///
///   adamant::LevelMeshes<dim> meshes(mesh, {256});
///   adamant::Field<dim>       field(meshes, "u", fe, {{0, dealii::ComponentMask()}});
///   adamant::Form<dim>        form("A", field, unknowns(field), mapping, quadrature, flags, kernel,
///                                  adamant::Levels::all);
///   form.update();
///   adamant::DealiiPreconditioner<float> multigrid(device, field, form, dof_handler);
///   multigrid.scale_constrained(A);
///   solver_cg.solve(A, x, b, multigrid);
///
/// A is deal.II's own matrix for the same mesh, element and constraints, filled by
/// AffineConstraints::distribute_local_to_global on `dof_handler`, whose DoFs may be numbered in any way. Its
/// constrained rows are decoupled and hold some d_i on the diagonal; there the preconditioner is exactly 1 / d_i, so
/// that they add no iterations, whatever the right-hand side and the start vector hold in them.
///
/// Vectors are dealii::Vector<double>, LinearAlgebra::distributed::Vector<double>, TrilinosWrappers::MPI::Vector and
/// others whose `begin` and `locally_owned_size` are those of doubles in a row. On a distributed mesh the device is
/// one of the mesh's ranks, Device::host(n_threads, Communicator(mpi_communicator)) for example, and all ranks call
/// everything together. To and from a GPU vectors are copied in each application.
///
/// With equally many pre- and post-smoothing steps the V-cycle is symmetric, as SolverCG needs. SolverGMRES reaches
/// 1e-6 or so with Number = float, whose rounding makes it a slightly different matrix each time: take double or
/// SolverFGMRES.
template <typename Number = float>
class DealiiPreconditioner
{
public:
  /// Shares the level matrices of `form`, a system matrix of the field. `dofs` distributes the field's element on its
  /// finest mesh; throws RunError where it does not.
  template <int dim>
  DealiiPreconditioner(const Device &device, const Field<dim> &field, const Form<dim> &form,
                       const dealii::DoFHandler<dim> &dofs, const MultigridOptions &options = {})
    : DealiiPreconditioner(device, levels_of(field, form), options, numbers_in_space(field.finest(), dofs))
  {}
  /// Without `numbers`, for vectors in the order of the field's own DoFHandler, which is not as distribute_dofs leaves
  /// one.
  DealiiPreconditioner(const Device &device, const std::vector<LevelData> &levels, const MultigridOptions &options,
                       const DofNumbers &numbers = {})
    : vectors(device, *levels.back().matrix, numbers)
    , cycle(std::make_unique<VCycle<Number>>(device, levels, options))
    , b(device, cycle->n_rows())
  {}

  /// Takes d_i of the constrained rows from the diagonal of the condensed matrix; without this call d_i = 1.
  template <class SparseMatrix>
  void scale_constrained(const SparseMatrix &matrix)
  {
    vectors.scale_constrained(matrix);
  }

  /// Takes over the values that the level matrices have now, as after an update of the form; patterns and transfer
  /// stay.
  void update() { cycle->update(); }

  /// dst = M src.
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

/// The whole solver, Krylov method and V-cycle, on a device for deal.II's vectors, of the families above: the matrix of
/// the finest level is the form's, and deal.II's own is not needed but for `scale_constrained`.
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

  /// As DealiiPreconditioner's.
  template <class SparseMatrix>
  void scale_constrained(const SparseMatrix &matrix)
  {
    vectors.scale_constrained(matrix);
  }
  void update() { solver.update(); } ///< as DealiiPreconditioner's

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
