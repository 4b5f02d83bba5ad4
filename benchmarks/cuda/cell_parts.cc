// Measures products of a matrix by cells on the GPU beside products of the same matrix in rows. There are n x n x n
// cells whose coefficients all differ. The local matrix is that of ∫ 2 ε(u) : ε(v), and nothing is prescribed.

#include "parts.h"
#include "stokes/cells/cell_matrix.h"
#include "support/box_cell.h"

#include <cmath>
#include <cstdlib>
#include <random>

namespace
{
template <typename Number>
void measure(const Device &device, const CellMatrix &cells, const CSRMatrix<double> &rows)
{
  const int                  n = rows.n_rows;
  const Array<double>        ones(n, 1.);
  Vector<Number>             D(device, 3 * n), x(device, ones), y(device, n), b(device, ones), d(device, ones);
  const JacobiUpdate<Number> update{Number(0.5), Number(0.5), D.data(), b.data(),
                                    x.data(),    d.data(),    d.data(), y.data()};
  for (const bool by_cells : {false, true})
    {
      const Matrix<Number> A = by_cells ? Matrix<Number>(device, cells) : Matrix<Number>(device, rows, 3);
      std::printf("%s: %s\n", sizeof(Number) == 4 ? "float" : "double", A.format().c_str());
      line("A x", seconds(device, [&] { device.multiply(Number(1), A, x, Number(0), y); }));
      line("residual", seconds(device, [&] { device.residual(A, x, b, y); }));
      line("a step of Chebyshev by node blocks",
           seconds(device, [&] { device.for_each_row(A, x, NodeJacobiStep<Number>(3, n / 3, update)); }));
    }
}
} // namespace

int main(int argc, char **argv)
{
  const Device device = Device::cuda();
  std::printf("%s, copy %.2f TB/s\n", device.name().c_str(), 1e-12 * device.interface().copy_bandwidth());
  for (int i = 1; i < argc; ++i)
    {
      const int n = std::atoi(argv[i]);
      CellGrid  grid{{{n, n, n}}, test::box_cell_matrix({1., 1., 1.}, 1., 0.), {}};
      grid.fixed.assign(grid.n_nodes(), 0);
      CellMatrix                 cells(device, grid);
      Array<double>              coefficients(grid.n_nodes());
      std::mt19937               generator(1);
      std::normal_distribution<> normal;
      for (double &value : coefficients)
        value = std::exp(2. * normal(generator));
      cells.coefficients.upload(coefficients.data());
      std::printf("-- %d^3 cells\n", n);
      const auto rows = cells.rows();
      measure<float>(device, cells, rows);
      measure<double>(device, cells, rows);
    }
}
