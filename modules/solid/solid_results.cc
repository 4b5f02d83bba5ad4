#include "solid/solid_results.h"

#include "elasticity/elastic_material.h"
#include "elasticity/elastic_results.h"
#include "solid/solid_kernels.h"

#include <string>
#include <utility>

namespace adamant
{
namespace
{
template <int dim>
Stretch<dim> stretch_of(const PointState<dim> &state)
{
  Stretch<dim> at;
  const auto   F = vector_gradient(state) + dealii::unit_symmetric_tensor<dim>();
  for (int c = 0; c < dim; ++c)
    for (int d = 0; d < dim; ++d)
      at.F[c][d] = F[c][d];
  at.j = determinant(F) - 1.;
  at.complete();
  return at;
}

// What follows from the energies of a state's material, and from p, the derivative of the volumetric one.
template <int dim>
struct PointResults
{
  OfEntries<SolidEnergy>                      of;
  std::shared_ptr<const ProjectedValues<dim>> projected;

  double pressure(const PointState<dim> &state, double j) const
  {
    return projected ? projected->p(state) : of.in(state.material).volumetric(j).first;
  }
  double value(const PointState<dim> &state) const
  {
    const auto  at     = stretch_of(state);
    const auto &energy = of.in(state.material);
    return energy.shape(at.I1, at.I2, at.j).value + energy.volumetric(projected ? projected->theta(state) : at.j).value;
  }

  // The Cauchy stress, and the one across the plane. With b = F Fᵀ: J σ = 2 W_1 b + 2 W_2 (I1 b - b²) + (W_J + p) J I.
  std::pair<dealii::SymmetricTensor<2, dim>, double> cauchy_stress(const PointState<dim> &state) const
  {
    const auto   at     = stretch_of(state);
    const auto   W      = of.in(state.material).shape(at.I1, at.I2, at.j);
    const double mean   = W.first[2] + pressure(state, at.j);
    const auto   stress = [&](double b, double b2) {
      return 2. * (W.first[0] * b + W.first[1] * (at.I1 * b - b2)) / (1. + at.j);
    };
    const auto                      F = vector_gradient(state) + dealii::unit_symmetric_tensor<dim>();
    const dealii::Tensor<2, dim>    b = F * transpose(F), b2 = b * b;
    dealii::SymmetricTensor<2, dim> sigma;
    for (int c = 0; c < dim; ++c)
      for (int d = c; d < dim; ++d)
        sigma[c][d] = stress(b[c][d], b2[c][d]) + (c == d ? mean : 0.);
    return {sigma, dim == 2 ? stress(1., 1.) + mean : sigma[dim - 1][dim - 1]};
  }
};
} // namespace

template <int dim>
double ProjectedValues<dim>::at(const Array<double> &of_points, const PointState<dim> &state) const
{
  const std::size_t n_q  = quadrature.size();
  const double     *here = of_points.data() + n_q * state.cell;
  double            mean = 0.;
  for (std::size_t q = 0; q < n_q; ++q)
    mean += here[q] / n_q;
  if (space.element().degree == 1)
    return mean;
  // A linear function of the unit cell's coordinates; Gauss's points lie symmetrically around the middle.
  const auto unit  = mapping.transform_real_to_unit_cell(space.active_cells()[state.cell], state.point);
  double     value = mean;
  for (int d = 0; d < dim; ++d)
    {
      double slope = 0., squares = 0.;
      for (std::size_t q = 0; q < n_q; ++q)
        {
          const double x = quadrature.point(q)[d] - 0.5;
          slope += here[q] * x;
          squares += x * x;
        }
      value += slope / squares * (unit[d] - 0.5);
    }
  return value;
}

template <int dim>
std::vector<Quantity<dim>> solid_quantities(const OfEntries<SolidEnergy>                      &energies,
                                            const std::shared_ptr<const ProjectedValues<dim>> &projected)
{
  using State = PointState<dim>;
  const PointResults<dim>    of{energies, projected};
  std::vector<Quantity<dim>> quantities = {
    {"displacement", [](const State &state) { return vector_value(state).norm(); }},
    {"J", [](const State &state) { return 1. + stretch_of(state).j; }},
    {"energy", [of](const State &state) { return of.value(state); }},
    {"von_mises",
     [of](const State &state) {
       const auto [sigma, zz] = of.cauchy_stress(state);
       return von_mises(sigma, zz);
     }},
    {"mean_stress", [of](const State &state) {
       const auto [sigma, zz] = of.cauchy_stress(state);
       return (trace(sigma) + (dim == 2 ? zz : 0.)) / 3.;
     }}};
  const auto names = stress_names<dim>();
  auto       name  = names.begin();
  for (int a = 0; a < dim; ++a)
    for (int b = a; b < dim; ++b)
      quantities.push_back({*name++, [of, a, b](const State &state) { return of.cauchy_stress(state).first[a][b]; }});
  return quantities;
}

template <int dim>
std::shared_ptr<const DerivedFields<dim>> solid_fields(const EvaluationParameters                        &parameters,
                                                       const OfEntries<SolidEnergy>                      &energies,
                                                       const std::shared_ptr<const ProjectedValues<dim>> &projected)
{
  typename DerivedFields<dim>::Prepare number;
  if (projected)
    number = [projected](const auto &cell, auto &states) {
      for (auto &state : states)
        state.cell = projected->cells().cell_number(cell);
    };
  return std::make_shared<const DerivedFields<dim>>(parameters, solid_quantities<dim>(energies, projected), number);
}

template class ProjectedValues<2>;
template class ProjectedValues<3>;
template decltype(solid_fields<2>) solid_fields<2>;
template decltype(solid_fields<3>) solid_fields<3>;

template decltype(solid_quantities<2>) solid_quantities<2>;
template decltype(solid_quantities<3>) solid_quantities<3>;
} // namespace adamant
