// The equation of a temperature that a flow carries, against exact solutions, with hanging nodes, on every device.
#include "heat/heat_equation.h"

#include "fem/functions/points.h"
#include "fem/support.h"
#include "meshes/mesh_file.h"
#include "support/devices.h"

#include <deal.II/fe/mapping_q1.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>

using namespace test;
using adamant::to_host;
using adamant::test::DeviceTest;
using DeviceVector = adamant::Vector<double>;

namespace
{
// A temperature in the unit square or cube, and a velocity.
template <int dim>
class Flow
{
public:
  using Function = std::function<double(const Point<dim> &, int)>;

  Flow(const adamant::Device &device, unsigned int refinements, bool hanging)
    : device(device)
  {
    make_corner_mesh(mesh, refinements, hanging);
    meshes.emplace(mesh, adamant::LevelMeshOptions{});
    velocity.emplace(*meshes, "u", FESystem<dim>(FE_Q<dim>(1), dim));
    parameters.initial = "0";
  }

  // Starts from the expression `initial`; on all boundaries T is `everywhere`, unless the parameters have a list.
  void start(const std::string &initial, const std::string &everywhere = "")
  {
    parameters.initial = initial;
    if (!everywhere.empty())
      parameters.boundaries.everywhere = everywhere;
    heat.emplace(device, *velocity, mapping, parameters);
    heat->set_initial_values();
  }

  DeviceVector flow(const Function &u) const
  {
    return DeviceVector(device, values_at_nodes(velocity->finest(), mapping, u));
  }

  // The largest error of T.
  double error(const std::function<double(const Point<dim> &)> &exact) const
  {
    const auto points = adamant::support_points(heat->space(), mapping);
    const auto T      = to_host(heat->T);
    double     most   = 0.;
    for (std::size_t i = 0; i < T.size(); ++i)
      most = std::max(most, std::abs(T[i] - exact(point_of<dim>(points, i))));
    return most;
  }

  adamant::Device                           device;
  Triangulation<dim>                        mesh;
  MappingQ1<dim>                            mapping;
  adamant::MeshFileParameters               file;
  adamant::HeatParameters                   parameters{file};
  std::optional<adamant::LevelMeshes<dim>>  meshes;
  std::optional<adamant::Field<dim>>        velocity;
  std::optional<adamant::HeatEquation<dim>> heat;
};

double at_rest(const Point<2> &, int)
{
  return 0.;
}
double turning(const Point<2> &x, int c)
{
  return 2. * numbers::PI * (c == 0 ? 0.5 - x[1] : x[0] - 0.5);
}

// A Gaussian that turns around the middle once in a unit of time, and spreads; the expression is that of time 0.
constexpr double kappa  = 2e-3;
const char      *hump_0 = "exp(-((x-0.5)^2+(y-0.7)^2)/0.02)";
double           hump(const Point<2> &x, double t)
{
  const double width = 0.02 + 4. * kappa * t, angle = 2. * numbers::PI * t;
  const double square =
    std::pow(x[0] - 0.5 + 0.2 * std::sin(angle), 2) + std::pow(x[1] - 0.5 - 0.2 * std::cos(angle), 2);
  return 0.02 / width * std::exp(-square / width);
}

class Heat : public DeviceTest
{
};

// Steps vary by a third.
double step_of(int k, double dt)
{
  return dt * (1. + 0.33 * std::sin(5. * k));
}

TEST_P(Heat, DecaysWithOrderTwo)
{
  double errors[2] = {};
  for (const int fine : {0, 1})
    {
      Flow<2> flow(device, 4 + fine, false);
      flow.start("sin(pi*x)*sin(pi*y)", "0");
      const auto u    = flow.flow(at_rest);
      double     time = 0.;
      for (int k = 0; k < 10 * (fine + 1); ++k)
        {
          const double dt = step_of(k, 5e-3 / (fine + 1));
          flow.heat->advance(time += dt, dt, u);
        }
      errors[fine] = flow.error([time](const Point<2> &x) {
        return std::exp(-2. * numbers::PI * numbers::PI * time) * std::sin(numbers::PI * x[0]) *
               std::sin(numbers::PI * x[1]);
      });
    }
  EXPECT_LT(errors[1], 1.5e-3);
  EXPECT_GT(errors[0] / errors[1], 3.2);
}

TEST_P(Heat, TurnsAHumpWithOrderTwo)
{
  double errors[2] = {};
  for (const int fine : {0, 1})
    {
      Flow<2> flow(device, 4 + fine, true);
      flow.parameters.diffusivity = kappa;
      flow.start(hump_0, "0");
      const auto u    = flow.flow(turning);
      double     time = 0.;
      for (int k = 0; k < 20 * (fine + 1); ++k)
        {
          const double dt = step_of(k, 0.0125 / (fine + 1));
          flow.heat->advance(time += dt, dt, u);
        }
      errors[fine] = flow.error([time](const Point<2> &x) { return hump(x, time); });
    }
  EXPECT_LT(errors[1], 0.03);
  EXPECT_GT(errors[0] / errors[1], 3.);
}

// Also where the velocity has a divergence.
TEST_P(Heat, KeepsAConstant)
{
  Flow<2> flow(device, 4, true);
  flow.parameters.linear_solver.tolerance = 1e-13;
  flow.parameters.boundaries.prescribed   = {{0, "0.7"}};
  flow.start("0.7");
  const auto u = flow.flow([](const Point<2> &x, int c) { return c == 0 ? 30. * x[0] : 20. * std::sin(9. * x[1]); });
  for (int k = 0; k < 5; ++k)
    flow.heat->advance(0.1 * (k + 1), 0.1, u);
  EXPECT_LT(flow.error([](const Point<2> &) { return 0.7; }), 1e-12);
}

// Without flow T = y + Q y (1 - y)/2 at rest; then fluxes are this profile's, to rounding.
TEST_P(Heat, LetsOutAsMuchHeatAsArises)
{
  Flow<2> flow(device, 4, true);
  flow.parameters.linear_solver.tolerance = 1e-12;
  flow.parameters.heating                 = "3";
  flow.parameters.boundaries.prescribed   = {{2, "0"}, {3, "1"}};
  flow.start("y");
  const auto u    = flow.flow(at_rest);
  double     time = 0.;
  for (int k = 0; k < 40; ++k)
    flow.heat->advance(time += 10., 10., u);
  const auto fluxes = flow.heat->fluxes();
  EXPECT_NEAR(fluxes.at(2), -2.5, 1e-9);
  EXPECT_NEAR(fluxes.at(3), -0.5, 1e-9);
  EXPECT_LT(flow.error([](const Point<2> &x) { return x[1] + 1.5 * x[1] * (1. - x[1]); }), 1.6e-3); // at hanging nodes
}

INSTANTIATE_TEST_SUITE_P(Devices, Heat, adamant::test::all_places, adamant::test::place_name);
} // namespace
