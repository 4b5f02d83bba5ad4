#include "solid/motion/prescribed_motion.h"

#include "algebra/functors.h"
#include "base/parallel_for.h"
#include "coefficients/values_at_points.h"
#include "fem/functions/points.h"
#include "fem/spaces/level_space.h"

#include <algorithm>
#include <cmath>

namespace adamant
{
namespace
{
template <int dim, class Nodes>
Array<double> values(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, const std::string &key,
                     const std::string &text, double t, const Nodes &nodes)
{
  const auto f = parse_function<dim>(key, text, dim);
  f->set_time(t);
  auto values = nodal_values(space, mapping, *f, nodes);
  require_numbers(space.communicator(), key, values);
  return values;
}
} // namespace

template <int dim>
PrescribedMotion<dim>::PrescribedMotion(const Device &device, const DeviceField<dim> &field,
                                        const dealii::Mapping<dim> &mapping, const std::string &key,
                                        const std::string &text)
  : device(device)
  , field(field)
  , mapping(mapping)
  , key(key)
  , text(text)
  , f(parse_function<dim>(key, text, dim))
  , depends_on_t(depends_on_time(text))
  , points(field.prescribed_nodes())
{
  const auto of_all = components(field.space());
  for (const int dof : field.space().prescribed)
    component.push_back(of_all[dof]);
}

template <int dim>
double PrescribedMotion<dim>::n_nodes() const
{
  double n = component.size();
  device.communicator().max(&n, 1);
  return n;
}

template <int dim>
Vector<double> PrescribedMotion<dim>::at(double t) const
{
  Vector<double> result = field.prescribed_vector();
  if (constant)
    device.copy(*constant, result);
  else
    {
      const std::size_t n = component.size();
      Array<double>     values(n);
      f->set_time(t);
      parallel_for(n, [&](std::size_t k) {
        dealii::Point<dim> point;
        for (int d = 0; d < dim; ++d)
          point[d] = points[d * n + k];
        values[k] = f->value(point, component[k]);
      });
      require_numbers(field.space().communicator(), key, values);
      result = {device, values};
      if (!depends_on_t)
        constant.emplace(device, values);
    }
  return result;
}

template <int dim>
Array<double> PrescribedMotion<dim>::on(const LevelSpace<dim> &space, double t) const
{
  return values(space, mapping, key, text, t, space.prescribed);
}

template <int dim>
std::array<Vector<double>, 3> PrescribedMotion<dim>::with_rates(double t, double h) const
{
  constexpr double              weights[3][4] = {{1., 0., 0., 0.}, {-1.5, 2., -0.5, 0.}, {2., -5., 4., -1.}};
  std::array<Vector<double>, 3> rates;
  for (auto &rate : rates)
    rate = field.prescribed_vector();
  for (int i = 0; i < (depends_on_t ? 4 : 1); ++i)
    {
      const auto values = at(t + i * h);
      for (int k = 0; k < (depends_on_t ? 3 : 1); ++k)
        device.axpby(weights[k][i] / std::pow(h, k), values, 1., rates[k]);
    }
  return rates;
}

template <int dim>
Vector<double> PrescribedMotion<dim>::initial(const std::string &key, const std::string &text) const
{
  return {device, values(field.space(), mapping, key, text, 0., numbers_below(field.space().n_owned()))};
}

template <int dim>
std::string PrescribedMotion<dim>::note_on(const std::string &initial_key, const Vector<double> &initial,
                                           const Vector<double> &prescribed) const
{
  constexpr double tolerance  = 1e-3; // rates are differences
  const auto       everywhere = to_host(initial), here = to_host(prescribed);
  double           most[2] = {}; // a difference, a value
  for (std::size_t i = 0; i < here.size(); ++i)
    {
      const double value = everywhere[field.space().prescribed[i]];
      most[0]            = std::max(most[0], std::abs(value - here[i]));
      most[1]            = std::max({most[1], std::abs(value), std::abs(here[i])});
    }
  device.communicator().max(most, 2);
  return most[0] > tolerance * most[1] ? "note: " + initial_key + " differs from " + key +
                                           " where that prescribes the motion, and counts for nothing there\n" :
                                         "";
}

template class PrescribedMotion<2>;
template class PrescribedMotion<3>;
} // namespace adamant
