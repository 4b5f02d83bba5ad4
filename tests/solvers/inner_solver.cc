// A Krylov method inside the preconditioner of another one.

#include "solvers/inner_solver.h"

#include "solvers/cg.h"
#include "solvers/gmres.h"
#include "solvers/triangular.h"
#include "support/errors.h"
#include "support/krylov.h"

using namespace adamant;
using namespace adamant::test;

namespace
{
class Inner : public DeviceTest
{
protected:
  const SolverControl rough = {1e-2, 50, "inner system"};
};
INSTANTIATE_TEST_SUITE_P(Devices, Inner, all_places, place_name);
} // namespace

TEST_P(Inner, GMRESAroundCGAroundTheVCycle)
{
  const auto   levels = q1_levels(2, 4, 3, {1, 0.1, {}});
  const auto  &A      = levels.finest();
  const Values b = random_values(A.n_rows, 1), zero(b.size(), 0.), expected = dense_solve(to_dense(A), b);
  System       p(device, levels);
  CG           cg(device, p.A, p.M);
  InnerSolver  inner(cg, p.M, rough);
  GMRES        gmres(device, p.A, inner);
  EXPECT_TRUE(p.M.recordable());
  EXPECT_FALSE(inner.recordable());
  for (int repeat = 0; repeat < 2; ++repeat) // the inner method's steps are recorded once, and stay valid
    {
      const auto [result, x] = solve(device, gmres, b, zero, control(1e-10, 20));
      EXPECT_LE(result.iterations, 6);
      EXPECT_GE(result.iterations, 2);
      expect_near(x, expected, 1e-8 * norm(expected), "x");
    }
}

// The inner method solves the symmetric part only: an equation with convection around its diffusion.
TEST_P(Inner, PreconditionsAnotherMatrix)
{
  const Coefficients diffusion = {1, 0.1, {}}, all = {1, 0.1, {0.1, -0.2, 0}};
  const auto         levels = q1_levels(2, 4, 3, diffusion);
  const auto         A      = q1_matrix({2, 16}, all);
  const Values       b = random_values(A.n_rows, 1), zero(b.size(), 0.), expected = dense_solve(to_dense(A), b);
  System             p(device, levels);
  CG                 cg(device, p.A, p.M);
  InnerSolver        inner(cg, p.M, rough);
  const auto         with_convection = matrix_operator(device, A);
  GMRES              gmres(device, with_convection, inner);
  const auto [result, x] = solve(device, gmres, b, zero, control(1e-10, 40));
  EXPECT_LE(result.iterations, 15);
  expect_near(x, expected, 1e-8 * norm(expected), "x");
}

TEST_P(Inner, UpdateReachesTheInnerPreconditioner)
{
  const auto                      levels = q1_levels(2, 4, 3, {1, 0.01, {}}), after = q1_levels(2, 4, 3, {1, 0.3, {}});
  const Values                    b           = random_values(levels.n_rows(), 1), zero(b.size(), 0.);
  const auto                      b_on_device = to_device(device, b);
  Matrix<double>                  A(device, levels.finest());
  const MatrixOperator            A_operator(A, device);
  MultigridPreconditioner<double> M(device, levels.data, MultigridOptions());
  CG                              cg(device, A_operator, M);
  InnerSolver                     inner(cg, M, rough);
  auto                            z = to_device(device, zero);
  inner.vmult(b_on_device, z); // records the steps
  levels.take_values(after);
  A.update(levels.finest());
  inner.update();
  inner.vmult(b_on_device, z);

  System p(device, after);
  CG     fresh(device, p.A, p.M);
  expect_near(values_of(z), solve(device, fresh, b, zero, rough).x, 0., "z, updated against new");
}

TEST_P(Inner, StartsFromZeroAndTellsItsFaults)
{
  const auto   levels = q1_levels(2, 4, 3);
  System       p(device, levels);
  CG           cg(device, p.A, p.M);
  const Values b = random_values(levels.n_rows(), 1);
  InnerSolver  inner(cg, p.M, rough);
  auto         z = to_device(device, Values(b.size(), nan_value));
  inner.vmult(to_device(device, b), z);
  EXPECT_LE(relative_residual(levels.finest(), values_of(z), b), 1e-2);
  InnerSolver hopeless(cg, p.M, {1e-12, 2, "inner system"});
  GMRES       gmres(device, p.A, hopeless);
  expect_error<SolverError>([&] { solve(device, gmres, b, Values(b.size(), 0.)); },
                            {"CG", "inner system", "not converged"});
}

// An inner method for one block of a block triangular preconditioner.
TEST_P(Inner, ForABlock)
{
  const auto          levels = q1_levels(2, 4, 3, {1, 0.1, {}});
  const auto          B      = random_matrix(levels.n_rows(), 12, Rows::irregular, 1);
  std::vector<Values> three(12, Values(12, 0.)); // times the identity
  for (int i = 0; i < 12; ++i)
    three[i][i] = 3;
  System                   p(device, levels);
  CG                       cg(device, p.A, p.M);
  InnerSolver              inner(cg, p.M, rough);
  const auto               beside = matrix_operator(device, B), last = matrix_operator(device, to_csr(three));
  FunctionPreconditioner   third([&](const auto &v, auto &z) { device.axpby(1. / 3, v, 0., z); });
  const BlockOperator      A({{&p.A, &beside}, {nullptr, &last}});
  TriangularPreconditioner P(device, A, {&inner, &third}, TriangularPreconditioner::Part::upper);
  EXPECT_FALSE(P.recordable());
  GMRES        gmres(device, A, P);
  const int    n         = A.n_rows();
  const Values b         = random_values(n, 2);
  const auto [result, x] = solve(device, gmres, b, Values(n, 0.), control(1e-10, 20));
  EXPECT_LE(result.iterations, 7);
  const Values u(x.begin(), x.end() - 12), v(x.end() - 12, x.end());
  const Values above(b.begin(), b.end() - 12), below(b.end() - 12, b.end());
  expect_near(v, combine(1. / 3, below, 0, below), 1e-8, "the second block");
  EXPECT_LE(relative_residual(levels.finest(), u, combine(1, above, -1, product(B, v))), 1e-8);
}
