#pragma once

#include "algebra/device_interface.h"
#include "base/csr/csr_matrix.h"
#include "base/exchange_plan.h"

#include <memory>

namespace adamant::host
{
/// The entries of a matrix in the columns that other ranks own, in compressed rows, and the exchange of the vector's
/// ghosts that they multiply. While the messages travel, the rows without such entries are computed.
template <typename Number>
class Ghosts
{
public:
  /// Takes the entries from `rows`, where the columns of ghosts come last.
  Ghosts(const std::shared_ptr<const ExchangePlan> &plan, RowsView rows)
    : plan(plan)
    , exchange(*plan)
    , row_start(rows.n_rows + 1, 0)
  {
    rows.first_ghost = plan->n_owned;
    for (int i = 0; i < rows.n_rows; ++i)
      {
        for (auto k = rows.end(i); k < rows.row_start[i + 1]; ++k)
          column.push_back(rows.column[k] - plan->n_owned);
        row_start[i + 1] = column.size();
      }
    value.resize(column.size());
    take_values(rows);
  }

  /// Takes new values, on the present pattern.
  void take_values(const RowsView &rows)
  {
    for (int i = 0; i < rows.n_rows; ++i)
      for (auto k = row_start[i]; k < row_start[i + 1]; ++k)
        value[k] = static_cast<Number>(rows.value[rows.row_start[i + 1] - row_start[i + 1] + k]);
  }

  int  n_owned() const { return plan->n_owned; }
  bool are_of(const std::shared_ptr<const ExchangePlan> &other) const { return plan == other; }

  void start(const Number *x) { exchange.start(x); }
  void finish() { values = exchange.finish(); }

  bool reach(int first, int end) const { return row_start[first] != row_start[end]; } ///< whether rows have ghosts

  /// Adds (G g)_i to sums[i - first], where G is this matrix and g are the ghosts' values.
  void add(int first, int end, Number *sums) const
  {
    for (int i = first; i < end; ++i)
      for (auto k = row_start[i]; k < row_start[i + 1]; ++k)
        sums[i - first] += value[k] * values[column[k]];
  }

private:
  std::shared_ptr<const ExchangePlan> plan;
  GhostExchange<Number>               exchange;
  const Number                       *values = nullptr;
  Array<std::int64_t>                 row_start;
  Array<int>                          column;
  Array<Number>                       value;
};

/// A matrix on the host whose rows for_each_row visits: it computes the products of some rows at a time.
template <typename Number>
class RowProducts : public MatrixStorage<Number>
{
public:
  static constexpr int lanes          = 64 / sizeof(Number); ///< rows of a slice: one AVX-512 register, two of AVX2
  static constexpr int slices_at_once = 4;
  static constexpr int group_slices   = 16; ///< whose nodes are ordered together

  explicit RowProducts(int n_threads)
    : n_threads(n_threads)
  {}

  void multiply(Number a, const Number *x, Number b, Number *y) const override;

  /// Sets sums[i - first] = (A x)_i for first <= i < end, over the columns that this rank owns. The rows are whole
  /// slices of `lanes` nodes of block_rows rows, but at the end of the matrix. Where it is `reordered`, they are whole
  /// groups of group_slices slices.
  virtual void products(int first, int end, const Number *x, Number *sums) const = 0;
  /// Returns whether these rows, of whole slices, have no entries.
  virtual bool empty(int /*first*/, int /*end*/) const { return false; }

  bool reordered  = false; ///< whether products need whole groups
  int  block_rows = 1;     ///< rows whose products are computed together: m of dense blocks; 1 where nodes have none
  int  n_threads;

  std::unique_ptr<Ghosts<Number>> ghosts;  ///< the entries in columns of other ranks; null: there are none
  mutable Array<Number>           scratch; ///< entries that a functor computes, before the product
};
} // namespace adamant::host
