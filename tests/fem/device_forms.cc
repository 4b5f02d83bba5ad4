// Forms whose values a device computes, against the host's assembly by FEValues; solvers that follow new values.
#include "algebra/cell_sums.h"
#include "fem/cell_kernels.h"
#include "fem/forms/assembly_tables.h"
#include "fem/forms/form.h"
#include "fem/functions/points.h"
#include "fem/host_kernels.h"
#include "fem/spaces/field.h"
#include "fem/support.h"
#include "multigrid/linear_solver.h"
#include "operators/device_level.h"
#include "support/devices.h"
#include "support/errors.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping_q1.h>

using namespace test;
using adamant::Array;
using adamant::CellContext;
using adamant::CompressedRows;
using adamant::CSRMatrix;
using adamant::Device;
using adamant::DirichletBoundary;
using adamant::Field;
using adamant::Form;
using adamant::LevelMeshes;
using adamant::Levels;
using adamant::LinearSolver;
using adamant::LinearSolverOptions;
using adamant::to_host;
using adamant::unknowns;
using adamant::test::OnDevice;
using adamant::test::Place;

namespace
{
const UpdateFlags flags = update_values | update_gradients | update_hessians | update_JxW_values;

// Different in each cell and point.
double coefficient(int number, double time)
{
  return 1. + 0.5 * std::sin(0.37 * number + time);
}

Array<double> coefficients(int n, double time)
{
  Array<double> values(n);
  for (int i = 0; i < n; ++i)
    values[i] = coefficient(i, time);
  return values;
}

// The kernels once more, as the host's assembly takes them.
template <int dim>
void host_transport(const CellContext<dim> &cell, double time, FullMatrix<double> &local)
{
  test::transport(
    cell, [time](int point) { return coefficient(point, time); }, local);
}

template <int dim>
void elastic(const CellContext<dim> &cell, double time, FullMatrix<double> &local)
{
  const double E = coefficient(cell.cell_number(), time);
  for (const unsigned int q : cell.quadrature_point_indices())
    for (const unsigned int i : cell.dof_indices())
      for (const unsigned int j : cell.dof_indices())
        {
          const unsigned int c = cell.component(i), d = cell.component(j);
          const auto        &grad_i = cell.gradient(i, q), &grad_j = cell.gradient(j, q);
          local(i, j) += E * (grad_i[c] * grad_j[d] + (c == d ? 2. * (grad_i * grad_j) : 0.)) * cell.JxW(q);
          if (c == 0 && d == 1)
            local(i, j) += 0.3 * cell.value(i, q) * cell.value(j, q) * cell.JxW(q);
        }
}

template <int dim>
void divergence(const CellContext<dim> &cell, FullMatrix<double> &local)
{
  for (const unsigned int q : cell.quadrature_point_indices())
    for (const unsigned int i : cell.rows().dof_indices())
      for (const unsigned int j : cell.columns().dof_indices())
        local(i, j) -=
          cell.rows().value(i, q) * cell.columns().gradient(j, q)[cell.columns().component(j)] * cell.JxW(q);
}

// Every value to 1e-13 of the largest of its row.
void expect_same_values(const Array<double> &found, const CSRMatrix<double> &expected, const std::string &what)
{
  ASSERT_EQ(found.size(), expected.value.size()) << what;
  for (int i = 0; i < expected.n_rows; ++i)
    {
      double largest = 0, difference = 0;
      for (auto k = expected.row_start[i]; k < expected.row_start[i + 1]; ++k)
        {
          largest = std::max(largest, std::abs(expected.value[k]));
          if (!(std::abs(found[k] - expected.value[k]) <= difference)) // NaN is none of them
            difference = std::abs(found[k] - expected.value[k]);
        }
      ASSERT_LE(difference, 1e-13 * largest) << what << ", row " << i;
    }
}

class DeviceForms : public OnDevice, public ::testing::WithParamInterface<Place>
{
protected:
  DeviceForms()
    : OnDevice(GetParam())
  {}

  adamant::Vector<double> on_device(const Array<double> &values) const { return {device, values}; }

  // All levels of a form, assembled twice with different coefficients.
  template <int dim, class KernelAt, class HostKernel>
  void compare(const Field<dim> &rows, const adamant::Columns<dim> &columns, const HostKernel &host_kernel,
               const KernelAt &kernel_at, Levels levels)
  {
    const MappingQ1<dim> mapping;
    const QGauss<dim>    quadrature(rows.element().degree + 1);
    double               time = 0;
    const auto at = [&](const CellContext<dim> &cell, FullMatrix<double> &local) { host_kernel(cell, time, local); };
    Form<dim>  expected("A", rows, columns, mapping, quadrature, flags, at, levels),
      form("A", rows, columns, mapping, quadrature, flags, nullptr, levels);
    for (time = 0.; time < 2.; time += 1.)
      {
        expected.update();
        form.update(device, [&](std::size_t level) { return kernel_at(level, time, int(quadrature.size())); });
        for (std::size_t l = levels == Levels::all ? 0 : rows.n_levels() - 1; l < rows.n_levels(); ++l)
          {
            EXPECT_EQ(form.matrix(l)->column, expected.matrix(l)->column);
            expect_same_values(to_host(form.on_device(l)->values), *expected.matrix(l),
                               rows.element().get_name() + ", level " + std::to_string(l));
          }
      }
  }

  adamant::Vector<double> k; // coefficients of the present level
};

template <int dim>
struct Mesh
{
  explicit Mesh(unsigned int coarsest = 8)
  {
    make_random_mesh(mesh, 5);
    meshes.emplace(mesh, adamant::LevelMeshOptions{coarsest});
  }
  Triangulation<dim>              mesh;
  std::optional<LevelMeshes<dim>> meshes;
};

// Prescribed in all components at one side and in one component at another.
template <int dim>
DirichletBoundary partly(unsigned int n_components)
{
  ComponentMask one(n_components, false);
  one.set(n_components - 1, true);
  return {{0, ComponentMask()}, {3, one}};
}

// The device's kernels, with the coefficients of a level.
template <int dim>
auto transport_at(const Device &device, const Field<dim> &field, adamant::Vector<double> &k)
{
  return [&](std::size_t level, double time, int n_q) {
    k = adamant::Vector<double>(device, coefficients(field.space(level).n_cells() * n_q, time));
    return Transport{k.data()};
  };
}

template <int dim>
auto elastic_at(const Device &device, const Field<dim> &field, adamant::Vector<double> &k)
{
  return [&](std::size_t level, double time, int) {
    k = adamant::Vector<double>(device, coefficients(field.space(level).n_cells(), time));
    return Elastic<dim>{k.data()};
  };
}
} // namespace

TEST_P(DeviceForms, ScalarMatricesAreThoseOfFEValues)
{
  const auto with_dim = [this](auto d) {
    constexpr int dim = decltype(d)::value;
    Mesh<dim>     mesh;
    for (const unsigned int degree : {1, 2})
      {
        const Field<dim> u(*mesh.meshes, "u", FE_Q<dim>(degree), partly<dim>(1));
        compare<dim>(u, unknowns(u), host_transport<dim>, transport_at(device, u, k), Levels::all);
        compare<dim>(u, adamant::nodal_values(u), host_transport<dim>, transport_at(device, u, k), Levels::finest);
        compare<dim>(u, prescribed_values(u), host_transport<dim>, transport_at(device, u, k), Levels::finest);
      }
  };
  with_dim(std::integral_constant<int, 2>());
  with_dim(std::integral_constant<int, 3>());
}

TEST_P(DeviceForms, NodeBlocksAreThoseOfFEValues)
{
  const auto with_dim = [this](auto d) {
    constexpr int    dim = decltype(d)::value;
    Mesh<dim>        mesh;
    const Field<dim> u(*mesh.meshes, "u", FESystem<dim>(FE_Q<dim>(1), dim), partly<dim>(dim));
    compare<dim>(u, unknowns(u), elastic<dim>, elastic_at(device, u, k), Levels::all);
    compare<dim>(u, adamant::nodal_values(u), elastic<dim>, elastic_at(device, u, k), Levels::finest);
  };
  with_dim(std::integral_constant<int, 2>());
  with_dim(std::integral_constant<int, 3>());
}

// The host's local matrices, one for cells of a shape or one for each cell.
TEST_P(DeviceForms, LocalMatricesAreAddedUp)
{
  const auto with_dim = [this](auto d) {
    constexpr int        dim = decltype(d)::value;
    const MappingQ1<dim> mapping;
    const QGauss<dim>    quadrature(2);
    Mesh<dim>            mesh;
    double               time      = 0;
    const auto           of_shapes = [&time](const CellContext<dim> &cell, FullMatrix<double> &local) {
      for (const unsigned int q : cell.quadrature_point_indices())
        for (const unsigned int i : cell.dof_indices())
          for (const unsigned int j : cell.dof_indices())
            local(i, j) += (1. + time) * cell.gradient(i, q)[cell.component(j)] *
                           cell.gradient(j, q)[cell.component(i)] * cell.JxW(q);
    };
    const auto of_cells = [&time](const CellContext<dim> &cell, FullMatrix<double> &local) {
      elastic<dim>(cell, time, local);
    };
    const auto transport    = [&time](const auto &cell, auto &local) { host_transport<dim>(cell, time, local); };
    const auto compare_sums = [&](const Field<dim> &u, const adamant::Columns<dim> &columns, const auto &kernel,
                                  Levels levels) {
      Form<dim> expected("A", u, columns, mapping, quadrature, flags, kernel, levels),
        form("A", u, columns, mapping, quadrature, flags, kernel, levels);
      for (time = 0.; time < 2.; time += 1.)
        {
          expected.update();
          form.update(device);
          for (std::size_t l = levels == Levels::all ? 0 : u.n_levels() - 1; l < u.n_levels(); ++l)
            expect_same_values(to_host(form.on_device(l)->values), *expected.matrix(l),
                               u.element().get_name() + ", level " + std::to_string(l));
        }
    };
    const Field<dim> scalar(*mesh.meshes, "p", FE_Q<dim>(1), partly<dim>(1)),
      vector(*mesh.meshes, "u", FESystem<dim>(FE_Q<dim>(1), dim), partly<dim>(dim));
    compare_sums(scalar, unknowns(scalar), transport, Levels::all);
    compare_sums(scalar, prescribed_values(scalar), transport, Levels::finest);
    compare_sums(vector, unknowns(vector), of_shapes, Levels::all);
    compare_sums(vector, adamant::nodal_values(vector), of_cells, Levels::finest);
    const Field<dim> mixed(*mesh.meshes, "w", FESystem<dim>(FE_Q<dim>(1), 5));
    Form<dim>        none("A", mixed, unknowns(mixed), mapping, quadrature, flags, [](const auto &, auto &) {});
    adamant::test::expect_error<adamant::RunError>([&] { none.update(device); }, {"nodes with 5 and 5 components"});
  };
  with_dim(std::integral_constant<int, 2>());
  with_dim(std::integral_constant<int, 3>());
}

// With any number of threads, and in every run.
TEST_P(DeviceForms, ValuesRepeatToTheBit)
{
  Mesh<3>            mesh;
  const Field<3>     u(*mesh.meshes, "u", FESystem<3>(FE_Q<3>(1), 3), partly<3>(3));
  const MappingQ1<3> mapping;
  const QGauss<3>    quadrature(2);
  const auto         values = [&](const Device &where) {
    adamant::Vector<double> E;
    Form<3>                 form("A", u, unknowns(u), mapping, quadrature, flags, nullptr);
    form.update(where, [&](std::size_t l) { return elastic_at(where, u, E)(l, 0., 8); });
    return to_host(form.on_device(u.n_levels() - 1)->values);
  };
  const auto once = values(device);
  EXPECT_EQ(once, values(device));
  if (!device.traits().kernels)
    {
      EXPECT_EQ(once, values(Device::host(3)));
    }
}

TEST_P(DeviceForms, TwoFieldsOfAForm)
{
  const auto with_dim = [this](auto d) {
    constexpr int    dim = decltype(d)::value;
    Mesh<dim>        mesh;
    const Field<dim> u(*mesh.meshes, "u", FESystem<dim>(FE_Q<dim>(2), dim), partly<dim>(dim)),
      p(*mesh.meshes, "p", FE_Q<dim>(1));
    compare<dim>(
      p, unknowns(u), [](const auto &cell, double, auto &local) { divergence<dim>(cell, local); },
      [](std::size_t, double, int) { return Divergence<dim>{}; }, Levels::all);
  };
  with_dim(std::integral_constant<int, 2>());
  with_dim(std::integral_constant<int, 3>());
}

TEST_P(DeviceForms, ValuesAndGradientsAtQuadraturePoints)
{
  Mesh<2>                          mesh;
  const Field<2>                   u(*mesh.meshes, "u", FESystem<2>(FE_Q<2>(2), 2));
  const MappingQ1<2>               mapping;
  const QGauss<2>                  quadrature(3);
  const adamant::QuadratureData<2> data(device, u.finest(), mapping, quadrature);
  dealii::Vector<double>           nodal  = random_vector(u.finest().n_dofs(), 3);
  const auto                       values = on_device(Array<double>(nodal.begin(), nodal.end()));
  adamant::Vector<double>          found(device, data.n_points()), square(device, data.n_points());
  device.for_each(data.n_points(), adamant::AtQuadraturePoints<2, Squares>{
                                     data.view(), values.data(), 2, 1, {2, found.data(), square.data()}});
  const auto                       found_on_host = to_host(found), square_on_host = to_host(square);
  FEValues<2>                      fe_values(mapping, u.element(), quadrature, update_values | update_gradients);
  const FEValuesExtractors::Scalar second(1);
  for (int cell = 0, point = 0; cell < u.finest().n_cells(); ++cell)
    {
      fe_values.reinit(u.finest().active_cells()[cell]);
      for (const unsigned int q : fe_values.quadrature_point_indices())
        {
          double       value = 0;
          Tensor<1, 2> gradient;
          for (const unsigned int i : fe_values.dof_indices())
            {
              value += nodal[u.finest().cell_dofs(cell)[i]] * fe_values[second].value(i, q);
              gradient += nodal[u.finest().cell_dofs(cell)[i]] * fe_values[second].gradient(i, q);
            }
          ASSERT_NEAR(found_on_host[point], 1. + value * value, 1e-12) << "cell " << cell << ", point " << q;
          ASSERT_NEAR(square_on_host[point], gradient.norm_square(), 1e-11 * (1 + gradient.norm_square()));
          ++point;
        }
    }
}

TEST_P(DeviceForms, KernelsForOtherNodesAreRefused)
{
  Mesh<2>            mesh;
  const Field<2>     u(*mesh.meshes, "u", FESystem<2>(FE_Q<2>(1), 2));
  const MappingQ1<2> mapping;
  Form<2>            form("A", u, unknowns(u), mapping, QGauss<2>(2), flags, nullptr);
  EXPECT_THROW(form.update(device, [](std::size_t) { return Transport{nullptr}; }), adamant::RunError);
  Form<2> of_vectors("C", u, prescribed_values(u), mapping, QGauss<2>(2), flags, nullptr, Levels::finest);
  adamant::test::expect_error<adamant::RunError>([&] { of_vectors.update(device); },
                                                 {"nor prescribed values of one component"});
}

// After new values an updated solver does what a new one on the host's matrices does.
TEST_P(DeviceForms, SolversFollowNewValues)
{
  Mesh<2>            mesh(16);
  const MappingQ1<2> mapping;
  const QGauss<2>    quadrature(2);
  for (const std::string smoother : {"jacobi", "block_jacobi", "fsai", "gauss_seidel"})
    for (const int components : {1, 2})
      {
        const bool     scalar = components == 1;
        const Field<2> u(*mesh.meshes, "u", FESystem<2>(FE_Q<2>(1), components), partly<2>(components));
        double         time    = 0;
        const auto     on_host = [&](const CellContext<2> &cell, FullMatrix<double> &local) {
          scalar ? host_transport<2>(cell, time, local) : elastic<2>(cell, time, local);
        };
        Form<2> expected("A", u, unknowns(u), mapping, quadrature, flags, on_host, Levels::all),
          form("A", u, unknowns(u), mapping, quadrature, flags, nullptr, Levels::all);
        const auto update = [&] {
          expected.update();
          if (scalar)
            form.update(device, [&](std::size_t l) { return transport_at(device, u, k)(l, time, 4); });
          else
            form.update(device, [&](std::size_t l) { return elastic_at(device, u, k)(l, time, 4); });
        };
        update();
        LinearSolverOptions options;
        options.precision                    = adamant::Precision::float64;
        options.multigrid.smoother.type      = smoother;
        options.multigrid.smoother.chebyshev = smoother == "fsai";
        LinearSolver            solver(device, levels_of(u, form), options);
        const auto              b = on_device(coefficients(u.finest().n_dofs(), 7.));
        adamant::Vector<double> x(device, b.size());
        solver.solve(b, x);
        time = 3.;
        update();
        solver.update();
        x.set_zero();
        const auto              found = solver.solve(b, x);
        LinearSolver            other(device, levels_of(u, expected), options);
        adamant::Vector<double> y(device, b.size());
        const auto              wanted = other.solve(b, y);
        const std::string       what   = smoother + ", " + std::to_string(components) + " components";
        EXPECT_NEAR(found.iterations, wanted.iterations, options.multigrid.smoother.chebyshev ? 1 : 0) << what;
        const auto a = to_host(x), c = to_host(y);
        double     difference = 0, largest = 0;
        for (std::size_t i = 0; i < a.size(); ++i)
          {
            difference = std::max(difference, std::abs(a[i] - c[i]));
            largest    = std::max(largest, std::abs(c[i]));
          }
        EXPECT_LE(difference, 1e-6 * largest) << what;
      }
}

// Values at quadrature points to a load vector: local matrices of shapes or of cells, hanging nodes, widths that the
// compiler knows and others.
template <int dim>
void expect_sums_over_cells(const Device &device, const FiniteElement<dim> &element, unsigned int n_points)
{
  for (const bool of_cells : {false, true})
    {
      const Mesh<dim>      mesh;
      const Field<dim>     u(*mesh.meshes, "u", element, {{0, ComponentMask()}});
      const MappingQ1<dim> mapping;
      const auto           kernel = [of_cells](const CellContext<dim> &cell, FullMatrix<double> &local) {
        const double factor = of_cells ? coefficient(cell.cell_number(), 0.) : 1.;
        for (const unsigned int q : cell.quadrature_point_indices())
          for (const unsigned int i : cell.dof_indices())
            local(i, q) += factor * (1. + cell.component(i)) * cell.value(i, q) * cell.JxW(q);
      };
      Form<dim> form("S", u, adamant::quadrature_points<dim>(), mapping, QGauss<dim>(n_points), flags, kernel);
      form.update();
      const auto             &S = *form.finest();
      const auto              f = coefficients(S.n_cols, 1.), start = coefficients(S.n_rows, 2.);
      adamant::Vector<double> y(device, start);
      device.multiply(3., make_matrix(device, form.sums_over_cells()), adamant::Vector<double>(device, f), -2., y);
      const auto product = adamant::product(S, f), found = to_host(y);
      double     largest = 0;
      for (const double value : product)
        largest = std::max(largest, std::abs(value));
      for (int i = 0; i < S.n_rows; ++i)
        ASSERT_NEAR(found[i], 3. * product[i] - 2. * start[i], 1e-13 * (3. * largest + 2.))
          << element.get_name() << ", " << n_points << " points, row " << i;
    }
}

TEST_P(DeviceForms, SumsOverCells)
{
  expect_sums_over_cells<2>(device, FE_Q<2>(1), 2);
  expect_sums_over_cells<2>(device, FE_Q<2>(2), 3);
  expect_sums_over_cells<2>(device, FESystem<2>(FE_Q<2>(2), 2), 4);
  expect_sums_over_cells<3>(device, FE_Q<3>(1), 2);
  expect_sums_over_cells<3>(device, FESystem<3>(FE_Q<3>(1), 3), 3);
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceForms, ::testing::Values(Place::host, Place::cuda, Place::cusparse),
                         [](const auto &info) { return adamant::test::name_of(info.param); });
