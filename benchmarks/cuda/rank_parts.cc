// Where the time of a V-cycle goes on several GPUs: levels, exchange of ghosts, sums.
//   mpirun -np N rank_parts LEVEL [CELLS_PER_RANK]     transport on 4^LEVEL cells, V(1,2) in single precision; CSV

#include "transport_levels.h"

#include "algebra/cuda_backend.h"
#include "algebra/cuda_ranks.h"
#include "base/csr_matrix.h"
#include "base/exchange_plan.h"
#include "multigrid/multigrid.h"

#include <deal.II/base/mpi.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/grid/grid_generator.h>

#include <cstdlib>
#include <iostream>
#include <memory>

using namespace adamant;

namespace
{
constexpr int repeat = 20;

// Of one of several that follow each other in a graph, in microseconds; the slowest rank's.
template <class Action>
double microseconds(const CudaBackend<float> &backend, const Action &action)
{
  const auto graph = backend.record([&] {
    for (int i = 0; i < repeat; ++i)
      action();
  });
  return dealii::Utilities::MPI::max(1e6 * backend.seconds(graph, 11) / repeat, MPI_COMM_WORLD);
}

// y = A x.
double product_time(const CudaBackend<float> &backend, const CSRMatrix<double> &matrix)
{
  const auto A = backend.create_matrix(matrix);
  const auto x = backend.create_vector(A.n_rows);
  auto       y = backend.create_vector(A.n_rows);
  return microseconds(backend, [&] { backend.spmv(1, A, x, 0, y); });
}
} // namespace

int main(int argc, char **argv)
{
  dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, dealii::numbers::invalid_unsigned_int);
  const int                                level = argc > 1 ? std::atoi(argv[1]) : 10;
  const unsigned int                       cells_per_rank = argc > 2 ? std::atoi(argv[2]) : 200000;
  const Communicator                       world(MPI_COMM_WORLD);
  dealii::parallel::distributed::Triangulation<2> mesh(MPI_COMM_WORLD);
  dealii::GridGenerator::hyper_cube(mesh);
  mesh.refine_global(level);
  const auto hierarchy = transport_levels(mesh, 1024, cells_per_rank);
  const auto              &levels = hierarchy->data();
  const CudaBackend<float> backend(std::make_shared<CudaContext>(world));
  const auto              *gpus = backend.shared_context()->ranks();
  MultigridOptions         options;
  options.pre_steps = 1;
  if (world.rank() == 0)
    std::cout << "# V(1,2) in single precision on " << world.size() << " GPU(s), exchange by "
              << (gpus != nullptr ? gpus->description() : "none") << "; levels gather below " << cells_per_rank
              << " cells a rank\n"
              << "level,unknowns,unknowns of the first rank,cycle up to here/us,product/us,product of owned columns/us,sent by the first rank/B\n";
  for (std::size_t l = 0; l < levels.size(); ++l)
    {
      const auto                    &A = levels[l].matrix;
      Multigrid<CudaBackend<float>> mg(backend, {levels.begin(), levels.begin() + l + 1}, options);
      const auto                    b        = backend.create_vector(A.n_rows);
      const double                  cycle    = microseconds(backend, [&] { mg.vmult(b); });
      const double                  product  = product_time(backend, A);
      const double                  owned    = A.ghosts ? product_time(backend, owned_block(A)) : product;
      const double                  unknowns = dealii::Utilities::MPI::sum(double(A.n_rows), MPI_COMM_WORLD);
      if (world.rank() == 0)
        std::cout << l << ',' << static_cast<long>(unknowns) << ',' << A.n_rows << ',' << cycle << ',' << product
                  << ',' << owned << ','
                  << (A.ghosts ? A.ghosts->sent.size() * sizeof(float) : 0) << std::endl;
    }
  if (gpus != nullptr)
    {
      CudaBackend<double> wide(backend);
      auto                x    = wide.create_vector(10);
      const double        sums = microseconds(backend, [&] { gpus->sum(x.data(), 10, backend.shared_context()->stream()); });
      if (world.rank() == 0)
        std::cout << "# sum of 10 numbers over the ranks: " << sums << " us\n";
    }
}
