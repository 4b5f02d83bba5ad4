// Products of matrices over several ranks, their level meshes and refinement, against one rank's.
#include "algebra/compressed_rows.h"
#include "algebra/device.h"
#include "algebra/functors.h"
#include "algebra/graph.h"
#include "algebra/loop.h"
#include "base/exceptions.h"
#include "cuda_ranks.h"
#include "fem/forms/hierarchy_builder.h"
#include "fem/meshes/forest.h"
#include "fem/meshes/mesh.h"
#include "fem/meshes/stored_mesh.h"
#include "fem/ranks/distributed_rows.h"
#include "multigrid/linear_solver.h"
#include "multigrid/smoothers/functors.h"
#include "multigrid/smoothers/setup.h"
#include "multigrid/v_cycle.h"
#include "operators/ghost_values.h"
#include "rows.h"

#include <deal.II/base/mpi.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/grid/cell_id.h>
#include <deal.II/grid/grid_generator.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace test;
using adamant::Device;

namespace
{
// x += what is left of x after restriction to the coarsest level, which is on one rank, and prolongation.
template <typename Number>
void there_and_back(const Device &device, const std::vector<adamant::LevelData> &levels, int node_size,
                    adamant::Vector<Number> &x)
{
  using Matrix = adamant::Matrix<Number>;
  std::vector<adamant::Vector<Number>> v;
  for (const auto &level : levels)
    v.emplace_back(device, level.n_rows());
  device.copy(x, v.back());
  for (std::size_t l = levels.size() - 1; l > 0; --l)
    device.multiply(Number(0.25), Matrix(device, *levels[l].restriction, node_size), v[l], Number(0), v[l - 1]);
  for (std::size_t l = 1; l < levels.size(); ++l)
    device.multiply(Number(1), Matrix(device, *levels[l].prolongation, node_size), v[l - 1], Number(0), v[l]);
  device.axpby(Number(1), v.back(), Number(1), x);
}

// d = alpha d_old + beta D (b - A x), y = x + d, D with blocks of m x m; an empty d is not written.
template <typename Number>
void jacobi_step(const Device &device, const adamant::Matrix<Number> &A, const adamant::Vector<Number> &D, int m,
                 Number alpha, Number beta, const adamant::Vector<Number> &b, const adamant::Vector<Number> &x,
                 const adamant::Vector<Number> &d_old, adamant::Vector<Number> &d, adamant::Vector<Number> &y)
{
  const adamant::JacobiUpdate<Number> update{alpha,    beta,         D.data(), b.data(),
                                             x.data(), d_old.data(), d.data(), y.data()};
  if (m == 1)
    device.for_each_row(A, x, adamant::JacobiStep<Number>(update));
  else
    device.for_each_row(A, x, adamant::NodeJacobiStep<Number>(m, x.size() / m, update));
}

// A vector that all operations have worked on, and the results of all reductions.
template <typename Number>
std::pair<Array<double>, std::vector<double>> all_operations(const Device                          &device,
                                                             const std::vector<adamant::LevelData> &levels, int dim,
                                                             const Array<double> &values)
{
  using Vector = adamant::Vector<Number>;
  const adamant::Matrix<Number> a(device, levels.back().matrix(), dim);
  const int                     n = static_cast<int>(values.size());
  Vector                        x(device, values), y(device, n), r(device, n), d(device, n), z(device, n), none;
  const Vector                  D(device, Array<double>(n, 0.1)), blocks(device, Array<double>(dim * n, 0.07));
  device.multiply(Number(2), a, x, Number(0), y);
  device.residual(a, x, y, r);
  jacobi_step(device, a, D, 1, Number(0), Number(0.3), r, x, x, d, y);
  jacobi_step(device, a, D, 1, Number(0), Number(0.5), r, y, none, none, x);
  device.multiply(Number(0.1), a, y, Number(1), x);
  there_and_back(device, levels, dim, x);
  device.for_each_row(a, adamant::FirstJacobiStep<Number>{Number(0.4), D.data(), x.data()},
                      adamant::SecondJacobiStep<Number>(Number(0.4), D.data(), x.data(), y.data()));
  device.for_each_row(a, adamant::FirstJacobiStep<Number>{Number(0.4), D.data(), y.data()},
                      adamant::Residual<Number>(y.data(), z.data()));
  device.for_each_row(a, z, adamant::FirstJacobiStepPlus<Number>(Number(0.4), D.data(), x.data(), y.data()));
  jacobi_step(device, a, blocks, dim, Number(0), Number(0.5), r, y, none, none, z);
  jacobi_step(device, a, blocks, dim, Number(0.2), Number(0.3), z, y, d, d, x);
  device.for_each_row(a, x, adamant::Update<Number>(Number(0.5), Number(0.1), d.data(), d.data(), y.data()));
  std::vector<double> numbers = {device.dot(x, y), std::sqrt(device.dot(r, r))};
  adamant::Scalars    scalars(device, 2);
  device.residual(a, x, y, r);
  device.norms(r, y, scalars);
  numbers.insert(numbers.end(), scalars.fetch(), scalars.fetch() + 2);
  device.dot(x, y, scalars, 0);
  device.dot(y, y, scalars, 1);
  device.axpby(Number(0.3), d, Number(1), y);
  numbers.push_back(scalars.fetch()[1]);
  device.scale(static_cast<Number>(1 / std::sqrt(device.dot(d, d))), d);
  numbers.push_back(device.dot(d, x));
  device.axpby(Number(1), y, Number(1), x);
  return {adamant::to_host(x), numbers};
}

// All operations that read other ranks' values, on `device` over all ranks against the host on one.
template <int dim, typename Number>
void compare_products(const Device &device)
{
  const FESystem<dim> fe(FE_Q<dim>(1), dim);
  const Problem<dim>  ranks(world, fe), one(MPI_COMM_SELF, fe);
  const auto          keys = keys_of(ranks.u.finest()), all_keys = keys_of(one.u.finest());
  const auto [found, numbers]        = all_operations<Number>(device, ranks.levels(), dim, sample(keys));
  const auto [expected, all_numbers] = all_operations<Number>(Device::host(2), one.levels(), dim, sample(all_keys));
  const double          tolerance    = 100 * std::numeric_limits<Number>::epsilon();
  std::map<Key, double> by_key;
  for (std::size_t i = 0; i < all_keys.size(); ++i)
    by_key[all_keys[i]] = expected[i];
  for (std::size_t i = 0; i < keys.size(); ++i)
    ASSERT_NEAR(found[i], by_key.at(keys[i]), tolerance) << "unknown " << i;
  for (std::size_t k = 0; k < numbers.size(); ++k)
    EXPECT_NEAR(numbers[k], all_numbers[k], tolerance * std::abs(all_numbers[k])) << "reduction " << k;
}

// Ghosts come from their owners, to the bit, and other entries stay.
void check_ghost_values(const Device &device)
{
  const Problem<2>           ranks(world, FESystem<2>(FE_Q<2>(1), 2));
  const auto                &space  = ranks.u.finest();
  const auto                 values = sample(keys_of(space));
  const adamant::GhostValues ghosts(device, adamant::exchange_plan(space.partition()), space.n_owned());
  const auto                 expected = space.local_values(values.data());
  EXPECT_EQ(Utilities::MPI::max(static_cast<int>(expected.size()) - space.n_owned(), world) > 0,
            Utilities::MPI::n_mpi_processes(world) > 1);
  const adamant::Vector<double> x(device, values);
  EXPECT_EQ(adamant::to_host(ghosts.with_ghosts(x)), expected);
  adamant::Vector<double> filled = ghosts.vector();
  device.copy(x, filled);
  device.scale(-2., filled);
  ghosts.fill(filled);
  device.scale(-0.5, filled);
  EXPECT_EQ(adamant::to_host(filled), expected);
}
} // namespace

// MPI_MAX may lose the NaN of one rank, and the rank is another one each time.
TEST(Ranks, TheMaximumOfNumbersAndNaN)
{
  const adamant::Communicator ranks(MPI_COMM_WORLD);
  for (int k = 0; k < ranks.size(); ++k)
    {
      double values[] = {ranks.rank() == k ? std::nan("") : 1., double(ranks.rank()), -1.};
      ranks.max(values, 3);
      EXPECT_TRUE(std::isnan(values[0])) << "of rank " << k;
      EXPECT_EQ(values[1], ranks.size() - 1.);
      EXPECT_EQ(values[2], -1.);
    }
}

TEST(Ranks, GhostValues)
{
  check_ghost_values(Device::host(2, adamant::Communicator(world)));
}
TEST_F(CudaRanks, GhostValues)
{
  check_ghost_values(device);
}

TEST(Ranks, ProductsInDoublePrecision)
{
  const Device device = Device::host(2, adamant::Communicator(world));
  compare_products<2, double>(device);
  compare_products<3, double>(device);
}
TEST(Ranks, ProductsInSinglePrecision)
{
  const Device device = Device::host(2, adamant::Communicator(world));
  compare_products<2, float>(device);
  compare_products<3, float>(device);
}

// Levels that are made while multigrid is built, and freed, give the preconditioner that all of them give.
TEST(Ranks, LevelsInTurn)
{
  const Device                 device = Device::host(1, adamant::Communicator(world));
  const FESystem<2>            fe(FE_Q<2>(1), 2);
  const Problem<2>             whole(world, fe);
  Problem<2>                   problem(world, fe);
  const Array<double>          v = sample(keys_of(whole.u.finest()));
  adamant::HierarchyBuilder<2> builder(problem.meshes, problem.u, problem.A);
  const adamant::LinearSolver  expected(device, whole.levels(), {}), solver(device, builder.levels(10), {});
  adamant::Vector<double>      x(device, v), y(device, v.size()), z(device, v.size());
  expected.vmult(x, y);
  solver.vmult(x, z);
  EXPECT_EQ(adamant::to_host(z), adamant::to_host(y));
}

// What an algebraic preconditioner needs; without coarser levels none has to come to the first rank.
TEST(Ranks, FinestLevelOnly)
{
  const auto mesh = adaptive_mesh<2>(world);
  EXPECT_EQ(adamant::LevelMeshes<2>(*mesh, {adamant::finest_level_only}).size(), 1u);
}

// A dense inverse needs the coarsest level on the first rank, an algebraic solver does not.
TEST(Ranks, CoarsestLevelOnOneRankOrAll)
{
  const auto                    mesh = adaptive_mesh<2>(world);
  const adamant::LevelMeshes<2> on_one(*mesh, {100, 1}), on_all(*mesh, {100, 1, false});
  const bool                    first = adamant::Communicator(world).rank() == 0;
  EXPECT_EQ(on_one[0].cells->size() > 0, first);
  EXPECT_GT(on_all[0].cells->size(), 0u);
  EXPECT_EQ(on_all[0].cells->n_global(), on_one[0].cells->n_global());
}

// Where the coarser level is on one rank, residuals are summed before they travel: as good as the product with R, and
// fewer numbers are sent.
template <int dim, typename Number>
void compare_restriction(const Device &device)
{
  const auto mesh = adaptive_mesh<dim>(world);
  adamant::refine_global(*mesh, 1); // else coarse cells are nearly as many in three dimensions

  const adamant::LevelMeshes<dim> meshes(*mesh, {5, 1000000});
  const adamant::Field<dim>       u(meshes, "u", FESystem<dim>(FE_Q<dim>(1), dim));
  const std::size_t               finest = meshes.size() - 1;
  const adamant::LevelData        level{{}, u.prolongation(finest), u.restriction(finest), dim};
  adamant::Restriction<Number>    R(device, level);
  const adamant::Vector<Number>   r(device, sample(keys_of(u.finest())));
  adamant::Vector<Number>         expected(device, level.restriction->n_rows);
  const adamant::Matrix<Number>   at_once(device, *level.restriction, dim);
  device.multiply(Number(1), at_once, r, Number(0), expected);
  const auto found = adamant::to_host(R.vmult(r)), wanted = adamant::to_host(expected);
  const auto n_values =
               Utilities::MPI::sum(level.restriction->ghosts ? level.restriction->ghosts->sent.size() : 0, world),
             n_sums = Utilities::MPI::sum(R.n_sent(), world); // before any rank may give up
  EXPECT_LE(3 * n_sums, 2 * n_values);
  EXPECT_EQ(R.n_sent() > 0, adamant::Communicator(world).rank() > 0);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    ASSERT_NEAR(found[i], wanted[i], 50 * std::numeric_limits<Number>::epsilon()) << "coarse unknown " << i;
}
TEST(Ranks, RestrictionSendsSums)
{
  const Device device = Device::host(2, adamant::Communicator(world));
  compare_restriction<2, double>(device);
  compare_restriction<2, float>(device);
  compare_restriction<3, double>(device);
}
TEST_F(CudaRanks, RestrictionSendsSums)
{
  compare_restriction<2, double>(device);
  compare_restriction<3, float>(device);
}

TEST_F(CudaRanks, ProductsInDoublePrecision)
{
  compare_products<2, double>(device);
  compare_products<3, double>(device);
}
TEST_F(CudaRanks, ProductsInSinglePrecision)
{
  compare_products<2, float>(device);
  compare_products<3, float>(device);
}

// Sums over ranks that differ each time, of long and of short vectors, one after the other without a wait, one and
// several at once.
TEST_F(CudaRanks, Sums)
{
  const adamant::Communicator ranks(world);
  constexpr int               n_vectors = 11, n_sums = 50; // more than one kernel takes
  for (const int n : {1, 100000})
    {
      std::vector<adamant::Vector<double>> basis;
      std::vector<double>                  expected;
      for (int k = 0; k < n_vectors; ++k)
        {
          Array<double> values(n);
          double        sum = 0;
          for (int i = 0; i < n; ++i)
            sum += values[i] = (k + 1) * (ranks.rank() + 1) * std::cos(i + 0.1 * ranks.rank());
          ranks.sum(&sum, 1);
          expected.push_back(sum);
          basis.emplace_back(device, values);
        }
      const adamant::Vector<double> w(device, Array<double>(n, 1.));
      adamant::Scalars              single(device, n_sums);
      const adamant::Graph          graph(device, [&] {
        for (int i = 0; i < n_sums; ++i)
          device.dot(basis[i % n_vectors], w, single, i);
      });
      for (int repeat = 0; repeat < 5; ++repeat)
        graph.replay();
      const double *found = single.fetch();
      for (int i = 0; i < n_sums; ++i)
        {
          const double sum = expected[i % n_vectors];
          ASSERT_NEAR(found[i], sum, 1e-11 * (1 + std::abs(sum))) << "sum " << i << " of " << n << " entries";
          double of_first = found[i];
          MPI_Bcast(&of_first, 1, MPI_DOUBLE, 0, world);
          ASSERT_EQ(found[i], of_first) << "not the same bits on all ranks";
        }
      // Several at once, as Gram-Schmidt makes them: the coefficients of w against vectors so short that there is no
      // second pass.
      adamant::VectorTable<double> table(device, n, n_vectors + 1), directions(device, n, n_vectors);
      std::vector<double>          products;
      for (const auto &v : basis)
        {
          directions.add();
          table.add();
          device.axpby(1e-14 / std::sqrt(device.dot(v, v)), v, 0., table[table.size() - 1]);
          products.push_back(device.dot(table[table.size() - 1], w));
        }
      table.add();
      const int                  last = n_vectors - 1;
      const adamant::Shared<int> k(device);
      device.interface().upload(k.data(), &last, sizeof(int));
      adamant::Scalars        several(device, 2 * (n_vectors + 1));
      adamant::Vector<double> rest(device, Array<double>(n, 1.));
      device.arnoldi({n, n_vectors, k.data(), table.data(), directions.data(), directions[last].data(), rest.data(),
                      nullptr, several.data()});
      std::vector<double> column(n_vectors + 1);
      device.interface().download(column.data(), several.data(), column.size() * sizeof(double));
      const double norm = std::sqrt(device.dot(w, w));
      EXPECT_NEAR(column[n_vectors], norm, 1e-12 * norm) << "expected what Arnoldi's second sums give";
      for (int i = 0; i < n_vectors; ++i)
        EXPECT_NEAR(column[i], products[i], 1e-25 * std::sqrt(device.dot(w, w))) << "coefficient " << i;
    }
}

// Matrices so large that a thread takes several rows, with ghosts at both ends of a rank's rows: a second difference of
// squares.
TEST_F(CudaRanks, LargeMatricesInBands)
{
  const int                            n_owned = 700000;
  const IndexSet                       owned   = adamant::owned_range(n_owned, world);
  const std::uint64_t                  first = owned.nth_index_in_set(0), n = owned.size();
  std::vector<types::global_dof_index> columns;
  for (std::uint64_t i = first; i < first + n_owned; ++i)
    for (const int k : {-1000, 0, 1000})
      columns.push_back((i + n + k) % n);
  const auto        numbers = adamant::make_partitioner(owned, columns, world);
  CSRMatrix<double> A;
  A.n_rows = n_owned;
  A.n_cols = static_cast<int>(numbers->locally_owned_size() + numbers->n_ghost_indices());
  A.row_start.assign(n_owned + 1, 3);
  adamant::finish_row_starts(A);
  A.ghosts = adamant::exchange_plan(*numbers);
  for (int i = 0; i < n_owned; ++i)
    {
      std::array<std::pair<int, double>, 3> entries;
      for (int k = 0; k < 3; ++k)
        entries[k] = {static_cast<int>(numbers->global_to_local(columns[3 * i + k])), k == 1 ? -2. : 1.};
      std::sort(entries.begin(), entries.end());
      for (int k = 0; k < 3; ++k)
        std::tie(A.column[3 * i + k], A.value[3 * i + k]) = entries[k];
    }
  const adamant::Matrix<double> on_gpu(device, A);
  const auto                    value = [](std::uint64_t i) { return std::sin(1e-3 * static_cast<double>(i)); };
  Array<double>                 values(n_owned);
  for (int i = 0; i < n_owned; ++i)
    values[i] = value(first + i);
  const adamant::Vector<double> x(device, values);
  adamant::Vector<double>       y(device, values);
  for (int repeat = 0; repeat < 3; ++repeat) // y + 3 A x
    device.multiply(1., on_gpu, x, 1., y);
  const auto found = adamant::to_host(y);
  for (int i = 0; i < n_owned; ++i)
    {
      const auto at = [&](int k) { return value((first + i + n + k) % n); };
      ASSERT_NEAR(found[i], at(0) + 3 * (at(-1000) - 2 * at(0) + at(1000)), 1e-12)
        << "row " << first + i << ", " << on_gpu.format();
    }
}

// Second differences of ranks that own one or two of the unknowns in turn. Ranks with fewer colours than others still
// exchange for each colour, also when values change. On a GPU a rank that exchanged alone would wait, or get the
// numbers of another exchange.
void check_colours(const Device &device)
{
  const int         n_owned = 1 + adamant::Communicator(world).rank() % 2;
  const IndexSet    owned   = adamant::owned_range(n_owned, world);
  const int         n = static_cast<int>(owned.size()), first = static_cast<int>(owned.nth_index_in_set(0));
  CSRMatrix<double> A;
  std::vector<types::global_dof_index> columns;
  A.row_start = {0};
  for (int i = first; i < first + n_owned; ++i)
    {
      for (int j = std::max(i - 1, 0); j < std::min(i + 2, n); ++j)
        columns.push_back(j);
      A.row_start.push_back(static_cast<std::int64_t>(columns.size()));
    }
  const auto numbers = adamant::make_partitioner(owned, columns, world);
  A.n_rows           = n_owned;
  A.n_cols           = static_cast<int>(numbers->locally_owned_size() + numbers->n_ghost_indices());
  A.ghosts           = adamant::exchange_plan(*numbers);
  for (int i = 0; i < n_owned; ++i) // each row by its columns' numbers here
    {
      std::map<int, double> row;
      for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
        row[static_cast<int>(numbers->global_to_local(columns[k]))] =
          static_cast<int>(columns[k]) == first + i ? 4. : -1.;
      for (const auto &[column, value] : row)
        {
          A.column.push_back(column);
          A.value.push_back(value);
        }
    }
  const auto    b                  = [](int i) { return 1. + i % 5; };
  const auto    after_first_colour = [&](int i) { return i < 0 || i >= n || i % 3 == 2 ? 0. : b(i) / 4; };
  Array<double> values(n_owned);
  for (int i = 0; i < n_owned; ++i)
    values[i] = b(first + i);
  const adamant::Vector<double> rhs(device, values);
  const auto                    matrix   = std::make_shared<const CSRMatrix<double>>(A);
  const auto                    changing = std::make_shared<adamant::CompressedRows>(device, A);
  changing->values.upload(A.value.data());
  for (const bool changes : {false, true})
    {
      adamant::LevelData data{matrix, nullptr, nullptr};
      if (changes)
        data.values = adamant::ValuesOnDevice{matrix, changing};
      const auto smoother = adamant::make_smoother("gauss_seidel", adamant::DeviceLevel<double>(device, data));
      for (int repeat = 0; repeat < 3; ++repeat)
        {
          smoother->update();
          adamant::Vector<double> x(device, n_owned);
          smoother->vmult(1., rhs, x, false);
          const auto found = adamant::to_host(x);
          for (int i = first; i < first + n_owned; ++i)
            EXPECT_NEAR(found[i - first],
                        i % 3 < 2 ? b(i) / 4 : (b(i) + after_first_colour(i - 1) + after_first_colour(i + 1)) / 4,
                        1e-14)
              << "unknown " << i << ", repeat " << repeat << (changes ? ", values change on the device" : "");
        }
    }
}
TEST(Ranks, ColoursThatSomeRanksDoNotHave)
{
  check_colours(Device::host(1, adamant::Communicator(world)));
}
TEST_F(CudaRanks, ColoursThatSomeRanksDoNotHave)
{
  check_colours(device);
}

// What ranks exchange with goes when its matrix does, and serves the next one: meshes that change make many.
TEST_F(CudaRanks, MemoryOfExchangesIsUsedAgain)
{
  const Problem<2> problem(world, FESystem<2>(FE_Q<2>(1), 2));
  const auto       keys = keys_of(problem.u.finest());
  const auto       held = [&] { return device.interface().memory()["exchange"]; };
  const auto       make = [&] {
    const adamant::Matrix<double> A(device, problem.levels().back().matrix(), 2);
    const adamant::Matrix<float>  in_float(device, problem.levels().back().matrix(), 2);
    const adamant::Vector<double> x(device, sample(keys));
    adamant::Vector<double>       y(device, keys.size());
    device.multiply(1., A, x, 0., y);
    return adamant::to_host(y);
  };
  const auto expected = make();
  const auto before   = held();
  for (int repeat = 0; repeat < 20; ++repeat)
    ASSERT_EQ(make(), expected) << "repeat " << repeat;
  EXPECT_EQ(held(), before) << "after 20 matrices more";
}

// All ranks' active cells.
template <int dim>
std::vector<CellId> all_cells(const Triangulation<dim> &mesh)
{
  std::vector<CellId> own, all;
  for (const auto &cell : mesh.active_cell_iterators())
    if (cell->is_locally_owned())
      own.push_back(cell->id());
  for (const auto &of_rank : Utilities::MPI::all_gather(world, own))
    all.insert(all.end(), of_rank.begin(), of_rank.end());
  std::sort(all.begin(), all.end());
  return all;
}

// refine_to() makes the cells that load() makes, in the same order.
template <int dim>
void compare_with_load(const adamant::ForestMesh<dim> &mesh)
{
  parallel::distributed::Triangulation<dim> loaded(world);
  adamant::copy_coarse_cells<dim>(mesh, loaded);
  loaded.load(mesh.get_p4est());
  ASSERT_EQ(mesh.n_cells(), loaded.n_cells());
  EXPECT_EQ(mesh.ghost_owners(), loaded.ghost_owners());
  for (auto cell = mesh.begin(), expected = loaded.begin(); cell != mesh.end(); ++cell, ++expected)
    {
      ASSERT_EQ(cell->id(), expected->id());
      ASSERT_EQ(cell->index(), expected->index());
      ASSERT_EQ(cell->is_active(), expected->is_active());
      if (cell->is_active())
        {
          ASSERT_EQ(cell->subdomain_id(), expected->subdomain_id());
          ASSERT_EQ(cell->global_active_cell_index(), expected->global_active_cell_index());
        }
    }
}

// Cells flagged by their place alone, first mainly to be refined, then to be coarsened: our refinement against
// deal.II's.
template <int dim>
void compare_refinement()
{
  using Mesh = parallel::distributed::Triangulation<dim>;
  adamant::ForestMesh<dim> mesh(world);
  Mesh                     reference(world);
  for (Mesh *m : {static_cast<Mesh *>(&mesh), &reference})
    {
      GridGenerator::hyper_shell(*m, Point<dim>(), 0.5, 1., dim == 2 ? 10 : 6, true);
      adamant::refine_global(*m, 1);
      for (int cycle = 0; cycle < 5; ++cycle)
        {
          for (const auto &cell : m->active_cell_iterators())
            if (cell->is_locally_owned())
              {
                const auto x = cell->center();
                if (x[0] + 0.3 * x[1] > 0.2 * cycle && cycle < 3)
                  cell->set_refine_flag();
                else if (x[0] < 0.6 && cell->level() > 0)
                  cell->set_coarsen_flag();
              }
          if (m == &mesh)
            adamant::execute_refinement(*m);
          else
            m->execute_coarsening_and_refinement();
          if (cycle == 3)
            adamant::refine_global(*m, 1);
        }
    }
  ASSERT_EQ(all_cells<dim>(mesh), all_cells<dim>(reference));
  compare_with_load(mesh);
  // Vertices lie where the manifolds put them, and faces at the boundary are of the same parts of it.
  const auto measure = [](const Triangulation<dim> &m) {
    std::array<double, 4> sums{}; // the volume, and the area of the parts of the boundary
    for (const auto &cell : m.active_cell_iterators())
      if (cell->is_locally_owned())
        {
          sums[0] += cell->measure();
          for (const auto &face : cell->face_iterators())
            if (face->at_boundary())
              sums[1 + std::min(face->boundary_id(), types::boundary_id(2))] += face->measure();
        }
    for (double &sum : sums)
      sum = Utilities::MPI::sum(sum, world);
    return sums;
  };
  const auto found = measure(mesh), expected = measure(reference);
  for (int k = 0; k < 4; ++k)
    EXPECT_NEAR(found[k], expected[k], 1e-12 * (1 + expected[k])) << "sum " << k;
  EXPECT_GT(expected[2], 0.) << "the outer boundary";
}

TEST(Ranks, RefinementIsThatOfDealII)
{
  compare_refinement<2>();
  compare_refinement<3>();
}

// Families of which some children only are to be coarsened stay.
template <int dim>
void compare_families()
{
  parallel::distributed::Triangulation<dim> mesh(world);
  GridGenerator::subdivided_hyper_cube(mesh, 2);
  adamant::refine_global(mesh, 3);
  const auto coarsens = [](const auto &cell) {
    return std::hash<std::string>()(cell->id().to_string()) % 100 < (dim == 2 ? 70 : 85);
  };
  std::vector<signed char> flags;
  for (const auto &cell : adamant::owned_cells(mesh))
    flags.push_back(coarsens(cell) ? -1 : 0);
  std::size_t expected = 0;
  for (const auto &parent : mesh.cell_iterators_on_level(2))
    if (parent->has_children())
      {
        unsigned int n = 0;
        for (const auto &child : parent->child_iterators())
          n += child->is_active() && child->is_locally_owned() && coarsens(child);
        expected += n == parent->n_children();
      }
  const auto coarsened = adamant::forest::copy<dim>(mesh.get_p4est());
  adamant::forest::refine_and_coarsen<dim>(coarsened.get(), flags);
  EXPECT_EQ(static_cast<std::size_t>(coarsened->local_num_quadrants), flags.size() - expected * ((1 << dim) - 1))
    << dim << "D";
  EXPECT_GT(Utilities::MPI::sum(expected, world), 10u);
}

TEST(Ranks, FamiliesToCoarsen)
{
  compare_families<2>();
  compare_families<3>();
}

// Each rank has the same work to a few cells, hanging faces counted: half of the mesh is a chequerboard of refined
// cells.
template <int dim>
void check_balance()
{
  parallel::distributed::Triangulation<dim> mesh(world);
  GridGenerator::hyper_cube(mesh);
  const unsigned int n_refinements = dim == 2 ? 6 : 4;
  adamant::refine_global(mesh, n_refinements);
  for (const auto &cell : mesh.active_cell_iterators())
    if (cell->is_locally_owned() && cell->center()[0] < 0.5)
      {
        long place = 0;
        for (int d = 0; d < dim; ++d)
          place += std::lround(std::ldexp(cell->center()[d], n_refinements) - 0.5);
        if (place % 2 == 0)
          cell->set_refine_flag();
      }
  adamant::execute_refinement(mesh);
  unsigned int work = 0;
  for (const auto &cell : mesh.active_cell_iterators())
    if (cell->is_locally_owned())
      {
        work += 10;
        for (const unsigned int f : cell->face_indices())
          work += !cell->at_boundary(f) && cell->neighbor_is_coarser(f) ? 2 : 0;
      }
  const auto   of_ranks = Utilities::MPI::min_max_avg(work, world);
  const double family   = (1 << dim) * (10. + 2 * dim); // families stay together
  EXPECT_LE(of_ranks.max - of_ranks.avg, family) << dim << "D: work " << of_ranks.min << " to " << of_ranks.max;
}

TEST(Ranks, WorkIsBalanced)
{
  check_balance<2>();
  check_balance<3>();
}

// A mesh from its refinement levels alone is the same mesh, and has the same partition.
TEST(Ranks, StoredMeshComesBack)
{
  const auto mesh   = adaptive_mesh<3>(world);
  auto      &forest = dynamic_cast<parallel::distributed::Triangulation<3> &>(*mesh);
  auto       levels = adamant::gather_levels(forest);
  levels            = Utilities::MPI::broadcast(world, levels);
  parallel::distributed::Triangulation<3> copy(world);
  GridGenerator::subdivided_hyper_cube(copy, 2, 0., 1., true);
  adamant::refine_to_levels(copy, levels);
  std::vector<CellId> found, expected;
  for (const auto &cell : copy.active_cell_iterators())
    if (cell->is_locally_owned())
      found.push_back(cell->id());
  for (const auto &cell : mesh->active_cell_iterators())
    if (cell->is_locally_owned())
      expected.push_back(cell->id());
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(found, expected);
}
