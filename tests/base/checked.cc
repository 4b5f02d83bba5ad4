// The checked build finds what is written or read outside of arrays and of the views that functors have of them.

#include "base/array.h"
#include "base/csr/csr_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace
{
using namespace adamant;

TEST(CheckedArray, IndicesOutsideAreNamed)
{
  Array<int>       a(10, 7);
  const Array<int> constant(3, 1);
  volatile int     before = -1, behind = 10; // so that the compiler does not see them
  a[9] = 8;
  EXPECT_EQ(a.back() + constant[2], 9);
  EXPECT_DEATH(a[behind] = 1, "index 10 of an array of 10 int at 0x");
  EXPECT_DEATH(a[before] = 1, "index -1 of an array of 10 int at 0x");
  EXPECT_DEATH((void)(constant[behind] + 1), "index 10 of an array of 3 int at 0x");
  Array<double> empty;
  EXPECT_DEATH((void)(empty.front() + 1), "index 0 of an array of 0 double");
}

TEST(CheckedArray, CopiesAndMovesCheckTheirs)
{
  Array<int>   a(10, 7), b = a;
  Array<int>   c      = std::move(a);
  volatile int behind = 20;
  b.resize(20);
  EXPECT_TRUE(a.empty());
  EXPECT_DEATH(b[behind] = 1, "index 20 of an array of 20 int");
  EXPECT_DEATH(c[behind] = 1, "index 20 of an array of 10 int");
}

// What is written through pointers is found when the array is freed.
TEST(CheckedArray, RedZonesLieOnBothSides)
{
  const auto write = [](int at) {
    Array<char> a(901, 0);
    char *volatile p = a.data();
    p[at]            = 1;
  };
  write(900);
  EXPECT_DEATH(write(901), "overrun of an array of 901 char at 0x[0-9a-f]*: the byte 0 behind its end became 1");
  EXPECT_DEATH(write(901 + 2128), "overrun of an array of 901 char .* the byte 2128 behind its end became 1");
  EXPECT_DEATH(write(-1), "underrun of an array of 901 char .* the byte 1 before its begin became 1");
}

TEST(CheckedArray, WhatIsNotWrittenIsNoNumber)
{
  EXPECT_TRUE(std::isnan(Array<double>(5)[4]));
  EXPECT_TRUE(std::isnan(Array<float>(5)[4]));
  EXPECT_EQ(Array<int>(5)[4], -1);
}

TEST(CheckedView, IndicesOutsideAreNamed)
{
  CSRMatrix<double> A;
  A.n_rows = A.n_cols = 2;
  for (std::int64_t k : {0, 1, 3})
    A.row_start.push_back(k);
  for (int j : {0, 0, 1})
    A.column.push_back(j);
  A.value.assign(3, 2.);
  const RowsView rows = view_of(A);
  EXPECT_EQ(rows.entry(1, 1), 2.);
  EXPECT_EQ((rows.value + 2)[0], 2.);
  volatile int behind = 2, before = -1;
  EXPECT_DEATH((void)rows.end(behind), "index 3 of an array of 3 long at 0x");
  EXPECT_DEATH((void)rows.find(before, 0), "index -1 of an array of 3 long");
  EXPECT_DEATH((void)((rows.value + 2)[1] + 1.), "index 1 of an array of 1 double");
}
} // namespace
