// Products of a matrix by cells on the GPU beside those of the same matrix in rows: n x n x n cells whose coefficients
// all differ, the local matrix that of ∫ 2 ε(u) : ε(v), nothing prescribed.

#include "algebra/cell_matrix.h"
#include "parts.h"

#include <cmath>
#include <cstdlib>
#include <random>

namespace
{
Array<double> local_matrix()
{
  Array<double> K(24 * 24, 0.);
  for (int q = 0; q < 8; ++q)
    {
      double gradient[8][3];
      for (int a = 0; a < 8; ++a)
        for (int d = 0; d < 3; ++d)
          {
            gradient[a][d] = 1.;
            for (int e = 0; e < 3; ++e)
              {
                const double at = 0.5 + (q >> e & 1 ? 0.5 : -0.5) / std::sqrt(3.), far = a >> e & 1;
                gradient[a][d] *= e == d ? 2. * far - 1. : far * at + (1. - far) * (1. - at);
              }
          }
      for (int i = 0; i < 24; ++i)
        for (int j = 0; j < 24; ++j)
          {
            const double *v = gradient[i / 3], *u = gradient[j / 3];
            K[24 * i + j] += (v[j % 3] * u[i % 3] + (i % 3 == j % 3) * (v[0] * u[0] + v[1] * u[1] + v[2] * u[2])) / 8.;
          }
    }
  return K;
}

template <typename Number>
void measure(const Device &device, const CellMatrix &cells, const CSRMatrix<double> &rows)
{
  const int                  n = rows.n_rows;
  const Array<double>        ones(n, 1.);
  Vector<Number>             D(device, 3 * n), x(device, ones), y(device, n), b(device, ones), d(device, ones);
  const JacobiUpdate<Number> update(Number(0.5), Number(0.5), D.data(), b.data(), x.data(), d.data(), d.data(),
                                    y.data());
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
      CellGrid  grid{{{n, n, n}}, local_matrix(), {}};
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
