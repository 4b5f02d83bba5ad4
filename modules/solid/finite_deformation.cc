#include "solid/finite_deformation.h"

#include "algebra/functors.h"
#include "coefficients/level_points.h"
#include "fem/forms/assembly_tables.h"
#include "fem/functions/points.h"
#include "fem/spaces/field.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace adamant
{
template <int dim>
FiniteDeformation<dim>::FiniteDeformation(const Device &device, const DeviceField<dim> &unknown,
                                          const dealii::Mapping<dim> &mapping, const OfEntries<StoredEnergy> &energies)
  : device(device)
  , unknown(unknown)
  , mapping(mapping)
  , quadrature(unknown.space().element().degree + 1)
  , on_levels(device, unknown.field())
  , averages(device, unknown.field(), Average::arithmetic)
  , E(device, sum_of_cell_loads(unknown.space()))
  , E_prescribed(device, sum_of_cell_loads(unknown.space(), true))
  , reaction(unknown.prescribed_vector())
  , inverted(device)
  , K(std::make_unique<Form<dim>>("tangent", unknown.field(), unknowns(unknown.field()), mapping, quadrature,
                                  dealii::update_values | dealii::update_gradients | dealii::update_JxW_values, nullptr,
                                  Levels::all))
{
  const auto                     &field = unknown.field();
  const auto                      found = materials_of(unknown.space());
  const std::vector<unsigned int> materials(found.begin(), found.end());
  Array<StoredEnergy>             table;
  for (const unsigned int material : materials)
    table.push_back(energies.in(material));
  this->energies = List<StoredEnergy>(device, table);
  for (std::size_t l = 0; l < field.n_levels(); ++l)
    {
      levels.push_back(make_level(field.space(l), materials));
      for (auto *values : {&pressure, &dilatation})
        values->emplace_back(device, field.space(l).n_cells());
    }
  const auto &top = levels.back().shapes;
  stress          = Vector<double>(device, to_index(std::size_t(dim) * dim * top.n_points(), "stresses at points"));
  forces          = Vector<double>(
    device, to_index(std::size_t(unknown.space().n_cells()) * unknown.space().dofs_per_cell(), "forces of cells"));
}

template <int dim>
typename FiniteDeformation<dim>::Level
FiniteDeformation<dim>::make_level(const LevelSpace<dim> &space, const std::vector<unsigned int> &materials) const
{
  QuadratureData<dim> shapes(device, space, mapping, quadrature);
  const std::size_t   n = shapes.n_points();
  Array<int>          number(space.n_cells());
  for (int cell = 0; cell < space.n_cells(); ++cell)
    number[cell] =
      static_cast<int>(std::lower_bound(materials.begin(), materials.end(), space.active_cells()[cell]->material_id()) -
                       materials.begin());
  return {std::move(shapes), List<int>(device, number),
          Vector<double>(device, to_index(n * StretchView<dim>::n_values, "deformations at points")),
          Vector<double>(device, to_index(n * 9, "moduli at points"))};
}

template <int dim>
void FiniteDeformation<dim>::residual(const Vector<double> &state, double factor, const Vector<double> &load,
                                      Vector<double> &r)
{
  const std::size_t top   = levels.size() - 1;
  Level            &level = levels[top];
  const int         n     = level.shapes.n_points();
  on_levels.update_finest(state);
  device.for_each(n, Deformation<dim>{gradient(top), level.stretch_view()});
  device.for_each(n,
                  Moduli<dim>{level.stretch_view(), energy(level), {}, level.shapes.view().n_q, level.moduli_view()});
  device.for_each(n, Stress<dim>{level.stretch_view(), level.moduli_view(), stress_view()});
  integrate_stress();
  device.multiply(1., E_prescribed, forces, 0., reaction);
  device.copy(load, r);
  device.multiply(-1., E, forces, factor, r);
}

template <int dim>
double FiniteDeformation<dim>::n_inverted()
{
  const auto level = levels.back().stretch_view();
  device.sums(static_cast<int>(level.at.n), CountInverted{&level.j(0)}, inverted, 0);
  return inverted.fetch()[0];
}

template <int dim>
std::string FiniteDeformation<dim>::least_stretch()
{
  const auto         &space  = unknown.space();
  const int           n      = levels.back().shapes.n_points();
  const Array<double> j      = to_host(levels.back().stretch.part(dim * dim * n, n));
  const auto          least  = std::min_element(j.begin(), j.end()); // NaN may hide there
  double              of_all = n > 0 ? -*least : -HUGE_VAL;
  space.communicator().max(&of_all, 1);
  std::ostringstream text;
  if (n > 0 && -*least == of_all)
    {
      const auto number = static_cast<int>(least - j.begin());
      const auto points = quadrature_points(space, mapping, quadrature);
      text << "det F = " << 1. + *least << " at (";
      for (int d = 0; d < dim; ++d)
        text << (d > 0 ? ", " : "") << points[std::size_t(d) * n + number];
      text << "), material " << space.active_cells()[number / static_cast<int>(quadrature.size())]->material_id();
    }
  return space.communicator().first_text(text.str());
}

template <int dim>
double FiniteDeformation<dim>::reactions()
{
  return std::sqrt(device.dot(reaction, reaction));
}

// On all levels, the coarsest first.
template <int dim>
void FiniteDeformation<dim>::take_averages()
{
  const auto &level = levels.back();
  device.for_each(pressure.back().size(),
                  MeansInCells{level.shapes.view(), &levels.back().stretch_view().j(0), energy(level),
                               pressure.back().data(), dilatation.back().data()});
  for (auto *values : {&pressure, &dilatation})
    {
      averages.update(values->back());
      for (std::size_t l = 0; l + 1 < levels.size(); ++l)
        device.copy(averages[l], (*values)[l]);
    }
}

template <int dim>
void FiniteDeformation<dim>::linearize(const Vector<double> &state)
{
  take_averages();
  on_levels.update(state);
  for (std::size_t l = 0; l + 1 < levels.size(); ++l)
    {
      Level    &level = levels[l];
      const int n = level.shapes.n_points(), n_q = level.shapes.view().n_q;
      device.for_each(n, Deformation<dim>{gradient(l), level.stretch_view()});
      device.for_each(n, Moduli<dim>{level.stretch_view(),
                                     energy(level),
                                     {pressure[l].data(), dilatation[l].data(), n_q},
                                     n_q,
                                     level.moduli_view()});
    }
  K->update(device, [this](std::size_t l) {
    const auto shapes = levels[l].shapes.view();
    return Tangent<dim>{levels[l].stretch_view(), levels[l].moduli_view(), {}, shapes.n_q, shapes.n};
  });
}

template <int dim>
void FiniteDeformation<dim>::subtract_change(const Vector<double> &delta, Vector<double> &r)
{
  Level &level = levels.back();
  on_levels.update_finest(delta);
  device.for_each(level.shapes.n_points(), StressChange<dim>{gradient(levels.size() - 1), level.stretch_view(),
                                                             level.moduli_view(), nullptr, stress_view()});
  integrate_stress();
  device.multiply(-1., E, forces, 1., r);
}

template <int dim>
Array<double> FiniteDeformation<dim>::results_in_cells()
{
  Level         &level = levels.back();
  const int      n     = unknown.space().n_cells();
  Vector<double> results(device, 4 * n);
  device.for_each(
    n, ResultsInCells<dim>{level.shapes.view(), level.stretch_view(), energy(level), nullptr, {results.data(), n}});
  return to_host(results);
}

template class FiniteDeformation<2>;
template class FiniteDeformation<3>;
} // namespace adamant
