#include "solvers/triangular.h"

#include "solvers/gmres.h"
#include "support/errors.h"
#include "support/krylov.h"

using namespace adamant;
using namespace adamant::test;

namespace
{
using Part = TriangularPreconditioner::Part;

class Triangular : public DeviceTest
{
protected:
  MatrixOperator         matrix(const CSRMatrix<double> &A) const { return matrix_operator(device, A); }
  FunctionPreconditioner times(double a) const
  {
    return FunctionPreconditioner([device = this->device, a](const auto &v, auto &z) { device.axpby(a, v, 0., z); },
                                  true);
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, Triangular, all_places, place_name);

// One third of the vector.
Values third(const Values &v, int i)
{
  return Values(v.begin() + 7 * i, v.begin() + 7 * (i + 1));
}

Values joined(const Values &a, const Values &b, const Values &c)
{
  Values all = a;
  all.insert(all.end(), b.begin(), b.end());
  all.insert(all.end(), c.begin(), c.end());
  return all;
}
} // namespace

TEST_P(Triangular, PartsAreTheirFormulas)
{
  std::vector<CSRMatrix<double>> A;
  for (unsigned int i = 0; i < 9; ++i)
    A.push_back(random_matrix(7, 7, Rows::irregular, i));
  std::vector<std::unique_ptr<MatrixOperator>> operators;
  BlockOperator::Rows                          rows(3);
  for (int i = 0; i < 9; ++i)
    {
      operators.push_back(std::make_unique<MatrixOperator>(matrix(A[i])));
      rows[i / 3].push_back(i == 1 ? nullptr : operators[i].get()); // A_01 = 0
    }
  const BlockOperator    block_operator(rows);
  FunctionPreconditioner M[] = {times(2), times(-3), times(0.5)};
  const Values           v   = random_values(21, 1);
  const Values           v0 = third(v, 0), v1 = third(v, 1), v2 = third(v, 2);
  const auto             less = [&](const Values &a, const CSRMatrix<double> &B, const Values &x) {
    return combine(1, a, -1, product(B, x));
  };
  const auto times = [](double a, const Values &x) { return combine(a, x, 0, x); };
  const auto apply = [&](Part part) {
    TriangularPreconditioner P(device, block_operator, {&M[0], &M[1], &M[2]}, part);
    auto                     z = to_device(device, Values(21, nan_value));
    P.vmult(to_device(device, v), z);
    EXPECT_TRUE(P.recordable());
    return values_of(z);
  };

  expect_near(apply(Part::none), joined(times(2, v0), times(-3, v1), times(0.5, v2)), 0., "none");

  const Values upper2 = times(0.5, v2), upper1 = times(-3, less(v1, A[5], upper2)),
               upper0 = times(2, less(v0, A[2], upper2));
  expect_near(apply(Part::upper), joined(upper0, upper1, upper2), rounding<double>, "upper");

  const Values lower0 = times(2, v0), lower1 = times(-3, less(v1, A[3], lower0)),
               lower2 = times(0.5, less(less(v2, A[6], lower0), A[7], lower1));
  expect_near(apply(Part::lower), joined(lower0, lower1, lower2), 10 * rounding<double>, "lower");

  const Values back1 = combine(1, lower1, 3, product(A[5], lower2)),
               back0 = combine(1, lower0, -2, product(A[2], lower2));
  expect_near(apply(Part::symmetric), joined(back0, back1, lower2), 20 * rounding<double>, "symmetric");
}

TEST_P(Triangular, UpdatesAndRecordsAsItsParts)
{
  const auto          A = matrix(to_csr({{2, 0}, {0, 4}})), B = matrix(to_csr({{1}, {1}})), C = matrix(to_csr({{3}}));
  const BlockOperator block_operator({{&A, &B}, {nullptr, &C}});
  FunctionPreconditioner   first = times(1), second = times(1);
  TriangularPreconditioner P(device, block_operator, {&first, &second}, Part::upper);
  EXPECT_TRUE(P.recordable());
  P.update();
  EXPECT_EQ(first.n_updates, 1);
  EXPECT_EQ(second.n_updates, 1);

  FunctionPreconditioner   waiting([](const auto &, auto &) {});
  TriangularPreconditioner Q(device, block_operator, {&first, &waiting}, Part::none);
  EXPECT_FALSE(Q.recordable());
}

TEST_P(Triangular, RefusesWrongNumbers)
{
  const auto             A = matrix(to_csr({{2, 0}, {0, 4}})), B = matrix(to_csr({{1}, {1}}));
  FunctionPreconditioner M = times(1);
  const BlockOperator    square(BlockOperator::Rows{{&A}}), wide(BlockOperator::Rows{{&A, &B}});
  expect_error<RunError>(
    [&] {
      TriangularPreconditioner(device, square, {&M, &M}, Part::upper);
    },
    {"1 x 1 blocks", "2 preconditioners"});
  expect_error<RunError>([&] { TriangularPreconditioner(device, wide, {&M}, Part::upper); }, {"1 x 2 blocks"});
  const auto          C = matrix(to_csr({{1, 0}}));
  const BlockOperator uneven({{&B, &A}, {nullptr, &C}}); // rows 2 + 1, columns 1 + 2
  expect_error<RunError>(
    [&] {
      TriangularPreconditioner(device, uneven, {&M, &M}, Part::upper);
    },
    {"diagonal block 0", "2 x 1"});
}

// Saddle point problem [F Bᵀ; B 0] with Schur complement S = -B F⁻¹ Bᵀ. With exact inverses the triangular
// preconditioners leave the minimal polynomial (x - 1)², and the diagonal one, with -S, the three eigenvalues
// 1 and (1 ± √5)/2 (Murphy, Golub & Wathen 2000).
TEST_P(Triangular, ExactSchurComplementEndsGMRESAtOnce)
{
  const auto          F = q1_matrix({2, 8}, {1, 0.05, {0.3, -1, 0}});
  const auto          B = random_matrix(10, F.n_rows, Rows::equal, 1), Bt = transpose(B);
  const auto          F_dense = to_dense(F), Bt_dense    = to_dense(Bt);
  std::vector<Values> schur(10, Values(10)), minus_schur = schur;
  for (int j = 0; j < 10; ++j)
    {
      Values column(F.n_rows);
      for (int i = 0; i < F.n_rows; ++i)
        column[i] = Bt_dense[i][j];
      const Values BFBt = product(B, dense_solve(F_dense, column));
      for (int i = 0; i < 10; ++i)
        schur[i][j] = -(minus_schur[i][j] = BFBt[i]);
    }

  const auto          F_operator = matrix(F), B_operator = matrix(B), Bt_operator = matrix(Bt);
  const BlockOperator saddle({{&F_operator, &Bt_operator}, {&B_operator, nullptr}});
  ExactPreconditioner F_inverse(device, F), S_inverse(device, to_csr(schur)),
    minus_S_inverse(device, to_csr(minus_schur));

  const int    n = saddle.n_rows();
  const Values b = random_values(n, 1);
  for (const auto &[part, name, iterations] :
       {std::tuple(Part::upper, "upper", 2), {Part::lower, "lower", 2}, {Part::none, "none", 3}})
    {
      Preconditioner *second = &S_inverse;
      if (part == Part::none)
        second = &minus_S_inverse;
      TriangularPreconditioner P(device, saddle, {&F_inverse, second}, part);
      GMRES                    gmres(device, saddle, P);
      const auto [result, x] = solve(device, gmres, b, Values(n, 0.), control(1e-10, 10));
      EXPECT_EQ(result.iterations, iterations) << name;
      const Values u(x.begin(), x.begin() + F.n_rows), p(x.begin() + F.n_rows, x.end());
      Values       Ax = combine(1, product(F, u), 1, product(Bt, p)), Bu = product(B, u);
      Ax.insert(Ax.end(), Bu.begin(), Bu.end());
      EXPECT_LE(norm(combine(1, b, -1, Ax)), 1e-9 * norm(b)) << name;
    }
}
