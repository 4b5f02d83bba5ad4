#include "stokes/cells/cell_matrix.h"

#include "algebra/host/row_products.h"
#include "base/csr/csr_operations.h"
#include "base/exceptions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <sstream>
#include <utility>

namespace adamant
{
namespace
{
// The sign of vertex a in mode m.
int sign(int a, int m)
{
  int result = 1;
  for (int d = 0; d < 3; ++d)
    if (m >> d & 1 && !(a >> d & 1))
      result = -result;
  return result;
}

// Entry (c, m), (d, n) of K between modes.
double between_modes(const CellGrid &grid, int c, int m, int d, int n)
{
  double sum = 0.;
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < 8; ++b)
      sum += sign(a, m) * grid.local[(3 * a + grid.along[c]) * 24 + 3 * b + grid.along[d]] * sign(b, n);
  return sum / 64.;
}

int partner(int c, int d, int m)
{
  return m ^ (1 << c) ^ (1 << d);
}

CellMatrixView view_of(const CellMatrix &matrix)
{
  CellMatrixView view{{}, matrix.coefficients.data(), matrix.fixed().data(), {}};
  for (int d = 0; d < 3; ++d)
    view.n_nodes[d] = matrix.grid().n_cells[d] + 1;
  for (int a = 0; a < 8; ++a)
    for (int k = 0; k < 9; ++k)
      view.blocks[a][k] = matrix.grid().local[(3 * a + k / 3) * 24 + 3 * a + k % 3];
  return view;
}

// Products on the host go row by row, from the cells around each node.
template <typename Number>
class HostStorage : public host::RowProducts<Number>
{
public:
  HostStorage(int n_threads, const CellMatrix &source)
    : host::RowProducts<Number>(n_threads)
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

  void products(int first, int end, const Number *x, Number *sums) const override
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

  void update_from(const RowlessMatrix &source) final
  {
    const double *from = dynamic_cast<const CellMatrix &>(source).coefficients.data();
    std::transform(from, from + coefficients.size(), coefficients.data(),
                   [](double value) { return static_cast<Number>(value); });
  }

  std::size_t bytes() const override { return coefficients.size() * (sizeof(Number) + 1) + sizeof(*this); }
  std::string format() const override { return cells_format(this->n_rows, bytes()); }

private:
  int                  n_nodes[3];
  Number               local[24][24];
  Array<Number>        coefficients;
  Array<unsigned char> fixed;
};

template <typename Number>
std::shared_ptr<MatrixStorage<Number>> storage_on(const Device &device, const CellMatrix &matrix)
{
  if (device.matrix_format() == MatrixFormat::cusparse)
    throw RunError("Matrix format = cusparse has no matrices by cells");
  if constexpr (built_with_cuda)
    if (device.traits().kernels)
      return cuda::make_cell_storage<Number>(device.interface(), matrix);
  return std::make_shared<HostStorage<Number>>(device.interface().n_threads(), matrix);
}

template <typename Number>
void invert_blocks(const CellMatrix &matrix, int node_size, Vector<Number> &inverse)
{
  inverse.device().for_each(matrix.grid().n_nodes(),
                            InvertCellBlocks<Number>{view_of(matrix), node_size, inverse.data()});
}
} // namespace

std::string cells_format(int n_rows, std::size_t bytes)
{
  std::ostringstream text;
  text << n_rows << " x " << n_rows << ", by cells, " << 1e-6 * bytes << " MB";
  return text.str();
}

bool CellMatrix::can_be_made(const CellGrid &grid)
{
  if (grid.local.size() != 24 * 24)
    return false;
  double rest = 0., largest = 0.;
  for (int c = 0; c < 3; ++c)
    for (int m = 0; m < 8; ++m)
      for (int d = 0; d < 3; ++d)
        for (int n = 0; n < 8; ++n)
          {
            const double entry       = std::abs(between_modes(grid, c, m, d, n));
            const bool   taken       = c == d ? m == n : CellModes<double>::couples(c, d, m) && n == partner(c, d, m);
            (taken ? largest : rest) = std::max(taken ? largest : rest, entry);
          }
  return rest <= 1e-11 * largest; // coordinates are rounded
}

CellMatrix::CellMatrix(const Device &device, CellGrid grid)
  : grid_(std::move(grid))
  , fixed_(device, grid_.fixed)
  , first_node(device, grid_.first_node)
{
  to_index(3 * grid_.fixed.size(), "rows of a matrix by cells");
  if (!can_be_made(grid_) || grid_.fixed.size() != static_cast<std::size_t>(grid_.n_nodes()))
    throw RunError("a matrix by cells: the matrix of a cell is none of even and odd functions, or sizes do not fit");
  coefficients = Vector<double>(device, grid_.n_nodes());
  for (int c = 0; c < 3; ++c)
    for (int m = 0; m < 8; ++m)
      {
        modes_.same[c][m] = between_modes(grid_, c, m, c, m);
        for (int d = 0; d < 3; ++d)
          modes_.other[c][d][m] = modes_.couples(c, d, m) ? between_modes(grid_, c, m, d, partner(c, d, m)) : 0.;
      }
}

void CellMatrix::set(const Vector<double> &of_cells)
{
  if (of_cells.size() != first_node.size())
    throw RunError("a matrix by cells was made without its cells' first nodes, or has another number of cells");
  of_cells.device().for_each(first_node.size(), ToFirstNodes{first_node.data(), of_cells.data(), coefficients.data()});
}

CSRMatrix<double> CellMatrix::rows() const
{
  const auto  k        = to_host(coefficients);
  const auto &n        = grid_.n_cells;
  const int   nodes[3] = {n[0] + 1, n[1] + 1, n[2] + 1}, stride[3] = {1, nodes[0], nodes[0] * nodes[1]};
  const auto  is_fixed = [&](int node, int c) { return (grid_.fixed[node] >> c & 1) != 0; };
  return matrix_of_rows(n_rows(), n_rows(), [&](int i, Row &row) {
    const int node = i / 3, c = i % 3, at[3] = {node % nodes[0], node / stride[1] % nodes[1], node / stride[2]};
    std::map<int, std::array<double, 3>> entries; // by the other node
    for (int a = 0; a < 8; ++a)
      if (const int first = vertex_0(node, at, a, nodes); first >= 0)
        for (int b = 0; b < 8; ++b)
          {
            auto &entry = entries[first + (b & 1) + (b >> 1 & 1) * stride[1] + (b >> 2) * stride[2]];
            for (int d = 0; d < 3; ++d)
              entry[d] += k[first] * grid_.local[(3 * a + c) * 24 + 3 * b + d];
          }
    for (const auto &[other, entry] : entries)
      for (int d = 0; d < 3; ++d)
        row.emplace_back(3 * other + d, is_fixed(node, c) || is_fixed(other, d) ? other == node && c == d : entry[d]);
  });
}

std::shared_ptr<MatrixStorage<double>> CellMatrix::make_storage(const Device &device, double) const
{
  return storage_on<double>(device, *this);
}

std::shared_ptr<MatrixStorage<float>> CellMatrix::make_storage(const Device &device, float) const
{
  return storage_on<float>(device, *this);
}

void CellMatrix::invert_diagonal(int node_size, Vector<double> &inverse) const
{
  invert_blocks(*this, node_size, inverse);
}

void CellMatrix::invert_diagonal(int node_size, Vector<float> &inverse) const
{
  invert_blocks(*this, node_size, inverse);
}
} // namespace adamant
