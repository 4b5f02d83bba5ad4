// Flow whose viscosity depends on the strain rate: the derivative against differences, with hanging nodes, on every
// device, and Newton's method for yielding flow.
#include "stokes/nonlinear_flow.h"
#include "stokes/flow_power.h"

#include "fem/functions/points.h"
#include "fem/support.h"
#include "frame/unknown.h"
#include "operators/device_level.h"
#include "stokes/stokes_kernels.h"
#include "support/devices.h"

#include <deal.II/fe/mapping_q1.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

using namespace test;
using adamant::Array;
using adamant::to_host;
using adamant::test::DeviceTest;
using DeviceVector = adamant::Vector<double>;

namespace
{
class NonlinearStokes : public DeviceTest
{
protected:
  // The loads of a velocity with the viscosity s^p, averaged in cells, and their derivative.
  template <int dim>
  struct PowerLaw
  {
    PowerLaw(const adamant::Device &device, double p, int power_of_average)
      : device(device)
      , p(p)
      , power(power_of_average)
    {
      GridGenerator::hyper_cube(mesh, 0., 1., true);
      mesh.refine_global(1);
      refine_randomly(mesh, 2, 0.3, 5);
      mesh.refine_global(1);
      adamant::DirichletBoundary dirichlet;
      for (unsigned int id = 0; id < 2 * dim; ++id)
        {
          dirichlet[id] = ComponentMask(dim, id == 0);
          dirichlet[id].set(id / 2, true);
        }
      matrices = std::make_unique<adamant::StokesMatrices<dim>>(
        device, mesh, mapping, dirichlet, std::set<types::boundary_id>{0}, std::set<types::boundary_id>{},
        adamant::StokesOptions());
      field    = std::make_unique<adamant::DeviceField<dim>>(device, matrices->velocity, mapping);
      strain   = std::make_unique<adamant::StrainOperator<dim>>(device, *field, mapping, matrices->quadrature);
      n        = strain->n_points();
      n_q      = matrices->quadrature.size();
      of_cells = DeviceVector(device, Array<double>(n / n_q, 1.));
    }

    DeviceVector unknowns(unsigned int seed) const
    {
      auto x = random_vector(field->size(), seed);
      for (int i = 0; i < field->size(); ++i)
        x[i] *= matrices->space().is_free(i);
      return DeviceVector(device, Array<double>(x.begin(), x.end()));
    }

    // ∫ 2 η ε(x) : ε(φ_i).
    DeviceVector loads(const DeviceVector &x)
    {
      DeviceVector nodal = field->vector(), result = field->vector();
      field->nodal_values(x, field->prescribed_vector(), nodal);
      size = DeviceVector(device, n);
      strain->set_velocity(nodal, size);
      auto values = to_host(size), slopes = values;
      for (int i = 0; i < n; ++i)
        {
          slopes[i] = p * std::pow(values[i], p - 1.);
          values[i] = std::pow(values[i], p);
        }
      eta   = DeviceVector(device, values);
      slope = DeviceVector(device, slopes);
      if (power >= 0)
        device.for_each(n / n_q, adamant::AverageInCells{power == 0 ? adamant::Average::arithmetic :
                                                         power == 1 ? adamant::Average::geometric :
                                                                      adamant::Average::harmonic,
                                                         n_q, eta.data(), of_cells.data()});
      strain->loads(2., averaged(), 0., result);
      return result;
    }
    const DeviceVector &averaged() const { return power < 0 ? eta : of_cells; }

    // The derivative at the last velocity of loads(), divided by `scale`.
    DeviceVector derivative(const DeviceVector &delta, double scale)
    {
      strain->set_averaged(power >= 0);
      device.for_each(n,
                      adamant::TangentFactor{eta.data(), slope.data(), size.data(), averaged().data(),
                                             power < 0 ? 1 : n_q, std::max(power, 0), scale, strain->factor().data()});
      matrices->update(of_cells, power < 0 ? &eta : nullptr);
      DeviceVector result = field->vector();
      const auto   A      = adamant::make_matrix<double>(device, matrices->data().velocity.back());
      device.multiply(1. / scale, A, delta, 0., result);
      strain->multiply(1., delta, 1., result);
      return result;
    }

    adamant::Device                               device;
    double                                        p;
    int                                           power;
    Triangulation<dim>                            mesh;
    MappingQ1<dim>                                mapping;
    std::unique_ptr<adamant::StokesMatrices<dim>> matrices;
    std::unique_ptr<adamant::DeviceField<dim>>    field;
    std::unique_ptr<adamant::StrainOperator<dim>> strain;
    int                                           n, n_q;
    DeviceVector                                  size, eta, slope, of_cells;
  };

  template <int dim>
  void check_derivative(double p, int power_of_average) const
  {
    PowerLaw<dim>      law(device, p, power_of_average);
    const double       h = 1e-4, scale = 3.;
    const DeviceVector x = law.unknowns(1), delta = law.unknowns(2);
    const auto         there = [&](double step) {
      DeviceVector at(device, to_host(x));
      device.axpby(step, delta, 1., at);
      return to_host(law.loads(at));
    };
    const auto after = there(h), before = there(-h);
    there(0.);
    const auto actual = to_host(law.derivative(delta, scale));
    double     most   = 0.;
    for (const double value : actual)
      most = std::max(most, std::abs(value));
    for (std::size_t i = 0; i < actual.size(); ++i)
      {
        const bool free = law.matrices->space().is_free(static_cast<int>(i));
        ASSERT_NEAR(free * actual[i], free * (after[i] - before[i]) / (2. * h * scale), 1e-5 * most) << i;
      }
  }
};

TEST_P(NonlinearStokes, Derivative)
{
  for (const int power : {-1, 0, 1, 2})
    check_derivative<2>(-0.5, power);
  check_derivative<3>(-0.5, 0);
  check_derivative<3>(0.7, -1);
}

// Without a derivative the loads are products with the matrix.
TEST_P(NonlinearStokes, LoadsAreProducts)
{
  PowerLaw<3>        law(device, 0., 0);
  const DeviceVector x     = law.unknowns(1);
  const auto         loads = to_host(law.loads(x)), product = to_host(law.derivative(x, 1.));
  for (std::size_t i = 0; i < loads.size(); ++i)
    ASSERT_NEAR(loads[i], law.matrices->space().is_free(static_cast<int>(i)) * product[i], 1e-12);
}

// Yielding convection of Tosi et al. (2015), case 2, at a given temperature: mirrors all around.
struct Tosi
{
  Tosi(const adamant::Device &device, const std::string &viscosity, unsigned int refinements, bool newton = true,
       const std::string &average = "auto")
    : device(device)
    , law(device, "Viscosity", viscosity)
  {
    GridGenerator::hyper_cube(mesh, 0., 1., true);
    mesh.refine_global(refinements);
    boundaries.set("Boundaries", "free_slip");
    averages.newton    = newton;
    averages.finest    = average;
    averages.tolerance = 1e-6;
    averages.steps     = 100;
    flow.emplace(device, adamant::LevelMeshOptions(), mesh, mapping, boundaries, averages, solver,
                 adamant::SchurComplement::mass, law, std::vector<double>{0., -1.});
    adamant::Form<2> force("force", flow->matrices().velocity, adamant::quadrature_points<2>(), mapping,
                           flow->matrices().quadrature, update_values | update_JxW_values,
                           adamant::integral<2>([](const auto &cell, auto i, auto q) {
                             return 100. * (cell.component(i) == 1) * cell.value(i, q);
                           }));
    G = adamant::assemble_on(device, force);
  }

  void solve(const std::function<double(const Point<2> &)> &temperature)
  {
    const auto    points = adamant::quadrature_points(flow->space(), mapping, flow->matrices().quadrature);
    Array<double> T(points.size() / 2);
    for (std::size_t i = 0; i < T.size(); ++i)
      T[i] = temperature(Point<2>(points[i], points[T.size() + i]));
    const DeviceVector at_points(device, T);
    DeviceVector       load = flow->velocity().vector();
    flow->set_input("T", at_points);
    flow->update_viscosity();
    device.multiply(1., G, at_points, 0., load);
    flow->set_load(load);
    flow->update_solver();
    flow->solve();
  }

  adamant::Device                          device;
  adamant::ViscosityLaw                    law;
  Triangulation<2>                         mesh;
  MappingQ1<2>                             mapping;
  adamant::MeshParameters                  mesh_parameters;
  adamant::FlowBoundaries                  boundaries{mesh_parameters, {"x, y", "", "free_slip", "", ""}};
  adamant::NonlinearViscosityParameters    averages;
  adamant::StokesSolverParameters          solver{"mass"};
  std::optional<adamant::NonlinearFlow<2>> flow;
  adamant::Matrix<double>                  G;
};

// The steady temperature of the case, as a series.
double steady_temperature(const Point<2> &x)
{
  constexpr double a[4][6] = {{0.155, -0.327, 0.030, -0.146, -0.002, -0.069},
                              {0.128, -0.017, 0.087, -0.012, 0.061, -0.005},
                              {-0.055, 0.017, -0.014, 0.018, 0.004, 0.003},
                              {0.095, -0.010, 0.020, 0.003, 0.006, 0.004}};
  double           T       = 1. - x[1];
  for (int m = 0; m < 4; ++m)
    for (int n = 0; n < 6; ++n)
      T += a[m][n] * std::cos(m * numbers::PI * x[0]) * std::sin((n + 1) * numbers::PI * x[1]);
  return T;
}

const std::string yielding = "2/(exp(log(1e5)*T) + 1/(1e-3 + 1/strain))";

// The prototype of this method took 34 steps of Picard's method and 12 to 15 of Newton's from rest, with 32² cells. In
// the next time step, which began from the last two flows, it took 19 and 2.
TEST_P(NonlinearStokes, StepsOfYieldingFlow)
{
  for (const std::string average : {"auto", "none", "geometric"})
    {
      Tosi newton(device, yielding, 5, true, average), picard(device, yielding, 5, false, average);
      newton.solve(steady_temperature);
      picard.solve(steady_temperature);
      EXPECT_LE(newton.flow->nonlinear_steps(), 15) << average;
      EXPECT_NEAR(picard.flow->nonlinear_steps(), 34, 8) << average;
      const auto &eta = newton.flow->cell_viscosity(), &other = picard.flow->cell_viscosity();
      EXPECT_NEAR(eta.scale * eta.most, other.scale * other.most, 1e-4) << average;
      const std::vector<double>     gravity = {0., -1.};
      const adamant::PowerOfFlow<2> power(device, *newton.flow, newton.mapping, gravity);
      const int n_points = newton.flow->space().n_cells() * newton.flow->matrices().quadrature.size();
      EXPECT_NEAR(power(adamant::Vector<double>(device, n_points)).dissipation / newton.flow->work(), 1., 1e-3)
        << average;
      for (const int step : {1, 2})
        {
          newton.flow->extrapolate(1.);
          newton.solve([step](const Point<2> &x) {
            return steady_temperature(x) + step * 0.003 * std::cos(numbers::PI * x[0]) * std::sin(numbers::PI * x[1]);
          });
          EXPECT_LE(newton.flow->nonlinear_steps(), step == 1 ? 4 : 3) << average << ", step " << step;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, NonlinearStokes, adamant::test::all_places, adamant::test::place_name);
} // namespace
