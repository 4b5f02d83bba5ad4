// The line smoother on the GPU: a step of it beside Jacobi's and cuSPARSE's batched tridiagonal solver, and Poisson's
// equation on stretched cells, FEAST's Table 1, from a zero guess.

#include "algebra/functors.h"
#include "multigrid/linear_solver.h"
#include "multigrid/smoothers/functors.h"
#include "multigrid/smoothers/registry.h"
#include "parts.h"
#include "support/q1_grid.h"

#include <array>

namespace
{
using namespace adamant::test;

template <typename Number>
void measure_steps(const Device &device, const Grid &grid, const std::array<double, 3> &stretch)
{
  const auto           shared = std::make_shared<CSRMatrix<double>>(q1_matrix(grid, {0, 1, {}, stretch}));
  const int            n      = shared->n_rows;
  const Matrix<Number> A(device, *shared, 1);
  const Array<double>  ones(n, 1.);
  Vector<Number>       x(device, ones), y(device, n), b(device, ones), d(device, ones), D(device, ones);
  const auto           lines = make_smoother("line", DeviceLevel<Number>(device, {shared, nullptr, nullptr}));
  std::printf("\n%d-dimensional, %d unknowns, stretched by %g, %g, %g, %s\n", grid.dim, n, stretch[0], stretch[1],
              stretch[2], sizeof(Number) == 8 ? "double" : "float");
  const double copy = seconds(device, [&] { device.copy(x, y); });
  line("copy of a vector", copy, 2. * sizeof(Number) * n);
  const double jacobi = seconds(device, [&] {
    device.for_each_row(
      A, x, JacobiStep<Number>({Number(0.5), Number(0.5), D.data(), b.data(), x.data(), d.data(), d.data(), y.data()}));
  });
  line("Chebyshev step of Jacobi", jacobi);
  int          nodes = 0;
  const double step  = seconds(
     device, [&] { lines->step(Number(0), Number(1e-3), b, x, d, d, y, false); }, &nodes);
  line("Chebyshev step along lines", step);
  std::printf("%d graph nodes, ratio to Jacobi's %.2f\n", nodes, step / jacobi);
  for (const auto &[name, time] : time_cusparse_lines<Number>(grid.nodes_per_line(), n / grid.nodes_per_line()))
    line(name, time);
}

// CG to 1e-8, three Chebyshev steps along lines before and after.
void solve(const Device &device, int coarsest_cells, int n_levels, double aspect)
{
  const auto          levels = q1_levels(2, coarsest_cells, n_levels, {0, 1, {}, {1, aspect, 1}});
  LinearSolverOptions options;
  options.type                = SolverType::cg;
  options.precision           = Precision::float32;
  options.multigrid.smoother  = {"line", true, 0.8, 4.};
  options.multigrid.pre_steps = options.multigrid.post_steps = 3;
  LinearSolver  solver(device, levels.data, options);
  Array<double> values(levels.n_rows());
  for (int i = 0; i < levels.n_rows(); ++i)
    values[i] = std::sin(1. + 7. * i) * (levels.finest().row_start[i + 1] - levels.finest().row_start[i] > 1);
  const Vector<double> b(device, values);
  Vector<double>       x(device, levels.n_rows());
  std::vector<double>  times;
  int                  iterations = 0;
  for (int repeat = 0; repeat < 7; ++repeat)
    {
      x.set_zero();
      device.synchronize();
      const auto begin = Clock::now();
      iterations       = solver.solve(b, x).iterations;
      device.synchronize();
      times.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    }
  std::printf("Poisson, %d unknowns, %d levels, aspect %g: %d iterations, %.3f ms\n", levels.n_rows(), n_levels, aspect,
              iterations, 1e3 * median(times));
}
} // namespace

int main()
{
  const Device device = Device::cuda();
  std::printf("%s\n", device.name().c_str());
  measure_steps<float>(device, {2, 1024}, {1, 100, 1});
  measure_steps<float>(device, {2, 1024}, {100, 1, 1});
  measure_steps<double>(device, {2, 1024}, {1, 100, 1});
  measure_steps<float>(device, {3, 128}, {1, 1, 100});
  std::printf("\n");
  for (const double aspect : {1., 10., 100., 1000.})
    {
      solve(device, 4, 9, aspect);
      solve(device, 32, 6, aspect); // as many as programs take by default
    }
}
