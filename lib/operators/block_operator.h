#pragma once

#include "algebra/device.h"
#include "operators/linear_operator.h"

#include <vector>

namespace adamant
{
/// The sizes of the blocks that a vector consists of, stored one after the other.
class Blocks
{
public:
  Blocks() = default;
  explicit Blocks(const std::vector<int> &sizes)
  {
    for (const int n : sizes)
      begin.push_back(to_index(std::size_t(begin.back()) + n, "entries of a block vector"));
  }

  int n() const { return static_cast<int>(begin.size()) - 1; } ///< number of blocks
  int size() const { return begin.back(); }                    ///< of the whole vector
  int size(int i) const { return begin[i + 1] - begin[i]; }

  /// Returns block i of the vector x. The block shares the memory of x.
  Vector<double> of(const Vector<double> &x, int i) const { return x.part(begin[i], size(i)); }

private:
  std::vector<int> begin = {0};
};

/// A vector of blocks, such as (velocity, pressure), stored as one vector in device memory. Solvers work on `all`, with
/// one reduction for all blocks, and equations work on the single blocks.
class BlockVector
{
public:
  BlockVector() = default;
  /// Makes a vector of zeros.
  BlockVector(const Device &device, const Blocks &blocks)
    : all(device, blocks.size())
    , layout(blocks)
  {}

  Vector<double> block(int i) const { return layout.of(all, i); } ///< shares the memory of `all`
  const Blocks  &blocks() const { return layout; }

  Vector<double> all;

private:
  Blocks layout;
};

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
