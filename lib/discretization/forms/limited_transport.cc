#include "discretization/forms/limited_transport.h"

#include "base/exceptions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace adamant
{
namespace
{
const auto transport_flags = dealii::update_values | dealii::update_gradients | dealii::update_JxW_values;

// For each entry (i, j) the place of (j, i), or -1: the rows of constrained unknowns have their diagonal alone.
Array<EntryNumber> mirrored_entries(const CSRMatrix<double> &pattern)
{
  Array<EntryNumber> mirror(pattern.n_nonzeros());
#pragma omp parallel for schedule(static)
  for (int i = 0; i < pattern.n_rows; ++i)
    for (EntryNumber k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k)
      {
        const int  j     = pattern.column[k];
        const auto begin = pattern.column.begin() + pattern.row_start[j],
                   end   = pattern.column.begin() + pattern.row_start[j + 1], found = std::lower_bound(begin, end, i);
        mirror[k] = found != end && *found == i ? EntryNumber(found - pattern.column.begin()) : EntryNumber(-1);
      }
  return mirror;
}

template <int dim>
const Field<dim> &checked(const Field<dim> &field)
{
  const auto &space = field.finest();
  if (space.communicator().size() > 1)
    throw RunError("transport with limited fluxes runs on one rank");
  if (field.element().n_components() != 1 || field.element().degree != 1 || !space.prescribed.empty())
    throw RunError("transport with limited fluxes is for bilinear scalar fields without prescribed values");
  return field;
}
} // namespace

template <int dim>
LimitedTransport<dim>::LimitedTransport(const Device &device, const Field<dim> &field, const Field<dim> &velocity,
                                        const dealii::Mapping<dim> &mapping)
  : device(device)
  , of_field(device, checked(field).finest(), mapping, quadrature)
  , of_velocity(device, velocity.finest(), mapping, quadrature)
  , M("mass", field, unknowns(field), mapping, quadrature, transport_flags, nullptr)
  , K("transport", field, unknowns(field), mapping, quadrature, transport_flags, nullptr)
  , H(device, field.finest().owned_H())
{
  if (velocity.element().n_components() != dim)
    throw RunError("transport with limited fluxes needs a velocity of as many components as dimensions");
  const int n        = field.finest().n_owned();
  velocity_at_points = Vector<double>(device, of_field.n_points() * dim);
  for (Vector<double> *vector : {&lumped, &integrals, &old, &r, &low, &rise, &fall, &result, &rate[0], &rate[1]})
    *vector = Vector<double>(device, n);
  M.update(device, [](std::size_t) { return PlainMass{}; });
  K.update(device, [this](std::size_t) { return MinusTransport<dim>{velocity_at_points.data()}; });
  mirror = List<EntryNumber>(device, mirrored_entries(*K.finest()));
  device.for_each(n, SumRows{M.on_device(field.n_levels() - 1)->view(), lumped.data()});
  Array<double> mass = to_host(lumped); // ∫ φ_i of the free unknowns
  for (int i = 0; i < n; ++i)
    mass[i] *= field.finest().is_free(i);
  integrals.upload(mass.data());
}

template <int dim>
TransportView LimitedTransport<dim>::view() const
{
  const std::size_t level = K.rows().n_levels() - 1;
  return {K.on_device(level)->view(), M.on_device(level)->view(), mirror.data(), lumped.data()};
}

template <int dim>
void LimitedTransport<dim>::set_velocity(const Vector<double> &u)
{
  for (int d = 0; d < dim; ++d)
    device.for_each(of_velocity.n_points(),
                    AtQuadraturePoints<dim, StoreAtPoints>{
                      of_velocity.view(), u.data(), dim, d, {velocity_at_points.data() + d, dim}});
  K.update(device, [this](std::size_t) { return MinusTransport<dim>{velocity_at_points.data()}; });
  device.for_each(low.size(), TransportRate{view(), low.data()});
  const auto   rates = to_host(low);
  const double most  = *std::max_element(rates.begin(), rates.end());
  longest            = most > 0. ? 1. / most : std::numeric_limits<double>::infinity();
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
  const auto at = view();
  const int  n  = c.size();
  device.for_each(n, LowOrderStep{at, dt, c.data(), r.data(), rate[0].data(), low.data()});
  for (int k = 0; k < 2; ++k)
    {
      device.for_each(n, MassStep{at, r.data(), rate[0].data(), rate[1].data()});
      std::swap(rate[0], rate[1]);
    }
  const TransportFluxes flux{at, c.data(), rate[0].data(), low.data(), dt};
  device.for_each(n, FluxLimits{flux, rise.data(), fall.data()});
  device.for_each(n, LimitedStep{flux, rise.data(), fall.data(), old.data(), old_weight, result.data()});
  device.multiply(1., H, result, 0., c);
}

template <int dim>
double LimitedTransport<dim>::mass(const Vector<double> &c) const
{
  return device.dot(integrals, c);
}

template <int dim>
void LimitedTransport<dim>::evaluate(const Vector<double> &c, Vector<double> &at_points) const
{
  device.for_each(of_field.n_points(),
                  AtQuadraturePoints<dim, StoreAtPoints>{of_field.view(), c.data(), 1, 0, {at_points.data(), 1}});
}

template class LimitedTransport<2>;
template class LimitedTransport<3>;
} // namespace adamant
