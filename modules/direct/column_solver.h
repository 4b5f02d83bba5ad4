#pragma once

#include "algebra/device.h"
#include "algebra/graph.h"
#include "direct/column_matrix.h"
#include "solvers/control.h"
#include "solvers/krylov.h"
#include "solvers/preconditioner.h"
#include "tensor/multi_vector.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace adamant
{
/// Makes another preconditioner, for n_columns columns on which the first one's precision is too low.
using MakePreconditioner = std::function<std::unique_ptr<Preconditioner>(int n_columns)>;

/// How the solve for several right-hand sides ended.
struct ColumnResult : SolverResult
{
  double largest_residual = 0; ///< of all columns, relative to their right-hand sides
  int    n_redone         = 0; ///< columns that a direct solver's precision was too low for
};

/// Solves A X = B for all columns of B, to a tolerance that holds for each of them. One method is conjugate gradients
/// with an approximate inverse: powers of two scale the columns, so that none is lost beside larger ones. The other one
/// is iterative refinement with a direct solver in low precision, X += M (B - A X), which checks each column's
/// residual.
class ColumnSolver
{
public:
  enum class Method
  {
    conjugate_gradients,
    refinement
  };

  /// `A` and `M` have to outlive the solver. One step of refinement may leave more than a tenth of a column's residual.
  /// The preconditioner from `make_fallback`, if given, then solves these columns alone, up to 64 at a time.
  ColumnSolver(const Device &device, const ColumnMatrix<double> &A, int n_columns, const Preconditioner &M,
               Method method, MakePreconditioner make_fallback = nullptr);

  /// Solves A X = B for vectors on the device; X is not read, and B may be scaled meanwhile. Throws SolverError where
  /// the tolerance is not reached.
  ColumnResult solve(Vector<double> &B, Vector<double> &X, const SolverControl &control)
  {
    return kind == Method::refinement ? refine(B, X, control) : iterate(B, X, control);
  }

private:
  ColumnResult     iterate(Vector<double> &B, Vector<double> &X, const SolverControl &control);
  ColumnResult     refine(const Vector<double> &B, Vector<double> &X, const SolverControl &control);
  void             correct(const Vector<double> &B, Vector<double> &X);
  std::vector<int> leave_out_bad_columns(const Array<double> &residuals, Vector<double> &X);
  void redo(const std::vector<int> &bad, const Vector<double> &B, Vector<double> &X, const SolverControl &control,
            ColumnResult &result);
  Array<double> relative_residuals();
  void          scale(bool back, Vector<double> &x) const
  {
    device.for_each(x.size(), ScaleColumns{r, back, scales.data(), x.data()});
  }

  // The solver for columns on which the precision of M is too low.
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
  const ColumnInverse          *inverse; // M, where it is a ColumnInverse
  const Method                  kind;
  MakePreconditioner            make_fallback;
  std::unique_ptr<Fallback>     fallback;
  std::unique_ptr<KrylovMethod> method;
  ColumnNorms                   norms;
  Vector<double>                R, Z, scales;
  List<int>                     kept;       // columns of the refinement, -1 for columns left out; empty: all
  Array<double>                 sizes;      // norms of the columns of B
  Graph                         correction; // a step of the refinement, for these vectors
  const double                 *from = nullptr, *to = nullptr;
};

/// Returns the median of the seconds that an action takes on the device. Of several runs the first one does not count,
/// as it may record graphs.
template <class Action>
double median_seconds(const Device &device, unsigned int repetitions, Action action)
{
  std::vector<double> times;
  for (unsigned int i = 0; i < (repetitions > 1 ? repetitions + 1 : 1); ++i)
    {
      device.synchronize();
      const auto begin = std::chrono::steady_clock::now();
      action();
      device.synchronize();
      if (i > 0 || repetitions == 1)
        times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

/// Computes X = M B by a recorded graph. `squares` are squared norms of B for a direct solver, or null. In float the
/// solve works on copies of B and X, rounded before and widened after it.
class OneSolve
{
public:
  OneSolve(const Device &device, const Preconditioner &M, bool in_float, const double *squares, const Vector<double> &B,
           Vector<double> &X)
    : device(device)
    , B(B)
    , X(X)
    , b(device, in_float ? B.size() : 0)
    , x(device, b.size())
  {
    const auto *direct = dynamic_cast<const ColumnInverse *>(&M);
    const auto  once   = [this, direct, in_float, squares, &M] {
      if (direct == nullptr)
        M.vmult(this->B, this->X);
      else if (in_float)
        direct->apply(b, squares, false, x);
      else
        direct->apply(this->B, squares, false, this->X);
    };
    once(); // loads data that a recorded graph must not load
    graph = Graph(device, once);
  }

  /// Solves several times and returns the median of the seconds.
  double solve(unsigned int repetitions)
  {
    if (b.size() > 0)
      device.copy(B, b);
    const double seconds = median_seconds(device, repetitions, [this] { graph.replay(); });
    if (b.size() > 0)
      device.copy(x, X);
    return seconds;
  }

private:
  Device                device;
  const Vector<double> &B;
  Vector<double>       &X;
  Vector<float>         b, x;
  Graph                 graph;
};
} // namespace adamant
