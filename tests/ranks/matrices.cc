// Products of matrices over several ranks, their level meshes and refinement against those of one rank.
#include "algebra/host/backend.h"
#include "base/exceptions.h"
#if ADAMANT_WITH_CUDA
#include "algebra/cuda/backend.h"
#include "algebra/cuda/peers/ranks.h"
#endif
#include "base/host_copies.h"
#include "discretization/fields/distributed_rows.h"
#include "discretization/meshes/distributed_level_meshes.h"
#include "discretization/meshes/forest.h"
#include "discretization/meshes/mesh.h"
#include "discretization/meshes/owned_cells.h"
#include "discretization/meshes/stored_mesh.h"
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

namespace
{
// A function of place and component at the owned unknowns.
Array<double> sample(const std::vector<Key> &keys)
{
  Array<double> values;
  for (const auto &k : keys)
    values.push_back(std::sin(1e-9 * (k[1] + 3. * k[2] + 7. * k[3]) + k[0]));
  return values;
}

// x += what is left of x after restriction to the coarsest level, which is on one rank, and prolongation.
template <class Backend>
void there_and_back(const Backend &backend, const std::vector<adamant::LevelData> &levels, int node_size,
                    typename Backend::Vector &x)
{
  std::vector<typename Backend::Vector> v;
  for (const auto &level : levels)
    v.push_back(backend.create_vector(level.matrix->n_rows));
  backend.copy(x, v.back());
  for (std::size_t l = levels.size() - 1; l > 0; --l)
    backend.spmv(typename Backend::value_type(0.25), backend.create_matrix(*levels[l].restriction, node_size), v[l], 0,
                 v[l - 1]);
  for (std::size_t l = 1; l < levels.size(); ++l)
    backend.spmv(1, backend.create_matrix(*levels[l].prolongation, node_size), v[l - 1], 0, v[l]);
  backend.axpby(1, v.back(), 1, x);
}

// All operations that read other ranks' values, on `backend` over all ranks against the host on one.
template <int dim, class Backend>
void compare_products(const Backend &backend)
{
  using Number = typename Backend::value_type;
  const FESystem<dim>                fe(FE_Q<dim>(1), dim);
  const Problem<dim>                 ranks(world, fe), one(MPI_COMM_SELF, fe);
  const adamant::HostBackend<Number> alone(2);
  const auto                         keys = keys_of(ranks.u.finest()), all_keys = keys_of(one.u.finest());
  const auto                         steps = [](const auto &algebra, const std::vector<adamant::LevelData> &levels,
                        const Array<double> &values) {
    const auto a = algebra.create_matrix(*levels.back().matrix, dim);
    auto       x = adamant::to_backend(algebra, values), y = algebra.create_vector(x.size()),
         r = algebra.create_vector(x.size()), d = algebra.create_vector(x.size()), D = algebra.create_vector(x.size());
    auto blocks = algebra.create_vector(dim * x.size()), z = algebra.create_vector(x.size());
    algebra.upload(Array<double>(x.size(), 0.1).data(), D);
    algebra.upload(Array<double>(dim * x.size(), 0.07).data(), blocks);
    algebra.spmv(2, a, x, 0, y);
    algebra.residual(a, x, y, r);
    algebra.chebyshev_step(a, D, 1, 0, Number(0.3), r, x, x, d, y);
    algebra.jacobi_step(a, D, 1, Number(0.5), r, y, x);
    algebra.spmv(Number(0.1), a, y, 1, x);
    there_and_back(algebra, levels, dim, x);
    algebra.jacobi_two_steps(a, D, Number(0.4), x, z, y);
    algebra.jacobi_step(a, blocks, dim, Number(0.5), r, y, z);
    algebra.chebyshev_step(a, blocks, dim, Number(0.2), Number(0.3), z, y, d, d, x);
    algebra.spmv_update(Number(0.5), Number(0.1), a, x, d, d, y);
    std::vector<double> numbers = {algebra.dot(x, y), algebra.norm(r)};
    auto                scalars = algebra.create_scalars(2);
    algebra.residual_norms(a, x, y, r, scalars);
    numbers.push_back(algebra.fetch(scalars, 2)[0]);
    numbers.push_back(algebra.fetch(scalars, 2)[1]);
    algebra.dot(x, y, scalars, 0);
    algebra.dot(y, y, scalars, 1);
    algebra.step_along(d, r, 0, 1, y, z, scalars, 1);
    numbers.push_back(algebra.fetch(scalars, 2)[1]);
    std::vector<typename std::decay_t<decltype(algebra)>::Vector> basis;
    algebra.scale(static_cast<Number>(1 / algebra.norm(d)), d);
    basis.push_back(std::move(d));
    auto column = algebra.create_scalars(2);
    algebra.orthonormalize(basis, 1, x, column);
    for (int k = 0; k < 2; ++k)
      numbers.push_back(algebra.fetch(column, 2)[k]);
    algebra.axpby(1, y, 1, x);
    Array<double> result(x.size());
    algebra.download(x, result.data());
    return std::make_pair(result, numbers);
  };
  const auto [found, numbers]        = steps(backend, ranks.levels(), sample(keys));
  const auto [expected, all_numbers] = steps(alone, one.levels(), sample(all_keys));
  const double          tolerance    = 100 * std::numeric_limits<Number>::epsilon();
  std::map<Key, double> by_key;
  for (std::size_t i = 0; i < all_keys.size(); ++i)
    by_key[all_keys[i]] = expected[i];
  for (std::size_t i = 0; i < keys.size(); ++i)
    ASSERT_NEAR(found[i], by_key.at(keys[i]), tolerance) << "unknown " << i;
  for (std::size_t k = 0; k < numbers.size(); ++k)
    EXPECT_NEAR(numbers[k], all_numbers[k], tolerance * std::abs(all_numbers[k])) << "reduction " << k;
}
} // namespace

TEST(Ranks, ProductsInDoublePrecision)
{
  const adamant::HostBackend<double> backend(2, adamant::Communicator(world));
  compare_products<2>(backend);
  compare_products<3>(backend);
}
TEST(Ranks, ProductsInSinglePrecision)
{
  const adamant::HostBackend<float> backend(2, adamant::Communicator(world));
  compare_products<2>(backend);
  compare_products<3>(backend);
}

// What an algebraic preconditioner needs; without coarser levels none has to come to the first rank.
TEST(Ranks, FinestLevelOnly)
{
  const auto mesh = adaptive_mesh<2>(world);
  EXPECT_EQ(adamant::create_level_meshes(*mesh, adamant::finest_level_only).size(), 1u);
}

// A dense inverse needs the coarsest level on the first rank, an algebraic solver does not.
TEST(Ranks, CoarsestLevelOnOneRankOrAll)
{
  const auto mesh   = adaptive_mesh<2>(world);
  const auto on_one = adamant::create_level_meshes(*mesh, 100, 1),
             on_all = adamant::create_level_meshes(*mesh, 100, 1, false);
  const bool first  = adamant::Communicator(world).rank() == 0;
  EXPECT_EQ(!adamant::owned_cells(*on_one[0].mesh).empty(), first);
  EXPECT_FALSE(adamant::owned_cells(*on_all[0].mesh).empty());
  EXPECT_EQ(on_all[0].mesh->n_global_active_cells(), on_one[0].mesh->n_global_active_cells());
}

#if ADAMANT_WITH_CUDA
class CudaRanks : public testing::Test
{
protected:
  void SetUp() override
  {
    try
      {
        context = std::make_shared<adamant::CudaContext>(adamant::Communicator(world), true);
      }
    catch (const adamant::RunError &reason) // on all ranks
      {
        GTEST_SKIP() << reason.what();
      }
    if (context->ranks() != nullptr && context->communicator().rank() == 0)
      std::cout << "exchange by " << context->ranks()->description() << std::endl;
  }
  std::shared_ptr<adamant::CudaContext> context;
};
TEST_F(CudaRanks, ProductsInDoublePrecision)
{
  const adamant::CudaBackend<double> backend(context);
  compare_products<2>(backend);
  compare_products<3>(backend);
}
TEST_F(CudaRanks, ProductsInSinglePrecision)
{
  const adamant::CudaBackend<float> backend(context);
  compare_products<2>(backend);
  compare_products<3>(backend);
}

// Sums over ranks that differ each time, of long and of short vectors, one after the other without a wait, one and several at once.
TEST_F(CudaRanks, Sums)
{
  const adamant::CudaBackend<double> backend(context);
  const adamant::Communicator        ranks(world);
  constexpr int                      n_vectors = 11, n_sums = 50; // more than one kernel takes
  for (const int n : {1, 100000})
    {
      std::vector<adamant::CudaVector<double>> basis;
      Array<double>                            weights(n, 1.);
      std::vector<double>                      expected;
      for (int k = 0; k < n_vectors; ++k)
        {
          Array<double> values(n);
          double        sum = 0;
          for (int i = 0; i < n; ++i)
            sum += values[i] = (k + 1) * (ranks.rank() + 1) * std::cos(i + 0.1 * ranks.rank());
          ranks.sum(&sum, 1);
          expected.push_back(sum);
          basis.push_back(adamant::to_backend(backend, values));
        }
      const auto w       = adamant::to_backend(backend, weights);
      auto       several = backend.create_scalars(n_vectors), single = backend.create_scalars(n_sums);
      const auto graph = backend.record([&] {
        for (int i = 0; i < n_sums; ++i)
          backend.dot(basis[i % n_vectors], w, single, i);
        backend.multi_dot(basis, n_vectors, w, several);
      });
      for (int repeat = 0; repeat < 5; ++repeat)
        backend.replay(graph);
      backend.synchronize();
      for (int i = 0; i < n_sums; ++i)
        {
          const double sum = expected[i % n_vectors];
          ASSERT_NEAR(single.host()[i], sum, 1e-11 * (1 + std::abs(sum))) << "sum " << i << " of " << n << " entries";
          double of_first = single.host()[i];
          MPI_Bcast(&of_first, 1, MPI_DOUBLE, 0, world);
          ASSERT_EQ(single.host()[i], of_first) << "not the same bits on all ranks";
        }
      for (int k = 0; k < n_vectors; ++k)
        ASSERT_NEAR(several.host()[k], expected[k], 1e-11 * (1 + std::abs(expected[k])))
          << "sum " << k << " of several";
    }
}

// Matrices so large that a thread takes several rows, with ghosts at both ends of a rank's rows: a second difference of squares.
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
  const adamant::CudaBackend<double> backend(context);
  const auto                         on_gpu = backend.create_matrix(A);
  const auto                         value  = [](std::uint64_t i) { return std::sin(1e-3 * static_cast<double>(i)); };
  Array<double>                      values(n_owned), found(n_owned);
  for (int i = 0; i < n_owned; ++i)
    values[i] = value(first + i);
  const auto x = adamant::to_backend(backend, values);
  auto       y = adamant::to_backend(backend, values);
  for (int repeat = 0; repeat < 3; ++repeat) // y + 3 A x
    backend.spmv(1, on_gpu, x, 1, y);
  backend.download(y, found.data());
  for (int i = 0; i < n_owned; ++i)
    {
      const auto at = [&](int k) { return value((first + i + n + k) % n); };
      ASSERT_NEAR(found[i], at(0) + 3 * (at(-1000) - 2 * at(0) + at(1000)), 1e-12)
        << "row " << first + i << ", " << on_gpu.format();
    }
}
#endif

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

// Cells flagged by their place alone, first mainly to be refined, then to be coarsened: our refinement against deal.II's.
template <int dim>
void compare_refinement()
{
  parallel::distributed::Triangulation<dim> mesh(world), reference(world);
  for (auto *m : {&mesh, &reference})
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
  ASSERT_EQ(all_cells(mesh), all_cells(reference));
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
  auto *forest = const_cast<adamant::forest::Forest<dim> *>(mesh.get_p4est());
  EXPECT_EQ(adamant::forest::families_to_coarsen<dim>(forest, flags).size(), expected) << dim << "D";
  EXPECT_GT(Utilities::MPI::sum(expected, world), 10u);
}

TEST(Ranks, FamiliesToCoarsen)
{
  compare_families<2>();
  compare_families<3>();
}

// Each rank has the same work to a few cells, hanging faces counted: half of the mesh is a chequerboard of refined cells.
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

// A mesh from its refinement levels alone is the same, and has the same partition.
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
