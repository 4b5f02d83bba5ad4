// The GPU gives what the host gives, and the same bits again.

#include "multigrid/linear_solver.h"

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
  static Solution solve(const Backend &backend, const std::vector<LevelData> &levels,
                        const LinearSolverOptions &options)
  {
    LinearSolver<Backend> solver(backend, levels, options);
    auto                  x      = backend.create_vector(levels.back().matrix.n_rows);
    const Values          b      = random_values(x.size(), 1);
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
  const auto grid      = q1_levels(2, 4, 5, transport);
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
    {grid.back().matrix, "rows of 9"},
    {perturbed, "values in full"},
    {grid.back().prolongation, "rows of 4"},
    {grid.back().restriction, "rows of 9"},
    {runs(9, true), "runs of 9"},
    {runs(9, false), "runs of 9"},
    {runs(4, true), "runs of 4"},
    {runs(4, false), "runs of 4"},
    {runs(3, true), "runs of 3"},
    {runs(3, false), "runs of 3"},
    {wide, "stencils in 0% (0% in bands) and 16-bit columns in 0%"}};
  for (const auto &[A, format] : cases)
    {
      const Values x = random_values(A.n_cols, 1), y = random_values(A.n_rows, 2);
      const auto   on_host = host.create_matrix(A);
      const auto   on_gpu  = backend->create_matrix(A);
      EXPECT_NE(on_gpu.format().find(format), std::string::npos)
        << "expected '" << format << "' in: " << on_gpu.format();
      auto expected = to_backend(host, y);
      auto actual   = to_backend(*backend, y);
      host.spmv(0.7, on_host, to_backend(host, x), 1, expected);
      backend->spmv(0.7, on_gpu, to_backend(*backend, x), 1, actual);
      expect_close(to_host(*backend, actual), to_host(host, expected), "y + 0.7 A x, " + on_gpu.format());
    }
  EXPECT_EQ(backend->create_matrix(runs(3, true)).format().find("stencils in 0%"), std::string::npos)
    << "expected stencils";
  EXPECT_NE(backend->create_matrix(perturbed).format().find("stencils in 0%"), std::string::npos) << "expected none";
}

// Large matrices whose rows are mostly one row, shifted: threads that take several of them at once, and the rows between.
TEST_F(CudaAgreement, LargeMatricesInBands)
{
  for (const int n : {600000, 2200001})
    for (const int stride : {1, 2, 4, -1})
      {
        const bool        pairs = stride < 0; // every other row, as prolongation has
        const int         step  = pairs ? 1 : stride;
        CSRMatrix<double> A;
        A.n_rows = n;
        A.n_cols = step * n + 40;
        A.row_start.assign(n + 1, 7);
        for (int i = 1; pairs && i < n; i += 2)
          A.row_start[i + 1] = 4;
        for (int i = 0; i < n; i += 2000) // a row of another length, as at the boundary
          A.row_start[i + 1] = 1;
        finish_row_starts(A);
        for (int i = 0; i < n; ++i)
          for (int k = A.row_start[i], e = 0; k < A.row_start[i + 1]; ++k, ++e)
            {
              A.column[k] = (pairs ? i / 2 : stride * i) + 5 * e + (i / 100000 % 2);
              A.value[k]  = (i / 300000 % 2 ? 1. : 0.5) * (e - 2) + (e == 2 ? 8 : 0) + (pairs && i % 2 ? 3 : 0);
            }
        const auto on_gpu = backend->create_matrix(A);
        EXPECT_EQ(on_gpu.format().find("(0% in bands)"), std::string::npos) << "expected bands: " << on_gpu.format();
        const Values x = random_values(A.n_cols, 1), y = random_values(n, 2), b = random_values(n, 3),
                     d     = random_values(n, 4);
        const auto on_host = host.create_matrix(A);
        const auto check   = [&](const std::string &what, const auto &apply) {
          auto expected = to_backend(host, y);
          auto actual   = to_backend(*backend, y);
          apply(host, on_host, expected);
          apply(*backend, on_gpu, actual);
          expect_close(to_host(*backend, actual), to_host(host, expected), what + ", " + on_gpu.format());
        };
        check("A x", [&](const auto &on, const auto &M, auto &z) { on.spmv(0.7, M, to_backend(on, x), 0, z); });
        check("y + A x", [&](const auto &on, const auto &M, auto &z) { on.spmv(0.7, M, to_backend(on, x), 1, z); });
        check("2 y + A x", [&](const auto &on, const auto &M, auto &z) { on.spmv(0.7, M, to_backend(on, x), 2, z); });
        check("residual",
              [&](const auto &on, const auto &M, auto &z) { on.residual(M, to_backend(on, x), to_backend(on, b), z); });
        check("Chebyshev", [&](const auto &on, const auto &M, auto &z) {
          auto moved = on.create_vector(n);
          on.chebyshev_step(M, to_backend(on, d), 1, 0.3, 0.2, to_backend(on, b), to_backend(on, x), z, z, moved);
          on.axpby(1, moved, 1, z);
        });
        check("Jacobi", [&](const auto &on, const auto &M, auto &z) {
          on.jacobi_step(M, to_backend(on, d), 1, 0.2, to_backend(on, b), to_backend(on, x), z);
        });
        check("update", [&](const auto &on, const auto &M, auto &z) {
          auto moved = to_backend(on, b), direction = on.create_vector(n);
          on.spmv_update(0.3, 0.2, M, to_backend(on, x), moved, direction, z);
        });
        if (stride == 1)
          check("two steps", [&](const auto &on, const auto &M, auto &z) {
            auto         scratch = on.create_vector(A.n_cols);
            const Values wide_d = random_values(A.n_cols, 5), wide_b = random_values(A.n_cols, 6);
            on.jacobi_two_steps(M, to_backend(on, wide_d), 0.2, to_backend(on, wide_b), scratch, z);
          });
      }
}

// Values that differ by rounding have one place in the dictionary where it does not hold all of them.
TEST_F(CudaAgreement, RoundingAddsNoDifferentValues)
{
  constexpr int     n = 6000, different = 150;
  CSRMatrix<double> A;
  A.n_rows = A.n_cols = n;
  A.row_start.assign(n + 1, 3);
  finish_row_starts(A);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k)
      {
        const double rounding = std::ldexp((i * 7 + k) % 4 - 1, -52);
        A.column[3 * i + k]   = std::min(i, n - 3) + k;
        A.value[3 * i + k]    = 1 + std::ldexp(100. * ((i * 11 + 50 * k) % different), -48) + rounding;
      }
  const auto on_gpu = backend->create_matrix(A);
  EXPECT_NE(on_gpu.format().find(std::to_string(different) + " different values"), std::string::npos)
    << "expected " << different << " in: " << on_gpu.format();
  const Values x        = random_values(n, 1);
  auto         expected = host.create_vector(n);
  auto         actual   = backend->create_vector(n);
  host.spmv(1, host.create_matrix(A), to_backend(host, x), 0, expected);
  backend->spmv(1, on_gpu, to_backend(*backend, x), 0, actual);
  expect_close(to_host(*backend, actual), to_host(host, expected), "A x");
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
          const auto     levels                = smoother == SmootherType::jacobi ?
                                                   q1_levels(2, 4, 6, transport) :
                                                   coupled_levels(q1_levels(2, 4, 4), {2, 0.8, 0.8, 1}, 2);
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
  options.multigrid.smoother.chebyshev     = true;
  auto                              levels = q1_levels(2, 4, 5, transport);
  LinearSolver<CudaBackend<double>> solver(*backend, levels, options);
  const Values                      b     = random_values(levels.back().matrix.n_rows, 1);
  auto                              x     = backend->create_vector(static_cast<int>(b.size()));
  const auto                        rhs   = to_backend(*backend, b);
  const int                         first = solver.solve(rhs, x).iterations;
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
  const auto     levels              = q1_levels(2, 4, 5);
  const Solution expected = solve(host, levels, options), actual = solve(*backend, levels, options);
  EXPECT_GT(actual.iterations, 9);
  EXPECT_NEAR(actual.iterations, expected.iterations, 1);
}
