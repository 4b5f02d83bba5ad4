#pragma once

#include "operators/block_vector.h"
#include "operators/linear_operator.h"

#include <vector>

namespace adamant
{
/// An operator of blocks A_ij: it maps x to (A x)_i = Σ_j A_ij x_j. A null pointer stands for a zero block.
class BlockOperator : public LinearOperator
{
public:
  using Rows = std::vector<std::vector<const LinearOperator *>>;

  /// The blocks have to outlive the operator. Every row and every column needs a block that is not null, unless the
  /// operator is square and `layout` gives the sizes of its blocks. Throws RunError where sizes do not fit together.
  explicit BlockOperator(Rows rows, const Blocks &layout = Blocks());

  int  n_rows() const override { return row_blocks.size(); }
  int  n_cols() const override { return column_blocks.size(); }
  void multiply(double a, const Vector<double> &x, double b, Vector<double> &y) const override;
  bool recordable() const override;

  const Blocks         &blocks_of_rows() const { return row_blocks; }
  const Blocks         &blocks_of_columns() const { return column_blocks; }
  const LinearOperator *block(int i, int j) const { return rows[i][j]; }

private:
  Rows   rows;
  Blocks row_blocks, column_blocks;
};
} // namespace adamant
