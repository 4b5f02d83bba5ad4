#pragma once

#include "algebra/matrix.h"
#include "algebra/vector.h"
#include "base/exchange_plan.h"

#include <memory>

namespace adamant
{
/// Vectors with entries of other ranks, for functors that read those of neighbours: the owned entries, then the ghosts
/// of a plan. A product with a matrix of ones fetches them, so that each device exchanges them in its own way.
class GhostValues
{
public:
  GhostValues() = default;
  /// `plan` is that of the columns of a matrix, or of a space's DoFs; null on one rank, where nothing is to be done.
  GhostValues(const Device &device, const std::shared_ptr<const ExchangePlan> &plan, int n_owned);

  Vector<double> vector() const; ///< zeros: owned entries and ghosts

  /// The ghosts of x from their owners. All ranks call it together, as the following.
  void fill(Vector<double> &x) const;
  /// The owned entries with their ghosts: a copy, but on one rank x itself.
  Vector<double> with_ghosts(const Vector<double> &x) const;

private:
  Device         device;
  int            n_owned = 0, n_ghosts = 0;
  bool           several_ranks = false;
  Matrix<double> pick; // row k has a one in the column of ghost k
};
} // namespace adamant
