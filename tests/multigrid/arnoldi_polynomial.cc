// Smoothing by the polynomial of harmonic Ritz values, on matrices of few eigenvalues: it then solves.

#include "multigrid/arnoldi_polynomial.h"

#include "multigrid/v_cycle.h"
#include "support/dense.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/q1_grid.h"
#include "support/reference.h"

#include <complex>

using namespace adamant;
using namespace adamant::test;

namespace
{
template <class In>
class ArnoldiTest : public PrecisionTest<In>
{
protected:
  using Number = typename In::Number;

  DeviceLevel<Number> on_device(const std::shared_ptr<CSRMatrix<double>> &A, int node_size) const
  {
    return {this->device, {A, nullptr, nullptr, node_size}};
  }
  Vector<Number> vector(const Values &values) const { return to_device<Number>(this->device, values); }
};
TYPED_TEST_SUITE(ArnoldiTest, Precisions, PrecisionName);

// Nodes of two rows [[a, b], [-b, a]], eigenvalues a ± b i, and nodes of [[c, 0], [0, c]], with a constrained row at
// the end.
CSRMatrix<double> few_eigenvalues(int n_nodes, double a, double b, double c)
{
  Dense A(2 * n_nodes + 2, Values(2 * n_nodes + 2, 0.));
  for (int node = 0; node < n_nodes; ++node)
    {
      const int  i       = 2 * node;
      const bool complex = node % 2 == 0;
      A[i][i] = A[i + 1][i + 1] = complex ? a : c;
      A[i][i + 1]               = complex ? b : 0.;
      A[i + 1][i]               = complex ? -b : 0.;
    }
  A[2 * n_nodes][2 * n_nodes] = A[2 * n_nodes + 1][2 * n_nodes + 1] = 1.;
  return to_csr(A);
}
} // namespace

// Levels of a few unknowns: their Krylov space ends before the degree, and more steps than eigenvalues do no harm.
TYPED_TEST(ArnoldiTest, MoreStepsThanUnknowns)
{
  using Number = typename TypeParam::Number;
  for (const auto &A : {to_csr({{2., 0., 0.}, {0., 2., 0.}, {0., 0., 1.}}),
                        to_csr({{3., 1., 0.}, {1., 4., 0.}, {0., 0., 1.}}), to_csr({{1., 0.}, {0., 1.}})})
    {
      const auto                matrix = std::make_shared<CSRMatrix<double>>(A);
      auto                      level  = this->on_device(matrix, 1);
      Values                    u      = random_values(A.n_rows, 1);
      ArnoldiPolynomial<Number> smoother(level, {"jacobi"}, 5);
      u.back() = 0.; // constrained
      for (const int steps : {2, 5})
        {
          auto x = this->vector(u), y = this->vector(u);
          expect_near(values_of(smoother.vmult(steps, this->vector(product(A, u)), x, y)), u, 100 * rounding<Number>,
                      "x");
        }
    }
}

// With Jacobi's diagonal S A has the eigenvalues 1 ± b/a i and 1, so that three steps do.
TYPED_TEST(ArnoldiTest, AsManyStepsAsThereAreEigenvaluesSolve)
{
  using Number                    = typename TypeParam::Number;
  const auto                A     = std::make_shared<CSRMatrix<double>>(few_eigenvalues(20, 1., 2., 3.));
  auto                      level = this->on_device(A, 1);
  const Values              u     = random_values(A->n_rows, 1);
  ArnoldiPolynomial<Number> smoother(level, {"jacobi"}, 3);
  const auto                check = [&] {
    Values right = product(*A, u);
    auto   x = this->vector(Values(u.size(), 0.)), y = this->vector(Values(u.size(), nan_value));
    expect_near(values_of(smoother.step(3, this->vector(right), x, y)), u, 100 * rounding<Number>, "from x = 0");
    x = this->vector(random_values(u.size(), 2));
    expect_near(values_of(smoother.step(3, this->vector(right), x, y)), u, 100 * rounding<Number>, "from any x");
    x = this->vector(Values(u.size(), nan_value));
    expect_near(values_of(smoother.vmult(3, this->vector(right), x, y)), u, 100 * rounding<Number>, "from nothing");
    EXPECT_GT(norm(combine(1, values_of(smoother.vmult(1, this->vector(right), x, y)), -1, u)), 0.1 * norm(u));
  };
  check();
  *A = few_eigenvalues(20, 1., 0.5, 3.);
  level.A.update(*A);
  smoother.update();
  check();
}

// Where damped steps diverge: Jacobi's on a matrix with eigenvalues 1 ± 1.4 i, as convection makes them.
TYPED_TEST(ArnoldiTest, ConvergesWhereDampedStepsDiverge)
{
  using Number = typename TypeParam::Number;
  const auto A =
    std::make_shared<CSRMatrix<double>>(kronecker(q1_matrix({2, 8}, {1, 0.01, {0.3, 0.1, 0}}), {1, 1.4, -1.4, 1}, 2));
  const auto level = this->on_device(A, 1);
  const auto b     = random_values(A->n_rows, 1);
  const auto error = [&](const LevelSmoother<Number> &smoother) {
    auto   x = this->vector(Values(b.size(), 0.)), y = this->vector(Values(b.size(), 0.));
    Values result;
    for (int k = 0; k < 5; ++k)
      {
        auto &in = smoother.step(4, this->vector(b), x, y);
        if (&in == &y)
          std::swap(x, y);
      }
    return relative_residual(*A, values_of(x), b);
  };
  MultigridOptions options;
  options.pre_steps = options.post_steps = 4;
  EXPECT_GT(error(*make_level_smoother<Number>(level, options)), 2.);
  options.smoother.arnoldi = true;
  EXPECT_LT(error(*make_level_smoother<Number>(level, options)), 0.7);
}

TEST(Eigenvalues, OfSmallMatrices)
{
  auto values = eigenvalues(3, {0, 1, 0, -4, 0, 0, 0, 0, 3});
  std::sort(values.begin(), values.end(), [](auto a, auto b) { return a.imag() < b.imag(); });
  EXPECT_NEAR(std::abs(values[0] - std::complex<double>(0, -2)), 0., 1e-13);
  EXPECT_NEAR(std::abs(values[1] - 3.), 0., 1e-13);
  EXPECT_NEAR(std::abs(values[2] - std::complex<double>(0, 2)), 0., 1e-13);
}
