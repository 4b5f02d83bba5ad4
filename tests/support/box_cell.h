#pragma once

#include "base/array.h"

#include <array>
#include <cmath>

namespace adamant
{
namespace test
{
/// Calls action(value, gradient, weight) at the 2^dim points of Gauss' formula in a box of these sides. The arguments
/// are the values and gradients of the multilinear functions there, in deal.II's order of vertices.
template <int dim, class Action>
void for_each_point_of_box(const double (&side)[dim], const Action &action)
{
  constexpr int n      = 1 << dim;
  double        weight = 1. / n;
  for (const double length : side)
    weight *= length;
  for (int q = 0; q < n; ++q)
    {
      double value[n], gradient[n][dim];
      for (int a = 0; a < n; ++a)
        for (int d = -1; d < dim; ++d) // the derivative d, or the value
          {
            double &result = d < 0 ? value[a] : gradient[a][d];
            result         = 1.;
            for (int e = 0; e < dim; ++e)
              {
                const double at = 0.5 + (q >> e & 1 ? 0.5 : -0.5) / std::sqrt(3.), far = a >> e & 1;
                result *= e == d ? (2. * far - 1.) / side[e] : far * at + (1. - far) * (1. - at);
              }
          }
      action(value, gradient, weight);
    }
}

/// ∫ μ (∇v : ∇u + ∇v : ∇uᵀ) + λ div v div u of multilinear vector fields over a box of these sides. The matrix is
/// row-major, with vertices in deal.II's order, and the components of a vertex one after the other.
template <int dim>
Array<double> box_cell_matrix(const double (&side)[dim], double mu, double lambda)
{
  constexpr int n = 1 << dim;
  Array<double> K(n * dim * n * dim, 0.);
  for_each_point_of_box(side, [&](const auto &, const auto &gradient, double weight) {
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b)
        for (int c = 0; c < dim; ++c)
          for (int d = 0; d < dim; ++d)
            {
              double sum = mu * gradient[a][d] * gradient[b][c] + lambda * gradient[a][c] * gradient[b][d];
              for (int e = 0; c == d && e < dim; ++e)
                sum += mu * gradient[a][e] * gradient[b][e];
              K[(dim * a + c) * n * dim + dim * b + d] += sum * weight;
            }
  });
  return K;
}

/// ∫ k ∇v · ∇u + m v u + u b · ∇v of multilinear functions over a box of these sides, row-major.
template <int dim>
Array<double> box_scalar_matrix(const double (&side)[dim], double k, double m, const std::array<double, 3> &b = {})
{
  constexpr int n = 1 << dim;
  Array<double> K(n * n, 0.);
  for_each_point_of_box(side, [&](const auto &value, const auto &gradient, double weight) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        {
          double sum = m * value[i] * value[j];
          for (int e = 0; e < dim; ++e)
            sum += (k * gradient[j][e] + b[e] * value[j]) * gradient[i][e];
          K[n * i + j] += sum * weight;
        }
  });
  return K;
}
} // namespace test
} // namespace adamant
