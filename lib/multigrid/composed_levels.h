#pragma once

#include "multigrid/coarse_solver.h"
#include "multigrid/options.h"
#include "operators/level_data.h"

#include <cstddef>
#include <vector>

namespace adamant
{
/// Returns how many levels of `levels`, from the coarsest, ComposedLevels should run: 0, or at least 2. The smoother's
/// S has to be known as a matrix (SmootherKind::matrix), and values may not change on the device. On a device that
/// waits for operations more than for their entries, steps on small levels are worth composing.
std::size_t n_levels_to_compose(const Device &device, const std::vector<LevelData> &levels,
                                const MultigridOptions &options);

/// Runs the lower levels of a V-cycle as few sparse products. As a V-cycle is linear, successive smoothing steps,
/// residual and transfer are one sparse matrix,
///
///   b_coarse = R (I - A X) b,   x = Y b + Z e,   X: the steps from zero; e: the coarse correction,
///
/// which has more entries than its factors. On a GPU any operation on a small level takes about 2 us, however little it
/// computes. So steps are composed as long as this adds few entries, and the vectors between compositions are stored.
/// All vectors lie in one array, so that a product may take several of them. Up to rounding, the results agree with
/// single steps.
template <typename Number>
class ComposedLevels
{
public:
  using Vector = adamant::Vector<Number>;

  using Smoothers = std::vector<const PolynomialSmoother<Number> *>;

  /// Composes `levels`, the coarsest first, which n_levels_to_compose() has chosen. `smoothers` smooth on those above
  /// the coarsest.
  ComposedLevels(const Device &device, std::vector<LevelData> levels, Smoothers smoothers,
                 const MultigridOptions &options);

  /// Takes over the values that the levels' matrices and their smoothers have now.
  void update();

  /// Returns the vector from which `vmult` takes b without a copy.
  Vector input() const { return array.part(0, levels.back().n_rows()); }
  /// Returns the result of a V-cycle for b from a zero guess. The result is valid until the next call.
  const Vector &vmult(const Vector &b, CoarseSolver<Number> &coarse_solver);

private:
  struct Product
  {
    Matrix<Number> matrix; // multiplies the array
    Vector         to;     // the part of the array that takes the product
  };

  Device                 device;
  std::vector<LevelData> levels;
  Smoothers              smoothers;
  MultigridOptions       options;
  Vector                 array;
  Vector                 coarse_b, coarse_x; // parts of the array
  std::vector<Product>   before, after;      // products before and after the coarse solver
};
} // namespace adamant
