// Measures the parts of a V-cycle on several ranks: levels, exchange of ghosts, sums.
//   mpirun -np N rank_parts transport|elasticity|elasticity_face LEVEL CELLS_PER_RANK cuda|host [THREADS]
// Prints CSV. Cycles are in single precision. The problem transport has V(1,2) on 4^LEVEL squares. Elasticity has
// V(3,3) on 5 x 4 x 4 cubes for each rank, refined LEVEL times. With elasticity_face there are 3 x 3 x 3 cubes for each
// rank, refined twice, and LEVEL times towards a face.

#include "elasticity_levels.h"
#include "transport_levels.h"

#include "algebra/device.h"
#include "algebra/graph.h"
#include "base/csr/csr_matrix.h"
#include "base/exchange_plan.h"
#include "fem/meshes/mesh.h"
#include "multigrid/v_cycle.h"

#include <deal.II/base/mpi.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/grid/grid_generator.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
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

// Microseconds of one of several actions that follow each other, as a graph where the device has them; median; the
// slowest rank's.
double microseconds(const Device &device, const std::function<void()> &action)
{
  constexpr int       repeat = 20, samples = 11;
  const Graph         graph(device, [&] {
    for (int i = 0; i < repeat; ++i)
      action();
  });
  std::vector<double> times;
  for (int i = 0; i <= samples; ++i)
    {
      device.synchronize();
      MPI_Barrier(MPI_COMM_WORLD);
      const auto begin = std::chrono::steady_clock::now();
      graph.replay();
      device.synchronize();
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
      if (i > 0)
        times.push_back(dealii::Utilities::MPI::max(1e6 * time.count() / repeat, MPI_COMM_WORLD));
    }
  std::sort(times.begin(), times.end());
  return times[samples / 2];
}

// y = A x.
template <typename Number>
double product_time(const Device &device, const CSRMatrix<double> &matrix, int node_size)
{
  const Matrix<Number> A(device, matrix, node_size);
  const Vector<Number> x(device, matrix.ghosts ? matrix.ghosts->n_owned : matrix.n_cols);
  Vector<Number>       y(device, matrix.n_rows);
  return microseconds(device, [&] { device.multiply(Number(1), A, x, Number(0), y); });
}

void measure_levels(const Device &device, const std::vector<LevelData> &levels, const Case &c)
{
  const Communicator &world    = device.communicator();
  const std::string   exchange = device.interface().exchange();
  if (world.rank() == 0)
    std::cout << "# " << c.problem << ", V(" << c.options.pre_steps << ',' << c.options.post_steps
              << ") in single precision on " << world.size() << " rank(s), " << device.name() << ", exchange by "
              << (exchange.empty() ? "none" : exchange) << "; levels gather below " << c.cells_per_rank
              << " cells a rank\n"
              << "level,unknowns,unknowns of the first rank,cycle up to here/us,product/us,product of owned columns/us,"
                 "sent by the first rank/B,restriction/us,prolongation/us\n";
  for (std::size_t l = 0; l < levels.size(); ++l)
    {
      const auto         &A    = levels[l].matrix();
      const int           size = levels[l].node_size;
      const VCycle<float> cycle(device, {levels.begin(), levels.begin() + l + 1}, c.options);
      const Vector<float> b(device, A.n_rows);
      const double        time     = microseconds(device, [&] { cycle.vmult(b); });
      const double        product  = product_time<float>(device, A, size);
      const double        owned    = A.ghosts ? product_time<float>(device, owned_block(A), size) : product;
      const auto          transfer = [&](const std::shared_ptr<const CSRMatrix<double>> &P) {
        return P ? product_time<float>(device, *P, size) : 0.;
      };
      const double down = transfer(levels[l].restriction), up = transfer(levels[l].prolongation);
      const double unknowns = dealii::Utilities::MPI::sum(double(A.n_rows), MPI_COMM_WORLD);
      if (world.rank() == 0)
        std::cout << l << ',' << static_cast<long>(unknowns) << ',' << A.n_rows << ',' << time << ',' << product << ','
                  << owned << ',' << (A.ghosts ? A.ghosts->sent.size() * sizeof(float) : 0) << ',' << down << ',' << up
                  << std::endl;
    }
}

// What a Krylov method does with the finest matrix, in double precision.
void measure_krylov(const Device &device, const LevelData &finest)
{
  const auto &A    = finest.matrix();
  const auto  line = [&](const std::string &what, double time) {
    if (device.communicator().rank() == 0)
      std::cout << "# " << what << ": " << time << " us\n";
  };
  line("product in double precision", product_time<double>(device, A, finest.node_size));
  if (A.ghosts)
    line("of owned columns", product_time<double>(device, owned_block(A), finest.node_size));
  const Vector<double> x(device, A.n_rows), one(device, 1);
  Scalars              scalars(device, 1);
  line("inner product", microseconds(device, [&] { device.dot(x, x, scalars, 0); }));
  line("inner product of an entry a rank", microseconds(device, [&] { device.dot(one, one, scalars, 0); }));
}

void measure(const Device &device, const std::vector<LevelData> &levels, const Case &c)
{
  measure_levels(device, levels, c);
  const auto &A     = levels.back().matrix();
  const int   size  = levels.back().node_size;
  const auto  owned = A.ghosts ? owned_block(A) : A;
  if (device.communicator().rank() == 0)
    std::cout << "# finest level: " << Matrix<float>(device, owned, size).format()
              << "\n# in double precision: " << Matrix<double>(device, owned, size).format() << std::endl;
  measure_krylov(device, levels.back());
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
  const unsigned int        n    = Communicator(MPI_COMM_WORLD).size();
  const bool                face = c.problem == "elasticity_face";
  std::vector<unsigned int> cells{face ? 3u : 5u, face ? 3u : 4u, face ? 3u : 4u};
  for (unsigned int d = 0; d < 3; ++d)
    cells[d] *= n > (1u << d) ? 2 : 1;
  dealii::GridGenerator::subdivided_hyper_rectangle(mesh, cells, dealii::Point<3>(),
                                                    dealii::Point<3>(cells[0], cells[1], cells[2]), true);
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
  Case               c{argv[1], std::atoi(argv[2]), static_cast<unsigned int>(std::atoi(argv[3])), {}};
  const Communicator world(MPI_COMM_WORLD);
  const int          threads = argc > 5 ? std::atoi(argv[5]) : 1;
  const Device       device  = std::string(argv[4]) == "host" ? Device::host(threads, world) : Device::cuda(world);
  if (c.problem != "transport")
    {
      c.options = elasticity_options();
      Mesh<3> mesh(MPI_COMM_WORLD);
      measure(device, levels_on(mesh, c), c);
    }
  else
    {
      c.options.pre_steps        = 1;
      c.options.smoother.damping = 0.9;
      Mesh<2> mesh(MPI_COMM_WORLD);
      measure(device, levels_on(mesh, c), c);
    }
}
