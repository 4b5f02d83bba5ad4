#pragma once

#include "fem/forms/cell_context.h"

#include <deal.II/base/point.h>
#include <deal.II/base/tensor.h>
#include <deal.II/lac/full_matrix.h>

#include <cmath>
#include <utility>
#include <vector>

// Parts of stiffness matrices of solids.

namespace adamant
{
/// Calls f(i, j, entry) for each pair of nodes of the cell; i and j are the shape functions of their first components.
/// Its entry(c, d) is the local matrix's number for component c of the first node (row) and d of the second. It is for
/// kernels of vector fields whose components all have equal shape functions. Integrals for two nodes then serve all
/// pairs of their components.
template <int dim, typename F>
void for_each_node_pair(const CellContext<dim> &cell, dealii::FullMatrix<double> &local, const F &f)
{
  const auto               &functions    = cell.rows();
  const unsigned int        n_components = functions.n_components();
  std::vector<unsigned int> nodes(functions.dofs_per_cell()); // the shape functions, node after node
  for (const unsigned int i : functions.dof_indices())
    nodes[functions.node(i) * n_components + functions.component(i)] = i;
  for (const unsigned int *a = nodes.data(), *end = a + nodes.size(); a < end; a += n_components)
    for (const unsigned int *b = nodes.data(); b < end; b += n_components)
      f(*a, *b, [&](unsigned int c, unsigned int d) -> double & { return local(a[c], b[d]); });
}

/// An orthonormal basis ψ_k, in L2 of one cell, of the polynomials of degree p - 1; p is the element's degree, 1 or 2.
/// The projection of a divergence is Σ_k ψ_k ∫ ψ_k div u. It replaces the divergence in the stiffness matrix (B-bar:
/// Hughes 1980; for p = 1 the mean dilatation of Nagtegaal, Parks & Rice 1974). A nearly incompressible material then
/// restrains no more displacements than a pressure of these polynomials would: Q1/P0 does not lock, and Q2/P-1 is
/// stable. The polynomials are in the coordinates of space, not of the reference cell (Boffi & Gastaldi 2002).
template <int dim>
class DilatationSpace
{
public:
  /// Makes the basis from the points of a quadrature on the cell and its weights; one vector may shift all points.
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
    for (unsigned int d = 0; d < slopes.size(); ++d) // Gram-Schmidt; slopes are orthogonal to the constants
      {
        slopes[d][d] = 1.;
        for (unsigned int e = 0; e < d; ++e)
          slopes[d] -= product(slopes[d], slopes[e]) * slopes[e];
        slopes[d] /= std::sqrt(product(slopes[d], slopes[d]));
      }
  }

  unsigned int size() const { return 1 + slopes.size(); }

  /// Returns ψ_k(x).
  double value(unsigned int k, const dealii::Point<dim> &x) const
  {
    return k == 0 ? constant : slopes[k - 1] * (x - centre);
  }

  /// Returns ∫ ψ_k f; f(q) is a number or a tensor at quadrature point q.
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
  std::vector<dealii::Tensor<1, dim>> slopes; // gradients of ψ_1, ψ_2, ...
};
} // namespace adamant
