// The smoothers by patches against their definitions.

#include "multigrid/smoothers/registry.h"

#include "multigrid/linear_solver.h"
#include "multigrid/smoothers/patch/patch_functors.h"
#include "support/dense.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/q1_grid.h"
#include "support/reference.h"

using namespace adamant;
using namespace adamant::test;

namespace
{
template <class In>
class PatchTest : public PrecisionTest<In>
{
protected:
  using Number = typename In::Number;

  Vector<Number> vector(const Values &values) const { return to_device<Number>(this->device, values); }
};
TYPED_TEST_SUITE(PatchTest, Precisions, PrecisionName);

Dense inverse(const Dense &A)
{
  const std::size_t n = A.size();
  Dense             result(n, Values(n));
  for (std::size_t j = 0; j < n; ++j)
    {
      Values unit(n, 0.);
      unit[j]             = 1.;
      const Values column = dense_solve(A, unit);
      for (std::size_t i = 0; i < n; ++i)
        result[i][j] = column[i];
    }
  return result;
}

// Σ_p R_pᵀ W_p (R_p A R_pᵀ)⁻¹ W_p R_p, W_p² = weight or, if it is 0, one over the numbers of patches; and the identity
// at rows without a patch.
Dense sum_of_inverses(const CSRMatrix<double> &A, const Patches &patches, int m, double weight = 0.)
{
  Dense               S(A.n_rows, Values(A.n_rows, 0.));
  std::vector<double> count(A.n_rows / m, 0.);
  for (const int node : patches.node)
    ++count[node];
  for (int i = 0; i < A.n_rows; ++i)
    S[i][i] = count[i / m] == 0. ? 1. : 0.;
  for (int p = 0; p < patches.size(); ++p)
    {
      std::vector<int> rows;
      for (int k = patches.start[p]; k < patches.start[p + 1]; ++k)
        for (int c = 0; c < m; ++c)
          rows.push_back(patches.node[k] * m + c);
      Dense local(rows.size(), Values(rows.size()));
      for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < rows.size(); ++j)
          local[i][j] = entry(A, rows[i], rows[j]);
      local = inverse(local);
      for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < rows.size(); ++j)
          S[rows[i]][rows[j]] +=
            local[i][j] * (weight > 0. ? weight : 1. / std::sqrt(count[rows[i] / m] * count[rows[j] / m]));
    }
  return S;
}

// A nonsymmetric system of m rows a node on a grid, with a mass so that patches are regular.
CSRMatrix<double> system_on(const Grid &grid, int m, double convection)
{
  const std::vector<double> couplings[] = {{1}, {2, 0.5, -0.5, 3}, {2, 0.5, 0.3, -0.5, 3, 0.1, 0.3, 0.1, 1}};
  return kronecker(q1_matrix(grid, {1, 0.1, {convection, -convection, convection}}, false), couplings[m - 1], m);
}
} // namespace

// Each patch has an unknown without entries, whose row and column of the inverse are zero.
TYPED_TEST(PatchTest, InvertsPatchesOfAnySize)
{
  using Number            = typename TestFixture::Number;
  Array<int>        start = {0}, node;
  CSRMatrix<double> A;
  A.row_start      = {0};
  const auto value = [](int n, int i, int j) {
    return i == n / 2 || j == n / 2 ? 0. : std::sin(1. + 13. * i + 7. * j * j) + (i == j ? 3. * std::sqrt(n) : 0.);
  };
  for (const int n : {7, 32, 33, 80, 81, 82, 110, 111, 112, 113, 200}) // kernels change at 32, 81, 112
    {
      for (int i = 0; i < n; ++i)
        {
          node.push_back(start.back() + i);
          for (int j = 0; j < n; ++j)
            {
              A.column.push_back(start.back() + j);
              A.value.push_back(value(n, i, j));
            }
          A.row_start.push_back(A.column.size());
        }
      start.push_back(node.size());
    }
  A.n_rows = A.n_cols = node.size();
  CompressedRows rows(this->device, A);
  rows.values.upload(A.value.data());
  const PatchLists lists(this->device, start, node, 1);
  Vector<Number>   inverse(this->device, static_cast<int>(lists.n_entries));
  invert_patches(this->device, rows.view(), lists, inverse.data(), Number(1e-5));
  const auto found = to_host(inverse);
  for (std::size_t p = 0, first = 0; p + 1 < start.size(); ++p)
    {
      const int n       = start[p + 1] - start[p];
      double    largest = 0.;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          {
            double sum = i == j && i != n / 2 ? -1. : 0.;
            for (int k = 0; k < n; ++k)
              sum += value(n, i, k) * found[first + std::size_t(j) * n + k];
            largest = std::max(largest, std::abs(sum));
            if (i == n / 2 || j == n / 2)
              EXPECT_EQ(found[first + std::size_t(j) * n + i], Number(0)) << i << ", " << j << " of " << n;
          }
      EXPECT_LT(largest, sizeof(Number) == 8 ? 1e-13 : 1e-5) << n;
      first += std::size_t(n) * n;
    }
}

TYPED_TEST(PatchTest, IsTheSumOfTheInversesOfPatches)
{
  using Number = typename TypeParam::Number;
  for (const int m : {1, 2, 3})
    for (const Grid grid : {Grid{2, 6}, Grid{3, 3}})
      {
        const auto matrix  = std::make_shared<CSRMatrix<double>>(system_on(grid, m, 0.2));
        auto       patches = cells_of(grid);
        // Without the last cell: one of its nodes has no patch.
        patches.node.resize(patches.start[patches.size() - 1]);
        patches.start.pop_back();
        for (const bool changing : {false, true})
          {
            const std::string what = std::to_string(m) + " rows a node, " + std::to_string(grid.dim) + "D";
            LevelData         level{matrix, nullptr, nullptr, m, [&](PatchKind) { return patches; }};
            std::shared_ptr<CompressedRows> rows;
            if (changing)
              {
                rows = std::make_shared<CompressedRows>(this->device, *matrix);
                rows->values.upload(matrix->value.data());
                level.values = ValuesOnDevice{matrix, rows};
              }
            const auto   smoother = make_smoother("cell_patches", DeviceLevel<Number>(this->device, level));
            const Values b        = random_values(matrix->n_rows, 3);
            const auto   check    = [&](const CSRMatrix<double> &A) {
              Values      expected(A.n_rows, 0.);
              const Dense S = sum_of_inverses(A, patches, m);
              for (int i = 0; i < A.n_rows; ++i)
                expected[i] = 0.5 * dot(S[i], b);
              Vector<Number> x(this->device, A.n_rows);
              smoother->vmult(Number(0.5), this->vector(b), x, false);
              expect_near(values_of(x), expected, 100 * rounding<Number>, what);
            };
            check(*matrix);
            *matrix = system_on(grid, m, 0.7);
            if (changing)
              rows->values.upload(matrix->value.data());
            smoother->update();
            check(*matrix);
            *matrix = system_on(grid, m, 0.2);
          }
      }
}

// Around each inner node all nodes at most `radius` away: not all of them couple.
Patches blocks_of(const Grid &grid, int radius)
{
  Patches patches;
  for (int centre = 0; centre < grid.n_nodes(); ++centre)
    {
      const auto p = grid.position(centre);
      for (int node = 0; node < grid.n_nodes(); ++node)
        {
          const auto q    = grid.position(node);
          bool       near = true;
          for (int d = 0; d < grid.dim; ++d)
            near = near && std::abs(p[d] - q[d]) <= radius && p[d] > 0 && p[d] < grid.n;
          if (near)
            patches.node.push_back(node);
        }
      if (static_cast<int>(patches.node.size()) > patches.start.back())
        patches.start.push_back(static_cast<int>(patches.node.size()));
    }
  return patches;
}

// Also patches of more unknowns than a thread keeps to itself: 5 x 5 nodes of 3 rows.
TYPED_TEST(PatchTest, PatchesAroundVerticesMayReachFurtherThanTheMatrix)
{
  using Number = typename TypeParam::Number;
  const Grid grid{2, 6};
  for (const int radius : {1, 2})
    {
      const auto                matrix  = std::make_shared<CSRMatrix<double>>(system_on(grid, 3, 0.2));
      const auto                patches = blocks_of(grid, radius);
      const double              most    = radius == 1 ? 9. : 25.; // patches of a node
      const DeviceLevel<Number> level(this->device, {matrix, nullptr, nullptr, 3, [&](PatchKind kind) {
                                                       EXPECT_EQ(kind, PatchKind::vertices);
                                                       return patches;
                                                     }});
      const auto                smoother = make_smoother("vertex_patches", level);
      const Values              b        = random_values(matrix->n_rows, 3);
      const auto                check    = [&] {
        const Dense S = sum_of_inverses(*matrix, patches, 3, 1. / most);
        Values      expected;
        for (int i = 0; i < matrix->n_rows; ++i)
          expected.push_back(dot(S[i], b));
        Vector<Number> x(this->device, matrix->n_rows);
        smoother->vmult(Number(1), this->vector(b), x, false);
        expect_near(values_of(x), expected, 100 * rounding<Number>, "patches of radius " + std::to_string(radius));
      };
      check();
      *matrix = system_on(grid, 3, 0.7);
      smoother->update();
      check();
    }
}

// An unknown that the others of its patch determine, as the last pressure between walls, is left out.
TYPED_TEST(PatchTest, SingularPatchesLoseAnUnknown)
{
  using Number                     = typename TypeParam::Number;
  const auto                matrix = std::make_shared<CSRMatrix<double>>(to_csr({{1, -1, 0}, {-1, 2, -1}, {0, -1, 1}}));
  const DeviceLevel<Number> level(this->device, {matrix, nullptr, nullptr, 1, [](PatchKind) {
                                                   Patches patches;
                                                   patches.node  = {0, 1, 2};
                                                   patches.start = {0, 3};
                                                   return patches;
                                                 }});
  const auto                smoother = make_smoother("cell_patches", level);
  Vector<Number>            x(this->device, 3);
  smoother->vmult(Number(1), this->vector({1, 1, 1}), x, false);
  expect_near(values_of(x), {3, 2, 0}, 10 * rounding<Number>, "the inverse of the first two rows");
}

TYPED_TEST(PatchTest, SaysWhereThereAreNoPatches)
{
  using Number                = typename TypeParam::Number;
  const auto                A = std::make_shared<CSRMatrix<double>>(q1_matrix({2, 4}, {}));
  const DeviceLevel<Number> none(this->device, {A, nullptr, nullptr});
  expect_error<InputError>([&] { make_smoother("cell_patches", none); }, {"cell_patches", "block_jacobi"});
}
