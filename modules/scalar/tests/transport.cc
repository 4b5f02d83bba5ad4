// Transport with limited fluxes against exact solutions, with hanging nodes, on every device.
#include "scalar/transport/limited_transport.h"

#include "fem/functions/points.h"
#include "fem/support.h"
#include "support/devices.h"

#include <deal.II/fe/mapping_q1.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

using namespace test;
using adamant::Array;
using adamant::to_host;
using adamant::test::DeviceTest;
using DeviceVector = adamant::Vector<double>;

namespace
{
// A composition on the unit square or cube, and a velocity that turns it around the axis (x, y) = (1/2, 1/2), once in
// a unit of time.
template <int dim>
class Rotation
{
public:
  Rotation(const adamant::Device &device, unsigned int refinements, bool hanging)
    : device(device)
  {
    make_corner_mesh(mesh, refinements, hanging);
    meshes.emplace(mesh, adamant::LevelMeshOptions{});
    field.emplace(*meshes, "c", FE_Q<dim>(1));
    velocity.emplace(*meshes, "u", FESystem<dim>(FE_Q<dim>(1), dim));
    transport.emplace(device, *field, *velocity, mapping);
  }

  DeviceVector values(const adamant::Field<dim> &of, const std::function<double(const Point<dim> &, int)> &f) const
  {
    return DeviceVector(device, values_at_nodes(of.finest(), mapping, f));
  }
  DeviceVector turning() const
  {
    return values(*velocity, [](const Point<dim> &x, int c) {
      return 2. * numbers::PI * (c == 0 ? 0.5 - x[1] : c == 1 ? x[0] - 0.5 : 0.);
    });
  }

  // ∫ |c - d|.
  double distance(const DeviceVector &c, const DeviceVector &d) const
  {
    auto       difference = to_host(c);
    const auto other      = to_host(d);
    for (std::size_t i = 0; i < difference.size(); ++i)
      difference[i] = std::abs(difference[i] - other[i]);
    return transport->mass(DeviceVector(device, difference));
  }

  adamant::Device                               device;
  Triangulation<dim>                            mesh;
  MappingQ1<dim>                                mapping;
  std::optional<adamant::LevelMeshes<dim>>      meshes;
  std::optional<adamant::Field<dim>>            field, velocity;
  std::optional<adamant::LimitedTransport<dim>> transport;
};

template <int dim>
double hump(const Point<dim> &x, int)
{
  double square = 0.;
  for (int d = 0; d < dim; ++d)
    square += std::pow((x[d] - (d == 1 ? 0.7 : 0.5)) / 0.2, 2);
  return square < 1. ? std::pow(std::cos(0.5 * numbers::PI * std::sqrt(square)), 2) : 0.;
}

class Transport : public DeviceTest
{
protected:
  void expect_bounds(const DeviceVector &c, double least, double most) const
  {
    const auto values        = to_host(c);
    const auto [first, last] = std::minmax_element(values.begin(), values.end());
    EXPECT_GE(*first, least - 1e-13);
    EXPECT_LE(*last, most + 1e-13);
  }

  // After a quarter turn, over ∫ c.
  template <int dim>
  double error_of_turn(unsigned int refinements, bool hanging) const
  {
    Rotation<dim> rotation(device, refinements, hanging);
    auto         &transport = *rotation.transport;
    const auto    exact     = rotation.values(*rotation.field, [](const Point<dim> &x, int c) {
      Point<dim> before = x;
      before[0]         = x[1];
      before[1]         = 1. - x[0];
      return hump<dim>(before, c);
    });
    auto          c         = rotation.values(*rotation.field, hump<dim>);
    transport.set_velocity(rotation.turning());
    const double mass = transport.mass(c), step = 0.9 * transport.longest_step();
    for (int k = 0; k < 2; ++k) // before more than the faintest tails come to the boundary
      EXPECT_EQ(transport.advance(step, c), 1);
    EXPECT_NEAR(transport.mass(c), mass, 1e-5 * mass);
    transport.advance(0.25 - 2. * step, c);
    expect_bounds(c, 0., 1.);
    EXPECT_NEAR(transport.mass(c), mass, 0.01 * mass);
    return rotation.distance(c, exact) / mass;
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, Transport, adamant::test::all_places, adamant::test::place_name);

// Limits clip the top of the hump, so that the order is a little below 2.
TEST_P(Transport, TurnsAHump)
{
  const double coarse = error_of_turn<2>(5, false), fine = error_of_turn<2>(6, false),
               hanging = error_of_turn<2>(5, true);
  EXPECT_LT(fine, 0.035) << coarse;
  EXPECT_LT(fine, 0.33 * coarse);
  EXPECT_LT(hanging, 1.05 * coarse);
}

TEST_P(Transport, TurnsABallIn3D)
{
  EXPECT_LT(error_of_turn<3>(4, false), 0.5);
}

// A box keeps its bounds and its mass, and most of its place.
TEST_P(Transport, KeepsBounds)
{
  Rotation<2> rotation(device, 5, true);
  auto       &transport = *rotation.transport;
  const auto  box       = [](const Point<2> &x, int) {
    return std::abs(x[0] - 0.5) < 0.13 && std::abs(x[1] - 0.7) < 0.13 ? 3. : -1.;
  };
  const auto exact = rotation.values(*rotation.field, box);
  auto       c     = rotation.values(*rotation.field, box);
  transport.set_velocity(rotation.turning());
  for (int step = 0; step < 10; ++step)
    {
      transport.advance(0.1, c);
      expect_bounds(c, -1., 3.);
    }
  EXPECT_LT(rotation.distance(c, exact), 0.5 * 4. * 0.26 * 0.26);
}

// Whatever the velocity, a constant stays; and where nothing flows through the boundary, mass, though the velocity has
// a divergence.
template <int dim>
void expect_conservation(const adamant::Device &device)
{
  Rotation<dim> rotation(device, 3, true);
  auto         &transport = *rotation.transport;
  const auto    stay      = rotation.values(*rotation.field, [](const Point<dim> &, int) { return 2.5; });
  transport.set_velocity(rotation.values(*rotation.velocity, [](const Point<dim> &x, int c) {
    return std::sin(7. * x[0] + 3. * x[1] * x[1] + c) * x[c] * (1. - x[c]);
  }));
  auto c = rotation.values(*rotation.field, [](const Point<dim> &, int) { return 2.5; });
  transport.advance(0.2, c);
  EXPECT_LT(rotation.distance(c, stay), 1e-7);
  c                 = rotation.values(*rotation.field, hump<dim>);
  const double mass = transport.mass(c);
  transport.advance(0.2, c);
  EXPECT_NEAR(transport.mass(c), mass, 1e-7 * mass);
}

TEST_P(Transport, ConstantsAndMassStay)
{
  expect_conservation<2>(device);
  expect_conservation<3>(device);
}
} // namespace
