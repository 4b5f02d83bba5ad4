#include "base/csr/csr_matrix.h"

#include "base/exceptions.h"
#include "support/reference.h"

#include <gtest/gtest.h>

#include <limits>

using namespace adamant;
using namespace adamant::test;

namespace
{
void expect_transposed(const CSRMatrix<double> &A, const CSRMatrix<double> &B)
{
  ASSERT_EQ(B.n_rows, A.n_cols);
  ASSERT_EQ(B.n_cols, A.n_rows);
  ASSERT_EQ(B.n_nonzeros(), A.n_nonzeros());
  const auto a = to_dense(A), b = to_dense(B);
  for (int i = 0; i < A.n_rows; ++i)
    for (int j = 0; j < A.n_cols; ++j)
      ASSERT_EQ(a[i][j], b[j][i]) << "expected (Aᵀ)_ji = A_ij at " << i << ", " << j;
  for (int i = 0; i < B.n_rows; ++i)
    for (auto k = B.row_start[i] + 1; k < B.row_start[i + 1]; ++k)
      ASSERT_LT(B.column[k - 1], B.column[k]) << "expected ascending columns in row " << i;
}
} // namespace

TEST(CSRMatrix, Transpose)
{
  for (const Rows rows : {Rows::equal, Rows::irregular})
    for (const auto &[n, m] : {std::pair(0, 0), {1, 1}, {5, 3}, {17, 40}, {200, 90}, {4, 0}, {0, 4}})
      {
        SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(m));
        const auto A = random_matrix(n, m, rows, 1);
        expect_transposed(A, transpose(A));
      }
}

TEST(CSRMatrix, TransposeTwiceIsTheMatrix)
{
  const auto A = random_matrix(300, 120, Rows::irregular, 2), B = transpose(transpose(A));
  EXPECT_EQ(A.row_start, B.row_start);
  EXPECT_EQ(A.column, B.column);
  EXPECT_EQ(A.value, B.value);
}

TEST(CSRMatrix, EntryIsZeroWhereNothingIsStored)
{
  const auto A     = random_matrix(40, 30, Rows::irregular, 3);
  const auto dense = to_dense(A);
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 30; ++j)
      EXPECT_EQ(entry(A, i, j), dense[i][j]) << "row " << i << ", column " << j;
}

TEST(CSRMatrix, Diagonal)
{
  const auto A     = random_matrix(40, 40, Rows::irregular, 4);
  const auto dense = to_dense(A);
  const auto d     = diagonal(A);
  ASSERT_EQ(d.size(), 40u);
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(d[i], dense[i][i]) << "row " << i;
}

TEST(CSRMatrix, Products)
{
  const auto A     = random_matrix(40, 30, Rows::irregular, 5);
  const auto dense = to_dense(A);
  const auto x = random_values(30, 6), y = random_values(40, 7);
  const auto Ax  = product(A, Array<double>(x.begin(), x.end())),
             Aty = transposed_product(A, Array<double>(y.begin(), y.end()));
  ASSERT_EQ(Ax.size(), 40u);
  ASSERT_EQ(Aty.size(), 30u);
  for (int i = 0; i < 40; ++i)
    {
      double sum = 0;
      for (int j = 0; j < 30; ++j)
        sum += dense[i][j] * x[j];
      EXPECT_NEAR(Ax[i], sum, 1e-13) << "(A x)_i, row " << i;
    }
  for (int j = 0; j < 30; ++j)
    {
      double sum = 0;
      for (int i = 0; i < 40; ++i)
        sum += dense[i][j] * y[i];
      EXPECT_NEAR(Aty[j], sum, 1e-13) << "(Aᵀ y)_j, column " << j;
    }
}

TEST(CSRMatrix, FinishRowStartsSumsTheLengths)
{
  CSRMatrix<double> A;
  A.n_rows = 4;
  A.row_start.assign({99, 2, 0, 3, 1}); // what stands in front is overwritten
  finish_row_starts(A);
  EXPECT_EQ(A.row_start, (Array<std::int64_t>{0, 2, 2, 5, 6}));
  EXPECT_EQ(A.column.size(), 6u);
  EXPECT_EQ(A.value.size(), 6u);
}

TEST(CSRMatrix, EntriesAreCountedWith64Bits)
{
  CSRMatrix<double> A;
  A.n_rows = 3;
  A.row_start.assign({0, std::int64_t(1) << 30, std::int64_t(2) << 30, std::int64_t(3) << 30});
  EXPECT_EQ(A.n_nonzeros(), 3221225472);
}

TEST(CSRMatrix, ToIndex)
{
  const std::size_t largest = std::numeric_limits<int>::max();
  EXPECT_EQ(to_index(0, "rows"), 0);
  EXPECT_EQ(to_index(largest, "rows"), std::numeric_limits<int>::max());
  try
    {
      to_index(largest + 1, "rows of the finest level");
      FAIL() << "expected IndexOverflow";
    }
  catch (const IndexOverflow &error)
    {
      const std::string message = error.what();
      EXPECT_NE(message.find("rows of the finest level"), std::string::npos) << message;
      EXPECT_NE(message.find("2147483648"), std::string::npos) << message;
    }
}
