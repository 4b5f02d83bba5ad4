#pragma once

#include "algebra/multi_vector.h"
#include "operators/column_matrix.h"
#include "solvers/control.h"
#include "solvers/krylov.h"

#include <functional>
#include <memory>
#include <vector>

namespace adamant
{
/// Makes the preconditioner that takes the place of one whose precision does not do, for so many columns.
using MakePreconditioner = std::function<std::unique_ptr<Preconditioner>(int n_columns)>;

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

  /// `A` and `M` have to outlive the solver. Columns of which one step of refinement leaves more than a tenth of the
  /// residual are solved with what `make_fallback` makes, if it is given: these alone, up to 64 at a time.
  ColumnSolver(const Device &device, const ColumnMatrix<double> &A, int n_columns, const Preconditioner &M,
               Method method, MakePreconditioner make_fallback = nullptr);

  /// Throws SolverError where the tolerance is not reached. B is scaled meanwhile; X is not read.
  ColumnResult solve(Vector<double> &B, Vector<double> &X, const SolverControl &control);

private:
  Array<double>    relative_residuals(const Vector<double> &B, const Vector<double> &X);
  void             scale(bool back, Vector<double> &x) const;
  std::vector<int> begin_refinement(const Vector<double> &B, Vector<double> &X);
  SolverResult     solve_others(const std::vector<int> &bad, const Vector<double> &B, Vector<double> &X,
                                const SolverControl &control);
  SolverResult     redo(const std::vector<int> &bad, const Vector<double> &B, Vector<double> &X,
                        const SolverControl &control);

  // For columns that M does not do for.
  struct Fallback
  {
    int                             n_columns;
    std::unique_ptr<Preconditioner> inverse;
    std::unique_ptr<ColumnSolver>   solver;
    Vector<double>                  B, X;
  };

  Device                        device;
  int                           r;
  const ColumnMatrix<double>   &matrix;
  ColumnOperator                A;
  const Preconditioner         &M;
  const Method                  kind;
  MakePreconditioner            make_fallback;
  std::unique_ptr<Fallback>     fallback;
  std::unique_ptr<KrylovMethod> method;
  ColumnNorms                   norms;
  Vector<double>                R, scales;
  Array<double>                 sizes; // of the columns of B, scaled
};
} // namespace adamant
