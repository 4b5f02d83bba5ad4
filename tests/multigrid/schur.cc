#include "multigrid/schur.h"

#include "multigrid/linear_solver.h"
#include "solvers/column_solver.h"
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
