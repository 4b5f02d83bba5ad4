#pragma once

#include "base/array.h"
#include "base/csr_matrix.h"

#include <functional>
#include <string>

namespace adamant
{
enum class SmootherType
{
  jacobi,       ///< S = D⁻¹, D the diagonal of A
  block_jacobi, ///< S = D⁻¹, D the node blocks of A
  fsai          ///< S = GᵀG, G on the pattern of A's lower triangle
};

enum class CoarseSolverType
{
  dense_inverse, ///< A⁻¹ as a dense matrix, one product
  smoothing,     ///< a number of smoothing steps
  external       ///< what MultigridOptions::make_coarse_solver makes
};

/// x = M b in host memory, M an approximate inverse of a matrix; of several ranks each has its rows.
using CoarseSolver = std::function<void(const Array<double> &b, Array<double> &x)>;

struct SmootherOptions
{
  SmootherType type      = SmootherType::jacobi;
  bool         chebyshev = false; ///< Chebyshev's polynomial in S A instead of equal damped steps
  double       damping   = 0.8;   ///< omega of x <- x + omega S (b - A x), without Chebyshev
  double       range     = 4.;    ///< Chebyshev damps the eigenvalues in [1.1 lambda / range, 1.1 lambda]
};

struct MultigridOptions
{
  SmootherOptions  smoother;
  int              pre_steps     = 2; ///< with Chebyshev: the degree of the polynomial
  int              post_steps    = 2;
  CoarseSolverType coarse_solver = CoarseSolverType::dense_inverse;
  int              coarse_steps  = 20; ///< smoothing steps on the coarsest level, where they are its solver
  /// Called for each new matrix of the coarsest level; on the host backend only.
  std::function<CoarseSolver(const CSRMatrix<double> &matrix)> make_coarse_solver = nullptr;
};

/// When an iteration ends: at ‖b - A x‖₂ <= tolerance ‖b‖₂, or after max_iterations.
struct SolverControl
{
  double      tolerance      = 1e-8;
  int         max_iterations = 200;
  std::string name           = "linear system"; ///< for messages
};

/// How an iteration ended. Residuals are relative to ‖b‖₂ (absolute where b = 0).
struct SolverResult
{
  int    iterations       = 0;
  double initial_residual = 0;
  double final_residual   = 0;
};
} // namespace adamant
