#include "direct/schur.h"

#include "base/csr/csr_operations.h"
#include "direct/column_cycle.h"
#include "direct/column_solver.h"
#include "support/column_inverse.h"
#include "support/devices.h"
#include "support/q1_grid.h"
#include "support/reference.h"

#include <algorithm>
#include <cmath>

using namespace adamant;
using namespace adamant::test;

namespace
{
// Nested grids of a square or cube, u = 0 on all sides but the first with `natural`: from n_coarse to n cells a
// direction.
struct Nested
{
  Nested(int dim, int n_coarse, int n, bool natural = false, double stretch = 1.)
    : grid{dim, n}
  {
    Coefficients c;
    c.stretch[1] = stretch;
    matrix       = q1_matrix(grid, c, false);
    for (int cells = 2 * n_coarse; cells <= n; cells *= 2)
      prolongations.push_back(std::make_shared<CSRMatrix<double>>(q1_prolongation(Grid{dim, cells}, false)));
    for (int i = 0; i < grid.n_nodes(); ++i)
      {
        auto p = grid.position(i);
        if (natural && p[0] == 0)
          p[0] = 1;
        if (!grid.on_boundary(p))
          unknowns.push_back(i);
      }
    nodes = std::make_unique<NestedNodes>(prolongations, unknowns);
  }
  CSRMatrix<double> of_unknowns() const
  {
    const auto          dense = to_dense(matrix);
    std::vector<Values> rows;
    for (const int i : unknowns)
      {
        rows.emplace_back();
        for (const int j : unknowns)
          rows.back().push_back(dense[i][j]);
      }
    return to_csr(rows);
  }
  Schur solver(const Device &device, Arithmetic arithmetic, int r = 1) const
  {
    const MacroCells cells(*nodes, matrix);
    return {device, *nodes, cells, Prehandled(*nodes, cells, matrix), arithmetic, r};
  }

  Grid                                                  grid;
  CSRMatrix<double>                                     matrix;
  std::vector<std::shared_ptr<const CSRMatrix<double>>> prolongations;
  Array<int>                                            unknowns;
  std::unique_ptr<NestedNodes>                          nodes;
};

// The levels of the unit square with n cells a side, down to 4, u = 0 on all sides; unknowns alone.
std::vector<LevelData> levels_of_unknowns(int n)
{
  std::vector<LevelData> levels;
  const auto             inner = [](const Grid &grid) {
    Array<int> numbers;
    for (int i = 0; i < grid.n_nodes(); ++i)
      if (!grid.on_boundary(grid.position(i)))
        numbers.push_back(i);
    return numbers;
  };
  for (int cells = 4; cells <= n; cells *= 2)
    {
      const Grid grid{2, cells}, coarse{2, cells / 2};
      LevelData  level;
      level.values =
        std::make_shared<CSRMatrix<double>>(submatrix(q1_matrix(grid, {}, false), inner(grid), inner(grid)));
      if (cells > 4)
        {
          level.prolongation =
            std::make_shared<CSRMatrix<double>>(submatrix(q1_prolongation(grid, false), inner(grid), inner(coarse)));
          level.restriction = std::make_shared<CSRMatrix<double>>(transpose(*level.prolongation));
        }
      levels.push_back(level);
    }
  return levels;
}

class SchurTest : public DeviceTest
{
};
INSTANTIATE_TEST_SUITE_P(Devices, SchurTest, all_places, place_name);
} // namespace

TEST_P(SchurTest, SolvesInDouble)
{
  struct Problem
  {
    int    dim, n_coarse, n;
    bool   natural;
    double stretch;
  };
  for (const auto &p : {Problem{2, 4, 16, false, 1}, Problem{2, 2, 16, true, 1}, Problem{2, 4, 16, false, 3},
                        Problem{2, 4, 32, true, 2}})
    {
      const Nested   nested(p.dim, p.n_coarse, p.n, p.natural, p.stretch);
      const auto     A      = nested.of_unknowns();
      const Schur    solver = nested.solver(device, Arithmetic::float64);
      const auto     b      = random_values(A.n_rows, 3);
      Vector<double> x(device, A.n_rows);
      solver.solve(to_device(device, b), x);
      EXPECT_LT(relative_residual(A, values_of(x), b), 1e-12) << p.n_coarse << " to " << p.n << " cells";
    }
}

TEST_P(SchurTest, AddsToASolution)
{
  const Nested nested(2, 4, 16);
  const int    n = nested.nodes->n_unknowns;
  for (const int r : {1, 3, 8})
    for (const auto arithmetic : {Arithmetic::float64, Arithmetic::float32})
      {
        const Schur    solver = nested.solver(device, arithmetic, r);
        const auto     b      = to_device(device, random_values(std::size_t(n) * r, 3));
        const auto     x      = random_values(std::size_t(n) * r, 4);
        auto           sum    = to_device(device, x);
        Vector<double> alone(device, n * r);
        ColumnNorms    norms(device, n, r);
        solver.solve(b, alone);
        solver.apply(b, norms(b), true, sum);
        expect_near(values_of(sum), combine(1, x, 1, values_of(alone)), 1e-14, "x + M b");
      }
}

TEST_P(SchurTest, TakesVectorsInFloat)
{
  const Nested nested(2, 4, 16);
  expect_vectors_in_float(device, nested.nodes->n_unknowns,
                          [&](Arithmetic arithmetic, int r) { return nested.solver(device, arithmetic, r); });
}

// S, S⁻¹ and Sᵀ applied level by level against their product as matrices.
TEST_P(SchurTest, HierarchicalBasisIsTheProductOfItsSteps)
{
  for (const int dim : {2, 3})
    {
      const Nested                    nested(dim, 2, 8);
      const HierarchicalBasis<double> basis(device, *nested.nodes);
      const int                       n = nested.nodes->n_unknowns, r = 3;
      const auto x = random_values(std::size_t(n) * r, 5), b = random_values(std::size_t(n) * r, 6);
      auto       X = to_device(device, x), B = to_device(device, b);
      basis.to_nodal(r, X);
      basis.load_to_hierarchical(r, B);
      const auto columns = [&](const Values &all, int s) {
        Values column;
        for (int i = 0; i < n; ++i)
          column.push_back(all[std::size_t(i) * r + s]);
        return column;
      };
      for (int s = 0; s < r; ++s)
        {
          Values y = columns(x, s), c = columns(b, s);
          for (int l = 0; l + 1 < nested.nodes->n_levels(); ++l)
            y = product(hierarchical_step(*nested.nodes, l), y);
          for (int l = nested.nodes->n_levels() - 1; l-- > 0;)
            c = product(transpose(hierarchical_step(*nested.nodes, l)), c);
          expect_near(columns(values_of(X), s), y, 1e-13, "S x");
          expect_near(columns(values_of(B), s), c, 1e-13, "Sᵀ b");
        }
    }
}

TEST(Prehandled, BlocksAreThoseOfThePaper)
{
  const Nested     nested(2, 4, 16);
  const MacroCells cells(*nested.nodes, nested.matrix);
  EXPECT_EQ(cells.coarse.size(), 9u) << "expected (n0 - 1)²";
  EXPECT_EQ(cells.edge.size(), 2u * 3 * 12) << "expected 2 (n0 - 1) (n - n0)";
  EXPECT_EQ(cells.n_inner, 12 * 12) << "expected (n - n0)²";
  ASSERT_EQ(cells.classes.size(), 1u) << "expected that all squares are alike";
  EXPECT_EQ(cells.classes[0].n_cells, 16);
  const Prehandled matrices(*nested.nodes, cells, nested.matrix);
  for (const double value : diagonal(matrices.hierarchical))
    EXPECT_NEAR(value, 8. / 3., 1e-12) << "expected the diagonal of Q1 squares on all levels";
  // L⁻¹ Ã_CC L⁻ᵀ = 1
  const auto A = to_dense(matrices.hierarchical);
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 9; ++j)
      {
        double sum = 0;
        for (int k = 0; k < 9; ++k)
          for (int l = 0; l < 9; ++l)
            sum += matrices.L_inverse[9 * i + k] * A[cells.coarse[k]][cells.coarse[l]] * matrices.L_inverse[9 * j + l];
        EXPECT_NEAR(sum, i == j, 1e-12) << "entry " << i << ", " << j << " of A_CC";
      }
}

TEST(Prehandled, RefusesWhatItsFormulasAreNotFor)
{
  // A shear term: coarse functions are not harmonic.
  Nested nested(2, 4, 16);
  for (int i = 0; i < nested.matrix.n_rows; ++i)
    for (auto k = nested.matrix.row_start[i]; k < nested.matrix.row_start[i + 1]; ++k)
      if (std::abs(nested.matrix.column[k] - i) == nested.grid.n + 2)
        nested.matrix.value[k] *= 1.1;
  const MacroCells cells(*nested.nodes, nested.matrix);
  EXPECT_THROW(Prehandled(*nested.nodes, cells, nested.matrix), InputError);
  // A hanging node: an empty row of the prolongation.
  const Nested other(2, 4, 8);
  auto         P = std::make_shared<CSRMatrix<double>>(*other.prolongations[0]);
  for (int i = 31; i <= P->n_rows; ++i)
    P->row_start[i] -= other.prolongations[0]->row_start[31] - other.prolongations[0]->row_start[30];
  P->column.erase(P->column.begin() + P->row_start[30], P->column.begin() + other.prolongations[0]->row_start[31]);
  P->value.erase(P->value.begin() + P->row_start[30], P->value.begin() + other.prolongations[0]->row_start[31]);
  const NestedNodes hanging({P}, other.unknowns);
  EXPECT_TRUE(hanging.hanging);
  EXPECT_THROW(MacroCells(hanging, other.matrix), InputError);
}

// κ by Lanczos against the paper's figures, and against all eigenvalues for a small matrix.
TEST(ConditionNumbers, AreThePapers)
{
  const Nested     nested(2, 4, 32);
  const MacroCells cells(*nested.nodes, nested.matrix);
  const auto       kappa = condition_numbers(Device::host(2), *nested.nodes, cells,
                                             Prehandled(*nested.nodes, cells, nested.matrix), nested.matrix);
  // Cells have 8 x 8 fine ones, as in Table 1 with h = 1/256 and h0 = 1/32. C does not depend on h0.
  ASSERT_EQ(kappa.C.size(), 1u);
  EXPECT_NEAR(kappa.C[0], 6.6, 0.05);
  const double c          = std::cos(std::acos(-1.) / 32); // of A: (8 - 2 (cx + cy) - 4 cx cy) / 3
  const auto   eigenvalue = [](double x, double y) { return (8. - 2. * (x + y) - 4. * x * y) / 3.; };
  double       largest    = 0;
  for (int i = 1; i < 32; ++i)
    for (int j = 1; j < 32; ++j)
      largest = std::max(largest, eigenvalue(std::cos(i * std::acos(-1.) / 32), std::cos(j * std::acos(-1.) / 32)));
  EXPECT_NEAR(kappa.nodal, largest / eigenvalue(c, c), 1e-3 * kappa.nodal);
  EXPECT_NEAR(kappa.hierarchical, 16., 0.5) << "expected 16 for squares at h = 1/32 and h0 = 1/4";
  EXPECT_NEAR(kappa.prehandled, 14.3, 0.2);
  EXPECT_NEAR(kappa.Pi, 9.1, 0.1);
}

TEST_P(SchurTest, ErrorsAndRefinementAreThoseOfThePrecision)
{
  const Nested               nested(2, 8, 64);
  const auto                 A = nested.nodes->n_unknowns;
  const MacroCells           cells(*nested.nodes, nested.matrix);
  const Prehandled           matrices(*nested.nodes, cells, nested.matrix);
  const ColumnMatrix<double> matrix(device, submatrix(nested.matrix, nested.unknowns, nested.unknowns));
  for (const int r : {1, 4})
    {
      const Schur    exact(device, *nested.nodes, cells, matrices, Arithmetic::float64, r);
      auto           b = to_device(device, random_values(std::size_t(A) * r, 3));
      Vector<double> x(device, b.size()), y(device, b.size());
      exact.solve(b, x);
      struct Bounds
      {
        Arithmetic arithmetic;
        double     least, most;
        int        refinements;
      };
      for (const auto &p : {Bounds{Arithmetic::float32, 1e-9, 1e-6, 3}, Bounds{Arithmetic::tf32, 1e-9, 1e-3, 5},
                            Bounds{Arithmetic::float16, 1e-5, 1e-3, 5}, Bounds{Arithmetic::bfloat16, 1e-4, 5e-3, 9}})
        {
          const Schur solver(device, *nested.nodes, cells, matrices, p.arithmetic, r);
          solver.solve(b, y);
          const double error = norm(combine(1, values_of(x), -1, values_of(y))) / norm(values_of(x));
          EXPECT_GT(error, p.least) << to_text(p.arithmetic) << ", " << r << " columns";
          EXPECT_LT(error, p.most) << to_text(p.arithmetic) << ", " << r << " columns";
          ColumnSolver refined(device, matrix, r, solver, ColumnSolver::Method::refinement);
          const auto   result = refined.solve(b, y, {1e-11, 20, "test"});
          EXPECT_LE(result.largest_residual, 1e-11) << to_text(p.arithmetic);
          EXPECT_LE(result.iterations, p.refinements) << to_text(p.arithmetic);
        }
    }
}

// A column alone, or one of several: the same bits in double, on the host.
TEST(Schur, ColumnsAreIndependentOfTheirNumber)
{
  const Device device = Device::host(2);
  const Nested nested(2, 4, 16);
  const int    n = nested.nodes->n_unknowns, r = 64;
  const auto   B = random_values(std::size_t(n) * r, 9);
  Values       b(n), expected(n);
  for (int i = 0; i < n; ++i)
    b[i] = B[std::size_t(i) * r + 1];
  Vector<double> X(device, n * r), x(device, n);
  nested.solver(device, Arithmetic::float64, r).solve(to_device(device, B), X);
  nested.solver(device, Arithmetic::float64).solve(to_device(device, b), x);
  for (int i = 0; i < n; ++i)
    expected[i] = values_of(X)[std::size_t(i) * r + 1];
  EXPECT_EQ(values_of(x), expected);
}

TEST(Schur, CountsOperations)
{
  const Nested nested(2, 4, 32);
  const Schur  solver = nested.solver(Device::host(1), Arithmetic::float64);
  const double E = 2. * 3 * 28, C = 9, cells = 16, inner = 49, around = 4 * 7;
  EXPECT_EQ(solver.flop(), 2 * E * E + 4 * C * E + 2 * C * C + 2 * cells * inner * (inner + 2 * around));
  EXPECT_EQ(solver.paper_flop(), 2 * E * E + 4 * C * E + 4 * cells * inner * inner);
}

// 7 x 7 unknowns above 3 x 3, two columns in float, counted by hand.
TEST(ColumnCycle, CountsOperationsAndBytes)
{
  const auto cost = cycle_cost(levels_of_unknowns(8), 3, 2, sizeof(float));
  // A has 19² entries, P and R 81 each; A six times.
  EXPECT_EQ(cost.flop, 2 * (6 * 361 + 2 * 81) + 2 * 9 * 9);
  const double A = 361 * 8 + 50 * 8, P = 81 * 8 + 50 * 8, R = 81 * 8 + 10 * 8, diagonal = 4 * 49, vector = 8 * 49,
               coarse = 8 * 9, conversions = 2 * 49 * (8 + 16), inverse = 4 * 81;
  // Three vectors in the step from zero, five in each of five others, three for residual, one and two for the transfer.
  EXPECT_EQ(cost.traffic, 6 * (A + diagonal) + P + R + vector * (3 + 5 * 5 + 3 + 1 + 2) + 2 * coarse + conversions +
                            inverse + 2 * coarse);
}

// Columns of very different size, one of zeros: each to its own tolerance; a precision that does not do is replaced.
TEST_P(SchurTest, EachColumnReachesItsTolerance)
{
  const Nested               nested(2, 4, 16);
  const int                  n = nested.nodes->n_unknowns, r = 4;
  const auto                 A = submatrix(nested.matrix, nested.unknowns, nested.unknowns);
  const ColumnMatrix<double> matrix(device, A);
  auto                       b = random_values(std::size_t(n) * r, 3);
  for (int i = 0; i < n; ++i)
    {
      b[std::size_t(i) * r + 1] *= 1e-12;
      b[std::size_t(i) * r + 2] = 0;
      b[std::size_t(i) * r + 3] *= 1e9;
    }
  const auto check = [&](const Vector<double> &x) {
    for (int s = 0; s < r; ++s)
      {
        Values x_s, b_s;
        for (int i = 0; i < n; ++i)
          {
            x_s.push_back(values_of(x)[std::size_t(i) * r + s]);
            b_s.push_back(b[std::size_t(i) * r + s]);
          }
        if (s == 2)
          EXPECT_EQ(norm(x_s), 0.) << "expected zero";
        else
          EXPECT_LT(relative_residual(A, x_s, b_s), 1.1e-10) << "of column " << s;
      }
  };
  auto           B = to_device(device, b);
  Vector<double> x(device, n * r);
  const Schur    schur = nested.solver(device, Arithmetic::float16, r);
  ColumnSolver   refined(device, matrix, r, schur, ColumnSolver::Method::refinement);
  EXPECT_EQ(refined.solve(B, x, {1e-10, 20, "test"}).n_redone, 0);
  check(x);
  const auto               levels = levels_of_unknowns(16);
  const ColumnCycle<float> cycle(device, levels, r, {});
  ColumnSolver             multigrid(device, matrix, r, cycle, ColumnSolver::Method::conjugate_gradients);
  EXPECT_LE(multigrid.solve(B, x, {1e-10, 20, "test"}).iterations, 12);
  check(x);
  // A cycle that is no inverse at all, and what takes its place.
  class Zero : public Preconditioner
  {
  public:
    void vmult(const Vector<double> &, Vector<double> &z) const override { z.set_zero(); }
    void update() override {}
  };
  const Zero   zero;
  ColumnSolver redone(device, matrix, r, zero, ColumnSolver::Method::refinement,
                      [&](int n) { return std::make_unique<Schur>(nested.solver(device, Arithmetic::float32, n)); });
  EXPECT_EQ(redone.solve(B, x, {1e-10, 20, "test"}).n_redone, 3) << "expected all but the column of zeros";
  check(x);
  // One column overflows: it alone is redone, twice in a row.
  class Overflowing : public Preconditioner
  {
  public:
    Overflowing(const Device &device, const Schur &schur)
      : device(device)
      , schur(schur)
      , factors(device, Array<double>{1., 1e308, 1., 1.})
    {}
    void vmult(const Vector<double> &b, Vector<double> &z) const override
    {
      schur.vmult(b, z);
      device.for_each(z.size(), ScaleColumns{r, false, factors.data(), z.data()});
    }
    void update() override {}

  private:
    const Device   device;
    const Schur   &schur;
    Vector<double> factors;
  };
  const Overflowing overflowing(device, schur);
  ColumnSolver      one(device, matrix, r, overflowing, ColumnSolver::Method::refinement,
                        [&](int n) { return std::make_unique<Schur>(nested.solver(device, Arithmetic::float32, n)); });
  for (int i = 0; i < 2; ++i)
    {
      EXPECT_EQ(one.solve(B, x, {1e-10, 20, "test"}).n_redone, 1);
      check(x);
    }
}

// 70 columns that are all bad: more than are redone at a time.
TEST_P(SchurTest, BadColumnsAreRedoneInGroups)
{
  const Nested               nested(2, 2, 8);
  const int                  n = nested.nodes->n_unknowns, r = 70;
  const ColumnMatrix<double> matrix(device, submatrix(nested.matrix, nested.unknowns, nested.unknowns));
  class Nothing : public Preconditioner
  {
  public:
    void vmult(const Vector<double> &, Vector<double> &z) const override { z.set_zero(); }
    void update() override {}
  };
  const Nothing  nothing;
  ColumnSolver   solver(device, matrix, r, nothing, ColumnSolver::Method::refinement, [&](int columns) {
    EXPECT_EQ(columns, 64);
    return std::make_unique<Schur>(nested.solver(device, Arithmetic::float32, columns));
  });
  auto           B = to_device(device, random_values(std::size_t(n) * r, 3));
  Vector<double> x(device, n * r);
  const auto     result = solver.solve(B, x, {1e-10, 20, "test"});
  EXPECT_EQ(result.n_redone, 70);
  EXPECT_LE(result.largest_residual, 1e-10);
}

// The V-cycle for several columns: few iterations, whatever the mesh width and the number of columns.
TEST_P(SchurTest, MultigridForColumnsConvergesFast)
{
  for (const int n : {32, 128})
    for (const int r : {1, 3, 8})
      {
        const auto                 levels = levels_of_unknowns(n);
        const ColumnMatrix<double> A(device, levels.back().matrix());
        const auto                 check = [&](const Preconditioner &cycle) {
          ColumnSolver   solver(device, A, r, cycle, ColumnSolver::Method::conjugate_gradients);
          auto           b = to_device(device, random_values(std::size_t(A.n_rows()) * r, 3));
          Vector<double> x(device, b.size());
          const auto     result = solver.solve(b, x, {1e-10, 20, "test"});
          EXPECT_LE(result.iterations, 9) << n << " cells, " << r << " columns";
          EXPECT_LE(result.largest_residual, 1e-10);
        };
        check(ColumnCycle<double>(device, levels, r, {}));
        check(ColumnCycle<float>(device, levels, r, {}));
      }
}
