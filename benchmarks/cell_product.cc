// Measures A u for -div(2 η ε(u)) in 3D, where η is a number in each cell. One product is by the rows of a matrix, as
// all programs take it. The other is by cells, A = Pᵀ (η ∘ K P): P goes from nodes to the 8 nodes of each cell, and K
// is the matrix of the unit cell. The cells' product here is the quickest that was found for one thread of the host. It
// takes 64 bytes of cells at once. It has K in the products of even and odd functions on a cell, with 36 entries
// instead of 576. Contributions of two planes of cells stay in the cache. The mesh is a cube of n³ cells without
// constraints; hanging and prescribed nodes cost more.
//
//   build/benchmarks/benchmark_cell_product [n]      prints medians of alternating runs, n = 48
#include "algebra/matrix.h"
#include "algebra/vector.h"
#include "base/csr/csr_matrix.h"
#include "support/box_cell.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <random>
#include <vector>

using namespace adamant;

namespace
{
// A cube of n³ unit cells. Vertex v of a cell is its upper one in direction d where bit d of v is set.
struct Cube
{
  int n;
  int side() const { return n + 1; }
  int n_nodes() const { return side() * side() * side(); }
  int n_cells() const { return n * n * n; }
  int node(int i, int j, int k) const { return i + side() * (j + side() * k); }
  int vertex(int cell, int v) const
  {
    return node(cell % n + (v & 1), cell / n % n + (v >> 1 & 1), cell / (n * n) + (v >> 2));
  }
};

using CellMatrix = std::array<std::array<double, 24>, 24>;

CellMatrix unit_cell()
{
  const auto values = test::box_cell_matrix({1., 1., 1.}, 1., 0.);
  CellMatrix K;
  for (int i = 0; i < 24; ++i)
    for (int j = 0; j < 24; ++j)
      K[i][j] = values[24 * i + j];
  return K;
}

CSRMatrix<double> assemble(const Cube &cube, const std::vector<double> &eta)
{
  const CellMatrix                                     K = unit_cell();
  CSRMatrix<double>                                    A;
  A.n_rows = A.n_cols = 3 * cube.n_nodes();
  std::vector<std::vector<int>> neighbours(cube.n_nodes());
  for (int cell = 0; cell < cube.n_cells(); ++cell)
    for (int v = 0; v < 8; ++v)
      for (int w = 0; w < 8; ++w)
        neighbours[cube.vertex(cell, v)].push_back(cube.vertex(cell, w));
  A.row_start.assign(A.n_rows + 1, 0);
  for (int i = 0; i < cube.n_nodes(); ++i)
    {
      auto &list = neighbours[i];
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
      for (int c = 0; c < 3; ++c)
        A.row_start[3 * i + c + 1] = 3 * list.size();
    }
  finish_row_starts(A);
  for (int row = 0; row < A.n_rows; ++row)
    for (std::size_t k = 0; k < 3 * neighbours[row / 3].size(); ++k)
      A.column[A.row_start[row] + k] = 3 * neighbours[row / 3][k / 3] + static_cast<int>(k % 3);
  std::fill(A.value.begin(), A.value.end(), 0.);
  for (int cell = 0; cell < cube.n_cells(); ++cell)
    for (int i = 0; i < 24; ++i)
      for (int j = 0; j < 24; ++j)
        {
          const int  row = 3 * cube.vertex(cell, i / 3) + i % 3, column = 3 * cube.vertex(cell, j / 3) + j % 3;
          const auto begin = A.column.begin() + A.row_start[row], end = A.column.begin() + A.row_start[row + 1];
          A.value[std::lower_bound(begin, end, column) - A.column.begin()] += eta[cell] * K[i][j];
        }
  return A;
}

template <typename Number>
class CellProduct
{
public:
  CellProduct(const Cube &cube, const std::vector<double> &eta)
    : cube(cube)
    , nodes(cube.n_cells() * 8)
    , places(cube.n_nodes() * 8, ring() * 24 * lanes) // where nothing is
    , eta(eta.begin(), eta.end())
    , contributions((ring() + 1) * 24 * lanes, Number(0))
  {
    for (int cell = 0; cell < cube.n_cells(); ++cell)
      for (int v = 0; v < 8; ++v)
        {
          const int batch = cell / lanes, lane = cell % lanes, node = cube.vertex(cell, v);
          nodes[(batch * 8 + v) * lanes + lane] = node;
          places[node * 8 + v]                  = (batch % ring() * 24 + 3 * v) * lanes + lane;
        }
    set_coefficients();
  }

  static constexpr int lanes = 64 / sizeof(Number);

  void multiply(const Number *x, Number *y)
  {
    const int batches = cube.n * cube.n / lanes, plane = cube.side() * cube.side();
    for (int k = 0; k <= cube.n; ++k)
      {
        for (int batch = k * batches; batch < (k + 1) * batches && k < cube.n; ++batch)
          multiply_cells(batch, x);
        for (int node = k * plane; node < (k + 1) * plane; ++node)
          add_up(node, y);
      }
  }

  std::size_t bytes() const // read and written, but what stays in the cache
  {
    return (nodes.size() + places.size()) * sizeof(int) + (eta.size() + 6 * cube.n_nodes()) * sizeof(Number);
  }

private:
  typedef Number Lanes __attribute__((vector_size(64)));

  int ring() const { return 3 * cube.n * cube.n / lanes; } // batches that are kept: those of three planes

  // K between even and odd functions: bit d of m says odd in direction d. Even ones are 1 for the sum of both ends' values
  // over two, odd ones x - 1/2 for their difference.
  void set_coefficients()
  {
    const auto square = [](int m, int d) { return m >> d & 1 ? 1. / 12. : 1.; };
    for (int m = 0; m < 8; ++m)
      for (int c = 0; c < 3; ++c)
        {
          double sum = 0., scale = 1.;
          for (int d = 0; d < 3; ++d)
            {
              scale *= m >> d & 1 ? 1. : 0.25;
              if (m >> d & 1)
                sum += (d == c ? 2. : 1.) * square(m, (d + 1) % 3) * square(m, (d + 2) % 3);
            }
          same[c][m] = static_cast<Number>(scale * sum);
        }
    other[0] = Number(1) / 16;
    other[1] = Number(1) / 48;
  }

  // to <- η K from, for the cells of a batch.
  void multiply_cells(int batch, const Number *x)
  {
    Lanes u[3][8], r[3][8], of_cells;
    std::memcpy(&of_cells, &eta[batch * lanes], sizeof(Lanes));
    for (int v = 0; v < 8; ++v)
      {
        alignas(64) Number gathered[3][lanes];
        const int         *node = &nodes[(batch * 8 + v) * lanes];
#pragma omp simd
        for (int lane = 0; lane < lanes; ++lane)
          for (int c = 0; c < 3; ++c)
            gathered[c][lane] = x[3 * node[lane] + c];
        for (int c = 0; c < 3; ++c)
          std::memcpy(&u[c][v], gathered[c], sizeof(Lanes));
      }
    for (auto &component : u)
      for (int bit = 1; bit < 8; bit *= 2)
        for (int m = 0; m < 8; ++m)
          if (!(m & bit))
            {
              const Lanes low = component[m], high = component[m | bit];
              component[m]       = low + high;
              component[m | bit] = high - low;
            }
    for (int c = 0; c < 3; ++c)
      for (int m = 0; m < 8; ++m)
        {
          r[c][m] = same[c][m] * u[c][m];
          for (int d = 0; d < 3; ++d)
            if (d != c && !(m >> c & 1) && (m >> d & 1))
              r[c][m] += other[m >> (3 - c - d) & 1] * u[d][m ^ (1 << c) ^ (1 << d)];
          r[c][m] *= of_cells;
        }
    Number *to = &contributions[batch % ring() * 24 * lanes];
    for (int c = 0; c < 3; ++c)
      {
        for (int bit = 1; bit < 8; bit *= 2)
          for (int m = 0; m < 8; ++m)
            if (!(m & bit))
              {
                const Lanes even = r[c][m], odd = r[c][m | bit];
                r[c][m]       = even - odd;
                r[c][m | bit] = even + odd;
              }
        for (int v = 0; v < 8; ++v)
          std::memcpy(to + (3 * v + c) * lanes, &r[c][v], sizeof(Lanes));
      }
  }

  void add_up(int node, Number *y) const
  {
    Number sum[3] = {};
    for (int v = 0; v < 8; ++v)
      for (int c = 0; c < 3; ++c)
        sum[c] += contributions[places[node * 8 + v] + c * lanes];
    std::copy(sum, sum + 3, y + 3 * node);
  }

  Cube                cube;
  std::vector<int>    nodes, places; // of batches of cells; of each node among the contributions
  std::vector<Number> eta, contributions;
  Number              same[3][8], other[2];
};

double seconds(const std::function<void()> &f)
{
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <typename Number>
void compare(const Cube &cube)
{
  std::mt19937               generator(1);
  std::normal_distribution<> normal;
  std::vector<double>        eta(cube.n_cells());
  for (double &value : eta)
    value = std::exp(2. * normal(generator)); // no two rows alike
  Array<double> values(3 * cube.n_nodes());
  for (double &value : values)
    value = normal(generator);
  const Device         device = Device::host(1);
  const Matrix<Number> A(device, assemble(cube, eta), 3);
  CellProduct<Number>  cells(cube, eta);
  const Vector<Number> x(device, values);
  Vector<Number>       by_rows(device, 3 * cube.n_nodes()), by_cells(device, 3 * cube.n_nodes());

  std::vector<double> times[2];
  for (int repeat = 0; repeat < 31; ++repeat)
    {
      times[0].push_back(seconds([&] { device.multiply(Number(1), A, x, Number(0), by_rows); }));
      times[1].push_back(seconds([&] { cells.multiply(x.data(), by_cells.data()); }));
    }
  double     difference = 0., largest = 0.;
  const auto a = to_host(by_rows), b = to_host(by_cells);
  for (std::size_t i = 0; i < a.size(); ++i)
    {
      difference = std::max(difference, std::abs(a[i] - b[i]));
      largest    = std::max(largest, std::abs(a[i]));
    }
  std::cout << (sizeof(Number) == 4 ? "float" : "double") << ", " << cube.n << "^3 cells, relative difference "
            << difference / largest << "\n";
  for (int k = 0; k < 2; ++k)
    {
      std::sort(times[k].begin(), times[k].end());
      const double per_node = 1e9 / cube.n_nodes();
      std::cout << (k == 0 ? "  rows:  " : "  cells: ")
                << static_cast<double>(k == 0 ? A.bytes() : cells.bytes()) / cube.n_nodes() << " bytes a node, "
                << per_node * times[k][times[k].size() / 2] << " ns a node (least " << per_node * times[k][0] << ")\n";
    }
}
} // namespace

int main(int argc, char **argv)
{
  const Cube cube{argc > 1 ? std::atoi(argv[1]) : 48};
  if (cube.n < 4 || cube.n % 4 != 0)
    {
      std::cerr << "n has to be a multiple of 4\n";
      return 2;
    }
  compare<float>(cube);
  compare<double>(cube);
}
