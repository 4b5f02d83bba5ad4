#pragma once

#include "algebra/matrix.h"
#include "algebra/vector.h"
#include "base/exchange_plan.h"

#include <memory>

namespace adamant
{
/// Makes and fills vectors with ghosts, for functors that read entries of neighbouring ranks. Such a vector holds the
/// owned entries, then the ghosts of an exchange plan. A product with a matrix of ones fetches the ghosts, so that each
/// device exchanges them in its own way.
class GhostValues
{
public:
  GhostValues() = default;
  /// `plan` is the exchange plan of the columns of a matrix or of the DoFs of a space. On one rank it is null, as there
  /// are no ghosts.
  GhostValues(const Device &device, const std::shared_ptr<const ExchangePlan> &plan, int n_owned);

  Vector<double> vector() const; ///< returns zeros for owned entries and ghosts

  /// Fills the ghosts of x with the values of their owners. All ranks call it together.
  void fill(Vector<double> &x) const;
  /// Returns a copy of the owned entries x, followed by their ghosts; on one rank the result shares the memory of x.
  /// All ranks call it together.
  Vector<double> with_ghosts(const Vector<double> &x) const;

private:
  Device         device;
  int            n_owned = 0, n_ghosts = 0;
  bool           several_ranks = false;
  Matrix<double> pick; // row k has a one in the column of ghost k
};
} // namespace adamant
