// The library's solution against direct solvers; the convergence of its V-cycle.
#include "fem/forms/hierarchy_builder.h"
#include "fem/ml.h"
#include "fem/poisson.h"
#include "fem/support.h"
#include "frame/sparse_direct.h"
#include "multigrid/linear_solver.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/numerics/vector_tools.h>

#include <algorithm>
#include <memory>
#include <utility>

using namespace test;

namespace
{
const UpdateFlags flags = poisson_flags;

// The library alone: u = H x + B g with A x = S f - C g.
template <int dim>
Vector<double> solve(const Poisson<dim> &problem, const adamant::LinearSolverOptions &options)
{
  const auto        &space = problem.space();
  const auto        &u     = problem.field;
  adamant::Form<dim> C("C", u, prescribed_values(u), problem.mapping, problem.quadrature, flags, laplace<dim>);
  adamant::Form<dim> S("S", u, adamant::quadrature_points<dim>(), problem.mapping, problem.quadrature, flags,
                       [](const auto &cell, auto &local) {
                         for (const unsigned int q : cell.quadrature_point_indices())
                           for (const unsigned int i : cell.dof_indices())
                             local(i, q) += cell.value(i, q) * cell.JxW(q);
                       });
  C.update();
  S.update();
  const auto     g = prescribed_values_of(space, problem.mapping, SmoothFunction<dim>());
  Vector<double> f(S.finest()->n_cols);
  f                = 1.;
  Vector<double> b = multiply(*S.finest(), f);
  b -= multiply(*C.finest(), g);

  const adamant::Device   device = adamant::Device::host(2);
  adamant::LinearSolver   solver(device, problem.levels(), options);
  adamant::Vector<double> rhs(device, b.size()), x(device, b.size());
  rhs.upload(b.begin());
  solver.solve(rhs, x);
  const auto     solution = adamant::to_host<Vector<double>>(x);
  Vector<double> values   = multiply(space.H, solution);
  values += multiply(space.B, g);
  return values;
}

// Iterations to 1e-8 for a random right-hand side.
template <int dim>
int iterations(const Poisson<dim> &problem, adamant::LinearSolverOptions options,
               std::unique_ptr<adamant::Preconditioner> external = nullptr)
{
  const int      n = problem.space().n_dofs();
  Vector<double> b = random_vector(n, 50);
  for (int i = 0; i < n; ++i)
    if (!problem.space().is_free(i))
      b[i] = 0.;
  const adamant::Device   device = adamant::Device::host(2);
  adamant::LinearSolver   solver(device, problem.levels(), options, std::move(external));
  adamant::Vector<double> rhs(device, n), x(device, n);
  rhs.upload(b.begin());
  return solver.solve(rhs, x).iterations;
}

TEST(Solvers, AdaptivePoissonAgainstADirectSolver)
{
  Triangulation<3> mesh;
  make_random_mesh(mesh, 51);
  for (auto &face : mesh.active_face_iterators())
    if (face->at_boundary())
      face->set_boundary_id(0);
  Poisson<3> problem(mesh, FE_Q<3>(1), 8);
  problem.assemble_with_dealii();
  const auto expected = problem.direct_solution();
  expect_close(solve(problem, options(adamant::SolverType::cg, 1e-11)), expected, 1e-8, "CG");
  expect_close(solve(problem, options(adamant::SolverType::gmres, 1e-11)), expected, 1e-8, "GMRES");
  expect_close(solve(problem, options(adamant::SolverType::multigrid, 1e-11)), expected, 1e-8, "multigrid alone");
}

// Of a matrix that stays the levels are made in turn and freed; the solver computes the same result, and parts that are
// asked for come back.
TEST(Solvers, LevelsInTurn)
{
  Triangulation<2> mesh;
  make_random_mesh(mesh, 55);
  const Poisson<2>      whole(mesh, FE_Q<2>(1), 8);
  Poisson<2>            problem(mesh, FE_Q<2>(1), 8);
  const adamant::Device device = adamant::Device::host(2);
  const auto            o      = options(adamant::SolverType::gmres, 1e-10);
  adamant::LinearSolver expected(device, whole.levels(), o);

  const std::size_t                               top    = problem.field.n_levels() - 1;
  const std::weak_ptr<const adamant::CellList<2>> coarse = problem.meshes[0].cells;
  const std::weak_ptr<const adamant::CellList<2>> next   = problem.meshes[top - 1].cells;
  std::weak_ptr<const adamant::CSRMatrix<double>> P;
  const std::size_t                               small = whole.field.space(1).n_dofs();
  ASSERT_GE(top, 3u) << "two levels at once, two in turn";
  adamant::HierarchyBuilder<2> builder(problem.meshes, problem.field, problem.form);
  auto                         levels = builder.levels(small);
  EXPECT_TRUE(levels[1].has_rows() && !levels[2].has_rows());
  auto &demand    = std::get<adamant::MadeOnDemand>(levels[top].values);
  demand.transfer = [&, make = demand.transfer] {
    const auto transfer = make();
    P                   = transfer.first;
    EXPECT_TRUE(next.expired()) << "the finest transfer reads tables";
    return transfer;
  };
  adamant::LinearSolver solver(device, levels, o);
  EXPECT_TRUE(coarse.expired());
  EXPECT_TRUE(P.expired());
  EXPECT_TRUE(problem.form.matrix(top - 1)->value.empty());
  builder.release();
  EXPECT_TRUE(problem.form.finest()->value.empty());
  EXPECT_EQ(problem.form.finest()->n_nonzeros(), whole.form.finest()->n_nonzeros()) << "the size stays";

  Vector<double> b = random_vector(problem.space().n_dofs(), 56);
  for (unsigned int i = 0; i < b.size(); ++i)
    if (!problem.space().is_free(i))
      b[i] = 0.;
  adamant::Vector<double> rhs(device, b.size()), x(device, b.size()), y(device, b.size());
  rhs.upload(b.begin());
  EXPECT_EQ(solver.solve(rhs, x).iterations, expected.solve(rhs, y).iterations);
  EXPECT_EQ(adamant::to_host(x), adamant::to_host(y));
  EXPECT_THROW(solver.update(), adamant::RunError);

  ASSERT_EQ(problem.meshes.size(), whole.meshes.size());
  EXPECT_EQ(problem.meshes[0].cells->size(), whole.meshes[0].cells->size());
  EXPECT_EQ(problem.field.prolongation(1)->value, whole.field.prolongation(1)->value);
  problem.form.update();
  EXPECT_EQ(problem.form.matrix(0)->value, whole.form.matrix(0)->value);
  EXPECT_EQ(problem.form.finest()->value, whole.form.finest()->value);
}

// Refines towards a corner: `levels` times the cells whose centre lies within 2^-l; hanging nodes at that many levels.
template <int dim>
void refine_to_corner(Triangulation<dim> &mesh, unsigned int start, unsigned int levels)
{
  GridGenerator::hyper_cube(mesh);
  mesh.refine_global(start);
  for (unsigned int l = 1; l <= levels; ++l)
    {
      for (const auto &cell : mesh.active_cell_iterators())
        if (cell->center().norm() < std::pow(0.5, l))
          cell->set_refine_flag();
      mesh.execute_coarsening_and_refinement();
    }
}

// Iterations on two meshes, the second one once more refined: level independence.
template <int dim>
void expect_level_independence(unsigned int refinements, unsigned int adaptive_levels, const FiniteElement<dim> &fe,
                               adamant::LinearSolverOptions o, int bound, const std::string &what)
{
  SCOPED_TRACE(what);
  int found[2];
  for (unsigned int k = 0; k < 2; ++k)
    {
      Triangulation<dim> mesh;
      refine_to_corner(mesh, refinements + k, adaptive_levels);
      const Poisson<dim> problem(mesh, fe, dim == 2 ? 16 : 8);
      EXPECT_GE(problem.field.n_levels(), 3u);
      found[k] = iterations(problem, o);
    }
  EXPECT_LE(found[1], found[0] + 1) << "iterations " << found[0] << ", " << found[1];
  EXPECT_GE(found[1], found[0] - 1) << "iterations " << found[0] << ", " << found[1];
  EXPECT_LE(found[1], bound);
  testing::Test::RecordProperty(what, std::to_string(found[0]) + ", " + std::to_string(found[1]));
  std::cout << what << ": iterations " << found[0] << ", " << found[1] << std::endl;
}

TEST(Convergence, Jacobi)
{
  const auto cg = options(adamant::SolverType::cg, 1e-8), gmres = options(adamant::SolverType::gmres, 1e-8);
  expect_level_independence<2>(6, 0, FE_Q<2>(1), cg, 12, "2D uniform");
  expect_level_independence<2>(6, 0, FE_Q<2>(1), gmres, 12, "2D uniform, GMRES");
  expect_level_independence<3>(3, 0, FE_Q<3>(1), cg, 12, "3D uniform");
  expect_level_independence<2>(4, 4, FE_Q<2>(1), cg, 13, "2D adaptive");
  expect_level_independence<3>(3, 4, FE_Q<3>(1), cg, 13, "3D adaptive");
}

TEST(Convergence, ChebyshevForQuadraticElements)
{
  auto o                         = options(adamant::SolverType::cg, 1e-8);
  o.multigrid.smoother.chebyshev = true;
  o.multigrid.pre_steps          = 4;
  o.multigrid.post_steps         = 4;
  expect_level_independence<2>(4, 0, FE_Q<2>(2), o, 10, "2D uniform Q2");
  expect_level_independence<2>(3, 4, FE_Q<2>(2), o, 10, "2D adaptive Q2");
  expect_level_independence<3>(2, 4, FE_Q<3>(2), o, 12, "3D adaptive Q2");
}

TEST(Solvers, TrilinosAMG)
{
  Triangulation<2> mesh;
  refine_to_corner(mesh, 4, 4);
  const Poisson<2> problem(mesh, FE_Q<2>(1), 16);
  const auto       make_ml = [&] {
    return std::make_unique<ML>(problem.levels().back().matrix(), adamant::TrilinosAMGOptions());
  };
  const auto o = options(adamant::SolverType::gmres, 1e-10);
  EXPECT_LE(iterations(problem, o, make_ml()), 30);

  const auto     device = adamant::Device::host(1);
  const int      n      = problem.space().n_dofs();
  Vector<double> b      = random_vector(n, 54), found[2];
  for (int k = 0; k < 2; ++k)
    {
      adamant::LinearSolver   solver(device, problem.levels(), o, k == 1 ? make_ml() : nullptr);
      adamant::Vector<double> rhs(device, n), x(device, n);
      rhs.upload(b.begin());
      solver.solve(rhs, x);
      found[k] = adamant::to_host<Vector<double>>(x);
    }
  expect_close(found[1], found[0], 1e-7, "Trilinos against multigrid");
}

// One cycle of ML on a large coarsest level is as good as more levels.
TEST(Solvers, TrilinosAMGOnTheCoarsestLevel)
{
  Triangulation<2> mesh;
  refine_to_corner(mesh, 7, 2);
  const Poisson<2> few_levels(mesh, FE_Q<2>(1), 5000), all_levels(mesh, FE_Q<2>(1), 100);
  ASSERT_GT(few_levels.field.n_levels(), 1u);
  ASSERT_GT(few_levels.field.space(0).n_dofs(), 2000) << "ML may solve smaller ones directly";
  auto      o                    = options(adamant::SolverType::cg, 1e-10);
  const int inverse              = iterations(all_levels, o);
  o.multigrid.coarse_solver      = adamant::CoarseSolverType::external;
  o.multigrid.make_coarse_solver = adamant::make_trilinos_amg({});
  EXPECT_NEAR(iterations(few_levels, o), inverse, 3);
}

// The automatic one takes the dense inverse of few rows, of more UMFPACK's factors, which are exact.
TEST(Solvers, AutomaticOnTheCoarsestLevel)
{
  if (!adamant::has_sparse_direct)
    GTEST_SKIP() << "deal.II has no UMFPACK";
  Triangulation<2> mesh;
  refine_to_corner(mesh, 7, 2);
  const Poisson<2> few_levels(mesh, FE_Q<2>(1), 5000), all_levels(mesh, FE_Q<2>(1), 100);
  auto             o             = options(adamant::SolverType::cg, 1e-10);
  const int        inverse       = iterations(all_levels, o);
  int              n_made        = 0;
  o.multigrid.coarse_solver      = adamant::CoarseSolverType::automatic;
  o.multigrid.make_coarse_solver = [&](const auto &A) {
    ++n_made;
    return adamant::sparse_direct(A);
  };
  EXPECT_EQ(iterations(all_levels, o), inverse);
  EXPECT_EQ(n_made, 0) << "the inverse of few rows";
  EXPECT_LE(iterations(few_levels, o), inverse);
  EXPECT_EQ(n_made, 1) << "the factors of many rows";
}

// Factors are cheap where fronts are small: for many rows in two dimensions, for less in three.
TEST(Solvers, SparseDirect)
{
  if (!adamant::has_sparse_direct)
    GTEST_SKIP() << "deal.II has no UMFPACK";
  Triangulation<2> square;
  dealii::GridGenerator::subdivided_hyper_cube(square, 150);
  Triangulation<3> cube;
  dealii::GridGenerator::subdivided_hyper_cube(cube, 24);
  const Poisson<2> plane(square, FE_Q<2>(1), 1);
  const Poisson<3> solid(cube, FE_Q<3>(1), 1);
  EXPECT_TRUE(adamant::factors_are_cheap(plane.levels().back().matrix(), 300.));
  EXPECT_FALSE(adamant::factors_are_cheap(solid.levels().back().matrix(), 300.));
  const auto            &A = plane.levels().back().matrix();
  adamant::Array<double> b(A.n_rows, 1.), x(A.n_rows);
  adamant::sparse_direct(A).solve(b, x);
  for (int i = 0; i < A.n_rows; ++i)
    {
      double sum = 0.;
      for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
        sum += A.value[k] * x[A.column[k]];
      ASSERT_NEAR(sum, 1., 1e-9) << i;
    }
  adamant::CSRMatrix<double> singular = A;
  std::fill(singular.value.begin(), singular.value.end(), 0.);
  EXPECT_THROW(adamant::sparse_direct(singular), adamant::RunError);
}
} // namespace
