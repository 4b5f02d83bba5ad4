// Systems as scalar problems, against elimination by blocks of a dense matrix.

#include "multigrid/component_blocks.h"

#include "base/csr/csr_operations.h"
#include "support/dense.h"
#include "support/errors.h"
#include "support/krylov.h"

using namespace adamant;
using namespace adamant::test;

namespace
{
using Sweep = ComponentBlocks::Sweep;

class ComponentBlocksTest : public DeviceTest
{
};
INSTANTIATE_TEST_SUITE_P(Devices, ComponentBlocksTest, all_places, place_name);

// One level, whose dense inverse solves scalar problems exactly: m components at each of n nodes.
Levels one_level(int n, int m)
{
  Levels levels;
  add_level(levels, to_csr(spd_matrix(n * m)), nullptr, m);
  return levels;
}

// Block (i, j) of components, dense.
Dense block(const Dense &A, int m, int i, int j)
{
  Dense B(A.size() / m, Values(A.size() / m));
  for (std::size_t p = 0; p < B.size(); ++p)
    for (std::size_t q = 0; q < B.size(); ++q)
      B[p][q] = A[p * m + i][q * m + j];
  return B;
}

Values component(const Values &v, int m, int c)
{
  Values part;
  for (std::size_t i = c; i < v.size(); i += m)
    part.push_back(v[i]);
  return part;
}

// b - B x
Values less(const Values &b, const Dense &B, const Values &x)
{
  return combine(1, b, -1, product(to_csr(B), x));
}

// omega times the sweep, by dense solves with the diagonal blocks.
Values eliminate(const Dense &A, int m, const Values &v, Sweep sweep, double omega)
{
  std::vector<Values> z(m);
  for (int i = 0; i < m; ++i)
    {
      Values rest = component(v, m, i);
      for (int j = 0; j < i && sweep != Sweep::none; ++j)
        rest = less(rest, block(A, m, i, j), z[j]);
      z[i] = dense_solve(block(A, m, i, i), rest);
    }
  for (int i = m - 2; i >= 0 && sweep == Sweep::symmetric; --i)
    {
      Values rest(v.size() / m, 0.);
      for (int j = i + 1; j < m; ++j)
        rest = less(rest, block(A, m, i, j), z[j]);
      z[i] = combine(1, z[i], 1, dense_solve(block(A, m, i, i), rest));
    }
  Values result(v.size());
  for (std::size_t i = 0; i < v.size(); ++i)
    result[i] = omega * z[i % m][i / m];
  return result;
}
} // namespace

TEST_P(ComponentBlocksTest, IsEliminationByBlocks)
{
  for (const int m : {2, 3, 6})
    for (const Sweep sweep : {Sweep::lower, Sweep::symmetric, Sweep::none})
      {
        const auto            levels = one_level(9, m);
        const auto            A      = to_dense(levels.finest());
        const Values          v      = random_values(9 * m, 2);
        const ComponentBlocks M(device, levels.data, Precision::float64, {}, sweep, 0.7);
        Vector<double>        z(device, 9 * m);
        M.vmult(to_device(device, v), z);
        const auto expected = eliminate(A, m, v, sweep, 0.7);
        expect_near(values_of(z), expected, 1e-10 * norm(expected), std::to_string(m) + " components");
        EXPECT_TRUE(M.recordable());
      }
}

// What conjugate gradients need: x . M y = y . M x, and x . M x > 0, with V-cycles in place of inverses, too.
TEST_P(ComponentBlocksTest, SymmetricSweepIsSymmetric)
{
  const auto     levels = coupled_levels(q1_levels(2, 4, 3), {2, 0.8, 0.5, 0.8, 1, 0.3, 0.5, 0.3, 1}, 3);
  const int      n      = levels.n_rows();
  const Values   x = random_values(n, 1), y = random_values(n, 2);
  Vector<double> Mx(device, n), My(device, n);
  for (const Sweep sweep : {Sweep::lower, Sweep::symmetric, Sweep::none})
    {
      const ComponentBlocks M(device, levels.data, Precision::float64, {}, sweep);
      M.vmult(to_device(device, x), Mx);
      M.vmult(to_device(device, y), My);
      const double xMy = device.dot(to_device(device, x), My), yMx = device.dot(to_device(device, y), Mx);
      if (sweep == Sweep::lower)
        EXPECT_GT(std::abs(xMy - yMx), 1e-4 * std::abs(xMy));
      else
        EXPECT_NEAR(xMy, yMx, 1e-12 * std::abs(xMy));
      EXPECT_GT(device.dot(to_device(device, x), Mx), 0.);
    }
}

TEST_P(ComponentBlocksTest, SolvesSystemsByAllMethods)
{
  const auto   levels = coupled_levels(q1_levels(2, 4, 4), {2, 0.8, 0.8, 1}, 2);
  const Values b      = random_values(levels.n_rows(), 1);
  for (const auto &[type, sweep, most] : {std::tuple(SolverType::multigrid, Sweep::lower, 40),
                                          {SolverType::gmres, Sweep::lower, 14},
                                          {SolverType::bicgstab, Sweep::lower, 9},
                                          {SolverType::cg, Sweep::symmetric, 14},
                                          {SolverType::cg, Sweep::none, 25}})
    for (const Precision precision : {Precision::float32, Precision::float64})
      {
        LinearSolverOptions options;
        options.type = type;
        LinearSolver solver(
          device, levels.data, options,
          std::make_unique<ComponentBlocks>(device, levels.data, precision, options.multigrid, sweep));
        Vector<double> x(device, levels.n_rows());
        const auto     result = solver.solve(to_device(device, b), x);
        EXPECT_LE(result.iterations, most) << "method " << int(type);
        EXPECT_LE(relative_residual(levels.finest(), values_of(x), b), 1.01e-8);
      }
}

TEST_P(ComponentBlocksTest, UpdateEqualsNewBlocks)
{
  const std::vector<double> coupling = {2, 0.8, 0.8, 1};
  const auto                levels   = coupled_levels(q1_levels(2, 4, 3), coupling, 2),
             after                   = coupled_levels(q1_levels(2, 4, 3, {1, 0.3, {}}), coupling, 2);
  const Values    b                  = random_values(levels.n_rows(), 1);
  ComponentBlocks M(device, levels.data, Precision::float64, {}, Sweep::symmetric),
    fresh(device, after.data, Precision::float64, {}, Sweep::symmetric);
  Vector<double> z(device, levels.n_rows()), expected(device, levels.n_rows());
  levels.take_values(after);
  M.update();
  M.vmult(to_device(device, b), z);
  fresh.vmult(to_device(device, b), expected);
  expect_near(values_of(z), values_of(expected), 0., "after the update");
}

TEST_P(ComponentBlocksTest, RefusesWhatItCannot)
{
  const auto scalar = q1_levels(2, 4, 2), system = coupled_levels(scalar, {2, 0.8, 0.8, 1}, 2);
  const auto make = [&](const Levels &levels, const MultigridOptions &options, double omega) {
    return [&, omega] { ComponentBlocks(device, levels.data, Precision::float64, options, Sweep::lower, omega); };
  };
  MultigridOptions no_cycle;
  no_cycle.cycles = 0;
  expect_error<InputError>(make(scalar, {}, 1.), {"one component", "multigrid"});
  expect_error<InputError>(make(system, {}, 2.), {"omega = 2", "between 0 and 2"});
  expect_error<InputError>(make(system, {}, 0.), {"omega = 0", "between 0 and 2"});
  expect_error<InputError>(make(system, no_cycle, 1.), {"at least one V-cycle", "0"});
}

// Each component's rows and columns by the numbers of nodes; zeros stay in their places.
TEST(ComponentBlock, TakesRowsAndColumns)
{
  auto A       = to_csr({{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}});
  A.value[3]   = 0.; // (0, 3)
  const auto B = component_block(A, 2, 0, 1);
  EXPECT_EQ(B.n_nonzeros(), 4);
  EXPECT_EQ(to_dense(B), (Dense{{2, 0}, {10, 12}}));
}
