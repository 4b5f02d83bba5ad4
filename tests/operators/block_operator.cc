#include "operators/block_operator.h"

#include "support/devices.h"
#include "support/errors.h"
#include "support/reference.h"

#include <functional>
#include <memory>

using namespace adamant;
using namespace adamant::test;

namespace
{
class BlockOperatorTest : public DeviceTest
{
protected:
  MatrixOperator matrix(const CSRMatrix<double> &A) const { return MatrixOperator(Matrix<double>(device, A), device); }
};
INSTANTIATE_TEST_SUITE_P(Devices, BlockOperatorTest, all_places, place_name);

// An operator without a matrix; it makes a vector, so that it cannot be recorded: which one that does not say cannot.
class Twice : public LinearOperator
{
public:
  Twice(const Device &device, int n)
    : device(device)
    , n(n)
  {}
  int  n_rows() const override { return n; }
  int  n_cols() const override { return n; }
  void multiply(double a, const Vector<double> &x, double b, Vector<double> &y) const override
  {
    Vector<double> copy(device, n);
    device.copy(x, copy);
    device.axpby(2 * a, copy, b, y);
  }

private:
  Device device;
  int    n;
};
} // namespace

TEST_P(BlockOperatorTest, VectorsAreOneAndTheirBlocksParts)
{
  const Blocks blocks({3, 0, 4, 1}); // odd beginnings: blocks are not aligned
  EXPECT_EQ(blocks.n(), 4);
  EXPECT_EQ(blocks.size(), 8);
  EXPECT_EQ(blocks.size(2), 4);
  EXPECT_EQ(Blocks().size(), 0);

  BlockVector v(device, blocks);
  expect_near(values_of(v.all), Values(8, 0.), 0., "a new vector");
  const Values all = {1, 2, 3, 4, 5, 6, 7, 8};
  v.all.upload(all.data());
  expect_near(values_of(v.block(0)), {1, 2, 3}, 0., "block 0");
  EXPECT_EQ(v.block(1).size(), 0);
  expect_near(values_of(v.block(2)), {4, 5, 6, 7}, 0., "block 2");
  expect_near(values_of(v.block(3)), {8}, 0., "block 3");

  Vector<double> third = v.block(2);
  device.scale(10., third);
  v.block(3).set_zero();
  expect_near(values_of(v.all), {1, 2, 3, 40, 50, 60, 70, 0}, 0., "expected blocks to share the vector's memory");

  // A block keeps the memory.
  Vector<double> kept;
  {
    BlockVector other(device, blocks);
    other.all.upload(all.data());
    kept = other.block(2);
  }
  expect_near(values_of(kept), {4, 5, 6, 7}, 0., "a block of a vector that is gone");
}

TEST_P(BlockOperatorTest, MultipliesAsPlainLoopsDo)
{
  const std::vector<int>                       heights = {31, 6, 17}, widths = {31, 9};
  std::vector<std::vector<CSRMatrix<double>>>  A(3, std::vector<CSRMatrix<double>>(2));
  std::vector<std::unique_ptr<MatrixOperator>> operators;
  BlockOperator::Rows                          rows(3, {nullptr, nullptr});
  const std::vector<std::pair<int, int>>       present = {{0, 0}, {0, 1}, {1, 0}, {2, 1}};
  for (const auto &[i, j] : present)
    {
      A[i][j] = random_matrix(heights[i], widths[j], j == 0 ? Rows::equal : Rows::irregular, 10 * i + j);
      operators.push_back(std::make_unique<MatrixOperator>(Matrix<double>(device, A[i][j]), device));
      rows[i][j] = operators.back().get();
    }
  const BlockOperator block_operator(rows);
  EXPECT_EQ(block_operator.n_rows(), 54);
  EXPECT_EQ(block_operator.n_cols(), 40);
  EXPECT_TRUE(block_operator.recordable());
  EXPECT_EQ(block_operator.block(1, 1), nullptr);
  EXPECT_EQ(block_operator.block(2, 1), operators[3].get());

  const Values x = random_values(40, 1), y = random_values(54, 2);
  Values       Ax(54, 0.);
  const int    row[] = {0, 31, 37}, col[] = {0, 31};
  for (const auto &[i, j] : present)
    for (int r = 0; r < heights[i]; ++r)
      for (auto k = A[i][j].row_start[r]; k < A[i][j].row_start[r + 1]; ++k)
        Ax[row[i] + r] += A[i][j].value[k] * x[col[j] + A[i][j].column[k]];

  const auto on_device = to_device(device, x);
  for (const auto &[a, b] : {std::pair(1., 0.), {1., 1.}, {-0.5, 2.}, {3., -1.}})
    {
      auto result = to_device(device, b == 0 ? Values(54, nan_value) : y);
      block_operator.multiply(a, on_device, b, result);
      expect_near(values_of(result), combine(a, Ax, b, y), rounding<double>,
                  std::to_string(a) + " A x + " + std::to_string(b) + " y");
    }
  auto r = to_device(device, Values(54, nan_value));
  block_operator.residual(on_device, to_device(device, y), r);
  expect_near(values_of(r), combine(1, y, -1, Ax), rounding<double>, "y - A x");
}

TEST_P(BlockOperatorTest, TakesOperatorsWithoutMatrix)
{
  const auto          A = matrix(to_csr({{1, 2, 3}, {4, 5, 6}}));
  const Twice         twice(device, 2), thrice(device, 3);
  const BlockOperator mixed({{&twice, &A}, {nullptr, &thrice}}), nested({{&mixed, nullptr}, {nullptr, &twice}});
  EXPECT_FALSE(mixed.recordable());
  EXPECT_FALSE(nested.recordable()) << "expected what holds for a block to hold for the whole";
  EXPECT_EQ(nested.n_rows(), 7);
  auto y = to_device(device, Values(7, nan_value));
  nested.multiply(1., to_device(device, {1, 2, 3, 4, 5, 6, 7}), 0., y);
  expect_near(values_of(y), {2 + 26, 4 + 62, 6, 8, 10, 12, 14}, 1e-13, "y");
}

TEST_P(BlockOperatorTest, RowsMayBeZeroWhereTheLayoutIsGiven)
{
  const auto          A = matrix(to_csr({{1, 2}}));
  const BlockOperator lower({{nullptr, nullptr}, {&A, nullptr}}, Blocks({2, 1}));
  EXPECT_EQ(lower.n_rows(), 3);
  auto y = to_device(device, {1, 2, 3});
  lower.multiply(2., to_device(device, {4, 5, 6}), 3., y);
  expect_near(values_of(y), {3, 6, 37}, 1e-13, "3 y + 2 A x");
  y = to_device(device, Values(3, nan_value));
  lower.multiply(2., to_device(device, {4, 5, 6}), 0., y);
  expect_near(values_of(y), {0, 0, 28}, 1e-13, "2 A x");
  expect_error<RunError>([&] { BlockOperator({{&A}}, Blocks({2})); }, {"1 rows", "2"});
}

TEST_P(BlockOperatorTest, RefusesBlocksThatDoNotFit)
{
  using Rows   = BlockOperator::Rows;
  const auto A = matrix(random_matrix(4, 3, test::Rows::equal, 1)),
             B = matrix(random_matrix(5, 3, test::Rows::equal, 1)),
             C = matrix(random_matrix(4, 2, test::Rows::equal, 1));
  expect_error<RunError>([&] { BlockOperator(Rows{{&A, &B}}); }, {"block (0, 1)", "5 rows", "4"});
  expect_error<RunError>([&] { BlockOperator(Rows{{&A}, {&C}}); }, {"block (1, 0)", "2 columns", "3"});
  expect_error<RunError>([&] { BlockOperator(Rows{{&A, &C}, {&A}}); }, {"different numbers of blocks"});
  expect_error<RunError>([&] { BlockOperator(Rows{{&A, nullptr}, {&B, nullptr}}); }, {"size is unknown"});
  expect_error<RunError>([&] { BlockOperator(Rows{{&A}, {nullptr}}); }, {"size is unknown"});
}
