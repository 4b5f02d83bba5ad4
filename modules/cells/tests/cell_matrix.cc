// Products of a matrix by cells agree with products of its rows, and its rows agree with the sum over cells.

#include "cells/cell_matrix.h"

#include "algebra/functors.h"
#include "multigrid/smoothers/functors.h"
#include "multigrid/smoothers/setup.h"
#include "operators/linear_operator.h"
#include "support/box_cell.h"
#include "tests/algebra/support.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace adamant;
using namespace adamant::test;

namespace
{
const std::array<int, 3> axes = {{2, 0, 1}}; // direction e is that of component axes[e]

Array<double> turned_cell_matrix(double lambda)
{
  auto       turned = box_cell_matrix({1., 0.7, 1.9}, 1.3, lambda);
  const auto K      = turned;
  for (int i = 0; i < 24; ++i)
    for (int j = 0; j < 24; ++j)
      turned[(i / 3 * 3 + axes[i % 3]) * 24 + j / 3 * 3 + axes[j % 3]] = K[24 * i + j];
  return turned;
}

// A tenth of the nodes that do not hang has prescribed components.
void prescribe_some(CellMesh &mesh)
{
  const auto random = random_values(mesh.n_nodes(), 1);
  for (int node = 0; node < mesh.n_nodes(); ++node)
    if (mesh.fixed[node] == 0 && random[node] > 0.8)
      mesh.fixed[node] = static_cast<unsigned char>(static_cast<int>(1000. * random[node]) % 8);
}

CellMesh random_grid(const std::array<int, 3> &n_cells, double lambda)
{
  CellMesh mesh = grid_of(n_cells, turned_cell_matrix(lambda));
  mesh.along    = axes;
  prescribe_some(mesh);
  return mesh;
}

// Cubes of a tree in a box, refined `levels` times where `divide` says so of a cell's lower corner and size. The unit
// of both is the smallest cell. Cells that touch differ by one level at most. A node hangs where it lies inside an edge
// or a face of a cell.
template <class Divide>
CellMesh tree_of(const std::array<int, 3> &n_coarse, int levels, const Divide &divide, double lambda)
{
  using Point                                = std::array<int, 3>;
  const int                             unit = 1 << levels;
  std::map<std::pair<Point, int>, char> cells; // lower corner and size
  for (int z = 0; z < n_coarse[2]; ++z)
    for (int y = 0; y < n_coarse[1]; ++y)
      for (int x = 0; x < n_coarse[0]; ++x)
        cells[{{{x * unit, y * unit, z * unit}}, unit}] = 0;
  const auto split = [&](const Point &at, int size) {
    cells.erase({at, size});
    for (int child = 0; child < 8; ++child)
      cells[{{{at[0] + (child & 1) * size / 2, at[1] + (child >> 1 & 1) * size / 2, at[2] + (child >> 2) * size / 2}},
             size / 2}] = 0;
  };
  const auto touches_much_smaller = [&](const Point &at, int size) {
    for (const auto &[other, unused] : cells)
      {
        bool touches = other.second < size / 2;
        for (int d = 0; d < 3; ++d)
          touches = touches && other.first[d] <= at[d] + size && at[d] <= other.first[d] + other.second;
        if (touches)
          return true;
      }
    return false;
  };
  for (int level = 0; level < levels; ++level)
    for (const auto &[cell, unused] : std::map<std::pair<Point, int>, char>(cells))
      if (cell.second == unit >> level && divide(cell.first, cell.second))
        split(cell.first, cell.second);
  for (bool found = true; found;)
    {
      found = false;
      for (const auto &[cell, unused] : std::map<std::pair<Point, int>, char>(cells))
        if (cell.second > 2 && touches_much_smaller(cell.first, cell.second))
          {
            split(cell.first, cell.second);
            found = true;
          }
    }

  CellMesh             mesh;
  std::map<Point, int> number;
  mesh.local = turned_cell_matrix(lambda);
  mesh.along = axes;
  for (const auto &[cell, unused] : cells)
    {
      mesh.scale.push_back(cell.second);
      for (int a = 0; a < 8; ++a)
        {
          const Point p = {{cell.first[0] + (a & 1) * cell.second, cell.first[1] + (a >> 1 & 1) * cell.second,
                            cell.first[2] + (a >> 2) * cell.second}};
          mesh.nodes.push_back(number.emplace(p, static_cast<int>(number.size())).first->second);
        }
    }
  mesh.position.resize(number.size());
  mesh.fixed.assign(number.size(), 0);
  std::vector<std::map<int, double>> masters(number.size());
  for (const auto &[p, node] : number)
    mesh.position[node] = p;
  for (const auto &[cell, unused] : cells)
    for (int middle = 0; middle < 27 && cell.second > 1; ++middle) // in halves of the cell's sides; 1: in the middle
      {
        const Point half = {{middle % 3, middle / 3 % 3, middle / 9}};
        const auto  at =
          number.find({{cell.first[0] + half[0] * cell.second / 2, cell.first[1] + half[1] * cell.second / 2,
                        cell.first[2] + half[2] * cell.second / 2}});
        if (at == number.end() || std::count(half.begin(), half.end(), 1) == 0)
          continue;
        auto &of_node = masters[at->second];
        of_node.clear();
        for (int a = 0; a < 8; ++a)
          {
            double weight = 1.;
            Point  p;
            for (int d = 0; d < 3; ++d)
              {
                weight *= half[d] == 1 ? 0.5 : double((half[d] == 2) == (a >> d & 1));
                p[d] = cell.first[d] + (a >> d & 1) * cell.second;
              }
            if (weight > 0.)
              of_node[number.at(p)] = weight;
          }
      }
  mesh.hanging.start.push_back(0);
  for (const auto &of_node : masters)
    {
      // A master may hang itself, at the border of a coarser cell.
      std::map<int, double>                  resolved;
      const std::function<void(int, double)> add = [&](int node, double weight) {
        if (masters[node].empty())
          resolved[node] += weight;
        for (const auto &[master, w] : masters[node])
          add(master, weight * w);
      };
      for (const auto &[master, w] : of_node)
        add(master, w);
      for (const auto &[master, w] : resolved)
        {
          mesh.hanging.master.push_back(master);
          mesh.hanging.weight.push_back(w);
        }
      if (!of_node.empty())
        mesh.fixed[mesh.hanging.start.size() - 1] = 7;
      mesh.hanging.start.push_back(static_cast<int>(mesh.hanging.master.size()));
    }
  prescribe_some(mesh);
  return mesh;
}

// Meshes by name: grids, and trees that are refined towards a face, an edge and a ball.
CellMesh mesh_named(const std::string &name, double lambda = 0.4)
{
  static std::map<std::string, CellMesh> made;
  const auto                             keep = [&](CellMesh mesh) { return made[name] = std::move(mesh); };
  if (const auto at = made.find(name); at != made.end())
    return at->second;
  if (name == "face")
    return keep(tree_of(
      {{4, 4, 3}}, 2, [](const auto &at, int) { return at[2] == 0; }, lambda));
  if (name == "edge")
    return keep(tree_of(
      {{3, 2, 2}}, 3, [](const auto &at, int) { return at[0] == 0 && at[1] == 0; }, lambda));
  if (name == "ball")
    return keep(tree_of(
      {{2, 3, 2}}, 3,
      [](const auto &at, int size) {
        double near = 0., far = 0.;
        for (int d = 0; d < 3; ++d)
          {
            near += std::pow(std::max({0., at[d] - 7., 7. - at[d] - size}), 2);
            far += std::pow(std::max(std::abs(at[d] - 7.), std::abs(at[d] + size - 7.)), 2);
          }
        return near <= 36. && far >= 36.;
      },
      lambda));
  if (name == "uniform tree")
    return keep(tree_of(
      {{9, 8, 11}}, 0, [](const auto &, int) { return false; }, lambda));
  std::array<int, 3> n;
  std::istringstream(name) >> n[0] >> n[1] >> n[2];
  return keep(random_grid(n, lambda));
}

CellMatrix random_matrix(const Device &device, std::string mesh, unsigned int seed, double lambda = 0.4)
{
  const std::size_t in_small = mesh.find(", small clusters");
  mesh                       = mesh.substr(0, in_small);
  CellMatrix matrix(device, mesh_named(mesh, lambda), in_small == mesh.npos ? Clusters::most_values : 4000);
  Values     values = random_values(matrix.mesh().n_cells(), seed);
  for (double &value : values)
    value = std::pow(10., 2. * value);
  matrix.set(to_device<double>(device, values));
  return matrix;
}

template <class In>
class ByCells : public DeviceOperations<In>
{
protected:
  using Number = typename In::Number;
  void SetUp() override
  {
    DeviceOperations<In>::SetUp();
    if (In::place == Place::cusparse)
      GTEST_SKIP() << "Matrix format = cusparse has no matrices by cells";
  }

  // To the largest term of each row.
  void compare(const Vector<Number> &result, const Values &expected, const CSRMatrix<double> &A, const Values &x) const
  {
    const auto found = values_of(result);
    for (int i = 0; i < A.n_rows; ++i)
      {
        double largest = std::abs(expected[i]);
        for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
          largest = std::max(largest, std::abs(A.value[k] * x[A.column[k]]));
        ASSERT_NEAR(found[i], expected[i], 100. * (sizeof(Number) == 4 ? 1.2e-7 : 2.2e-16) * largest + 1e-300)
          << "row " << i;
      }
  }
};
TYPED_TEST_SUITE(ByCells, Precisions, PrecisionName);

class CellOperators : public DeviceTest
{
};
INSTANTIATE_TEST_SUITE_P(Devices, CellOperators, ::testing::Values(Place::host, Place::cuda), place_name);

const char *const meshes[] = {"1 1 1",
                              "2 1 3",
                              "5 4 3",
                              "33 17 2",
                              "16 40 37",
                              "70 9 21",
                              "face",
                              "edge",
                              "ball",
                              "uniform tree",
                              "face, small clusters",
                              "ball, small clusters"};
} // namespace

// Each cell's K between its own unknowns, prescribed ones left out, and values at hanging nodes interpolated.
TEST(CellMatrixRows, AreTheSumOverCells)
{
  const Device device = Device::host(1);
  for (const char *const name : {"3 2 4", "edge"})
    {
      const CellMatrix matrix = random_matrix(device, name, 2);
      const auto      &mesh   = matrix.mesh();
      const auto       A      = matrix.rows();
      const auto       k      = to_host(matrix.coefficients());
      const int        n      = 3 * mesh.n_nodes();
      Array<double>    H(std::size_t(n) * n, 0.), KH(std::size_t(n) * n, 0.), dense(std::size_t(n) * n, 0.);
      for (int i = 0; i < n; ++i)
        {
          if ((mesh.fixed[i / 3] >> (i % 3) & 1) == 0)
            H[std::size_t(n) * i + i] = 1.;
          for (int j = mesh.hanging.begin(i / 3); j < mesh.hanging.end(i / 3); ++j)
            if (const int master = mesh.hanging.master[j]; (mesh.fixed[master] >> (i % 3) & 1) == 0)
              H[std::size_t(n) * i + 3 * master + i % 3] = mesh.hanging.weight[j];
        }
      for (int cell = 0; cell < mesh.n_cells(); ++cell)
        {
          const auto number = [&](int i) { return std::size_t(3 * mesh.nodes[8 * cell + i / 3] + i % 3); };
          for (int i = 0; i < 24; ++i)
            for (int j = 0; j < 24; ++j)
              for (int l = 0; l < n; ++l)
                KH[n * number(i) + l] += k[cell] * mesh.local[24 * i + j] * H[n * number(j) + l];
        }
      for (int m = 0; m < n; ++m)
        for (int i = 0; i < n; ++i)
          for (int l = 0; l < n && H[std::size_t(n) * m + i] != 0.; ++l)
            dense[std::size_t(n) * i + l] += H[std::size_t(n) * m + i] * KH[std::size_t(n) * m + l];
      ASSERT_EQ(A.n_rows, n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          ASSERT_NEAR(entry(A, i, j), H[std::size_t(n) * i + i] == 0. ? double(i == j) : dense[std::size_t(n) * i + j],
                      1e-10)
            << name << ": " << i << ", " << j;
    }
}

// All nodes are in one cluster, and tables are shared: a uniform mesh has clusters of few kinds.
TEST(Clusters, HaveEachNodeOnceAndShareTables)
{
  for (const char *const name : {"face", "edge", "ball", "uniform tree"})
    {
      const CellMesh mesh = mesh_named(name);
      for (const int most_values : {4000, Clusters::few_values, Clusters::most_values})
        {
          const Clusters   clusters = make_clusters(mesh, most_values);
          std::vector<int> own;
          for (const auto &cluster : clusters.cluster)
            {
              EXPECT_LE(cluster.shape.n_values(), most_values) << name;
              EXPECT_EQ(cluster.slot, static_cast<int>(own.size())) << name;
              for (int i = 0; i < cluster.shape.n_own; ++i)
                own.push_back(static_cast<int>(clusters.node[cluster.node + i] >> 3));
            }
          std::sort(own.begin(), own.end());
          ASSERT_EQ(own.size(), static_cast<std::size_t>(mesh.n_nodes())) << name;
          for (int node = 0; node < mesh.n_nodes(); ++node)
            ASSERT_EQ(own[node], node) << name;
        }
    }
  const CellMesh mesh = tree_of(
    {{33, 33, 33}}, 0, [](const auto &, int) { return false; }, 0.4);
  const Clusters clusters = make_clusters(mesh);
  std::set<int>  shapes;
  for (const auto &cluster : clusters.cluster)
    shapes.insert(cluster.shape.vertices);
  EXPECT_LT(shapes.size(), 0.7 * clusters.cluster.size());
}

// What a GPU's kernel does with the tables of clusters gives the product by rows.
TEST(Clusters, TablesMakeTheProduct)
{
  const Device device = Device::host(1);
  for (const char *const name : {"face", "edge", "ball, small clusters"})
    {
      const CellMatrix   matrix   = random_matrix(device, name, 4);
      const CellMesh    &mesh     = matrix.mesh();
      const Clusters     clusters = make_clusters(mesh, 4000);
      const auto         rows     = matrix.rows();
      const auto         k        = to_host(matrix.coefficients());
      const Values       x        = random_values(rows.n_rows, 5);
      Values             y(x.size(), 0.);
      const ClustersView view{static_cast<int>(clusters.cluster.size()),
                              clusters.n_inner,
                              4000,
                              clusters.cluster.data(),
                              clusters.tables.data(),
                              clusters.node.data(),
                              clusters.cell.data()};
      for (const Cluster &cluster : clusters.cluster)
        for (int c = 0; c < 3; ++c)
          {
            const ClusterShape &of = cluster.shape;
            Array<double>       value(of.n_local(), 0.);
            const auto          entry = [&](int i) { return clusters.node[cluster.node + i]; };
            for (int i = 0; i < of.n_nodes; ++i)
              value[i] = entry(i) >> c & 1 ? 0. : x[3 * (entry(i) >> 3) + c];
            for (int h = 0; h < of.n_hanging; ++h)
              for (int part = 0; part < of.n_parts; ++part)
                for (int j = 0; j < 4; ++j)
                  if (const Eight &of_h = clusters.tables[of.masters + part * of.n_hanging + h]; of_h.number[4 + j] > 0)
                    value[of.n_nodes + h] += of_h.number[4 + j] / 4096. * value[of_h.number[j]];
            for (int i = 0; i < of.n_own; ++i)
              view.for_each_term(of, i, [&](int a, int cell, double weight) {
                for (int b = 0; b < 8; ++b)
                  for (int d = 0; d < 3; ++d)
                    y[3 * (entry(i) >> 3) + d] += weight * k[clusters.cell[cluster.cell + cell]] *
                                                  mesh.local[(3 * a + d) * 24 + 3 * b + c] *
                                                  value[clusters.tables[of.vertices + cell].number[b]];
              });
          }
      for (int i = 0; i < rows.n_rows; ++i)
        if ((mesh.fixed[i / 3] >> i % 3 & 1) == 0)
          {
            double expected = 0., largest = 0.;
            for (auto at = rows.row_start[i]; at < rows.row_start[i + 1]; ++at)
              {
                expected += rows.value[at] * x[rows.column[at]];
                largest = std::max(largest, std::abs(rows.value[at] * x[rows.column[at]]));
              }
            ASSERT_NEAR(y[i], expected, 1e-13 * largest) << name << ", row " << i;
          }
    }
}

// An operator that takes vectors in float, as Krylov methods ask it, takes them by cells, too.
TEST_P(CellOperators, TakeFloat)
{
  const CellMatrix     matrix = random_matrix(device, GetParam() == Place::host ? "5 4 3" : "face", 3);
  const Matrix<double> A(device, matrix);
  const MatrixOperator op(A, device);
  const int            n = A.n_rows();
  const Vector<float>  x = to_device<float>(device, random_values(n, 6));
  Vector<double>       y(device, n), expected(device, n), in_double(device, n);
  ASSERT_TRUE(op.takes_float());
  op.multiply_float(x, y);
  device.copy(x, in_double);
  op.multiply(1., in_double, 0., expected);
  const auto wanted = values_of(expected);
  expect_near(values_of(y), wanted, 1e-12 * norm(wanted), "the product");
}

// The host takes all functors. A GPU has kernels for the ones that cells.cu lists; the message names another one.
TEST_P(CellOperators, NameAFunctorWithoutKernel)
{
  const Matrix<double> A(device, random_matrix(device, "edge", 3));
  const Vector<double> x(device, A.n_rows());
  Vector<double>       y(device, A.n_rows());
  const auto           visit = [&] { device.for_each_row(A, x, Update<double>(0., 1., nullptr, nullptr, y.data())); };
  if (!device.traits().kernels)
    return visit();
  try
    {
      visit();
      FAIL() << "no error";
    }
  catch (const RunError &error)
    {
      EXPECT_NE(std::string(error.what()).find("Update<double>"), std::string::npos) << error.what();
    }
}

TYPED_TEST(ByCells, ProductsAreThoseOfRows)
{
  using Number = typename TestFixture::Number;
  for (const std::string name : meshes)
    {
      SCOPED_TRACE(name);
      CellMatrix     matrix = random_matrix(this->device, name, 3);
      Matrix<Number> A(this->device, matrix);
      for (const unsigned int seed : {4, 5}) // and with new coefficients
        {
          matrix = random_matrix(this->device, name, seed);
          A.update(matrix);
          const auto          rows = matrix.rows();
          const int           n    = rows.n_rows;
          const Values        x = random_values(n, 6), b = random_values(n, 7);
          const auto          from = this->upload(x), b_there = this->upload(b);
          auto                y = this->unset(n);
          const Array<double> x_array(x.begin(), x.end());
          const auto          product = adamant::product(rows, x_array);
          Values              Ax(product.begin(), product.end()), expected(n);
          this->device.multiply(Number(1), A, from, Number(0), y);
          this->compare(y, Ax, rows, x);
          this->device.multiply(Number(-2), A, from, Number(1), y);
          for (int i = 0; i < n; ++i)
            expected[i] = -Ax[i];
          this->compare(y, expected, rows, x);
          this->device.residual(A, from, b_there, y);
          for (int i = 0; i < n; ++i)
            expected[i] = b[i] - Ax[i];
          this->compare(y, expected, rows, x);
        }
    }
}

// Steps of smoothers by cells agree with steps of the matrix in rows, D by node and by unknown.
TYPED_TEST(ByCells, SmootherStepsAreThoseOfRows)
{
  using Number = typename TestFixture::Number;
  for (const std::string name : meshes)
    for (const int node_size : {1, 3})
      {
        SCOPED_TRACE(name + ", blocks of " + std::to_string(node_size));
        const auto   matrix = std::make_shared<CellMatrix>(random_matrix(this->device, name, 8));
        const auto   rows   = std::make_shared<CSRMatrix<double>>(matrix->rows());
        const int    n      = rows->n_rows;
        const Values b = random_values(n, 9), x = random_values(n, 10), d_old = random_values(n, 11);
        Values       results[2], D[2];
        for (const int by_cells : {0, 1})
          {
            LevelData data{rows, nullptr, nullptr, 3};
            if (by_cells)
              data.values = matrix;
            const DeviceLevel<Number> level(this->device, data);
            Vector<Number>            diagonal;
            update_inverse_diagonal(level, node_size, diagonal);
            const auto                 b_there = this->upload(b), from = this->upload(x), old = this->upload(d_old);
            auto                       d = this->unset(n), y = this->unset(n);
            const JacobiUpdate<Number> update{Number(0.4), Number(0.7), diagonal.data(), b_there.data(),
                                              from.data(), old.data(),  d.data(),        y.data()};
            if (node_size == 1)
              this->device.for_each_row(level.A, from, JacobiStep<Number>(update));
            else
              this->device.for_each_row(level.A, from, NodeJacobiStep<Number>(3, n / 3, update));
            results[by_cells] = values_of(y);
            D[by_cells]       = values_of(diagonal);
          }
        const double unit = sizeof(Number) == 4 ? 1.2e-7 : 2.2e-16;
        for (std::size_t i = 0; i < D[0].size(); ++i)
          ASSERT_NEAR(D[1][i], D[0][i], 1e4 * unit * (1. + std::abs(D[0][i]))) << i;
        for (int i = 0; i < n; ++i)
          ASSERT_NEAR(results[1][i], results[0][i], 1e3 * unit) << i;
      }
}

TYPED_TEST(ByCells, AreTheSameInEveryRun)
{
  using Number = typename TestFixture::Number;
  for (const std::string name : {"40 33 29", "ball"})
    {
      const CellMatrix     matrix = random_matrix(this->device, name, 12);
      const Matrix<Number> A(this->device, matrix);
      const auto           x = this->upload(random_values(A.n_rows(), 13));
      auto                 y = this->unset(A.n_rows()), again = this->unset(A.n_rows());
      this->device.multiply(Number(1), A, x, Number(0), y);
      this->device.multiply(Number(1), A, x, Number(0), again);
      EXPECT_EQ(values_of(y), values_of(again)) << name;
    }
}

TEST(CellMatrixRows, RefusesOtherMatrices)
{
  const Device device = Device::host(1);
  CellMesh     grid   = random_grid({{2, 2, 2}}, 0.4);
  EXPECT_TRUE(CellMatrix::can_be_made(grid));
  grid.along = {{0, 1, 2}};
  EXPECT_FALSE(CellMatrix::can_be_made(grid));
  grid = random_grid({{2, 2, 2}}, 0.4);
  grid.local[5] += 1e-3;
  EXPECT_FALSE(CellMatrix::can_be_made(grid));
  EXPECT_THROW(CellMatrix(device, grid), RunError);
  CellMesh tree          = mesh_named("edge");
  tree.hanging.weight[0] = 1. / 3.;
  EXPECT_FALSE(CellMatrix::can_be_made(tree));
  CellMatrix matrix = random_matrix(device, "2 2 2", 1);
  EXPECT_THROW(matrix.set(Vector<double>(device, 7)), RunError);
  Matrix<double> rows(device, matrix.rows());
  EXPECT_THROW(rows.update(matrix), RunError);
}
