#pragma once

#include "algebra/graph.h"
#include "direct/column_matrix.h"
#include "solvers/control.h"
#include "solvers/krylov.h"
#include "tensor/column_inverse.h"
#include "tensor/multi_vector.h"

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
/// approximate inverse, columns scaled by powers of two, so that none is lost beside larger ones; or by iterative
/// refinement around a direct solver in low precision, X += M (B - A X), which looks at each column's residual.
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

  /// Throws SolverError where the tolerance is not reached. B may be scaled meanwhile; X is not read.
  ColumnResult solve(Vector<double> &B, Vector<double> &X, const SolverControl &control);

private:
  ColumnResult     iterate(Vector<double> &B, Vector<double> &X, const SolverControl &control);
  ColumnResult     refine(const Vector<double> &B, Vector<double> &X, const SolverControl &control);
  void             correct(const Vector<double> &B, Vector<double> &X);
  std::vector<int> leave_out_bad_columns(const Array<double> &residuals, Vector<double> &X);
  void redo(const std::vector<int> &bad, const Vector<double> &B, Vector<double> &X, const SolverControl &control,
            ColumnResult &result);
  Array<double> relative_residuals(const Vector<double> &B, const Vector<double> &X);
  void          relate(Array<double> &residuals) const;
  void          scale(bool back, Vector<double> &x) const;

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
  const ColumnInverse          *inverse; // M, where it is one
  const Method                  kind;
  MakePreconditioner            make_fallback;
  std::unique_ptr<Fallback>     fallback;
  std::unique_ptr<KrylovMethod> method;
  ColumnNorms                   norms;
  Vector<double>                R, Z, scales;
  List<int>                     kept;       // columns of the refinement, -1 for those left out; empty: all
  Array<double>                 sizes;      // of the columns of B
  Graph                         correction; // of the refinement, for these vectors
  const double                 *from = nullptr, *to = nullptr;
};
} // namespace adamant
