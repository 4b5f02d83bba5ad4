#pragma once

#include "base/array.h"

#include <cmath>

namespace adamant
{
namespace test
{
/// ∫ μ (∇v : ∇u + ∇v : ∇uᵀ) + λ div v div u of trilinear vector fields over a box of these sides, by Gauss' formula
/// with 2³ points. The matrix is 24 x 24, row-major, with vertices in deal.II's order, and the three components of a
/// vertex one after the other.
inline Array<double> box_cell_matrix(const double (&side)[3], double mu, double lambda)
{
  Array<double> K(24 * 24, 0.);
  for (int q = 0; q < 8; ++q)
    {
      double gradient[8][3];
      for (int a = 0; a < 8; ++a)
        for (int d = 0; d < 3; ++d)
          {
            gradient[a][d] = 1.;
            for (int e = 0; e < 3; ++e)
              {
                const double at = 0.5 + (q >> e & 1 ? 0.5 : -0.5) / std::sqrt(3.), far = a >> e & 1;
                gradient[a][d] *= e == d ? (2. * far - 1.) / side[e] : far * at + (1. - far) * (1. - at);
              }
          }
      for (int a = 0; a < 8; ++a)
        for (int b = 0; b < 8; ++b)
          for (int c = 0; c < 3; ++c)
            for (int d = 0; d < 3; ++d)
              {
                double sum = mu * gradient[a][d] * gradient[b][c] + lambda * gradient[a][c] * gradient[b][d];
                for (int e = 0; c == d && e < 3; ++e)
                  sum += mu * gradient[a][e] * gradient[b][e];
                K[(3 * a + c) * 24 + 3 * b + d] += sum * side[0] * side[1] * side[2] / 8.;
              }
    }
  return K;
}
} // namespace test
} // namespace adamant
