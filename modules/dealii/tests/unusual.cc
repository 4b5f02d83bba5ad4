// Unusual but legal users on one rank: kernels of several dimensions, extreme scales, other controls, odd histories.
#include "dealii/matrix_levels.h"
#include "programs.h"

#include <deal.II/base/multithread_info.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/lac/solver_gmres.h>

#include <limits>

using namespace test;

namespace
{
using Multigrid = adamant::DealiiPreconditioner<>;

adamant::DealiiOptions with_coarsest(unsigned int cells)
{
  adamant::DealiiOptions options;
  options.coarsest_cells = cells;
  return options;
}

// Makes the right-hand side orthogonal to the ones over DoFs, which are in the kernel of the program's matrix.
void without_mean(Program<2> &program, const IndexSet &dofs)
{
  double sum = 0., n = 0.;
  for (const auto i : dofs)
    if (!program.constraints.is_constrained(i))
      {
        sum += program.rhs[i];
        n += 1.;
      }
  for (const auto i : dofs)
    program.rhs[i] = program.constraints.is_constrained(i) ? 0. : program.rhs[i] - sum / n;
}

// Two squares that do not touch; the right one has the boundary id 5.
void two_squares(Triangulation<2> &mesh)
{
  Triangulation<2> left, right;
  GridGenerator::hyper_cube(left);
  GridGenerator::hyper_cube(right, 2., 3.);
  GridGenerator::merge_triangulations(left, right, mesh);
  for (const auto &face : mesh.active_face_iterators())
    face->set_boundary_id(face->center()[0] > 1.5 ? 5 : 0);
  mesh.refine_global(3);
  refine_some(mesh, 2);
}

IndexSet dofs_of_part(const DoFHandler<2> &dofs, bool right, unsigned int component)
{
  IndexSet                             set(dofs.n_dofs());
  std::vector<types::global_dof_index> indices(dofs.get_fe().n_dofs_per_cell());
  for (const auto &cell : dofs.active_cell_iterators())
    if ((cell->center()[0] > 1.5) == right)
      {
        cell->get_dof_indices(indices);
        for (unsigned int i = 0; i < indices.size(); ++i)
          if (dofs.get_fe().system_to_component_index(i).first == component)
            set.add_index(indices[i]);
      }
  return set;
}
} // namespace

TEST(Unusual, SingularNodeBlocks)
{
  Triangulation<2> mesh;
  make_mesh(mesh);
  Program<2> program(mesh, FESystem<2>(FE_Q<2>(1), 2));
  program.make();
  Multigrid multigrid;
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  for (const auto &cell : program.dofs.active_cell_iterators())
    if (const auto i = cell->vertex_dof_index(0, 0), j = cell->vertex_dof_index(0, 1);
        !program.constraints.is_constrained(i) && !program.constraints.is_constrained(j))
      {
        for (const auto row : {i, j})
          for (const auto column : {i, j})
            program.matrix.set(row, column, 1.);
        const std::string part = "DoF " + std::to_string(i);
        expect_refusal([&] { multigrid.initialize(program.matrix); }, part);
        expect_refusal([&] { multigrid.initialize(program.matrix, program.dofs, program.constraints); }, part);
        break;
      }
  program.assemble();
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  EXPECT_LE(program.cg(multigrid), 12u);
}

// As SolverCG does with the same control.
TEST(Unusual, OtherControls)
{
  Triangulation<2> mesh;
  make_mesh(mesh);
  Program<2> program(mesh, FE_Q<2>(1));
  program.make();
  Multigrid multigrid;
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  const auto compare = [&](auto control) {
    auto own         = control;
    program.solution = 0.;
    SolverCG<>(own).solve(program.matrix, program.solution, program.rhs, multigrid);
    Vector<double> x(program.rhs.size());
    adamant::solve(program.matrix, x, program.rhs, multigrid, control);
    EXPECT_NEAR(double(control.last_step()), double(own.last_step()), 1.);
    x -= program.solution;
    EXPECT_LE(x.l2_norm(), 1e-4 * program.solution.l2_norm());
    return control.last_step();
  };
  const double       tolerance = 1e-6 * program.rhs.l2_norm();
  const unsigned int plain     = compare(SolverControl(30, tolerance));
  EXPECT_EQ(compare(ConsecutiveControl(30, tolerance, 3)), plain + 2);
  EXPECT_EQ(compare(IterationNumberControl(4, 1e-30)), 4u);

  struct Watcher : SolverControl
  {
    using SolverControl::SolverControl;
    State check(unsigned int step, double value) override
    {
      steps.push_back(step);
      return SolverControl::check(step, value);
    }
    std::vector<unsigned int> steps;
  } watcher(30, tolerance);
  Vector<double> x(program.rhs.size());
  adamant::solve(program.matrix, x, program.rhs, multigrid, watcher);
  EXPECT_EQ(watcher.steps.size(), watcher.last_step() + 1u);

  ConsecutiveControl few(2, tolerance, 2);
  EXPECT_THROW(adamant::solve(program.matrix, x = 0., program.rhs, multigrid, few), SolverControl::NoConvergence);
  // Without symmetry.
  unsigned int row = 0;
  while (program.constraints.is_constrained(row))
    ++row;
  for (auto entry = program.matrix.begin(row); entry != program.matrix.end(row); ++entry)
    entry->value() *= entry->column() == row ? 1. : 0.9;
  ConsecutiveControl control(30, tolerance, 2);
  program.solution = 0.;
  adamant::solve(program.matrix, program.solution, program.rhs, multigrid, control);
  EXPECT_LE(program.residual(), 1.1e-6);
}

TEST(Unusual, KernelsOfSeveralDimensions)
{
  Triangulation<2> mesh;
  two_squares(mesh);
  const FESystem<2> three(FE_Q<2>(1), 3);
  for (const auto &[left, right] : std::vector<std::pair<ComponentMask, ComponentMask>>{
         {ComponentMask(3, false), ComponentMask(3, false)},
         {ComponentMask(3, true), ComponentMask(3, false)},
         {ComponentMask(std::vector<bool>{true, false, false}), ComponentMask(std::vector<bool>{false, false, true})}})
    for (const unsigned int coarsest : {4, 50, 5000})
      {
        Program<2> program(mesh, three);
        if (left.n_selected_components() > 0)
          program.prescribe(0, left);
        if (right.n_selected_components() > 0)
          program.prescribe(5, right);
        program.set_up();
        program.assemble();
        for (unsigned int c = 0; c < 3; ++c)
          {
            if (!left[c])
              without_mean(program, dofs_of_part(program.dofs, false, c));
            if (!right[c])
              without_mean(program, dofs_of_part(program.dofs, true, c));
          }
        Multigrid multigrid(with_coarsest(coarsest));
        multigrid.initialize(program.matrix, program.dofs, program.constraints);
        EXPECT_LE(program.cg(multigrid), 14u);
        Equation<2> with_mass; // no kernel any more, and back
        with_mass.mass = 1.;
        program.assemble(with_mass);
        multigrid.initialize(program.matrix);
        EXPECT_LE(program.cg(multigrid), 10u);
        program.assemble();
        multigrid.initialize(program.matrix);
      }
  for (const unsigned int cells : {2, 45}) // dense inverse, and UMFPACK
    {
      Triangulation<2> one;
      GridGenerator::subdivided_hyper_cube(one, cells);
      one.refine_global(1);
      Program<2> elastic(one, FESystem<2>(FE_Q<2>(1), 2)); // rotations are in the kernel
      elastic.set_up();
      elastic.assemble();
      Multigrid multigrid;
      expect_refusal([&] { multigrid.initialize(elastic.matrix, elastic.dofs, elastic.constraints); },
                     "lack boundary conditions?");
    }
}

TEST(Unusual, TinyAndHugeNumbers)
{
  Triangulation<2> mesh;
  make_mesh(mesh);
  Program<2> program(mesh, FE_Q<2>(1));
  program.make();
  Multigrid multigrid;
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  const Vector<double> rhs(program.rhs);
  const unsigned int   steps = program.cg(multigrid);
  const Vector<double> solution(program.solution);
  for (const double scale : {1e-300, 1e-60, 1e-40, 1e-36, 1e36, 1e40, 1e200})
    {
      SCOPED_TRACE(scale);
      program.rhs.equ(scale, rhs);
      Vector<double> Mb(rhs.size()), M1(rhs.size());
      multigrid.vmult(M1, rhs);
      multigrid.vmult(Mb, program.rhs);
      Mb /= scale;
      Mb -= M1;
      EXPECT_LE(Mb.linfty_norm(), 1e-6 * M1.linfty_norm());
      if (scale > 1e-150 && scale < 1e150) // deal.II squares
        {
          EXPECT_NEAR(program.cg(multigrid), steps, 1.);
        }
      SolverControl  control(30, 1e-8 * scale * rhs.l2_norm());
      Vector<double> x(rhs.size());
      adamant::solve(program.matrix, x, program.rhs, multigrid, control);
      x /= scale;
      x -= solution;
      EXPECT_LE(x.l2_norm(), 1e-6 * solution.l2_norm());
    }
  for (const double scale : {1e-42, 1e-20, 1e20, 1e42}) // of the matrix
    {
      SCOPED_TRACE(scale);
      program.assemble();
      program.matrix *= scale;
      if (scale < 1e-40 || scale > 1e40)
        {
          expect_refusal([&] { multigrid.initialize(program.matrix, program.dofs, program.constraints); },
                         "DealiiPreconditioner<double>");
          adamant::DealiiPreconditioner<double> in_double;
          in_double.initialize(program.matrix, program.dofs, program.constraints);
          EXPECT_LE(program.cg(in_double), steps + 1);
        }
      else
        {
          multigrid.initialize(program.matrix, program.dofs, program.constraints);
          EXPECT_NEAR(program.cg(multigrid), steps, 1.);
        }
    }
}

TEST(Unusual, PeriodicConstraints)
{
  for (const bool told : {false, true}) // the mesh
    for (const bool refined : {false, true})
      {
        Triangulation<2> mesh;
        GridGenerator::hyper_cube(mesh, 0., 1., true);
        std::vector<GridTools::PeriodicFacePair<Triangulation<2>::cell_iterator>> pairs;
        GridTools::collect_periodic_faces(mesh, 0, 1, 0, pairs);
        if (told)
          mesh.add_periodicity(pairs);
        mesh.refine_global(3);
        if (refined)
          {
            for (const auto &cell : mesh.active_cell_iterators())
              if (cell->center()[0] < 0.2 && std::abs(cell->center()[1] - 0.5) < 0.2)
                cell->set_refine_flag();
            mesh.execute_coarsening_and_refinement();
          }
        for (unsigned int degree = 1; degree < 3; ++degree)
          {
            Program<2> program(mesh, FE_Q<2>(degree));
            DoFTools::make_periodicity_constraints(program.dofs, 0, 1, 0, program.constraints);
            program.prescribe(2);
            program.set_up();
            program.assemble();
            Multigrid multigrid;
            expect_refused_pair(program, multigrid);
          }
      }
}

TEST(Unusual, HangingNodesWithInhomogeneities)
{
  Triangulation<2> mesh;
  make_mesh(mesh);
  Program<2> program(mesh, FE_Q<2>(2));
  program.prescribe(0, {}, 3.);
  program.prescribe(3, {}, 3.);
  unsigned int n = 0;
  for (unsigned int i = 0; i < program.dofs.n_dofs(); ++i)
    if (const auto *entries = program.constraints.get_constraint_entries(i);
        entries && !entries->empty() && ++n % 3 == 0)
      program.constraints.set_inhomogeneity(i, 0.1);
  program.set_up();
  program.assemble();
  Multigrid multigrid;
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  EXPECT_LE(program.cg(multigrid), 9u);
}

TEST(Unusual, Histories)
{
  Triangulation<2> mesh;
  make_mesh(mesh);
  Multigrid multigrid;
  auto      program = std::make_unique<Program<2>>(mesh, FE_Q<2>(1));
  program->make();
  const auto start = [&] { multigrid.initialize(program->matrix, program->dofs, program->constraints); };
  start();
  multigrid.clear();
  multigrid.clear();
  expect_refusal([&] { multigrid.initialize(program->matrix); }, "initialize() has not been called");
  start();
  const unsigned int steps = program->cg(multigrid);
  EXPECT_LE(steps, 8u);

  // Two DoFHandlers in turn, two objects at once.
  Program<2> quadratic(mesh, FE_Q<2>(2));
  quadratic.make();
  Multigrid other;
  for (unsigned int turn = 0; turn < 2; ++turn)
    {
      multigrid.initialize(quadratic.matrix, quadratic.dofs, quadratic.constraints);
      EXPECT_LE(quadratic.cg(multigrid), 9u);
      other.initialize(program->matrix, program->dofs, program->constraints);
      EXPECT_LE(quadratic.cg(multigrid), 9u);
      EXPECT_LE(program->cg(other), steps);
      start();
      EXPECT_EQ(program->cg(multigrid), steps);
    }

  // Fails midway, then again.
  program->matrix.diag_element(program->dofs.n_dofs() / 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(multigrid.initialize(program->matrix), adamant::RunError);
  expect_refusal([&] { multigrid.initialize(program->matrix); }, "initialize() has not been called, or has failed");
  EXPECT_THROW(start(), adamant::RunError);
  program->assemble();
  start();
  EXPECT_EQ(program->cg(multigrid), steps);

  // Numbers.
  for (unsigned int k = 0; k < 3; ++k)
    {
      if (k == 0)
        DoFRenumbering::Cuthill_McKee(program->dofs);
      else if (k == 1)
        DoFRenumbering::component_wise(program->dofs);
      else
        DoFRenumbering::hierarchical(program->dofs);
      program->start_constraints();
      program->make();
      start();
      EXPECT_EQ(program->cg(multigrid), steps);
    }

  // Renumbered between the two kinds of initialize().
  DoFRenumbering::random(program->dofs);
  program->start_constraints();
  program->make();
  multigrid.initialize(program->matrix);
  EXPECT_EQ(program->cg(multigrid), steps);
  start();

  // Coarsened.
  for (const auto &cell : mesh.active_cell_iterators())
    cell->set_coarsen_flag();
  mesh.execute_coarsening_and_refinement();
  expect_refusal([&] { multigrid.initialize(program->matrix); }, "the mesh has been refined");
  program = std::make_unique<Program<2>>(mesh, FE_Q<2>(1));
  program->make();
  expect_refusal([&] { multigrid.initialize(program->matrix); }, "the mesh has been refined");
  start();
  EXPECT_LE(program->cg(multigrid), 8u);
}

TEST(Unusual, MeshesOfOneLevelOrOneCell)
{
  for (unsigned int degree = 1; degree <= 4; ++degree)
    for (const unsigned int n : {1, 2, 9})
      {
        SCOPED_TRACE(std::to_string(degree) + " " + std::to_string(n));
        Triangulation<2> mesh;
        GridGenerator::subdivided_hyper_cube(mesh, n, 0., 1., true);
        Program<2> program(mesh, FE_Q<2>(degree));
        program.make();
        Multigrid multigrid;
        multigrid.initialize(program.matrix, program.dofs, program.constraints);
        EXPECT_LE(program.cg(multigrid), 4u);
        SolverControl control(20, 1e-8 * program.rhs.l2_norm());
        adamant::solve(program.matrix, program.solution = 0., program.rhs, multigrid, control);
        EXPECT_LE(program.residual(), 1.1e-8);
      }
  Triangulation<2> cell; // all DoFs prescribed
  GridGenerator::hyper_cube(cell);
  Program<2> program(cell, FE_Q<2>(1));
  program.make();
  Multigrid multigrid;
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  Vector<double> x(4), b(4);
  b = 1.;
  multigrid.vmult(x, b);
  for (unsigned int i = 0; i < 4; ++i)
    EXPECT_NEAR(x[i] * program.matrix.diag_element(i), 1., 1e-14);
  SolverControl control(20, 1e-8);
  adamant::solve(program.matrix, x, b, multigrid, control);
  Triangulation<3> cube;
  GridGenerator::hyper_cube(cube);
  Program<3> in_3d(cube, FE_Q<3>(4));
  in_3d.make();
  multigrid.initialize(in_3d.matrix, in_3d.dofs, in_3d.constraints);
  EXPECT_LE(in_3d.cg(multigrid), 4u);
  Triangulation<2> fine;
  make_mesh(fine);
  Program<2> quartic(fine, FE_Q<2>(4));
  quartic.make();
  multigrid.initialize(quartic.matrix, quartic.dofs, quartic.constraints);
  EXPECT_LE(quartic.cg(multigrid), 12u);
}

TEST(Unusual, TheDebugLibraryIsSaidOnce)
{
  Triangulation<2> mesh;
  make_mesh(mesh);
  Program<2> program(mesh, FE_Q<2>(1));
  program.make();
  Multigrid multigrid;
  adamant::note_debug();
  testing::internal::CaptureStderr();
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("debug library"), std::string::npos);
  testing::internal::CaptureStderr();
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// Two components and a scalar, all of degree 1: one node of three rows.
TEST(Unusual, TwoComponentsAndAScalar)
{
  Triangulation<2> mesh;
  make_mesh(mesh);
  Program<2> program(mesh, FESystem<2>(FESystem<2>(FE_Q<2>(1), 2), 1, FE_Q<2>(1), 1));
  for (const bool by_components : {false, true})
    {
      if (by_components)
        DoFRenumbering::component_wise(program.dofs, {0, 0, 1});
      program.start_constraints();
      program.make();
      Multigrid multigrid;
      multigrid.initialize(program.matrix, program.dofs, program.constraints);
      EXPECT_LE(program.cg(multigrid), 9u);
    }
}

// Which values a solve takes: the present ones, also where those before were refused.
TEST(Unusual, SolvesWithChangingMatrices)
{
  Triangulation<2> mesh;
  make_mesh(mesh);
  Program<2> program(mesh, FE_Q<2>(1));
  program.make();
  Multigrid multigrid;
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  const auto solve = [&] {
    SolverControl control(30, 1e-9 * program.rhs.l2_norm());
    program.solution = 0.;
    adamant::solve(program.matrix, program.solution, program.rhs, multigrid, control);
    EXPECT_LE(program.residual(), 1.1e-9);
  };
  unsigned int row = 0;
  while (program.constraints.is_constrained(row))
    ++row;
  const auto scale_row = [&](double factor) {
    for (auto entry = program.matrix.begin(row); entry != program.matrix.end(row); ++entry)
      entry->value() *= entry->column() == row ? 1. : factor;
  };
  solve();
  solve();
  scale_row(0.9); // without symmetry
  solve();
  solve();
  program.assemble();
  solve();
  scale_row(0.9);
  unsigned int last = program.dofs.n_dofs() - 1;
  while (program.constraints.is_constrained(last))
    --last;
  auto entry = program.matrix.begin(last); // the rows before it are copied already
  while (entry->column() == last || program.constraints.is_constrained(entry->column()))
    ++entry;
  const double value = entry->value();
  entry->value()     = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(solve(), adamant::RunError);
  entry->value() = value;
  solve();
}
