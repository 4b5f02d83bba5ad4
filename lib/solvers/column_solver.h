#pragma once

#include "algebra/multi_vector.h"
#include "operators/column_matrix.h"
#include "solvers/control.h"
#include "solvers/krylov.h"

#include <functional>
#include <memory>

namespace adamant
{
/// Makes the preconditioner that takes the place of one whose precision does not do.
using MakePreconditioner = std::function<std::unique_ptr<Preconditioner>()>;

/// How the solve for several right-hand sides ended.
struct ColumnResult : SolverResult
{
  double largest_residual = 0; ///< of all columns, relative to their right-hand sides
  int    n_redone         = 0; ///< columns that a direct solver's precision was too low for
};

/// A X = B for all columns of B to a tolerance that holds for each of them: by conjugate gradients around an
/// approximate inverse, or by iterative refinement (Richardson) around a direct solver in low precision. Columns are
/// scaled by powers of two, so that none is lost beside larger ones.
class ColumnSolver
{
public:
  enum class Method
  {
    conjugate_gradients,
    refinement
  };

  /// `A` and `M` have to outlive the solver. Where one step of refinement leaves more than a tenth of a column's
  /// residual, all start anew with what `make_fallback` makes, if it is given.
  ColumnSolver(const Device &device, const ColumnMatrix<double> &A, int n_columns, const Preconditioner &M,
               Method method, MakePreconditioner make_fallback = nullptr);

  /// Throws SolverError where the tolerance is not reached. B is scaled meanwhile; X is not read.
  ColumnResult solve(Vector<double> &B, Vector<double> &X, const SolverControl &control);

private:
  Array<double> relative_residuals(const Vector<double> &B, const Vector<double> &X);
  void          scale(bool back, Vector<double> &x) const;
  bool          begin_refinement(const Vector<double> &B, Vector<double> &X, ColumnResult &result);

  Device                          device;
  int                             r;
  ColumnOperator                  A;
  const Preconditioner           &M;
  const Method                    kind;
  MakePreconditioner              make_fallback;
  std::unique_ptr<Preconditioner> fallback;
  std::unique_ptr<KrylovMethod>   method, with_fallback;
  ColumnNorms                     norms;
  Vector<double>                  R, scales;
  Array<double>                   sizes; // of the columns of B, scaled
};
} // namespace adamant
