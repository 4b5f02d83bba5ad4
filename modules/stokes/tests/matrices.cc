// The matrices of Stokes flow against integrals by deal.II, with hanging nodes, on every device.
#include "fem/forms/quadrature_data.h"
#include "fem/support.h"
#include "operators/device_level.h"
#include "stokes/stokes_matrices.h"
#include "support/devices.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_tools.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

using namespace test;
using adamant::Array;
using adamant::CSRMatrix;
using adamant::StokesMatrices;
using adamant::to_host;
using adamant::test::DeviceTest;
using DeviceVector = adamant::Vector<double>;

namespace
{
class StokesForms : public DeviceTest
{
protected:
  static CSRMatrix<double> on_host(const adamant::LevelData &level) { return adamant::matrix_on_host(level); }

  static double form(const Array<double> &y, const CSRMatrix<double> &A, const Array<double> &x)
  {
    const auto Ax  = adamant::product(A, x);
    double     sum = 0.;
    for (std::size_t i = 0; i < y.size(); ++i)
      sum += y[i] * Ax[i];
    return sum;
  }

  template <int dim>
  static Array<double> random_free(const adamant::LevelSpace<dim> &space, unsigned int seed)
  {
    const auto    random = random_vector(space.n_owned(), seed);
    Array<double> x(random.begin(), random.end());
    for (int i = 0; i < space.n_owned(); ++i)
      x[i] *= space.is_free(i);
    return x;
  }

  // No slip on one side, free slip on the others.
  template <int dim>
  void check(adamant::VelocityElement element) const
  {
    Triangulation<dim> mesh;
    GridGenerator::hyper_cube(mesh, 0., 1., true);
    mesh.refine_global(1);
    refine_randomly(mesh, 2, 0.3, 5);
    mesh.refine_global(1);
    const MappingQ1<dim>       mapping;
    adamant::DirichletBoundary dirichlet;
    for (unsigned int id = 0; id < 2 * dim; ++id)
      {
        dirichlet[id] = ComponentMask(dim, id == 0);
        dirichlet[id].set(id / 2, true);
      }
    const double           q = 0.75, length = 2.;
    adamant::StokesOptions options;
    options.element       = element;
    options.schur         = adamant::SchurComplement::bfbt;
    options.bfbt_exponent = q;
    options.length        = length;
    StokesMatrices<dim> matrices(device, mesh, mapping, dirichlet, {0}, {}, options);
    const auto         &space = matrices.space();
    EXPECT_GT(space.n_hanging(), 0);
    for (const unsigned int seed : {1, 2}) // new values on the same patterns
      {
        Array<double> eta(space.n_cells());
        const auto    random = random_vector(space.n_cells(), seed);
        for (int cell = 0; cell < space.n_cells(); ++cell)
          eta[cell] = std::pow(10., 2. * random[cell]);
        const DeviceVector on_device(device, eta);
        matrices.update(on_device);
        check_symmetry(matrices);
        check_transfer(matrices);
        check_values(matrices, mapping, eta, q, length);
      }
  }

  template <int dim>
  void check_symmetry(const StokesMatrices<dim> &matrices) const
  {
    for (const auto *levels : {&matrices.data().velocity, &matrices.data().schur})
      for (std::size_t l = 0; l < levels->size(); ++l)
        {
          const auto A       = on_host((*levels)[l]);
          double     largest = 0.;
          for (const double value : A.value)
            largest = std::max(largest, std::abs(value));
          for (int i = 0; i < A.n_rows; ++i)
            for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
              ASSERT_NEAR(A.value[k], adamant::entry(A, A.column[k], i), 1e-12 * largest) << "level " << l;
        }
  }

  // Q2 has the nodes of Q1 on the finest mesh: the transfer between them renumbers the free nodes.
  template <int dim>
  void check_transfer(const StokesMatrices<dim> &matrices) const
  {
    if (matrices.space().dof_handler().get_fe().degree == 1)
      return;
    const auto &P = *matrices.data().velocity.back().prolongation;
    ASSERT_EQ(P.n_rows, matrices.space().n_owned());
    std::set<int> columns;
    for (int i = 0; i < P.n_rows; ++i)
      {
        ASSERT_EQ(P.row_start[i + 1] - P.row_start[i], matrices.space().is_free(i)) << i;
        for (auto k = P.row_start[i]; k < P.row_start[i + 1]; ++k)
          {
            EXPECT_NEAR(P.value[k], 1., 1e-14);
            EXPECT_TRUE(columns.insert(P.column[k]).second) << "two unknowns have node " << P.column[k];
          }
      }
  }

  template <int dim>
  void check_values(const StokesMatrices<dim> &matrices, const Mapping<dim> &mapping, const Array<double> &eta,
                    double q, double length) const
  {
    const auto &data  = matrices.data();
    const auto &space = matrices.space();
    const auto &nodal = matrices.nodal_pressure.finest();
    const auto  x = random_free(space, 3), y = random_free(matrices.pressure.finest(), 4);
    const auto  u = adamant::product(space.owned_H(), x);

    DeviceVector p(device, nodal.n_owned());
    device.multiply(1., matrices.to_velocity_mesh, DeviceVector(device, y), 0., p);
    const auto nodal_p = to_host(p);

    FEValues<dim> velocity(mapping, space.dof_handler().get_fe(), QGauss<dim>(4),
                           update_values | update_gradients | update_JxW_values),
      pressure(mapping, nodal.dof_handler().get_fe(), QGauss<dim>(4), update_values);
    double        dissipation = 0., divergence = 0., mass = 0.;
    Array<double> weights(space.n_dofs(), 0.);
    for (int cell = 0; cell < space.n_cells(); ++cell)
      {
        velocity.reinit(space.active_cells()[cell]);
        pressure.reinit(nodal.active_cells()[cell]);
        for (const unsigned int point : velocity.quadrature_point_indices())
          {
            Tensor<2, dim> gradient;
            double         value = 0.;
            for (const unsigned int i : velocity.dof_indices())
              {
                const int dof = space.cell_dofs(cell)[i];
                for (unsigned int c = 0; c < dim; ++c)
                  gradient[c] += u[dof] * velocity[FEValuesExtractors::Vector(0)].gradient(i, point)[c];
                weights[dof] += std::pow(eta[cell], q) * velocity.shape_value(i, point) * velocity.JxW(point);
              }
            for (const unsigned int i : pressure.dof_indices())
              value += nodal_p[nodal.cell_dofs(cell)[i]] * pressure.shape_value(i, point);
            const double JxW = velocity.JxW(point);
            dissipation += 2. * eta[cell] * std::pow(symmetrize(gradient).norm(), 2) * JxW;
            divergence -= value * trace(gradient) * JxW / length;
            mass += value * value / eta[cell] * JxW;
          }
      }
    EXPECT_NEAR(form(x, on_host(data.velocity.back()), x), dissipation, 1e-11 * dissipation);
    EXPECT_NEAR(form(y, *data.B, x), divergence, 1e-11 * (std::abs(divergence) + 1.));
    EXPECT_NEAR(form(x, *data.Bt, y), divergence, 1e-11 * (std::abs(divergence) + 1.));
    EXPECT_NEAR(form(y, on_host(data.mass), y), mass, 1e-11 * mass);

    auto H = space.owned_H();
    for (double &value : H.value)
      value = std::abs(value); // so that C is positive where functions of Q2 are not
    const auto C = to_host(*data.C), lumped = adamant::transposed_product(H, weights);
    const auto Bty = adamant::product(*data.Bt, y);
    double     K   = 0.;
    for (int i = 0; i < space.n_owned(); ++i)
      {
        EXPECT_NEAR(C[i] * lumped[i], space.is_free(i) ? 1. : 0., 1e-11);
        K += C[i] * Bty[i] * Bty[i];
      }
    EXPECT_NEAR(form(y, on_host(data.schur.back()), y), K, 1e-11 * K);
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, StokesForms, adamant::test::all_places, adamant::test::place_name);

TEST_P(StokesForms, AreTheIntegralsIn2D)
{
  check<2>(adamant::VelocityElement::q1_iso_q2);
}

TEST_P(StokesForms, AreTheIntegralsIn3D)
{
  check<3>(adamant::VelocityElement::q1_iso_q2);
}

TEST_P(StokesForms, AreThoseOfTaylorHoodIn2D)
{
  check<2>(adamant::VelocityElement::q2);
}

TEST_P(StokesForms, AreThoseOfTaylorHoodIn3D)
{
  check<3>(adamant::VelocityElement::q2);
}

// A linear function is one of both pressure spaces; constants have no gradient, and a pressure is of zero mean without.
void check_pressures(const adamant::Device &device, Triangulation<2> &mesh)
{
  const MappingQ1<2> mapping;
  for (const auto element : {adamant::VelocityElement::q1_iso_q2, adamant::VelocityElement::q2})
    {
      adamant::StokesOptions options;
      options.element = element;
      StokesMatrices<2> matrices(device, mesh, mapping, {{0, ComponentMask()}}, {0}, {}, options);
      const auto       &pressures = matrices.pressure.finest();
      Array<double>     p(pressures.n_owned(), 1.);
      for (int i = 0; i < pressures.n_owned(); ++i)
        p[i] *= pressures.is_free(i);
      for (const double value : adamant::product(*matrices.data().Bt, p))
        EXPECT_NEAR(value, 0., 1e-14);
      DeviceVector on_device(device, p), nodal(device, matrices.nodal_pressure.finest().n_owned());
      device.multiply(1., matrices.to_velocity_mesh, on_device, 0., nodal);
      for (const double value : to_host(nodal))
        EXPECT_NEAR(value, 1., 1e-14);
      const auto injected = adamant::product(matrices.injection(), to_host(nodal));
      for (int i = 0; i < pressures.n_owned(); ++i)
        EXPECT_NEAR(injected[i], p[i], 1e-14);
      matrices.remove_mean(on_device);
      for (const double value : to_host(on_device))
        EXPECT_NEAR(value, 0., 1e-13);
    }
}

TEST_P(StokesForms, PressuresOnBothMeshes)
{
  Triangulation<2> mesh, periodic;
  GridGenerator::hyper_cube(mesh);
  mesh.refine_global(2);
  refine_randomly(mesh, 1, 0.3, 7);
  make_periodic_mesh(periodic, 7);
  for (auto *each : {&mesh, &periodic})
    {
      each->refine_global(1);
      check_pressures(device, *each);
    }
}

// On 12 cells a side coordinates are rounded; a vertex moved by more than that gives its cells shapes of their own.
TEST_P(StokesForms, ShapesAreTheSameToRounding)
{
  Triangulation<3> mesh;
  GridGenerator::subdivided_hyper_cube(mesh, 3);
  mesh.refine_global(2);
  const auto n_shapes = [&] {
    const adamant::LevelMeshes<3> meshes(mesh, {adamant::finest_level_only});
    const adamant::Field<3>       field(meshes, "p", FE_Q<3>(1));
    return adamant::QuadratureData<3>(device, field.finest(), MappingQ1<3>(), QGauss<3>(2),
                                      update_values | update_gradients | update_JxW_values)
      .n_shapes();
  };
  EXPECT_EQ(n_shapes(), 1);
  mesh.begin_active()->vertex(7)[0] += 1e-12;
  EXPECT_GT(n_shapes(), 8);
}

namespace
{
// The largest difference of entries, over the largest entry. Entries that one of them does not store are zero.
double difference(const CSRMatrix<double> &A, const CSRMatrix<double> &B)
{
  double largest = 0., result = 0.;
  for (const auto &[from, other] : {std::pair(&A, &B), std::pair(&B, &A)})
    for (int i = 0; i < from->n_rows; ++i)
      for (auto k = from->row_start[i]; k < from->row_start[i + 1]; ++k)
        {
          largest = std::max(largest, std::abs(from->value[k]));
          result  = std::max(result, std::abs(from->value[k] - adamant::entry(*other, i, from->column[k])));
        }
  return result / largest;
}
} // namespace

// By cells the levels' matrices equal stored ones, for boxes turned and not, and with hanging nodes.
TEST_P(StokesForms, ByCellsAreThoseByRows)
{
  for (const std::string kind : {"box", "turned", "adaptive"})
    {
      SCOPED_TRACE(kind);
      Triangulation<3> mesh;
      GridGenerator::subdivided_hyper_rectangle(mesh, {3, 1, 2}, Point<3>(), Point<3>(2.1, 0.9, 1.7), true);
      if (kind == "turned")
        GridTools::transform([](const Point<3> &p) { return Point<3>(-p[1], p[2], -p[0]); }, mesh);
      mesh.refine_global(1);
      if (kind == "adaptive")
        refine_randomly(mesh, 1, 0.3, 5);
      mesh.refine_global(1);
      const MappingQ1<3>         mapping;
      adamant::DirichletBoundary dirichlet;
      for (unsigned int id = 0; id < 6; ++id)
        {
          dirichlet[id] = ComponentMask(3, id == 0);
          dirichlet[id].set(id / 2, true);
        }
      adamant::StokesOptions by_rows, by_cells;
      by_cells.products = adamant::Products::cells;
      StokesMatrices<3> rows(device, mesh, mapping, dirichlet, {0}, {}, by_rows),
        cells(device, mesh, mapping, dirichlet, {0}, {}, by_cells);
      const int n_cells = rows.space().n_cells();
      for (const unsigned int seed : {1, 2})
        {
          Array<double> eta(n_cells);
          const auto    random = random_vector(n_cells, seed);
          for (int cell = 0; cell < n_cells; ++cell)
            eta[cell] = std::pow(10., 2. * random[cell]);
          const DeviceVector on_device(device, eta);
          rows.update(on_device);
          cells.update(on_device);
          const auto &of_rows = rows.data().velocity, &of_cells = cells.data().velocity;
          ASSERT_EQ(of_rows.size(), of_cells.size());
          const bool possible = device.matrix_format() == adamant::MatrixFormat::compressed;
          for (std::size_t l = 0; l < of_rows.size(); ++l)
            {
              EXPECT_EQ(of_cells[l].rowless() != nullptr, possible && l > 0);
              EXPECT_LT(difference(on_host(of_rows[l]), on_host(of_cells[l])), 1e-14) << "level " << l;
            }
          EXPECT_EQ(cells.space().n_hanging() > 0, kind == "adaptive");
        }
    }
}

// Also where boundaries are curved, so that the pressure's mesh has another volume than the velocity's.
TEST_P(StokesForms, AConstantPressureIsAllMean)
{
  Triangulation<2> mesh;
  GridGenerator::hyper_shell(mesh, Point<2>(), 0.5, 1., 6);
  mesh.refine_global(2);
  const MappingQ1<2>      mapping;
  const StokesMatrices<2> matrices(device, mesh, mapping, {{0, ComponentMask()}}, {0}, {}, {});
  DeviceVector            p(device, Array<double>(matrices.pressure.finest().n_owned(), 3.));
  matrices.remove_mean(p);
  for (const double value : to_host(p))
    ASSERT_NEAR(value, 0., 1e-13);
}

TEST_P(StokesForms, RefuseOtherMeshes)
{
  Triangulation<2> mesh;
  GridGenerator::hyper_cube(mesh);
  mesh.refine_global(2);
  mesh.begin_active()->set_refine_flag();
  mesh.execute_coarsening_and_refinement();
  const MappingQ1<2> mapping;
  EXPECT_THROW(StokesMatrices<2>(device, mesh, mapping, {{0, ComponentMask()}}, {0}, {}, {}), adamant::RunError);
}
} // namespace
