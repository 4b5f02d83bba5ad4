#pragma once

#include "base/exchange_plan.h"
#include "multigrid/chebyshev.h"
#include "multigrid/options.h"
#include "operators/level_data.h"

#include <cstddef>
#include <memory>

namespace adamant
{
class HarmonicInterpolation;

/// Applies R = Pᵀ on a device, from the rows of a level to the rows of the next coarser one. Where the coarser level is
/// on fewer ranks, ranks send sums of residuals instead of residuals. These are about a quarter as many numbers in 2D,
/// and an eighth in 3D. Each rank forms the sums over its own rows of P, and the owners of the coarser rows add up the
/// sums in the order of the ranks.
template <typename Number>
class Restriction
{
public:
  Restriction() = default;
  /// `level` has P and R, or `following` has R. All ranks call it together. Unless `result` is empty, products are
  /// written there; it may be given on one rank only.
  Restriction(const Device &device, const LevelData &level, Vector<Number> result = {},
              const HarmonicInterpolation *following = nullptr);

  void update(const CompressedRows &transposed) { R.update(transposed); } ///< takes values of R that follow A

  /// Returns R r. The result is in a vector of the object, or in `result` of the constructor, until the next call.
  const Vector<Number> &vmult(const Vector<Number> &r);

  /// Returns how many numbers this rank sends in each product.
  std::size_t n_sent() const { return plan ? plan->sent.size() : 0; }

private:
  void sum_before_sending(const Device &device, const ExchangePlan &ghosts); // of P's columns

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
    interpolate({});
    smoother->update();
  }

  Matrix<Number>                         P; ///< from the next lower level
  Restriction<Number>                    R;
  DeviceLevel<Number>                    on; ///< has A
  Vector                                 x, y, r;
  std::unique_ptr<LevelSmoother<Number>> smoother;

private:
  void interpolate(Vector coarse_b); // makes or updates P and R where they follow A

  std::shared_ptr<HarmonicInterpolation> harmonic; // null: P stays, or A does not change on the device
};
} // namespace adamant
