// Gauss-Seidel by colours against its definition.

#include "multigrid/smoothers/setup.h"

#include "multigrid/v_cycle.h"
#include "support/devices.h"
#include "support/q1_grid.h"
#include "support/reference.h"

#include <algorithm>

using namespace adamant;
using namespace adamant::test;

namespace
{
// A matrix of random pattern, nonsymmetric, with node blocks far from singular.
CSRMatrix<double> random_nodes(int n_nodes, int node_size, Rows rows, unsigned int seed)
{
  const int n     = n_nodes * node_size;
  auto      dense = to_dense(random_matrix(n, n, rows, seed));
  for (int i = 0; i < n; ++i)
    dense[i][i] += 20;
  return to_csr(dense);
}

const std::vector<double> couplings[] = {{1}, {2, 0.5, 0.5, 3}, {2, 0.5, 0.3, 0.5, 3, 0.1, 0.3, 0.1, 1}};

// Random matrices and grids, of nodes of one to three rows.
std::vector<std::pair<CSRMatrix<double>, int>> matrices()
{
  std::vector<std::pair<CSRMatrix<double>, int>> all;
  for (const int node_size : {1, 2, 3})
    {
      for (const Rows rows : {Rows::equal, Rows::irregular})
        all.emplace_back(random_nodes(67, node_size, rows, node_size), node_size);
      for (const Grid grid : {Grid{1, 30}, Grid{2, 12}, Grid{3, 5}})
        all.emplace_back(kronecker(q1_matrix(grid, {1, 0.1, {0.2, -0.4, 0.3}}), couplings[node_size - 1], node_size),
                         node_size);
    }
  return all;
}

// x <- x + D⁻¹ (b - A x) for one node after the other.
void relax_node(const CSRMatrix<double> &A, int node_size, int node, const Values &b, Values &x)
{
  const int           first = node * node_size;
  std::vector<Values> block(node_size, Values(node_size));
  Values              residual(node_size);
  for (int i = 0; i < node_size; ++i)
    {
      residual[i] = b[first + i];
      for (auto k = A.row_start[first + i]; k < A.row_start[first + i + 1]; ++k)
        residual[i] -= A.value[k] * x[A.column[k]];
      for (int j = 0; j < node_size; ++j)
        block[i][j] = entry(A, first + i, first + j);
    }
  const Values correction = dense_solve(block, residual);
  for (int i = 0; i < node_size; ++i)
    x[first + i] += correction[i];
}

// Block Gauss-Seidel in the order of the colours, or in reverse.
Values sweep(const CSRMatrix<double> &A, int node_size, const Values &b, Values x, bool reversed)
{
  const auto       colour = colours_of_nodes(A, node_size);
  std::vector<int> order(colour.size());
  for (std::size_t node = 0; node < order.size(); ++node)
    order[node] = static_cast<int>(node);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return colour[a] < colour[b]; });
  if (reversed)
    std::reverse(order.begin(), order.end());
  for (const int node : order)
    relax_node(A, node_size, node, b, x);
  return x;
}

template <class In>
class GaussSeidel : public PrecisionTest<In>
{
protected:
  using Number = typename In::Number;

  DeviceLevel<Number> level(const CSRMatrix<double> &A, int node_size) const
  {
    const auto shared = std::make_shared<CSRMatrix<double>>(A);
    return {this->device, {shared, nullptr, nullptr, node_size}};
  }
  Vector<Number> vector(const Values &values) const { return to_device<Number>(this->device, values); }

  // Factor by which V-cycles shrink the error in the end.
  double contraction(const Levels &levels, const MultigridOptions &options) const
  {
    const VCycle<Number> cycle(this->device, levels.data, options);
    Values               e      = random_values(levels.n_rows(), 1);
    double               factor = 0;
    for (int k = 0; k < 12; ++k)
      {
        const double before = norm(e);
        e                   = combine(1, e, -1, values_of(cycle.vmult(vector(product(levels.finest(), e)))));
        factor              = norm(e) / before;
        e                   = combine(1 / norm(e), e, 0, e);
      }
    return factor;
  }
};
TYPED_TEST_SUITE(GaussSeidel, Precisions, PrecisionName);
} // namespace

TEST(Colours, NodesThatCoupleDiffer)
{
  for (const auto &[A, node_size] : matrices())
    {
      const auto colour = colours_of_nodes(A, node_size);
      ASSERT_EQ(colour.size(), static_cast<std::size_t>(A.n_rows / node_size));
      int faults = 0;
      for (int i = 0; i < A.n_rows; ++i)
        for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
          if (const int node = i / node_size, other = A.column[k] / node_size; node != other)
            faults += colour[node] == colour[other];
      EXPECT_EQ(faults, 0) << A.n_rows << " rows, nodes of " << node_size;
      const int last = *std::max_element(colour.begin(), colour.end());
      for (int c = 0; c <= last; ++c)
        EXPECT_GT(std::count(colour.begin(), colour.end(), c), 0) << "expected no colour without nodes";
    }
}

TEST(Colours, AreAsFewAsTheStencilAllows)
{
  // All nodes of one cell couple: 2^dim of them.
  for (const Grid grid : {Grid{1, 30}, Grid{2, 12}, Grid{3, 5}})
    {
      const auto colour = colours_of_nodes(q1_matrix(grid, {}, false), 1);
      EXPECT_EQ(*std::max_element(colour.begin(), colour.end()), (1 << grid.dim) - 1) << grid.dim << "D";
    }
  const auto independent = colours_of_nodes(to_csr({{1, 2, 0, 0}, {2, 1, 0, 0}, {0, 0, 1, 2}, {0, 0, 2, 1}}), 2);
  EXPECT_EQ(independent, (Array<int>{0, 0}));
  EXPECT_TRUE(colours_of_nodes(random_matrix(0, 0, Rows::equal, 1), 1).empty());
}

TEST(Colours, OneDirectionOfCouplingIsEnough)
{
  EXPECT_EQ(colours_of_nodes(to_csr({{1, 0}, {2, 1}}), 1), (Array<int>{0, 1}));
  EXPECT_EQ(colours_of_nodes(to_csr({{1, 2}, {0, 1}}), 1), (Array<int>{0, 1}));
}

TYPED_TEST(GaussSeidel, SweepsAsItsDefinition)
{
  using Number = typename TypeParam::Number;
  for (const auto &[A, node_size] : matrices())
    {
      const Values b = random_values(A.n_rows, 1), x0 = random_values(A.n_rows, 2);
      const auto   level    = this->level(A, node_size);
      const auto   smoother = make_smoother("gauss_seidel", level);
      const auto   rhs      = this->vector(b);
      for (const bool transposed : {false, true})
        {
          const std::string what = std::to_string(A.n_rows) + " rows, nodes of " + std::to_string(node_size) +
                                   (transposed ? ", transposed" : "");
          const Values   expected = sweep(A, node_size, b, x0, transposed);
          const double   scale    = std::max(1., norm(expected));
          auto           x = this->vector(x0), y = this->vector(Values(b.size(), nan_value));
          Vector<Number> none;
          expect_near(values_of(smoother->step(0, 1, rhs, x, none, none, y, transposed)), expected,
                      rounding<Number> * scale, what);

          const Values from_zero = sweep(A, node_size, b, Values(b.size(), 0.), transposed);
          x                      = this->vector(Values(b.size(), nan_value));
          smoother->vmult(Number(0.5), rhs, x, transposed);
          expect_near(values_of(x), combine(0.5, from_zero, 0, b), rounding<Number> * scale, what + ", from zero");

          // d = alpha d_old + beta S (b - A x), in place of d_old.
          const Values d_old     = random_values(A.n_rows, 3);
          const Values direction = combine(0.25, d_old, 0.5, combine(1, expected, -1, x0));
          auto         d         = this->vector(d_old);
          x                      = this->vector(x0);
          const auto &result     = smoother->step(Number(0.25), Number(0.5), rhs, x, d, d, y, transposed);
          expect_near(values_of(d), direction, rounding<Number> * scale, what + ", direction");
          expect_near(values_of(result), combine(1, x0, 1, direction), rounding<Number> * scale, what + ", step");
        }
    }
}

TYPED_TEST(GaussSeidel, TakesNewValues)
{
  using Number = typename TypeParam::Number;
  for (auto [A, node_size] : matrices())
    {
      const auto          shared = std::make_shared<CSRMatrix<double>>(A);
      DeviceLevel<Number> level(this->device, {shared, nullptr, nullptr, node_size});
      const auto          updated = make_smoother("gauss_seidel", level);
      for (int i = 0; i < A.n_rows; ++i)
        for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
          shared->value[k] *= A.column[k] == i ? 1.75 : 1 + 0.25 * (k % 3);
      level.update();
      updated->update();
      const Values b = random_values(A.n_rows, 1);
      auto         x = this->vector(b);
      updated->vmult(1, this->vector(b), x, false);
      expect_near(values_of(x), sweep(*shared, node_size, b, Values(b.size(), 0.), false), rounding<Number>,
                  std::to_string(A.n_rows) + " rows, nodes of " + std::to_string(node_size));
    }
}

// In three dimensions it smooths better than Jacobi's method; with bilinear elements on squares the latter, with
// damping
// 0.8, is hard to beat.
TYPED_TEST(GaussSeidel, MakesASymmetricVCycleThatConverges)
{
  using Number = typename TypeParam::Number;
  for (const auto &[dim, node_size] : {std::pair(2, 1), {2, 2}, {2, 3}, {3, 1}, {3, 2}})
    {
      const std::string what = std::to_string(dim) + "D, nodes of " + std::to_string(node_size);
      const auto levels      = coupled_levels(q1_levels(dim, 4, dim == 2 ? 4 : 3), couplings[node_size - 1], node_size);
      MultigridOptions options;
      for (const int steps : {1, 2})
        {
          options.pre_steps = options.post_steps = steps;
          options.smoother                       = {"block_jacobi", false, 0.8, 4.};
          const double jacobi                    = this->contraction(levels, options);
          options.smoother                       = {"gauss_seidel", false, 1., 4.};
          const double gauss_seidel              = this->contraction(levels, options);
          EXPECT_LT(gauss_seidel, steps == 1 ? 0.25 : 0.13) << what << ", steps: " << steps;
          if (dim == 3)
            {
              EXPECT_LT(gauss_seidel, jacobi) << what << ", steps: " << steps;
            }
        }
      const VCycle<Number> cycle(this->device, levels.data, options);
      const Values         u = random_values(levels.n_rows(), 2), v = random_values(levels.n_rows(), 3);
      const Values         Mu = values_of(cycle.vmult(this->vector(u))), Mv = values_of(cycle.vmult(this->vector(v)));
      EXPECT_NEAR(dot(u, Mv), dot(v, Mu), rounding<Number> * norm(u) * norm(Mv)) << what;
      EXPECT_GT(dot(u, Mu), 0) << what << ": expected positive definite";

      options.smoother.chebyshev = true;
      EXPECT_LT(this->contraction(levels, options), 0.2) << what << ", Chebyshev";
    }
}
