// Multigrid of a form's level matrices in deal.II's solvers.
#include "dealii/preconditioner.h"
#include "fem/poisson.h"

#include <deal.II/dofs/dof_renumbering.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_gmres.h>
#include <deal.II/numerics/vector_tools.h>

#include <type_traits>

using namespace test;

namespace
{
// In deal.II's solvers, on deal.II's matrix; a start vector with anything in the constrained entries costs nothing.
template <typename Number>
void solve_with_dealii(Poisson<3> &problem, const Vector<double> &expected, const std::string &what)
{
  SCOPED_TRACE(what);
  adamant::DealiiPreconditioner<Number> multigrid(adamant::Device::host(2), problem.field, problem.form,
                                                  problem.space().dof_handler());
  multigrid.scale_constrained(problem.matrix);
  SolverControl  control(100, 1e-11 * problem.rhs.l2_norm());
  SolverCG<>     cg(control);
  Vector<double> u(expected.size());
  cg.solve(problem.matrix, u, problem.rhs, multigrid);
  const unsigned int from_zero = control.last_step();
  problem.constraints.distribute(u);
  expect_close(u, expected, 1e-8, "SolverCG");
  EXPECT_LE(from_zero, 16u);

  u = random_vector(u.size(), 52);
  cg.solve(problem.matrix, u, problem.rhs, multigrid);
  problem.constraints.distribute(u);
  expect_close(u, expected, 1e-8, "SolverCG from a random guess");
  EXPECT_LE(control.last_step(), from_zero + 2);

  // GMRES needs one and the same matrix as preconditioner, to all digits: in single precision the flexible variant.
  u = 0.;
  if (std::is_same_v<Number, float>)
    SolverFGMRES<>(control).solve(problem.matrix, u, problem.rhs, multigrid);
  else
    SolverGMRES<>(control, SolverGMRES<>::AdditionalData(30, true)).solve(problem.matrix, u, problem.rhs, multigrid);
  problem.constraints.distribute(u);
  expect_close(u, expected, 1e-8, "SolverGMRES or SolverFGMRES");
  EXPECT_LE(control.last_step(), 16u);

  multigrid.update();
  Vector<double> before(u.size()), after(u.size());
  adamant::DealiiPreconditioner<Number>(adamant::Device::host(1), problem.field, problem.form,
                                        problem.space().dof_handler())
    .vmult(before, expected);
  multigrid.vmult(after, expected);
  for (unsigned int i = 0; i < u.size(); ++i)
    if (problem.constraints.is_constrained(i))
      ASSERT_NEAR(after[i] * problem.matrix.diag_element(i), before[i], 1e-14) << "constrained entry " << i;
    else
      ASSERT_EQ(after[i], before[i]) << "update with the same values, other threads";
  Vector<double> small(3);
  EXPECT_THROW(multigrid.vmult(small, small), adamant::RunError);
}
} // namespace

TEST(Forms, PreconditionerOfDealIISolvers)
{
  Triangulation<3> mesh;
  make_random_mesh(mesh, 53);
  for (auto &face : mesh.active_face_iterators())
    if (face->at_boundary())
      face->set_boundary_id(0);
  Poisson<3> problem(mesh, FE_Q<3>(1), 8);
  problem.assemble_with_dealii();
  const auto expected = problem.direct_solution();
  solve_with_dealii<float>(problem, expected, "float");
  solve_with_dealii<double>(problem, expected, "double");
}

// A program's own DoFHandler, numbered in its own way.
TEST(Forms, PreconditionerForAnyNumbering)
{
  Triangulation<3> mesh;
  make_random_mesh(mesh, 54);
  for (auto &face : mesh.active_face_iterators())
    if (face->at_boundary())
      face->set_boundary_id(0);
  Poisson<3>    problem(mesh, FE_Q<3>(2), 8);
  DoFHandler<3> dofs(mesh);
  dofs.distribute_dofs(FE_Q<3>(2));
  DoFRenumbering::random(dofs);
  AffineConstraints<double> constraints;
  DoFTools::make_hanging_node_constraints(dofs, constraints);
  VectorTools::interpolate_boundary_values(dofs, 0, SmoothFunction<3>(), constraints);
  constraints.close();
  problem.assemble_with_dealii(dofs, constraints);
  const auto expected = problem.direct_solution();

  adamant::DealiiPreconditioner<> multigrid(adamant::Device::host(2), problem.field, problem.form, dofs);
  multigrid.scale_constrained(problem.matrix);
  SolverControl  control(100, 1e-11 * problem.rhs.l2_norm());
  Vector<double> u(expected.size());
  SolverCG<>(control).solve(problem.matrix, u, problem.rhs, multigrid);
  constraints.distribute(u);
  expect_close(u, expected, 1e-8, "SolverCG with another numbering");
  EXPECT_LE(control.last_step(), 30u);

  // The whole solver, from a guess with anything in the constrained entries.
  adamant::DealiiSolver solver(adamant::Device::host(2), problem.field, problem.form, dofs,
                               options(adamant::SolverType::cg, 1e-11));
  solver.scale_constrained(problem.matrix);
  u = random_vector(u.size(), 55);
  EXPECT_LE(solver.solve(u, problem.rhs).iterations, 30);
  Vector<double> residual(u.size());
  EXPECT_LE(problem.matrix.residual(residual, u, problem.rhs), 1e-9 * problem.rhs.l2_norm());
  constraints.distribute(u);
  expect_close(u, expected, 1e-8, "DealiiSolver with another numbering");

  dofs.distribute_dofs(FE_Q<3>(1));
  EXPECT_THROW(adamant::DealiiPreconditioner<>(adamant::Device::host(1), problem.field, problem.form, dofs),
               adamant::RunError);
}
