#pragma once

#include "algebra/device.h"

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
} // namespace adamant
