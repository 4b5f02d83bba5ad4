#pragma once

#include "base/array.h"
#include "base/csr/csr_matrix.h"
#include "base/exceptions.h"
#include "base/host_device.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
enum class CoarseSolverType
{
  automatic,     ///< the dense inverse of few rows; else the external solver, where it suits, or algebraic cycles
  dense_inverse, ///< one product with A⁻¹ as a dense matrix
  smoothing,     ///< a number of smoothing steps
  external       ///< the solver that MultigridOptions::make_coarse_solver makes
};

/// Sets x = M b with an approximate inverse M of a matrix. Vectors are in host memory; on several ranks, each rank has
/// the entries of its own rows.
struct ExternalSolver
{
  std::function<void(const Array<double> &b, Array<double> &x)> solve;
  std::string                                                   name = "external solver"; ///< in the line of the level
};
using MakeExternalSolver = std::function<ExternalSolver(const CSRMatrix<double> &matrix)>;

/// Returns the matrices P_l of an algebraic hierarchy, that of the finest level first, for a matrix that one rank has.
using MakeProlongations = std::function<std::vector<SharedMatrix>(const CSRMatrix<double> &matrix)>;

struct SmootherOptions
{
  std::string type        = "jacobi"; ///< one of smoothers() (smoothers/registry.h)
  bool        chebyshev   = false;    ///< Chebyshev's polynomial in S A instead of equal damped steps
  double      damping     = 0.8;      ///< omega of x <- x + omega S (b - A x), without Chebyshev
  double      range       = 4.;       ///< Chebyshev damps the eigenvalues in [1.1 lambda / range, 1.1 lambda]
  double      largest     = 0.;       ///< lambda, where it is known; 0: the power method estimates lambda
  int         power_steps = 15;       ///< the least steps of the power method; fewer give a smaller lambda
  bool        arnoldi     = false;    ///< ArnoldiPolynomial, instead of Chebyshev's polynomial and of damped steps
  /// Where this number, which copies share, has changed, an update estimates lambda without what earlier ones found.
  std::shared_ptr<int> beginning = std::make_shared<int>(0);
};

/// A vector that a matrix maps to zero: it is one at the rows i with i % node_size = component, zero elsewhere.
struct ConstantKernel
{
  bool                     exists    = false;
  int                      node_size = 1, component = 0;
  ADAMANT_HOST_DEVICE bool has(int i) const { return exists && i % node_size == component; }
};

struct MultigridOptions
{
  SmootherOptions  smoother;
  int              pre_steps     = 2; ///< at least 1; with Chebyshev the degree of the polynomial
  int              post_steps    = 2; ///< at least 0; with Chebyshev the degree of the polynomial
  int              cycles        = 1; ///< V-cycles in one application of the preconditioner
  CoarseSolverType coarse_solver = CoarseSolverType::dense_inverse;
  int              coarse_steps  = 20; ///< smoothing steps on the coarsest level, where smoothing is its solver
  /// Whether A e = 0 on all levels for the vector e of ones, as where a pressure is free up to a constant. The dense
  /// inverse is then the inverse of A + c e eᵀ: for right-hand sides of zero mean it gives the solution of zero mean.
  bool singular = false;
  /// The component of each node in which A maps constants to zero: e is one there and zero elsewhere. With -1, e is one
  /// in all components.
  int singular_component = -1;
  /// Whether a V-cycle in double smooths in float, see MixedSmoother.
  bool smoothing_in_float = false;
  /// Levels of at most compose_up_to unknowns take several steps at once, see ComposedLevels. Where it is negative, the
  /// device and the number of entries of a level's matrix decide.
  int compose_up_to = -1;
  /// The number of matrix entries that take as long as one more operation. Composing two steps may add so many entries.
  int entries_of_an_operation = 300000;
  /// Makes the external solver. It is called for each new matrix of the coarsest level, on the host only. The solver
  /// has no function `solve` where `automatic` shall not take it.
  MakeExternalSolver make_coarse_solver = nullptr;
  /// Makes the hierarchy of algebraic cycles: three V-cycles on levels Pᵀ A P below the coarsest level.
  MakeProlongations make_prolongations = nullptr;
  /// Calls `invert`, which inverts the coarsest matrix, on all ranks together. All ranks throw the error of one.
  std::function<void(const std::function<void()> &invert)> guard_inversion = [](const auto &invert) { invert(); };

  /// Returns these options. Throws InputError for numbers of steps or cycles that are too small.
  const MultigridOptions &checked() const
  {
    if (pre_steps < 1 || post_steps < 0)
      throw InputError(
        "multigrid needs at least one pre-smoothing step and no negative number of post-smoothing steps");
    if (cycles < 1)
      throw InputError("multigrid needs at least one V-cycle, not " + std::to_string(cycles));
    return *this;
  }
};
} // namespace adamant
