// On several ranks the matrices of incompressible flow have to act on given functions as the matrices of one rank do.
// The products of a time step are compared node by node. The program is run by mpirun.
#include "fem/functions/points.h"
#include "fem/meshes/mesh.h"
#include "fem/meshes/stored_mesh.h"
#include "flow/boundary_values.h"
#include "flow/flow_matrices.h"
#include "multigrid/linear_solver.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace
{
using namespace dealii;
using adamant::Array;
using adamant::Communicator;
using adamant::FlowMatrices;

// Hanging nodes of several levels, then the global refinement.
template <int dim>
std::unique_ptr<Triangulation<dim>> velocity_mesh(const Communicator &ranks)
{
  auto mesh = adamant::create_mesh<dim>(ranks, true);
  GridGenerator::hyper_cube(*mesh, 0., 1., true);
  mesh->refine_global(dim == 2 ? 3 : 1);
  for (unsigned int cycle = 0; cycle < 3; ++cycle)
    {
      for (const auto &cell : mesh->active_cell_iterators())
        if (cell->is_locally_owned() && cell->center().distance(Point<dim>()) < 0.8 / (1 << cycle))
          cell->set_refine_flag();
      adamant::execute_refinement(*mesh);
    }
  adamant::refine_global(*mesh, 1);
  return mesh;
}

double wave(const Array<double> &points, int n, int i, double phase)
{
  double argument = phase;
  for (int d = 0, k = i; k < static_cast<int>(points.size()); ++d, k += n)
    argument += (3. - d) * points[k];
  return std::sin(argument);
}

// Sums over all ranks that do not depend on how the nodes are numbered.
template <int dim>
std::vector<double> characteristics(const Communicator &ranks, const std::set<types::boundary_id> &outflow)
{
  const auto              mesh = velocity_mesh<dim>(ranks);
  const MappingQ1<dim>    mapping;
  const FlowMatrices<dim> flow(*mesh, mapping, QGauss<dim>(2), outflow, {16});
  EXPECT_EQ(flow.singular, outflow.empty());
  std::vector<double> sums{double(flow.velocity().n_hanging()), double(flow.pressure().dof_handler().n_dofs())};

  // A function's nodal values on a level, and what becomes of a vector there.
  const auto nodal_values = [&](const adamant::LevelSpace<dim> &space, double phase) {
    Array<int> all(space.n_owned());
    std::iota(all.begin(), all.end(), 0);
    const auto    points = adamant::support_points(space, mapping, all);
    Array<double> values(all.size());
    for (const int i : all)
      values[i] = wave(points, space.n_owned(), i, phase);
    return values;
  };
  const auto add = [&](const adamant::LevelSpace<dim> &space, const Array<double> &values) {
    EXPECT_EQ(static_cast<int>(values.size()), space.n_owned());
    const auto weights = nodal_values(space, 0.3);
    double     two[]   = {std::inner_product(values.begin(), values.end(), weights.begin(), 0.),
                          std::inner_product(values.begin(), values.end(), values.begin(), 0.)};
    ranks.sum(two, 2);
    sums.insert(sums.end(), two, two + 2);
  };
  const auto &velocity = flow.velocity(), &pressure = flow.pressure();
  const auto  u = nodal_values(velocity, 1.);
  auto        p = nodal_values(pressure, 2.);
  for (int k = 0; k < pressure.n_owned(); ++k)
    p[k] = pressure.is_free(k) ? p[k] : 0.;
  add(velocity, flow.velocity_mass);
  add(pressure, flow.pressure_mass);
  add(velocity, adamant::product(*flow.viscous.matrices[0], u));
  Array<double> b(pressure.n_owned(), 0.);
  for (unsigned int d = 0; d < dim; ++d)
    {
      add(velocity, adamant::product(*flow.gradient[d], u));
      const auto part = adamant::product(*flow.divergence[d], u);
      add(pressure, part);
      for (std::size_t k = 0; k < b.size(); ++k)
        b[k] += part[k];
    }
  add(velocity, adamant::product(*flow.interpolation, p));
  add(pressure, adamant::product(flow.pressure_levels.back().matrix(), p));

  // The pressure equation, where constants may be free.
  double integrals[] = {std::accumulate(b.begin(), b.end(), 0.),
                        std::accumulate(flow.pressure_mass.begin(), flow.pressure_mass.end(), 0.)};
  ranks.sum(integrals, 2);
  for (std::size_t k = 0; k < b.size() && flow.singular; ++k)
    b[k] -= integrals[0] / integrals[1] * flow.pressure_mass[k];
  adamant::LinearSolverOptions options;
  options.type                         = adamant::SolverType::cg;
  options.control.tolerance            = 1e-13;
  options.multigrid.singular           = flow.singular;
  const auto                    device = adamant::Device::host(1, ranks);
  adamant::LinearSolver         solver(device, flow.pressure_levels, options);
  const adamant::Vector<double> rhs(device, b);
  adamant::Vector<double>       q(device, rhs.size());
  const int                     iterations = solver.solve(rhs, q).iterations;
  EXPECT_LE(iterations, 40);
  auto   solution = adamant::to_host(q);
  double integral = std::inner_product(solution.begin(), solution.end(), flow.pressure_mass.begin(), 0.);
  ranks.sum(&integral, 1);
  for (int k = 0; k < pressure.n_owned() && flow.singular; ++k)
    solution[k] -= pressure.is_free(k) ? integral / integrals[1] : 0.;
  add(pressure, solution);
  return sums;
}

template <int dim>
void compare(const std::set<types::boundary_id> &outflow)
{
  SCOPED_TRACE(std::to_string(dim) + " dimensions, " + (outflow.empty() ? "no outflow" : "with outflow"));
  const auto result   = characteristics<dim>(Communicator(MPI_COMM_WORLD), outflow);
  const auto expected = characteristics<dim>(Communicator(), outflow);
  ASSERT_EQ(result.size(), expected.size());
  EXPECT_GT(expected[0], 0.) << "expected hanging nodes";
  for (std::size_t i = 0; i < result.size(); ++i)
    EXPECT_NEAR(result[i], expected[i], 1e-10 * std::abs(expected[i])) << "sum number " << i;
}

// Values at nodes, by the nodes' positions.
template <int dim>
using ValuesAt = std::map<std::array<long, dim>, std::vector<double>>;

template <int dim>
ValuesAt<dim> by_position(const Array<double> &points, const adamant::Vector<double> &values)
{
  const std::size_t n = points.size() / dim;
  ValuesAt<dim>     at;
  for (std::size_t i = 0; i < n; ++i)
    {
      std::array<long, dim> key;
      for (int d = 0; d < dim; ++d)
        key[d] = std::lround(1e6 * points[d * n + i]);
      for (int k = static_cast<int>(i); k < values.size(); k += static_cast<int>(n))
        at[key].push_back(values.data()[k]);
    }
  return at;
}

// What a momentum step makes of a velocity and a pressure, and the divergence of the result.
template <int dim>
std::pair<ValuesAt<dim>, ValuesAt<dim>> step(const Communicator &ranks, bool separate)
{
  const auto              mesh = velocity_mesh<dim>(ranks);
  const MappingQ1<dim>    mapping;
  const FlowMatrices<dim> flow(*mesh, mapping, QGauss<dim>(2), {}, {16});
  const auto              points_of = [&](const adamant::LevelSpace<dim> &space) {
    Array<int> all(space.n_owned());
    std::iota(all.begin(), all.end(), 0);
    return adamant::support_points(space, mapping, all);
  };
  const int     n      = flow.velocity().n_owned();
  const auto    points = points_of(flow.velocity());
  Array<double> u(dim * n), p(n), inverse_mass(n), force(dim * n);
  for (int i = 0; i < n; ++i)
    {
      for (int c = 0; c < dim; ++c)
        {
          u[c * n + i]     = wave(points, n, i, c);
          force[c * n + i] = flow.velocity().is_free(i) ? wave(points, n, i, 5. + c) : 0.;
        }
      p[i]            = wave(points, n, i, 4.);
      inverse_mass[i] = flow.velocity().is_free(i) ? 1. / flow.velocity_mass[i] : 0.;
    }
  const auto                    device = adamant::Device::host(1, ranks);
  adamant::FlowProducts<dim>    products(device, flow, separate);
  const adamant::Vector<double> u_old(device, u), pressure(device, p), m(device, inverse_mass), f(device, force);
  adamant::Vector<double>       u_new(device, dim * n), g(device, flow.pressure().n_owned());
  products.momentum({n, 0.01, u_old.data(), m.data(), f.data(), u_new.data()}, u_old, pressure,
                    [](const char *, const auto &work) { work(); });
  products.divergence(u_new, g);

  // The rows that interpolate, for each component as for one.
  const auto H            = flow.velocity().owned_H();
  const auto interpolated = adamant::product(adamant::by_components(H, dim), u);
  for (int c = 0; c < dim; ++c)
    {
      const auto component = adamant::product(H, Array<double>(u.begin() + c * n, u.begin() + (c + 1) * n));
      EXPECT_TRUE(std::equal(component.begin(), component.end(), interpolated.begin() + c * n)) << "component " << c;
    }
  return {by_position<dim>(points, u_new), by_position<dim>(points_of(flow.pressure()), g)};
}

template <int dim>
void compare_step(bool separate)
{
  const Communicator ranks(MPI_COMM_WORLD);
  const auto         result = step<dim>(ranks, separate), expected = step<dim>(Communicator(), false);
  const auto         compare = [&](const ValuesAt<dim> &values, const ValuesAt<dim> &reference, const char *name) {
    double n = static_cast<double>(values.size());
    ranks.sum(&n, 1);
    EXPECT_EQ(n, reference.size()) << name;
    for (const auto &[position, list] : values)
      for (std::size_t c = 0; c < list.size(); ++c)
        EXPECT_NEAR(list[c], reference.at(position)[c], 1e-12) << name << ", component " << c;
  };
  compare(result.first, expected.first, "velocity");
  compare(result.second, expected.second, "divergence");
}

TEST(FlowProductsOnRanks, DoTheSameRowByRow)
{
  for (const bool separate : {false, true})
    {
      compare_step<2>(separate);
      compare_step<3>(separate);
    }
}

TEST(FlowMatricesOnRanks, DoTheSame)
{
  compare<2>({});
  compare<2>({1});
  compare<3>({});
  compare<3>({1});
}
} // namespace
