#pragma once

#include "multigrid/chebyshev.h"
#include "multigrid/level_data.h"
#include "multigrid/options.h"

#include <memory>
#include <string>

namespace adamant
{
/// What a V-cycle does on its coarsest level.
template <typename Number>
class CoarseSolver
{
public:
  using Vector = adamant::Vector<Number>;

  virtual ~CoarseSolver() = default;

  virtual void        update()                          = 0; ///< takes over the values that the level's matrix has now
  virtual void        solve(const Vector &b, Vector &x) = 0; ///< x, about A⁻¹ b
  virtual std::string description() const               = 0; ///< after the number of unknowns, e.g. ", dense inverse"
};

/// By `options.coarse_solver`. Throws InputError for an external one on a GPU.
template <typename Number>
std::unique_ptr<CoarseSolver<Number>> make_coarse_solver(const SmootherLevel<Number> &level,
                                                         const MultigridOptions      &options);

/// The inverse of a sparse matrix as a dense one, row-major, host memory; the device inverts it. Throws RunError where
/// the matrix is singular or nearly so, or spread over ranks. With a kernel e that of A + c e eᵀ, see
/// MultigridOptions::singular: c = Σ a_ii / (eᵀe)² over the rows where e is 1.
Array<double> dense_inverse(const Device &device, const CSRMatrix<double> &matrix, const ConstantKernel &kernel = {});
} // namespace adamant
