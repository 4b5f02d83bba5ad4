#include "multigrid/smoothers/smoother.h"

#include "base/exceptions.h"
#include "support/backends.h"
#include "support/q1_grid.h"
#include "support/reference.h"

using namespace adamant;
using namespace adamant::test;

namespace
{
template <class Backend>
class SmootherTest : public BackendTest<Backend>
{
protected:
  // Level matrix -u'' on a line without its boundary nodes, divided by its diagonal: eigenvalues
  // 1 - cos(k pi / n), eigenvectors sin(k pi i / n).
  static LevelData line(int n)
  {
    std::vector<Values> rows(n - 1, Values(n - 1, 0.));
    for (int i = 0; i < n - 1; ++i)
      {
        rows[i][i] = 2;
        if (i > 0)
          rows[i][i - 1] = rows[i - 1][i] = -1;
      }
    LevelData level;
    level.matrix = to_csr(rows);
    return level;
  }
};
TYPED_TEST_SUITE(SmootherTest, Backends);

const std::vector<SmootherType> types = {SmootherType::jacobi, SmootherType::block_jacobi, SmootherType::fsai};

std::string name(SmootherType type, bool chebyshev)
{
  return std::string(type == SmootherType::jacobi ? "jacobi" :
                     type == SmootherType::fsai   ? "fsai" :
                                                    "block_jacobi") +
         (chebyshev ? " Chebyshev" : "");
}
} // namespace

TYPED_TEST(SmootherTest, FromZeroIsTheSameWithAndWithoutGuess)
{
  using Number                       = typename TypeParam::value_type;
  const std::vector<double> coupling = {2, 0.5, 0.3, 0.5, 3, 0.1, 0.3, 0.1, 1};
  const auto                level    = coupled_levels(q1_levels(2, 8, 1), coupling, 3)[0];
  const Values              b        = random_values(level.matrix.n_rows, 1);
  const auto                A        = this->backend->create_matrix(level.matrix);
  const auto                rhs      = to_backend(*this->backend, b);
  const Values              unset(b.size(), nan_value);
  for (const SmootherType type : types)
    for (const bool chebyshev : {false, true})
      for (const int n : {1, 2, 3, 4})
        {
          Smoother<TypeParam> smoother(*this->backend, level, A, {type, chebyshev, 0.7, 4.});
          auto                x = to_backend(*this->backend, unset), y = to_backend(*this->backend, unset);
          const Values        from_zero = to_host(*this->backend, smoother.vmult(n, rhs, x, y));
          x                             = this->backend->create_vector(level.matrix.n_rows);
          y                             = to_backend(*this->backend, unset);
          const Values from_guess       = to_host(*this->backend, smoother.step(n, rhs, x, y));
          expect_near(from_zero, from_guess, 10 * rounding<Number>,
                      name(type, chebyshev) + ", " + std::to_string(n) + " steps");
        }
}

TYPED_TEST(SmootherTest, LeavesTheSolution)
{
  using Number       = typename TypeParam::value_type;
  const auto   level = q1_levels(2, 8, 1, {1, 0.1, {1, 0, 0}})[0];
  const Values u = random_values(level.matrix.n_rows, 1), b = product(level.matrix, u);
  const auto   A = this->backend->create_matrix(level.matrix);
  for (const SmootherType type : types)
    for (const bool chebyshev : {false, true})
      {
        Smoother<TypeParam> smoother(*this->backend, level, A, {type, chebyshev, 0.7, 4.});
        auto                x = to_backend(*this->backend, u), y = to_backend(*this->backend, u);
        expect_near(to_host(*this->backend, smoother.step(3, to_backend(*this->backend, b), x, y)), u,
                    10 * rounding<Number>, name(type, chebyshev));
      }
}

TYPED_TEST(SmootherTest, DampsEigenvectorsAsTheoryHasIt)
{
  using Number              = typename TypeParam::value_type;
  const int           n     = 32;
  const auto          level = this->line(n);
  const auto          A     = this->backend->create_matrix(level.matrix);
  const double        pi    = std::acos(-1.);
  const auto          zero  = this->backend->create_vector(n - 1);
  Smoother<TypeParam> plain(*this->backend, level, A, {SmootherType::jacobi, false, 0.8, 4.});
  Smoother<TypeParam> chebyshev(*this->backend, level, A, {SmootherType::jacobi, true, 0.8, 4.});

  const double lambda = chebyshev.eigenvalue();
  EXPECT_GT(lambda, 0.9 * (1 + std::cos(pi / n)));
  EXPECT_LE(lambda, (1 + std::cos(pi / n)) * (1 + 1e-4)) << "expected no more than the largest eigenvalue";
  EXPECT_EQ(plain.eigenvalue(), 0.);

  const double upper = 1.1 * lambda, lower = upper / 4, theta = (upper + lower) / 2, delta = (upper - lower) / 2;
  const auto   T3 = [](double x) { return 4 * x * x * x - 3 * x; };
  for (const int k : {1, 8, 16, 31})
    {
      Values mode(n - 1);
      for (int i = 0; i < n - 1; ++i)
        mode[i] = std::sin(k * pi * (i + 1) / n);
      const double a = 1 - std::cos(k * pi / n);
      auto         x = to_backend(*this->backend, mode), y = this->backend->create_vector(n - 1);
      expect_near(to_host(*this->backend, plain.step(3, zero, x, y)), combine(std::pow(1 - 0.8 * a, 3), mode, 0, mode),
                  rounding<Number>, "three damped steps on mode " + std::to_string(k));
      x = to_backend(*this->backend, mode);
      expect_near(to_host(*this->backend, chebyshev.step(3, zero, x, y)),
                  combine(T3((theta - a) / delta) / T3(theta / delta), mode, 0, mode), rounding<Number>,
                  "Chebyshev of degree 3 on mode " + std::to_string(k));
    }
}

TYPED_TEST(SmootherTest, UpdateTakesOverNewValues)
{
  auto         levels = q1_levels(2, 8, 1, {1, 0.1, {}});
  const auto   other  = q1_levels(2, 8, 1, {1, 0.7, {}});
  const Values b      = random_values(levels[0].matrix.n_rows, 1);
  const auto   rhs    = to_backend(*this->backend, b);
  for (const SmootherType type : types)
    for (const bool chebyshev : {false, true})
      {
        const auto          fresh = this->backend->create_matrix(other[0].matrix);
        Smoother<TypeParam> built(*this->backend, other[0], fresh, {type, chebyshev, 0.7, 4.});
        auto                A = this->backend->create_matrix(levels[0].matrix);
        Smoother<TypeParam> updated(*this->backend, levels[0], A, {type, chebyshev, 0.7, 4.});
        this->backend->update_values(A, other[0].matrix);
        updated.update(other[0]);
        auto         x = this->backend->create_vector(rhs.size()), y = this->backend->create_vector(rhs.size());
        const Values expected = to_host(*this->backend, built.vmult(3, rhs, x, y));
        expect_near(to_host(*this->backend, updated.vmult(3, rhs, x, y)), expected, 0., name(type, chebyshev));
      }
}
