// The products of a temperature that the velocity carries, against single matrices, on every device.
#include "fields.h"
#include "flow/flow_functors.h"
#include "flow/flow_matrices.h"
#include "support/devices.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping_q1.h>

#include <algorithm>
#include <string>

using namespace test;
using adamant::Array;
using adamant::FlowMatrices;

namespace
{
class FlowWithHeat : public adamant::test::DeviceTest
{
protected:
  // A step of velocity and temperature against one matrix at a time: dt = -1 and 1 / m = 1 as above.
  template <int dim>
  void compare_heat(unsigned int seed, bool apart, const std::string &viscosity)
  {
    SCOPED_TRACE("dimension " + std::to_string(dim) + ", viscosity " + viscosity + (apart ? ", apart" : ""));
    Triangulation<dim> mesh;
    make_distorted_mesh(mesh, seed);
    const MappingQ1<dim>    mapping;
    const FlowMatrices<dim> flow(mesh, mapping, QGauss<dim>(2), {}, {64}, {"viscosity", viscosity, nullptr});
    const int               n     = flow.velocity().n_dofs();
    const auto              u     = random_field(flow.velocity(), dim, seed);
    const auto              T     = random_field(flow.velocity(), 1, seed + 1)[0];
    const double            kappa = 0.3, e[] = {2., -1., 0.5};

    using adamant::test::to_device;
    const auto u_old = to_device(device, by_components(u)), T_old = to_device(device, {T.begin(), T.end()}),
               p = to_device(device, std::vector<double>(n, 0.)), one = to_device(device, std::vector<double>(n, 1.));
    adamant::Vector<double>    u_new(device, dim * n), u_alone(device, dim * n), T_new(device, n), product(device, n);
    const auto                 K = flow.stiffness(mapping, QGauss<dim>(2));
    adamant::FlowProducts<dim> products(device, flow, apart, {kappa, K}), without_heat(device, flow, apart);
    adamant::HeatStep<dim>     heat{{-1., T_old.data(), one.data(), nullptr, T_new.data()}, {}};
    std::copy(e, e + dim, heat.e);
    const auto at_once = [](const char *, const auto &work) { work(); };
    products.heat_product(u_old, T_old, product);
    products.momentum({n, -1., u_old.data(), one.data(), nullptr, u_new.data()}, u_old, p, at_once, &heat, T_old);
    without_heat.momentum({n, -1., u_old.data(), one.data(), nullptr, u_alone.data()}, u_old, p, at_once);

    auto expected = adamant::product(*K, Array<double>(T.begin(), T.end()));
    for (double &value : expected)
      value *= kappa;
    for (unsigned int d = 0; d < dim; ++d)
      {
        Array<double> u_T(n);
        for (int i = 0; i < n; ++i)
          u_T[i] = u[d][i] * T[i];
        const auto part = adamant::product(*flow.gradient[d], u_T);
        for (int i = 0; i < n; ++i)
          expected[i] += part[i];
      }
    const auto of_u = adamant::test::values_of(u_new), alone = adamant::test::values_of(u_alone);
    const auto of_T = adamant::test::values_of(T_new), of_product = adamant::test::values_of(product);
    for (int i = 0; i < n; ++i)
      {
        ASSERT_NEAR(of_product[i], expected[i], 1e-12);
        ASSERT_NEAR(of_T[i], T[i] + expected[i], 1e-12);
        for (int c = 0; c < dim; ++c)
          ASSERT_NEAR(of_u[c * n + i], alone[c * n + i] - e[c] * (T[i] + of_T[i]) / 2., 1e-12);
      }
    const adamant::VelocityUpdate<dim> update{n, -1., u_old.data(), one.data(), nullptr, u_new.data()};
    std::fill(heat.e, heat.e + dim, 0.);
    products.momentum(update, u_old, p, at_once, &heat, T_old);
    std::copy(e, e + dim, heat.e);
    device.for_each(n, adamant::PressByHeat<dim>{update, heat}); // as implicit diffusion does
    const auto pressed = adamant::test::values_of(u_new);
    for (int i = 0; i < dim * n; ++i)
      ASSERT_NEAR(pressed[i], of_u[i], 1e-12);
    products.momentum({n, -1., u_old.data(), one.data(), nullptr, u_new.data()}, u_old, p, at_once);
    const auto beside = adamant::test::values_of(u_new);
    for (int i = 0; i < dim * n; ++i)
      ASSERT_NEAR(beside[i], alone[i], 1e-12) << "expected the step without its temperature";
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, FlowWithHeat, adamant::test::all_places, adamant::test::place_name);

TEST_P(FlowWithHeat, ATemperatureIsOneMoreComponent)
{
  for (const bool apart : {false, true})
    for (const std::string viscosity : {"0.7", "0.7+0.1*x"})
      {
        compare_heat<2>(1, apart, viscosity);
        compare_heat<3>(4, apart, viscosity);
      }
}
} // namespace
