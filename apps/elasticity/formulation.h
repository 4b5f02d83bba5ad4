#pragma once

#include "elasticity/elastic_material.h"
#include "elasticity/stiffness.h"
#include "solvers/krylov.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace elasticity
{
using namespace dealii;
using adamant::CellContext;

/// Adds the matrices A and E of a formulation (main.cc) on one cell: mass M and stiffness K with a weight for each
/// block,
///
///   M_ab = ∫ rho φ_a φ_b, K_(a,c)(b,d) = ∫ sigma(φ_b e_d) : epsilon(φ_a e_c) = lambda G_cd + mu (G_dc + δ_cd tr G),
///
/// with G = ∫ grad φ_a (x) grad φ_b, for nodes a, b and components c, d. With B-bar, lambda Σ_k D_a,k,c D_b,k,d takes
/// the place of lambda G_cd: it has projected divergences, with D_a,k = ∫ ψ_k grad φ_a (adamant::DilatationSpace).
template <int dim>
class Formulation
{
public:
  /// `name` is condensed, coupled or stationary; `lengths` are the domain's lengths.
  Formulation(const std::string &name, const adamant::ElasticMaterials &materials, double dt,
              const std::vector<double> &lengths)
    : stationary(name == "stationary")
    , coupled(name == "coupled")
    , materials(materials)
  {
    // s is the lowest eigenvalue of dt² K / M on a box of this length, plus 1: about the weight of K in the residual.
    const double length = *std::max_element(lengths.begin(), lengths.begin() + dim);
    double       speed2 = materials.elsewhere.wave_speed_squared();
    for (const auto &entry : materials.by_id)
      speed2 = std::max(speed2, entry.second.wave_speed_squared());
    const double s = 1. + dt * dt * speed2 * std::pow(numbers::PI / length, 2);
    mass           = coupled ? Blocks({{s, -s}, {0., 1.}}) : Blocks({{stationary ? 0. : 1.}});
    old_mass       = coupled ? Blocks({{s, 0.}, {0., 1.}}) : mass;
    stiffness      = coupled ? Blocks({{0., 0.}, {dt * dt, 0.}}) : Blocks({{stationary ? 1. : dt * dt}});
  }

  /// Returns the system's name in messages: the largest lambda / mu of a material says how hard it is.
  std::string name() const
  {
    double ratio = materials.elsewhere.lambda / materials.elsewhere.mu;
    for (const auto &entry : materials.by_id)
      ratio = std::max(ratio, entry.second.lambda / entry.second.mu);
    return (stationary ? "stationary problem (lambda/mu = " : "time step (lambda/mu = ") + adamant::to_text(ratio) +
           ")";
  }

  const bool                      stationary, coupled;
  const adamant::ElasticMaterials materials;

  void add_A(const CellContext<dim> &cell, FullMatrix<double> &local) const
  {
    add_mass(cell, mass, local);
    const auto &material = materials(cell.material_id());
    const auto  D        = materials.b_bar ? moments_of_gradients(cell) : Moments();
    adamant::for_each_node_pair(cell, local, [&](unsigned int a, unsigned int b, const auto &entry) {
      Tensor<2, dim> G, divergences;
      for (const unsigned int q : cell.quadrature_point_indices())
        G += outer_product(cell.gradient(a, q) * cell.JxW(q), cell.gradient(b, q));
      divergences = materials.b_bar ? Tensor<2, dim>() : G;
      for (std::size_t k = 0; materials.b_bar && k < D[a].size(); ++k)
        divergences += outer_product(D[a][k], D[b][k]);
      for (unsigned int i = 0; i <= coupled; ++i)
        for (unsigned int c = 0; c < dim; ++c)
          for (unsigned int d = 0; d < dim; ++d)
            entry(i * dim + c, d) += stiffness[i][0] * (material.lambda * divergences[c][d] +
                                                        material.mu * (G[d][c] + (c == d ? trace(G) : 0.)));
    });
  }

  void add_E(const CellContext<dim> &cell, FullMatrix<double> &local) const { add_mass(cell, old_mass, local); }

private:
  using Blocks  = Tensor<2, 2>; // [0] is u; [1] is dt v, which only the coupled formulation has
  using Moments = std::vector<std::vector<Tensor<1, dim>>>;

  // Returns D of the first component's shape functions.
  static Moments moments_of_gradients(const CellContext<dim> &cell)
  {
    std::vector<double> JxW;
    for (const unsigned int q : cell.quadrature_point_indices())
      JxW.push_back(cell.JxW(q));
    const adamant::DilatationSpace<dim> polynomials(cell.quadrature_points_of_shape(), JxW, cell.degree());
    Moments                             D(cell.dofs_per_cell());
    for (const unsigned int i : cell.dof_indices())
      for (unsigned int k = 0; cell.component(i) == 0 && k < polynomials.size(); ++k)
        D[i].push_back(polynomials.moment(k, [&](unsigned int q) { return cell.gradient(i, q); }));
    return D;
  }

  void add_mass(const CellContext<dim> &cell, const Blocks &weight, FullMatrix<double> &local) const
  {
    const auto &material = materials(cell.material_id());
    adamant::for_each_node_pair(cell, local, [&](unsigned int a, unsigned int b, const auto &entry) {
      double M = 0;
      for (const unsigned int q : cell.quadrature_point_indices())
        M += material.density * cell.value(a, q) * cell.value(b, q) * cell.JxW(q);
      for (unsigned int i = 0; i <= coupled; ++i)
        for (unsigned int j = 0; j <= coupled; ++j)
          for (unsigned int c = 0; c < dim; ++c)
            entry(i * dim + c, j * dim + c) += weight[i][j] * M;
    });
  }

  Blocks mass, old_mass, stiffness;
};
} // namespace elasticity
