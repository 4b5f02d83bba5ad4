// How users call the preconditioner: vectors, solvers, blocks, and what is refused with a sentence.
#include "programs.h"

#include <deal.II/base/smartpointer.h>
#include <deal.II/fe/fe_dgq.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/hp/fe_collection.h>
#include <deal.II/lac/block_sparse_matrix.h>
#include <deal.II/lac/block_sparsity_pattern.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/linear_operator.h>
#include <deal.II/lac/packaged_operation.h>
#include <deal.II/lac/solver_gmres.h>

#include <limits>

using namespace test;

namespace
{
using Multigrid = adamant::DealiiPreconditioner<>;

// A program on an adaptive mesh, and its preconditioner.
struct Ready
{
  explicit Ready(unsigned int degree = 1)
  {
    make_mesh(mesh);
    program = std::make_unique<Program<2>>(mesh, FE_Q<2>(degree));
    program->make();
    multigrid.initialize(program->matrix, program->dofs, program->constraints);
  }
  Triangulation<2>            mesh;
  std::unique_ptr<Program<2>> program;
  Multigrid                   multigrid;
};
} // namespace

TEST(Users, VectorsAndSolvers)
{
  Ready          ready(2);
  auto          &program = *ready.program;
  const auto     n       = program.dofs.n_dofs();
  Vector<double> expected(n);
  ready.multigrid.vmult(expected, program.rhs);

  Vector<float> in_float(n), src(program.rhs);
  ready.multigrid.vmult(in_float, src);
  LinearAlgebra::distributed::Vector<double> parallel(n), from(n);
  std::copy(program.rhs.begin(), program.rhs.end(), from.begin());
  ready.multigrid.vmult(parallel, from);
  Vector<double> transposed(n);
  ready.multigrid.Tvmult(transposed, program.rhs);
  for (unsigned int i = 0; i < n; ++i)
    {
      ASSERT_NEAR(in_float[i], expected[i], 1e-5);
      ASSERT_EQ(parallel.local_element(i), expected[i]);
      ASSERT_EQ(transposed[i], expected[i]);
    }
  const SmartPointer<const Multigrid> pointer(&ready.multigrid);
  EXPECT_LE(program.cg(*pointer), 9u);

  SolverControl control(30, 1e-8 * program.rhs.l2_norm());
  program.solution = 0.;
  SolverFGMRES<>(control).solve(program.matrix, program.solution, program.rhs, ready.multigrid);
  EXPECT_LE(control.last_step(), 12u);
  adamant::DealiiPreconditioner<double> in_double;
  in_double.initialize(program.matrix, program.dofs, program.constraints);
  program.solution = 0.;
  SolverGMRES<>(control).solve(program.matrix, program.solution, program.rhs, in_double);
  EXPECT_LE(control.last_step(), 12u);
  const auto     M       = linear_operator(linear_operator(program.matrix), in_double);
  Vector<double> applied = M * program.rhs;
  applied -= expected;
  EXPECT_LE(applied.l2_norm(), 1e-4 * expected.l2_norm());
}

TEST(Users, UnsymmetricHasNoTranspose)
{
  Ready                  ready;
  adamant::DealiiOptions options;
  options.multigrid.post_steps = 1;
  Multigrid other(options);
  other.initialize(ready.program->matrix, ready.program->dofs, ready.program->constraints);
  Vector<double> x(ready.program->rhs);
  expect_refusal([&] { other.Tvmult(x, ready.program->rhs); }, "as many smoothing steps");
}

TEST(Users, SolveOnTheDevice)
{
  Ready         ready(2);
  auto         &program = *ready.program;
  SolverControl control(30, 1e-10 * program.rhs.l2_norm());
  adamant::solve(program.matrix, program.solution, program.rhs, ready.multigrid, control);
  EXPECT_LE(program.residual(), 1.1e-10);
  EXPECT_LE(control.last_step(), 10u);
  EXPECT_EQ(control.last_check(), SolverControl::success);
  const unsigned int from_zero = control.last_step();
  adamant::solve(program.matrix, program.solution, program.rhs, ready.multigrid, control);
  EXPECT_EQ(control.last_step(), 0u) << "the guess is the solution";

  ReductionControl reduction(30, 1e-30, 1e-4);
  program.solution = 0.;
  adamant::solve(program.matrix, program.solution, program.rhs, ready.multigrid, reduction);
  EXPECT_LT(reduction.last_step(), from_zero);
  EXPECT_LE(program.residual(), 1.1e-4);

  Vector<double> zero(program.rhs.size());
  adamant::solve(program.matrix, program.solution, zero, ready.multigrid, control);
  EXPECT_LE(program.solution.l2_norm(), 1e-8);

  program.assemble(Equation<2>{2.}); // another matrix with the same preconditioner
  program.solution = 0.;
  adamant::solve(program.matrix, program.solution, program.rhs, ready.multigrid, control);
  EXPECT_LE(program.residual(), 1.1e-10);
  SolverControl unlimited(std::numeric_limits<unsigned int>::max(), 1e-10 * program.rhs.l2_norm());
  program.solution = 0.;
  adamant::solve(program.matrix, program.solution, program.rhs, ready.multigrid, unlimited);
  EXPECT_LE(program.residual(), 1.1e-10);

  // Without symmetry: GMRES.
  unsigned int row = 0;
  while (program.constraints.is_constrained(row) || program.matrix.n_nonzero_elements() == 0)
    ++row;
  for (auto entry = program.matrix.begin(row); entry != program.matrix.end(row); ++entry)
    entry->value() *= entry->column() == row ? 1. : 0.9;
  program.solution = 0.;
  adamant::solve(program.matrix, program.solution, program.rhs, ready.multigrid, control);
  EXPECT_LE(program.residual(), 1.1e-10);
}

// The method shares the levels' matrix until it gets another one; new values of the levels must reach it both ways.
TEST(Users, SolveFollowsNewValuesOfTheLevels)
{
  Ready         ready(2);
  auto         &program = *ready.program;
  SolverControl control(300, 1e-10 * program.rhs.l2_norm());
  const auto    solve = [&](double mass, bool new_levels, const std::string &what) {
    program.assemble(Equation<2>{mass});
    if (new_levels)
      ready.multigrid.initialize(program.matrix);
    program.solution = 0.;
    adamant::solve(program.matrix, program.solution, program.rhs, ready.multigrid, control);
    EXPECT_LE(program.residual(), 1.1e-10) << what;
  };
  solve(0., true, "the matrix of the levels");
  solve(200., true, "new values of the levels, which it shares");
  solve(50., false, "another matrix, with a copy of its own");
  solve(50., true, "the same matrix, now of the levels, too");
  solve(200., false, "an older one");
  solve(200., true, "once more of the levels");
  solve(0., false, "and the first");
}

TEST(Users, FailedSolve)
{
  Ready         ready(2);
  auto         &program = *ready.program;
  SolverControl control(2, 1e-10 * program.rhs.l2_norm());
  EXPECT_THROW(adamant::solve(program.matrix, program.solution, program.rhs, ready.multigrid, control),
               SolverControl::NoConvergence);
  EXPECT_EQ(control.last_step(), 2u);
  EXPECT_GT(control.last_value(), control.tolerance());
  const double reached = program.residual();
  EXPECT_GT(reached, 1e-10);
  EXPECT_LT(reached, 0.1) << "the last iterate";
  EXPECT_NEAR(control.last_value(), reached * program.rhs.l2_norm(), 1e-8 * program.rhs.l2_norm());

  Vector<double> nan(program.rhs);
  unsigned int   row = 0;
  while (program.constraints.is_constrained(row))
    ++row;
  nan[row] = std::numeric_limits<double>::quiet_NaN();
  const Vector<double> before(program.solution);
  EXPECT_THROW(adamant::solve(program.matrix, program.solution, nan, ready.multigrid, control),
               SolverControl::NoConvergence);
  EXPECT_TRUE(program.solution == before);
}

TEST(Users, CoarseMeshOfManyCells)
{
  for (const bool neumann : {false, true})
    {
      Triangulation<2> mesh;
      GridGenerator::subdivided_hyper_cube(mesh, 45, 0., 1., true);
      mesh.refine_global(1);
      Program<2> program(mesh, FE_Q<2>(1));
      if (!neumann)
        program.prescribe(0);
      program.set_up();
      program.assemble();
      if (neumann)
        program.rhs.add(-program.rhs.mean_value());
      Multigrid multigrid;
      multigrid.initialize(program.matrix, program.dofs, program.constraints);
      EXPECT_LE(program.cg(multigrid), 12u);
    }
}

namespace
{
// The velocity block of Stokes' equations.
struct Stokes
{
  explicit Stokes(bool by_components = true)
    : fe(FE_Q<2>(2), 2, FE_Q<2>(1), 1)
    , dofs(mesh)
  {
    make_mesh(mesh);
    dofs.distribute_dofs(fe);
    if (by_components)
      DoFRenumbering::component_wise(dofs, {0, 0, 1});
    DoFTools::make_hanging_node_constraints(dofs, constraints);
    VectorTools::interpolate_boundary_values(dofs, 0, Functions::ZeroFunction<2>(3), constraints,
                                             fe.component_mask(velocities));
    constraints.close();
    const auto                  n = DoFTools::count_dofs_per_fe_block(dofs, {0, 0, 1});
    BlockDynamicSparsityPattern dsp(n, n);
    DoFTools::make_sparsity_pattern(dofs, dsp, constraints, false);
    pattern.copy_from(dsp);
    matrix.reinit(pattern);
    FEValues<2>                          values(fe, QGauss<2>(3), update_values | update_gradients | update_JxW_values);
    FullMatrix<double>                   local(fe.n_dofs_per_cell(), fe.n_dofs_per_cell());
    std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
    for (const auto &cell : dofs.active_cell_iterators())
      {
        values.reinit(cell);
        local = 0.;
        for (const unsigned int q : values.quadrature_point_indices())
          for (const unsigned int i : values.dof_indices())
            for (const unsigned int j : values.dof_indices())
              local(i, j) +=
                (2. * (values[velocities].symmetric_gradient(i, q) * values[velocities].symmetric_gradient(j, q)) +
                 values[pressure].value(i, q) * values[pressure].value(j, q)) *
                values.JxW(q);
        cell->get_dof_indices(indices);
        constraints.distribute_local_to_global(local, indices, matrix);
      }
  }
  template <class Multigrid>
  unsigned int steps(const Multigrid &M, unsigned int block)
  {
    Vector<double> x(matrix.block(block, block).m()), b(x);
    for (unsigned int i = 0; i < b.size(); ++i)
      b[i] = std::sin(3. * i);
    SolverControl control(100, 1e-8 * b.l2_norm());
    SolverCG<>(control).solve(matrix.block(block, block), x, b, M);
    return control.last_step();
  }

  const FEValuesExtractors::Vector velocities{0};
  const FEValuesExtractors::Scalar pressure{2};
  Triangulation<2>                 mesh;
  FESystem<2>                      fe;
  DoFHandler<2>                    dofs;
  AffineConstraints<double>        constraints;
  BlockSparsityPattern             pattern;
  BlockSparseMatrix<double>        matrix;
};
} // namespace

TEST(Users, BlocksOfALargerDoFHandler)
{
  Stokes    stokes;
  Multigrid velocity, mass;
  velocity.initialize(stokes.matrix.block(0, 0), stokes.dofs, stokes.constraints, stokes.velocities);
  EXPECT_LE(stokes.steps(velocity, 0), 14u);
  mass.initialize(stokes.matrix.block(1, 1), stokes.dofs, stokes.constraints, stokes.pressure);
  EXPECT_LE(stokes.steps(mass, 1), 14u);
  const Vector<double> src(stokes.matrix.block(0, 0).m());
  velocity.initialize(stokes.matrix.block(0, 0), stokes.dofs, stokes.constraints,
                      ComponentMask(std::vector<bool>{true, true, false}));
  EXPECT_LE(stokes.steps(velocity, 0), 14u);

  expect_refusal(
    [&] { velocity.initialize(stokes.matrix.block(1, 1), stokes.dofs, stokes.constraints, stokes.velocities); },
    "rows, but there are");
  expect_refusal(
    [&] {
      velocity.initialize(stokes.matrix.block(0, 0), stokes.dofs, stokes.constraints,
                          ComponentMask(std::vector<bool>{true, false, true}));
    },
    "different elements");
  Stokes mixed(false);
  expect_refusal(
    [&] { velocity.initialize(stokes.matrix.block(0, 0), mixed.dofs, mixed.constraints, mixed.velocities); },
    "DoFRenumbering::component_wise");
}

namespace
{
// What initialize() says of a mesh and an element; the matrix plays no part.
template <int dim>
void expect_refused(const Triangulation<dim> &mesh, const FiniteElement<dim> &fe, const std::string &part)
{
  DoFHandler<dim> dofs(mesh);
  dofs.distribute_dofs(fe);
  AffineConstraints<double> constraints;
  constraints.close();
  Multigrid             multigrid;
  const SparsityPattern pattern = [&] {
    DynamicSparsityPattern dsp(dofs.n_dofs());
    for (unsigned int i = 0; i < dofs.n_dofs(); ++i)
      dsp.add(i, i);
    SparsityPattern result;
    result.copy_from(dsp);
    return result;
  }();
  const SparseMatrix<double> matrix(pattern);
  expect_refusal([&] { multigrid.initialize(matrix, dofs, constraints); }, part);
  Vector<double> x(dofs.n_dofs()), y(dofs.n_dofs());
  expect_refusal([&] { multigrid.vmult(x, y); }, "initialize() has not been called, or has failed");
  expect_refusal([&] { multigrid.initialize(matrix); }, "initialize() has not been called, or has failed");
}
} // namespace

TEST(Users, OtherMeshesAndElements)
{
  Triangulation<2> quads, triangles, stretched;
  GridGenerator::hyper_cube(quads);
  quads.refine_global(3);
  GridGenerator::convert_hypercube_to_simplex_mesh(quads, triangles);
  expect_refused<2>(triangles, FE_SimplexP<2>(1), "simplices");
  expect_refused<2>(quads, FE_DGQ<2>(1), "only FE_Q");
  expect_refused<2>(quads, FESystem<2>(FE_Q<2>(2), 2, FE_DGQ<2>(1), 1), "component 2 has the element FE_DGQ<2>(1)");
  GridGenerator::hyper_cube(stretched);
  stretched.refine_global(1);
  stretched.begin_active()->set_refine_flag(RefinementCase<2>::cut_x);
  stretched.execute_coarsening_and_refinement();
  expect_refused<2>(stretched, FE_Q<2>(1), "anisotropic");

  hp::FECollection<2> collection(FE_Q<2>(1), FE_Q<2>(2));
  DoFHandler<2>       hp(quads);
  for (const auto &cell : hp.active_cell_iterators())
    cell->set_active_fe_index(cell->center()[0] > 0.5);
  hp.distribute_dofs(collection);
  Multigrid                 multigrid;
  AffineConstraints<double> constraints;
  constraints.close();
  Ready ready;
  expect_refusal([&] { multigrid.initialize(ready.program->matrix, hp, constraints); }, "hp::FECollection");
  DoFHandler<2> empty(quads);
  expect_refusal([&] { multigrid.initialize(ready.program->matrix, empty, constraints); }, "distribute_dofs");
}

TEST(Users, OtherConstraints)
{
  Ready ready;
  auto &program = *ready.program;
  // Periodic: a DoF that does not hang is constrained to another one.
  program.start_constraints();
  DoFTools::make_periodicity_constraints(program.dofs, 2, 3, 1, program.constraints);
  program.set_up();
  program.assemble();
  unsigned int dof = 0;
  while (!program.constraints.is_constrained(dof) || program.constraints.get_constraint_entries(dof)->size() != 1)
    ++dof;
  expect_refusal([&] { ready.multigrid.initialize(program.matrix, program.dofs, program.constraints); },
                 "is constrained to DoF ");
  expect_refusal([&] { ready.multigrid.initialize(program.matrix, program.dofs, program.constraints); }, "periodic");

  // Hanging nodes forgotten.
  program.constraints.clear();
  program.prescribe(0);
  program.set_up();
  program.assemble();
  expect_refusal([&] { ready.multigrid.initialize(program.matrix, program.dofs, program.constraints); },
                 "is a hanging node, but the constraints leave it free");

  // Assembled without the constraints that are given.
  program.start_constraints();
  program.set_up();
  program.assemble();
  AffineConstraints<double> more;
  DoFTools::make_hanging_node_constraints(program.dofs, more);
  VectorTools::interpolate_boundary_values(program.dofs, 0, Functions::ZeroFunction<2>(), more);
  more.close();
  expect_refusal([&] { ready.multigrid.initialize(program.matrix, program.dofs, more); },
                 "is constrained, but its row couples");

  // Another weight.
  program.start_constraints();
  unsigned int hanging = 0;
  while (!program.constraints.is_constrained(hanging))
    ++hanging;
  AffineConstraints<double> weights;
  for (unsigned int i = 0; i < program.dofs.n_dofs(); ++i)
    if (program.constraints.is_constrained(i))
      {
        weights.add_line(i);
        for (const auto &[j, w] : *program.constraints.get_constraint_entries(i))
          weights.add_entry(i, j, i == hanging ? 0.9 * w : w);
      }
  weights.close();
  expect_refusal([&] { ready.multigrid.initialize(program.matrix, program.dofs, weights); },
                 "the hanging DoF " + std::to_string(hanging));
}

TEST(Users, SaddlePointsAreRefused)
{
  Triangulation<2> mesh;
  make_mesh(mesh);
  Program<2> program(mesh, FE_Q<2>(1));
  program.make();
  unsigned int row = 0;
  while (program.constraints.is_constrained(row))
    ++row;
  program.matrix.diag_element(row) = 0.;
  Multigrid multigrid;
  expect_refusal([&] { multigrid.initialize(program.matrix, program.dofs, program.constraints); }, "take the block");
}

TEST(Users, EntriesThatAreNoNumbers)
{
  Ready        ready;
  auto        &program = *ready.program;
  unsigned int row     = 0;
  while (program.constraints.is_constrained(row))
    ++row;
  auto entry = program.matrix.begin(row);
  while (entry->column() == row || program.constraints.is_constrained(entry->column()))
    ++entry;
  const std::string part =
    "the entry of DoF " + std::to_string(row) + " in the column of DoF " + std::to_string(entry->column());
  program.matrix.set(row, entry->column(), std::numeric_limits<double>::quiet_NaN());
  expect_refusal([&] { ready.multigrid.initialize(program.matrix); }, part);
  expect_refusal([&] { ready.multigrid.initialize(program.matrix, program.dofs, program.constraints); }, part);
}

TEST(Users, OtherDoFsOnTheMesh)
{
  Ready ready;
  auto &program = *ready.program;
  program.dofs.distribute_dofs(FE_Q<2>(2));
  program.start_constraints();
  program.make();
  expect_refusal([&] { ready.multigrid.initialize(program.matrix); }, "the DoFs have changed");
  ready.multigrid.initialize(program.matrix, program.dofs, program.constraints);
  EXPECT_LE(program.cg(ready.multigrid), 9u);
}

TEST(Users, FewerConstraints)
{
  Ready ready;
  auto &program = *ready.program;
  program.start_constraints();
  program.set_up();
  program.assemble(Equation<2>{1.});
  expect_refusal([&] { ready.multigrid.initialize(program.matrix); },
                 "call initialize(matrix, dof_handler, constraints)");
}

TEST(Users, RefinedMesh)
{
  Ready          ready;
  Vector<double> x(ready.program->rhs), y(ready.program->rhs);
  ready.mesh.refine_global(1);
  expect_refusal([&] { ready.multigrid.vmult(x, y); }, "the mesh has been refined");
  expect_refusal([&] { ready.multigrid.initialize(ready.program->matrix); }, "the mesh has been refined");
  {
    Program<2> &old = *ready.program; // its DoFs have not been distributed anew
    expect_refusal([&] { ready.multigrid.initialize(old.matrix, old.dofs, old.constraints); },
                   "was the mesh refined after distribute_dofs()?");
  }
  ready.program = std::make_unique<Program<2>>(ready.mesh, FE_Q<2>(1));
  ready.program->make();
  ready.multigrid.initialize(ready.program->matrix, ready.program->dofs, ready.program->constraints);
  EXPECT_LE(ready.program->cg(ready.multigrid), 8u);
  Vector<double> small(3);
  expect_refusal([&] { ready.multigrid.vmult(small, small); }, "was the mesh refined?");
}

TEST(Users, WhatMayDieFirst)
{
  Multigrid      multigrid;
  Vector<double> x, rhs;
  {
    Ready ready;
    multigrid.initialize(ready.program->matrix, ready.program->dofs, ready.program->constraints);
    rhs = ready.program->rhs;
    x.reinit(rhs);
    multigrid.vmult(x, rhs);
  }
  expect_refusal([&] { multigrid.vmult(x, rhs); }, "the mesh has been refined or made anew");
  multigrid.clear();
  EXPECT_EQ(multigrid.n_levels(), 0u);
}
