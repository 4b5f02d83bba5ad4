#pragma once

#include "multigrid/coarse_solver.h"
#include "multigrid/level_data.h"
#include "multigrid/options.h"

#include <utility>
#include <vector>

namespace adamant
{
/// The coefficients alpha and beta of each step d <- alpha d + beta S (b - A x), x <- x + d.
using PolynomialSteps = std::vector<std::pair<double, double>>;

/// The smoothing on a level of ComposedLevels: S, and the steps before (`pre`) and after (`post`) the coarse
/// correction.
struct ComposedSmoothing
{
  CSRMatrix<double> S;
  PolynomialSteps   pre, post;
};

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

  /// `levels`, the coarsest first, are on one rank and have values that do not change on the device. `smoothing` is for
  /// the levels above the coarsest. `worth` is MultigridOptions::entries_of_an_operation.
  ComposedLevels(const Device &device, const std::vector<LevelData> &levels,
                 const std::vector<ComposedSmoothing> &smoothing, int worth);

  /// Takes over the values that the levels' matrices have now, and the new `smoothing`.
  void update(const std::vector<ComposedSmoothing> &smoothing);

  /// Returns the vector from which `vmult` takes b without a copy.
  Vector input() const { return array.part(0, levels.back().matrix->n_rows); }
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
  int                    worth;
  Vector                 array;
  Vector                 coarse_b, coarse_x; // parts of the array
  std::vector<Product>   before, after;      // products before and after the coarse solver
};
} // namespace adamant
