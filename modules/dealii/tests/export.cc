// The exported matrices in deal.II's own multigrid, without a device of ours, against deal.II's direct solver.
#include "dealii/export.h"
#include "fem/spaces/field.h"
#include "fem/support.h"

#include <deal.II/base/mg_level_object.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/precondition.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/sparse_direct.h>
#include <deal.II/lac/sparse_matrix.h>
#include <deal.II/multigrid/mg_coarse.h>
#include <deal.II/multigrid/mg_matrix.h>
#include <deal.II/multigrid/mg_smoother.h>
#include <deal.II/multigrid/multigrid.h>
#include <deal.II/numerics/matrix_creator.h>
#include <deal.II/numerics/vector_tools.h>

#include <memory>
#include <vector>

using namespace test;

namespace
{
using Values = Vector<double>;
using CSR    = adamant::CSRMatrix<double>;

// One of our matrices as deal.II's.
struct Converted
{
  explicit Converted(const CSR &A)
  {
    DynamicSparsityPattern dynamic(A.n_rows, A.n_cols);
    for_each_entry(A, [&](int row, int column, double) { dynamic.add(row, column); });
    pattern.copy_from(dynamic);
    matrix.reinit(pattern);
    for_each_entry(A, [&](int row, int column, double value) { matrix.set(row, column, value); });
  }

  template <class Action>
  static void for_each_entry(const CSR &A, const Action &action)
  {
    for (int row = 0; row < A.n_rows; ++row)
      for (auto k = A.row_start[row]; k < A.row_start[row + 1]; ++k)
        action(row, A.column[k], A.value[k]);
  }

  SparsityPattern      pattern;
  SparseMatrix<double> matrix;
};

using Matrices = std::vector<std::unique_ptr<Converted>>;

// P and R in deal.II's multigrid.
class Transfer : public MGTransferBase<Values>
{
public:
  explicit Transfer(const std::vector<adamant::Level> &levels)
  {
    for (const auto &level : levels)
      {
        P.push_back(level.P ? std::make_unique<Converted>(*level.P) : nullptr);
        R.push_back(level.R ? std::make_unique<Converted>(*level.R) : nullptr);
      }
  }
  void prolongate(const unsigned int to_level, Values &to, const Values &from) const override
  {
    P[to_level]->matrix.vmult(to, from);
  }
  void restrict_and_add(const unsigned int from_level, Values &to, const Values &from) const override
  {
    R[from_level]->matrix.vmult_add(to, from);
  }

private:
  Matrices P, R;
};

// A V-cycle of deal.II with two damped Jacobi steps before and after, a dense solver on the coarsest level.
class VCycleOfDealii
{
public:
  explicit VCycleOfDealii(const std::vector<adamant::Level> &levels)
    : top(levels.size() - 1)
    , matrices(0, top)
    , transfer(levels)
    , smoother(2)
  {
    for (unsigned int l = 0; l <= top; ++l)
      {
        A.push_back(std::make_unique<Converted>(*levels[l].A));
        matrices[l].reinit(A[l]->pattern);
        matrices[l].copy_from(A[l]->matrix);
      }
    matrix.initialize(matrices);
    smoother.initialize(matrices, PreconditionJacobi<SparseMatrix<double>>::AdditionalData(0.7));
    coarsest.copy_from(matrices[0]);
    coarse.initialize(coarsest);
    cycle = std::make_unique<Multigrid<Values>>(matrix, coarse, transfer, smoother, smoother, 0, top);
  }
  void vmult(Values &z, const Values &v) const
  {
    for (unsigned int l = 0; l < top; ++l) // as a transfer of deal.II does when it takes a vector over
      cycle->defect[l].reinit(matrices[l].m());
    cycle->defect[top] = v;
    cycle->cycle();
    z = cycle->solution[top];
  }

private:
  const unsigned int                                                       top;
  Matrices                                                                 A;
  MGLevelObject<SparseMatrix<double>>                                      matrices;
  Transfer                                                                 transfer;
  mg::Matrix<Values>                                                       matrix;
  mg::SmootherRelaxation<PreconditionJacobi<SparseMatrix<double>>, Values> smoother;
  FullMatrix<double>                                                       coarsest;
  MGCoarseGridHouseholder<double, Values>                                  coarse;
  std::unique_ptr<Multigrid<Values>>                                       cycle;
};

// -Laplace u = 1 with u = SmoothFunction on the boundary, as H x + B g; returns the iterations of deal.II's CG, too.
template <int dim>
std::pair<Values, unsigned int> solve_with_dealii(const adamant::Field<dim>         &u,
                                                  const std::vector<adamant::Level> &levels, const Values &b,
                                                  const Values &g)
{
  const VCycleOfDealii M(levels);
  const Converted      A(*levels.back().A), H(*levels.back().H), B(*levels.back().B);
  Values               x(b.size()), values(u.finest().n_dofs()), of_boundary(values.size());
  SolverControl        control(60, 1e-11 * b.l2_norm());
  SolverCG<Values>     cg(control);
  cg.solve(A.matrix, x, b, M);
  H.matrix.vmult(values, x);
  B.matrix.vmult(of_boundary, g);
  values += of_boundary;
  return {values, control.last_step()};
}

template <int dim>
void compare(const FiniteElement<dim> &fe, unsigned int seed)
{
  Triangulation<dim> mesh;
  make_random_mesh(mesh, seed);
  const MappingQ1<dim>       mapping;
  const QGauss<dim>          quadrature(fe.degree + 1);
  adamant::DirichletBoundary dirichlet{{0, {}}, {2, {}}};
  adamant::LevelMeshes<dim>  meshes(mesh, {8});
  adamant::Field<dim>        u(meshes, "u", fe, dirichlet);
  const auto                 levels =
    adamant::export_levels<dim>(u, mapping, quadrature, update_gradients | update_JxW_values, laplace<dim>);
  ASSERT_EQ(levels.size(), u.n_levels());
  ASSERT_GE(levels.size(), 4u);
  EXPECT_FALSE(levels[0].P || levels[0].R) << "expected no transfer to a level below the coarsest";

  // deal.II's own matrix and right-hand side, its hanging nodes and boundary values.
  const auto                     &dofs = u.finest().dof_handler();
  const AffineConstraints<double> constraints =
    dealii_constraints(u.finest(), mapping, dirichlet, SmoothFunction<dim>());
  DynamicSparsityPattern dynamic(dofs.n_dofs());
  DoFTools::make_sparsity_pattern(dofs, dynamic, constraints, false);
  SparsityPattern      pattern;
  SparseMatrix<double> matrix;
  pattern.copy_from(dynamic);
  matrix.reinit(pattern);
  Values rhs(dofs.n_dofs()), expected(dofs.n_dofs());
  // The constraints bring the boundary values into the right-hand side.
  MatrixCreator::create_laplace_matrix(mapping, dofs, quadrature, matrix, Functions::ConstantFunction<dim>(1.), rhs,
                                       static_cast<const Function<dim> *>(nullptr), constraints);
  SparseDirectUMFPACK direct;
  direct.initialize(matrix);
  direct.vmult(expected, rhs);
  constraints.distribute(expected);

  Values b = rhs;
  for (int i = 0; i < u.finest().n_dofs(); ++i)
    if (!u.finest().is_free(i))
      b[i] = 0.;
  const auto g                    = prescribed_values_of(u.finest(), mapping, SmoothFunction<dim>());
  const auto [values, iterations] = solve_with_dealii(u, levels, b, g);
  expect_close(values, expected, 1e-8, "the exported matrices in deal.II's multigrid");
  EXPECT_LE(iterations, 20u);
}

TEST(Export, FeedsTheMultigridOfDealii)
{
  compare<2>(FE_Q<2>(1), 71);
  compare<2>(FE_Q<2>(2), 72);
  compare<3>(FE_Q<3>(1), 73);
}

TEST(Export, MatricesStayWhereTheFieldGoes)
{
  Triangulation<2> mesh;
  make_random_mesh(mesh, 74);
  std::vector<adamant::Level> levels;
  {
    adamant::LevelMeshes<2> meshes(mesh, {8});
    adamant::Field<2>       u(meshes, "u", FE_Q<2>(1), {{0, {}}});
    levels =
      adamant::export_levels<2>(u, MappingQ1<2>(), QGauss<2>(2), update_gradients | update_JxW_values, laplace<2>);
  }
  for (std::size_t l = 1; l < levels.size(); ++l)
    {
      EXPECT_EQ(levels[l].P->n_rows, levels[l].A->n_rows);
      EXPECT_EQ(levels[l].P->n_cols, levels[l - 1].A->n_rows);
      const auto transposed = adamant::transpose(*levels[l].P);
      ASSERT_EQ(levels[l].R->n_nonzeros(), transposed.n_nonzeros());
      for (std::int64_t k = 0; k < transposed.n_nonzeros(); ++k)
        {
          EXPECT_EQ(levels[l].R->column[k], transposed.column[k]);
          EXPECT_EQ(levels[l].R->value[k], transposed.value[k]);
        }
      // Constrained DoFs, whose rows of H are no unit vectors, have rows of the identity in A and none in P.
      const auto &A = *levels[l].A, &H = *levels[l].H, &P = *levels[l].P;
      int         n_constrained = 0;
      for (int i = 0; i < A.n_rows; ++i)
        if (H.row_start[i + 1] - H.row_start[i] != 1 || H.column[H.row_start[i]] != i)
          {
            ++n_constrained;
            EXPECT_EQ(P.row_start[i + 1], P.row_start[i]);
            for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
              EXPECT_EQ(A.value[k], A.column[k] == i ? 1. : 0.);
          }
      EXPECT_GT(n_constrained, 0);
    }
}
} // namespace
