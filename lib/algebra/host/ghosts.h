#pragma once

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

  int          n_owned() const { return plan->n_owned; }
  std::int64_t n_entries() const { return row_start.back(); }

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
} // namespace adamant::host
