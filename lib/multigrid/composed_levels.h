#pragma once

#include "multigrid/coarse_solver.h"
#include "multigrid/level_data.h"
#include "multigrid/options.h"

#include <utility>
#include <vector>

namespace adamant
{
/// alpha, beta of each step d <- alpha d + beta S (b - A x), x <- x + d.
using PolynomialSteps = std::vector<std::pair<double, double>>;

/// What a level of ComposedLevels smooths with: S and the steps from zero and after the coarse correction.
struct ComposedSmoothing
{
  CSRMatrix<double> S;
  PolynomialSteps   pre, post;
};

/// The lower levels of a V-cycle as few sparse products. All that a V-cycle does is linear: smoothing steps, residual
/// and transfer that follow each other are one sparse matrix,
///
///   b_coarse = R (I - A X) b,   x = Y b + Z e,   X: the steps from zero; e: the coarse correction,
///
/// whose entries are more than those of its factors. On a GPU an operation on a small level takes its 2 us whatever it
/// computes: steps are composed as long as this adds few entries, and what stands between compositions is stored. All
/// vectors lie in one array, so that a product may take several of them. Results are those of single steps up to
/// rounding.
template <typename Number>
class ComposedLevels
{
public:
  using Vector = adamant::Vector<Number>;

  /// Of levels on one rank whose values do not change on the device, the coarsest first; `smoothing` of those above it.
  /// `worth`: MultigridOptions::entries_of_an_operation.
  ComposedLevels(const Device &device, const std::vector<LevelData> &levels,
                 const std::vector<ComposedSmoothing> &smoothing, int worth);

  /// Takes over the values that the levels' matrices have now.
  void update(const std::vector<ComposedSmoothing> &smoothing);

  /// The vector from which `vmult` takes b without a copy.
  Vector input() const { return array.part(0, levels.back().matrix->n_rows); }
  /// A V-cycle from a zero guess; the result, a part of the array, until the next call.
  const Vector &vmult(const Vector &b, CoarseSolver<Number> &coarse_solver);

private:
  struct Product
  {
    Matrix<Number> matrix; // of the array
    Vector         to;     // a part of it
  };

  Device                 device;
  std::vector<LevelData> levels;
  int                    worth;
  Vector                 array;
  Vector                 coarse_b, coarse_x; // parts of it
  std::vector<Product>   before, after;      // the coarse solver
};
} // namespace adamant
