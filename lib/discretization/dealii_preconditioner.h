#pragma once

#include "base/exceptions.h"
#include "multigrid/level_data.h"
#include "multigrid/options.h"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace adamant
{
/// The V-cycle on the host as the preconditioner of deal.II's own SolverCG, SolverGMRES and SolverFGMRES, in the precision Number:
///
///   adamant::Hierarchy<dim> hierarchy(mesh, fe, {{0, dealii::ComponentMask()}}, 256);
///   hierarchy.assemble(mapping, quadrature, flags, cell_assembler);
///   adamant::DealiiPreconditioner<float> multigrid(hierarchy.data(), {}, n_threads);
///   multigrid.scale_constrained(A);
///   solver_cg.solve(A, x, b, multigrid);
///
/// A is deal.II's own matrix for the same mesh, element and constraints, filled by
/// AffineConstraints::distribute_local_to_global; DoFs must be numbered as DoFHandler::distribute_dofs leaves them. Its
/// constrained rows are decoupled and hold some d_i on the diagonal; there the preconditioner is exactly 1 / d_i, so that
/// they add no iterations, whatever the right-hand side and the start vector hold in them.
///
/// With equally many pre- and post-smoothing steps the V-cycle is symmetric, as SolverCG needs. SolverGMRES reaches 1e-6 or
/// so with Number = float, whose rounding makes it a slightly different matrix each time: take double or SolverFGMRES.
template <typename Number = float>
class DealiiPreconditioner
{
public:
  /// Copies what it needs of the levels.
  DealiiPreconditioner(const std::vector<LevelData> &levels, const MultigridOptions &options, int n_threads);
  ~DealiiPreconditioner();

  /// Takes d_i of the constrained rows from the diagonal of the condensed matrix; without this call d_i = 1.
  template <class SparseMatrix>
  void scale_constrained(const SparseMatrix &matrix)
  {
    for (auto &[row, scaling] : constrained)
      scaling = 1. / matrix.diag_element(row);
  }

  /// Takes over new values of the level matrices; patterns and transfer stay.
  void update(const std::vector<LevelData> &levels);

  /// dst = M src for dealii::Vector<double> and every other vector that holds doubles contiguously and locally. They are
  /// read and written in place, where the precision changes.
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
  std::vector<std::pair<int, double>> constrained; // row, 1 / d_i
};
} // namespace adamant
