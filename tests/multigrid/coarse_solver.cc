#include "multigrid/coarse_solver.h"

#include "base/csr/csr_operations.h"
#include "support/dense.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/q1_grid.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

using namespace adamant;
using namespace adamant::test;

namespace
{
class InverseOnDevice : public OnDevice, public ::testing::WithParamInterface<Place>
{
protected:
  InverseOnDevice()
    : OnDevice(GetParam())
  {}
};
INSTANTIATE_TEST_SUITE_P(Devices, InverseOnDevice, ::testing::Values(Place::host, Place::cuda),
                         [](const auto &info) { return name_of(info.param); });

// Smoothed aggregates: a row that no aggregate touches makes one of itself and its neighbours.
SharedMatrix aggregates(const CSRMatrix<double> &A)
{
  std::vector<int> of(A.n_rows, -1);
  int              n          = 0;
  const auto       neighbours = [&](int i) {
    return std::vector<int>(A.column.begin() + A.row_start[i], A.column.begin() + A.row_start[i + 1]);
  };
  for (int i = 0; i < A.n_rows; ++i)
    {
      const auto around = neighbours(i);
      if (std::all_of(around.begin(), around.end(), [&](int j) { return of[j] < 0; }))
        {
          for (const int j : around)
            of[j] = n;
          ++n;
        }
    }
  for (int i = 0; i < A.n_rows; ++i)
    for (const int j : neighbours(i))
      of[i] = std::max(of[i], of[j]);
  const auto constant = matrix_of_rows(A.n_rows, n, [&](int i, Row &row) { row.emplace_back(of[i], 1.); });
  const auto D        = diagonal(A);
  const auto smoother = matrix_of_rows(A.n_rows, A.n_rows, [&](int i, Row &row) {
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      row.emplace_back(A.column[k], (A.column[k] == i ? 1. : 0.) - 0.5 * A.value[k] / D[i]);
  });
  return std::make_shared<const CSRMatrix<double>>(local_product(smoother, constant));
}
} // namespace

TEST(DenseInverse, TimesMatrixIsIdentity)
{
  for (const int n : {1, 2, 31, 32, 33, 64, 100})
    {
      Dense A = spd_matrix(n); // made nonsymmetric with a positive definite symmetric part
      for (int i = 0; i + 1 < n; ++i)
        {
          A[i][i + 1] += 3;
          A[i + 1][i] -= 3;
        }
      const auto inverse = dense_inverse(Device::host(2), to_csr(A));
      Dense      rows(n, Values(n));
      for (int i = 0; i < n * n; ++i)
        rows[i / n][i % n] = inverse[i];
      expect_identity(multiply(A, rows), 1e-9, "n = " + std::to_string(n));
    }
}

TEST(DenseInverse, OfTheOneDimensionalLaplacianIsKnown)
{
  const int n = 45; // (tridiag(-1, 2, -1)⁻¹)_ij = i (n + 1 - j) / (n + 1), i <= j, counted from 1
  Dense     A(n, Values(n, 0.));
  for (int i = 0; i < n; ++i)
    {
      A[i][i] = 2;
      if (i > 0)
        A[i][i - 1] = A[i - 1][i] = -1;
    }
  const auto inverse = dense_inverse(Device::host(2), to_csr(A));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      EXPECT_NEAR(inverse[i * n + j], (std::min(i, j) + 1.) * (n - std::max(i, j)) / (n + 1.), 1e-12) << i << ", " << j;
}

TEST(DenseInverse, SingularMatricesThrow)
{
  expect_error<RunError>([] { dense_inverse(Device::host(2), to_csr({{0.}})); }, {"coarsest level", "singular"});
  CSRMatrix<double> large; // of no entries
  large.n_rows = large.n_cols = 40000;
  large.row_start.assign(40001, 0);
  expect_error<InputError>([&] { dense_inverse(Device::host(2), large); }, {"40000 unknowns", "Coarse solver"});
  expect_error<RunError>(
    [] {
      dense_inverse(Device::host(2), to_csr({{1, 1}, {1, 1}}));
    },
    {"coarsest level", "singular"});
  // Pure Neumann problems, within and beyond one block of the elimination, in one and two dimensions.
  for (const Grid grid : {Grid{1, 8}, Grid{1, 40}, Grid{2, 4}, Grid{2, 16}})
    expect_error<RunError>([&] { dense_inverse(Device::host(2), q1_matrix(grid, {}, false)); },
                           {"coarsest level", "boundary conditions"});
}

// Whether a matrix can be inverted does not depend on its units. One matrix has a stiffness of 1e-18 beside the ones of
// constrained rows, another is a saddle point whose blocks differ by 1e12. Both give the inverse of the matrix in other
// units, to the bit.
TEST(DenseInverse, DoesNotDependOnUnits)
{
  const int  n        = 12;
  const auto in_units = [n](double first, double second) { // the first half of the unknowns, and the second one
    Dense A = spd_matrix(n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        A[i][j] *= (i < n / 2 ? first : second) * (j < n / 2 ? first : second) * (i >= n / 2 && j >= n / 2 ? -1 : 1);
    return dense_inverse(Device::host(2), to_csr(A));
  };
  const auto inverse = in_units(1, 1);
  for (const auto &[first, second] : {std::pair{std::ldexp(1., -30), 1.}, {1024., std::ldexp(1., -20)}})
    {
      const auto scaled = in_units(first, second);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          EXPECT_EQ(scaled[i * n + j] * (i < n / 2 ? first : second) * (j < n / 2 ? first : second),
                    inverse[i * n + j]);
    }
  // A zero on the diagonal is scaled by its row.
  const auto saddle = dense_inverse(Device::host(2), to_csr({{1e-18, 0, 1e3}, {0, 1e-18, 2e3}, {1e3, 2e3, 0}}));
  EXPECT_NEAR(saddle[2 * 3 + 2] / (-1e-18 / 5e6), 1, 1e-12);
  EXPECT_NEAR(saddle[0 * 3 + 0] / (0.8 / 1e-18), 1, 1e-12);
}

// A 1 = 0: for a right-hand side of zero mean the solution of zero mean.
TEST(DenseInverse, OfSingularMatricesOnZeroMeans)
{
  for (const Grid grid : {Grid{1, 8}, Grid{2, 5}})
    {
      const auto    A       = q1_matrix(grid, {}, false);
      const int     n       = A.n_rows;
      const auto    inverse = dense_inverse(Device::host(2), A, {true});
      Array<double> x(n);
      double        mean = 0.;
      for (int i = 0; i < n; ++i)
        mean += (x[i] = std::sin(1. + 3. * i)) / n;
      for (double &value : x)
        value -= mean;
      const auto b = product(A, x);
      for (int i = 0; i < n; ++i)
        {
          double sum = 0.;
          for (int j = 0; j < n; ++j)
            sum += inverse[i * n + j] * b[j];
          EXPECT_NEAR(sum, x[i], 1e-11);
        }
    }
}

// Pivots that lie below the diagonal.
TEST_P(InverseOnDevice, TimesMatrixIsIdentity)
{
  for (const int n : {1, 2, 31, 32, 33, 65, 300, 513, 1030}) // a GPU takes 32 columns at a time, and 512 rows a block
    {
      Dense A(n, Values(n));
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          A[i][j] = std::sin(1. + 13. * i + 7. * j * j) + (j == (i + n / 2) % n ? 3. * std::sqrt(n) : 0.);
      const auto inverse = dense_inverse(device, to_csr(A));
      Dense      rows(n, Values(n));
      for (int i = 0; i < n * n; ++i)
        rows[i / n][i % n] = inverse[i];
      expect_identity(multiply(A, rows), 1e-9, "n = " + std::to_string(n));
    }
}

TEST_P(InverseOnDevice, SingularMatricesThrow)
{
  for (const Dense &A :
       {Dense{{0.}}, Dense{{1, 1}, {1, 1}}, Dense{{0, 1}, {0, 1}}, Dense{{1, 0, 0}, {0, 0, 0}, {0, 0, 1}}})
    expect_error<RunError>([&] { dense_inverse(device, to_csr(A)); }, {"coarsest level", "boundary conditions"});
  for (const Grid grid : {Grid{1, 8}, Grid{1, 40}, Grid{2, 4}, Grid{2, 16}}) // Neumann problems
    expect_error<RunError>([&] { dense_inverse(device, q1_matrix(grid, {}, false)); },
                           {"coarsest level", "boundary conditions"});
}

// A matrix on a device gets new values twice, and nothing of the old ones stays. Neumann's problem has a kernel.
TEST_P(InverseOnDevice, FollowsNewValues)
{
  for (const bool singular : {false, true})
    {
      auto       A    = std::make_shared<CSRMatrix<double>>(q1_matrix(Grid{2, 6}, {singular ? 0. : 1.}, false));
      const auto rows = std::make_shared<CompressedRows>(device, *A);
      rows->values.upload(A->value.data());
      MultigridOptions options;
      options.singular = singular;
      const DeviceLevel<double> level(device, {ValuesOnDevice{A, rows}, nullptr, nullptr});
      const auto                solver = make_coarse_solver(level, options);
      for (const double factor : {0.5, 3.})
        {
          for (double &value : A->value)
            value *= factor;
          rows->values.upload(A->value.data());
          solver->update();
          Array<double> expected(A->n_rows);
          for (int i = 0; i < A->n_rows; ++i)
            expected[i] = std::sin(1. + 3. * i);
          const double mean = std::accumulate(expected.begin(), expected.end(), 0.) / A->n_rows;
          for (double &value : expected)
            value -= singular ? mean : 0.;
          Vector<double> x(device, A->n_rows);
          solver->solve(Vector<double>(device, product(*A, expected)), x);
          const auto found = to_host(x);
          for (int i = 0; i < A->n_rows; ++i)
            EXPECT_NEAR(found[i], expected[i], 1e-11) << i << ", factor " << factor << ", singular " << singular;
        }
    }
}

// V-cycles on three levels, for values that change in the memory of a device or of the host. Where there is a kernel,
// one value is fixed.
TEST_P(InverseOnDevice, AlgebraicCyclesFollowNewValues)
{
  for (const bool singular : {false, true})
    {
      auto       A    = std::make_shared<CSRMatrix<double>>(q1_matrix(Grid{2, 40}, {singular ? 0. : 1.}, false));
      const auto rows = std::make_shared<CompressedRows>(device, *A);
      rows->values.upload(A->value.data());
      MultigridOptions options;
      options.singular           = singular;
      options.coarse_solver      = CoarseSolverType::external;
      options.make_prolongations = [](const CSRMatrix<double> &matrix) {
        const auto first = aggregates(matrix);
        return std::vector{first, aggregates(local_product(transpose(*first), local_product(matrix, *first)))};
      };
      const DeviceLevel<double> level(device, {ValuesOnDevice{A, rows}, nullptr, nullptr});
      const auto                solver = make_coarse_solver(level, options);
      EXPECT_EQ(solver->description(), "V-cycles on 3 algebraic levels");
      for (const double reaction : {0., 3.})
        {
          for (int i = 0; i < A->n_rows; ++i) // more on the diagonal of some rows
            for (auto k = A->row_start[i]; k < A->row_start[i + 1]; ++k)
              A->value[k] *= A->column[k] == i && i % 3 == 1 && !singular ? 1. + reaction : 1. + 0.5 * reaction;
          rows->values.upload(A->value.data());
          solver->update();
          Array<double> expected(A->n_rows);
          for (int i = 0; i < A->n_rows; ++i)
            expected[i] = std::sin(1. + 3. * i) + 1e-3 * i;
          Vector<double> x(device, A->n_rows);
          solver->solve(Vector<double>(device, product(*A, expected)), x);
          const auto   found = to_host(x);
          const double shift = singular ? found[0] - expected[0] : 0.;
          double       error = 0., size = 0.;
          for (int i = 0; i < A->n_rows; ++i)
            {
              error += std::pow(found[i] - shift - expected[i], 2);
              size += std::pow(expected[i], 2);
            }
          EXPECT_LT(std::sqrt(error / size), 0.1) << "reaction " << reaction << ", singular " << singular;
        }
    }
}

// A solver from outside gets a regular matrix where the level's has a kernel.
TEST(ExternalCoarseSolver, SolvesUpToTheKernel)
{
  const auto       A = std::make_shared<CSRMatrix<double>>(q1_matrix(Grid{2, 6}, {0.}, false));
  MultigridOptions options;
  options.singular           = true;
  options.coarse_solver      = CoarseSolverType::external;
  options.make_coarse_solver = [](const CSRMatrix<double> &matrix) -> ExternalSolver {
    return {[inverse = dense_inverse(Device::host(1), matrix)](const Array<double> &b, Array<double> &x) {
      for (std::size_t i = 0; i < b.size(); ++i)
        x[i] = std::inner_product(b.begin(), b.end(), &inverse[i * b.size()], 0.);
    }};
  };
  const DeviceLevel<double> level(Device::host(1), {A, nullptr, nullptr});
  const auto                solver = make_coarse_solver(level, options);
  Array<double>             expected(A->n_rows);
  for (int i = 0; i < A->n_rows; ++i)
    expected[i] = std::sin(1. + 3. * i);
  Vector<double> x(Device::host(1), A->n_rows);
  solver->solve(Vector<double>(Device::host(1), product(*A, expected)), x);
  const auto found = to_host(x);
  for (int i = 0; i < A->n_rows; ++i)
    EXPECT_NEAR(found[i] - found[0], expected[i] - expected[0], 1e-11) << i;
}

TEST_P(InverseOnDevice, NaNThrows)
{
  Dense A(40, Values(40, 0.));
  for (int i = 0; i < 40; ++i)
    A[i][i] = 1;
  A[0][39] = nan_value; // no elimination step meets it
  expect_error<RunError>([&] { dense_inverse(device, to_csr(A)); }, {"coarsest level"});
  A[0][39] = 0;
  A[3][3]  = nan_value;
  expect_error<RunError>([&] { dense_inverse(device, to_csr(A)); }, {"coarsest level"});
}

TEST_P(InverseOnDevice, PivotsWhereTheDiagonalIsZero)
{
  // A cyclic shift, scaled; its inverse shifts back.
  const int n = 37;
  Dense     shift(n, Values(n, 0.));
  for (int i = 0; i < n; ++i)
    shift[i][(i + 5) % n] = i + 1;
  const auto inverse = dense_inverse(device, to_csr(shift));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      EXPECT_EQ(inverse[((i + 5) % n) * n + j], j == i ? 1. / (i + 1) : 0.) << i << ", " << j;

  // A saddle point: no diagonal at all in its last rows.
  Dense        saddle = spd_matrix(20);
  const Values random = random_values(20 * 6, 2);
  for (auto &row : saddle)
    row.resize(26, 0.);
  saddle.resize(26, Values(26, 0.));
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 6; ++j)
      saddle[i][20 + j] = saddle[20 + j][i] = random[6 * i + j];
  const auto values = dense_inverse(device, to_csr(saddle));
  Dense      rows(26, Values(26));
  for (int i = 0; i < 26 * 26; ++i)
    rows[i / 26][i % 26] = values[i];
  expect_identity(multiply(saddle, rows), 1e-9, "saddle point");
  expect_identity(multiply(rows, saddle), 1e-9, "saddle point from the left");
}

TEST_P(InverseOnDevice, NearlySingularMatricesThrow)
{
  Dense A = spd_matrix(30);
  A[7]    = A[12];
  expect_error<RunError>([&] { dense_inverse(device, to_csr(A)); }, {"coarsest level", "boundary conditions"});
  A[7][3] += 1e-14;
  expect_error<RunError>([&] { dense_inverse(device, to_csr(A)); },
                         {"coarsest level", "condition number", "boundary conditions"});
  // Scale alone is no fault, and neither are rows in units of their own.
  const auto small = dense_inverse(device, to_csr({{1e-20, 0}, {0, 2e-20}}));
  EXPECT_DOUBLE_EQ(small[0], 1e20);
  EXPECT_DOUBLE_EQ(small[3], 0.5e20);
  const auto mixed = dense_inverse(device, to_csr({{1, 0}, {0, 1e-20}}));
  EXPECT_DOUBLE_EQ(mixed[0], 1);
  EXPECT_DOUBLE_EQ(mixed[3], 1e20);
}

TEST(DenseInverse, OfUnknownsOfOtherRanksThrows)
{
  expect_error<RunError>([] { dense_inverse(Device::host(2), random_matrix(4, 6, Rows::equal, 1)); },
                         {"coarsest level", "ranks"});
}
