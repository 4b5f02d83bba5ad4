// The GPU gives what the host gives, and the same bits again.

#include "algebra/functors.h"
#include "multigrid/linear_solver.h"
#include "multigrid/smoothers/functors.h"
#include "tests/algebra/matrix_zoo.h"

#include <algorithm>
#include <cmath>

using namespace adamant;
using namespace adamant::test;

namespace
{
// 1e-10 of the largest entry.
void expect_close(const Values &actual, const Values &expected, const std::string &what)
{
  double largest = 0;
  for (const double value : expected)
    largest = std::max(largest, std::abs(value));
  expect_near(actual, expected, 1e-10 * largest, what);
}

// The compressed formats.
class CudaAgreement : public OnDevice
{
protected:
  CudaAgreement()
    : OnDevice(Place::cuda)
  {}
  const Device host = Device::host(2);
};

// Solvers, with either kind of matrices.
class CudaSolvers : public DeviceTest
{
protected:
  struct Solution
  {
    Values x;
    int    iterations;
  };
  static Solution solve(const Device &on, const Levels &levels, const LinearSolverOptions &options)
  {
    LinearSolver   solver(on, levels.data, options);
    Vector<double> x(on, levels.n_rows());
    const auto     result = solver.solve(to_device(on, random_values(x.size(), 1)), x);
    return {values_of(x), result.iterations};
  }
  const Device host = Device::host(2);
};
INSTANTIATE_TEST_SUITE_P(Devices, CudaSolvers, ::testing::Values(Place::cuda, Place::cusparse), place_name);

const Coefficients transport{1, 0.01 * 0.02, {0, -0.02, 0}};
} // namespace

// Every storage format: long and short rows, runs of 4 and 3, few and many different values, columns far apart.
TEST_F(CudaAgreement, ProductsInEveryFormat)
{
  const auto grid      = q1_levels(2, 4, 5, transport);
  auto       perturbed = grid.finest();
  for (std::size_t k = 0; k < perturbed.value.size(); ++k)
    perturbed.value[k] *= 1. + 1e-3 * std::sin(double(k));
  const auto                                                   wide  = matrix_of_rows(100, 200000, [](int i) {
    RowEntries row;
    for (int k = 0; k < 5; ++k)
      row.emplace_back(45000 * k + 7 * i, i + k);
    return row;
  });
  const std::vector<std::pair<CSRMatrix<double>, std::string>> cases = {
    {grid.finest(), "rows of 9"},
    {perturbed, "values in full"},
    {*grid.data.back().prolongation, "rows of 4"},
    {*grid.data.back().restriction, "rows of 9"},
    {matrix_of_runs(9, true), "runs of 3"},
    {matrix_of_runs(9, false), "runs of 3"},
    {matrix_of_runs(4, true), "runs of 4"},
    {matrix_of_runs(4, false), "runs of 4"},
    {matrix_of_runs(3, true), "runs of 3"},
    {matrix_of_runs(3, false), "runs of 3"},
    {wide, "stencils in 0% (0% in bands) and 16-bit columns in 0%"}};
  for (const auto &[A, format] : cases)
    {
      const Values         x = random_values(A.n_cols, 1), y = random_values(A.n_rows, 2);
      const Matrix<double> on_host(host, A), on_gpu(device, A);
      EXPECT_NE(on_gpu.format().find(format), std::string::npos)
        << "expected '" << format << "' in: " << on_gpu.format();
      auto expected = to_device(host, y), actual = to_device(device, y);
      host.multiply(0.7, on_host, to_device(host, x), 1., expected);
      device.multiply(0.7, on_gpu, to_device(device, x), 1., actual);
      expect_close(values_of(actual), values_of(expected), "y + 0.7 A x, " + on_gpu.format());
    }
  EXPECT_EQ(Matrix<double>(device, matrix_of_runs(3, true)).format().find("stencils in 0%"), std::string::npos)
    << "expected stencils";
  EXPECT_NE(Matrix<double>(device, perturbed).format().find("stencils in 0%"), std::string::npos) << "expected none";
}

// Large matrices whose rows are mostly one row, shifted: threads that take several of them at once, and the rows
// between.
TEST_F(CudaAgreement, LargeMatricesInBands)
{
  for (const int n : {600000, 2200001})
    for (const int stride : {1, 2, 4, 0})
      {
        const auto           A = band(n, stride, 100000);
        const Matrix<double> on_host(host, A), on_gpu(device, A);
        EXPECT_EQ(on_gpu.format().find("(0% in bands)"), std::string::npos) << "expected bands: " << on_gpu.format();
        const Values x = random_values(A.n_cols, 1), y = random_values(n, 2), b = random_values(n, 3),
                     d   = random_values(n, 4);
        const auto check = [&](const std::string &what, const auto &apply) {
          auto expected = to_device(host, y), actual = to_device(device, y);
          apply(host, on_host, expected);
          apply(device, on_gpu, actual);
          expect_close(values_of(actual), values_of(expected), what + ", " + on_gpu.format());
        };
        for (const double factor : {0., 1., 2.})
          check("a A x + b y",
                [&](const Device &on, const auto &M, auto &z) { on.multiply(0.7, M, to_device(on, x), factor, z); });
        check("residual",
              [&](const Device &on, const auto &M, auto &z) { on.residual(M, to_device(on, x), to_device(on, b), z); });
        check("Chebyshev", [&](const Device &on, const auto &M, auto &z) {
          const auto     D = to_device(on, d), rhs = to_device(on, b), from = to_device(on, x);
          Vector<double> moved(on, n);
          on.for_each_row(
            M, from,
            JacobiStep<double>({0.3, 0.2, D.data(), rhs.data(), from.data(), z.data(), z.data(), moved.data()}));
          on.axpby(1., moved, 1., z);
        });
        check("Jacobi", [&](const Device &on, const auto &M, auto &z) {
          const auto D = to_device(on, d), rhs = to_device(on, b), from = to_device(on, x);
          on.for_each_row(M, from,
                          JacobiStep<double>({0., 0.2, D.data(), rhs.data(), from.data(), nullptr, nullptr, z.data()}));
        });
        check("update", [&](const Device &on, const auto &M, auto &z) {
          const auto     moved = to_device(on, b);
          Vector<double> direction(on, n);
          on.for_each_row(M, to_device(on, x), Update<double>(0.3, 0.2, moved.data(), direction.data(), z.data()));
        });
        if (stride == 1)
          check("two steps", [&](const Device &on, const auto &M, auto &z) {
            const auto D = to_device(on, random_values(A.n_cols, 5)), rhs = to_device(on, random_values(A.n_cols, 6));
            on.for_each_row(M, FirstJacobiStep<double>{0.2, D.data(), rhs.data()},
                            SecondJacobiStep<double>(0.2, D.data(), rhs.data(), z.data()));
          });
      }
}

// Values that differ by rounding have one place in the dictionary where it does not hold all of them.
TEST_F(CudaAgreement, RoundingAddsNoDifferentValues)
{
  constexpr int        n = 6000, different = 150;
  const auto           A = matrix_of_rows(n, n, [](int i) {
    RowEntries row;
    for (int k = 0; k < 3; ++k)
      {
        const double rounding = std::ldexp((i * 7 + k) % 4 - 1, -52);
        row.emplace_back(std::min(i, n - 3) + k,
                                   1 + std::ldexp(100. * ((i * 11 + 50 * k) % different), -48) + rounding);
      }
    return row;
  });
  const Matrix<double> on_host(host, A), on_gpu(device, A);
  EXPECT_NE(on_gpu.format().find(std::to_string(different) + " different values"), std::string::npos)
    << "expected " << different << " in: " << on_gpu.format();
  const Values   x = random_values(n, 1);
  Vector<double> expected(host, n), actual(device, n);
  host.multiply(1., on_host, to_device(host, x), 0., expected);
  device.multiply(1., on_gpu, to_device(device, x), 0., actual);
  expect_close(values_of(actual), values_of(expected), "A x");
}

TEST_P(CudaSolvers, SolutionsAndBits)
{
  for (const auto type : {SolverType::gmres, SolverType::multigrid})
    for (const std::string smoother : {"jacobi", "block_jacobi"})
      for (const bool chebyshev : {false, true})
        {
          LinearSolverOptions options;
          options.type                         = type;
          options.precision                    = Precision::float64;
          options.control.tolerance            = 1e-13;
          options.multigrid.smoother.type      = smoother;
          options.multigrid.smoother.chebyshev = chebyshev;
          const Levels   levels                = smoother == "jacobi" ? q1_levels(2, 4, 6, transport) :
                                                                        coupled_levels(q1_levels(2, 4, 4), {2, 0.8, 0.8, 1}, 2);
          const Solution expected = solve(host, levels, options), first = solve(device, levels, options);
          expect_close(first.x, expected.x, "solution");
          EXPECT_NEAR(first.iterations, expected.iterations, 1);
          EXPECT_EQ(solve(device, levels, options).x, first.x) << "expected the same bits in a second run";
          options.control.tolerance = 1e-8;
          const int full            = solve(device, levels, options).iterations;
          options.precision         = Precision::float32;
          const Solution single     = solve(device, levels, options);
          EXPECT_NEAR(single.iterations, full, 1) << "with the V-cycle in single precision";
          EXPECT_EQ(solve(device, levels, options).x, single.x) << "expected the same bits, single precision";
        }
}

// The recorded iterations hold coefficients and addresses of the old matrices.
TEST_P(CudaSolvers, NewMatrixValuesReachRecordedIterations)
{
  LinearSolverOptions options;
  options.multigrid.smoother.chebyshev = true;
  const auto     levels                = q1_levels(2, 4, 5, transport);
  LinearSolver   solver(device, levels.data, options);
  const Values   b   = random_values(levels.n_rows(), 1);
  const auto     rhs = to_device(device, b);
  Vector<double> x(device, rhs.size());
  const int      first = solver.solve(rhs, x).iterations;
  for (const auto &matrix : levels.matrices)
    for (double &value : matrix->value)
      value *= 3.;
  solver.update();
  x.set_zero();
  const auto result = solver.solve(rhs, x);
  EXPECT_NEAR(result.iterations, first, 1);
  EXPECT_LE(relative_residual(levels.finest(), values_of(x), b), 1.01e-8);
}

TEST_P(CudaSolvers, ManyKrylovVectors)
{
  LinearSolverOptions options;
  options.multigrid.smoother.damping = 0.05; // a poor smoother: more vectors than one kernel takes
  options.precision                  = Precision::float64;
  const auto     levels              = q1_levels(2, 4, 5);
  const Solution expected = solve(host, levels, options), actual = solve(device, levels, options);
  EXPECT_GT(actual.iterations, 9);
  EXPECT_NEAR(actual.iterations, expected.iterations, 1);
}
