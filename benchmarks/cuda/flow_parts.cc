// The parts of a Navier-Stokes step on the GPU, one by one, on the paper's stretched box. usage: flow_parts LEVEL [COARSEST_CELLS] [DEGREE]

#include "parts.h"

#include "algebra/flow_products.h"
#include "discretization/forms/flow_matrices.h"

#include <deal.II/base/mpi.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>

#include <cmath>
#include <cstdlib>

int main(int argc, char **argv)
{
  dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, dealii::numbers::invalid_unsigned_int);
  const int                                level    = argc > 1 ? std::atoi(argv[1]) : 5;
  const int                                coarsest = argc > 2 ? std::atoi(argv[2]) : 1024;
  const int                                degree   = argc > 3 ? std::atoi(argv[3]) : 3;
  dealii::Triangulation<3>                 mesh;
  dealii::GridGenerator::subdivided_hyper_rectangle(mesh, {1, 1, 2}, dealii::Point<3>(), dealii::Point<3>(1, 1, 1), true);
  mesh.refine_global(level);
  dealii::GridTools::transform(
    [](const dealii::Point<3> &p) {
      return dealii::Point<3>(0.5 * (1. - std::cos(M_PI * p[0])), 0.5 * (1. - std::cos(M_PI * p[1])), 1. + std::sin((p[2] - 0.5) * M_PI));
    },
    mesh);
  mesh.refine_global(1);
  const FlowMatrices<3>     flow(mesh, dealii::MappingQ1<3>(), dealii::QGauss<3>(2), {}, coarsest);
  const CudaBackend<double> backend;
  const int                 n = flow.velocity->n_dofs(), n_p = flow.pressure().n_dofs();
  std::printf("%s, %d velocity nodes, %d pressure nodes\n", backend.device_name().c_str(), n, n_p);
  const double copy = backend.copy_bandwidth();
  std::printf("copy within device memory: %.2f TB/s (read plus written)\n", 1e-12 * copy);
  {
    const FlowProducts<3, CudaBackend<double>> products(backend, {&flow.stiffness, &flow.gradient[0], &flow.gradient[1], &flow.gradient[2]},
                                                        {&flow.divergence[0], &flow.divergence[1], &flow.divergence[2]});
    auto       u = backend.create_vector(3 * n), u_new = backend.create_vector(3 * n), p = backend.create_vector(n), m = backend.create_vector(n),
         g = backend.create_vector(n_p), none = backend.create_vector(0);
    const auto report = [&](const char *what, double time, double bytes) {
      std::printf("%-30s %9.2f us, %7.1f MB: %.2f TB/s, %.0f%% of the copy\n", what, 1e6 * time, 1e-6 * bytes, 1e-12 * bytes / time, 100. * bytes / time / copy);
    };
    report("momentum", seconds(backend, [&] { products.momentum(1e-4, u, p, m, none, u_new); }), products.momentum_bytes());
    report("divergence", seconds(backend, [&] { products.divergence(u, g); }), products.divergence_bytes());
    const auto I = backend.create_matrix(flow.interpolation);
    std::printf("interpolation: %s\n", I.format().c_str());
    line("interpolation", seconds(backend, [&] { backend.spmv(1, I, g, 0, p); }));
    auto s = backend.create_scalars(4);
    line("dot u u", seconds(backend, [&] { backend.dot(u, u, s, 0); }));
    line("dot p p", seconds(backend, [&] { backend.dot(g, g, s, 0); }));
  }
  MultigridOptions options;
  options.smoother.type      = SmootherType::fsai;
  options.smoother.chebyshev = true;
  options.smoother.range     = 20.;
  options.pre_steps = options.post_steps = degree;
  measure_parts(flow.pressure_levels, options, "pressure");
}
