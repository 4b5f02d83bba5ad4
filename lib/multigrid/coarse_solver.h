#pragma once

#include "base/exceptions.h"
#include "multigrid/chebyshev.h"
#include "multigrid/options.h"
#include "operators/level_data.h"

#include <memory>
#include <string>

namespace adamant
{
/// The coarsest matrix cannot be inverted. A finer level's may be regular, see make_multigrid().
struct SingularMatrix : RunError
{
  using RunError::RunError;
};

/// Throws SingularMatrix: `how` says what has been found, `cause` what may be behind it.
[[noreturn]] void fail_singular(
  const std::string &how,
  const std::string &cause = "does the problem lack boundary conditions? Is a material nearly incompressible? Or has "
                             "the coarsest level a flat cell, or too few nodes at supports, so that more Coarsest "
                             "level cells help?");

/// The solver of a V-cycle on its coarsest level.
template <typename Number>
class CoarseSolver
{
public:
  using Vector = adamant::Vector<Number>;

  virtual ~CoarseSolver() = default;

  virtual void        update()                          = 0; ///< takes over the values that the level's matrix has now
  virtual void        solve(const Vector &b, Vector &x) = 0; ///< sets x to about A⁻¹ b
  virtual std::string description() const               = 0; ///< its name, such as "dense inverse"
};

/// Makes the solver of the kind `options.coarse_solver`. Throws InputError for an external solver on a GPU.
template <typename Number>
std::unique_ptr<CoarseSolver<Number>> make_coarse_solver(const DeviceLevel<Number> &level,
                                                         const MultigridOptions    &options);

/// Returns the inverse of a sparse matrix A as a dense matrix, row-major, in host memory; the device inverts it. With a
/// kernel e it returns the inverse of A + c e eᵀ, see MultigridOptions::singular. There c = Σ a_ii / (eᵀe)², summed
/// over the rows where e is 1. Throws SingularMatrix where the matrix is singular or nearly so, RunError where it is
/// spread over ranks, and InputError for more than 16384 rows.
Array<double> dense_inverse(const Device &device, const CSRMatrix<double> &matrix, const ConstantKernel &kernel = {});
} // namespace adamant
