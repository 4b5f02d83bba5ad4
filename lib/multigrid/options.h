#pragma once

#include "base/array.h"
#include "base/csr_matrix.h"
#include "base/host_device.h"

#include <functional>
#include <string>

namespace adamant
{
enum class CoarseSolverType
{
  dense_inverse, ///< A⁻¹ as a dense matrix, one product
  smoothing,     ///< a number of smoothing steps
  external       ///< what MultigridOptions::make_coarse_solver makes
};

/// x = M b in host memory, M an approximate inverse of a matrix; of several ranks each has its rows.
using ExternalSolver = std::function<void(const Array<double> &b, Array<double> &x)>;

struct SmootherOptions
{
  std::string type      = "jacobi"; ///< one of smoothers() (smoothers/registry.h)
  bool        chebyshev = false;    ///< Chebyshev's polynomial in S A instead of equal damped steps
  double      damping   = 0.8;      ///< omega of x <- x + omega S (b - A x), without Chebyshev
  double      range     = 4.;       ///< Chebyshev damps the eigenvalues in [1.1 lambda / range, 1.1 lambda]
  double      largest   = 0.;       ///< lambda, where it is known; 0: by the power method
  bool        arnoldi   = false;    ///< instead of both: the polynomial of ArnoldiPolynomial
};

/// Vectors that a matrix maps to zero: ones at the rows i with i % node_size = component, zeros elsewhere.
struct ConstantKernel
{
  bool                     exists    = false;
  int                      node_size = 1, component = 0;
  ADAMANT_HOST_DEVICE bool has(int i) const { return exists && i % node_size == component; }
};

struct MultigridOptions
{
  SmootherOptions  smoother;
  int              pre_steps     = 2; ///< with Chebyshev: the degree of the polynomial
  int              post_steps    = 2;
  int              cycles        = 1; ///< V-cycles of one application, in their precision
  CoarseSolverType coarse_solver = CoarseSolverType::dense_inverse;
  int              coarse_steps  = 20; ///< smoothing steps on the coarsest level, where they are its solver
  /// Whether A 1 = 0 on all levels, as where a pressure is free up to a constant. The dense inverse is then that of
  /// A + c 1 1ᵀ: for right-hand sides of zero mean it gives the solution of zero mean.
  bool singular = false;
  /// Where A maps only constants in one component of each node to zero, that component; -1: in all. The 1 above then
  /// has its ones there alone.
  int singular_component = -1;
  /// In a V-cycle in double: smoothing in float, see MixedSmoother.
  bool smoothing_in_float = false;
  /// Levels of at most so many unknowns take several steps at once, see ComposedLevels; negative: as suits the device,
  /// by the entries of their matrices.
  int compose_up_to = -1;
  /// As many entries of a matrix as take the time of an operation more: what composed steps may cost.
  int entries_of_an_operation = 300000;
  /// Called for each new matrix of the coarsest level; with the host as device only.
  std::function<ExternalSolver(const CSRMatrix<double> &matrix)> make_coarse_solver = nullptr;
};
} // namespace adamant
