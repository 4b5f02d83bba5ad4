#pragma once

#include "multigrid/level_data.h"

namespace adamant
{
/// R = Pᵀ on a device, from the rows of a level to those of the next coarser one. Where the coarser level is on fewer
/// ranks, its sums of residuals travel instead of the residuals, about a quarter as many numbers in two dimensions and
/// an eighth in three: each rank sums what its own rows of P give, and owners add that up in the order of the ranks.
template <typename Number>
class Restriction
{
public:
  Restriction() = default;
  /// Of a level with P and R. All ranks call it together. Unless it is empty, `result` is where the result goes; on one
  /// rank.
  Restriction(const Device &device, const LevelData &level, Vector<Number> result = {});

  /// R r; a vector of its own, or the given one, holds the result until the next call.
  const Vector<Number> &vmult(const Vector<Number> &r);

  /// What this rank sends to others in each product.
  std::size_t n_messages() const { return plan ? plan->sends.size() : 0; }
  std::size_t n_sent() const { return plan ? plan->sent.size() : 0; } ///< numbers

private:
  void sum_before_sending(const Device &device, const LevelData &level);

  Matrix<Number>                      R;                // or Pᵀ of this rank's rows of P
  Vector<Number>                      result;           // of R
  Vector<Number>                      owned, of_others; // parts of it
  Matrix<Number>                      sum;              // adds up what other ranks have for the owned rows
  bool                                sums_first = false;
  std::shared_ptr<const ExchangePlan> plan;
};
} // namespace adamant
