#pragma once

#include "support/reference.h"

#include <string>
#include <vector>

namespace adamant::test
{
using Dense = std::vector<Values>;

inline Dense multiply(const Dense &A, const Dense &B)
{
  Dense C(A.size(), Values(B[0].size(), 0.));
  for (std::size_t i = 0; i < A.size(); ++i)
    for (std::size_t k = 0; k < B.size(); ++k)
      for (std::size_t j = 0; j < B[0].size(); ++j)
        C[i][j] += A[i][k] * B[k][j];
  return C;
}

inline void expect_identity(const Dense &A, double tolerance, const std::string &what)
{
  for (std::size_t i = 0; i < A.size(); ++i)
    for (std::size_t j = 0; j < A.size(); ++j)
      ASSERT_NEAR(A[i][j], i == j ? 1. : 0., tolerance) << what << ": entry " << i << ", " << j;
}

// Dense, symmetric positive definite, condition number moderate.
inline Dense spd_matrix(int n)
{
  const Values random = random_values(n * n, 1);
  Dense        B(n, Values(n)), A(n, Values(n, 0.));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      B[i][j] = random[i * n + j];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        A[i][j] += B[i][k] * B[j][k] + (i == j ? 0.1 : 0.);
  return A;
}
} // namespace adamant::test
