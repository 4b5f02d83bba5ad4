#include "scalar/transport/limited_transport.h"

#include "base/exceptions.h"
#include "coefficients/extremes.h"
#include "fem/forms/assembly_tables.h"
#include "operators/level_data.h"
#include "scalar/nonlinear_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace adamant
{
namespace
{
const auto flags = dealii::update_values | dealii::update_gradients | dealii::update_JxW_values;

LinearSolverOptions potential_options()
{
  LinearSolverOptions options;
  options.type                = SolverType::cg;
  options.control.tolerance   = 1e-8;
  options.control.name        = "balance of fluxes";
  options.multigrid.smoother  = {"jacobi", true, 0.8, 8.};
  options.multigrid.pre_steps = options.multigrid.post_steps = 3;
  options.multigrid.singular                                 = true;
  return options;
}

template <int dim>
const Field<dim> &checked_field(const Field<dim> &field)
{
  const auto &space = field.finest();
  if (field.element().n_components() != 1 || field.element().degree != 1 || !space.prescribed.empty())
    throw RunError("transport with limited fluxes is for bilinear scalar fields without prescribed values");
  return field;
}

// The rows of a form on its finest level, where the functors find them.
template <int dim>
std::shared_ptr<const CompressedRows> rows_of(const Form<dim> &form)
{
  return form.on_device(form.rows().n_levels() - 1);
}

template <int dim>
GhostValues ghosts_of(const Device &device, const LevelSpace<dim> &space)
{
  return {device, exchange_plan(space.partition()), space.n_owned()};
}
} // namespace

template <int dim>
LimitedTransport<dim>::LimitedTransport(const Device &device, const Field<dim> &field, const Field<dim> &velocity,
                                        const dealii::Mapping<dim> &mapping)
  : device(device)
  , of_field(device, checked_field(field).finest(), mapping, quadrature)
  , of_velocity(device, velocity.finest(), mapping, quadrature)
  , M("mass", field, unknowns(field), mapping, quadrature, flags, nullptr)
  , K("transport", field, unknowns(field), mapping, quadrature, flags, nullptr)
  , L("Laplacian", field, unknowns(field), mapping, quadrature, flags, nullptr, Levels::all)
  , H(device, field.finest().owned_H())
{
  if (velocity.element().n_components() != dim)
    throw RunError("transport with limited fluxes needs a velocity of as many components as dimensions");
  const auto &space  = field.finest();
  of_cells           = ghosts_of(device, space);
  of_velocity_cells  = ghosts_of(device, velocity.finest());
  velocity_at_points = Vector<double>(device, of_velocity.n_points() * dim);
  M.update(device, [](std::size_t) { return PlainMass{}; });
  K.update(device, [this](std::size_t) { // sets it up
    return SkewTransport<dim>{{velocity_at_points.data(), of_velocity.n_points()}};
  });
  L.update(device, [](std::size_t) { return PlainLaplacian{}; });
  M_rows     = rows_of(M);
  L_rows     = rows_of(L);
  neighbours = GhostValues(device, M.finest()->ghosts, space.n_owned());
  potential.emplace(device, levels_of(field, L), potential_options());
  const int n = space.n_owned();
  for (Vector<double> *vector : {&lumped, &integrals, &psi, &old, &r, &result})
    *vector = Vector<double>(device, n);
  for (Vector<double> *vector : {&low, &rise, &fall, &rate[0], &rate[1]})
    *vector = neighbours.vector();
  fluxes = Vector<double>(device, M_rows->values.size());
  device.for_each(n, SumRows{M_rows->view(), lumped.data()});
  Array<double> ones(n), mass = to_host(lumped);
  for (int i = 0; i < n; ++i)
    {
      ones[i] = space.is_free(i);
      mass[i] *= ones[i];
    }
  free = Vector<double>(device, ones);
  integrals.upload(mass.data());
  assemble_divergence(velocity, mapping);
}

template <int dim>
void LimitedTransport<dim>::assemble_divergence(const Field<dim> &velocity, const dealii::Mapping<dim> &mapping)
{
  Form<dim> form("divergence", K.rows(), nodal_values(velocity), mapping, quadrature, flags,
                 [](const CellContext<dim> &cell, dealii::FullMatrix<double> &local) {
                   const auto &u = cell.columns();
                   for (const unsigned int q : cell.quadrature_point_indices())
                     for (const unsigned int i : cell.dof_indices())
                       for (const unsigned int j : u.dof_indices())
                         local(i, j) += 0.5 * cell.value(i, q) * u.gradient(j, q)[u.component(j)] * cell.JxW(q);
                 });
  form.update();
  D = Matrix<double>(device, *form.finest());
}

template <int dim>
TransportView LimitedTransport<dim>::view() const
{
  RowsView balanced = M_rows->view(); // of the same pattern
  balanced.value    = fluxes.data();
  return {balanced, M_rows->view(), lumped.data()};
}

template <int dim>
void LimitedTransport<dim>::set_velocity(const Vector<double> &u)
{
  const Vector<double> nodal = of_velocity_cells.with_ghosts(u);
  const int            n     = of_velocity.n_points();
  for (int d = 0; d < dim; ++d)
    device.for_each(n,
                    AtQuadraturePoints<dim, StoreSolution<dim>>{
                      of_velocity.view(), nodal.data(), dim, d, {velocity_at_points.data() + long(d) * n, nullptr, 0}});
  K.update(device, [&](std::size_t) { return SkewTransport<dim>{{velocity_at_points.data(), n}}; });
  balance_fluxes(u);
  device.for_each(r.size(), TransportRate{view(), r.data()});
  const double most = extremes(r)[1];
  longest           = most > 0. ? 1. / most : std::numeric_limits<double>::infinity();
}

// So that Σ_j k_ij = 0 but for what flows through the boundary.
template <int dim>
void LimitedTransport<dim>::balance_fluxes(const Vector<double> &u)
{
  device.multiply(1., D, u, 0., r);
  device.axpby(-device.dot(free, r) / device.dot(free, free), free, 1., r);
  psi.set_zero(); // so that all depends on u alone
  potential->solve(r, psi);
  const auto           K_rows = rows_of(K);
  const Vector<double> nodal  = neighbours.with_ghosts(psi);
  device.for_each(psi.size(), AddPotentialFlow{K_rows->view(), L_rows->view(), nodal.data(), fluxes.data()});
}

template <int dim>
int LimitedTransport<dim>::advance(double dt, Vector<double> &c)
{
  const int n_steps = std::max(1, static_cast<int>(std::ceil(dt / longest * (1. - 1e-12))));
  for (int step = 0; step < n_steps; ++step)
    {
      device.copy(c, old);
      for (const double old_weight : {0., 3. / 4., 1. / 3.})
        stage(dt / n_steps, old_weight, old, c);
    }
  return n_steps;
}

template <int dim>
void LimitedTransport<dim>::stage(double dt, double old_weight, const Vector<double> &old, Vector<double> &c)
{
  const auto           at  = view();
  const int            n   = c.size();
  const Vector<double> now = neighbours.with_ghosts(c);
  device.for_each(n, LowOrderStep{at, dt, now.data(), r.data(), rate[0].data(), low.data()});
  neighbours.fill(low);
  neighbours.fill(rate[0]);
  for (int k = 0; k < 2; ++k)
    {
      device.for_each(n, MassStep{at, r.data(), rate[0].data(), rate[1].data()});
      neighbours.fill(rate[1]);
      std::swap(rate[0], rate[1]);
    }
  const TransportFluxes flux{at, now.data(), rate[0].data(), low.data(), dt};
  device.for_each(n, FluxLimits{flux, rise.data(), fall.data()});
  neighbours.fill(rise);
  neighbours.fill(fall);
  device.for_each(n, LimitedStep{flux, rise.data(), fall.data(), old.data(), old_weight, result.data()});
  device.multiply(1., H, result, 0., c);
}

template <int dim>
void LimitedTransport<dim>::evaluate(const Vector<double> &c, Vector<double> &at_points) const
{
  const Vector<double> nodal = of_cells.with_ghosts(c);
  device.for_each(of_field.n_points(), AtQuadraturePoints<dim, StoreSolution<dim>>{
                                         of_field.view(), nodal.data(), 1, 0, {at_points.data(), nullptr, 0}});
}

template class LimitedTransport<2>;
template class LimitedTransport<3>;
} // namespace adamant
