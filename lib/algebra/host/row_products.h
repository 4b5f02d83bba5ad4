#pragma once

#include "algebra/device_interface.h"
#include "algebra/host/ghosts.h"

#include <memory>

namespace adamant::host
{
/// A matrix on the host whose rows for_each_row visits: it computes the products of some rows at a time.
template <typename Number>
class RowProducts : public MatrixStorage<Number>
{
public:
  static constexpr int lanes          = 64 / sizeof(Number); ///< rows of a slice: one AVX-512 register, two of AVX2
  static constexpr int slices_at_once = 4;

  explicit RowProducts(int n_threads)
    : n_threads(n_threads)
  {}

  void multiply(Number a, const Number *x, Number b, Number *y) const override;

  /// Sets sums[i - first] = (A x)_i for first <= i < end, over the columns that this rank owns. The rows are whole
  /// slices of `lanes` nodes of block_rows rows, but at the end of the matrix.
  virtual void products(int first, int end, const Number *x, Number *sums) const = 0;
  /// Returns whether these rows, of whole slices, have no entries.
  virtual bool empty(int /*first*/, int /*end*/) const { return false; }

  int block_rows = 1; ///< rows whose products are computed together: m of dense blocks; 1 where nodes have none
  int n_threads;

  std::unique_ptr<Ghosts<Number>> ghosts;  ///< the entries in columns of other ranks; null: there are none
  mutable Array<Number>           scratch; ///< entries that a functor computes, before the product
};
} // namespace adamant::host
