// The GPU gives what the host gives, and the same bits again.

#include "solver/linear_solver.h"

#include "support/backends.h"
#include "support/q1_grid.h"
#include "support/reference.h"

#include <algorithm>
#include <cmath>

using namespace adamant;
using namespace adamant::test;

namespace
{
class CudaAgreement : public BackendTest<CudaBackend<double>>
{
protected:
  // 1e-10 of the largest entry.
  static void expect_close(const Values &actual, const Values &expected, const std::string &what)
  {
    double largest = 0;
    for (const double value : expected)
      largest = std::max(largest, std::abs(value));
    expect_near(actual, expected, 1e-10 * largest, what);
  }

  struct Solution
  {
    Values x;
    int    iterations;
  };
  template <class Backend>
  static Solution solve(const Backend &backend, const std::vector<LevelData> &levels, const LinearSolverOptions &options)
  {
    LinearSolver<Backend> solver(backend, levels, options);
    auto                  x = backend.create_vector(levels.back().matrix.n_rows);
    const Values          b = random_values(x.size(), 1);
    const auto            result = solver.solve(to_backend(backend, b), x);
    return {to_host(backend, x), result.iterations};
  }

  const HostBackend<double> host{2};
};

const Coefficients transport{1, 0.01 * 0.02, {0, -0.02, 0}};
} // namespace

// Every storage format: long and short rows, runs of 9, 4 and 3, few and many different values, columns far apart.
TEST_F(CudaAgreement, ProductsInEveryFormat)
{
  const auto grid = q1_levels(2, 4, 5, transport);
  auto       perturbed = grid.back().matrix;
  for (std::size_t k = 0; k < perturbed.value.size(); ++k)
    perturbed.value[k] *= 1. + 1e-3 * std::sin(double(k));
  // Four runs of nine a row, as the source term has.
  const auto runs = [](int run, bool few_values) {
    CSRMatrix<double> A;
    A.n_rows = 1000;
    A.n_cols = run * 900;
    A.row_start.assign(1001, 4 * run);
    finish_row_starts(A);
    for (int i = 0; i < A.n_rows; ++i)
      for (int k = 0; k < 4 * run; ++k)
        {
          A.column[A.row_start[i] + k] = run * ((i % 100) + 250 * (k / run) % 900) + k % run;
          A.value[A.row_start[i] + k]  = few_values ? 0.5 * (k % 7) - 1 : std::cos(1. * i * k);
        }
    for (int i = 0; i < A.n_rows; ++i) // columns ascend
      std::sort(A.column.begin() + A.row_start[i], A.column.begin() + A.row_start[i + 1]);
    return A;
  };
  CSRMatrix<double> wide;
  wide.n_rows = 100;
  wide.n_cols = 200000;
  wide.row_start.assign(101, 5);
  finish_row_starts(wide);
  for (int i = 0; i < 100; ++i)
    for (int k = 0; k < 5; ++k)
      {
        wide.column[5 * i + k] = 45000 * k + 7 * i;
        wide.value[5 * i + k]  = i + k;
      }
  const std::vector<std::pair<CSRMatrix<double>, std::string>> cases = {
    {grid.back().matrix, "rows of 9"},      {perturbed, "values in full"}, {grid.back().prolongation, "rows of 4"},
    {grid.back().restriction, "rows of 9"}, {runs(9, true), "runs of 9"},  {runs(9, false), "runs of 9"},
    {runs(4, true), "runs of 4"},           {runs(4, false), "runs of 4"},
    {runs(3, true), "runs of 3"},           {runs(3, false), "runs of 3"}, {wide, "stencils in 0% and 16-bit columns in 0%"}};
  for (const auto &[A, format] : cases)
    {
      const Values x = random_values(A.n_cols, 1), y = random_values(A.n_rows, 2);
      const auto   on_host = host.create_matrix(A);
      const auto   on_gpu  = backend->create_matrix(A);
      EXPECT_NE(on_gpu.format().find(format), std::string::npos) << "expected '" << format << "' in: " << on_gpu.format();
      auto expected = to_backend(host, y);
      auto actual   = to_backend(*backend, y);
      host.spmv(0.7, on_host, to_backend(host, x), 1, expected);
      backend->spmv(0.7, on_gpu, to_backend(*backend, x), 1, actual);
      expect_close(to_host(*backend, actual), to_host(host, expected), "y + 0.7 A x, " + on_gpu.format());
    }
  EXPECT_EQ(backend->create_matrix(runs(3, true)).format().find("stencils in 0%"), std::string::npos) << "expected stencils";
  EXPECT_NE(backend->create_matrix(perturbed).format().find("stencils in 0%"), std::string::npos) << "expected none";
}

TEST_F(CudaAgreement, SolversAndBits)
{
  for (const auto type : {SolverType::gmres, SolverType::multigrid})
    for (const auto smoother : {SmootherType::jacobi, SmootherType::block_jacobi})
      for (const bool chebyshev : {false, true})
        {
          LinearSolverOptions options;
          options.type                         = type;
          options.precision                    = Precision::float64;
          options.control.tolerance            = 1e-13;
          options.multigrid.smoother.type      = smoother;
          options.multigrid.smoother.chebyshev = chebyshev;
          const auto levels =
            smoother == SmootherType::jacobi ? q1_levels(2, 4, 6, transport) : coupled_levels(q1_levels(2, 4, 4), {2, 0.8, 0.8, 1}, 2);
          const Solution expected = solve(host, levels, options), first = solve(*backend, levels, options);
          expect_close(first.x, expected.x, "solution");
          EXPECT_NEAR(first.iterations, expected.iterations, 1);
          EXPECT_EQ(solve(*backend, levels, options).x, first.x) << "expected the same bits in a second run";
          options.control.tolerance = 1e-8;
          const int full            = solve(*backend, levels, options).iterations;
          options.precision         = Precision::float32;
          const Solution single     = solve(*backend, levels, options);
          EXPECT_NEAR(single.iterations, full, 1) << "with the V-cycle in single precision";
          EXPECT_EQ(solve(*backend, levels, options).x, single.x) << "expected the same bits, single precision";
        }
}

// The recorded iterations hold coefficients and addresses of the old matrices.
TEST_F(CudaAgreement, NewMatrixValuesReachRecordedIterations)
{
  LinearSolverOptions options;
  options.multigrid.smoother.chebyshev = true;
  auto                               levels = q1_levels(2, 4, 5, transport);
  LinearSolver<CudaBackend<double>>  solver(*backend, levels, options);
  const Values                       b = random_values(levels.back().matrix.n_rows, 1);
  auto                               x = backend->create_vector(static_cast<int>(b.size()));
  const auto                         rhs = to_backend(*backend, b);
  const int                          first = solver.solve(rhs, x).iterations;
  for (auto &level : levels)
    for (std::size_t k = 0; k < level.matrix.value.size(); ++k)
      level.matrix.value[k] *= 3.;
  solver.update(levels);
  backend->set_zero(x);
  const auto result = solver.solve(rhs, x);
  EXPECT_NEAR(result.iterations, first, 1);
  EXPECT_LE(relative_residual(levels.back().matrix, to_host(*backend, x), b), 1.01e-8);
}

TEST_F(CudaAgreement, ManyKrylovVectors)
{
  LinearSolverOptions options;
  options.multigrid.smoother.damping = 0.05; // a poor smoother: more vectors than one kernel takes
  options.precision                  = Precision::float64;
  const auto     levels = q1_levels(2, 4, 5);
  const Solution expected = solve(host, levels, options), actual = solve(*backend, levels, options);
  EXPECT_GT(actual.iterations, 9);
  EXPECT_NEAR(actual.iterations, expected.iterations, 1);
}
