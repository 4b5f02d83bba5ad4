#pragma once

#include "elasticity/elastic_material.h"
#include "fem/forms/cell_context.h"

#include <deal.II/base/point.h>
#include <deal.II/base/tensor.h>
#include <deal.II/lac/full_matrix.h>

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

// Parts of the matrices of solids.

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

  /// Returns the projection at the quadrature points of a function with these values there.
  std::vector<double> projection(const std::vector<double> &f) const
  {
    std::vector<double> result(f.size(), 0.);
    for (unsigned int k = 0; k < size(); ++k)
      {
        const double moment_k = moment(k, [&](unsigned int q) { return f[q]; });
        for (std::size_t q = 0; q < f.size(); ++q)
          result[q] += moment_k * value(k, points[q]);
      }
    return result;
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

/// Integrals of an elastic material over one cell, for nodes a and b and components c and d. Both are given by the
/// shape functions of the nodes' first components. With axial symmetry all integrals have the factor 2 pi r.
///
/// The stiffness is `K_(a,c)(b,d) = ∫ sigma(φ_b e_d) : epsilon(φ_a e_c) = lambda G_cd + mu (G_dc + δ_cd tr G)`, with
/// G = ∫ grad φ_a (x) grad φ_b. With B-bar, Σ_kl D_a,k,c L_kl D_b,l,d takes the place of lambda G_cd, so that
/// divergences are projected. There D_a,k is ∫ ψ_k grad φ_a, and L_kl is ∫ lambda ψ_k ψ_l (DilatationSpace). With axial
/// symmetry the divergence of φ_a e_r has φ_a / r, too, and the strain around the axis is φ_a / r.
template <int dim>
class ElasticIntegrals
{
public:
  /// The first two arguments have to outlive the object. Without `stiffness` it has the mass alone.
  ElasticIntegrals(const CellContext<dim> &cell, const ElasticMaterials &materials, bool stiffness = true)
    : cell(cell)
    , axial(materials.axial())
    , b_bar(materials.b_bar && stiffness)
    , materials(materials.on(cell))
  {
    for (const unsigned int q : cell.quadrature_point_indices())
      weight.push_back(axial ? cell.JxW(q) * materials.measure(cell.quadrature_point(q)) : cell.JxW(q));
    if (b_bar)
      project();
  }

  /// Returns M_ab = ∫ rho φ_a φ_b.
  double mass(unsigned int a, unsigned int b) const
  {
    double M = 0;
    for (const unsigned int q : cell.quadrature_point_indices())
      M += material(q).density * cell.value(a, q) * cell.value(b, q) * weight[q];
    return M;
  }

  /// Returns K_ab, entry [c][d] for the components c and d.
  dealii::Tensor<2, dim> stiffness(unsigned int a, unsigned int b) const
  {
    if (materials.size() > 1 || axial)
      return stiffness_by_points(a, b);
    dealii::Tensor<2, dim> G, divergences, K;
    for (const unsigned int q : cell.quadrature_point_indices())
      G += outer_product(cell.gradient(a, q) * cell.JxW(q), cell.gradient(b, q));
    if (!b_bar)
      divergences = G;
    for (unsigned int k = 0; k < n_polynomials(); ++k) // they are orthonormal
      divergences += outer_product(D[a * n_polynomials() + k], D[b * n_polynomials() + k]);
    for (unsigned int c = 0; c < dim; ++c)
      for (unsigned int d = 0; d < dim; ++d)
        K[c][d] = materials[0].lambda * divergences[c][d] + materials[0].mu * (G[d][c] + (c == d ? trace(G) : 0.));
    return K;
  }

  /// Returns what quadrature point q adds to the load of the thermal stress s, ∫ s div(φ_a e_c) for all components c.
  dealii::Tensor<1, dim> thermal_load(unsigned int a, unsigned int q) const
  {
    dealii::Tensor<1, dim> divergences = divergence(a, q);
    if (b_bar)
      {
        divergences = 0.;
        for (unsigned int k = 0; k < polynomials->size(); ++k)
          divergences += polynomials->value(k, points[q]) * moment_of_gradient(a, k);
      }
    return (material(q).thermal_stress() * weight[q]) * divergences;
  }

private:
  const ElasticMaterial &material(unsigned int q) const { return materials[materials.size() > 1 ? q : 0]; }

  // Component c has the divergence of φ_a e_c.
  dealii::Tensor<1, dim> divergence(unsigned int a, unsigned int q) const
  {
    auto result = cell.gradient(a, q);
    if (axial)
      result[0] += cell.value(a, q) / cell.quadrature_point(q)[0];
    return result;
  }

  // The stiffness where lambda and mu depend on the place, or where there is a strain around the axis.
  dealii::Tensor<2, dim> stiffness_by_points(unsigned int a, unsigned int b) const
  {
    dealii::Tensor<2, dim> G, K; // G with mu
    for (const unsigned int q : cell.quadrature_point_indices())
      {
        const double mu = material(q).mu * weight[q];
        G += outer_product(cell.gradient(a, q) * mu, cell.gradient(b, q));
        if (!b_bar)
          K += outer_product(divergence(a, q) * (material(q).lambda * weight[q]), divergence(b, q));
        if (axial)
          K[0][0] += 2. * mu * cell.value(a, q) * cell.value(b, q) / std::pow(cell.quadrature_point(q)[0], 2);
      }
    const unsigned int n = n_polynomials();
    for (unsigned int k = 0; k < n; ++k)
      for (unsigned int l = 0; l < n; ++l)
        K += L[k * n + l] * outer_product(D[a * n + k], D[b * n + l]);
    for (unsigned int c = 0; c < dim; ++c)
      for (unsigned int d = 0; d < dim; ++d)
        K[c][d] += G[d][c] + (c == d ? trace(G) : 0.);
    return K;
  }

  unsigned int n_polynomials() const { return polynomials ? polynomials->size() : 0; }

  dealii::Tensor<1, dim> moment_of_gradient(unsigned int i, unsigned int k) const
  {
    return polynomials->moment(k, [&](unsigned int q) { return cell.gradient(i, q); });
  }

  void project()
  {
    points = cell.quadrature_points_of_shape();
    polynomials.emplace(points, weight, cell.degree());
    const unsigned int n = n_polynomials();
    D.resize(cell.dofs_per_cell() * n);
    for (const unsigned int i : cell.dof_indices())
      for (unsigned int k = 0; cell.component(i) == 0 && k < n; ++k)
        D[i * n + k] = moment_of_gradient(i, k);
    for (unsigned int k = 0; materials.size() > 1 && k < n; ++k)
      for (unsigned int l = 0; l < n; ++l)
        L.push_back(polynomials->moment(
          k, [&](unsigned int q) { return material(q).lambda * polynomials->value(l, points[q]); }));
  }

  const CellContext<dim>             &cell;
  const bool                          axial, b_bar;
  const std::vector<ElasticMaterial>  materials; // one, or one for each quadrature point
  std::vector<double>                 weight;
  std::vector<dealii::Point<dim>>     points; // with B-bar, as what follows
  std::optional<DilatationSpace<dim>> polynomials;
  std::vector<dealii::Tensor<1, dim>> D; // of the first component's shape functions
  std::vector<double>                 L; // where lambda depends on the place
};
} // namespace adamant
