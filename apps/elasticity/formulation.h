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

/// Adds the matrices A and E of a formulation (main.cc) on one cell: mass M (adamant::elastic_mass) and stiffness K
/// (adamant::ElasticStiffness) with a weight for each block.
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
    const double speed2 = materials.largest([](const auto &material) { return material.wave_speed_squared(); });
    const double s      = 1. + dt * dt * speed2 * std::pow(numbers::PI / length, 2);
    mass                = coupled ? Blocks({{s, -s}, {0., 1.}}) : Blocks({{stationary ? 0. : 1.}});
    old_mass            = coupled ? Blocks({{s, 0.}, {0., 1.}}) : mass;
    stiffness           = coupled ? Blocks({{0., 0.}, {dt * dt, 0.}}) : Blocks({{stationary ? 1. : dt * dt}});
  }

  /// Returns the system's name in messages: the largest lambda / mu of a material says how hard it is.
  std::string name() const
  {
    const double ratio = materials.largest([](const auto &material) { return material.lambda / material.mu; });
    return (stationary ? "stationary problem (lambda/mu = " : "time step (lambda/mu = ") + adamant::to_text(ratio) +
           ")";
  }

  const bool                      stationary, coupled;
  const adamant::ElasticMaterials materials;

  void add_A(const CellContext<dim> &cell, FullMatrix<double> &local) const
  {
    add_mass(cell, mass, local);
    const adamant::ElasticStiffness<dim> elastic(cell, materials);
    adamant::for_each_node_pair(cell, local, [&](unsigned int a, unsigned int b, const auto &entry) {
      const auto K = elastic.block(a, b);
      for (unsigned int i = 0; i <= coupled; ++i)
        for (unsigned int c = 0; c < dim; ++c)
          for (unsigned int d = 0; d < dim; ++d)
            entry(i * dim + c, d) += stiffness[i][0] * K[c][d];
    });
  }

  void add_E(const CellContext<dim> &cell, FullMatrix<double> &local) const { add_mass(cell, old_mass, local); }

private:
  using Blocks = Tensor<2, 2>; // [0] is u; [1] is dt v, which only the coupled formulation has

  void add_mass(const CellContext<dim> &cell, const Blocks &weight, FullMatrix<double> &local) const
  {
    const double density = materials(cell.material_id()).density;
    adamant::for_each_node_pair(cell, local, [&](unsigned int a, unsigned int b, const auto &entry) {
      const double M = adamant::elastic_mass(cell, density, a, b);
      for (unsigned int i = 0; i <= coupled; ++i)
        for (unsigned int j = 0; j <= coupled; ++j)
          for (unsigned int c = 0; c < dim; ++c)
            entry(i * dim + c, j * dim + c) += weight[i][j] * M;
    });
  }

  Blocks mass, old_mass, stiffness;
};
} // namespace elasticity
