// Values on coarser levels: a linear function has equal values on all levels, and averages belong to the cells below.
#include "coefficients/coarser_values.h"
#include "fem/functions/points.h"
#include "fem/support.h"
#include "support/devices.h"

#include <deal.II/fe/mapping_q1.h>

using namespace test;
using adamant::Array;
using adamant::to_host;

namespace
{
class CoarserValues : public adamant::test::DeviceTest
{
protected:
  adamant::Vector<double> on_device(const Array<double> &values) const { return {device, values}; }

  template <int dim>
  void check_injection(const adamant::Field<dim> &u) const
  {
    const MappingQ1<dim> mapping;
    SmoothFunction<dim>  function;
    const auto           nodal = [&](std::size_t level) {
      const auto    points = adamant::support_points(u.space(level), mapping);
      Array<double> values(u.space(level).n_dofs());
      for (std::size_t i = 0; i < values.size(); ++i)
        {
          Point<dim> p;
          for (int c = 0; c < dim; ++c)
            p[c] = points[c * values.size() + i];
          values[i] = function.value(p);
        }
      return values;
    };
    adamant::InjectedValues<dim> injected(device, u);
    injected.update(on_device(nodal(u.n_levels() - 1)));
    for (std::size_t l = 0; l < u.n_levels(); ++l)
      {
        const auto found = to_host(injected[l]), expected = nodal(l);
        for (std::size_t i = 0; i < found.size(); ++i)
          ASSERT_NEAR(found[i], expected[i], 1e-13) << "level " << l << ", node " << i;
      }
  }

  template <int dim>
  void check_averages(const adamant::Field<dim> &u, adamant::Average average) const
  {
    adamant::CellAverages<dim> averages(device, u, average);
    Array<double>              finest(u.finest().n_cells());
    for (std::size_t cell = 0; cell < finest.size(); ++cell)
      finest[cell] = 1. + 0.5 * std::sin(0.37 * cell + 1.);
    averages.update(on_device(finest));
    const auto transform = [average](double c) {
      return average == adamant::Average::arithmetic ? c : average == adamant::Average::harmonic ? 1. / c : std::log(c);
    };
    double expected = 0, volume = 0; // over the whole domain, from the finest and from the coarsest cells
    for (int cell = 0; cell < u.finest().n_cells(); ++cell)
      expected += transform(finest[cell]) * u.finest().active_cells()[cell]->measure();
    const auto coarsest = to_host(averages[0]);
    double     found    = 0;
    for (int cell = 0; cell < u.space(0).n_cells(); ++cell)
      {
        found += transform(coarsest[cell]) * u.space(0).active_cells()[cell]->measure();
        volume += u.space(0).active_cells()[cell]->measure();
      }
    EXPECT_NEAR(volume, 1., 1e-12);
    EXPECT_NEAR(found, expected, 1e-12) << int(average);
  }

  template <int dim>
  void check()
  {
    Triangulation<dim> mesh;
    make_random_mesh(mesh, 5);
    const adamant::LevelMeshes<dim> meshes(mesh, {8});
    const adamant::Field<dim>       u(meshes, "u", FE_Q<dim>(2));
    check_injection(u);
    for (const auto average : {adamant::Average::arithmetic, adamant::Average::harmonic, adamant::Average::geometric})
      check_averages(u, average);
  }
};

TEST_P(CoarserValues, OfNodesAndCells)
{
  check<2>();
  check<3>();
}
INSTANTIATE_TEST_SUITE_P(Devices, CoarserValues, adamant::test::all_places, adamant::test::place_name);
} // namespace
