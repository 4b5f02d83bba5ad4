#include "tensor/fast_diagonalization.h"

#include "operators/level_data.h"
#include "solvers/richardson.h"
#include "support/column_inverse.h"
#include "support/devices.h"
#include "support/errors.h"
#include "support/reference.h"
#include "tensor/multi_vector.h"
#include "tensor/poisson_solver.h"

#include <cmath>
#include <utility>

using namespace adamant;
using namespace adamant::test;

namespace
{
// One direction: its nodes, and the dense stiffness and mass matrices of the nodes that are free.
struct Line
{
  std::vector<double> x;
  bool                first, last; // prescribed
  std::vector<Values> K, M;

  Line(std::vector<double> nodes, bool first, bool last)
    : x(std::move(nodes))
    , first(first)
    , last(last)
  {
    const int n = static_cast<int>(x.size()) - first - last;
    K = M = std::vector<Values>(n, Values(n, 0.));
    for (int cell = 0; cell + 1 < static_cast<int>(x.size()); ++cell)
      for (int i = cell; i < cell + 2; ++i)
        for (int j = cell; j < cell + 2; ++j)
          if (i - first >= 0 && i - first < n && j - first >= 0 && j - first < n)
            {
              const double h = x[cell + 1] - x[cell];
              K[i - first][j - first] += (i == j ? 1 : -1) / h;
              M[i - first][j - first] += (i == j ? 2 : 1) * h / 6;
            }
  }
  int        n() const { return static_cast<int>(K.size()); }
  Eigenpairs pairs(bool without_prescribed) const
  {
    return one_dimensional_eigenpairs(x, first, last, without_prescribed);
  }
};

std::vector<double> equal_cells(int n)
{
  std::vector<double> x;
  for (int i = 0; i <= n; ++i)
    x.push_back(double(i) / n);
  return x;
}

std::vector<double> graded_cells(int n)
{
  auto x = equal_cells(n);
  for (double &value : x)
    value = value * value + 0.2 * value;
  return x;
}

// Cells are finer at both ends, symmetrically.
std::vector<double> symmetric_cells(int n)
{
  auto x = equal_cells(n);
  for (double &value : x)
    value = 0.5 - 0.5 * std::cos(std::acos(-1.) * value);
  return x;
}

// Σ_d K in direction d and M in the others, the first direction fastest.
CSRMatrix<double> laplacian(const std::vector<Line> &lines)
{
  int n = 1;
  for (const auto &line : lines)
    n *= line.n();
  std::vector<Values> A(n, Values(n, 0.));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (std::size_t term = 0; term < lines.size(); ++term)
        {
          double value = 1;
          for (std::size_t d = 0, p = i, q = j; d < lines.size(); p /= lines[d].n(), q /= lines[d].n(), ++d)
            value *= (d == term ? lines[d].K : lines[d].M)[p % lines[d].n()][q % lines[d].n()];
          A[i][j] += value;
        }
  return to_csr(A);
}

std::vector<Eigenpairs> pairs_of(const std::vector<Line> &lines)
{
  std::vector<Eigenpairs> pairs;
  for (const auto &line : lines)
    pairs.push_back(line.pairs(true));
  return pairs;
}

// Column s of a row-major n x r matrix.
Values column(const Values &X, int r, int s)
{
  Values x;
  for (std::size_t i = s; i < X.size(); i += r)
    x.push_back(X[i]);
  return x;
}

std::vector<std::vector<Line>> problems()
{
  std::vector<std::vector<Line>> all;
  for (const bool graded : {false, true})
    for (int ends = 0; ends < 3; ++ends) // prescribed both, first, last
      {
        const bool first = ends != 2, last = ends != 1;
        const auto x = graded ? graded_cells(9) : equal_cells(9), y = graded ? graded_cells(7) : equal_cells(7);
        all.push_back({Line(x, first, last), Line(y, false, false)});
        all.push_back({Line(x, false, false), Line(y, first, last)});
        all.push_back({Line(x, last, first), Line(y, first, last)});
        all.push_back({Line(equal_cells(5), false, false), Line(x, first, last), Line(graded_cells(4), true, false)});
      }
  all.push_back({Line(symmetric_cells(8), true, true), Line(symmetric_cells(9), false, false)});
  all.push_back(
    {Line(symmetric_cells(7), false, false), Line(equal_cells(6), true, true), Line(equal_cells(5), true, true)});
  return all;
}

// As it pays; even and odd vectors apart wherever they are; and few lines and coefficients at a time.
const FastDiagonalization::Options all_options[] = {{0, 0}, {2, 0}, {2, 1}, {2, 600}};

class FastDiagonal : public DeviceTest
{
};
INSTANTIATE_TEST_SUITE_P(Devices, FastDiagonal, all_places, place_name);

// The largest error of a column relative to its norm.
double error_of(const Device &device, const std::vector<Line> &lines, Arithmetic arithmetic, int r,
                const FastDiagonalization::Options &options = {0, 0})
{
  const auto                A = laplacian(lines);
  const FastDiagonalization exact(device, pairs_of(lines), Arithmetic::float64, r),
    solver(device, pairs_of(lines), arithmetic, r, options);
  const auto     b = to_device(device, random_values(std::size_t(A.n_rows) * r, 7));
  Vector<double> x(device, b.size()), y(device, b.size());
  exact.solve(b, x);
  solver.solve(b, y);
  double     worst = 0;
  const auto X = values_of(x), Y = values_of(y);
  for (int s = 0; s < r; ++s)
    worst = std::max(worst, norm(combine(1, column(X, r, s), -1, column(Y, r, s))) / norm(column(X, r, s)));
  return worst;
}
} // namespace

TEST_P(FastDiagonal, SolvesWithAllMixturesOfEnds)
{
  for (const auto &lines : problems())
    {
      const auto A = laplacian(lines);
      // Columns alone, an odd number, and as many as go together.
      for (const auto &[r, options] :
           {std::pair{1, all_options[0]}, std::pair{3, all_options[0]}, std::pair{1, all_options[1]},
            std::pair{3, all_options[2]}, std::pair{8, all_options[3]}})
        {
          const FastDiagonalization solver(device, pairs_of(lines), Arithmetic::float64, r, options);
          const auto                b = random_values(std::size_t(A.n_rows) * r, 3);
          Vector<double>            x(device, static_cast<int>(b.size()));
          solver.solve(to_device(device, b), x);
          for (int s = 0; s < r; ++s)
            expect_near(product(A, column(values_of(x), r, s)), column(b, r, s), 1e-11,
                        "A x of column " + std::to_string(s));
        }
    }
}

// Nodes with prescribed values are zero in the result, and not read.
TEST_P(FastDiagonal, KeepsPrescribedNodes)
{
  for (const bool both : {false, true}) // ends of each line
    for (const auto &options : all_options)
      {
        const Line                lines[] = {Line(equal_cells(6), true, both), Line(symmetric_cells(5), both, true)};
        const FastDiagonalization with(device, {lines[0].pairs(false), lines[1].pairs(false)}, Arithmetic::float64, 1,
                                       options),
          without(device, {lines[0].pairs(true), lines[1].pairs(true)});
        const auto is_free = [both](int i) {
          return i % 7 > 0 && (!both || i % 7 < 6) && i / 7 < 5 && (!both || i / 7 > 0);
        };
        const auto b = random_values(42, 5);
        Values     inner;
        for (int i = 0; i < 42; ++i)
          if (is_free(i))
            inner.push_back(b[i]);
        Vector<double> x(device, 42), y(device, static_cast<int>(inner.size()));
        with.solve(to_device(device, b), x);
        without.solve(to_device(device, inner), y);
        const auto X = values_of(x), Y = values_of(y);
        for (int i = 0, k = 0; i < 42; ++i)
          EXPECT_NEAR(X[i], is_free(i) ? Y[k++] : 0., 1e-13) << "at node " << i;
      }
}

TEST_P(FastDiagonal, NaturalEndsAllRoundGiveThePseudoInverse)
{
  const std::vector<Line> lines = {Line(graded_cells(8), false, false), Line(equal_cells(6), false, false)};
  const auto              A     = laplacian(lines);
  auto                    b     = random_values(A.n_rows, 3);
  double                  mean  = 0;
  for (const double value : b)
    mean += value / A.n_rows;
  for (double &value : b)
    value -= mean;
  for (const auto &options : all_options)
    {
      const FastDiagonalization solver(device, pairs_of(lines), Arithmetic::float64, 1, options);
      Vector<double>            x(device, A.n_rows);
      solver.solve(to_device(device, b), x);
      expect_near(product(A, values_of(x)), b, 1e-11, "A x");
    }
}

// A column alone, or one of several: the same bits, on the host.
TEST(FastDiagonalization, ColumnsAreIndependentOfTheirNumber)
{
  const Device            device = Device::host(2);
  const std::vector<Line> lines  = {Line(equal_cells(20), true, true), Line(graded_cells(17), true, false)};
  const int               n = lines[0].n() * lines[1].n(), r = 64;
  const auto              B = random_values(std::size_t(n) * r, 9);
  const auto              b = to_device(device, B), b_1 = to_device(device, column(B, r, 1));
  Vector<double>          x(device, n * r), x_1(device, n);
  FastDiagonalization(device, pairs_of(lines), Arithmetic::float64, r).solve(b, x);
  FastDiagonalization(device, pairs_of(lines)).solve(b_1, x_1);
  EXPECT_EQ(column(values_of(x), r, 1), values_of(x_1));
}

TEST_P(FastDiagonal, ErrorsAreThoseOfThePrecision)
{
  const std::vector<Line> lines = {Line(equal_cells(64), true, true), Line(equal_cells(32), true, true)};
  for (const int r : {1, 5})
    {
      EXPECT_LT(error_of(device, lines, Arithmetic::float32, r), 2e-6);
      EXPECT_GT(error_of(device, lines, Arithmetic::float32, r), 1e-8) << "expected rounding to float";
      for (const auto arithmetic : {Arithmetic::tf32, Arithmetic::float16})
        {
          EXPECT_LT(error_of(device, lines, arithmetic, r), 2e-3) << to_text(arithmetic);
          EXPECT_GT(error_of(device, lines, arithmetic, r), 1e-5) << to_text(arithmetic);
        }
      EXPECT_LT(error_of(device, lines, Arithmetic::float32, r, {2, 0}), 2e-6) << "even and odd vectors apart";
      EXPECT_LT(error_of(device, lines, Arithmetic::float16, r, {2, 5000}), 2e-3) << "few at a time";
      for (const int split_from : {2, 100})
        {
          EXPECT_LT(error_of(device, lines, Arithmetic::float32, r, {split_from, 0, 1}), 2e-6) << "inverses";
          EXPECT_LT(error_of(device, lines, Arithmetic::float16, r, {split_from, 3000, 1}), 2e-3) << "inverses";
          EXPECT_LT(error_of(device, lines, Arithmetic::bfloat16, r, {split_from, 0, 1}), 2e-2) << "inverses";
        }
      EXPECT_LT(error_of(device, lines, Arithmetic::bfloat16, r), 2e-2);
      EXPECT_GT(error_of(device, lines, Arithmetic::bfloat16, r), 1e-3) << "expected 8 bits";
    }
}

// Inverses along the last direction in float, for all mixtures of ends, against the solution in double.
TEST_P(FastDiagonal, InvertsTheLastDirection)
{
  for (const auto &lines : problems())
    for (const int split_from : {2, 100})
      {
        const int                 r = 9, n = laplacian(lines).n_rows * r;
        const FastDiagonalization exact(device, pairs_of(lines), Arithmetic::float64, r),
          inverted(device, pairs_of(lines), Arithmetic::float32, r, {split_from, 600, 1});
        const auto     b = to_device(device, random_values(n, 3));
        Vector<double> x(device, n), y(device, n);
        exact.solve(b, x);
        inverted.solve(b, y);
        expect_near(values_of(y), values_of(x), 1e-5, "x");
        EXPECT_LT(inverted.flop(),
                  FastDiagonalization(device, pairs_of(lines), Arithmetic::float32, r, {split_from, 0, 1000}).flop());
      }
  // Without the constants, for which there is no inverse.
  const std::vector<Line> natural = {Line(graded_cells(8), false, false), Line(equal_cells(6), false, false)};
  const auto              A       = laplacian(natural);
  const auto              b       = product(A, random_values(A.n_rows, 3));
  Vector<double>          x(device, A.n_rows);
  FastDiagonalization(device, pairs_of(natural), Arithmetic::float32, 1, {0, 0, 1}).solve(to_device(device, b), x);
  expect_near(product(A, values_of(x)), b, 1e-5, "A x");
}

// Of folded lines through passes, of others products take them as they are.
TEST_P(FastDiagonal, TakesVectorsInFloat)
{
  const Line x(equal_cells(24), true, true), y(equal_cells(16), true, true), z(graded_cells(5), false, true);
  for (const std::vector<Line> &lines : {std::vector<Line>{x, y}, {y, x, z}})
    for (const FastDiagonalization::Options &options :
         {FastDiagonalization::Options{2, 0}, {100, 0, 1}, {100, 600, 99}})
      {
        int n = 1;
        for (const auto &line : lines)
          n *= line.n();
        expect_vectors_in_float(device, n, [&](Arithmetic arithmetic, int r) {
          return FastDiagonalization(device, pairs_of(lines), arithmetic, r, options);
        });
      }
}

// x += M b with norms at hand is x + (M b), on whole and on folded lines.
TEST_P(FastDiagonal, AddsToASolution)
{
  const std::vector<Line> lines = {Line(equal_cells(24), true, true), Line(equal_cells(16), true, true)};
  for (const int r : {1, 3, 8})
    for (const auto arithmetic : {Arithmetic::float64, Arithmetic::float32})
      for (const int split_from : {2, 100})
        {
          const FastDiagonalization solver(device, pairs_of(lines), arithmetic, r, {split_from, 0});
          const int                 n   = lines[0].n() * lines[1].n();
          const auto                b   = to_device(device, random_values(std::size_t(n) * r, 3));
          const auto                x   = random_values(std::size_t(n) * r, 4);
          auto                      sum = to_device(device, x);
          Vector<double>            alone(device, n * r);
          ColumnNorms               norms(device, n, r);
          solver.solve(b, alone);
          solver.apply(b, norms(b), true, sum);
          expect_near(values_of(sum), combine(1, x, 1, values_of(alone)), 1e-14, "x + M b");
        }
}

TEST_P(FastDiagonal, RefinementInDoubleReachesRounding)
{
  const std::vector<Line> lines = {Line(equal_cells(24), true, true), Line(graded_cells(16), true, false)};
  const auto              A     = laplacian(lines);
  const MatrixOperator    op(Matrix<double>(device, A), device);
  const auto              b = random_values(A.n_rows, 3);
  for (const auto arithmetic : {Arithmetic::float32, Arithmetic::float16})
    {
      const FastDiagonalization solver(device, pairs_of(lines), arithmetic);
      Richardson                refinement(device, op, solver, "Refinement");
      Vector<double>            x(device, A.n_rows);
      const auto                result = refinement.solve(to_device(device, b), x, {1e-11, 20, "test"});
      EXPECT_LT(relative_residual(A, values_of(x), b), 1.1e-11);
      EXPECT_LE(result.iterations, arithmetic == Arithmetic::float32 ? 3 : 10);
    }
}

// What is recorded for two vectors keeps their memory, not the objects that held it.
TEST_P(FastDiagonal, RecordedSolvesOutliveTheirVectorObjects)
{
  const std::vector<Line>      lines = {Line(equal_cells(24), true, true), Line(equal_cells(16), true, true)};
  const auto                   A     = laplacian(lines);
  const std::vector<LevelData> levels;
  PoissonSolver                solver(device, levels, {}, 0, pairs_of(lines));
  const auto                   values = random_values(A.n_rows, 3);
  auto                         b = to_device(device, values), x = to_device(device, Values(A.n_rows, 0.));
  solver.launch(b, x).wait();
  Vector<double> same_b = std::move(b), same_x = std::move(x);
  same_b.upload(combine(2, values, 0, values).data());
  device.interface().outdate_graphs();
  solver.launch(same_b, same_x).wait();
  EXPECT_LT(relative_residual(A, values_of(same_x), combine(2, values, 0, values)), 1e-12);
}

// 63 nodes: 32 sums with 32 even vectors, 31 differences with 31 odd ones. In double two products, and six operations
// for each unknown.
TEST(FastDiagonalization, CountsOperations)
{
  const std::vector<Eigenpairs> square(2, one_dimensional_eigenpairs(equal_cells(64), true, true, true));
  const auto                    flop = [&](Arithmetic arithmetic, int split_from, int invert_from = 0) {
    return FastDiagonalization(Device::host(1), square, arithmetic, 1, {split_from, 0, invert_from}).flop();
  };
  EXPECT_EQ(flop(Arithmetic::float32, 100), 8. * 63 * 63 * 63) << "expected four products of matrices with n = 63 rows";
  EXPECT_EQ(flop(Arithmetic::float32, 2), 8. * 63 * (32 * 32 + 31 * 31));
  EXPECT_EQ(flop(Arithmetic::float32, 100, 1), 6. * 63 * 63 * 63) << "expected three";
  EXPECT_EQ(flop(Arithmetic::float64, 100), 4. * 63 * 63 * 63 + 6 * 63 * 63);
}

// Even and odd vectors of a mesh that is finer at both ends, where pairs of them have nearly the same eigenvalue.
TEST(FastDiagonalization, EvenAndOddVectorsAreApart)
{
  for (const int cells : {40, 41})
    for (const bool prescribed : {false, true})
      {
        const Line line(symmetric_cells(cells), prescribed, prescribed);
        const auto pairs = line.pairs(true);
        ASSERT_EQ(static_cast<int>(pairs.parity.size()), pairs.n);
        int n_even = 0;
        for (int k = 0; k < pairs.n; ++k)
          {
            n_even += pairs.parity[k] == 1;
            Values v(pairs.n);
            for (int i = 0; i < pairs.n; ++i)
              {
                v[i] = pairs.vectors[std::size_t(i) * pairs.n + k];
                EXPECT_EQ(v[i], pairs.parity[k] * pairs.vectors[std::size_t(pairs.n - 1 - i) * pairs.n + k]);
              }
            const auto Kv = product(to_csr(line.K), v), Mv = product(to_csr(line.M), v);
            EXPECT_LT(norm(combine(1, Kv, -pairs.value[k], Mv)), 1e-9 * (norm(Kv) + norm(v))) << "vector " << k;
          }
        EXPECT_EQ(n_even, (pairs.n + 1) / 2);
      }
  EXPECT_TRUE(one_dimensional_eigenpairs(graded_cells(8), true, true).parity.empty());
  EXPECT_TRUE(one_dimensional_eigenpairs(equal_cells(8), true, false).parity.empty());
}

TEST(DenseProducts, InvertsByBlocks)
{
  const int    n = 600, row = 608;
  const Device device = Device::host(2);
  Values       A(std::size_t(n) * row, 0.);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      A[std::size_t(i) * row + j] = (i == j ? 2. : 0.) + 1. / (1. + std::abs(i - j));
  auto inverse = to_device(device, A);
  DenseProducts(device, Arithmetic::float64).invert(device, inverse.data(), n, row);
  const auto X = values_of(inverse);
  for (int i = 0; i < n; i += 37)
    for (int j = 0; j < n; j += 41)
      {
        double sum = 0;
        for (int k = 0; k < n; ++k)
          sum += A[std::size_t(i) * row + k] * X[std::size_t(k) * row + j];
        EXPECT_NEAR(sum, i == j, 1e-12) << "entry " << i << ", " << j << " of A A⁻¹";
      }
}

// Each number of 16 bits survives the way to float and back; numbers between two go to the nearer, ties to the even
// one.
TEST(SmallFloats, Round)
{
  for (unsigned int bits = 0; bits < 65536; ++bits)
    {
      Float16 half;
      half.bits = static_cast<std::uint16_t>(bits);
      if ((bits & 0x7c00u) != 0x7c00u)
        {
          EXPECT_EQ(Float16(float(half)).bits, bits);
        }
      BFloat16 brain;
      brain.bits = static_cast<std::uint16_t>(bits);
      if ((bits & 0x7f80u) != 0x7f80u)
        {
          EXPECT_EQ(BFloat16(float(brain)).bits, bits);
        }
    }
  EXPECT_EQ(float(Float16(1.f + 0x1p-11f)), 1.f);
  EXPECT_EQ(float(Float16(1.f + 3 * 0x1p-11f)), 1.f + 0x1p-9f);
  EXPECT_EQ(float(Float16(65519.f)), 65504.f);
  EXPECT_TRUE(std::isinf(float(Float16(65520.f))));
  EXPECT_TRUE(std::isnan(float(Float16(std::nanf("")))));
  EXPECT_EQ(float(Float16(0x1p-24f)), 0x1p-24f);
  EXPECT_EQ(float(Float16(0x1p-25f)), 0.f);
  EXPECT_EQ(round_mantissa(1.f + 0x1p-11f, 10), 1.f);
}

TEST(Arithmetic, IsRefusedWhereTheDeviceHasNone)
{
  EXPECT_EQ(arithmetic("tf32"), Arithmetic::tf32);
  EXPECT_THROW(arithmetic("half"), InputError);
  require_arithmetic("Precision", Arithmetic::float32, Device::host(1));
  try
    {
      require_arithmetic("Precision", Arithmetic::float16, Device::host(1));
      FAIL() << "expected an error";
    }
  catch (const InputError &error)
    {
      EXPECT_NE(std::string(error.what()).find("needs --backend cuda"), std::string::npos) << error.what();
    }
}

// The type in which numbers are stored follows from the arithmetic.
TEST(DenseProducts, RefusesNumbersOfAnotherType)
{
  const Device        device = Device::host(1);
  const DenseProducts products(device, Arithmetic::float32);
  const double        a = 2.;
  double              c = 0.;
  expect_error<RunError>(
    [&] {
      products.multiply({1, 1, 1, false, false, 1, 1, 1}, 1., &a, &a, 0., &c);
    },
    {"float32", "another type"});
  const float in_float = 2.F;
  float       result   = 0.F;
  products.multiply({1, 1, 1, false, false, 1, 1, 1}, 1., &in_float, &in_float, 0., &result);
  EXPECT_EQ(result, 4.F);
}
