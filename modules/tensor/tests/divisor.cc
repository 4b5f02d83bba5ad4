#include "tensor/fast_diagonalization_functors.h"

#include <gtest/gtest.h>

#include <limits>

using namespace adamant;

TEST(Divisor, QuotientsAndRemaindersOfAllSizes)
{
  constexpr int most = std::numeric_limits<int>::max();
  for (const int divisor : {1, 2, 3, 7, 64, 127, 128, 1023, 65537, 1 << 30, most - 1, most})
    for (const int n : {0, 1, divisor / 2, divisor - 1, divisor, most / divisor * divisor, most / divisor * divisor - 1,
                        most / 3, most - 1, most})
      {
        int       rest     = n;
        const int quotient = Divisor(divisor).divide(rest);
        EXPECT_EQ(quotient, n / divisor) << n << " / " << divisor;
        EXPECT_EQ(rest, n % divisor) << n << " / " << divisor;
      }
}
