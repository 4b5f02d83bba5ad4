#pragma once

#include "parameters.h"

#include "elasticity/elastic_material.h"
#include "elasticity/springs.h"
#include "elasticity/stiffness.h"
#include "frame/unknown.h"
#include "solvers/krylov.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace elasticity
{
using namespace dealii;
using adamant::CellContext;

/// Adds the matrices A and E of a formulation (main.cc) on one cell: mass M and stiffness K (adamant::ElasticIntegrals
/// and adamant::Springs) with a weight for each block.
template <int dim>
class Formulation
{
public:
  /// `name` is condensed, coupled or stationary; `lengths` are the domain's lengths. Throws InputError where materials,
  /// springs and supports do not fit to the mesh. All ranks call it together.
  Formulation(const std::string &name, const Parameters &parameters, const adamant::Unknown<dim> &field,
              const Mapping<dim> &mapping, double dt, const std::vector<double> &lengths)
    : products(parameters.products_of(name == "stationary"))
    , stationary(name == "stationary")
    , coupled(name == "coupled")
    , materials(parameters.materials())
    , thermal(parameters.problem.is_thermal())
    , normal(!parameters.problem.boundaries.held_normally().empty())
    , springs(field, mapping, parameters.problem.boundaries.springs, materials.axial())
  {
    parameters.problem.adamant::ElasticMaterialParameters::check(field.space());
    extremes = adamant::extremes(materials, field.space(), mapping, !stationary);
    parameters.problem.boundaries.check_supports(field.field(), mapping, lengths, springs, stationary,
                                                 materials.axial());
    // s is the lowest eigenvalue of dt² K / M on a box of this length, plus 1: about the weight of K in the residual.
    const double length = *std::max_element(lengths.begin(), lengths.begin() + dim);
    const double s      = 1. + dt * dt * extremes.wave_speed_squared * std::pow(numbers::PI / length, 2);
    mass                = coupled ? Blocks({{s, -s}, {0., 1.}}) : Blocks({{stationary ? 0. : 1.}});
    old_mass            = coupled ? Blocks({{s, 0.}, {0., 1.}}) : mass;
    stiffness           = coupled ? Blocks({{0., 0.}, {dt * dt, 0.}}) : Blocks({{stationary ? 1. : dt * dt}});
  }

  /// Returns the system's name in messages: the largest lambda / mu of a material says how hard it is.
  std::string name() const
  {
    return (stationary ? "stationary problem (lambda/mu = " : "time step (lambda/mu = ") +
           adamant::to_text(extremes.lambda_over_mu) + ")";
  }

  const adamant::Products         products;
  const bool                      stationary, coupled;
  const adamant::ElasticMaterials materials;

  void add_A(const CellContext<dim> &cell, FullMatrix<double> &local) const
  {
    const adamant::ElasticIntegrals<dim> integrals(cell, materials);
    add_mass(cell, integrals, mass, local);
    adamant::for_each_node_pair(cell, local, [&](unsigned int a, unsigned int b, const auto &entry) {
      auto K = integrals.stiffness(a, b);
      if (!springs.empty())
        K += springs.stiffness(cell, a, b);
      for (unsigned int i = 0; i <= coupled; ++i)
        for (unsigned int c = 0; c < dim; ++c)
          for (unsigned int d = 0; d < dim; ++d)
            entry(i * dim + c, d) += stiffness[i][0] * K[c][d];
    });
  }

  void add_E(const CellContext<dim> &cell, FullMatrix<double> &local) const
  {
    add_mass(cell, adamant::ElasticIntegrals<dim>(cell, materials, false), old_mass, local);
  }

  /// Conditions along normals join the components of a node.
  adamant::ColumnKind columns_of_E() const
  {
    return normal ? adamant::ColumnKind::nodal_values : adamant::ColumnKind::nodal_values_by_component;
  }

  /// Returns a load in the rows that have it: with the coupled formulation, the rows of dt v behind u in each node.
  adamant::Array<double> in_rows(adamant::Array<double> F) const
  {
    if (coupled && !F.empty())
      std::rotate(F.begin(), F.end() - dim, F.end());
    return F;
  }

  /// Adds the load of thermal stresses, with the weight of K, to a right-hand side.
  void add_thermal_load(const adamant::Unknown<dim> &field, adamant::Vector<double> &rhs) const
  {
    if (!thermal)
      return;
    const auto T = field.matrix("T", adamant::ColumnKind::quadrature_points, [this](const auto &cell, auto &local) {
      const adamant::ElasticIntegrals<dim> integrals(cell, materials);
      for (const unsigned int i : cell.dof_indices())
        for (const unsigned int q : cell.quadrature_point_indices())
          local(i, q) += stiffness[cell.component(i) / dim][0] * integrals.thermal_load(i, q)[cell.component(i) % dim];
    });
    const adamant::Vector<double> ones(rhs.device(), adamant::Array<double>(T.n_cols(), 1.));
    rhs.device().multiply(1., T, ones, 1., rhs);
  }

private:
  using Blocks = Tensor<2, 2>; // [0] is u; [1] is dt v, which only the coupled formulation has

  void add_mass(const CellContext<dim> &cell, const adamant::ElasticIntegrals<dim> &integrals, const Blocks &weight,
                FullMatrix<double> &local) const
  {
    if (!stationary)
      adamant::for_each_node_pair(cell, local, [&](unsigned int a, unsigned int b, const auto &entry) {
        const double M = integrals.mass(a, b);
        for (unsigned int i = 0; i <= coupled; ++i)
          for (unsigned int j = 0; j <= coupled; ++j)
            for (unsigned int c = 0; c < dim; ++c)
              entry(i * dim + c, j * dim + c) += weight[i][j] * M;
      });
  }

  const bool                  thermal, normal;
  adamant::MaterialExtremes   extremes;
  const adamant::Springs<dim> springs;
  Blocks                      mass, old_mass, stiffness;
};
} // namespace elasticity
