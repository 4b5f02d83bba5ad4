// What a FiniteDeformation does for a body in motion.

#include "algebra/functors.h"
#include "fem/forms/assembly_tables.h"
#include "solid/finite_deformation.h"
#include "solid/motion/conserving_kernels.h"

namespace adamant
{
template <int dim>
void FiniteDeformation<dim>::set_motion(double c, const Vector<double> &center, const Vector<double> *former)
{
  on_levels.update_finest(center);
  inertia.set(c, levels.back().shapes.view(), on_levels[levels.size() - 1].data());
  conserving = former != nullptr;
  if (!conserving)
    return;
  on_levels.update(*former);
  for (std::size_t l = 0; l < levels.size(); ++l)
    {
      Level            &level = levels[l];
      const std::size_t n     = level.shapes.n_points();
      if (level.former.size() == 0)
        {
          level.former     = Vector<double>(device, level.stretch.size());
          level.derivative = Vector<double>(device, to_index(n * dim * dim * dim * dim, "moduli at points"));
        }
      device.for_each(level.shapes.n_points(), Deformation<dim>{gradient(l), level.former_view()});
    }
}

template <int dim>
MotionResults FiniteDeformation<dim>::motion(const Vector<double> &u, const Vector<double> &v)
{
  const auto shapes    = levels.back().shapes.view();
  const auto at_points = [&](const Vector<double> &x) {
    on_levels.update_finest(x);
    return inertia.at_points(shapes, on_levels[levels.size() - 1].data());
  };
  auto of_u = at_points(u), of_v = at_points(v);
  return inertia.results(shapes, of_u, of_v);
}

template <int dim>
void FiniteDeformation<dim>::linearize_inertia()
{
  for (Level &level : levels)
    level.moduli.set_zero();
  for (std::size_t l = 0; l < levels.size(); ++l)
    update_tangent(l, {0, nullptr, nullptr}, inertia.term(l), PressedFaces<dim>().view());
}

// On coarser levels u and its former value have the values of the finest one at the nodes.
template <int dim>
void FiniteDeformation<dim>::linearize_conserving()
{
  for (std::size_t l = 0; l + 1 < levels.size(); ++l)
    {
      device.for_each(levels[l].shapes.n_points(), Deformation<dim>{gradient(l), levels[l].stretch_view()});
      levels[l].faces.update(on_levels[l], pressures);
    }
  count_inverted_on_coarser();
  for (Level &level : levels)
    device.for_each(level.shapes.n_points(), ConservingModuli<dim>{conserving_points(level), level.derivative_view()});
  K->update(device, [this](std::size_t l) {
    return ConservingTangent<dim>{levels[l].derivative_view(), inertia.term(l), levels[l].faces.view(),
                                  levels[l].shapes.view().n_q};
  });
}

template <int dim>
void FiniteDeformation<dim>::project(Vector<double> &state)
{
  if (!projected())
    return;
  const int      n = n_coefficients();
  Vector<double> r(device, n_state());
  auto           theta = state.part(unknown.size(), n), p = state.part(unknown.size() + n, n);
  residual(state, 0., unknown.vector(), r);
  device.axpby(1., r_p, 1., theta);
  residual(state, 0., unknown.vector(), r);
  device.axpby(1., r_theta, 1., p);
}

template <int dim>
void FiniteDeformation<dim>::take_volumes(int k, const Vector<double> &state, Vector<double> &of_v)
{
  const int n      = n_coefficients();
  auto      values = of_v.part(unknown.size() + k * n, n);
  if (k == 0)
    {
      device.copy(state.part(unknown.size(), n), values);
      device.axpby(1., r_p, 1., values);
      return;
    }
  r_p.set_zero();
  r_theta.set_zero();
  on_levels.update_finest(of_v.part(0, unknown.size()));
  let_follow(values, d_p);
}

template <int dim>
double FiniteDeformation<dim>::subtract_difference(int k, const Vector<double> &of_v, const Vector<double> &wanted,
                                                   Vector<double> &r)
{
  const int n = n_coefficients(), first = unknown.size() + k * n;
  device.copy(of_v.part(first, n), r_p);
  device.axpby(-1., wanted.part(first, n), 1., r_p);
  r_theta.set_zero();
  subtract_change(unknown.vector(), r);
  return residual_of_dilatation();
}

template void          FiniteDeformation<2>::set_motion(double, const Vector<double> &, const Vector<double> *);
template void          FiniteDeformation<3>::set_motion(double, const Vector<double> &, const Vector<double> *);
template MotionResults FiniteDeformation<2>::motion(const Vector<double> &, const Vector<double> &);
template MotionResults FiniteDeformation<3>::motion(const Vector<double> &, const Vector<double> &);
template void          FiniteDeformation<2>::linearize_inertia();
template void          FiniteDeformation<3>::linearize_inertia();
template void          FiniteDeformation<2>::linearize_conserving();
template void          FiniteDeformation<3>::linearize_conserving();
template void          FiniteDeformation<2>::project(Vector<double> &);
template void          FiniteDeformation<2>::take_volumes(int, const Vector<double> &, Vector<double> &);
template void          FiniteDeformation<3>::take_volumes(int, const Vector<double> &, Vector<double> &);
template double        FiniteDeformation<2>::subtract_difference(int, const Vector<double> &, const Vector<double> &,
                                                                 Vector<double> &);
template double        FiniteDeformation<3>::subtract_difference(int, const Vector<double> &, const Vector<double> &,
                                                                 Vector<double> &);
template void          FiniteDeformation<3>::project(Vector<double> &);
} // namespace adamant
