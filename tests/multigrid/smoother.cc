#include "multigrid/chebyshev.h"

#include "multigrid/smoothers/registry.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/q1_grid.h"
#include "support/reference.h"

using namespace adamant;
using namespace adamant::test;

namespace
{
template <class In>
class SmootherTest : public PrecisionTest<In>
{
protected:
  using Number = typename In::Number;

  DeviceLevel<Number> on_device(const Levels &levels) const { return {this->device, levels.data.back()}; }
  Vector<Number>      vector(const Values &values) const { return to_device<Number>(this->device, values); }

  // Level matrix -u'' on a line without its boundary nodes, divided by its diagonal: eigenvalues
  // 1 - cos(k pi / n), eigenvectors sin(k pi i / n).
  static Levels line(int n)
  {
    std::vector<Values> rows(n - 1, Values(n - 1, 0.));
    for (int i = 0; i < n - 1; ++i)
      {
        rows[i][i] = 2;
        if (i > 0)
          rows[i][i - 1] = rows[i - 1][i] = -1;
      }
    Levels levels;
    add_level(levels, to_csr(rows));
    return levels;
  }
};
TYPED_TEST_SUITE(SmootherTest, Precisions, PrecisionName);

std::string in_words(const SmootherOptions &options)
{
  return options.type + (options.chebyshev ? " Chebyshev" : "");
}

// All smoothers there are, damped and with Chebyshev's polynomial.
std::vector<SmootherOptions> all_options()
{
  std::vector<SmootherOptions> all;
  for (const auto &kind : smoothers())
    for (const bool chebyshev : {false, true})
      all.push_back({kind.name, chebyshev, 0.7, 4.});
  return all;
}
} // namespace

// n steps before the coarse correction and n steps after it are transposes of each other, so that a V-cycle is
// symmetric; with a symmetric S they are equal.
TYPED_TEST(SmootherTest, StepsBeforeAndAfterAreTransposes)
{
  using Number                       = typename TypeParam::Number;
  const std::vector<double> coupling = {2, 0.5, 0.3, 0.5, 3, 0.1, 0.3, 0.1, 1};
  const auto                levels   = coupled_levels(q1_levels(2, 8, 1), coupling, 3);
  const Values              b = random_values(levels.n_rows(), 1), c = random_values(levels.n_rows(), 2);
  const Values              unset(b.size(), nan_value), zero(b.size(), 0.);
  const auto                level = this->on_device(levels);
  for (const auto &options : all_options())
    {
      const PolynomialSmoother<Number> smoother(level, options);
      const bool                       symmetric = make_smoother(options.type, level)->symmetric();
      for (const int n : {1, 2, 3, 4})
        {
          const std::string what = in_words(options) + ", " + std::to_string(n) + " steps";
          auto              x = this->vector(unset), y = this->vector(unset);
          const Values      before = values_of(smoother.vmult(n, this->vector(b), x, y));
          const auto        after  = [&](const Values &right_hand_side) {
            x = this->vector(zero);
            y = this->vector(unset);
            return values_of(smoother.step(n, this->vector(right_hand_side), x, y));
          };
          EXPECT_NEAR(dot(c, before), dot(b, after(c)), 10 * rounding<Number> * norm(c) * norm(before)) << what;
          if (symmetric)
            expect_near(before, after(b), 10 * rounding<Number>, what);
          else
            {
              EXPECT_GT(norm(combine(1, before, -1, after(b))), 1e-3 * norm(before))
                << what << ": expected S to differ from its transpose";
            }
        }
    }
}

TYPED_TEST(SmootherTest, LeavesTheSolution)
{
  using Number        = typename TypeParam::Number;
  const auto   levels = q1_levels(2, 8, 1, {1, 0.1, {1, 0, 0}});
  const Values u = random_values(levels.n_rows(), 1), b = product(levels.finest(), u);
  for (const auto &options : all_options())
    {
      const PolynomialSmoother<Number> smoother(this->on_device(levels), options);
      auto                             x = this->vector(u), y = this->vector(u);
      expect_near(values_of(smoother.step(3, this->vector(b), x, y)), u, 10 * rounding<Number>, in_words(options));
    }
}

TYPED_TEST(SmootherTest, DampsEigenvectorsAsTheoryHasIt)
{
  using Number                           = typename TypeParam::Number;
  const int                        n     = 32;
  const auto                       level = this->on_device(this->line(n));
  const double                     pi    = std::acos(-1.);
  const auto                       zero  = this->vector(Values(n - 1, 0.));
  const PolynomialSmoother<Number> plain(level, {"jacobi", false, 0.8, 4.}),
    chebyshev(level, {"jacobi", true, 0.8, 4.});

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
      auto         x = this->vector(mode), y = this->vector(Values(n - 1, 0.));
      expect_near(values_of(plain.step(3, zero, x, y)), combine(std::pow(1 - 0.8 * a, 3), mode, 0, mode),
                  rounding<Number>, "three damped steps on mode " + std::to_string(k));
      x = this->vector(mode);
      expect_near(values_of(chebyshev.step(3, zero, x, y)),
                  combine(T3((theta - a) / delta) / T3(theta / delta), mode, 0, mode), rounding<Number>,
                  "Chebyshev of degree 3 on mode " + std::to_string(k));
    }
}

TYPED_TEST(SmootherTest, UpdateTakesOverNewValues)
{
  using Number                       = typename TypeParam::Number;
  const std::vector<double> coupling = {2, 0.8, 0.8, 1};
  for (const int node_size : {1, 2})
    for (const auto &options : all_options())
      {
        const auto levels_with = [&](double diffusion) {
          const auto scalar = q1_levels(2, 8, 1, {1, diffusion, {}});
          return node_size == 1 ? scalar : coupled_levels(scalar, coupling, node_size);
        };
        const Levels levels = levels_with(0.1), other = levels_with(0.7);
        const auto   rhs = this->vector(random_values(levels.n_rows(), 1));
        auto         x = this->vector(Values(rhs.size(), 0.)), y = this->vector(Values(rhs.size(), 0.));
        const auto   steps = [&](const PolynomialSmoother<Number> &smoother) {
          return values_of(smoother.vmult(3, rhs, x, y));
        };
        auto                       level = this->on_device(levels);
        PolynomialSmoother<Number> updated(level, options);
        const Values               old = steps(updated);
        levels.take_values(other);
        level.A.update(levels.finest());
        updated.update();
        const Values expected = steps(PolynomialSmoother<Number>(this->on_device(other), options));
        EXPECT_GT(norm(combine(1, expected, -1, old)), 0.01 * norm(expected)) << in_words(options);
        // The patches' matrix has the format of its first values: equal ones may be rounded to another of them.
        const bool patches = in_words(options).find("cell_patches") != std::string::npos ||
                             in_words(options).find("vertex_patches") != std::string::npos;
        expect_near(steps(updated), expected, patches ? 10 * rounding<Number> : 0., in_words(options));
      }
}

TYPED_TEST(SmootherTest, UnknownNamesAreAnsweredWithTheNearest)
{
  using Number     = typename TypeParam::Number;
  const auto level = this->on_device(this->line(8));
  expect_error<InputError>([&] { make_smoother<Number>("jacoby", level); }, {"'jacoby'", "did you mean", "jacobi"});
  expect_error<InputError>(
    [&] {
      PolynomialSmoother<Number>(level, {"gaus_seidel", true, 1., 4.});
    },
    {"'gaus_seidel'", "gauss_seidel"});
}

namespace
{
// Two lines of n nodes apart from each other, with rows -c, 2, -c: eigenvalues of D⁻¹A up to 1 + c cos(pi / (n + 1)).
CSRMatrix<double> two_lines(int n, double first, double second)
{
  std::vector<Values> rows(2 * n, Values(2 * n, 0.));
  for (int i = 0; i < 2 * n; ++i)
    {
      rows[i][i] = 2;
      if (i % n > 0)
        rows[i][i - 1] = rows[i - 1][i] = -(i < n ? first : second);
    }
  return to_csr(rows);
}
} // namespace

// The largest eigenvalue belongs to the first line, and then to the second one, where the vector that was followed is
// almost zero. Too small a value would let the polynomial amplify errors that it should damp.
TYPED_TEST(SmootherTest, FollowsAnEigenvalueThatMovesElsewhere)
{
  using Number      = typename TypeParam::Number;
  const int    n    = 48; // of each line
  const double most = 1 + std::cos(std::acos(-1.) / (n + 1));
  for (const double before : {1e-3, 0.5}) // of the second line; the first one ends with 1e-3, or stays at 0.6
    {
      const bool swap = before < 0.1;
      const auto A    = std::make_shared<CSRMatrix<double>>(two_lines(n, swap ? 1 : 0.6, before));
      const auto rows = std::make_shared<CompressedRows>(this->device, *A);
      LevelData  data{ValuesOnDevice{A, rows}, nullptr, nullptr};
      rows->values.upload(A->value.data());
      DeviceLevel<Number>        level(this->device, data);
      PolynomialSmoother<Number> smoother(level, {"jacobi", true, 0.8, 4.});
      const auto                 changed = two_lines(n, swap ? 1e-3 : 0.6, 1);
      rows->values.upload(changed.value.data());
      for (int step = 0; step < (swap ? 1 : 8); ++step)
        {
          level.update();
          smoother.update();
        }
      EXPECT_GT(smoother.eigenvalue(), most / 1.1);
      EXPECT_LT(smoother.eigenvalue(), most * 1.1);
    }
}

// Two smoothers with another past have the same bits after an update that begins anew, and not before.
TYPED_TEST(SmootherTest, BeginsAnew)
{
  using Number         = typename TypeParam::Number;
  const auto beginning = std::make_shared<int>(0);
  double     lambda[2][2];
  for (int other = 0; other < 2; ++other)
    {
      const auto A    = std::make_shared<CSRMatrix<double>>(two_lines(48, 0.7 + 0.2 * other, 0.5));
      const auto rows = std::make_shared<CompressedRows>(this->device, *A);
      LevelData  data{ValuesOnDevice{A, rows}, nullptr, nullptr};
      rows->values.upload(A->value.data());
      DeviceLevel<Number>        level(this->device, data);
      PolynomialSmoother<Number> smoother(level, {"jacobi", true, 0.8, 4., 0., 15, false, beginning});
      rows->values.upload(two_lines(48, 0.8, 0.5).value.data());
      level.update();
      for (int k = 0; k < 2; ++k)
        {
          *beginning += k;
          smoother.update();
          lambda[k][other] = smoother.eigenvalue();
        }
    }
  EXPECT_NE(lambda[0][0], lambda[0][1]);
  EXPECT_EQ(lambda[1][0], lambda[1][1]);
}

// Damped steps diverge with 2 / lambda. Here lambda is 1, then 4.5, and 1 again.
TYPED_TEST(SmootherTest, DampedStepsFollowAMatrixThatChanges)
{
  using Number      = typename TypeParam::Number;
  const int  n      = 8;
  const auto matrix = [n](double beside) {
    std::vector<Values> rows(n, Values(n, beside));
    for (int i = 0; i < n; ++i)
      rows[i][i] = 1.;
    return to_csr(rows);
  };
  const auto A    = std::make_shared<CSRMatrix<double>>(matrix(1e-6));
  const auto rows = std::make_shared<CompressedRows>(this->device, *A);
  LevelData  data{ValuesOnDevice{A, rows}, nullptr, nullptr};
  rows->values.upload(A->value.data());
  DeviceLevel<Number>        level(this->device, data);
  PolynomialSmoother<Number> smoother(level, {"jacobi", false, 0.8, 4.});
  const auto                 omega = [&smoother] { return smoother.coefficients(1)[0].second; };
  EXPECT_FLOAT_EQ(omega(), 0.8);
  for (const auto &[beside, least, most] : {std::array{0.5, 1.7 / 4.5, 1.91 / 4.5}, std::array{1e-6, 0.8, 0.8}})
    {
      const auto changed = matrix(beside);
      rows->values.upload(changed.value.data());
      level.update();
      smoother.update();
      EXPECT_GE(omega(), static_cast<Number>(least));
      EXPECT_LE(omega(), static_cast<Number>(most));
    }
}
