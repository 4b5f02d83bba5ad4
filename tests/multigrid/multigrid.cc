#include "multigrid/v_cycle.h"

#include "support/backends.h"
#include "support/q1_grid.h"
#include "support/reference.h"

#include <numeric>
#include <sstream>

using namespace adamant;
using namespace adamant::test;

namespace
{
template <class Backend>
class MultigridTest : public BackendTest<Backend>
{
protected:
  Values vmult(const Multigrid<Backend> &mg, const Values &b) const
  {
    return to_host(*this->backend, mg.vmult(to_backend(*this->backend, b)));
  }

  // Factor by which e <- e - M A e shrinks the error in the end.
  double contraction(const Multigrid<Backend> &mg, const CSRMatrix<double> &A) const
  {
    Values e      = random_values(A.n_rows, 1);
    double factor = 0;
    for (int k = 0; k < 12; ++k)
      {
        const double before = norm(e);
        e                   = combine(1, e, -1, vmult(mg, product(A, e)));
        factor              = norm(e) / before;
        e                   = combine(1 / norm(e), e, 0, e);
      }
    return factor;
  }
};
TYPED_TEST_SUITE(MultigridTest, Backends);

struct Case
{
  std::string      name;
  MultigridOptions options;
  double           bound; ///< of the contraction
};

// All smoothers x (damped, Chebyshev) x coarse solvers.
std::vector<Case> cases()
{
  std::vector<Case> all;
  for (const auto &[type, name] : {std::pair(SmootherType::jacobi, "jacobi"),
                                   {SmootherType::block_jacobi, "block_jacobi"},
                                   {SmootherType::fsai, "fsai"}})
    for (const bool chebyshev : {false, true})
      for (const auto coarse : {CoarseSolverType::dense_inverse, CoarseSolverType::smoothing})
        {
          MultigridOptions options;
          options.smoother.type      = type;
          options.smoother.chebyshev = chebyshev;
          options.coarse_solver      = coarse;
          options.coarse_steps       = chebyshev ? 12 : 40;
          all.push_back({std::string(name) + (chebyshev ? ", Chebyshev" : "") +
                           (coarse == CoarseSolverType::smoothing ? ", coarsest level smoothed" : ""),
                         options, 0.2});
        }
  return all;
}

const std::vector<double> coupling = {2, 0.8, 0.8, 1};
} // namespace

TYPED_TEST(MultigridTest, ContractionDoesNotDependOnTheLevel)
{
  for (const auto &[name, options, bound] : cases())
    {
      double coarser = 0;
      for (const int n_levels : {3, 4, 5}) // 16, 32, 64 cells a direction
        {
          auto levels = q1_levels(2, 4, n_levels);
          if (options.smoother.type == SmootherType::block_jacobi)
            levels = coupled_levels(levels, coupling, 2);
          const Multigrid<TypeParam> mg(*this->backend, levels, options);
          EXPECT_EQ(mg.n_levels(), static_cast<std::size_t>(n_levels));
          const double factor = this->contraction(mg, levels.back().matrix);
          EXPECT_LT(factor, bound) << name << ", " << n_levels << " levels";
          if (n_levels == 5)
            {
              EXPECT_LT(factor, 1.15 * coarser + 0.01)
                << name << ": expected no growth from " << n_levels - 1 << " to " << n_levels << " levels";
            }
          coarser = factor;
        }
    }
}

TYPED_TEST(MultigridTest, ContractsInOneAndThreeDimensions)
{
  for (const auto &[dim, n_levels] : {std::pair(1, 7), {3, 3}})
    {
      const auto                 levels = q1_levels(dim, 4, n_levels);
      const Multigrid<TypeParam> mg(*this->backend, levels, MultigridOptions());
      EXPECT_LT(this->contraction(mg, levels.back().matrix), 0.25) << dim << "D";
    }
}

TYPED_TEST(MultigridTest, IsSymmetricWithEqualPreAndPostSmoothing)
{
  using Number        = typename TypeParam::value_type;
  auto         levels = coupled_levels(q1_levels(2, 4, 3), coupling, 2);
  const Values x = random_values(levels.back().matrix.n_rows, 1), y = random_values(levels.back().matrix.n_rows, 2);
  for (auto [name, options, bound] : cases())
    {
      const Multigrid<TypeParam> symmetric(*this->backend, levels, options);
      const double               xMy = dot(x, this->vmult(symmetric, y)), yMx = dot(y, this->vmult(symmetric, x));
      const double               scale = norm(x) * norm(this->vmult(symmetric, y));
      EXPECT_NEAR(xMy, yMx, rounding<Number> * scale) << name;
      EXPECT_GT(dot(x, this->vmult(symmetric, x)), 0) << name << ": expected positive definite";

      options.post_steps = 0;
      const Multigrid<TypeParam> other(*this->backend, levels, options);
      EXPECT_GT(std::abs(dot(x, this->vmult(other, y)) - dot(y, this->vmult(other, x))), rounding<Number> * scale)
        << name << ": expected pre-smoothing alone to be nonsymmetric, else this test tests nothing";
    }
}

TYPED_TEST(MultigridTest, NoPostSmoothingStillConverges)
{
  MultigridOptions options;
  options.post_steps = 0;
  const auto levels  = q1_levels(2, 4, 4);
  EXPECT_LT(this->contraction(Multigrid<TypeParam>(*this->backend, levels, options), levels.back().matrix), 0.35);
}

TYPED_TEST(MultigridTest, OneLevelIsTheCoarseSolver)
{
  using Number                      = typename TypeParam::value_type;
  const auto                 levels = q1_levels(2, 8, 1);
  const Values               u      = random_values(levels[0].matrix.n_rows, 1);
  const Multigrid<TypeParam> mg(*this->backend, levels, MultigridOptions());
  expect_near(this->vmult(mg, product(levels[0].matrix, u)), u, 10 * rounding<Number>, "A⁻¹ A u");
}

TYPED_TEST(MultigridTest, LeavesConstrainedUnknownsAtTheirRightHandSide)
{
  using Number      = typename TypeParam::value_type;
  const Grid grid   = {2, 16};
  const auto levels = q1_levels(2, 4, 3);
  Values     b      = random_values(grid.n_nodes(), 1);
  for (int i = 0; i < grid.n_nodes(); ++i)
    if (grid.on_boundary(grid.position(i)))
      b[i] = 0;
  const Values z = this->vmult(Multigrid<TypeParam>(*this->backend, levels, MultigridOptions()), b);
  for (int i = 0; i < grid.n_nodes(); ++i)
    if (grid.on_boundary(grid.position(i)))
      {
        EXPECT_NEAR(z[i], 0., rounding<Number>) << "boundary node " << i;
      }
}

TYPED_TEST(MultigridTest, RepeatsItsResult)
{
  const auto   levels = q1_levels(2, 4, 4);
  const Values b      = random_values(levels.back().matrix.n_rows, 1);
  for (const auto &[name, options, bound] : cases())
    {
      const Multigrid<TypeParam> mg(*this->backend, levels, options);
      const Values               first = this->vmult(mg, b);
      this->vmult(mg, Values(b.size(), nan_value)); // leaves nothing behind
      expect_near(this->vmult(mg, b), first, 0., name);
    }
}

TYPED_TEST(MultigridTest, SameBitsForAnyNumberOfThreads)
{
  const auto   levels = q1_levels(2, 8, 5, {1, 1e-2, {0, -1, 0}}); // 16641 unknowns
  const Values b      = random_values(levels.back().matrix.n_rows, 1);
  for (const bool chebyshev : {false, true})
    {
      MultigridOptions options;
      options.smoother.chebyshev = chebyshev;
      std::vector<Values> results;
      for (const int threads : {1, 2, 3})
        {
          const auto backend = make_backend<TypeParam>(threads);
          results.push_back(
            to_host(backend, Multigrid<TypeParam>(backend, levels, options).vmult(to_backend(backend, b))));
        }
      expect_near(results[1], results[0], 0., "2 threads and 1");
      expect_near(results[2], results[0], 0., "3 threads and 1");
    }
}

TYPED_TEST(MultigridTest, UpdateEqualsANewObject)
{
  const auto   before = q1_levels(2, 4, 3, {1, 0.01, {}}), after = q1_levels(2, 4, 3, {1, 0.3, {0, -0.5, 0}});
  const Values b = random_values(before.back().matrix.n_rows, 1);
  for (const auto &[name, options, bound] : cases())
    {
      Multigrid<TypeParam>       updated(*this->backend, before, options);
      const Multigrid<TypeParam> built(*this->backend, after, options);
      const Values               expected = this->vmult(built, b);
      EXPECT_GT(norm(combine(1, expected, -1, this->vmult(updated, b))), 0.01 * norm(expected))
        << name << ": expected a difference";
      updated.update(after);
      expect_near(this->vmult(updated, b), expected, 0., name);
    }
}

// The inverse given from outside is that from inside, in either precision and with new values.
TYPED_TEST(MultigridTest, TakesACoarseSolver)
{
  using Number = typename TypeParam::value_type;
  MultigridOptions options;
  options.coarse_solver      = CoarseSolverType::external;
  options.make_coarse_solver = [](const CSRMatrix<double> &matrix) -> CoarseSolver {
    return [inverse = dense_inverse(matrix)](const Array<double> &b, Array<double> &x) {
      for (std::size_t i = 0; i < b.size(); ++i)
        x[i] = std::inner_product(b.begin(), b.end(), &inverse[i * b.size()], 0.);
    };
  };
  auto levels = q1_levels(2, 4, 3);
  if (TypeParam::asynchronous)
    {
      EXPECT_THROW(Multigrid<TypeParam>(*this->backend, levels, options), InputError);
      return;
    }
  Multigrid<TypeParam> external(*this->backend, levels, options), inverse(*this->backend, levels, MultigridOptions());
  const Values         b = random_values(levels.back().matrix.n_rows, 1);
  expect_near(this->vmult(external, b), this->vmult(inverse, b), 10 * rounding<Number>, "external");
  levels = q1_levels(2, 4, 3, {1, 0.3, {0, -0.5, 0}});
  external.update(levels);
  inverse.update(levels);
  expect_near(this->vmult(external, b), this->vmult(inverse, b), 10 * rounding<Number>, "external, new values");
}

TYPED_TEST(MultigridTest, PrintsItsLevels)
{
  const auto         levels = q1_levels(2, 4, 3);
  MultigridOptions   options;
  std::ostringstream text;
  text << Multigrid<TypeParam>(*this->backend, levels, options);
  options.smoother.chebyshev = true;
  text << Multigrid<TypeParam>(*this->backend, levels, options);
  for (const char *part :
       {"level 2: 289 unknowns", "level 1: 81 unknowns", "level 0: 25 unknowns, dense inverse", "eigenvalue"})
    EXPECT_NE(text.str().find(part), std::string::npos) << "expected '" << part << "' in:\n" << text.str();
}

TYPED_TEST(MultigridTest, RefusesImpossibleInput)
{
  auto             levels = q1_levels(2, 4, 2);
  MultigridOptions options;
  options.pre_steps = 0;
  EXPECT_THROW(Multigrid<TypeParam>(*this->backend, levels, options), InputError) << "no pre-smoothing";
  options.pre_steps  = 2;
  options.post_steps = -1;
  EXPECT_THROW(Multigrid<TypeParam>(*this->backend, levels, options), InputError) << "negative post-smoothing";
  options.post_steps = 2;
  levels[0].matrix   = q1_matrix({2, 4}, {}, false);
  EXPECT_THROW(Multigrid<TypeParam>(*this->backend, levels, options), RunError) << "singular coarsest matrix";
  levels                    = q1_levels(2, 4, 2);
  levels[1].matrix.value[0] = nan_value;
  EXPECT_THROW(Multigrid<TypeParam>(*this->backend, levels, options), RunError) << "NaN on the diagonal";
}
