// What ranks hold together of constraints, transfer and the matrices of forms, row by row against the same mesh on one
// rank.
#include "algebra/cell_sums.h"
#include "coefficients/coarser_values.h"
#include "cuda_ranks.h"
#include "fem/cell_kernels.h"
#include "fem/forms/assembly_tables.h"
#include "fem/host_kernels.h"
#include "fem/spaces/numbering.h"
#include "operators/device_level.h"
#include "rows.h"

#include <deal.II/dofs/dof_tools.h>

#include <set>

using namespace test;
using adamant::CellContext;

namespace
{
// The matrix of a further form of the problem's field.
template <int dim>
CSRMatrix<double> matrix_of(const Problem<dim> &problem, const adamant::Columns<dim> &columns,
                            const typename adamant::Form<dim>::Kernel &kernel)
{
  adamant::Form<dim> form("further", problem.u, columns, problem.mapping, problem.quadrature, flags, kernel);
  form.update();
  return *form.finest();
}

// What cell kernels give, summed over ranks, is what the host's assembly gives, on all levels.
template <int dim>
void compare_cell_kernels(const Problem<dim> &problem)
{
  const auto one           = [](int) { return 1.; };
  const auto transport     = [&](const CellContext<dim> &cell, auto &local) { test::transport(cell, one, local); };
  const auto with_hessians = flags | update_hessians;
  using adamant::Levels;
  const auto        &u      = problem.u;
  const auto         device = adamant::Device::host(1, adamant::Communicator(u.finest().communicator()));
  adamant::Form<dim> expected("A", u, unknowns(u), problem.mapping, problem.quadrature, with_hessians, transport,
                              Levels::all),
    form("A", u, unknowns(u), problem.mapping, problem.quadrature, with_hessians, nullptr, Levels::all);
  std::vector<double> ones;
  expected.update();
  for (int time = 0; time < 2; ++time) // the second update has nothing to build
    form.update(device, [&](std::size_t level) {
      ones.assign(u.space(level).n_cells() * problem.quadrature.size(), 1.);
      return Transport{ones.data()};
    });
  for (std::size_t l = 0; l < u.n_levels(); ++l)
    {
      const auto &A = *expected.matrix(l), &B = *form.matrix(l);
      ASSERT_EQ(A.column, B.column) << "level " << l;
      const auto values = form.on_device(l) ? adamant::to_host(form.on_device(l)->values) : B.value; // of one rank
      for (int i = 0; i < A.n_rows; ++i)
        for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
          ASSERT_NEAR(values[k], A.value[k], 1e-12) << "level " << l << ", row " << i;
    }
}

// The values that a device computes and sums over ranks, and products with matrices that take them, are the host's.
// They are first compared twice for equal cells, then twice for cells that differ, so that formats are given up.
template <int dim>
void compare_changing_matrices(const adamant::Device &device, const FiniteElement<dim> &fe)
{
  SCOPED_TRACE(fe.get_name());
  const Problem<dim> problem(world, fe);
  const auto        &u      = problem.u;
  double             factor = 0.;
  const auto         kernel = [&](const CellContext<dim> &cell, FullMatrix<double> &local) {
    Problem<dim>::transport(cell, local);
    local *= 1. + factor * std::sin(1. + cell.cell_number());
  };
  adamant::Form<dim> expected("A", u, unknowns(u), problem.mapping, problem.quadrature, flags, kernel,
                              adamant::Levels::all),
    form("A", u, unknowns(u), problem.mapping, problem.quadrature, flags, kernel, adamant::Levels::all);
  std::vector<adamant::Matrix<double>> in_double;
  std::vector<adamant::Matrix<float>>  in_float;
  int                                  n_wrong = 0; // ranks go on together
  for (const double next : {0., 0., 0.7, 0.2})
    {
      factor = next;
      expected.update();
      form.update(device);
      const auto levels = levels_of(u, form);
      for (std::size_t l = 0; l < levels.size(); ++l)
        {
          const auto &A = *expected.matrix(l);
          ASSERT_EQ(A.column, form.matrix(l)->column) << "level " << l;
          ASSERT_TRUE(levels[l].changing()) << "level " << l << ": the device should have the values";
          const auto values = adamant::to_host(levels[l].changing()->values);
          for (int i = 0; i < A.n_rows; ++i)
            {
              const auto begin = A.value.begin() + A.row_start[i], end = A.value.begin() + A.row_start[i + 1];
              const auto largest =
                std::abs(*std::max_element(begin, end, [](double a, double b) { return std::abs(a) < std::abs(b); }));
              for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
                n_wrong += !(std::abs(values[k] - A.value[k]) <= 1e-13 * largest);
            }
          if (in_double.size() <= l)
            {
              in_double.push_back(adamant::make_matrix<double>(device, levels[l]));
              in_float.push_back(adamant::make_matrix<float>(device, levels[l]));
            }
          else
            {
              update_matrix(levels[l], in_double[l]);
              update_matrix(levels[l], in_float[l]);
            }
          const auto x   = sample(keys_of(u.space(l)));
          const auto y   = product(A, x);
          const auto ask = [&](const auto &matrix, auto number, double tolerance) {
            using Number = decltype(number);
            const adamant::Vector<Number> in(device, x);
            adamant::Vector<Number>       out(device, A.n_rows);
            device.multiply(Number(1), matrix, in, Number(0), out);
            const auto found = adamant::to_host(out);
            for (std::size_t i = 0; i < y.size(); ++i)
              n_wrong += !(std::abs(found[i] - y[i]) <= tolerance);
          };
          ask(in_double[l], 0., 1e-12);
          ask(in_float[l], 0.f, 2e-5);
        }
      EXPECT_EQ(n_wrong, 0) << "cells that differ by " << factor;
    }
}

// Every local DoF of each level has the value that the finest level has at its node.
template <int dim>
void check_injected_values(const adamant::Device &device, const FiniteElement<dim> &fe)
{
  const Problem<dim> problem(world, fe);
  const auto        &u     = problem.u;
  const auto         owned = [](const adamant::LevelSpace<dim> &space) {
    Array<double> values;
    for (const Key &k : keys_of(space)) // a free one's has 10 more
      values.push_back(k[0] % 10 + 1e-9 * (2. * k[1] + 3. * k[2] + 5. * k[3]));
    return values;
  };
  adamant::InjectedValues<dim> injected(device, u);
  injected.update(adamant::Vector<double>(device, owned(u.finest())));
  for (std::size_t l = 0; l < u.n_levels(); ++l)
    {
      const auto found = adamant::to_host(injected[l]), expected = u.space(l).local_values(owned(u.space(l)).data());
      EXPECT_EQ(found.size(), expected.size()) << "level " << l;
      for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i)
        EXPECT_NEAR(found[i], expected[i], 1e-8) << "level " << l << ", local DoF " << i; // ranks go on together
    }
}

template <int dim>
void source(const CellContext<dim> &cell, FullMatrix<double> &local)
{
  for (const unsigned int q : cell.quadrature_point_indices())
    for (const unsigned int i : cell.dof_indices())
      local(i, q) += cell.value(i, q) * cell.JxW(q);
}

template <int dim>
void compare(const FiniteElement<dim> &fe)
{
  SCOPED_TRACE(fe.get_name());
  const Problem<dim> ranks(world, fe), one(MPI_COMM_SELF, fe);
  const auto        &space = ranks.u.finest(), &all = one.u.finest();
  ASSERT_EQ(ranks.u.n_levels(), one.u.n_levels());
  ASSERT_GE(one.u.n_levels(), 3u) << "the mesh should have several levels";

  const auto keys = keys_of(space), all_keys = keys_of(all);
  const auto expect_same = [&](const CSRMatrix<double> &found, const std::vector<Key> &columns,
                               const CSRMatrix<double> &expected, const std::vector<Key> &all_columns,
                               const std::string &what) {
    expect_same_rows(rows_of(found, keys, columns), rows_of(expected, all_keys, all_columns), what);
  };
  expect_same(space.owned_H(), keys, all.owned_H(), all_keys, "H");
  const auto prescribed = keys_of(space, space.prescribed), all_prescribed = keys_of(all, all.prescribed);
  expect_same(space.owned_B(), prescribed, all.owned_B(), all_prescribed, "B");
  const auto mass = [](const CellContext<dim> &cell, FullMatrix<double> &local) {
    for (const unsigned int q : cell.quadrature_point_indices())
      for (const unsigned int i : cell.dof_indices())
        for (const unsigned int j : cell.dof_indices())
          local(i, j) += cell.value(i, q) * cell.value(j, q) * cell.JxW(q);
  };
  expect_same(matrix_of(ranks, nodal_values(ranks.u), mass), keys, matrix_of(one, nodal_values(one.u), mass), all_keys,
              "matrix on nodal values");
  expect_same(matrix_of(ranks, adamant::quadrature_points<dim>(), source<dim>), ranks.keys_of_quadrature_points(),
              matrix_of(one, adamant::quadrature_points<dim>(), source<dim>), one.keys_of_quadrature_points(),
              "matrix on quadrature points");
  expect_same(matrix_of(ranks, prescribed_values(ranks.u), Problem<dim>::transport), prescribed,
              matrix_of(one, prescribed_values(one.u), Problem<dim>::transport), all_prescribed,
              "matrix on prescribed values");

  if (fe.n_components() == 1)
    compare_cell_kernels(ranks);
  const auto ranks_levels = ranks.levels(), one_levels = one.levels();
  bool       spread = false;
  for (std::size_t l = 0; l < ranks.u.n_levels(); ++l)
    {
      const std::string level = " of level " + std::to_string(l);
      const auto        fine = keys_of(ranks.u.space(l)), all_fine = keys_of(one.u.space(l));
      const auto       &found = ranks_levels[l], &expected = one_levels[l];
      expect_same_rows(rows_of(found.matrix(), fine, fine), rows_of(expected.matrix(), all_fine, all_fine),
                       "A" + level);
      spread = spread || (l + 1 < ranks.u.n_levels() && found.matrix().ghosts &&
                          static_cast<std::uint64_t>(found.matrix().n_rows) < found.matrix().ghosts->n_global &&
                          found.matrix().n_rows > 0);
      if (l == 0)
        {
          EXPECT_TRUE(found.matrix().n_rows == 0 || !found.matrix().ghosts ||
                      found.matrix().ghosts->communicator.rank() == 0)
            << "the coarsest level should be on the first rank";
          continue;
        }
      const auto coarse = keys_of(ranks.u.space(l - 1)), all_coarse = keys_of(one.u.space(l - 1));
      expect_same_rows(rows_of(*found.prolongation, fine, coarse),
                       rows_of(*expected.prolongation, all_fine, all_coarse), "P" + level);
      expect_same_rows(rows_of(*found.restriction, coarse, fine), rows_of(*expected.restriction, all_coarse, all_fine),
                       "R" + level);
    }
  const int n_ranks = static_cast<int>(Utilities::MPI::n_mpi_processes(world));
  EXPECT_EQ(Utilities::MPI::max(int(spread), world), int(n_ranks > 1)) << "coarser levels should be spread, too";
}

// The matrix as sums over the cells of each rank gives what its rows give.
template <int dim>
void compare_sums_over_cells(const adamant::Device &device, const FiniteElement<dim> &fe)
{
  SCOPED_TRACE(fe.get_name());
  const Problem<dim>       ranks(world, fe);
  const adamant::Form<dim> form("sums", ranks.u, adamant::quadrature_points<dim>(), ranks.mapping, ranks.quadrature,
                                flags, source<dim>);
  const auto               rows = matrix_of(ranks, adamant::quadrature_points<dim>(), source<dim>);
  const auto               sums = form.sums_over_cells();
  const adamant::Vector<double> f(device, sample(ranks.keys_of_quadrature_points()));
  adamant::Vector<double>       found(device, rows.n_rows), expected(device, rows.n_rows);
  device.multiply(1., adamant::Matrix<double>(device, rows), f, 0., expected);
  const auto S = make_matrix(device, sums);
  EXPECT_EQ(S.n_rows(), rows.n_rows);
  device.multiply(-1., S, f, 0., found);
  device.multiply(2., S, f, 1., found);
  const auto a = adamant::to_host(found), b = adamant::to_host(expected);
  int        n_wrong = 0;
  double     largest = 0;
  for (std::size_t i = 0; i < b.size(); ++i)
    largest = std::max(largest, std::abs(b[i]));
  largest = Utilities::MPI::max(largest, world);
  for (std::size_t i = 0; i < b.size(); ++i)
    n_wrong += !(std::abs(a[i] - b[i]) <= 1e-13 * largest);
  EXPECT_GT(largest, 0.);
  EXPECT_EQ(n_wrong, 0);
}

// A vector field and a scalar one of degree 1 on the same level meshes. Integrals of a divergence alone would cancel at
// inner nodes.
template <int dim>
struct TwoFields
{
  TwoFields(MPI_Comm comm, unsigned int degree)
    : mesh(adaptive_mesh<dim>(comm))
    , meshes(*mesh, {5, 8})
    , u(meshes, "u", FESystem<dim>(FE_Q<dim>(degree), dim), {{0, ComponentMask()}})
    , p(meshes, "p", FE_Q<dim>(1), {{1, ComponentMask()}})
    , gradient(
        "gradient", u, unknowns(p), mapping, QGauss<dim>(degree + 1), flags,
        [](const auto &cell, auto &local) {
          const auto &u = cell.rows(), &p = cell.columns();
          for (const unsigned int q : cell.quadrature_point_indices())
            for (const unsigned int i : u.dof_indices())
              for (const unsigned int k : p.dof_indices())
                local(i, k) += p.value(k, q) * (u.gradient(i, q)[u.component(i)] + u.value(i, q)) * cell.JxW(q);
        },
        adamant::Levels::all)
    , divergence(
        "divergence", p, unknowns(u), mapping, QGauss<dim>(degree + 1), flags,
        [](const auto &cell, auto &local) {
          const auto &p = cell.rows(), &u = cell.columns();
          for (const unsigned int q : cell.quadrature_point_indices())
            for (const unsigned int k : p.dof_indices())
              for (const unsigned int i : u.dof_indices())
                local(k, i) += p.value(k, q) * (u.gradient(i, q)[u.component(i)] + u.value(i, q)) * cell.JxW(q);
        },
        adamant::Levels::all)
  {
    gradient.update();
    divergence.update();
    divergence.update(); // a second time into the same object
  }

  std::unique_ptr<Triangulation<dim>> mesh;
  MappingQ1<dim>                      mapping;
  adamant::LevelMeshes<dim>           meshes;
  adamant::Field<dim>                 u, p;
  adamant::Form<dim>                  gradient, divergence;
};

template <int dim>
void compare_two_fields(unsigned int degree)
{
  const TwoFields<dim> ranks(world, degree), one(MPI_COMM_SELF, degree);
  ASSERT_EQ(ranks.meshes.size(), one.meshes.size());
  for (std::size_t l = 0; l < one.meshes.size(); ++l)
    {
      const std::string level = " of level " + std::to_string(l);
      const auto        u = keys_of(ranks.u.space(l)), all_u = keys_of(one.u.space(l)), p = keys_of(ranks.p.space(l)),
                 all_p = keys_of(one.p.space(l));
      expect_same_rows(rows_of(*ranks.gradient.matrix(l), u, p), rows_of(*one.gradient.matrix(l), all_u, all_p),
                       "gradient" + level);
      expect_same_rows(rows_of(*ranks.divergence.matrix(l), p, u), rows_of(*one.divergence.matrix(l), all_p, all_u),
                       "divergence" + level);
    }
}
} // namespace

// At the corner of an L, the first cell has no face on the boundary: on three or four ranks only others' cells have.
TEST(Ranks, DofsOnABoundary)
{
  const auto mesh = std::make_shared<parallel::distributed::Triangulation<2>>(world);
  GridGenerator::hyper_L(*mesh);
  adamant::refine_global(*mesh, 1);
  const adamant::LevelSpace<2> space(std::shared_ptr<const Triangulation<2>>(mesh), FE_Q<2>(2), {});
  const auto                   found    = space.on_boundary(0);
  const auto                   on_faces = adamant::dofs_on_faces(space.element());
  const auto wanted = DoFTools::extract_boundary_dofs(space.dof_handler(), ComponentMask(), {0}); // by ghost cells, too
  std::vector<double> of_all(space.n_global_dofs(), 0.);
  std::set<int>       own_faces;
  for (int i = 0; i < space.n_owned(); ++i)
    if (const auto number = space.partition().local_to_global(i); wanted.is_element(number))
      of_all[number] = 1.;
  for (int c = 0; c < space.n_cells(); ++c)
    for (const unsigned int face : space.active_cells()[c]->face_indices())
      if (space.active_cells()[c]->at_boundary(face))
        for (const int i : on_faces[face])
          own_faces.insert(space.cell_dofs(c)[i]);
  double n_by_others = 0.;
  for (int i = 0; i < space.n_owned(); ++i)
    n_by_others += wanted.is_element(space.partition().local_to_global(i)) && own_faces.count(i) == 0;
  const adamant::Communicator ranks(world);
  ranks.sum(&n_by_others, 1);
  ranks.sum(of_all.data(), static_cast<int>(of_all.size()));
  if (ranks.size() == 3 || ranks.size() == 4)
    EXPECT_EQ(n_by_others, 1.);
  for (int i = 0; i < space.n_dofs(); ++i)
    ASSERT_EQ(found[i], of_all[space.partition().local_to_global(i)]) << "DoF " << i;
}

TEST(Ranks, SumsOverCells)
{
  const auto device = adamant::Device::host(2, adamant::Communicator(world));
  compare_sums_over_cells<2>(device, FE_Q<2>(1));
  compare_sums_over_cells<2>(device, FESystem<2>(FE_Q<2>(2), 2));
  compare_sums_over_cells<3>(device, FE_Q<3>(1));
}
TEST_F(CudaRanks, SumsOverCells)
{
  compare_sums_over_cells<2>(device, FE_Q<2>(1));
  compare_sums_over_cells<3>(device, FESystem<3>(FE_Q<3>(1), 3));
}

TEST(Ranks, ChangingMatrices)
{
  const auto device = adamant::Device::host(2, adamant::Communicator(world));
  compare_changing_matrices<2>(device, FE_Q<2>(1));
  compare_changing_matrices<2>(device, FESystem<2>(FE_Q<2>(2), 2));
  compare_changing_matrices<3>(device, FESystem<3>(FE_Q<3>(1), 3));
}
TEST_F(CudaRanks, ChangingMatrices)
{
  compare_changing_matrices<2>(device, FE_Q<2>(2));
  compare_changing_matrices<2>(device, FESystem<2>(FE_Q<2>(1), 2));
  compare_changing_matrices<3>(device, FESystem<3>(FE_Q<3>(1), 3));
}
TEST_F(CudaRanks, ChangingMatricesOfCusparse)
{
  const auto cusparse = adamant::Device::cuda(adamant::Communicator(world), true, adamant::MatrixFormat::cusparse);
  compare_changing_matrices<2>(cusparse, FESystem<2>(FE_Q<2>(1), 2));
}

TEST(Ranks, InjectedValues)
{
  const auto device = adamant::Device::host(1, adamant::Communicator(world));
  check_injected_values<2>(device, FE_Q<2>(2));
  check_injected_values<2>(device, FE_Q<2>(3)); // some coarse nodes are between fine ones
  check_injected_values<3>(device, FESystem<3>(FE_Q<3>(1), 3));
}
TEST_F(CudaRanks, InjectedValues)
{
  check_injected_values<2>(device, FE_Q<2>(2));
}

TEST(Ranks, SquareQ1)
{
  compare(FE_Q<2>(1));
}
TEST(Ranks, SquareQ2)
{
  compare(FE_Q<2>(2));
}
TEST(Ranks, SquareVector)
{
  compare(FESystem<2>(FE_Q<2>(1), 2));
}
TEST(Ranks, CubeQ1)
{
  compare(FE_Q<3>(1));
}
TEST(Ranks, CubeVector)
{
  compare(FESystem<3>(FE_Q<3>(1), 3));
}
TEST(Ranks, TwoFields)
{
  compare_two_fields<2>(2);
  compare_two_fields<3>(1);
}
