// The equation of a temperature that a flow carries, against exact solutions, with hanging nodes, on every device.
#include "flow.h"

#include "base/exceptions.h"
#include "heat/horizontal_averages.h"
#include "scalar/local_fluxes.h"

#include <deal.II/base/quadrature_lib.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

using namespace test;
using adamant::test::DeviceTest;

namespace
{
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

// For each kind of T.
using KindAt = std::tuple<adamant::test::Place, std::string>;
class HeatOf : public adamant::test::OnDevice, public testing::WithParamInterface<KindAt>
{
protected:
  HeatOf()
    : OnDevice(std::get<0>(GetParam()))
    , kind(std::get<1>(GetParam()))
  {}

  const std::string kind;
};

// Steps vary by a third.
double step_of(int k, double dt)
{
  return dt * (1. + 0.33 * std::sin(5. * k));
}

// With limited advection diffusion is that of Crank-Nicolson for steps up to 1.5 h²/κ.
TEST_P(Heat, DecaysWithOrderTwo)
{
  for (const std::string advection : {"supg", "limited"})
    {
      SCOPED_TRACE(advection);
      double errors[2] = {};
      for (const int fine : {0, 1})
        {
          Flow<2> flow(device, 4 + fine, false);
          flow.parameters.advection = advection;
          flow.start("sin(pi*x)*sin(pi*y)", "0");
          const auto u       = flow.flow(at_rest);
          const int  n_steps = (advection == "limited" ? 20 : 10) * (fine + 1);
          double     time    = 0.;
          for (int k = 0; k < n_steps; ++k)
            {
              const double dt = step_of(k, 0.05 / n_steps);
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
}

// Limits clip the top of the hump.
TEST_P(Heat, TurnsALimitedHump)
{
  double errors[2] = {};
  for (const int fine : {0, 1})
    {
      Flow<2> flow(device, 4 + fine, true);
      flow.parameters.advection   = "limited";
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
  EXPECT_LT(errors[1], 0.06);
  EXPECT_GT(errors[0] / errors[1], 3.);
}

// A block keeps its bounds, however long the steps are; with upwinding it does not.
TEST_P(Heat, LimitsKeepBounds)
{
  for (const bool limited : {true, false})
    for (const double diffusivity : {1e-6, 1e-3, 10.}) // the last one with long steps for Crank-Nicolson
      {
        Flow<2> flow(device, 4, true);
        flow.parameters.advection               = limited ? "limited" : "supg";
        flow.parameters.diffusivity             = diffusivity;
        flow.parameters.linear_solver.tolerance = 1e-13;
        flow.parameters.boundaries.prescribed   = {{0, "1"}, {1, "0"}};
        flow.start("if(abs(x-0.5)<0.13 & abs(y-0.7)<0.13, 1, 0)");
        const auto u    = flow.flow(turning);
        double     over = 0.;
        for (int k = 1; k < 9; ++k)
          {
            flow.heat->advance(0.03 * k, 0.03, u);
            for (const double T : to_host(flow.heat->T))
              over = std::max({over, -T, T - 1.});
          }
        if (limited)
          EXPECT_LT(over, 1e-12) << diffusivity;
        else
          EXPECT_EQ(over > 0.05, diffusivity < 1.) << over << " with " << diffusivity;
      }
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

// At the points of the velocity's cells, and shown at nodes there.
template <int dim>
void expect_order(const adamant::Device &device, unsigned int coarse, bool hanging, double order)
{
  const std::string profile = dim == 2 ? "sin(pi*x)*sin(2*y)" : "sin(pi*x)*sin(2*y)*cos(z)",
                    shift   = dim == 2 ? "" : "*cos(z)";
  double errors[2] = {}, shown[2] = {};
  for (const int fine : {0, 1})
    {
      Flow<dim> flow(device, coarse + fine, hanging, "q2");
      flow.parameters.heating = "20*((0.5-y)*pi*cos(pi*x)*sin(2*y)+(x-0.5)*2*sin(pi*x)*cos(2*y))" + shift +
                                "+(pi^2+4+" + (dim == 3 ? "1" : "0") + ")*" + profile;
      flow.start(profile, profile);
      const auto u     = flow.flow([](const Point<dim> &x, int c) {
        return c == 0 ? 20. * (0.5 - x[1]) : c == 1 ? 20. * (x[0] - 0.5) : 0.;
      });
      const auto exact = [](const Point<dim> &x) {
        return std::sin(numbers::PI * x[0]) * std::sin(2. * x[1]) * (dim == 2 ? 1. : std::cos(x[dim - 1]));
      };
      for (int k = 0; k < 3; ++k)
        flow.heat->advance(1e5 * (k + 1), 1e5, u);
      const auto   points = adamant::quadrature_points(flow.velocity->finest(), flow.mapping, QGauss<dim>(2));
      DeviceVector at_points(device, static_cast<int>(points.size()) / dim);
      flow.heat->evaluate(at_points);
      const auto most_error = [&](const adamant::Array<double> &values, const adamant::Array<double> &places) {
        double most = 0.;
        for (std::size_t i = 0; i < values.size(); ++i)
          most = std::max(most, std::abs(values[i] - exact(point_of<dim>(places, i))));
        return most;
      };
      errors[fine] = most_error(to_host(at_points), points);
      shown[fine] =
        most_error(to_host(flow.heat->shown()), adamant::support_points(flow.heat->shown_space(), flow.mapping));
    }
  EXPECT_GT(std::log2(errors[0] / errors[1]), order) << errors[0] << ' ' << errors[1];
  EXPECT_GT(std::log2(shown[0] / shown[1]), order) << shown[0] << ' ' << shown[1];
}

TEST_P(Heat, Q2HasOrderThree)
{
  expect_order<2>(device, 3, false, 2.9);
  expect_order<2>(device, 4, true, 2.9);
  expect_order<3>(device, 2, true, 2.6);
}

// Also where the velocity has a divergence.
TEST_P(HeatOf, KeepsAConstant)
{
  Flow<2> flow(device, 4, true, kind);
  flow.parameters.linear_solver.tolerance = 1e-13;
  flow.parameters.boundaries.prescribed   = {{0, "0.7"}};
  flow.start("0.7");
  const auto u = flow.flow([](const Point<2> &x, int c) { return c == 0 ? 30. * x[0] : 20. * std::sin(9. * x[1]); });
  for (int k = 0; k < 5; ++k)
    flow.heat->advance(0.1 * (k + 1), 0.1, u);
  EXPECT_LT(flow.error([](const Point<2> &) { return 0.7; }), 1e-12);
}

// Without flow T = y + Q y (1 - y)/2 at rest; then fluxes are this profile's, to rounding.
TEST_P(HeatOf, LetsOutAsMuchHeatAsArises)
{
  Flow<2> flow(device, 4, true, kind);
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
  // A bilinear T is that well off at hanging nodes; a biquadratic one is exact.
  EXPECT_LT(flow.error([](const Point<2> &x) { return x[1] + 1.5 * x[1] * (1. - x[1]); }),
            kind == "q2" ? 1e-10 : 1.6e-3);
}

// With the weights of BDF2 for the last step: what comes in and arises, but for what is stored, is the defect. Limited
// transport takes nothing out of a closed box.
TEST_P(HeatOf, BalancesHeat)
{
  Flow<2> flow(device, 4, true, kind);
  flow.parameters.linear_solver.tolerance = 1e-13;
  flow.parameters.heating                 = "3*x";
  flow.parameters.boundaries.prescribed   = {{2, "1+x*t"}, {3, "0"}};
  flow.parameters.boundaries.flux         = {{0, "0.4"}};
  flow.start("1-y+sin(3*x)*y*(1-y)");
  const auto          u = flow.flow([](const Point<2> &x, int c) { // with a divergence, and closed
    return c == 0 ? 40. * std::sin(numbers::PI * x[0]) * x[1] : 30. * std::sin(numbers::PI * x[1]) * (1. - x[0]);
  });
  std::vector<double> means;
  double              time = 0., dt = 0., last_dt = 0.;
  for (int k = 0; k < 4; ++k)
    {
      last_dt = dt;
      dt      = step_of(k, 0.01);
      flow.heat->advance(time += dt, dt, u);
      adamant::Statistics::Row row;
      flow.heat->add_to(row);
      means.push_back(
        std::find_if(row.begin(), row.end(), [](const auto &one) { return one.first == "mean_T"; })->second);
    }
  const bool   limited = kind == "limited";
  const auto   weights = limited ? adamant::BackwardDifference() : adamant::BackwardDifference::second(dt / last_dt);
  const double stored  = (weights.a0 * means[3] + weights.a1 * means[2] + weights.a2 * means[1]) / dt;
  const auto   fluxes  = flow.heat->fluxes();
  const double defect = flow.heat->heat_defect(), in = fluxes.at(2) + fluxes.at(3) + 0.4 + 1.5;
  EXPECT_NEAR(in - stored, defect, 1e-9 * std::abs(stored));
  EXPECT_EQ(std::abs(defect) < 1e-6, limited) << defect;
}

// Also where boundaries with values meet. Fluxes of a linear T are exact.
TEST_P(HeatOf, HasLocalFluxes)
{
  Flow<2> flow(device, 3, true, kind);
  flow.parameters.linear_solver.tolerance = 1e-13;
  flow.parameters.diffusivity             = 0.5;
  flow.start("2*x+3*y", "2*x+3*y");
  flow.heat->advance(0.1, 0.1, flow.flow(at_rest));
  const adamant::LocalFluxes<2> fluxes("key", {0, 1, 2, 3}, flow.heat->all_rows(), flow.mapping,
                                       flow.parameters.boundaries, flow.parameters.diffusivity);
  const auto                    found   = fluxes(to_host(flow.heat->residuals()).data(), to_host(flow.heat->T).data());
  const double                  exact[] = {-1., 1., -1.5, 1.5};
  ASSERT_EQ(found.size(), 4);
  for (const auto &[id, nodes] : found)
    {
      EXPECT_GE(nodes.size(), 9);
      EXPECT_EQ(nodes.front().point[id / 2], id % 2);
      for (const auto &node : nodes)
        EXPECT_NEAR(node.flux, exact[id], 1e-9) << id << ": " << node.point;
    }
  flow.parameters.boundaries.everywhere.reset();
  EXPECT_THROW(adamant::LocalFluxes<2>("key", {1}, flow.heat->all_rows(), flow.mapping, flow.parameters.boundaries, 1.),
               adamant::InputError);
}

// Linear functions have their value at the mean height, in layers that no face bounds, too.
TEST_P(HeatOf, AveragesLayers)
{
  Flow<2>      flow(device, 3, true, kind);
  const double square = kind == "q2" ? 3. : 0.; // of which the average is exact, too
  flow.start("1-2*y+0.3*(x-0.5)+" + std::to_string(square) + "*y^2");
  const auto                          &space = flow.heat->shown_space();
  const adamant::HorizontalAverages<2> averages(flow.velocity->finest(), {&space}, flow.mapping, Tensor<1, 2>({0., 1.}),
                                                7);
  const auto u = to_host(flow.flow([](const Point<2> &x, int c) { return c == 0 ? -3. * x[1] : 4. * x[1]; }));
  adamant::Array<double> eta(space.n_cells());
  for (int c = 0; c < space.n_cells(); ++c)
    eta[c] = space.active_cells()[c]->center()[0] < 0.5 ? 1e4 : 1.;
  const auto columns = averages(u.data(), eta.data(), {{"T", to_host(flow.heat->shown()).data()}});
  ASSERT_EQ(columns.size(), 4);
  EXPECT_EQ(columns[0].name + columns[1].name + columns[2].name + columns[3].name, "heightTspeedviscosity");
  for (std::size_t k = 0; k < 7; ++k)
    {
      const double y = columns[0].values[k];
      EXPECT_NEAR(y, (k + 0.5) / 7., 1e-12);
      EXPECT_NEAR(columns[1].values[k], 1. - 2. * y + square * (y * y + 1. / (12. * 49.)), 1e-12);
      EXPECT_NEAR(columns[2].values[k], 5. * y, 1e-12);
      EXPECT_NEAR(columns[3].values[k], 100., 1e-10);
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, Heat, adamant::test::all_places, adamant::test::place_name);
INSTANTIATE_TEST_SUITE_P(Devices, HeatOf,
                         testing::Combine(adamant::test::all_places, testing::Values("q1", "q2", "limited")),
                         [](const testing::TestParamInfo<KindAt> &info) {
                           return adamant::test::name_of(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
                         });
} // namespace
