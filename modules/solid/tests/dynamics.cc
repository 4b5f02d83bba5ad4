// Bodies in motion: stresses whose work is the change of the energy, tangents of steps against differences, momentum,
// and the order of the schemes, on every device.
#include "body.h"

#include "solid/motion/dynamics.h"

#include <algorithm>
#include <cmath>
#include <string>

using namespace test;
using adamant::test::DeviceTest;

namespace
{
const adamant::OfEntries<double> density(adamant::Coefficient("Density", "1.7", nullptr),
                                         [](const std::string &text) { return std::stod(text); });

class Motion : public DeviceTest
{
protected:
  // Nodal values of a change that is 0 where u is prescribed.
  template <int dim>
  DeviceVector change(Body<dim> &body, double size, DeviceVector &x) const
  {
    auto random = random_vector(body.field->size(), 3);
    x           = DeviceVector(device, Array<double>(random.begin(), random.end()));
    device.scale(size, x);
    auto values = body.field->vector();
    body.field->nodal_values(x, body.field->prescribed_vector(), values);
    return values;
  }

  // A step from u0 to u0 + 2 d, all of them times a scale, of a body that is stretched before in all directions. C - I
  // has lost digits of C where that is small.
  template <int dim>
  void check_work(const SolidEnergy &energy, double size, double scale = 1., double stretch = 1.) const
  {
    SCOPED_TRACE(std::to_string(energy.kind) + " " + std::to_string(size) + " " + std::to_string(stretch));
    Body<dim> body(device, {energy}, 1, false, 0.05);
    scale *= stretch;
    body.set([=](const Point<dim> &x, unsigned int c) { return (stretch - 1.) * x[c] + scale * wave(x, c); });
    DeviceVector former(device, to_host(body.state.part(0, body.field->size()))), x;
    auto         u          = body.state.part(0, body.field->size());
    const auto   d          = change(body, size * scale, x);
    const auto   energy_now = [&] {
      body.deformation->set_motion(0., u);
      body.deformation->residual(body.state, 0., body.load, body.r);
      return body.strain_energy();
    };
    const double before = energy_now();
    device.axpby(1., d, 1., u);
    body.deformation->set_motion(0., u, &former);
    body.deformation->residual(body.state, 0., body.load, body.r);
    const double work = -2. * device.dot(body.r.part(0, body.field->size()), x);
    device.axpby(1., d, 1., u);
    const double after = energy_now();
    ASSERT_GT(std::abs(after - before), 1e-3 * size * before);
    EXPECT_NEAR(work, after - before, 1e-13 / std::min(1., stretch * stretch) * (before + std::abs(after - before)));
  }

  template <int dim>
  void check_tangent(const SolidEnergy &energy, double size, bool conserving, bool projected = false) const
  {
    SCOPED_TRACE(std::to_string(energy.kind) + " " + std::to_string(size));
    Body<dim> body(device, {energy}, 1, false, 0.05, projected);
    body.deformation->set_densities(density);
    body.set([](const Point<dim> &x, unsigned int c) { return wave(x, c); });
    DeviceVector former(device, to_host(body.state.part(0, body.field->size()))), x;
    device.axpby(1., change(body, size, x), 1., former);
    body.deformation->set_motion(300., former, conserving ? &former : nullptr);
    test::check_tangent(body);
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, Motion, adamant::test::all_places, adamant::test::place_name);

TEST_P(Motion, WorkOfConservingStresses)
{
  for (const auto &energy : energies)
    for (const double size : {1e-2, 1e-3, 1e-5, 1e-8})
      for (const double scale : {1., 1e-10})
        check_work<2>(energy, size, scale);
  check_work<3>(energies[1], 1e-2);
  check_work<3>(energies[3], 1e-3);
  for (const double size : {3e-2, 1e-2, 1e-8}) // compressed to 3 % of its volume
    {
      check_work<2>(energies[0], size, 1., 0.173);
      check_work<2>(energies[3], size, 1., 0.173);
    }
  check_work<3>(energies[1], 1e-2, 1., 0.31);
}

TEST_P(Motion, TangentOfAStepAgainstDifferences)
{
  check_tangent<2>(energies[0], 1e-2, false);
  check_tangent<3>(energies[2], 1e-2, false, true);
  for (const auto &energy : energies)
    check_tangent<2>(energy, 1e-2, true);
  check_tangent<2>(energies[2], 1e-3, true);
  check_tangent<3>(energies[1], 1e-2, true);
  check_tangent<3>(energies[4], 1e-2, true);
}

// What restoring volumes on another mesh does where it succeeds, and where it is refused.
TEST_P(Motion, VolumesThatCellsCannotHave)
{
  Body<2> body(device, {energies[0]}, 1, false, 0.05, true);
  body.deformation->set_densities(density);
  const auto restore = [&](double in_first_cell) -> std::string {
    body.set([](const Point<2> &, unsigned int) { return 0.; });
    body.deformation->set_motion(300., body.state.part(0, body.field->size()));
    body.deformation->project(body.state);
    Array<double> wanted(body.state.size(), 0.);
    wanted[body.field->size()] = in_first_cell;
    auto v                     = body.field->vector();
    try
      {
        const int n_systems = with_equilibrium(body, adamant::Precision::float64, [&](auto &equilibrium) {
          return equilibrium.restore_volumes(DeviceVector(device, wanted), 0.1, body.state, v);
        });
        return std::to_string(n_systems);
      }
    catch (const adamant::SolverError &error)
      {
        return error.what();
      }
  };
  EXPECT_EQ(restore(0.), "0");
  EXPECT_GT(std::stoi(restore(0.1)), 1);
  EXPECT_EQ(restore(-1.).rfind("cells would invert on the new one (det F = -", 0), 0u) << restore(-1.);
  EXPECT_EQ(restore(std::nan("")), "volumes of its cells cannot be those of the former ones");
}

// A rigid motion u = (s - 1) X + v t has the energy and the momenta of its velocity b + ω × X.
TEST_P(Motion, MomentaOfARigidBody)
{
  Body<3> body(device, {energies[0]}, 2);
  body.deformation->set_densities(density);
  body.set([](const Point<3> &, unsigned int c) { return c == 0 ? 0.5 : 0.; });
  const DeviceVector u(device, to_host(body.state.part(0, body.field->size())));
  body.set([](const Point<3> &x, unsigned int c) { return c == 0 ? 1. - 3. * x[1] : c == 1 ? 3. * x[0] : 2.; });
  const auto results = body.deformation->motion(u, body.state.part(0, body.field->size()));
  // ∫ over the unit cube: ∫ x = 1/2, ∫ x² = 1/3, ∫ x y = 1/4
  EXPECT_NEAR(results.kinetic_energy, 0.5 * 1.7 * (1. - 3. + 9. * 2. / 3. + 4.), 1e-12);
  EXPECT_NEAR(results.momentum[0], 1.7 * (1. - 1.5), 1e-12);
  EXPECT_NEAR(results.momentum[1], 1.7 * 1.5, 1e-12);
  EXPECT_NEAR(results.momentum[2], 1.7 * 2., 1e-12);
  // (x + 1/2, y, z) × v
  EXPECT_NEAR(results.angular_momentum[0], 1.7 * (1. - 0.75), 1e-12);
  EXPECT_NEAR(results.angular_momentum[1], 1.7 * (0.5 - 0.75 - 2.), 1e-12);
  EXPECT_NEAR(results.angular_momentum[2], 1.7 * (1. + 0.75 - 0.5 + 1.), 1e-12);
}
} // namespace
