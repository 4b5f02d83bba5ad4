// Where the time of a V-cycle goes on several ranks: levels, exchange of ghosts, sums.
//   mpirun -np N rank_parts transport|elasticity|elasticity_face LEVEL CELLS_PER_RANK cuda|host [THREADS]
// CSV. transport: V(1,2) on 4^LEVEL squares; elasticity: V(3,3) on 5 x 4 x 4 cubes for each rank, refined LEVEL times;
// elasticity_face: on 3 x 3 x 3 cubes for each rank, refined twice, and LEVEL times towards a face; cycles in single precision

#include "elasticity_levels.h"
#include "transport_levels.h"

#include "algebra/cuda/backend.h"
#include "algebra/cuda/peers/ranks.h"
#include "algebra/host/backend.h"
#include "base/csr_matrix.h"
#include "base/exchange_plan.h"
#include "discretization/meshes/mesh.h"
#include "multigrid/v_cycle.h"

#include <deal.II/base/mpi.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/grid/grid_generator.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

using namespace adamant;

namespace
{
struct Case
{
  std::string      problem;
  int              level;
  unsigned int     cells_per_rank;
  MultigridOptions options;
};

// Microseconds of one of several actions that follow each other, as a graph where the backend has them; median; the slowest rank's.
template <class Backend, class Action>
double microseconds(const Backend &backend, const Action &action)
{
  constexpr int repeat = 20, samples = 11;
  const auto    graph = backend.record([&] {
    for (int i = 0; i < repeat; ++i)
      action();
  });
  std::vector<double> times;
  for (int i = 0; i <= samples; ++i)
    {
      backend.synchronize();
      MPI_Barrier(MPI_COMM_WORLD);
      const auto begin = std::chrono::steady_clock::now();
      backend.replay(graph);
      backend.synchronize();
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
      if (i > 0)
        times.push_back(dealii::Utilities::MPI::max(1e6 * time.count() / repeat, MPI_COMM_WORLD));
    }
  std::sort(times.begin(), times.end());
  return times[samples / 2];
}

// y = A x.
template <class Backend>
double product_time(const Backend &backend, const CSRMatrix<double> &matrix, int block_size)
{
  const auto A = backend.create_matrix(matrix, block_size);
  const auto x = backend.create_vector(matrix.ghosts ? matrix.ghosts->n_owned : matrix.n_cols);
  auto       y = backend.create_vector(matrix.n_rows);
  return microseconds(backend, [&] { backend.spmv(1, A, x, 0, y); });
}

template <class Backend>
void measure(const Backend &backend, const std::vector<LevelData> &levels, const Case &c, const std::string &exchange)
{
  const Communicator world(MPI_COMM_WORLD);
  if (world.rank() == 0)
    std::cout << "# " << c.problem << ", V(" << c.options.pre_steps << ',' << c.options.post_steps << ") in single precision on "
              << world.size() << " rank(s), " << backend.device_name() << ", exchange by " << exchange
              << "; levels gather below " << c.cells_per_rank << " cells a rank\n"
              << "level,unknowns,unknowns of the first rank,cycle up to here/us,product/us,product of owned columns/us,sent by the "
                 "first rank/B,restriction/us,prolongation/us\n";
  for (std::size_t l = 0; l < levels.size(); ++l)
    {
      const auto        &A    = levels[l].matrix;
      const int          size = levels[l].block_size;
      Multigrid<Backend> mg(backend, {levels.begin(), levels.begin() + l + 1}, c.options);
      const auto         b        = backend.create_vector(A.n_rows);
      const double       cycle    = microseconds(backend, [&] { mg.vmult(b); });
      const double       product  = product_time(backend, A, size);
      const double       owned    = A.ghosts ? product_time(backend, owned_block(A), size) : product;
      const auto         transfer = [&](const CSRMatrix<double> &P) { return l > 0 ? product_time(backend, P, size) : 0.; };
      const double       down = transfer(levels[l].restriction), up = transfer(levels[l].prolongation);
      const double       unknowns = dealii::Utilities::MPI::sum(double(A.n_rows), MPI_COMM_WORLD);
      if (world.rank() == 0)
        std::cout << l << ',' << static_cast<long>(unknowns) << ',' << A.n_rows << ',' << cycle << ',' << product << ','
                  << owned << ',' << (A.ghosts ? A.ghosts->sent.size() * sizeof(float) : 0) << ',' << down << ',' << up << std::endl;
    }
}

void print_time(const std::string &what, double time)
{
  if (Communicator(MPI_COMM_WORLD).rank() == 0)
    std::cout << "# " << what << ": " << time << " us\n";
}

// What a Krylov method does with the finest matrix, in double precision.
template <class Backend>
void measure_krylov(const Backend &backend, const LevelData &finest)
{
  const auto &A = finest.matrix;
  print_time("product in double precision", product_time(backend, A, finest.block_size));
  if (A.ghosts)
    print_time("of owned columns", product_time(backend, owned_block(A), finest.block_size));
  const auto x       = backend.create_vector(A.n_rows);
  auto       scalars = backend.create_scalars(1);
  print_time("inner product", microseconds(backend, [&] { backend.dot(x, x, scalars, 0); }));
  const auto one = backend.create_vector(1);
  print_time("inner product of an entry a rank", microseconds(backend, [&] { backend.dot(one, one, scalars, 0); }));
}

void measure_on_gpus(const std::vector<LevelData> &levels, const Case &c)
{
  const CudaBackend<float> backend(std::make_shared<CudaContext>(Communicator(MPI_COMM_WORLD)));
  const auto              *gpus = backend.shared_context()->ranks();
  measure(backend, levels, c, gpus != nullptr ? gpus->description() : "none");
  const CudaBackend<double> wide(backend);
  const auto               &A = levels.back().matrix;
  const int                 size = levels.back().block_size;
  const auto                owned = A.ghosts ? owned_block(A) : A;
  if (Communicator(MPI_COMM_WORLD).rank() == 0)
    std::cout << "# finest level: " << backend.create_matrix(owned, size).format()
              << "\n# in double precision: " << wide.create_matrix(owned, size).format() << std::endl;
  measure_krylov(wide, levels.back());
}

void measure_on_host(const std::vector<LevelData> &levels, const Case &c, int threads)
{
  const Communicator       world(MPI_COMM_WORLD);
  const HostBackend<float> backend(threads, world);
  measure(backend, levels, c, "MPI, " + std::to_string(threads) + " thread(s) a rank");
  measure_krylov(HostBackend<double>(threads, world), levels.back());
}

template <int dim>
using Mesh = dealii::parallel::distributed::Triangulation<dim>;

std::vector<LevelData> levels_on(Mesh<2> &mesh, const Case &c)
{
  dealii::GridGenerator::hyper_cube(mesh);
  mesh.refine_global(c.level);
  return transport_levels(mesh, 256, c.cells_per_rank);
}

// Boxes as near to cubes as 1, 2, 4 or 8 ranks allow.
std::vector<LevelData> levels_on(Mesh<3> &mesh, const Case &c)
{
  const unsigned int              n    = Communicator(MPI_COMM_WORLD).size();
  const bool                      face = c.problem == "elasticity_face";
  std::vector<unsigned int>       cells{face ? 3u : 5u, face ? 3u : 4u, face ? 3u : 4u};
  for (unsigned int d = 0; d < 3; ++d)
    cells[d] *= n > (1u << d) ? 2 : 1;
  dealii::GridGenerator::subdivided_hyper_rectangle(mesh, cells, dealii::Point<3>(), dealii::Point<3>(cells[0], cells[1], cells[2]), true);
  mesh.refine_global(face ? 2 : c.level);
  for (int step = 1; face && step <= c.level; ++step)
    {
      for (const auto &cell : mesh.active_cell_iterators())
        if (cell->is_locally_owned() && cell->center()[0] < std::ldexp(cells[0], -step))
          cell->set_refine_flag();
      execute_refinement(mesh);
    }
  return elasticity_levels(mesh, 400, c.cells_per_rank);
}
} // namespace

int main(int argc, char **argv)
{
  dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, dealii::numbers::invalid_unsigned_int);
  if (argc < 5)
    {
      std::cerr << "usage: rank_parts transport|elasticity|elasticity_face LEVEL CELLS_PER_RANK cuda|host [THREADS]\n";
      return 2;
    }
  Case c{argv[1], std::atoi(argv[2]), static_cast<unsigned int>(std::atoi(argv[3])), {}};
  const bool on_host = std::string(argv[4]) == "host";
  const int  threads = argc > 5 ? std::atoi(argv[5]) : 1;
  const auto run     = [&](const std::vector<LevelData> &levels) {
    on_host ? measure_on_host(levels, c, threads) : measure_on_gpus(levels, c);
  };
  if (c.problem != "transport")
    {
      c.options = elasticity_options();
      Mesh<3> mesh(MPI_COMM_WORLD);
      run(levels_on(mesh, c));
    }
  else
    {
      c.options.pre_steps        = 1;
      c.options.smoother.damping = 0.9;
      Mesh<2> mesh(MPI_COMM_WORLD);
      run(levels_on(mesh, c));
    }
}
