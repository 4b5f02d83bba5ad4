// Lines of strong couplings, and the tridiagonal solves along them, against their definitions.

#include "multigrid/smoothers/line/line.h"

#include "multigrid/linear_solver.h"
#include "multigrid/smoothers/registry.h"
#include "multigrid/v_cycle.h"
#include "support/dense.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/q1_grid.h"
#include "support/reference.h"

#include <algorithm>
#include <set>

using namespace adamant;
using namespace adamant::test;

namespace
{
// -div(a grad u) on a grid of n x n cells with five points a row, ax and ay the couplings in x and y of each row.
template <typename Strength>
CSRMatrix<double> five_points(int nx, int ny, const Strength &strength)
{
  Dense A(nx * ny, Values(nx * ny));
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x)
      {
        const int  i      = y * nx + x;
        const auto couple = [&](int j, double s) {
          A[i][j] -= s;
          A[j][i] -= s;
          A[i][i] += s;
          A[j][j] += s;
        };
        A[i][i] += 0.01;
        if (x + 1 < nx)
          couple(i + 1, strength(x, y, 0));
        if (y + 1 < ny)
          couple(i + nx, strength(x, y, 1));
      }
  return to_csr(A);
}

std::multiset<int> lengths(const Lines &lines)
{
  std::multiset<int> all;
  for (int l = 0; l < lines.size(); ++l)
    all.insert(lines.start[l + 1] - lines.start[l]);
  return all;
}

void expect_every_row_once(const Lines &lines, int n)
{
  std::vector<int> rows(lines.row.begin(), lines.row.end());
  std::sort(rows.begin(), rows.end());
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i)
    ASSERT_EQ(rows[i], i);
}

// One line of each of these lengths, rows numbered at random, nonsymmetric, dominant diagonal.
struct Tridiagonal
{
  Lines         lines;
  Array<double> T;
  int           n() const { return static_cast<int>(lines.row.size()); }

  explicit Tridiagonal(const std::vector<int> &lengths)
  {
    lines.start.push_back(0);
    for (const int length : lengths)
      lines.start.push_back(lines.start.back() + length);
    const int n = lines.start.back();
    for (int i = 0; i < n; ++i)
      lines.row.push_back(static_cast<int>((i * 7919L + 13) % n)); // n and 7919 have no common factor
    const Values random = random_values(3 * n, 5);
    T.assign(3 * static_cast<std::size_t>(n), 0.);
    for (int l = 0; l < lines.size(); ++l)
      for (int k = lines.start[l]; k < lines.start[l + 1]; ++k)
        {
          const int row  = lines.row[k];
          T[row]         = k > lines.start[l] ? random[row] - 1.5 : 0.;
          T[2 * n + row] = k + 1 < lines.start[l + 1] ? random[2 * n + row] - 1.5 : 0.;
          T[n + row]     = 0.02 + std::abs(T[row]) + std::abs(T[2 * n + row]);
        }
  }
  Values product(const Values &z) const
  {
    Values r(n());
    for (int l = 0; l < lines.size(); ++l)
      for (int k = lines.start[l]; k < lines.start[l + 1]; ++k)
        {
          const int row = lines.row[k];
          r[row]        = T[n() + row] * z[row];
          if (k > lines.start[l])
            r[row] += T[row] * z[lines.row[k - 1]];
          if (k + 1 < lines.start[l + 1])
            r[row] += T[2 * n() + row] * z[lines.row[k + 1]];
        }
    return r;
  }
};

template <class In>
class Line : public PrecisionTest<In>
{
protected:
  using Number = typename In::Number;

  Vector<Number>      vector(const Values &values) const { return to_device<Number>(this->device, values); }
  DeviceLevel<Number> level(const CSRMatrix<double> &A) const
  {
    return {this->device, {std::make_shared<CSRMatrix<double>>(A), nullptr, nullptr}};
  }
};
TYPED_TEST_SUITE(Line, Precisions, PrecisionName);
} // namespace

TEST(StrongLines, FollowTheStrongDirection)
{
  for (const int direction : {0, 1})
    {
      const auto lines = strong_lines(five_points(9, 7, [=](int, int, int d) { return d == direction ? 1. : 0.1; }), 1);
      expect_every_row_once(lines, 63);
      EXPECT_EQ(lines.size(), direction == 0 ? 7 : 9);
      EXPECT_EQ(lines.longest(), direction == 0 ? 9 : 7);
      for (int l = 0; l < lines.size(); ++l)
        for (int k = lines.start[l]; k + 1 < lines.start[l + 1]; ++k)
          EXPECT_EQ(std::abs(lines.row[k] - lines.row[k + 1]), direction == 0 ? 1 : 9);
    }
}

TEST(StrongLines, TrilinearElementsOnStretchedCells)
{
  const Grid grid{3, 6};
  const auto lines = strong_lines(q1_matrix(grid, {0, 1, {}, {1, 1, 10}}), 1);
  expect_every_row_once(lines, 343);
  // Inside 25 lines of five nodes in z; constrained nodes are alone.
  EXPECT_EQ(lengths(lines).count(5), 25u);
  EXPECT_EQ(lengths(lines).count(1), 343u - 125u);
}

TEST(StrongLines, FollowGradedSpacing)
{
  // The coupling in x grows threefold from cell to cell, then falls: each row's strongest one is to one side only.
  const std::vector<double> cells = {1, 3, 9, 27, 81, 27, 9, 3, 1};
  const auto lines = strong_lines(five_points(10, 6, [&](int x, int, int d) { return d == 0 ? cells[x] : 0.01; }), 1);
  EXPECT_EQ(lines.size(), 6);
  EXPECT_EQ(lines.longest(), 10);
}

TEST(StrongLines, ARowWithoutDirectionIsAPoint)
{
  for (const auto &A : {five_points(8, 8, [](int, int, int) { return 1.; }), q1_matrix({2, 8}, {})})
    {
      const auto lines = strong_lines(A, 1);
      // At a corner with natural conditions two couplings remain; a line there has at most its three rows.
      EXPECT_GE(lines.size(), A.n_rows - 8);
      EXPECT_LE(lines.longest(), 3);
    }
}

TEST(StrongLines, KeepToTheirComponent)
{
  // The second component couples in y, the first one in x, and both with each other at each node.
  const auto x = to_dense(five_points(5, 5, [](int, int, int d) { return d == 0 ? 1. : 0.1; })),
             y = to_dense(five_points(5, 5, [](int, int, int d) { return d == 1 ? 1. : 0.1; }));
  Dense A(50, Values(50));
  for (int i = 0; i < 25; ++i)
    {
      A[2 * i][2 * i + 1] = A[2 * i + 1][2 * i] = -100;
      for (int j = 0; j < 25; ++j)
        {
          A[2 * i][2 * j]         = x[i][j];
          A[2 * i + 1][2 * j + 1] = y[i][j];
        }
    }
  const auto lines = strong_lines(to_csr(A), 2);
  expect_every_row_once(lines, 50);
  EXPECT_EQ(lines.size(), 10);
  for (int l = 0; l < lines.size(); ++l)
    for (int k = lines.start[l]; k + 1 < lines.start[l + 1]; ++k)
      EXPECT_EQ(std::abs(lines.row[k + 1] - lines.row[k]), lines.row[k] % 2 == 0 ? 2 : 10);
}

TEST(StrongLines, RingsAreCutAtTheirWeakestCoupling)
{
  const int n = 6;
  Dense     A(n, Values(n));
  for (int i = 0; i < n; ++i)
    {
      A[i][i]           = 3;
      A[i][(i + 1) % n] = A[(i + 1) % n][i] = i == 2 ? -0.95 : -1;
    }
  const auto lines = strong_lines(to_csr(A), 1);
  ASSERT_EQ(lines.size(), 1);
  EXPECT_EQ(std::min(lines.row.front(), lines.row.back()), 2);
  EXPECT_EQ(std::max(lines.row.front(), lines.row.back()), 3);
}

TYPED_TEST(Line, SolvesWithTheTridiagonalMatrix)
{
  using Number = typename TestFixture::Number;
  // Of one piece and a row more, of one and several separators, of the most rows, in several groups.
  for (const auto &lengths : std::vector<std::vector<int>>{
         {1}, {1, 2, 31, 32, 33}, {64, 65, 66, 1}, {1025, 3}, {longest_line, 90, 1, 1}, std::vector<int>(1100, 100)})
    {
      const Tridiagonal    exact(lengths);
      LineSolver<Number>   solver(this->device, exact.lines);
      const Values         z = random_values(exact.n(), 3);
      const Vector<double> T(this->device, exact.T);
      for (int repeat = 0; repeat < 2; ++repeat)
        {
          solver.factorize(T);
          const auto     r = this->vector(exact.product(z));
          Vector<Number> result(this->device, exact.n());
          solver.solve(r, TakeSolution<Number>{Number(2), result.data()});
          const double error = norm(combine(0.5, values_of(result), -1, z)) / norm(z);
          EXPECT_LT(error, sizeof(Number) == 8 ? 1e-12 : 2e-4)
            << lengths.size() << " lines, the first of " << lengths[0];
        }
    }
}

TYPED_TEST(Line, IsSymmetricAndItsStepIsItsDefinition)
{
  using Number            = typename TestFixture::Number;
  const auto     A        = five_points(90, 4, [](int x, int, int d) { return d == 0 ? 5. + x % 3 : 0.3; });
  const double   tol      = sizeof(Number) == 8 ? 1e-11 : 1e-4;
  const auto     smoother = make_smoother("line", this->level(A));
  const int      n        = A.n_rows;
  const Values   a = random_values(n, 1), b = random_values(n, 2);
  Vector<Number> Sa(this->device, n), Sb(this->device, n);
  smoother->vmult(1, this->vector(a), Sa, false);
  smoother->vmult(1, this->vector(b), Sb, false);
  EXPECT_NEAR(dot(b, values_of(Sa)), dot(a, values_of(Sb)), tol * norm(a) * norm(values_of(Sb)));

  auto           x     = this->vector(a);
  const auto     d_old = this->vector(b);
  Vector<Number> d(this->device, n), y(this->device, n), S(this->device, n);
  const Values   residual = combine(1, b, -1, product(A, a));
  smoother->vmult(1, this->vector(residual), S, false);
  const Values expected = combine(0.3, b, 0.7, values_of(S)), next = combine(1, a, 1, expected);
  const auto  &result = smoother->step(Number(0.3), Number(0.7), this->vector(b), x, d_old, d, y, false);
  EXPECT_LT(norm(combine(1, values_of(d), -1, expected)), tol * norm(expected));
  EXPECT_LT(norm(combine(1, values_of(result), -1, next)), tol * norm(next));
}

TYPED_TEST(Line, UpdateTakesTheNewValues)
{
  using Number = typename TestFixture::Number;
  const auto matrix =
    std::make_shared<CSRMatrix<double>>(five_points(70, 3, [](int, int, int d) { return d == 0 ? 1. : 0.1; }));
  const auto smoother = make_smoother("line", DeviceLevel<Number>(this->device, {matrix, nullptr, nullptr}));
  for (double &value : matrix->value)
    value *= 4;
  const auto     b = this->vector(random_values(matrix->n_rows, 1));
  Vector<Number> before(this->device, b.size()), after(this->device, b.size());
  smoother->vmult(1, b, before, false);
  smoother->update();
  smoother->vmult(4, b, after, false);
  EXPECT_LT(norm(combine(1, values_of(before), -1, values_of(after))), 1e-6 * norm(values_of(before)));
}

TYPED_TEST(Line, StretchedCellsCostNoIterations)
{
  // Iterations of the prototype on 128 x 128 cells, 64 here, and one more; Jacobi takes 51 at 10 and more than 100
  // beyond.
  using Number = typename TestFixture::Number;
  for (const auto &[aspect, at_most] : {std::pair(1., 6), std::pair(10., 5), std::pair(100., 4), std::pair(1000., 4)})
    {
      const auto          levels = q1_levels(2, 4, 5, {0, 1, {}, {1, aspect, 1}});
      LinearSolverOptions options;
      options.type                = SolverType::cg;
      options.precision           = sizeof(Number) == 8 ? Precision::float64 : Precision::float32;
      options.multigrid.smoother  = {"line", true, 0.8, 4.};
      options.multigrid.pre_steps = options.multigrid.post_steps = 3;
      options.control.tolerance                                  = 1e-8;
      LinearSolver   solver(this->device, levels.data, options);
      const auto     b = to_device(this->device, random_values(levels.n_rows(), 1));
      Vector<double> x(this->device, b.size());
      EXPECT_LE(solver.solve(b, x).iterations, at_most) << "aspect " << aspect;
    }
}

TYPED_TEST(Line, NamesTheRowOfABadPivot)
{
  for (const Dense &A : {Dense{{1, 0}, {0, -2}}, Dense{{1, -2}, {-2, 1}}, Dense{{1, 0}, {0, nan_value}}})
    expect_error<RunError>([&] { make_smoother("line", this->level(to_csr(A))); }, {"row 1", "pivot", "fsai"});
}
