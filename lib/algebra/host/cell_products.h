#pragma once

#include "algebra/cell_matrix.h"

namespace adamant
{
namespace host
{
/// Products of a CellMatrix on the host. They go row by row, from the cells around each node.
template <typename Number>
struct CellProducts
{
  explicit CellProducts(const CellMatrix &cells);
  void update(const CellMatrix &cells);

  /// Sets sums[i - first] = (A x)_i for first <= i < end, the rows of whole nodes.
  void multiply(int first, int end, const Number *x, Number *sums) const;

  int                  n_nodes[3];
  Number               local[24][24];
  Array<Number>        coefficients;
  Array<unsigned char> fixed;
};
} // namespace host
} // namespace adamant
