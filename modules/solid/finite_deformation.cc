#include "solid/finite_deformation.h"

#include "algebra/functors.h"
#include "algebra/functors/vector_functors.h"
#include "coefficients/level_points.h"
#include "fem/forms/assembly_tables.h"
#include "fem/forms/cell_loop.h"
#include "fem/functions/points.h"
#include "fem/spaces/field.h"
#include "solid/motion/conserving_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <utility>

namespace adamant
{
template <int dim>
FiniteDeformation<dim>::FiniteDeformation(const Device &device, const DeviceField<dim> &unknown,
                                          const dealii::Mapping<dim>   &mapping,
                                          const OfEntries<SolidEnergy> &of_materials, bool projected,
                                          const std::vector<unsigned int> &pressed)
  : device(device)
  , unknown(unknown)
  , mapping(mapping)
  , quadrature(unknown.space().element().degree + 1)
  , n_functions(!projected                            ? 0 :
                unknown.space().element().degree == 1 ? 1 :
                                                        1 + dim)
  , on_levels(device, unknown.field())
  , averages(device, unknown.field(), Average::arithmetic)
  , E(device, sum_of_cell_loads(unknown.space()))
  , E_prescribed(device, sum_of_cell_loads(unknown.space(), true))
  , reaction(unknown.prescribed_vector())
  , counted(device, std::max(2, static_cast<int>(unknown.field().n_levels())))
  , sums_of_cells{4, 2, Scalars(device, 4 * SumsOfCells::n_parts)}
  , K(std::make_unique<Form<dim>>("tangent", unknown.field(), unknowns(unknown.field()), mapping, quadrature,
                                  dealii::update_values | dealii::update_gradients | dealii::update_JxW_values, nullptr,
                                  Levels::all))
{
  const auto            &field = unknown.field();
  std::set<unsigned int> found; // a coarser level may have cells here whose material no finest one has
  for (std::size_t l = 0; l < field.n_levels(); ++l)
    found.merge(materials_of(field.space(l)));
  const std::vector<unsigned int> materials(found.begin(), found.end());
  std::vector<SolidEnergy>        table;
  for (const unsigned int material : materials)
    table.push_back(of_materials.in(material));
  energies        = EnergyTable(device, table);
  has_expressions = energies.has_expressions() ? 1. : 0.;
  unknown.space().communicator().max(&has_expressions, 1);
  for (std::size_t l = 0; l < field.n_levels(); ++l)
    {
      levels.push_back(make_level(field.space(l), materials));
      if (!pressed.empty())
        levels.back().faces = PressedFaces<dim>(device, field.space(l), mapping, pressed);
      for (auto *values : {&pressure, &dilatation})
        values->emplace_back(device, field.space(l).n_cells());
    }
  const auto &top = levels.back().shapes;
  stress          = Vector<double>(device, to_index(std::size_t(dim) * dim * top.n_points(), "stresses at points"));
  if (projected)
    {
      for (auto *values : {&p_at_points, &theta_at_points, &dp_at_points})
        *values = Vector<double>(device, top.n_points());
      for (auto *values : {&r_p, &r_theta, &d_theta, &d_p})
        *values = Vector<double>(device, n_coefficients());
      for (const auto &cell : unknown.space().active_cells())
        volume += cell->measure();
      unknown.space().communicator().sum(&volume, 1);
      double compliance = 0.;
      for (const SolidEnergy &energy : table)
        compliance = std::max(compliance, 1. / energy.bulk);
      unknown.space().communicator().max(&compliance, 1);
      bulk = 1. / compliance;
    }
  pressures           = Vector<double>(device, static_cast<int>(pressed.size()));
  std::size_t n_cells = 0, n = unknown.space().dofs_per_cell();
  for (const Level &level : levels)
    n_cells = std::max<std::size_t>(n_cells, level.shapes.n_points() / quadrature.size());
  of_cells    = List<double>(device, n_cells * n * n, "tangents of cells");
  cell_number = List<int>(device, numbers_below(static_cast<int>(n_cells)));
  forces      = Vector<double>(
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
  const bool finest = &space == &unknown.space();
  Level      level  = {std::move(shapes),
                       LevelEnergies(device, energies, number, static_cast<int>(quadrature.size()), finest),
                       Vector<double>(device, to_index(n * StretchView<dim>::n_values, "deformations at points")),
                       Vector<double>(device, to_index(n * 9, "moduli at points")),
                       {},
                       {},
                       {},
                       {},
                       {},
                       {}};
  if (projected())
    add_functions(level);
  return level;
}

template <int dim>
void FiniteDeformation<dim>::add_functions(Level &level) const
{
  const auto        shapes  = level.shapes.view();
  const std::size_t n_cells = level.shapes.n_points() / shapes.n_q, n = n_functions;
  Array<double>     points;
  for (const auto &point : quadrature.get_points())
    points.insert(points.end(), point.begin_raw(), point.end_raw());
  const List<double> on_device(device, points);
  level.psi = Vector<double>(device, to_index(n * level.shapes.n_shapes() * shapes.n_q, "functions of shapes"));
  level.D   = Vector<double>(device, to_index(n_cells * shapes.n * n * dim, "gradients of dilatations"));
  level.S   = Vector<double>(device, to_index(n_cells * n * n, "moduli of dilatations"));
  device.for_each(level.shapes.n_shapes(),
                  OrthonormalFunctions<dim>{shapes, on_device.data(), n_functions, level.psi.data()});
  device.synchronize(); // before the points are freed
}

template <int dim>
void FiniteDeformation<dim>::residual(const Vector<double> &state, double factor, const Vector<double> &load,
                                      Vector<double> &r)
{
  const std::size_t top   = levels.size() - 1;
  Level            &level = levels[top];
  const int         n     = level.shapes.n_points();
  on_levels.update_finest(state.part(0, unknown.size()));
  device.for_each(n, Deformation<dim>{gradient(top), level.stretch_view()});
  if (conserving)
    device.for_each(n, ConservingStress<dim>{conserving_points(level), stress_view()});
  else
    take_stresses(state);
  inertia.update(level.shapes.view(), on_levels[top].data(), false);
  level.faces.update(on_levels[top], pressures);
  const auto faces = level.faces.view();
  integrate(faces, faces.traction);
  device.multiply(1., E_prescribed, forces, 0., reaction);
  auto of_u = r.part(0, unknown.size()), of_others = r.part(unknown.size(), r.size() - unknown.size());
  device.copy(load, of_u);
  device.multiply(-1., E, forces, factor, of_u);
  of_others.set_zero();
}

// At points of the finest level, whose deformation is known.
template <int dim>
void FiniteDeformation<dim>::take_stresses(const Vector<double> &state)
{
  Level    &level = levels.back();
  const int n     = level.shapes.n_points();
  level.energies.update_shape(level.stretch_view());
  const double *j             = &level.stretch_view().j(0);
  PressureView  pressure_view = {nullptr, nullptr, 1};
  if (projected())
    {
      const auto theta  = state.part(unknown.size(), n_coefficients()),
                 p      = state.part(unknown.size() + n_coefficients(), n_coefficients());
      const int n_cells = unknown.space().n_cells();
      device.for_each(n_cells, FunctionsAtPoints{functions(level), theta.data(), theta_at_points.data()});
      device.for_each(n_cells, FunctionsAtPoints{functions(level), p.data(), p_at_points.data()});
      level.energies.update_volumetric(theta_at_points.data());
      device.for_each(n_cells, Dilatation{functions(level), level.energies.view(), j, theta.data(), p.data(),
                                          theta_at_points.data(), r_p.data(), r_theta.data(), level.S.data()});
      pressure_view.p = p_at_points.data();
    }
  else
    level.energies.update_volumetric(j);
  device.for_each(n, Moduli<dim>{level.stretch_view(), level.energies.view(), pressure_view, level.shapes.view().n_q,
                                 level.moduli_view()});
  device.for_each(n, Stress<dim>{level.stretch_view(), level.moduli_view(), stress_view()});
}

template <int dim>
void FiniteDeformation<dim>::set_pressures(const std::vector<double> &p)
{
  pressures.upload(p.data());
}

// By forces of two random displacements, of which each does its work along the other.
template <int dim>
bool FiniteDeformation<dim>::symmetric_with(const std::vector<double> &p, const Vector<double> &g)
{
  if (p.empty())
    return true;
  set_pressures(p);
  Vector<double> at(device, n_state()), r(device, n_state()), x[2], forces_of[2];
  const auto     nothing = unknown.prescribed_vector();
  auto           u       = at.part(0, unknown.size());
  unknown.nodal_values(unknown.vector(), g, u);
  device.scale(1e-3, u); // at once the whole motion could turn cells inside out
  set_motion(0., u);
  residual(at, 0., unknown.vector(), r);
  stress.set_zero();
  std::mt19937 random(1 + unknown.space().communicator().rank());
  auto        &faces = levels.back().faces;
  for (int k = 0; k < 2; ++k)
    {
      Array<double> values(unknown.size());
      std::generate(values.begin(), values.end(), [&] { return random() / 2147483648. - 1.; });
      x[k] = Vector<double>(device, values);
      unknown.nodal_values(x[k], nothing, u);
      on_levels.update_finest(u);
      faces.update_change(on_levels[levels.size() - 1]);
      integrate(faces.view(), faces.view().change);
      forces_of[k] = unknown.vector();
      device.multiply(1., E, forces, 0., forces_of[k]);
    }
  const double asymmetry = device.dot(x[0], forces_of[1]) - device.dot(x[1], forces_of[0]);
  return std::abs(asymmetry) <= 1e-10 * std::sqrt(device.dot(x[0], x[0]) * device.dot(forces_of[1], forces_of[1]));
}

template <int dim>
double FiniteDeformation<dim>::reactions()
{
  return std::sqrt(device.dot(reaction, reaction));
}

// Of U' and J - 1, or of p and θ - 1, on all levels.
template <int dim>
void FiniteDeformation<dim>::take_averages(const Vector<double> &state)
{
  Level     &level   = levels.back();
  const int  n_cells = unknown.space().n_cells(), n = n_coefficients();
  const auto theta = state.part(projected() ? unknown.size() : 0, n), p = state.part(state.size() - n, n);
  if (projected())
    device.for_each(n_cells, MeansOfFunctions{functions(level), theta.data(), p.data(), pressure.back().data(),
                                              dilatation.back().data()});
  else
    device.for_each(n_cells, MeansInCells{level.shapes.view(), &level.stretch_view().j(0), level.energies.view(),
                                          pressure.back().data(), dilatation.back().data()});
  for (auto *values : {&pressure, &dilatation})
    {
      averages.update(values->back());
      for (std::size_t l = 0; l + 1 < levels.size(); ++l)
        device.copy(averages[l], (*values)[l]);
    }
}

// On coarser levels, where strong rotations turn cells inside out that finer ones resolve.
template <int dim>
void FiniteDeformation<dim>::replace_inverted()
{
  if (n_replaced == 0.)
    return;
  std::vector<Vector<double>> means;
  for (const auto &values : dilatation)
    means.emplace_back(device, dim * dim * values.size());
  Vector<double> mean(device, dilatation.back().size());
  for (int k = 0; k < dim * dim; ++k)
    {
      device.for_each(mean.size(),
                      MeanDeformation<dim>{levels.back().shapes.view(), levels.back().stretch_view(), k, mean.data()});
      averages.update(mean);
      for (std::size_t l = 0; l + 1 < levels.size(); ++l)
        {
          const int n    = dilatation[l].size();
          auto      part = means[l].part(k * n, n);
          device.copy(averages[l], part);
        }
    }
  for (std::size_t l = 0; l + 1 < levels.size(); ++l)
    device.for_each(dilatation[l].size(), ReplaceInverted<dim>{levels[l].shapes.view().n_q,
                                                               {means[l].data(), dilatation[l].size()},
                                                               dilatation[l].data(),
                                                               levels[l].stretch_view()});
  device.synchronize(); // before the means are freed
}

template <int dim>
void FiniteDeformation<dim>::linearize(const Vector<double> &state, double shift)
{
  on_levels.update(state.part(0, unknown.size()));
  if (conserving)
    return linearize_conserving();
  take_averages(state);
  for (std::size_t l = 0; l + 1 < levels.size(); ++l)
    device.for_each(levels[l].shapes.n_points(), Deformation<dim>{gradient(l), levels[l].stretch_view()});
  count_inverted_on_coarser();
  replace_inverted();
  for (std::size_t l = 0; l + 1 < levels.size(); ++l)
    {
      Level    &level = levels[l];
      const int n = level.shapes.n_points(), n_q = level.shapes.view().n_q;
      level.energies.update_shape(level.stretch_view());
      level.energies.update_volumetric(dilatation[l].data());
      device.for_each(n, Moduli<dim>{level.stretch_view(),
                                     level.energies.view(),
                                     {pressure[l].data(), projected() ? nullptr : dilatation[l].data(), n_q},
                                     n_q,
                                     level.moduli_view()});
      if (projected())
        device.for_each(dilatation[l].size(),
                        ConstantDilatation{n_functions, level.energies.view(), dilatation[l].data(), level.S.data()});
      level.faces.update(on_levels[l], pressures);
    }
  for (Level &level : levels)
    if (projected())
      device.for_each(level.shapes.n_points() / level.shapes.view().n_q * level.shapes.view().n,
                      DilatationGradients<dim>{functions(level), level.stretch_view(), level.D.data()});
  for (std::size_t l = 0; l < levels.size(); ++l)
    update_tangent(l, term(levels[l]), shift != 0. ? InertiaTerm{shift, nullptr} : inertia.term(l),
                   levels[l].faces.view());
}

template <int dim>
void FiniteDeformation<dim>::linearize_strained(Vector<double> &state)
{
  double size = std::numeric_limits<double>::max();
  for (const auto &cell : unknown.space().active_cells())
    size = std::min(size, 1e-4 * cell->minimum_vertex_distance());
  Array<double> waves(n_state(), 0.);
  for (int i = 0; i < unknown.size(); ++i)
    waves[i] = size * std::sin(double(i));
  device.copy(Vector<double>(device, waves), state);
  evaluate(state);
  linearize(state);
}

// Cells have their own matrices, which the form adds up: nodes of a cell share much of the work.
template <int dim>
void FiniteDeformation<dim>::update_tangent(std::size_t l, const DilatationTerm &of_dilatation,
                                            const InertiaTerm &of_inertia, const PressedFacesView<dim> &faces)
{
  Level                   &level  = levels[l];
  const auto               shapes = level.shapes.view();
  const LocalTangents<dim> tangents{shapes,
                                    level.stretch_view(),
                                    level.moduli_view(),
                                    of_dilatation,
                                    of_inertia,
                                    faces,
                                    level.shapes.n_points() / shapes.n_q,
                                    of_cells.data()};
  device.for_each(to_index(tangents.n_threads(), "tangents of cells"), tangents);
  K->update(device, l, LocalMatrices<dim, dim>{of_cells.data(), cell_number.data(), shapes.n * shapes.n});
}

// For the change of u that `on_levels` has.
template <int dim>
void FiniteDeformation<dim>::let_follow(Vector<double> &of_theta, Vector<double> &of_p)
{
  const Level &level = levels.back();
  device.for_each(unknown.space().n_cells(),
                  FollowingPressure<dim>{functions(level), term(level), on_levels[levels.size() - 1].data(), r_p.data(),
                                         r_theta.data(), of_theta.data(), of_p.data(), dp_at_points.data()});
}

template <int dim>
void FiniteDeformation<dim>::subtract_change(const Vector<double> &delta, Vector<double> &r)
{
  Level &level = levels.back();
  on_levels.update_finest(delta);
  if (projected())
    let_follow(d_theta, d_p);
  const auto of = gradient(levels.size() - 1);
  if (conserving)
    device.for_each(level.shapes.n_points(), ConservingStressChange<dim>{of, level.derivative_view(), stress_view()});
  else
    device.for_each(level.shapes.n_points(),
                    StressChange<dim>{of, level.stretch_view(), level.moduli_view(),
                                      projected() ? dp_at_points.data() : nullptr, stress_view()});
  inertia.update(level.shapes.view(), of.u, true);
  level.faces.update_change(on_levels[levels.size() - 1]);
  const auto faces = level.faces.view();
  integrate(faces, faces.change);
  device.multiply(-1., E, forces, 1., r);
}

template <int dim>
void FiniteDeformation<dim>::follow(Vector<double> &d)
{
  if (!projected())
    return;
  on_levels.update_finest(d.part(0, unknown.size()));
  auto of_theta = d.part(unknown.size(), n_coefficients()),
       of_p     = d.part(unknown.size() + n_coefficients(), n_coefficients());
  let_follow(of_theta, of_p);
}

template <int dim>
double FiniteDeformation<dim>::residual_of_dilatation() const
{
  return projected() ?
           std::sqrt(std::max(device.dot(r_p, r_p), device.dot(r_theta, r_theta) / (bulk * bulk)) / volume) :
           0.;
}

template <int dim>
SolidResults FiniteDeformation<dim>::results()
{
  Level         &level = levels.back();
  const int      n     = unknown.space().n_cells();
  const ValuesAt results{of_cells.data(), n}; // no tangent of a cell is needed any more
  device.for_each(n, ResultsInCells<dim>{level.shapes.view(), level.stretch_view(), level.energies.view(),
                                         projected() ? theta_at_points.data() : nullptr, results});
  const auto sums = sums_of_cells(device, results);
  return {sums[0], sums[1], 1. - sums[2], 1. + sums[3]};
}

template class FiniteDeformation<2>;
template class FiniteDeformation<3>;
} // namespace adamant
