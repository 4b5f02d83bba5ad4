#pragma once

#include "elasticity/stiffness.h"
#include "fem/forms/integrals.h"
#include "fem/functions/gradient_postprocessor.h"
#include "fem/functions/points.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// Calls action(a, b) for the components of a stress in their order.
template <int dim, typename Action>
void for_each_component(const Action &action)
{
  for (int a = 0; a < dim; ++a)
    for (int b = a; b < dim; ++b)
      action(a, b);
}

/// Returns the polynomials on the cell of `values`, which has quadrature points and weights.
template <int dim>
DilatationSpace<dim> dilatation_space(const dealii::FEValues<dim> &values)
{
  return {values.get_quadrature_points(), values.get_JxW_values(), values.get_fe().degree};
}

/// Returns the names of a stress's components in files: xx, xy, yy; in three dimensions xx, xy, xz, yy, yz, zz.
template <int dim>
std::vector<std::string> stress_names()
{
  std::vector<std::string> names;
  for_each_component<dim>([&](int a, int b) { names.push_back(std::string("stress_") + "xyz"[a] + "xyz"[b]); });
  return names;
}

/// A postprocessor for DataOut: the components "stress_xx", "stress_xy", ... and "von_mises" of a displacement. Where
/// dilatations are projected, the points of DataOut's patches, degree + 1 in each direction, serve as points of a
/// Newton-Cotes rule. stress_postprocessor() makes it.
template <int dim>
class StressPostprocessor : public GradientPostprocessor<dim>
{
public:
  StressPostprocessor(const std::vector<std::string> &names, const ElasticMaterials &materials)
    : GradientPostprocessor<dim>(names, nullptr)
    , materials(materials)
  {}

  void evaluate_vector_field(const dealii::DataPostprocessorInputs::Vector<dim> &input,
                             std::vector<dealii::Vector<double>>                &results) const override
  {
    std::vector<dealii::SymmetricTensor<2, dim>> strain(results.size());
    std::vector<double>                          dilatation;
    for (std::size_t q = 0; q < strain.size(); ++q)
      {
        dealii::Tensor<2, dim> gradient;
        for (int c = 0; c < dim; ++c)
          gradient[c] = input.solution_gradients[q][c];
        strain[q] = dealii::symmetrize(gradient);
        dilatation.push_back(trace(strain[q]));
      }
    if (materials.b_bar)
      dilatation = projected(dilatation, input.evaluation_points);
    const auto &material = materials(input.template get_cell<dim>()->material_id());
    for (std::size_t q = 0; q < strain.size(); ++q)
      {
        auto       &values = results[q];
        const auto  sigma  = material.stress(strain[q], dilatation[q]);
        std::size_t k      = 0;
        for_each_component<dim>([&](int a, int b) { values[k++] = sigma[a][b]; });
        values[k] = material.von_mises(strain[q]);
      }
  }

  dealii::UpdateFlags get_needed_update_flags() const override
  {
    return dealii::update_gradients | dealii::update_quadrature_points;
  }

private:
  // By the trapezoidal rule of 2 points or Simpson's of 3 in each direction: exact on parallelograms.
  static std::vector<double> projected(const std::vector<double>             &dilatation,
                                       const std::vector<dealii::Point<dim>> &points)
  {
    const auto                   n_1d = static_cast<unsigned int>(std::lround(std::pow(points.size(), 1. / dim)));
    const dealii::QIterated<dim> rule(
      n_1d == 2 ? dealii::Quadrature<1>(dealii::QTrapezoid<1>()) : dealii::Quadrature<1>(dealii::QSimpson<1>()), 1);
    const DilatationSpace<dim> space(points, rule.get_weights(), n_1d - 1);
    std::vector<double>        result(points.size(), 0.);
    for (unsigned int k = 0; k < space.size(); ++k)
      {
        const double moment = space.moment(k, [&](unsigned int q) { return dilatation[q]; });
        for (std::size_t q = 0; q < points.size(); ++q)
          result[q] += moment * space.value(k, points[q]);
      }
    return result;
  }

  const ElasticMaterials materials;
};

template <int dim>
std::shared_ptr<const GradientPostprocessor<dim>> stress_postprocessor(const ElasticMaterials &materials)
{
  auto names = stress_names<dim>();
  names.emplace_back("von_mises");
  return std::make_shared<const StressPostprocessor<dim>>(names, materials);
}

/// Returns the matrix that evaluates stresses at points from a displacement: nodal values of the first dim components
/// of the space. Rows (n + 1) p to (n + 1) p + n - 1 give the n components stress_names() at point p, and the next row
/// sigma_zz. At the border of cells the stress is that of one cell. All else is as in evaluation_matrix (points.h).
template <int dim>
CSRMatrix<double> stress_matrix(const std::string &key, const LevelSpace<dim> &space,
                                const dealii::Mapping<dim> &mapping, const ElasticMaterials &materials,
                                const std::vector<dealii::Point<dim>> &points)
{
  const auto           &fe = space.element();
  dealii::FEValues<dim> on_cell(mapping, fe, dealii::QGauss<dim>(fe.degree + 1),
                                dealii::update_gradients | dealii::update_JxW_values |
                                  dealii::update_quadrature_points);
  const auto            projected = [&](const dealii::FEValues<dim> &at_point, unsigned int i, unsigned int c) {
    on_cell.reinit(at_point.get_cell());
    const auto polynomials = dilatation_space(on_cell);
    double     sum         = 0;
    for (unsigned int k = 0; k < polynomials.size(); ++k)
      sum += polynomials.value(k, at_point.quadrature_point(0)) *
             polynomials.moment(k, [&](unsigned int q) { return on_cell.shape_grad(i, q)[c]; });
    return sum;
  };
  return point_matrix<dim>(key, space, mapping, points, dim * (dim + 1) / 2 + 1,
                           dealii::update_gradients | dealii::update_quadrature_points,
                           [&](const dealii::FEValues<dim> &values, unsigned int i, std::vector<double> &shares) {
                             const unsigned int c = fe.system_to_component_index(i).first;
                             if (c >= dim)
                               return;
                             dealii::Tensor<2, dim> gradient;
                             gradient[c]             = values.shape_grad(i, 0);
                             const auto  &material   = materials(values.get_cell()->material_id());
                             const double dilatation = materials.b_bar ? projected(values, i, c) : gradient[c][c];
                             const auto   sigma      = material.stress(dealii::symmetrize(gradient), dilatation);
                             auto         share      = shares.begin();
                             for_each_component<dim>([&](int a, int b) { *share++ = sigma[a][b]; });
                             *share = dim == 2 ? material.lambda * dilatation : sigma[dim - 1][dim - 1];
                           });
}

struct Energies
{
  double strain, kinetic;
};

/// Returns the energies `1/2 ∫ sigma(u) : epsilon(u)` and `1/2 ∫ rho |v|²` for nodal values at the owned DoFs, in host
/// memory. The first dim components of the space hold u, dim components from first_velocity on hold v. All ranks call
/// it together.
template <int dim>
Energies energies(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                  const dealii::Quadrature<dim> &quadrature, const ElasticMaterials &materials, const double *owned_u,
                  const double *owned_v, unsigned int first_velocity = 0)
{
  const auto u = space.local_values(owned_u), v = space.local_values(owned_v);
  const auto add = [&](int cell, const dealii::FEValues<dim> &fe_values, double *sums) {
    std::vector<double> u_cell, v_cell;
    for (const unsigned int i : fe_values.dof_indices())
      {
        u_cell.push_back(u[space.cell_dofs(cell)[i]]);
        v_cell.push_back(v[space.cell_dofs(cell)[i]]);
      }
    std::vector<dealii::SymmetricTensor<2, dim>> strain(fe_values.n_quadrature_points);
    std::vector<dealii::Tensor<1, dim>>          velocity(fe_values.n_quadrature_points);
    fe_values[dealii::FEValuesExtractors::Vector(0)].get_function_symmetric_gradients_from_local_dof_values(u_cell,
                                                                                                            strain);
    fe_values[dealii::FEValuesExtractors::Vector(first_velocity)].get_function_values_from_local_dof_values(v_cell,
                                                                                                            velocity);
    const auto &material = materials(fe_values.get_cell()->material_id());
    if (materials.b_bar) // lambda/2 |projection of the dilatation|², and the rest below
      {
        const auto polynomials = dilatation_space(fe_values);
        for (unsigned int k = 0; k < polynomials.size(); ++k)
          sums[0] += 0.5 * material.lambda *
                     std::pow(polynomials.moment(k, [&](unsigned int q) { return trace(strain[q]); }), 2);
      }
    for (const unsigned int q : fe_values.quadrature_point_indices())
      {
        const double dilatation = materials.b_bar ? 0. : trace(strain[q]);
        sums[0] += 0.5 * (material.stress(strain[q], dilatation) * strain[q]) * fe_values.JxW(q);
        sums[1] += 0.5 * material.density * velocity[q].norm_square() * fe_values.JxW(q);
      }
  };
  const auto sums = integrate<2>(space, mapping, quadrature,
                                 dealii::update_values | dealii::update_gradients | dealii::update_JxW_values |
                                   dealii::update_quadrature_points,
                                 add);
  return {sums[0], sums[1]};
}
} // namespace adamant
