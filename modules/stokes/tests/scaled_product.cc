#include "stokes/scaled_product.h"

#include "support/dense.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/reference.h"

namespace
{
using namespace adamant;
using namespace adamant::test;

class ScaledProductTest : public DeviceTest
{
};
INSTANTIATE_TEST_SUITE_P(Devices, ScaledProductTest, all_places, place_name);

// K = A diag(d) Aᵀ against dense products, for one d after the other; a row of A without entries is that of the
// identity.
TEST_P(ScaledProductTest, IsTheDenseProduct)
{
  const int n = 7, m = 12;
  Dense     A(n, Values(m, 0.)), B(m, Values(n, 0.));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      {
        A[i][j] = i != 3 && (i + 2 * j) % 3 == 0 ? 1. + i - 0.5 * j : 0.;
        B[j][i] = A[i][j];
      }
  for (const int node_size : {1, 2, 3})
    {
      ScaledProduct product(device, to_csr(A), to_csr(B), node_size);
      for (const unsigned int seed : {1, 2})
        {
          Values d  = random_values(m, seed);
          Dense  DB = B;
          d[4]      = 0.;
          for (int j = 0; j < m; ++j)
            for (double &value : DB[j])
              value *= d[j];
          Dense expected = multiply(A, DB);
          expected[3][3] = 1.;
          product.update(to_device(device, d));
          CSRMatrix<double> K = *product.pattern();
          K.value             = to_host(product.rows()->values);
          for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
              EXPECT_NEAR(entry(K, i, j), expected[i][j], 1e-12) << i << ", " << j;
        }
    }
}

TEST_P(ScaledProductTest, RefusesMatricesThatDoNotFit)
{
  expect_error<RunError>([&] { ScaledProduct(device, to_csr({{1., 2.}}), to_csr({{1.}})); }, {"scaled product"});
}
} // namespace
