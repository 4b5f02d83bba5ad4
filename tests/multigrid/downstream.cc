// Gauss-Seidel by cells downstream against the same cells one by one.
#include "multigrid/smoothers/setup.h"

#include "support/dense.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/q1_grid.h"
#include "support/reference.h"

#include <algorithm>
#include <array>
#include <numeric>

using namespace adamant;
using namespace adamant::test;

namespace
{
template <class In>
class DownstreamTest : public PrecisionTest<In>
{
};
TYPED_TEST_SUITE(DownstreamTest, Precisions, PrecisionName);

std::vector<int> rows_of(const Patches &patches, int p, int m)
{
  std::vector<int> rows;
  for (int k = patches.start[p]; k < patches.start[p + 1]; ++k)
    for (int c = 0; c < m; ++c)
      rows.push_back(patches.node[k] * m + c);
  return rows;
}

// x after all patches, in this order, from x = 0.
Values swept(const CSRMatrix<double> &A, const Patches &patches, const std::vector<int> &order, int m, const Values &b)
{
  Values x(A.n_rows, 0.);
  for (const int p : order)
    {
      const auto rows = rows_of(patches, p, m);
      Dense      local(rows.size(), Values(rows.size()));
      Values     residual;
      for (std::size_t i = 0; i < rows.size(); ++i)
        {
          residual.push_back(b[rows[i]]);
          for (int j = 0; j < A.n_rows; ++j)
            residual.back() -= entry(A, rows[i], j) * x[j];
          for (std::size_t j = 0; j < rows.size(); ++j)
            local[i][j] = entry(A, rows[i], rows[j]);
        }
      const Values d = dense_solve(local, residual);
      for (std::size_t i = 0; i < rows.size(); ++i)
        x[rows[i]] += d[i];
    }
  return x;
}

CSRMatrix<double> transport(const Grid &grid, double x, double y)
{
  return kronecker(q1_matrix(grid, {1, 0.001, {x, y, 0}}, false), {2, 0.5, -0.5, 3}, 2);
}
} // namespace

TEST(Downstream, StagesFollowTheFlow)
{
  const Grid grid{2, 8};
  const auto patches = cells_of(grid); // cell (i, j) is number j n + i
  for (const auto &[x, y] : std::vector<std::pair<double, double>>{{1, 0}, {-1, 0}, {0, -1}, {1, 0.5}, {-1, -1}})
    {
      const auto A     = transport(grid, x, y);
      const auto stage = downstream_stages(A, 2, patches, patches);
      for (int j = 0; j < 8; ++j)
        for (int i = 0; i < 8; ++i)
          {
            const int cell = j * 8 + i, along_x = x > 0 ? 1 : -1, along_y = y > 0 ? 1 : -1;
            if (x != 0. && i + along_x >= 0 && i + along_x < 8)
              {
                EXPECT_LT(stage[cell], stage[cell + along_x])
                  << "cell " << i << ", " << j << ", flow " << x << ", " << y;
              }
            if (y != 0. && j + along_y >= 0 && j + along_y < 8)
              {
                EXPECT_LT(stage[cell], stage[cell + 8 * along_y])
                  << "cell " << i << ", " << j << ", flow " << x << ", " << y;
              }
          }
      for (int p = 0; p < patches.size(); ++p)
        for (int q = 0; q < p; ++q)
          if (stage[p] == stage[q])
            for (const int i : rows_of(patches, p, 2))
              for (const int j : rows_of(patches, q, 2))
                {
                  EXPECT_EQ(entry(A, i, j), 0.) << "patches " << p << " and " << q << " are of one stage";
                }
    }
}

// A flow that turns: each patch still gets its stage.
TEST(Downstream, RingsHaveABeginning)
{
  const Grid grid{2, 8};
  auto       A = q1_matrix(grid, {1, 0.001, {0, 0, 0}}, false);
  for (int i = 0; i < A.n_rows; ++i)
    for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      {
        const auto p = grid.position(i), q = grid.position(A.column[k]);
        A.value[k] += 0.1 * ((p[0] - 4.) * (q[1] - 4.) - (p[1] - 4.) * (q[0] - 4.)); // as (∂_phi φ_j, φ_i)
      }
  const auto stage = downstream_stages(A, 1, cells_of(grid), cells_of(grid));
  EXPECT_GE(*std::min_element(stage.begin(), stage.end()), 0);
  EXPECT_LT(*std::max_element(stage.begin(), stage.end()), 64);
}

TYPED_TEST(DownstreamTest, IsASweepCellByCell)
{
  using Number = typename TypeParam::Number;
  const Grid grid{2, 6};
  const auto patches = cells_of(grid);
  const auto matrix  = std::make_shared<CSRMatrix<double>>(transport(grid, 1, 0.5));
  for (const bool changing : {false, true})
    {
      LevelData                       level{matrix, nullptr, nullptr, 2, [&](PatchKind) { return patches; }};
      std::shared_ptr<CompressedRows> rows;
      if (changing)
        {
          rows = std::make_shared<CompressedRows>(this->device, *matrix);
          rows->values.upload(matrix->value.data());
          level.values = ValuesOnDevice{matrix, rows};
        }
      const auto       smoother = make_smoother("downstream_patches", DeviceLevel<Number>(this->device, level));
      const auto       stage    = downstream_stages(*matrix, 2, patches, patches);
      std::vector<int> order(patches.size());
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int p, int q) { return stage[p] < stage[q]; });
      const Values b     = random_values(matrix->n_rows, 3);
      const auto   check = [&] {
        Vector<Number> x(this->device, matrix->n_rows), y(this->device, matrix->n_rows), none;
        smoother->vmult(Number(1), to_device<Number>(this->device, b), x, false);
        const Values expected = swept(*matrix, patches, order, 2, b);
        expect_near(values_of(x), expected, 1000 * rounding<Number>, "a sweep");
        // A step from x leaves b - A x times S: of the solution nothing changes.
        const Values start = random_values(matrix->n_rows, 4), image = test::product(*matrix, start);
        x = to_device<Number>(this->device, start);
        const auto &result =
          smoother->step(Number(0), Number(1), to_device<Number>(this->device, image), x, none, none, y, true);
        expect_near(values_of(result), start, 1000 * rounding<Number>, "a step at the solution");
      };
      check();
      const auto before = matrix->value;
      for (auto &value : matrix->value)
        value *= 3.;
      if (changing)
        rows->values.upload(matrix->value.data());
      smoother->update();
      check();
      matrix->value = before;
    }
}

TYPED_TEST(DownstreamTest, SaysWhereThereAreNoPatches)
{
  using Number                = typename TypeParam::Number;
  const auto                A = std::make_shared<CSRMatrix<double>>(q1_matrix({2, 4}, {}));
  const DeviceLevel<Number> none(this->device, {A, nullptr, nullptr});
  expect_error<InputError>([&] { make_smoother("downstream_patches", none); }, {"downstream_patches", "block_jacobi"});
}

// Around each inner node of a grid all nodes of its cells.
Patches stars_of(const Grid &grid)
{
  Patches patches;
  for (int node = 0; node < grid.n_nodes(); ++node)
    if (const auto p = grid.position(node); !grid.on_boundary(p))
      {
        for_each_neighbour(grid, p, [&](const std::array<int, 3> &q) { patches.node.push_back(grid.number(q)); });
        patches.start.push_back(static_cast<int>(patches.node.size()));
      }
  return patches;
}

// ‖x‖ / ‖x_0‖ after three sweeps for A x = 0 from random x_0.
template <typename Number>
double growth(const Device &device, const CSRMatrix<double> &A, const Patches &cells, const Patches &patches)
{
  const auto                matrix = std::make_shared<CSRMatrix<double>>(A);
  const DeviceLevel<Number> level(
    device, {matrix, nullptr, nullptr, 1, [&](PatchKind kind) { return kind == PatchKind::cells ? cells : patches; }});
  const auto     smoother = make_smoother("downstream_patches", level);
  Vector<Number> x = to_device<Number>(device, random_values(A.n_rows, 5)), b(device, A.n_rows), y(device, A.n_rows),
                 none;
  const double before = device.dot(x, x);
  for (int k = 0; k < 3; ++k)
    if (&smoother->step(Number(0), Number(1), b, x, none, none, y, false) == &y)
      std::swap(x, y);
  return std::sqrt(device.dot(x, x) / before);
}

// Transport with less diffusion than upwinding has (1.5 / n), far across the mesh in a time step.
TYPED_TEST(DownstreamTest, SweepsByStarsContractWhereThoseByCellsAmplify)
{
  using Number = typename TypeParam::Number;
  const int  n = 64;
  const Grid grid{2, n};
  const auto A     = q1_matrix(grid, {1, 0.7 / n, {3, 3, 0}});
  const auto cells = cells_of(grid);
  EXPECT_GT(growth<Number>(this->device, A, cells, cells), 1.);
  EXPECT_LT(growth<Number>(this->device, A, cells, stars_of(grid)), 1.);
}
