// Solids at finite deformation: derivatives of energies and of forces against differences, rotations, and equilibrium
// whose deformation is homogeneous, on meshes with hanging nodes, on every device.
#include "body.h"

#include "fem/spaces/mesh_change.h"
#include "solid/sums_of_cells.h"

#include <deal.II/fe/fe_values.h>

#include <algorithm>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>

using namespace test;
using adamant::Stretch;
using adamant::test::DeviceTest;

namespace
{
TEST(StoredEnergies, DerivativesAgainstDifferences)
{
  const double x[3] = {3.4, 3.7, 0.15}, h = 3e-5;
  for (const auto &energy : energies)
    {
      const auto at    = [&](const double *y) { return energy.shape(invariants(y[0], y[1], y[2])); };
      const auto there = [&](int i, double step) {
        double y[3] = {x[0], x[1], x[2]};
        y[i] += step;
        return at(y);
      };
      const EnergyDerivatives W = at(x);
      for (int i = 0, k = 0; i < 3; ++i)
        {
          EXPECT_NEAR(W.first[i], (there(i, h).value - there(i, -h).value) / (2. * h), 1e-6) << energy.kind << i;
          for (int j = i; j < 3; ++j, ++k)
            EXPECT_NEAR(W.second[k], (there(j, h).first[i] - there(j, -h).first[i]) / (2. * h), 2e-6)
              << energy.kind << i << j;
        }
      const auto U = energy.volumetric(0.15), after = energy.volumetric(0.15 + h), before = energy.volumetric(0.15 - h);
      EXPECT_NEAR(U.first, (after.value - before.value) / (2. * h), 1e-5);
      EXPECT_NEAR(U.second, (after.first - before.first) / (2. * h), 1e-5);
      const adamant::SmallStrains at_rest(whole(energy, 3., 3., 0.));
      EXPECT_NEAR(at_rest.stress, 0., 1e-13 * bulk) << energy.kind;
      EXPECT_NEAR(at_rest.shear, energy.shear(), 1e-13 * bulk) << energy.kind;
      EXPECT_NEAR(at_rest.bulk, energy.bulk, 1e-13 * bulk) << energy.kind;
    }
}

// A shear by gamma has I1 - 3 = gamma² and J = 1.
TEST(StoredEnergies, LargeShear)
{
  for (const auto &energy : energies)
    for (const double gamma : {1., 1e2, 1e4})
      {
        Stretch<3> at;
        for (auto &row : at.H)
          std::fill(std::begin(row), std::end(row), 0.);
        at.H[0][1] = gamma;
        at.j       = adamant::determinant_less_one(at.H);
        at.complete();
        adamant::strain_of(at.H, at.G);
        if (energy.kind == StoredEnergy::neo_hooke || energy.kind == StoredEnergy::neo_hooke_compressible)
          EXPECT_NEAR(energy.shape(at.invariants()).value / (0.5 * energy.shear() * gamma * gamma), 1., 1e-12)
            << energy.kind << " " << gamma;
      }
}

// At small strains linear elasticity has the same stresses and energies.
TEST(StoredEnergies, SmallStrains)
{
  const double H[3][3] = {{0.3, 0.5, -0.2}, {-0.4, -0.7, 0.6}, {0.1, 0.9, 0.2}};
  for (const auto &of : {energies, as_expressions()})
    for (const auto &energy : of)
      for (const double scale : {1e-6, 1e-9, 1e-12, 1e-15})
        {
          Stretch<3> at;
          for (int c = 0; c < 3; ++c)
            for (int d = 0; d < 3; ++d)
              at.H[c][d] = scale * H[c][d];
          at.j = adamant::determinant_less_one(at.H);
          at.complete();
          adamant::strain_of(at.H, at.G);
          auto W = energy.shape(at.invariants());
          W += energy.volumetric(at.j);
          double P[3][3], work = 0.;
          at.piola(W.stress, W.first[1], W.first[2], P);
          const double trace = adamant::trace_of(H), bound = (100. * scale + 1e-13) * bulk;
          for (int c = 0; c < 3; ++c)
            for (int d = 0; d < 3; ++d)
              {
                const double linear = energy.shear() * (H[c][d] + H[d][c]) +
                                      (c == d ? (energy.bulk - 2. / 3. * energy.shear()) * trace : 0.);
                EXPECT_NEAR(P[c][d] / scale, linear, bound) << energy.kind << ", " << scale;
                work += 0.5 * linear * H[c][d];
              }
          EXPECT_NEAR(W.value / (scale * scale), work, bound) << energy.kind << ", " << scale;
        }
}

class Solid : public DeviceTest
{
protected:
  template <int dim>
  void check_tangent(const SolidEnergy &energy, unsigned int degree, bool projected = false) const
  {
    SCOPED_TRACE(energy.kind);
    Body<dim> body(device, {energy}, degree, false, 0.05, projected);
    test::check_tangent(body);
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, Solid, adamant::test::all_places, adamant::test::place_name);

TEST_P(Solid, TangentAgainstDifferences)
{
  for (const auto &energy : energies)
    check_tangent<2>(energy, 1);
  check_tangent<2>(energies[1], 2);
  check_tangent<3>(energies[1], 1);
  check_tangent<3>(energies[4], 1);
  for (const unsigned int degree : {1u, 2u})
    check_tangent<2>(energies[degree], degree, true);
  check_tangent<3>(energies[2], 1, true);
  const auto expressions = as_expressions();
  check_tangent<2>(expressions[1], 2);
  check_tangent<2>(expressions[3], 1);
  check_tangent<3>(expressions[2], 1, true);
}

// θ and p of all points, and their integrals.
struct Dilatations
{
  explicit Dilatations(Body<2> &body)
    : theta(to_host(body.deformation->dilatations_at_points()))
    , p(to_host(body.deformation->pressures_at_points()))
    , x(body.field->quadrature_points(QGauss<2>(body.field->space().element().degree + 1)))
  {
    FEValues<2> values(body.mapping, body.field->space().element(), QGauss<2>(body.field->space().element().degree + 1),
                       update_JxW_values);
    for (const auto &cell : body.mesh.active_cell_iterators())
      {
        values.reinit(cell);
        const std::size_t first = values.n_quadrature_points * body.field->space().cell_number(cell);
        for (const unsigned int q : values.quadrature_point_indices())
          {
            of_theta += theta[first + q] * values.JxW(q);
            of_p += p[first + q] * values.JxW(q);
          }
      }
  }

  Array<double> theta, p, x;
  double        of_theta = 0., of_p = 0.;
};

// Refines a cell and coarsens four.
void change_mesh(Body<2> &body)
{
  body.mesh.begin_active()->set_refine_flag();
  const auto last = body.mesh.last_active();
  for (unsigned int c = 0; c < 4; ++c)
    last->parent()->child(c)->set_coarsen_flag();
  adamant::MeshChange<2>             change(body.mesh);
  std::stringstream                  text;
  adamant::CheckpointWriter::Archive out(text);
  adamant::State                     saving(out, &change);
  body.deformation->serialize(saving, {&body.state});
  change.prepare();
  change.execute();
  body.set_up();
  adamant::CheckpointReader::Archive in(text);
  adamant::State                     loading(in, &change);
  body.deformation->serialize(loading, {&body.state});
  body.deformation->residual(body.state, 0., body.load, body.r);
}

// Points where det F <= 0, or θ <= 0, are counted.
TEST_P(Solid, CountsInvertedPoints)
{
  for (const bool projected : {false, true})
    {
      Body<2> body(device, {energies[0]}, 1, projected);
      for (const double stretch : {0.5, -0.5})
        {
          body.set([=](const Point<2> &x, unsigned int c) { return c == 0 ? (stretch - 1.) * x[0] : 0.; });
          body.deformation->residual(body.state, 0., body.load, body.r);
          EXPECT_EQ(body.deformation->n_inverted() > 0., stretch < 0.);
        }
    }
}

// Linear functions do not change where cells are boxes. Others keep their integrals, also where cells are no boxes but
// fill their parents.
TEST_P(Solid, DilatationsFollowTheMesh)
{
  for (const bool boxes : {true, false})
    for (const unsigned int degree : {1u, 2u})
      {
        Body<2>    body(device, {energies[0]}, degree, false, 0., true);
        const bool linear = boxes && degree == 2;
        if (!boxes)
          GridTools::transform(
            [](const Point<2> &x) { return Point<2>(x[0] + 0.3 * x[0] * x[1], x[1] - 0.2 * x[0] * x[1]); }, body.mesh);
        body.set_up();
        body.set([&](const Point<2> &x, unsigned int c) {
          return linear ? (c == 0 ? 0.1 * x[0] * x[0] : 0.) : wave(x, c); // J = 1 + x / 5
        });
        body.evaluate(body.state);
        const Dilatations before(body);
        const auto        cells = body.mesh.n_active_cells();
        change_mesh(body);
        const Dilatations after(body);
        EXPECT_EQ(body.mesh.n_active_cells(), cells);
        EXPECT_NE(before.x, after.x);
        EXPECT_NEAR(after.of_theta, before.of_theta, 1e-14);
        EXPECT_NEAR(after.of_p, before.of_p, 1e-13 * bulk);
        for (std::size_t i = 0; linear && i < after.theta.size(); ++i)
          EXPECT_NEAR(after.theta[i], 0.2 * after.x[i], 1e-14);
      }
}

// A rotation of all space after a deformation changes no energy.
TEST_P(Solid, EnergyOfARotatedBody)
{
  for (const auto &energy : energies)
    {
      Body<3> body(device, {energy}, 1, true);
      body.set([](const Point<3> &x, unsigned int c) { return wave(x, c); });
      body.deformation->residual(body.state, 0., body.load, body.r);
      const double before = body.strain_energy();
      EXPECT_GT(before, 0.1);
      const Tensor<1, 3> axis({2. / 7., 3. / 7., 6. / 7.});
      body.set([&](const Point<3> &x, unsigned int c) {
        Tensor<1, 3> y = x;
        for (unsigned int d = 0; d < 3; ++d)
          y[d] += wave(x, d);
        const double angle = 2.;
        const auto   z     = std::cos(angle) * y + std::sin(angle) * cross_product_3d(axis, y) +
                       (1. - std::cos(angle)) * (axis * y) * axis;
        return z[c] - x[c];
      });
      body.deformation->residual(body.state, 0., body.load, body.r);
      EXPECT_NEAR(body.strain_energy(), before, 1e-12 * before) << energy.kind;
    }
}

// A strip that is bent into an arc.
double bent(double angle, const Point<2> &x, unsigned int c)
{
  const double r = 1. / angle - 0.2 * (x[1] - 0.5), phi = angle * x[0];
  return (c == 0 ? r * std::sin(phi) : 1. / angle - r * std::cos(phi)) - x[c];
}

// Counts the points of Gauss's rule on coarser meshes where det F <= 0, with the strip's displacement at their nodes.
int inverted_points(const Body<2> &body, double angle)
{
  struct Strip : Function<2>
  {
    explicit Strip(double angle)
      : Function<2>(2)
      , angle(angle)
    {}
    double value(const Point<2> &x, unsigned int c) const override { return bent(angle, x, c); }
    double angle;
  };
  const FE_Q<2>   bilinear(1);
  const QGauss<2> gauss(2);
  int             n = 0;
  for (std::size_t l = 0; l + 1 < body.host->n_levels(); ++l)
    {
      const auto &space = body.host->space(l);
      const auto  u     = adamant::nodal_values(space, body.mapping, Strip(angle));
      for (int cell = 0; cell < space.n_cells(); ++cell)
        for (const auto &point : gauss.get_points())
          {
            Tensor<2, 2> F = unit_symmetric_tensor<2>();
            for (int i = 0; i < space.dofs_per_cell(); ++i)
              {
                const auto [c, vertex] = space.element().system_to_component_index(i);
                F[c] += u[space.cell_dofs(cell)[i]] * bilinear.shape_grad(vertex, point) /
                        space.active_cells()[cell]->extent_in_direction(0);
              }
            n += determinant(F) <= 0.;
          }
    }
  return n;
}

// The strip on its finest mesh alone, whose matrix is inverted.
struct OneLevel : Body<2>
{
  OneLevel(const adamant::Device &device, bool projected)
    : Body<2>(device, {energies[0]}, 1, true, 0., projected)
  {
    adamant::DirichletBoundary sides;
    for (unsigned int id = 0; id < 4; ++id)
      sides[id] = ComponentMask(2, true);
    deformation.reset();
    setup({energies[0]}, 1, sides, projected, {}, 1000);
  }
};

// A strip that is bent by 1.2 π turns the coarsest cells inside out, which then take the averages of F and J. Newton's
// method finds the same equilibrium as on one level.
TEST_P(Solid, InvertedOnCoarserLevels)
{
  for (const bool projected : {false, true})
    {
      Body<2>    body(device, {energies[0]}, 1, true, 0., projected);
      OneLevel   alone(device, projected);
      const auto bend = [](Body<2> &strip, double angle) {
        strip.set([angle](const Point<2> &x, unsigned int c) { return bent(angle, x, c); });
        strip.evaluate(strip.state);
        EXPECT_EQ(strip.deformation->n_inverted(), 0.);
        strip.deformation->linearize(strip.state);
        return strip.deformation->n_inverted_on_coarser();
      };
      EXPECT_EQ(bend(body, 0.5), 0.);
      EXPECT_EQ(inverted_points(body, 0.5), 0);
      const double angle = 1.2 * numbers::PI;
      EXPECT_EQ(bend(body, angle), inverted_points(body, angle));
      EXPECT_EQ(bend(alone, angle), 0.);
      for (Body<2> *strip : {&body, static_cast<Body<2> *>(&alone)})
        equilibrate(*strip, adamant::Precision::float64);
      EXPECT_GT(body.deformation->n_inverted_on_coarser(), 3.);
      EXPECT_EQ(alone.deformation->n_inverted_on_coarser(), 0.);
      const auto u = to_host(body.state), expected = to_host(alone.state);
      ASSERT_EQ(u.size(), expected.size());
      for (int i = 0; i < body.field->size(); ++i)
        EXPECT_NEAR(u[i], expected[i], 1e-10) << i;
    }
}

// Integers, whose sums are exact, of fewer and of more cells than parts.
TEST_P(Solid, SumsOfCells)
{
  const adamant::SumsOfCells sums{4, 2, adamant::Scalars(device, 4 * adamant::SumsOfCells::n_parts)};
  for (const int n : {1, 17, 4999, 12345})
    {
      Array<double> values(4 * n), expected;
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = double(i * 7919 % 1009) - 500.;
      for (int k = 0; k < 2; ++k)
        expected.push_back(std::accumulate(values.begin() + k * n, values.begin() + (k + 1) * n, 0.));
      expected.push_back(-*std::min_element(values.begin() + 2 * n, values.begin() + 3 * n));
      expected.push_back(*std::max_element(values.begin() + 3 * n, values.end()));
      DeviceVector of_cells(device, values);
      const auto   found = sums(device, {of_cells.data(), n});
      for (int k = 0; k < 4; ++k)
        EXPECT_EQ(found[k], expected[k]) << k << " of " << n;
    }
}

// Where det F > 0 at all points, a projected dilatation may still be impossible.
TEST_P(Solid, SaysWhichStretchIsImpossible)
{
  Body<2>       body(device, {energies[0]}, 1, false, 0., true);
  const int     n     = (body.state.size() - body.field->size()) / 2;
  auto          theta = body.state.part(body.field->size(), n);
  Array<double> values(n, 0.);
  values[2] = -10.; // a coefficient
  theta.upload(values.data());
  body.deformation->evaluate(body.state);
  EXPECT_GT(body.deformation->n_inverted(), 0.);
  EXPECT_EQ(body.deformation->least_stretch().find("theta = -"), 0u) << body.deformation->least_stretch();
  EXPECT_EQ(body.deformation->least_principal_stretch([](unsigned int) { return true; }), 1.);
  body.set([](const Point<2> &x, unsigned int c) { return c == 0 ? 0.5 * x[1] : -2. * x[1]; });
  body.deformation->evaluate(body.state);
  EXPECT_EQ(body.deformation->least_stretch().find("det F = -1 at"), 0u) << body.deformation->least_stretch();
}

// The nominal stresses of a stretch by 1.5 and 2, from an independent program.
TEST(StoredEnergies, TensionWithFreeSides)
{
  const auto expect = [](const StoredEnergy &energy, double first, double second) {
    EXPECT_NEAR(tension(energy, 1.5), first, 6e-7) << energy.kind;
    EXPECT_NEAR(tension(energy, 2.), second, 6e-7) << energy.kind;
  };
  expect(energies[0], 69.782340, 108.821882);
  expect({StoredEnergy::neo_hooke, {mu}, large_bulk}, 84.639504, 140.312999);
  expect({StoredEnergy::mooney_rivlin, {30., 10.097}, large_bulk}, 77.536228, 122.650702);
  expect({StoredEnergy::yeoh, {40., -2., 0.1}, large_bulk}, 79.726213, 116.186246);
  expect(energies[3], 78.873081, 134.849107);
  expect(energies[4], 195.472875, 625.513200);
}

// All points of a mesh bear this deformation alike.
TEST_P(Solid, TensionWithFreeSides)
{
  auto all = energies;
  for (int k = 0; k < 3; ++k)
    {
      all.push_back(energies[k]);
      all.back().bulk = 20. * bulk; // with projected dilatations
    }
  for (const auto &energy : all)
    {
      Body<3> body(device, {energy}, 1, false, 0.05, energy.bulk == 20. * bulk);
      for (int k = 1; k <= 4; ++k)
        {
          const double stretch = 1. + 0.25 * k;
          const auto   before  = to_host(body.state);
          body.set([stretch](const Point<3> &x, unsigned int c) { return c == 0 ? (stretch - 1.) * x[0] : 0.; });
          body.state.upload(before.data()); // the prescribed values alone have changed
          equilibrate(body);
          const double stress = force_on_the_right(body)[0];
          EXPECT_NEAR(stress, tension(energy, stretch), 1e-10 * stress) << energy.kind << ", " << stretch;
          const auto results = body.deformation->results();
          EXPECT_NEAR(results.least_J, results.most_J, 1e-10) << energy.kind << ", " << stretch;
        }
    }
}

// Two energies bear small loads, and displacements of a side. A tenthousandth of both leads to a tenthousandth of u.
TEST_P(Solid, ScaledLoads)
{
  const auto expressions = as_expressions();
  const auto check = [&](const SolidEnergy &first, const SolidEnergy &second, unsigned int degree, bool projected) {
    SCOPED_TRACE(std::to_string(first.kind) + " " + std::to_string(second.kind));
    Body<2>       body(device, {first, second}, degree, false, 0.05, projected);
    Array<double> expected;
    for (const double scale : {1e-11, 1e-15})
      {
        Array<double> load(body.field->size()), u;
        for (int i = 0; i < body.field->size(); ++i)
          load[i] = body.field->space().is_free(i) ? scale * std::cos(i) : 0.;
        body.load.upload(load.data());
        body.set([&](const Point<2> &x, unsigned int c) { return c == 0 ? 0.1 * scale * x[0] : 0.; });
        body.state.set_zero();
        EXPECT_LE(equilibrate(body), 4);
        for (const double value : to_host(body.state.part(0, body.field->size())))
          u.push_back(value / scale);
        for (std::size_t i = 0; i < expected.size(); ++i)
          ASSERT_NEAR(u[i], expected[i], 1e-10) << i;
        expected = u;
      }
  };
  check(energies[0], energies[3], 1, false);
  check(energies[1], energies[4], 2, false);
  check(energies[2], energies[0], 2, true);
  check(expressions[1], energies[2], 1, true);
  check(expressions[3], expressions[4], 1, false);
}

// Simple shear with all sides prescribed: the shear stress.
TEST_P(Solid, SimpleShear)
{
  for (const auto &[energy, stress] :
       {std::pair(StoredEnergy{StoredEnergy::neo_hooke, {mu}, bulk}, mu),
        {StoredEnergy{StoredEnergy::mooney_rivlin, {30., 10.097}, bulk}, mu},
        {StoredEnergy{StoredEnergy::st_venant_kirchhoff, {mu}, lambda + 2. / 3. * mu}, 220.5335}})
    for (const unsigned int degree : {1u, 2u})
      {
        Body<2> body(device, {energy}, degree, true, 0.05);
        body.set([](const Point<2> &x, unsigned int c) { return c == 1 ? x[0] : 0.; });
        body.state.set_zero();
        equilibrate(body);
        EXPECT_NEAR(force_on_the_right(body)[1], stress, 1e-10 * stress) << energy.kind << ", degree " << degree;
      }
}
} // namespace
