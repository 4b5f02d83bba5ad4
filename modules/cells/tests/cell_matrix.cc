// Products of a matrix by cells agree with products of its rows, and its rows agree with the sum over cells.

#include "cell_meshes.h"

#include "algebra/functors.h"
#include "multigrid/smoothers/functors.h"
#include "multigrid/smoothers/setup.h"
#include "operators/linear_operator.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

using namespace adamant;
using namespace adamant::test;

namespace
{
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
                              "ball, small clusters",
                              "1 1 1, two coefficients",
                              "5 4 3, two coefficients",
                              "33 17 2, two coefficients",
                              "40 9 13, two coefficients",
                              "edge, two coefficients",
                              "ball, two coefficients",
                              "face, small clusters, two coefficients",
                              "squares",
                              "squares, small clusters, two coefficients",
                              "squares, scalar",
                              "squares, scalar, two coefficients",
                              "edge, scalar",
                              "ball, scalar, small clusters, two coefficients",
                              "squares, scalar, transport",
                              "ball, scalar, transport"};
} // namespace

// Each cell's K between its own unknowns, prescribed ones left out, and values at hanging nodes interpolated.
TEST(CellMatrixRows, AreTheSumOverCells)
{
  const Device device = Device::host(1);
  for (const char *const name :
       {"3 2 4", "edge", "3 2 4, two coefficients", "edge, two coefficients", "squares", "squares, two coefficients",
        "squares, scalar, two coefficients", "edge, scalar, two coefficients", "squares, scalar, transport",
        "edge, scalar, transport"})
    {
      const CellMatrix matrix = random_matrix(device, name, 2);
      const auto      &mesh   = matrix.mesh();
      const auto       A      = matrix.rows();
      const int        nc = mesh.n_components, nv = mesh.n_vertices(), m_rows = mesh.n_rows();
      const int        n = nc * mesh.n_nodes();
      Array<double>    H(std::size_t(n) * n, 0.), KH(std::size_t(n) * n, 0.), dense(std::size_t(n) * n, 0.);
      for (int i = 0; i < n; ++i)
        {
          if ((mesh.fixed[i / nc] >> (i % nc) & 1) == 0)
            H[std::size_t(n) * i + i] = 1.;
          for (int j = mesh.hanging.begin(i / nc); j < mesh.hanging.end(i / nc); ++j)
            if (const int master = mesh.hanging.master[j]; (mesh.fixed[master] >> (i % nc) & 1) == 0)
              H[std::size_t(n) * i + nc * master + i % nc] = mesh.hanging.weight[j];
        }
      for (int which = 0; which < mesh.n_coefficients(); ++which)
        {
          const auto k = to_host(matrix.coefficients(which));
          for (int cell = 0; cell < mesh.n_cells(); ++cell)
            {
              const auto number = [&](int i) { return std::size_t(nc * mesh.nodes[nv * cell + i / nc] + i % nc); };
              for (int i = 0; i < m_rows; ++i)
                for (int j = 0; j < m_rows; ++j)
                  for (int l = 0; l < n; ++l)
                    KH[n * number(i) + l] +=
                      k[cell] * mesh.local[m_rows * (m_rows * which + i) + j] * H[n * number(j) + l];
            }
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

// What a GPU's kernels compute from the modes of a cell is the product with its matrices.
TEST(CellMatrixRows, HaveModes)
{
  const auto sign = [](int a, int m) {
    const int near_and_odd = m & ~a;
    return (near_and_odd ^ near_and_odd >> 1 ^ near_and_odd >> 2) & 1 ? -1. : 1.;
  };
  for (const char *const name :
       {"1 1 1", "1 1 1, two coefficients", "edge, scalar", "edge, scalar, two coefficients", "squares",
        "squares, two coefficients", "squares, scalar", "squares, scalar, two coefficients",
        "squares, scalar, transport", "edge, scalar, transport"})
    with_kind(random_matrix(Device::host(1), name, 1).mesh(), [&](auto kind) {
      using Kind          = decltype(kind);
      constexpr int    nc = Kind::n_components, nv = Kind::n_vertices, n = Kind::n_rows;
      const CellMatrix matrix = random_matrix(Device::host(1), name, 1);
      const auto      &mesh   = matrix.mesh();
      const auto       modes  = modes_of<double, Kind>(mesh);
      const double     all[5] = {0.7, 190., 12., -7., 3.};
      double           k[Kind::n_coefficients];
      std::copy_n(all, Kind::n_coefficients, k);
      const Values x         = random_values(n, 2);
      double       u[nc][nv] = {}, found[n] = {};
      for (int a = 0; a < nv; ++a)
        for (int c = 0; c < nc; ++c)
          for (int m = 0; m < nv; ++m)
            u[c][m] += sign(a, m) * x[nc * a + mesh.along[c]];
      for (int a = 0; a < nv; ++a)
        for (int c = 0; c < nc; ++c)
          for (int m = 0; m < nv; ++m)
            found[nc * a + mesh.along[c]] += sign(a, m) * modes.apply(c, m, k, u);
      for (int i = 0; i < n; ++i)
        {
          double expected = 0.;
          for (int which = 0; which < Kind::n_coefficients; ++which)
            for (int j = 0; j < n; ++j)
              expected += k[which] * mesh.local[n * (n * which + i) + j] * x[j];
          EXPECT_NEAR(found[i], expected, 1e-14 * all[Kind::n_coefficients > 1]) << name << ", row " << i;
        }
    });
}

// An operator that takes vectors in float, as Krylov methods ask it, takes them by cells, too.
TEST_P(CellOperators, TakeFloat)
{
  for (const char *const name : {"5 4 3", "face", "5 4 3, two coefficients", "face, two coefficients", "squares",
                                 "squares, scalar, two coefficients"})
    {
      const CellMatrix     matrix = random_matrix(device, name, 3);
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
      expect_near(values_of(y), wanted, 1e-12 * norm(wanted), std::string("the product on ") + name);
    }
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
    for (const bool by_node : {false, true})
      {
        const auto matrix = std::make_shared<CellMatrix>(random_matrix(this->device, name, 8));
        const int  nc = matrix->mesh().n_components, node_size = by_node ? nc : 1;
        SCOPED_TRACE(name + ", blocks of " + std::to_string(node_size));
        const auto   rows = std::make_shared<CSRMatrix<double>>(matrix->rows());
        const int    n    = rows->n_rows;
        const Values b = random_values(n, 9), x = random_values(n, 10), d_old = random_values(n, 11);
        Values       results[2], D[2];
        for (const int by_cells : {0, 1})
          {
            LevelData data{rows, nullptr, nullptr, nc};
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
              this->device.for_each_row(level.A, from, NodeJacobiStep<Number>(nc, n / nc, update));
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
  for (const std::string name : {"40 33 29", "ball", "12 9 20, two coefficients", "ball, two coefficients",
                                 "squares, two coefficients", "squares, scalar, two coefficients"})
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
  CellMesh     grid   = random_grid({{2, 2, 2}});
  EXPECT_TRUE(CellMatrix::can_be_made(grid));
  grid.along = {{0, 1, 2}};
  EXPECT_FALSE(CellMatrix::can_be_made(grid));
  grid = random_grid({{2, 2, 2}});
  grid.local[5] += 1e-3;
  EXPECT_FALSE(CellMatrix::can_be_made(grid));
  EXPECT_THROW(CellMatrix(device, grid), RunError);
  for (const bool first_is_mu : {false, true}) // K_1 has divergences alone, and K_0 none
    for (const bool second_is_mu : {false, true})
      {
        grid.local = turned_cell_matrix(first_is_mu, !first_is_mu);
        for (const double entry : turned_cell_matrix(second_is_mu, !second_is_mu))
          grid.local.push_back(entry);
        EXPECT_EQ(CellMatrix::can_be_made(grid), first_is_mu && !second_is_mu);
      }
  grid.local.resize(grid.n_entries() * 3, 0.);
  EXPECT_FALSE(CellMatrix::can_be_made(grid));
  grid.n_components = 2;
  grid.local.assign(grid.n_entries(), 0.);
  EXPECT_FALSE(CellMatrix::can_be_made(grid));
  CellMesh tree          = mesh_named("edge");
  tree.hanging.weight[0] = 1. / 3.;
  EXPECT_FALSE(CellMatrix::can_be_made(tree));
  CellMatrix matrix = random_matrix(device, "2 2 2", 1);
  EXPECT_THROW(matrix.set(Vector<double>(device, 7)), RunError);
  EXPECT_THROW(random_matrix(device, "2 2 2, two coefficients", 1).set(Vector<double>(device, 16), 1), RunError);
  Matrix<double> rows(device, matrix.rows());
  EXPECT_THROW(rows.update(matrix), RunError);
}
