#pragma once

#include "multigrid/composed_levels.h"

#include <cstddef>
#include <memory>
#include <ostream>
#include <vector>

namespace adamant
{
/// Applies R = Pᵀ on a device, from the rows of a level to the rows of the next coarser one. Where the coarser level is
/// on fewer ranks, ranks send sums of residuals instead of residuals. These are about a quarter as many numbers in 2D,
/// and an eighth in 3D. Each rank forms the sums over its own rows of P, and the owners of the coarser rows add up the
/// sums in the order of the ranks.
template <typename Number>
class Restriction
{
public:
  Restriction() = default;
  /// `level` has P and R. All ranks call it together. Unless `result` is empty, products are written there; it may be
  /// given on one rank only.
  Restriction(const Device &device, const LevelData &level, Vector<Number> result = {});

  /// Returns R r. The result is in a vector of the object, or in `result` of the constructor, until the next call.
  const Vector<Number> &vmult(const Vector<Number> &r);

  /// Returns how many numbers this rank sends in each product.
  std::size_t n_sent() const { return plan ? plan->sent.size() : 0; }

private:
  void sum_before_sending(const Device &device, const LevelData &level);

  Matrix<Number>                      R;                // where ranks send sums: Pᵀ of this rank's rows of P
  Vector<Number>                      result;           // of the product with R
  Vector<Number>                      owned, of_others; // parts of `result`: owned rows, and rows of other ranks
  Matrix<Number>                      sum;              // adds up the sums that other ranks have for the owned rows
  bool                                sums_first = false;
  std::shared_ptr<const ExchangePlan> plan;
};

/// A level of a V-cycle, above the lowest ones that ComposedLevels has.
template <typename Number>
struct CycleLevel
{
  using Vector = adamant::Vector<Number>;

  /// Makes P and R, then A, also where they are made on demand, and the smoother. Restricted residuals are written to
  /// `coarse_b`, unless it is empty.
  CycleLevel(const Device &device, LevelData data, const MultigridOptions &options, Vector coarse_b);

  void update() ///< takes over the values that the level has now
  {
    on.update();
    smoother->update();
  }

  Matrix<Number>                         P; ///< from the next lower level
  Restriction<Number>                    R;
  DeviceLevel<Number>                    on; ///< has A
  Vector                                 x, y, r;
  std::unique_ptr<LevelSmoother<Number>> smoother;
};

/// The V-cycle of Liebchen et al., Algorithm 1, on a hierarchy of levels (0 is the coarsest), in one precision. It is
/// built once, and `update` takes over new matrix values. It is not thread-safe: an object runs one `vmult` at a time.
template <typename Number>
class VCycle
{
public:
  using Vector = adamant::Vector<Number>;

  /// The V-cycle shares the matrices of `data`, the coarsest level first, and `update` reads them again. Throws
  /// InputError for numbers of steps or cycles that are too small.
  VCycle(const Device &device, const std::vector<LevelData> &data, const MultigridOptions &options);

  /// Takes over the values that the levels' matrices have now; patterns and transfers stay.
  void update();

  /// Returns the result of V-cycles for b from a zero guess; options.cycles is their number. The result is in a vector
  /// of the V-cycle until the next call.
  const Vector &vmult(const Vector &b) const;
  /// Returns a vector that `vmult` takes as b without copying it.
  Vector input() const;

  /// Returns the matrix of the finest level, in precision Number.
  const Matrix<Number> &matrix() const { return levels.empty() ? lowest.finest().A : levels.back().on.A; }
  int                   n_rows() const { return matrix().n_rows(); }
  std::size_t           n_levels() const { return lowest.n_levels() + levels.size(); }
  std::size_t           n_lowest_levels() const { return lowest.n_levels(); } ///< see ComposedLevels

  /// Prints a line for each level: the number of unknowns, and the coarse solver or, with Chebyshev, the eigenvalue.
  void print(std::ostream &out) const;

private:
  const Vector &cycle(std::size_t l, const Vector &b) const;

  Device                                  device;
  MultigridOptions                        options;
  mutable ComposedLevels<Number>          lowest; // run by their solver, without the steps of `cycle`
  mutable std::vector<CycleLevel<Number>> levels; // above the lowest ones, the coarsest first
  mutable Vector                          sum, r; // result and residual, where there are several cycles
};
} // namespace adamant
