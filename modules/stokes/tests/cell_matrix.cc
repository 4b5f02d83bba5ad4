// Products of a matrix by cells agree with products of its rows, and its rows agree with the sum over cells.

#include "stokes/cells/cell_matrix.h"

#include "algebra/functors.h"
#include "multigrid/smoothers/functors.h"
#include "multigrid/smoothers/setup.h"
#include "operators/linear_operator.h"
#include "support/box_cell.h"
#include "tests/algebra/support.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace adamant;
using namespace adamant::test;

namespace
{
// Direction e is that of component along[e].
CellGrid random_grid(const std::array<int, 3> &n_cells, double lambda, const std::array<int, 3> &along = {{2, 0, 1}})
{
  const auto K = box_cell_matrix({1., 0.7, 1.9}, 1.3, lambda);
  CellGrid   grid{n_cells, K, {}, along};
  for (int i = 0; i < 24; ++i)
    for (int j = 0; j < 24; ++j)
      grid.local[(i / 3 * 3 + along[i % 3]) * 24 + j / 3 * 3 + along[j % 3]] = K[24 * i + j];
  const auto random = random_values(grid.n_nodes(), 1);
  for (const double value : random) // a tenth of the nodes has prescribed components
    grid.fixed.push_back(value > 0.8 ? static_cast<int>(1000. * value) % 8 : 0);
  return grid;
}

CellMatrix random_matrix(const Device &device, const std::array<int, 3> &n_cells, unsigned int seed,
                         double lambda = 0.4)
{
  CellMatrix matrix(device, random_grid(n_cells, lambda));
  Values     values = random_values(matrix.grid().n_nodes(), seed);
  for (double &value : values)
    value = std::pow(10., 2. * value);
  matrix.coefficients.upload(values.data());
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

const std::array<int, 3> sizes[] = {{{1, 1, 1}},   {{2, 1, 3}},    {{5, 4, 3}},
                                    {{33, 17, 2}}, {{16, 40, 37}}, {{70, 9, 21}}};
} // namespace

// Each cell's K between its own unknowns, prescribed ones left out.
TEST(CellMatrixRows, AreTheSumOverCells)
{
  const Device     device = Device::host(1);
  const CellMatrix matrix = random_matrix(device, {3, 2, 4}, 2);
  const auto      &grid   = matrix.grid();
  const auto       A      = matrix.rows();
  const auto       k      = to_host(matrix.coefficients);
  const int        n = grid.n_nodes(), lines = grid.n_cells[0] + 1, planes = lines * (grid.n_cells[1] + 1);
  Array<double>    dense(9 * n * n, 0.);
  for (int z = 0; z < grid.n_cells[2]; ++z)
    for (int y = 0; y < grid.n_cells[1]; ++y)
      for (int x = 0; x < grid.n_cells[0]; ++x)
        {
          const int  first  = x + lines * y + planes * z;
          const auto number = [&](int i) {
            return 3 * (first + (i / 3 & 1) + lines * (i / 6 & 1) + planes * (i / 12)) + i % 3;
          };
          for (int i = 0; i < 24; ++i)
            for (int j = 0; j < 24; ++j)
              dense[3 * n * number(i) + number(j)] += k[first] * grid.local[24 * i + j];
        }
  const auto fixed = [&](int i) { return grid.fixed[i / 3] >> (i % 3) & 1; };
  ASSERT_EQ(A.n_rows, 3 * n);
  for (int i = 0; i < 3 * n; ++i)
    for (int j = 0; j < 3 * n; ++j)
      EXPECT_NEAR(entry(A, i, j), fixed(i) || fixed(j) ? double(i == j) : dense[3 * n * i + j], 1e-12)
        << i << ", " << j;
}

// An operator that takes vectors in float, as Krylov methods ask it, takes them by cells, too.
TEST_P(CellOperators, TakeFloat)
{
  const CellMatrix     matrix = random_matrix(device, {5, 4, 3}, 3);
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
  const Matrix<double> A(device, random_matrix(device, {3, 2, 2}, 3));
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
  for (const auto &size : sizes)
    {
      SCOPED_TRACE(std::to_string(size[0]) + " x " + std::to_string(size[1]) + " x " + std::to_string(size[2]));
      CellMatrix     matrix = random_matrix(this->device, size, 3);
      Matrix<Number> A(this->device, matrix);
      for (const unsigned int seed : {4, 5}) // and with new coefficients
        {
          matrix.coefficients = std::move(random_matrix(this->device, size, seed).coefficients);
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
  for (const auto &size : sizes)
    for (const int node_size : {1, 3})
      {
        SCOPED_TRACE(std::to_string(size[0]) + " cells, blocks of " + std::to_string(node_size));
        const auto   matrix = std::make_shared<CellMatrix>(random_matrix(this->device, size, 8));
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
  using Number                = typename TestFixture::Number;
  const CellMatrix     matrix = random_matrix(this->device, {40, 33, 29}, 12);
  const Matrix<Number> A(this->device, matrix);
  const auto           x = this->upload(random_values(A.n_rows(), 13));
  auto                 y = this->unset(A.n_rows()), again = this->unset(A.n_rows());
  this->device.multiply(Number(1), A, x, Number(0), y);
  this->device.multiply(Number(1), A, x, Number(0), again);
  EXPECT_EQ(values_of(y), values_of(again));
}

TEST(CellMatrixRows, RefusesOtherMatrices)
{
  const Device device = Device::host(1);
  CellGrid     grid   = random_grid({2, 2, 2}, 0.4);
  EXPECT_TRUE(CellMatrix::can_be_made(grid));
  grid.along = {{0, 1, 2}};
  EXPECT_FALSE(CellMatrix::can_be_made(grid));
  grid = random_grid({2, 2, 2}, 0.4);
  grid.local[5] += 1e-3;
  EXPECT_FALSE(CellMatrix::can_be_made(grid));
  EXPECT_THROW(CellMatrix(device, grid), RunError);
  const CellMatrix matrix = random_matrix(device, {2, 2, 2}, 1);
  Matrix<double>   rows(device, matrix.rows());
  EXPECT_THROW(rows.update(matrix), RunError);
}
