#pragma once

#include "base/exceptions.h"
#include "discretization/forms/form.h"
#include "multigrid/options.h"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace adamant
{
template <int dim>
Array<int> numbers_in_space(const LevelSpace<dim> &space, const dealii::DoFHandler<dim> &dofs);

/// The V-cycle on the host as the preconditioner of deal.II's own SolverCG, SolverGMRES and SolverFGMRES, in the
/// precision Number:
///
///   adamant::LevelMeshes<dim> meshes(mesh, {256});
///   adamant::Field<dim>       field(meshes, "u", fe, {{0, dealii::ComponentMask()}});
///   adamant::Form<dim>        form("A", field, unknowns(field), mapping, quadrature, flags, kernel,
///                                  adamant::Levels::all);
///   form.update();
///   adamant::DealiiPreconditioner<float> multigrid(field, form, dof_handler, {}, n_threads);
///   multigrid.scale_constrained(A);
///   solver_cg.solve(A, x, b, multigrid);
///
/// A is deal.II's own matrix for the same mesh, element and constraints, filled by
/// AffineConstraints::distribute_local_to_global on `dof_handler`, whose DoFs may be numbered in any way. Its
/// constrained rows are decoupled and hold some d_i on the diagonal; there the preconditioner is exactly 1 / d_i, so
/// that they add no iterations, whatever the right-hand side and the start vector hold in them.
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
  DealiiPreconditioner(const Field<dim> &field, const Form<dim> &form, const dealii::DoFHandler<dim> &dofs,
                       const MultigridOptions &options, int n_threads)
    : DealiiPreconditioner(levels_of(field, form), options, n_threads, numbers_in_space(field.finest(), dofs))
  {}
  /// For vectors whose entry i is the finest level's numbers[i]; without `numbers`, for those that are numbered as the
  /// field's own DoFHandler, which is not as distribute_dofs leaves one.
  DealiiPreconditioner(const std::vector<LevelData> &levels, const MultigridOptions &options, int n_threads,
                       Array<int> numbers = {});
  ~DealiiPreconditioner();

  /// Takes d_i of the constrained rows from the diagonal of the condensed matrix; without this call d_i = 1.
  template <class SparseMatrix>
  void scale_constrained(const SparseMatrix &matrix)
  {
    for (auto &[row, scaling] : constrained)
      scaling = 1. / matrix.diag_element(row);
  }

  /// Takes over the values that the level matrices have now, as after an update of the form; patterns and transfer
  /// stay.
  void update();

  /// dst = M src for dealii::Vector<double> and every other vector that holds doubles contiguously and locally. They
  /// are read and written in place, where the precision changes.
  template <class Vector>
  void vmult(Vector &dst, const Vector &src) const
  {
    check_size(src.size());
    apply(src.begin(), dst.begin());
    for (const auto &[row, scaling] : constrained)
      dst.begin()[row] = scaling * src.begin()[row];
  }

private:
  void check_size(std::size_t n) const;
  void apply(const double *src, double *dst) const;

  struct Implementation;
  std::unique_ptr<Implementation>     implementation;
  Array<int>                          numbers;     // of a vector's entries in the field; empty: the same
  std::vector<std::pair<int, double>> constrained; // row, 1 / d_i
};

/// The number that each DoF of `dofs` has in `space`, which has the same mesh and element. Throws RunError where they
/// differ.
template <int dim>
Array<int> numbers_in_space(const LevelSpace<dim> &space, const dealii::DoFHandler<dim> &dofs);
} // namespace adamant
