// cell_parts N...: measures products of a matrix by cells on the GPU beside products of the same matrix in rows. There
// are N x N x N cells, or, for a negative N, 8³ cells that are refined -N times at a face. All coefficients differ.
// The local matrix is that of ∫ 2 ε(u) : ε(v), then with a coefficient of ∫ div u div v, too. Nothing is prescribed.

#include "cells/cell_matrix.h"
#include "parts.h"
#include "support/box_cell.h"

#include <cmath>
#include <cstdlib>
#include <random>

namespace
{
// Cubes of which all that touch z = 0 are refined, again and again: two layers of the smallest ones, then one layer of
// each size, and seven of the largest. Where sizes meet, the nodes that larger cells lack hang.
CellMesh refined_at_a_face(int levels)
{
  CellMesh mesh;
  mesh.local     = test::box_cell_matrix({1., 1., 1.}, 1., 0.);
  const int side = 8 << levels;
  // Nodes of a plane, every `size` units; in the middle of larger cells' edges and faces they hang.
  const auto add_plane = [&](int z, int size, bool hang) {
    const int  first = static_cast<int>(mesh.fixed.size()), n = side / size + 1;
    const auto node = [&](int x, int y) { return first + x + n * y; };
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x)
        {
          mesh.position.push_back({{x * size, y * size, z}});
          const bool hangs = hang && (x % 2 == 1 || y % 2 == 1);
          mesh.fixed.push_back(hangs ? 7 : 0);
          mesh.hanging.start.push_back(static_cast<int>(mesh.hanging.master.size()));
          for (int b = -(y % 2); hangs && b <= y % 2; b += 2)
            for (int a = -(x % 2); a <= x % 2; a += 2)
              {
                mesh.hanging.master.push_back(node(x + a, y + b));
                mesh.hanging.weight.push_back(x % 2 == 1 && y % 2 == 1 ? 0.25 : 0.5);
              }
        }
    return first;
  };
  int below = add_plane(0, 1, false), size_below = 1; // the plane's first node and the distance of its nodes
  for (int level = levels, z = 0; level >= 0; --level)
    for (int layer = 0; layer < (level == levels ? 2 : level == 0 ? 7 : 1); ++layer)
      {
        const int  size = 1 << (levels - level);
        const bool last = layer + 1 == (level == levels ? 2 : 1) && level > 0;
        const int  n = side / size, above = add_plane(z += size, size, last);
        const auto at = [&](int plane, int size_of_plane, int x, int y) {
          const int step = size / size_of_plane;
          return plane + x * step + (side / size_of_plane + 1) * y * step;
        };
        for (int y = 0; y < n; ++y)
          for (int x = 0; x < n; ++x)
            {
              mesh.scale.push_back(size);
              for (int a = 0; a < 8; ++a)
                {
                  const int i = x + (a & 1), j = y + (a >> 1 & 1);
                  mesh.nodes.push_back(a < 4 ? at(below, size_below, i, j) : at(above, size, i, j));
                }
            }
        below      = above;
        size_below = size;
      }
  mesh.hanging.start.push_back(static_cast<int>(mesh.hanging.master.size()));
  return mesh;
}

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
      const int n   = std::atoi(argv[i]);
      CellMesh grid = n < 0 ? refined_at_a_face(-n) : grid_of({{n, n, n}}, test::box_cell_matrix({1., 1., 1.}, 1., 0.));
      for (const int n_coefficients : {1, 2})
        {
          if (n_coefficients == 2)
            for (const double entry : test::box_cell_matrix({1., 1., 1.}, 0., 1.))
              grid.local.push_back(entry);
          CellMatrix                 cells(device, grid);
          std::mt19937               generator(1);
          std::normal_distribution<> normal;
          for (int k = 0; k < n_coefficients; ++k)
            {
              Array<double> coefficients(grid.n_cells());
              for (double &value : coefficients)
                value = std::exp(2. * normal(generator));
              cells.set(Vector<double>(device, coefficients), k);
            }
          std::printf(n < 0 ? "-- %d refinements, %d cells, %d nodes" : "-- %d^3 cells (%d), %d nodes", std::abs(n),
                      grid.n_cells(), grid.n_nodes());
          std::printf(", %d a cell\n", n_coefficients);
          const auto rows = cells.rows();
          measure<float>(device, cells, rows);
          measure<double>(device, cells, rows);
        }
    }
}
