// What leads past a load that buckles: the tangent plus a mass, the number of its negative eigenvalues, and the rules
// of the trust region.
#include "body.h"

#include "solid/newton/negative_eigenvalues.h"

#include <deal.II/fe/fe_values.h>

#include <array>
#include <cmath>
#include <initializer_list>
#include <map>
#include <memory>
#include <utility>

using namespace test;
using adamant::test::DeviceTest;

namespace
{
class Stability : public DeviceTest
{
};
INSTANTIATE_TEST_SUITE_P(Devices, Stability, adamant::test::all_places, adamant::test::place_name);

// The tangent's matrix with a shift has x . A x larger by the shift times ∫ |x|², on hanging nodes, too.
TEST_P(Stability, ShiftedTangent)
{
  Body<2>    body(device, {energies[0]}, 2, false, 0.05);
  const auto random = random_vector(body.field->size(), 1);
  auto       x = body.field->vector(), values = body.field->vector(), product = body.field->vector();
  body.field->nodal_values(DeviceVector(device, Array<double>(random.begin(), random.end())),
                           body.field->prescribed_vector(), x);
  const auto square = [&](double shift) {
    body.deformation->residual(body.state, 0., body.load, body.r);
    body.deformation->linearize(body.state, shift);
    const auto A =
      adamant::make_matrix<double>(device, adamant::levels_of(*body.host, body.deformation->tangent()).back());
    Array<double> free = to_host(x);
    for (int i = 0; i < body.field->size(); ++i)
      free[i] *= body.field->space().is_free(i);
    const DeviceVector unknowns(device, free);
    device.multiply(1., A, unknowns, 0., product);
    return device.dot(unknowns, product);
  };
  const auto  nodal = to_host(x);
  double      mass  = 0.;
  const auto &space = body.field->space();
  FEValues<2> fe(body.mapping, space.element(), QGauss<2>(3), update_values | update_JxW_values);
  for (int cell = 0; cell < space.n_cells(); ++cell)
    {
      fe.reinit(space.active_cells()[cell]);
      for (const unsigned int q : fe.quadrature_point_indices())
        {
          double u[2] = {};
          for (const unsigned int i : fe.dof_indices())
            u[space.element().system_to_component_index(i).first] +=
              nodal[space.cell_dofs(cell)[i]] * fe.shape_value(i, q);
          mass += (u[0] * u[0] + u[1] * u[1]) * fe.JxW(q);
        }
    }
  const double shift = 1e3 * mu;
  EXPECT_NEAR((square(shift) - square(0.)) / shift, mass, 1e-11 * mass);
}

// A matrix with zeros on its diagonal needs pivots of two rows. A tangent has no negative eigenvalue at rest, and with
// a shift that is negative and large one for each unknown that is free.
TEST_P(Stability, NegativeEigenvalues)
{
  const auto number = [&](std::initializer_list<std::initializer_list<double>> rows) {
    auto A    = std::make_shared<adamant::CSRMatrix<double>>();
    A->n_rows = A->n_cols = static_cast<int>(rows.size());
    A->row_start          = {0};
    for (const auto &row : rows)
      {
        int column = 0;
        for (const double value : row)
          {
            A->column.push_back(column++);
            A->value.push_back(value);
          }
        A->row_start.push_back(static_cast<adamant::EntryNumber>(A->value.size()));
      }
    adamant::LevelData level;
    level.values = adamant::SharedMatrix(A);
    return adamant::n_negative_eigenvalues(device.communicator(), level).value();
  };
  EXPECT_EQ(number({{2., 1.}, {1., 2.}}), 0);
  EXPECT_EQ(number({{0., 1.}, {1., 0.}}), 1);
  EXPECT_EQ(number({{0., 1., 0.}, {1., 0., 0.}, {0., 0., -1.}}), 2);
  EXPECT_EQ(number({{0., 1., 2., 3.}, {1., 0., 4., 5.}, {2., 4., 0., 6.}, {3., 5., 6., 0.}}), 3);
  EXPECT_EQ(number({{-2., 1., 0.}, {1., -2., 1.}, {0., 1., -2.}}), 3);

  Body<2>    body(device, {energies[3]}, 1);
  const auto of_body = [&](double shift) {
    body.deformation->residual(body.state, 0., body.load, body.r);
    body.deformation->linearize(body.state, shift);
    const auto levels = adamant::levels_of(*body.host, body.deformation->tangent());
    return adamant::n_negative_eigenvalues(device.communicator(), levels.back()).value();
  };
  EXPECT_EQ(of_body(0.), 0);
  int n_free = 0;
  for (int i = 0; i < body.field->size(); ++i)
    n_free += body.field->space().is_free(i);
  EXPECT_EQ(of_body(-1e8), n_free);
}

// A nearly incompressible square that is stretched, and whose upper side is free.
struct RubberSquare : Body<2>
{
  RubberSquare(const adamant::Device &device, unsigned int refinements, unsigned int coarsest_cells)
    : Body<2>(device, {energies[0]}, 1)
  {
    const StoredEnergy         rubber{StoredEnergy::neo_hooke, {mu}, large_bulk};
    adamant::DirichletBoundary sides;
    for (unsigned int id = 0; id < 3; ++id)
      {
        sides[id] = ComponentMask(2, false);
        sides[id].set(id / 2, true);
      }
    deformation.reset();
    mesh.clear();
    GridGenerator::hyper_cube(mesh, 0., 1., true);
    mesh.refine_global(refinements);
    setup({rubber}, 1, sides, true, {}, coarsest_cells);
    set([](const Point<2> &x, unsigned int c) { return c == 0 ? 0.2 * x[0] : 0.; });
  }
};

// A coarser level's pressures are averages of the finer one's. From u at its own nodes they would make its matrix
// indefinite.
TEST_P(Stability, PressuresOfCoarserLevels)
{
  RubberSquare      fine(device, 4, 1), alone(device, 4, 1000), coarse(device, 3, 1); // alone: by a dense inverse
  const auto        points = fine.field->nodes();
  const auto        axis   = adamant::components(fine.field->space());
  const std::size_t n      = axis.size();
  Array<double>     load(n);
  for (std::size_t i = 0; i < n; ++i) // downwards, on a part of the upper side
    load[i] = axis[i] == 1 && points[n + i] > 0.99 && points[i] < 0.51 ? -0.02 * mu : 0.;
  alone.load = DeviceVector(device, load);
  equilibrate(alone, adamant::Precision::float64);
  const auto state = to_host(alone.state);
  fine.state.upload(state.data());
  fine.deformation->evaluate(fine.state);
  fine.deformation->linearize(fine.state);

  std::map<std::pair<double, double>, std::array<double, 2>> u;
  for (std::size_t i = 0; i < n; ++i)
    u[{points[i], points[n + i]}][axis[i]] = state[i];
  coarse.set([&](const Point<2> &x, unsigned int c) { return u.at({x[0], x[1]})[c]; });
  coarse.evaluate(coarse.state);
  coarse.deformation->linearize(coarse.state);
  const auto negative = [&](Body<2> &body, std::size_t l) {
    const auto levels = adamant::levels_of(*body.host, body.deformation->tangent());
    return adamant::n_negative_eigenvalues(device.communicator(), levels[l]).value();
  };
  ASSERT_EQ(fine.field->field().n_levels(), 5u);
  for (std::size_t l = 0; l < 5; ++l)
    EXPECT_EQ(negative(fine, l), 0) << "level " << l;
  EXPECT_GT(negative(coarse, 3), 0);
}

TEST(TrustRegion, Rules)
{
  adamant::TrustRegion region(0.1);
  region.begin();
  EXPECT_EQ(region.shift(), 0.);
  EXPECT_TRUE(region.accepts(1., 1.));
  EXPECT_EQ(region.shift(), 0.);
  for (const double actual : {1e-4, -1., std::nan("")})
    EXPECT_FALSE(region.accepts(actual, 1.));
  EXPECT_FALSE(region.accepts(1., -1.));
  EXPECT_DOUBLE_EQ(region.shift(), 6.4);
  EXPECT_EQ(region.refusals(), 4);
  EXPECT_TRUE(region.accepts(0.2, 1.));
  EXPECT_DOUBLE_EQ(region.shift(), 12.8);
  EXPECT_TRUE(region.accepts(0.5, 1.));
  EXPECT_DOUBLE_EQ(region.shift(), 12.8);
  EXPECT_TRUE(region.accepts(0.8, 1.));
  EXPECT_DOUBLE_EQ(region.shift(), 3.2);
  for (int k = 0; k < 3; ++k)
    EXPECT_TRUE(region.accepts(0.8, 1.));
  EXPECT_EQ(region.shift(), 0.);
}
} // namespace
