// Solids at finite deformation: derivatives of energies and of forces against differences, rotations, and equilibrium
// whose deformation is homogeneous, on meshes with hanging nodes, on every device.
#include "solid/equilibrium.h"

#include "fem/functions/points.h"
#include "fem/spaces/mesh_change.h"
#include "fem/support.h"
#include "frame/linear_solver_setup.h"
#include "frame/parameters/linear_solver_parameters.h"
#include "operators/device_level.h"
#include "support/devices.h"

#include <deal.II/base/function_lib.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_q1.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

using namespace test;
using adamant::Array;
using adamant::EnergyDerivatives;
using adamant::StoredEnergy;
using adamant::to_host;
using adamant::test::DeviceTest;
using DeviceVector = adamant::Vector<double>;

namespace
{
constexpr double mu = 80.194, lambda = 120.291, bulk = 173.754, large_bulk = 400889.8;

const std::vector<StoredEnergy> energies = {{StoredEnergy::neo_hooke, {mu}, bulk},
                                            {StoredEnergy::mooney_rivlin, {30., 10.097}, bulk},
                                            {StoredEnergy::yeoh, {40., -2., 0.1}, bulk},
                                            {StoredEnergy::neo_hooke_compressible, {mu}, lambda + 2. / 3. * mu},
                                            {StoredEnergy::st_venant_kirchhoff, {mu}, lambda + 2. / 3. * mu}};

TEST(StoredEnergies, DerivativesAgainstDifferences)
{
  const double x[3] = {3.4, 3.7, 0.15}, h = 3e-5;
  for (const auto &energy : energies)
    {
      const auto at    = [&](const double *y) { return energy.shape(y[0], y[1], y[2]); };
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
      // Small strains: no stress, and the moduli.
      const auto   W0 = energy.shape(3., 3., 0.);
      const double p  = energy.volumetric(0.).first;
      EXPECT_NEAR(2. * W0.first[0] + 4. * W0.first[1] + W0.first[2] + p, 0., 1e-13 * bulk) << energy.kind;
    }
}

template <int dim>
struct Body
{
  // The unit square or cube with hanging nodes; u . e_d = 0 on its sides x_d = 0, and u_x is given at x = 1 unless that
  // side is free. With `clamped` u is given on all sides.
  Body(const adamant::Device &device, const StoredEnergy &energy, unsigned int degree, bool clamped = false,
       double perturbation = 0., bool projected = false)
    : device(device)
    , energy(energy)
    , degree(degree)
    , projected(projected)
  {
    GridGenerator::hyper_cube(mesh, 0., 1., true);
    mesh.refine_global(1);
    mesh.begin_active()->set_refine_flag();
    mesh.execute_coarsening_and_refinement();
    if (dim == 2)
      mesh.refine_global(1);
    if (perturbation > 0.)
      GridTools::transform(
        [=](const Point<dim> &x) { // it keeps the sides
          Point<dim> y = x;
          for (int d = 0; d < dim; ++d)
            y[d] += perturbation * std::sin(numbers::PI * x[0]) * std::sin(numbers::PI * x[1]) *
                    (dim == 3 ? std::sin(numbers::PI * x[dim - 1]) : 1.);
          return y;
        },
        mesh);
    for (unsigned int id = 0; id < 2 * dim; ++id)
      if (clamped || id % 2 == 0 || id == 1)
        {
          dirichlet[id] = ComponentMask(dim, clamped);
          dirichlet[id].set(id / 2, true);
        }
    set_up();
  }

  // On the mesh as it is now.
  void set_up()
  {
    deformation.reset();
    meshes.emplace(mesh, adamant::LevelMeshOptions{1u});
    host.emplace(*meshes, "u", FESystem<dim>(FE_Q<dim>(degree), dim), dirichlet);
    field.emplace(device, *host, mapping);
    deformation.emplace(device, *field, mapping,
                        adamant::OfEntries<StoredEnergy>(adamant::Coefficient("Material", "1", nullptr),
                                                         [this](const std::string &) { return this->energy; }),
                        projected);
    state = DeviceVector(device, deformation->n_state());
    r     = DeviceVector(device, deformation->n_state());
    load  = field->vector();
  }

  void set(const std::function<double(const Point<dim> &, unsigned int)> &u)
  {
    struct OfField : Function<dim>
    {
      explicit OfField(const std::function<double(const Point<dim> &, unsigned int)> &u)
        : Function<dim>(dim)
        , u(u)
      {}
      double value(const Point<dim> &x, unsigned int c) const override { return u(x, c); }
      const std::function<double(const Point<dim> &, unsigned int)> &u;
    };
    const OfField f(u);
    auto          values = adamant::nodal_values(field->space(), mapping, f);
    g = DeviceVector(device, adamant::nodal_values(field->space(), mapping, f, field->space().prescribed));
    DeviceVector x(device, values), part = state.part(0, field->size());
    field->nodal_values(x, g, part);
  }

  // Computes r, with projected dilatations and pressures that follow from u: then both their residuals are zero.
  void evaluate(DeviceVector &at)
  {
    DeviceVector others = at.part(field->size(), at.size() - field->size()), d(device, at.size());
    others.set_zero();
    deformation->residual(at, 0., load, r);
    for (int k = 0; k < 2 && deformation->projected(); ++k) // first θ, then p
      {
        d.set_zero();
        deformation->follow(d);
        DeviceVector of_others = d.part(field->size(), others.size()),
                     one       = others.part(k * others.size() / 2, others.size() / 2);
        device.axpby(1., of_others.part(k * others.size() / 2, others.size() / 2), 1., one);
        deformation->residual(at, 0., load, r);
      }
  }

  double strain_energy() { return deformation->results().energy; }

  adamant::Device                                device;
  StoredEnergy                                   energy;
  unsigned int                                   degree;
  bool                                           projected;
  adamant::DirichletBoundary                     dirichlet;
  Triangulation<dim>                             mesh;
  MappingQ1<dim>                                 mapping;
  std::optional<adamant::LevelMeshes<dim>>       meshes;
  std::optional<adamant::Field<dim>>             host;
  std::optional<adamant::DeviceField<dim>>       field;
  std::optional<adamant::FiniteDeformation<dim>> deformation;
  DeviceVector                                   state, r, load, g;
};

class Solid : public DeviceTest
{
protected:
  static double wave(const Point<2> &x, unsigned int c) { return 0.1 * std::sin(2. * x[0] + 3. * x[1] + c); }
  static double wave(const Point<3> &x, unsigned int c) { return 0.1 * std::sin(2. * x[0] + 3. * x[1] - x[2] + c); }

  // The tangent on all unknowns, and on changes of prescribed values, against differences of the residual.
  template <int dim>
  void check_tangent(const StoredEnergy &energy, unsigned int degree, bool projected = false) const
  {
    Body<dim> body(device, energy, degree, false, 0.05, projected);
    body.set([](const Point<dim> &x, unsigned int c) { return wave(x, c); });
    const auto forces = [&](double step, const DeviceVector &delta) {
      DeviceVector at(device, to_host(body.state));
      auto         u = at.part(0, body.field->size());
      device.axpby(step, delta, 1., u);
      body.evaluate(at);
      body.deformation->linearize(at);
      return to_host(body.r.part(0, body.field->size()));
    };
    auto random = random_vector(body.field->size(), 1);
    for (const bool prescribed : {false, true})
      {
        DeviceVector x(device, Array<double>(random.begin(), random.end())), delta = body.field->vector(),
                                                                             product = body.field->vector();
        auto values                                                                  = body.field->prescribed_vector();
        if (prescribed)
          {
            x.set_zero();
            values = DeviceVector(device, Array<double>(values.size(), 0.7));
          }
        body.field->nodal_values(x, values, delta);
        const double h     = 1e-6;
        const auto   after = forces(h, delta), before = forces(-h, delta);
        forces(0., delta);
        DeviceVector of_points = body.field->vector();
        body.deformation->subtract_change(delta, of_points);
        const auto actual = to_host(of_points);
        double     most   = 0.;
        for (const double value : actual)
          most = std::max(most, std::abs(value));
        for (std::size_t i = 0; i < actual.size(); ++i)
          ASSERT_NEAR(actual[i], (after[i] - before[i]) / (2. * h), 1e-7 * most) << energy.kind << ", " << i;
        if (prescribed)
          continue;
        device.multiply(
          -1., adamant::make_matrix<double>(device, adamant::levels_of(*body.host, body.deformation->tangent()).back()),
          x, 0., product);
        const auto of_matrix = to_host(product);
        for (std::size_t i = 0; i < actual.size(); ++i)
          ASSERT_NEAR(body.field->space().is_free(static_cast<int>(i)) * of_matrix[i], actual[i], 1e-11 * most)
            << energy.kind << ", " << i;
      }
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
}

// θ and p of all points, and their integrals.
struct Dilatations
{
  explicit Dilatations(Body<2> &body)
    : theta(to_host(body.deformation->dilatations_at_points()))
    , p(to_host(body.deformation->pressures_at_points()))
    , x(body.field->quadrature_points(QGauss<2>(body.degree + 1)))
  {
    FEValues<2> values(body.mapping, body.field->space().element(), QGauss<2>(body.degree + 1), update_JxW_values);
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
  body.deformation->serialize(saving, body.state);
  change.prepare();
  change.execute();
  body.set_up();
  adamant::CheckpointReader::Archive in(text);
  adamant::State                     loading(in, &change);
  body.deformation->serialize(loading, body.state);
  body.deformation->residual(body.state, 0., body.load, body.r);
}

// Linear functions do not change where cells are boxes. Others keep their integrals, also where cells are no boxes but
// fill their parents.
TEST_P(Solid, DilatationsFollowTheMesh)
{
  for (const bool boxes : {true, false})
    for (const unsigned int degree : {1u, 2u})
      {
        Body<2>    body(device, energies[0], degree, false, 0., true);
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
      Body<3> body(device, energy, 1, true);
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

// Finds equilibrium; returns Newton's steps.
template <int dim>
int equilibrate(Body<dim> &body)
{
  adamant::LinearSolverParameters parameters(
    [] {
      adamant::LinearSolverOptions options;
      options.type                = adamant::SolverType::cg;
      options.multigrid.smoother  = {"block_jacobi", true, 0.5, 20.};
      options.multigrid.pre_steps = options.multigrid.post_steps = 3;
      options.control.max_iterations                             = 1000;
      return options;
    }(),
    1, "/test");
  body.deformation->residual(body.state, 0., body.load, body.r);
  body.deformation->linearize(body.state);
  const auto solver =
    adamant::make_linear_solver(body.device, *body.host, body.deformation->tangent(), parameters, "tangent");
  adamant::Equilibrium<dim> equilibrium(body.device, *body.deformation, *body.field, parameters.options("tangent"),
                                        {1e-12, 40, 3., 1e-5, 1e-5});
  equilibrium.set_solver([&](bool) -> adamant::LinearSolver & {
    solver->update();
    return *solver;
  });
  return equilibrium.solve(1., body.load, body.g, body.state).steps;
}

// Returns ∫ P N over x = 1, the sum of the nodal forces there.
template <int dim>
Tensor<1, dim> force_on_the_right(Body<dim> &body)
{
  body.deformation->residual(body.state, 0., body.load, body.r);
  const auto    &space  = body.field->space();
  const auto     forces = body.deformation->forces_of_cells();
  const auto     there  = space.on_boundary(1);
  Tensor<1, dim> sum;
  for (int cell = 0; cell < space.n_cells(); ++cell)
    for (int i = 0; i < space.dofs_per_cell(); ++i)
      if (there[space.cell_dofs(cell)[i]] != 0)
        sum[space.element().system_to_component_index(i).first] += forces[cell * space.dofs_per_cell() + i];
  return sum;
}

// The nominal stress of a stretch along x with free sides, from the one equation for the stretch across, by bisection.
double tension(const StoredEnergy &energy, double stretch)
{
  const auto derivatives = [&](double t) {
    const double j = stretch * t * t - 1.;
    auto         W = energy.shape(stretch * stretch + 2. * t * t, t * t * (t * t + 2. * stretch * stretch), j);
    W.first[2] += energy.volumetric(j).first;
    return W;
  };
  double least = 0.3, most = 1.;
  while (most - least > 1e-16)
    {
      const double t = 0.5 * (least + most);
      const auto   W = derivatives(t);
      if (t == least || t == most)
        break;
      (2. * W.first[0] + 2. * W.first[1] * (t * t + stretch * stretch) + W.first[2] * stretch < 0. ? least : most) = t;
    }
  const double t = least;
  const auto   W = derivatives(t);
  return 2. * W.first[0] * stretch + 4. * W.first[1] * stretch * t * t + W.first[2] * t * t;
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
      Body<3> body(device, energy, 1, false, 0.05, energy.bulk == 20. * bulk);
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

// Simple shear with all sides prescribed: the shear stress.
TEST_P(Solid, SimpleShear)
{
  for (const auto &[energy, stress] :
       {std::pair(StoredEnergy{StoredEnergy::neo_hooke, {mu}, bulk}, mu),
        {StoredEnergy{StoredEnergy::mooney_rivlin, {30., 10.097}, bulk}, mu},
        {StoredEnergy{StoredEnergy::st_venant_kirchhoff, {mu}, lambda + 2. / 3. * mu}, 220.5335}})
    for (const unsigned int degree : {1u, 2u})
      {
        Body<2> body(device, energy, degree, true, 0.05);
        body.set([](const Point<2> &x, unsigned int c) { return c == 1 ? x[0] : 0.; });
        body.state.set_zero();
        equilibrate(body);
        EXPECT_NEAR(force_on_the_right(body)[1], stress, 1e-10 * stress) << energy.kind << ", degree " << degree;
      }
}
} // namespace
