// Products of a matrix by cells on the host. They go row by row, from the cells around each node.

#include "algebra/host/row_products.h"
#include "stokes/cells/cell_storage.h"

#include <algorithm>
#include <sstream>
#include <string>

namespace adamant::host
{
namespace
{
template <typename Number>
class CellStorage : public RowProducts<Number>
{
public:
  CellStorage(int n_threads, const CellMatrix &source)
    : RowProducts<Number>(n_threads)
    , coefficients(source.coefficients.size())
    , fixed(source.grid().fixed)
  {
    this->n_rows = this->n_cols = source.n_rows();
    this->node_size = this->block_rows = 3;
    for (int d = 0; d < 3; ++d)
      n_nodes[d] = source.grid().n_cells[d] + 1;
    for (int k = 0; k < 24 * 24; ++k)
      local[k / 24][k % 24] = static_cast<Number>(source.grid().local[k]);
    update_from(source);
  }

  void        products(int first, int end, const Number *x, Number *sums) const override;
  void        update_from(const RowlessMatrix &source) final;
  std::size_t bytes() const override { return coefficients.size() * (sizeof(Number) + 1) + sizeof(*this); }
  std::string format() const override
  {
    std::ostringstream text;
    text << this->n_rows << " x " << this->n_cols << ", by cells, " << 1e-6 * bytes() << " MB";
    return text.str();
  }

private:
  int                  n_nodes[3];
  Number               local[24][24];
  Array<Number>        coefficients;
  Array<unsigned char> fixed;
};

template <typename Number>
void CellStorage<Number>::update_from(const RowlessMatrix &source)
{
  const double *from = dynamic_cast<const CellMatrix &>(source).coefficients.data();
  std::transform(from, from + coefficients.size(), coefficients.data(),
                 [](double value) { return static_cast<Number>(value); });
}

template <typename Number>
void CellStorage<Number>::products(int first, int end, const Number *x, Number *sums) const
{
  const int stride[3] = {1, n_nodes[0], n_nodes[0] * n_nodes[1]};
  for (int node = first / 3; 3 * node < end; ++node, sums += 3)
    {
      const int at[3]  = {node % n_nodes[0], node / stride[1] % n_nodes[1], node / stride[2]};
      Number    sum[3] = {};
      for (int a = 0; a < 8; ++a)
        {
          const int corner = vertex_0(node, at, a, n_nodes);
          if (corner < 0)
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
} // namespace

template <typename Number>
std::shared_ptr<MatrixStorage<Number>> make_cell_storage(int n_threads, const CellMatrix &source)
{
  return std::make_shared<CellStorage<Number>>(n_threads, source);
}

template std::shared_ptr<MatrixStorage<double>> make_cell_storage(int, const CellMatrix &);
template std::shared_ptr<MatrixStorage<float>>  make_cell_storage(int, const CellMatrix &);
} // namespace adamant::host
