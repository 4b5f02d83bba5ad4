#include "algebra/host/cell_products.h"

#include "algebra/host/sparse_matrix.h"

#include <algorithm>

namespace adamant
{
namespace host
{
template <typename Number>
CellProducts<Number>::CellProducts(const CellMatrix &cells)
  : coefficients(cells.coefficients.size())
  , fixed(cells.grid().fixed)
{
  for (int d = 0; d < 3; ++d)
    n_nodes[d] = cells.grid().n_cells[d] + 1;
  for (int k = 0; k < 24 * 24; ++k)
    local[k / 24][k % 24] = static_cast<Number>(cells.grid().local[k]);
  update(cells);
}

template <typename Number>
void CellProducts<Number>::update(const CellMatrix &cells)
{
  std::transform(cells.coefficients.data(), cells.coefficients.data() + coefficients.size(), coefficients.data(),
                 [](double value) { return static_cast<Number>(value); });
}

template <typename Number>
void CellProducts<Number>::multiply(int first, int end, const Number *x, Number *sums) const
{
  const int stride[3] = {1, n_nodes[0], n_nodes[0] * n_nodes[1]};
  for (int node = first / 3; 3 * node < end; ++node, sums += 3)
    {
      const int at[3]  = {node % n_nodes[0], node / stride[1] % n_nodes[1], node / stride[2]};
      Number    sum[3] = {};
      for (int a = 0; a < 8; ++a) // the node is vertex a of the cell
        {
          bool exists = true;
          int  corner = node;
          for (int d = 0; d < 3; ++d)
            {
              exists = exists && (a >> d & 1 ? at[d] > 0 : at[d] < n_nodes[d] - 1);
              corner -= (a >> d & 1) * stride[d];
            }
          if (!exists)
            continue;
          Number of_cell[3] = {};
          for (int b = 0; b < 8; ++b)
            {
              const int other = corner + (b & 1) + (b >> 1 & 1) * stride[1] + (b >> 2) * stride[2];
              for (int d = 0; d < 3; ++d)
                {
                  const Number value = fixed[other] >> d & 1 ? Number(0) : x[3 * other + d];
                  for (int c = 0; c < 3; ++c)
                    of_cell[c] += local[3 * a + c][3 * b + d] * value;
                }
            }
          for (int c = 0; c < 3; ++c)
            sum[c] += coefficients[corner] * of_cell[c];
        }
      for (int c = 0; c < 3; ++c)
        sums[c] = fixed[node] >> c & 1 ? x[3 * node + c] : sum[c];
    }
}

template struct CellProducts<double>;
template struct CellProducts<float>;
} // namespace host
} // namespace adamant
