#include "operators/block_operator.h"

#include "base/exceptions.h"

#include <algorithm>
#include <string>

namespace adamant
{
namespace
{
std::string place(std::size_t i, std::size_t j)
{
  return "block (" + std::to_string(i) + ", " + std::to_string(j) + ")";
}

// The sizes of block rows and columns, from the blocks that are there.
void find_sizes(const BlockOperator::Rows &rows, std::vector<int> &n_rows, std::vector<int> &n_cols)
{
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[i].size(); ++j)
      if (const LinearOperator *block = rows[i][j]; block != nullptr)
        {
          const auto agree = [&](int &known, int size, const char *what) {
            if (known >= 0 && known != size)
              throw RunError("block operator: " + place(i, j) + " has " + std::to_string(size) + " " + what +
                             ", others beside it " + std::to_string(known));
            known = size;
          };
          agree(n_rows[i], block->n_rows(), "rows");
          agree(n_cols[j], block->n_cols(), "columns");
        }
}
} // namespace

BlockOperator::BlockOperator(Rows rows_, const Blocks &layout)
  : rows(std::move(rows_))
{
  const std::size_t width = rows.empty() ? 0 : rows[0].size();
  for (const auto &row : rows)
    if (row.size() != width)
      throw RunError("block operator: its rows have different numbers of blocks");
  std::vector<int> n_rows(rows.size(), -1), n_cols(width, -1);
  for (int i = 0; i < layout.n(); ++i)
    n_rows[i] = n_cols[i] = layout.size(i);
  find_sizes(rows, n_rows, n_cols);
  for (const auto *sizes : {&n_rows, &n_cols})
    if (std::count(sizes->begin(), sizes->end(), -1) > 0)
      throw RunError("block operator: a row or a column has zero blocks only, so that its size is unknown");
  row_blocks    = Blocks(n_rows);
  column_blocks = Blocks(n_cols);
}

void BlockOperator::multiply(double a, const Vector<double> &x, double b, Vector<double> &y) const
{
  for (int i = 0; i < row_blocks.n(); ++i)
    {
      Vector<double> y_i   = row_blocks.of(y, i);
      double         b_i   = b;
      bool           empty = true;
      for (int j = 0; j < column_blocks.n(); ++j)
        if (rows[i][j] != nullptr)
          {
            rows[i][j]->multiply(a, column_blocks.of(x, j), b_i, y_i);
            b_i   = 1.;
            empty = false;
          }
      if (empty && b == 0.)
        y_i.set_zero();
      else if (empty)
        y_i.device().scale(b, y_i);
    }
}

bool BlockOperator::recordable() const
{
  return std::all_of(rows.begin(), rows.end(), [](const auto &row) {
    return std::all_of(row.begin(), row.end(),
                       [](const auto *block) { return block == nullptr || block->recordable(); });
  });
}
} // namespace adamant
