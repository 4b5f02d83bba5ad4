#pragma once

#include "base/csr_matrix.h"
#include "base/exchange_plan.h"

namespace adamant
{
/// The entries of a matrix in the columns that other ranks own, in compressed rows, and the exchange of what they multiply:
/// while the messages travel, the rows without such entries are computed.
template <typename Number>
class HostGhosts
{
public:
  explicit HostGhosts(const CSRMatrix<double> &source)
    : plan(source.ghosts)
    , exchange(*plan)
  {
    row_start.resize(source.n_rows + 1);
    row_start[0] = 0;
    for (int i = 0; i < source.n_rows; ++i)
      {
        for (int k = source.row_start[i]; k < source.row_start[i + 1]; ++k)
          if (source.column[k] >= plan->n_owned)
            {
              column.push_back(source.column[k] - plan->n_owned);
              value.push_back(static_cast<Number>(source.value[k]));
            }
        row_start[i + 1] = static_cast<int>(column.size());
      }
  }

  void start(const Number *x) { exchange.start(x); }
  void finish() { values = exchange.finish(); }

  bool reach(int first, int end) const { return row_start[first] != row_start[end]; } ///< the rows first .. end - 1

  /// sums[i - first] += (G g)_i, g the ghosts' values.
  void add(int first, int end, Number *sums) const
  {
    for (int i = first; i < end; ++i)
      for (int k = row_start[i]; k < row_start[i + 1]; ++k)
        sums[i - first] += value[k] * values[column[k]];
  }

private:
  std::shared_ptr<const ExchangePlan> plan;
  GhostExchange<Number>               exchange;
  const Number                       *values = nullptr;
  Array<int>                          row_start, column;
  Array<Number>                       value;
};

/// The entries in the columns that this rank owns.
inline CSRMatrix<double> owned_block(const CSRMatrix<double> &source)
{
  CSRMatrix<double> owned;
  owned.n_rows = source.n_rows;
  owned.n_cols = source.ghosts->n_owned;
  owned.row_start.assign(source.n_rows + 1, 0);
  for (int i = 0; i < source.n_rows; ++i)
    for (int k = source.row_start[i]; k < source.row_start[i + 1]; ++k)
      owned.row_start[i + 1] += source.column[k] < owned.n_cols;
  finish_row_starts(owned);
  for (int i = 0; i < source.n_rows; ++i)
    // Columns ascend: the owned ones come first.
    for (int k = owned.row_start[i], from = source.row_start[i]; k < owned.row_start[i + 1]; ++k, ++from)
      {
        owned.column[k] = source.column[from];
        owned.value[k]  = source.value[from];
      }
  return owned;
}
} // namespace adamant
