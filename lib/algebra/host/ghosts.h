#pragma once

#include "base/csr_matrix.h"
#include "base/exchange_plan.h"

#include <utility>

namespace adamant
{
namespace host
{
/// The entries of a matrix in the columns that other ranks own, in compressed rows, and the exchange of what they
/// multiply: while the messages travel, the rows without such entries are computed.
template <typename Number>
class Ghosts
{
public:
  explicit Ghosts(const CSRMatrix<double> &source)
    : plan(source.ghosts)
    , exchange(*plan)
  {
    CSRMatrix<double> block = ghost_block(source);
    row_start               = std::move(block.row_start);
    column                  = std::move(block.column);
    value.assign(block.value.begin(), block.value.end());
  }

  int n_owned() const { return plan->n_owned; }

  void start(const Number *x) { exchange.start(x); }
  void finish() { values = exchange.finish(); }

  bool reach(int first, int end) const { return row_start[first] != row_start[end]; } ///< the rows first .. end - 1

  /// sums[i - first] += (G g)_i, g the ghosts' values.
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
} // namespace host
} // namespace adamant
