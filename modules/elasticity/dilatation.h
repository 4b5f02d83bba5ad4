#pragma once

#include <deal.II/base/exceptions.h>
#include <deal.II/base/point.h>
#include <deal.II/base/tensor.h>

#include <cmath>
#include <utility>
#include <vector>

namespace adamant
{
/// The polynomials of degree p - 1 on one cell, p the element's degree, 1 or 2: an orthonormal basis ψ_k of them in
/// L2 of the cell. The projection of a divergence is Σ_k ψ_k ∫ ψ_k div u. In its place in the stiffness matrix (B-bar:
/// Hughes 1980; for p = 1 the mean dilatation of Nagtegaal, Parks & Rice 1974), a material that is nearly
/// incompressible restrains no more displacements than a pressure of these polynomials would: Q1/P0 does not lock, and
/// Q2/P-1 is stable (Boffi & Gastaldi 2002: in the coordinates of space, not in those of the reference cell).
template <int dim>
class DilatationSpace
{
public:
  /// From the points of a quadrature on the cell and its weights there; all points may be moved by one vector.
  DilatationSpace(std::vector<dealii::Point<dim>> quadrature_points, std::vector<double> JxW, unsigned int degree)
    : points(std::move(quadrature_points))
    , weights(std::move(JxW))
    , slopes(degree > 1 ? dim : 0)
  {
    double volume = 0;
    for (std::size_t q = 0; q < points.size(); ++q)
      {
        volume += weights[q];
        centre += weights[q] * points[q];
      }
    centre /= volume;
    constant = 1. / std::sqrt(volume);
    for (unsigned int d = 0; d < slopes.size(); ++d) // Gram-Schmidt; they are orthogonal to the constants
      {
        slopes[d][d] = 1.;
        for (unsigned int e = 0; e < d; ++e)
          slopes[d] -= product(slopes[d], slopes[e]) * slopes[e];
        slopes[d] /= std::sqrt(product(slopes[d], slopes[d]));
      }
  }

  unsigned int size() const { return 1 + slopes.size(); }

  /// ψ_k(x).
  double value(unsigned int k, const dealii::Point<dim> &x) const
  {
    return k == 0 ? constant : slopes[k - 1] * (x - centre);
  }

  /// ∫ ψ_k f, f(q) given at the quadrature points: a number or a tensor.
  template <typename F>
  auto moment(unsigned int k, const F &f) const
  {
    auto sum = (weights[0] * value(k, points[0])) * f(0u);
    for (unsigned int q = 1; q < points.size(); ++q)
      sum += (weights[q] * value(k, points[q])) * f(q);
    return sum;
  }

private:
  double product(const dealii::Tensor<1, dim> &a, const dealii::Tensor<1, dim> &b) const
  {
    double sum = 0;
    for (std::size_t q = 0; q < points.size(); ++q)
      sum += weights[q] * (a * (points[q] - centre)) * (b * (points[q] - centre));
    return sum;
  }

  std::vector<dealii::Point<dim>>     points;
  std::vector<double>                 weights;
  dealii::Point<dim>                  centre;
  double                              constant = 0.;
  std::vector<dealii::Tensor<1, dim>> slopes; // of ψ_1, ψ_2, ...
};
} // namespace adamant
