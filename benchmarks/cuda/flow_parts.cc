// The parts of a Navier-Stokes step on the GPU, one by one, on the paper's stretched box. usage: flow_parts LEVEL
// [COARSEST_CELLS] [DEGREE]

#include "algebra/graph.h"
#include "flow/flow_matrices.h"
#include "multigrid/linear_solver.h"

#include <deal.II/base/mpi.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

using namespace adamant;

namespace
{
// Seconds of one `operation`, a number of them recorded as one graph.
double seconds(const Device &device, const std::function<void()> &operation)
{
  constexpr int repeat = 20;
  const Graph   graph(device, [&] {
    for (int i = 0; i < repeat; ++i)
      operation();
  });
  return graph.seconds() / repeat;
}

void line(const char *what, double time)
{
  std::printf("%-58s %9.2f us\n", what, 1e6 * time);
}

void make_stretched_box(dealii::Triangulation<3> &mesh, int level)
{
  dealii::GridGenerator::subdivided_hyper_rectangle(mesh, {1, 1, 2}, dealii::Point<3>(), dealii::Point<3>(1, 1, 1),
                                                    true);
  mesh.refine_global(level);
  dealii::GridTools::transform(
    [](const dealii::Point<3> &p) {
      return dealii::Point<3>(0.5 * (1. - std::cos(M_PI * p[0])), 0.5 * (1. - std::cos(M_PI * p[1])),
                              1. + std::sin((p[2] - 0.5) * M_PI));
    },
    mesh);
  mesh.refine_global(1);
}

void measure_products(const Device &device, const FlowMatrices<3> &flow, bool separate, double copy)
{
  const int       n = flow.velocity().n_dofs(), n_p = flow.pressure().n_dofs();
  FlowProducts<3> products(device, flow, separate);
  Vector<double>  u(device, 3 * n), u_new(device, 3 * n), p(device, n), m(device, n), g(device, n_p);
  const auto      run        = [](const char *, const auto &work) { work(); };
  const double    momentum   = seconds(device, [&] {
    products.momentum({n, 1e-4, u.data(), m.data(), nullptr, u_new.data()}, u, p, run);
  });
  const double    divergence = seconds(device, [&] { products.divergence(u, g); });
  const auto      report     = [&](const char *what, double time, double bytes) {
    std::printf("%-30s %9.2f us, %7.1f MB: %.2f TB/s, %.0f%% of the copy\n", what, 1e6 * time, 1e-6 * bytes,
                         1e-12 * bytes / time, 100. * bytes / time / copy);
  };
  if (separate)
    {
      line("momentum, separate products", momentum);
      line("divergence, separate products", divergence);
      return;
    }
  report("momentum", momentum, products.momentum_bytes());
  report("divergence", divergence, products.divergence_bytes());
}

void measure_pressure(const Device &device, const FlowMatrices<3> &flow, int degree)
{
  LinearSolverOptions options;
  options.type                         = SolverType::cg;
  options.multigrid.smoother.type      = "fsai";
  options.multigrid.smoother.chebyshev = true;
  options.multigrid.smoother.range     = 20.;
  options.multigrid.singular           = flow.singular;
  options.multigrid.pre_steps = options.multigrid.post_steps = degree;
  for (const auto precision : {Precision::float32, Precision::float64})
    {
      options.precision = precision;
      const LinearSolver solver(device, flow.pressure_levels, options);
      const auto         cost = solver.measure_preconditioner();
      line(precision == Precision::float32 ? "V-cycle of the pressure, float32" : "V-cycle of the pressure, float64",
           cost.seconds);
      std::printf("  %d launches\n", cost.launches);
    }
}
} // namespace

int main(int argc, char **argv)
{
  dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, dealii::numbers::invalid_unsigned_int);
  const int                                level    = argc > 1 ? std::atoi(argv[1]) : 5;
  const unsigned int                       coarsest = argc > 2 ? std::atoi(argv[2]) : 1024;
  const int                                degree   = argc > 3 ? std::atoi(argv[3]) : 3;
  dealii::Triangulation<3>                 mesh;
  make_stretched_box(mesh, level);
  const dealii::MappingQ1<3> mapping;
  LevelMeshOptions           levels;
  levels.coarsest_cells = coarsest;
  const FlowMatrices<3> flow(mesh, mapping, dealii::QGauss<3>(2), {}, levels);
  const Device               device = Device::cuda();
  const int                  n = flow.velocity().n_dofs(), n_p = flow.pressure().n_dofs();
  std::printf("%s, %d velocity nodes, %d pressure nodes\n", device.name().c_str(), n, n_p);
  const double copy = device.interface().copy_bandwidth();
  std::printf("copy within device memory: %.2f TB/s (read plus written)\n", 1e-12 * copy);
  for (const bool separate : {false, true})
    measure_products(device, flow, separate, copy);
  {
    const Matrix<double> I(device, *flow.interpolation);
    Vector<double>       u(device, 3 * n), p(device, n), g(device, n_p);
    std::printf("interpolation: %s\n", I.format().c_str());
    line("interpolation", seconds(device, [&] { device.multiply(1., I, g, 0., p); }));
    Scalars s(device, 4);
    line("dot u u", seconds(device, [&] { device.dot(u, u, s, 0); }));
    line("dot p p", seconds(device, [&] { device.dot(g, g, s, 0); }));
  }
  measure_pressure(device, flow, degree);
}
