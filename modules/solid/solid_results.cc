#include "solid/solid_results.h"

#include "elasticity/elastic_material.h"
#include "elasticity/elastic_results.h"
#include "solid/solid_kernels.h"

#include <algorithm>
#include <string>

namespace adamant
{
namespace
{
template <int dim>
Stretch<dim> stretch_of(const PointState<dim> &state)
{
  Stretch<dim> at;
  const auto   gradient = vector_gradient(state);
  for (int c = 0; c < dim; ++c)
    for (int d = 0; d < dim; ++d)
      at.H[c][d] = gradient[c][d];
  at.j = determinant_less_one(at.H);
  at.complete();
  strain_of(at.H, at.G);
  return at;
}

// The energy, the stress across the plane, and the components of the Cauchy stress.
template <int dim>
struct AtPoint
{
  double                          energy, across;
  dealii::SymmetricTensor<2, dim> stress;
};

// Where results stand behind the components of u in a state's values, so that quantities share them.
template <int dim>
void append(const AtPoint<dim> &results, std::vector<double> &values)
{
  values.insert(values.end(), {results.energy, results.across});
  values.insert(values.end(), results.stress.begin_raw(), results.stress.end_raw());
}

// What follows from the energies of a state's material, and from p, the derivative of the volumetric one.
template <int dim>
struct PointResults
{
  OfEntries<SolidEnergy>                      of;
  std::shared_ptr<const ProjectedValues<dim>> projected;

  AtPoint<dim> operator()(const PointState<dim> &state) const
  {
    if (state.value.size() == dim)
      return computed(state);
    const double *shared = state.value.data() + dim;
    AtPoint<dim>  results{shared[0], shared[1], {}};
    std::copy_n(shared + 2, results.stress.n_independent_components, results.stress.begin_raw());
    return results;
  }

  // J σ = P Fᵀ.
  AtPoint<dim> computed(const PointState<dim> &state) const
  {
    const auto  at     = stretch_of(state);
    const auto &energy = of.in(state.material);
    const auto  theta  = projected ? projected->at(state) : std::array<double, 2>{{at.j, 0.}};
    auto        W      = energy.shape(at.invariants());
    auto        U      = energy.volumetric(theta[0]);
    if (projected)
      U.first = theta[1];
    W += U;
    double P[dim][dim];
    at.piola(W.stress, W.first[1], W.first[2], P);
    AtPoint<dim> results{W.value, 0., {}};
    for (int c = 0; c < dim; ++c)
      for (int d = c; d < dim; ++d)
        results.stress[c][d] = dot<dim>(P[c], at.F[d]) / (1. + at.j);
    // Across the plane F, G and cof F have the entries 1, 0 and J.
    results.across = dim == 2 ? (W.stress + 2. * W.first[1] * trace_of(at.G) + W.first[2] * at.j) / (1. + at.j) :
                                results.stress[dim - 1][dim - 1];
    return results;
  }
};
} // namespace

template <int dim>
std::array<double, 2> ProjectedValues<dim>::at(const PointState<dim> &state) const
{
  const std::size_t     n_q    = quadrature.size();
  const bool            linear = space.element().degree > 1;
  dealii::Point<dim>    unit;
  std::array<double, 2> values{};
  if (linear)
    unit = mapping.transform_real_to_unit_cell(space.active_cells()[state.cell], state.point);
  for (const int k : {0, 1})
    {
      const double *here = (k == 0 ? dilatation : pressure).data() + n_q * state.cell;
      for (std::size_t q = 0; q < n_q; ++q)
        values[k] += here[q] / n_q;
      // A linear function of the unit cell's coordinates; Gauss's points lie symmetrically around the middle.
      for (int d = 0; d < dim && linear; ++d)
        {
          double slope = 0., squares = 0.;
          for (std::size_t q = 0; q < n_q; ++q)
            {
              const double x = quadrature.point(q)[d] - 0.5;
              slope += here[q] * x;
              squares += x * x;
            }
          values[k] += slope / squares * (unit[d] - 0.5);
        }
    }
  return values;
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
    {"energy", [of](const State &state) { return of(state).energy; }},
    {"von_mises",
     [of](const State &state) {
       const auto results = of(state);
       return von_mises(results.stress, results.across);
     }},
    {"mean_stress", [of](const State &state) {
       const auto results = of(state);
       return (trace(results.stress) + (dim == 2 ? results.across : 0.)) / 3.;
     }}};
  const auto names = stress_names<dim>();
  auto       name  = names.begin();
  for (int a = 0; a < dim; ++a)
    for (int b = a; b < dim; ++b)
      quantities.push_back({*name++, [of, a, b](const State &state) { return of(state).stress[a][b]; }});
  return quantities;
}

template <int dim>
std::shared_ptr<const DerivedFields<dim>> solid_fields(const EvaluationParameters                        &parameters,
                                                       const OfEntries<SolidEnergy>                      &energies,
                                                       const std::shared_ptr<const ProjectedValues<dim>> &projected)
{
  const auto share = [of = PointResults<dim>{energies, projected}, projected](const auto &cell, auto &states) {
    for (auto &state : states)
      {
        if (projected)
          state.cell = projected->cells().cell_number(cell);
        append(of.computed(state), state.value);
      }
  };
  return std::make_shared<const DerivedFields<dim>>(parameters, solid_quantities<dim>(energies, projected), share);
}

template class ProjectedValues<2>;
template class ProjectedValues<3>;
template decltype(solid_fields<2>) solid_fields<2>;
template decltype(solid_fields<3>) solid_fields<3>;

template decltype(solid_quantities<2>) solid_quantities<2>;
template decltype(solid_quantities<3>) solid_quantities<3>;
} // namespace adamant
