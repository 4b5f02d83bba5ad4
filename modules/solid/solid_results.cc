#include "solid/solid_results.h"

#include "elasticity/elastic_material.h"
#include "elasticity/elastic_results.h"
#include "fem/functions/points.h"
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

// The Cauchy stress, and the one across the plane.
template <int dim>
std::pair<dealii::SymmetricTensor<2, dim>, double> cauchy_stress(const PointState<dim> &state,
                                                                 const StoredEnergy    &energy)
{
  // With b = F Fᵀ: J σ = 2 W_1 b + 2 W_2 (I1 b - b²) + (W_J + U') J.
  const auto   at     = stretch_of(state);
  const auto   W      = energy.shape(at.I1, at.I2, at.j);
  const double J      = 1. + at.j;
  const auto   stress = [&](double b, double b2) { return 2. * (W.first[0] * b + W.first[1] * (at.I1 * b - b2)) / J; };
  const double pressure = W.first[2] + energy.volumetric(at.j).first;
  dealii::Tensor<2, dim> F;
  for (int c = 0; c < dim; ++c)
    for (int d = 0; d < dim; ++d)
      F[c][d] = at.F[c][d];
  const auto                      b = F * transpose(F), b2 = b * b;
  dealii::SymmetricTensor<2, dim> sigma;
  for (int c = 0; c < dim; ++c)
    for (int d = c; d < dim; ++d)
      sigma[c][d] = stress(b[c][d], b2[c][d]) + (c == d ? pressure : 0.);
  return {sigma, dim == 2 ? stress(1., 1.) + pressure : sigma[dim - 1][dim - 1]};
}
} // namespace

template <int dim>
std::vector<Quantity<dim>> solid_quantities(const OfEntries<StoredEnergy> &energies)
{
  using State                           = PointState<dim>;
  std::vector<Quantity<dim>> quantities = {
    {"displacement", [](const State &state) { return vector_value(state).norm(); }},
    {"J", [](const State &state) { return 1. + stretch_of(state).j; }},
    {"von_mises",
     [energies](const State &state) {
       const auto [sigma, zz] = cauchy_stress(state, energies.in(state.material));
       return von_mises(sigma, zz);
     }},
    {"energy", [energies](const State &state) {
       const auto  at = stretch_of(state);
       const auto &of = energies.in(state.material);
       return of.shape(at.I1, at.I2, at.j).value + of.volumetric(at.j).value;
     }}};
  const auto names = stress_names<dim>();
  auto       name  = names.begin();
  for (int a = 0; a < dim; ++a)
    for (int b = a; b < dim; ++b)
      quantities.push_back({*name++, [energies, a, b](const State &state) {
                              return cauchy_stress(state, energies.in(state.material)).first[a][b];
                            }});
  return quantities;
}

template <int dim>
std::map<unsigned int, Resultant> resultants(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                                             const std::set<unsigned int> &boundaries,
                                             const Array<double> &forces_of_cells, const double *owned_u)
{
  const auto                        u  = space.local_values(owned_u);
  const auto                        n  = static_cast<std::size_t>(space.n_dofs());
  const auto                        X  = support_points(space, mapping, numbers_below(space.n_dofs()));
  const auto                       &fe = space.element();
  std::map<unsigned int, Resultant> result;
  for (const auto id : boundaries)
    {
      const auto there = space.on_boundary(id);
      Resultant  sum;
      for (int cell = 0; cell < space.n_cells(); ++cell)
        for (int i = 0; i < space.dofs_per_cell(); ++i)
          if (const int *dofs = space.cell_dofs(cell); there[dofs[i]] != 0)
            {
              dealii::Tensor<1, 3> force, place;
              force[fe.system_to_component_index(i).first] =
                forces_of_cells[std::size_t(cell) * space.dofs_per_cell() + i];
              for (unsigned int d = 0; d < dim; ++d)
                {
                  const unsigned int of_d = fe.component_to_system_index(d, fe.system_to_component_index(i).second);
                  place[d]                = X[d * n + dofs[i]] + u[dofs[of_d]];
                }
              sum.force += force;
              sum.moment += cross_product_3d(place, force);
            }
      double sums[6];
      for (int d = 0; d < 3; ++d)
        {
          sums[d]     = sum.force[d];
          sums[3 + d] = sum.moment[d];
        }
      space.communicator().sum(sums, 6);
      for (int d = 0; d < 3; ++d)
        {
          sum.force[d]  = sums[d];
          sum.moment[d] = sums[3 + d];
        }
      result.emplace(id, sum);
    }
  return result;
}

template decltype(solid_quantities<2>) solid_quantities<2>;
template decltype(solid_quantities<3>) solid_quantities<3>;
template decltype(resultants<2>)       resultants<2>;
template decltype(resultants<3>)       resultants<3>;
} // namespace adamant
