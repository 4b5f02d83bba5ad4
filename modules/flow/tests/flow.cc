// The matrices and products of the Navier-Stokes step against deal.II's own assembly, on every device; the pressure's
// solvers.
#include "evaluation/point_values.h"
#include "fem/functions/points.h"
#include "fem/support.h"
#include "fields.h"
#include "flow/boundary_values.h"
#include "flow/divergence_projection.h"
#include "flow/flow_functors.h"
#include "flow/flow_matrices.h"
#include "multigrid/linear_solver.h"
#include "support/devices.h"
#include "tensor/tensor_product.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_tools.h>

#include <cmath>
#include <numeric>
#include <string>

using namespace test;
using adamant::Array;
using adamant::FlowMatrices;
using adamant::FlowProducts;

namespace
{
/// The box of the paper, stretched towards its walls.
void make_stretched_box(Triangulation<3> &mesh, unsigned int refinements)
{
  GridGenerator::subdivided_hyper_rectangle(mesh, {1, 1, 2}, Point<3>(), Point<3>(1, 1, 1), true);
  mesh.refine_global(refinements);
  GridTools::transform(
    [](const Point<3> &p) {
      return Point<3>(0.5 * (1. - std::cos(M_PI * p[0])), 0.5 * (1. - std::cos(M_PI * p[1])),
                      1. + std::sin((p[2] - 0.5) * M_PI));
    },
    mesh);
  mesh.refine_global(1);
}

/// By quadrature: (∇u_c, ∇φ_i) + Σ_d (∂_d I(u_d u_c), φ_i) + (∂_c p, φ_i), I the nodal interpolation, condensed to the
/// free nodes.
template <int dim>
std::vector<Vector<double>> momentum_by_quadrature(const adamant::LevelSpace<dim>    &space,
                                                   const std::vector<Vector<double>> &u, const Vector<double> &p)
{
  const FE_Q<dim>             fe(1);
  const QGauss<dim>           quadrature(2);
  FEValues<dim>               fe_values(fe, quadrature, update_values | update_gradients | update_JxW_values);
  std::vector<Vector<double>> result(dim, Vector<double>(space.n_dofs()));
  std::vector<Tensor<1, dim>> grad_u(quadrature.size()), grad_p(quadrature.size()), grad_product(quadrature.size());
  std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
  Vector<double>                       local(fe.n_dofs_per_cell());
  for (const auto &cell : space.dof_handler().active_cell_iterators())
    {
      fe_values.reinit(cell);
      cell->get_dof_indices(indices);
      fe_values.get_function_gradients(p, grad_p);
      for (unsigned int c = 0; c < dim; ++c)
        {
          local = 0;
          fe_values.get_function_gradients(u[c], grad_u);
          for (const unsigned int q : fe_values.quadrature_point_indices())
            for (const unsigned int i : fe_values.dof_indices())
              {
                double convection = 0;
                for (unsigned int j = 0; j < indices.size(); ++j)
                  for (unsigned int d = 0; d < dim; ++d)
                    convection += u[d][indices[j]] * u[c][indices[j]] * fe_values.shape_grad(j, q)[d];
                local[i] +=
                  (grad_u[q] * fe_values.shape_grad(i, q) + fe_values.shape_value(i, q) * (convection + grad_p[q][c])) *
                  fe_values.JxW(q);
              }
          space.hanging_nodes.distribute_local_to_global(local, indices, result[c]);
        }
    }
  return result;
}

/// ∫ p div u over the mesh of `space`.
template <int dim>
double integrate_divergence(const adamant::LevelSpace<dim> &space, const std::vector<Vector<double>> &u,
                            const Vector<double> &p)
{
  const FE_Q<dim>             fe(1);
  const QGauss<dim>           quadrature(2);
  FEValues<dim>               fe_values(fe, quadrature, update_values | update_gradients | update_JxW_values);
  std::vector<Tensor<1, dim>> gradients(quadrature.size());
  std::vector<double>         values(quadrature.size());
  double                      sum = 0;
  for (const auto &cell : space.dof_handler().active_cell_iterators())
    {
      fe_values.reinit(cell);
      fe_values.get_function_values(p, values);
      for (unsigned int d = 0; d < dim; ++d)
        {
          fe_values.get_function_gradients(u[d], gradients);
          for (const unsigned int q : fe_values.quadrature_point_indices())
            sum += values[q] * gradients[q][d] * fe_values.JxW(q);
        }
    }
  return sum;
}

/// (div u, φ_i) for all shape functions, as if none hung on others.
template <int dim>
Array<double> tested_divergence(const adamant::LevelSpace<dim> &space, const std::vector<Vector<double>> &u)
{
  const FE_Q<dim>                      fe(1);
  const QGauss<dim>                    quadrature(2);
  FEValues<dim>                        fe_values(fe, quadrature, update_values | update_gradients | update_JxW_values);
  std::vector<Tensor<1, dim>>          gradients(quadrature.size());
  std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
  Array<double>                        tested(space.n_dofs(), 0.);
  for (const auto &cell : space.dof_handler().active_cell_iterators())
    {
      fe_values.reinit(cell);
      cell->get_dof_indices(indices);
      for (unsigned int d = 0; d < dim; ++d)
        {
          fe_values.get_function_gradients(u[d], gradients);
          for (const unsigned int q : fe_values.quadrature_point_indices())
            for (const unsigned int i : fe_values.dof_indices())
              tested[indices[i]] += fe_values.shape_value(i, q) * gradients[q][d] * fe_values.JxW(q);
        }
    }
  return tested;
}

adamant::LinearSolverOptions pressure_options() // without outflow
{
  adamant::LinearSolverOptions options;
  options.type                         = adamant::SolverType::cg;
  options.multigrid.smoother.type      = "fsai";
  options.multigrid.smoother.chebyshev = true;
  options.multigrid.smoother.range     = 20.;
  options.multigrid.pre_steps = options.multigrid.post_steps = 3;
  options.multigrid.singular                                 = true;
  return options;
}
class FlowTest : public adamant::test::DeviceTest
{
protected:
  // A random velocity at rest on some boundaries gets the divergence of another one: by quadrature, tested with all
  // pressures. Boundary values stay, and at hanging nodes it is continuous.
  template <int dim>
  void project_divergence(unsigned int seed, const std::set<types::boundary_id> &outflow)
  {
    SCOPED_TRACE("dimension " + std::to_string(dim) + ", " + std::to_string(outflow.size()) + " outflow boundaries");
    Triangulation<dim> mesh;
    make_distorted_mesh(mesh, seed);
    const MappingQ1<dim>    mapping;
    const FlowMatrices<dim> flow(mesh, mapping, QGauss<dim>(2), outflow, {64});
    const auto             &space = flow.velocity();
    const int               n = space.n_dofs(), n_p = flow.pressure().n_dofs();
    Array<double>           inverse_mass(n, 0.);
    for (int i = 0; i < n; ++i)
      if (space.is_free(i))
        inverse_mass[i] = 1. / flow.velocity_mass[i];
    for (const auto id : mesh.get_boundary_ids())
      if (outflow.count(id) == 0)
        for (const int i : adamant::nodes_on_boundary(space, id))
          inverse_mass[i] = 0.;
    const adamant::Vector<double> mobile(device, inverse_mass);
    const adamant::Matrix<double> interpolation(device, *flow.interpolation);
    FlowProducts<dim>             products(device, flow, false);
    adamant::HangingNodes<dim>    hanging(device, space, dim);
    auto                          options = pressure_options();
    options.multigrid.singular            = flow.singular;
    adamant::LinearSolver              solver(device, flow.pressure_levels, options);
    adamant::DivergenceProjection<dim> projection(
      flow, products, [&hanging](adamant::Vector<double> &w) { hanging.apply(w); }, mobile, interpolation, solver);

    const auto              from = random_field(space, dim, seed), like = random_field(space, dim, seed + 10);
    adamant::Vector<double> u = adamant::test::to_device(device, by_components(from)), g(device, n_p);
    products.divergence(adamant::test::to_device(device, by_components(like)), g);
    const auto largest = projection.apply(g, u, {1e-12, 100, "test"});
    EXPECT_GT(std::abs(largest.interpolated - largest.wanted), 1e-3 * largest.wanted);
    EXPECT_NEAR(largest.projected, largest.wanted, 1e-8 * largest.wanted);

    const auto                  result = adamant::test::values_of(u), wanted = adamant::test::values_of(g);
    std::vector<Vector<double>> projected;
    for (unsigned int c = 0; c < dim; ++c)
      {
        projected.emplace_back(result.begin() + c * n, result.begin() + (c + 1) * n);
        for (int i = 0; i < n; ++i)
          if (space.is_free(i) && inverse_mass[i] == 0.)
            {
              ASSERT_EQ(projected[c][i], from[c][i]) << "at a boundary";
            }
        auto continuous = projected[c];
        space.hanging_nodes.distribute(continuous);
        expect_close(projected[c], continuous, 1e-13, "hanging nodes");
      }
    const auto tested = adamant::transposed_product(*flow.interpolation, tested_divergence(space, projected));
    for (int k = 0; k < n_p; ++k)
      if (flow.pressure().is_free(k))
        {
          ASSERT_NEAR(tested[k], wanted[k], 1e-10) << "expected (div u, psi_" << k << ")";
        }
  }

  // Through the products, -1 for dt and 1 for 1 / m: u_new - u is what the step subtracts. `apart`: one product for
  // each matrix.
  template <int dim>
  void compare_products(unsigned int seed, bool apart)
  {
    SCOPED_TRACE("dimension " + std::to_string(dim) + ", seed " + std::to_string(seed) + (apart ? ", apart" : ""));
    Triangulation<dim> mesh;
    make_distorted_mesh(mesh, seed);
    const MappingQ1<dim>    mapping;
    const FlowMatrices<dim> flow(mesh, mapping, QGauss<dim>(2), {}, {64});
    const auto             &space = flow.velocity();
    const int               n = space.n_dofs(), n_p = flow.pressure().n_dofs();
    ASSERT_GT(space.hanging_nodes.n_constraints(), 0u) << "expected a mesh with hanging nodes";
    const auto        u = random_field(space, dim, seed);
    const auto        p = random_field(space, 1, seed + 10)[0];
    FlowProducts<dim> products(device, flow, apart);
    EXPECT_EQ(products.separate(), apart);
    if (!apart)
      {
        EXPECT_GT(products.momentum_bytes(), 8 * (dim + 1) * flow.viscous.matrices[0]->value.size());
      }

    using adamant::test::to_device;
    const auto expected = momentum_by_quadrature(space, u, p);
    const auto u_old = to_device(device, by_components(u)), p_nodal = to_device(device, {p.begin(), p.end()}),
               one = to_device(device, std::vector<double>(n, 1.)),
               two = to_device(device, std::vector<double>(dim * n, 2.));
    adamant::Vector<double> u_new(device, dim * n), with_force(device, dim * n), g(device, n_p);
    const auto              momentum = [&](const double *force, adamant::Vector<double> &to) {
      products.momentum({n, -1., u_old.data(), one.data(), force, to.data()}, u_old, p_nodal,
                                     [](const char *, const auto &work) { work(); });
    };
    momentum(nullptr, u_new);
    momentum(two.data(), with_force);
    const auto result = adamant::test::values_of(u_new), forced = adamant::test::values_of(with_force);
    for (unsigned int c = 0; c < dim; ++c)
      {
        Vector<double> difference(n);
        for (int i = 0; i < n; ++i)
          {
            difference[i] = result[c * n + i] - u[c][i];
            EXPECT_NEAR(forced[c * n + i], result[c * n + i] - 2., 1e-12) << "expected dt f more";
          }
        expect_close(difference, expected[c], 1e-12, "momentum");
      }

    // One matrix at a time.
    std::vector<double> separate(dim * n, 0.);
    for (unsigned int c = 0; c < dim; ++c)
      {
        const auto add = [&](const Array<double> &part) {
          for (int i = 0; i < n; ++i)
            separate[c * n + i] += part[i];
        };
        add(adamant::product(*flow.viscous.matrices[0], Array<double>(u[c].begin(), u[c].end())));
        add(adamant::product(*flow.gradient[c], Array<double>(p.begin(), p.end())));
        for (unsigned int d = 0; d < dim; ++d)
          {
            Array<double> product(n);
            for (int i = 0; i < n; ++i)
              product[i] = u[d][i] * u[c][i];
            add(adamant::product(*flow.gradient[d], product));
          }
        for (int i = 0; i < n; ++i)
          EXPECT_NEAR(result[c * n + i] - u[c][i], separate[c * n + i], 1e-12)
            << "expected the sum of separate products";
      }

    // g . p = ∫ p div u, p of the pressure space.
    Array<double> pressure(n_p, 0.);
    const auto    random = random_vector(n_p, seed + 20);
    for (int k = 0; k < n_p; ++k)
      pressure[k] = flow.pressure().is_free(k) ? random[k] : 0.;
    products.divergence(u_old, g);
    const auto   divergence = adamant::test::values_of(g);
    const double tested     = std::inner_product(pressure.begin(), pressure.end(), divergence.begin(), 0.);
    const auto   nodal      = adamant::product(*flow.interpolation, pressure);
    EXPECT_NEAR(tested, integrate_divergence(space, u, Vector<double>(nodal.begin(), nodal.end())), 1e-12 * n_p)
      << "expected ∫ p div u";
  }
};

template <int dim>
void compare_interpolation(unsigned int seed)
{
  Triangulation<dim> mesh;
  make_distorted_mesh(mesh, seed);
  const MappingQ1<dim>    mapping;
  const FlowMatrices<dim> flow(mesh, mapping, QGauss<dim>(2), {}, {64});
  const int               n = flow.velocity().n_dofs(), n_p = flow.pressure().n_dofs();
  const auto              random = random_field(flow.pressure(), 1, seed)[0];
  Array<double>           free(n_p);
  for (int k = 0; k < n_p; ++k)
    free[k] = flow.pressure().is_free(k) ? random[k] : 0.;
  Array<int> all(n);
  std::iota(all.begin(), all.end(), 0);
  const auto              coordinates = adamant::support_points(flow.velocity(), mapping, all);
  std::vector<Point<dim>> points(n);
  for (int i = 0; i < n; ++i)
    for (int d = 0; d < dim; ++d)
      points[i][d] = coordinates[std::size_t(d) * n + i];
  const auto expected = adamant::product(adamant::evaluation_matrix("key", flow.pressure(), mapping, points, 1),
                                         Array<double>(random.begin(), random.end()));
  const auto result   = adamant::product(*flow.interpolation, free);
  for (int i = 0; i < n; ++i)
    ASSERT_NEAR(result[i], expected[i], 1e-10) << "expected the pressure's value at " << points[i];
}

Array<double> zero_mean(const Vector<double> &b)
{
  Array<double> values(b.begin(), b.end());
  const double  mean = std::accumulate(values.begin(), values.end(), 0.) / values.size();
  for (double &value : values)
    value -= mean;
  return values;
}

} // namespace

TEST_P(FlowTest, ProductsAreTheQuadratureOfTheInterpolatedTerms)
{
  for (const bool apart : {false, true})
    {
      for (const unsigned int seed : {1, 2, 3})
        compare_products<2>(seed, apart);
      for (const unsigned int seed : {4, 5})
        compare_products<3>(seed, apart);
    }
}

TEST_P(FlowTest, ProjectionGivesTheDivergenceThatIsWanted)
{
  project_divergence<2>(1, {});
  project_divergence<2>(2, {1});
  project_divergence<3>(4, {});
  project_divergence<3>(4, {1});
}

void expect_injection(Triangulation<3> &mesh, const std::set<types::boundary_id> &outflow)
{
  const FlowMatrices<3> flow(mesh, MappingQ1<3>(), QGauss<3>(2), outflow, {64});
  const auto            random = random_vector(flow.pressure().n_dofs(), 5);
  Array<double>         p(random.begin(), random.end());
  for (int k = 0; k < flow.pressure().n_dofs(); ++k)
    if (!flow.pressure().is_free(k))
      p[k] = 0.;
  EXPECT_EQ(adamant::product(flow.injection(), adamant::product(*flow.interpolation, p)), p);
}

TEST(FlowMatrices, InjectionUndoesTheInterpolation)
{
  for (const std::set<types::boundary_id> &outflow : {std::set<types::boundary_id>{}, std::set<types::boundary_id>{1}})
    {
      Triangulation<3> mesh;
      make_distorted_mesh(mesh, 4);
      expect_injection(mesh, outflow);
    }
  Triangulation<3> periodic;
  make_periodic_mesh(periodic, 4);
  periodic.refine_global(1);
  expect_injection(periodic, {});
}

TEST_P(FlowTest, BundlesRefuseFunctorsOfOtherSizes)
{
  Triangulation<2> mesh;
  make_distorted_mesh(mesh, 1);
  const FlowMatrices<2>   flow(mesh, MappingQ1<2>(), QGauss<2>(2), {}, {64});
  const auto              bundle = adamant::make_bundle(device, {flow.gradient[0].get(), flow.gradient[1].get()}, 2);
  const int               n      = flow.velocity().n_dofs();
  adamant::Vector<double> u(device, 2 * n), g(device, n);
  const adamant::Divergence<2>   two{n, u.data(), g.data()};
  const adamant::MomentumStep<2> three{{n, 1., u.data(), g.data(), nullptr, u.data()}, g.data()};
  EXPECT_NO_THROW(for_each_row(device, bundle, two));
  EXPECT_THROW(for_each_row(device, bundle, three), adamant::RunError);
}

// The iterations must not grow with the mesh, nor with the aspect ratio, 41 on the finest of the paper's meshes.
TEST_P(FlowTest, PressureIterationsStayBoundedOnStretchedCells)
{
  std::vector<int> iterations;
  for (const unsigned int refinements : {3, 4})
    {
      Triangulation<3> mesh;
      make_stretched_box(mesh, refinements);
      const FlowMatrices<3> flow(mesh, MappingQ1<3>(), QGauss<3>(2), {}, {128});
      EXPECT_TRUE(flow.singular);
      adamant::LinearSolver         solver(device, flow.pressure_levels, pressure_options());
      const auto                    rhs = zero_mean(random_vector(flow.pressure().n_dofs(), 7));
      const adamant::Vector<double> b(device, rhs);
      adamant::Vector<double>       x(device, b.size());
      iterations.push_back(solver.solve(b, x).iterations);
    }
  EXPECT_LE(iterations[0], 10);
  EXPECT_LE(iterations[1], iterations[0] + 1) << "expected about as many iterations on the finer mesh";
}

TEST_P(FlowTest, FastDiagonalizationSolvesThePressureEquation)
{
  Triangulation<3> mesh;
  make_stretched_box(mesh, 3);
  const MappingQ1<3>            mapping;
  const FlowMatrices<3>         flow(mesh, mapping, QGauss<3>(2), {}, {512});
  const int                     n_p = flow.pressure().n_dofs();
  adamant::FastDiagonalization  solver(device, adamant::tensor_product_eigenpairs(flow.pressure(), mapping));
  const auto                    rhs = zero_mean(random_vector(n_p, 3));
  const adamant::Vector<double> b(device, rhs);
  adamant::Vector<double>       x(device, n_p);
  solver.solve(b, x);
  const auto product = adamant::product(flow.pressure_levels.back().matrix(), adamant::to_host(x));
  for (int k = 0; k < n_p; ++k)
    ASSERT_NEAR(product[k], rhs[k], 1e-11) << "expected A x = b in row " << k;
}

INSTANTIATE_TEST_SUITE_P(Devices, FlowTest, adamant::test::all_places, adamant::test::place_name);

TEST(FlowMatrices, InterpolationIsThePressureAtTheVelocityNodes)
{
  compare_interpolation<2>(1);
  compare_interpolation<3>(2);
}

TEST(FlowMatrices, FastDiagonalizationRefusesOtherMeshes)
{
  Triangulation<2> mesh;
  make_distorted_mesh(mesh, 1);
  const MappingQ1<2>    mapping;
  const FlowMatrices<2> flow(mesh, mapping, QGauss<2>(2), {}, {64});
  EXPECT_THROW(adamant::tensor_product_eigenpairs(flow.pressure(), mapping), adamant::InputError);
}

TEST(FlowMatrices, TheLastRefinementHasToBeGlobal)
{
  Triangulation<2> mesh;
  GridGenerator::hyper_cube(mesh);
  mesh.refine_global(2);
  mesh.begin_active()->set_refine_flag();
  mesh.execute_coarsening_and_refinement();
  EXPECT_THROW(FlowMatrices<2>(mesh, MappingQ1<2>(), QGauss<2>(2), {}, {4}), adamant::RunError);
}
