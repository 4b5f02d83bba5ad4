// What a rank alone may find, other distributions of vectors, ghosts, and ranks without cells: run by mpirun.
#include "dealii/petsc.h"
#include "dealii/trilinos.h"
#include "programs.h"

#include <deal.II/base/mpi.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/petsc_sparse_matrix.h>
#include <deal.II/lac/petsc_vector.h>
#include <deal.II/lac/trilinos_solver.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>
#include <deal.II/lac/trilinos_vector.h>

#include <random>

using namespace test;

namespace
{
const MPI_Comm world = MPI_COMM_WORLD;

using OfTrilinos = Program<2, TrilinosWrappers::SparseMatrix, TrilinosWrappers::MPI::Vector>;
using Multigrid  = adamant::DealiiPreconditioner<>;
using OnRanks    = LinearAlgebra::distributed::Vector<double>;

unsigned int rank()
{
  return Utilities::MPI::this_mpi_process(world);
}

unsigned int n_ranks()
{
  return Utilities::MPI::n_mpi_processes(world);
}

struct Ready
{
  explicit Ready(const FiniteElement<2> &fe = FE_Q<2>(1))
    : mesh(world)
  {
    make_mesh(mesh);
    program = std::make_unique<OfTrilinos>(mesh, fe);
    program->make();
    multigrid.initialize(program->matrix, program->dofs, program->constraints);
  }
  parallel::distributed::Triangulation<2> mesh;
  std::unique_ptr<OfTrilinos>             program;
  Multigrid                               multigrid;
};
} // namespace

TEST(UnusualOnRanks, SingularNodeBlocks)
{
  Ready                   ready(FESystem<2>(FE_Q<2>(1), 2));
  auto                   &program = *ready.program;
  types::global_dof_index node[]  = {0, 0};
  if (rank() == n_ranks() - 1)
    for (const auto &cell : program.dofs.active_cell_iterators())
      if (cell->is_locally_owned())
        if (const auto i = cell->vertex_dof_index(0, 0), j = cell->vertex_dof_index(0, 1);
            !program.constraints.is_constrained(i) && !program.constraints.is_constrained(j) &&
            program.owned.is_element(i))
          {
            node[0] = i;
            node[1] = j;
          }
  for (auto &i : node)
    i = Utilities::MPI::max(i, world);
  if (program.owned.is_element(node[0]))
    for (const auto row : node)
      for (const auto column : node)
        program.matrix.set(row, column, 1.);
  program.matrix.compress(VectorOperation::insert);
  const std::string part = "DoF " + std::to_string(node[0]);
  expect_refusal([&] { ready.multigrid.initialize(program.matrix); }, part);
  expect_refusal([&] { ready.multigrid.initialize(program.matrix, program.dofs, program.constraints); }, part);
}

TEST(UnusualOnRanks, VectorsOfOtherDistributions)
{
  Ready      ready;
  auto      &program = *ready.program;
  const auto n       = program.dofs.n_dofs();
  // One entry more on the first rank, and one fewer on the second one; the third one has its own.
  IndexSet shifted = program.owned;
  if (n_ranks() == 1)
    return;
  const auto border = Utilities::MPI::max(rank() == 0 ? program.owned.n_elements() : 0, world);
  if (rank() == 0)
    shifted.add_index(border);
  if (rank() == 1)
    {
      IndexSet one(n);
      one.add_index(border);
      shifted.subtract_set(one);
    }
  // As many entries on each rank where the border is in the middle.
  IndexSet alternating(n);
  for (types::global_dof_index i = 0; i < n; ++i)
    if (i % n_ranks() == rank())
      alternating.add_index(i);
  OnRanks x(program.owned, world), b(program.owned, world), other_x(shifted, world), other_b(shifted, world);
  TrilinosWrappers::MPI::Vector shifted_b(shifted, world), alternating_b(alternating, world), y(program.rhs);
  PETScWrappers::MPI::Vector    petsc(shifted, world), petsc_y(program.owned, world);
  SolverControl                 control(30, 1e-8);
  const std::string             part = "other entries";
  expect_refusal([&] { ready.multigrid.vmult(x, other_b); }, part);
  expect_refusal([&] { ready.multigrid.vmult(other_x, b); }, part);
  expect_refusal([&] { ready.multigrid.vmult(y, shifted_b); }, part);
  expect_refusal([&] { ready.multigrid.vmult(y, alternating_b); }, part);
  expect_refusal([&] { ready.multigrid.vmult(petsc_y, petsc); }, part);
  expect_refusal([&] { adamant::solve(program.matrix, x, other_b, ready.multigrid, control); }, part);
  expect_refusal([&] { adamant::solve(program.matrix, other_x, b, ready.multigrid, control); }, part);
  const adamant::TrilinosPreconditioner preconditioner(ready.multigrid, program.matrix);
  EXPECT_LE(program.cg(ready.multigrid), 8u);
}

TEST(UnusualOnRanks, GhostsOfTheSolution)
{
  Ready   ready;
  auto   &program = *ready.program;
  OnRanks x(program.owned, program.relevant, world), y(program.owned, program.relevant, world), b(program.owned, world);
  for (const auto i : program.owned)
    b(i) = program.rhs(i);
  x.update_ghost_values();
  SolverControl control(30, 1e-9 * b.l2_norm());
  adamant::solve(program.matrix, x, b, ready.multigrid, control);
  EXPECT_TRUE(x.has_ghost_elements());
  adamant::solve(program.matrix, y, b, ready.multigrid, control);
  EXPECT_FALSE(y.has_ghost_elements());
  y.update_ghost_values();
  double largest = 0.;
  for (const auto i : program.relevant)
    {
      EXPECT_EQ(x(i), y(i)) << "DoF " << i;
      largest = std::max(largest, std::abs(x(i)));
    }
  EXPECT_GT(Utilities::MPI::max(largest, world), 0.);
  OnRanks z(x);
  z.update_ghost_values();
  ready.multigrid.vmult(z, b);
  y.zero_out_ghost_values();
  ready.multigrid.vmult(y, b);
  y.update_ghost_values();
  for (const auto i : program.relevant)
    EXPECT_EQ(z(i), y(i));
}

TEST(UnusualOnRanks, TinyAndHugeNumbers)
{
  Ready                               ready;
  auto                               &program = *ready.program;
  const TrilinosWrappers::MPI::Vector rhs(program.rhs);
  const unsigned int                  steps = program.cg(ready.multigrid);
  for (const double scale : {1e-60, 1e-36, 1e36, 1e60})
    {
      SCOPED_TRACE(scale);
      program.rhs.equ(scale, rhs);
      EXPECT_NEAR(program.cg(ready.multigrid), steps, 1.);
      SolverControl control(30, 1e-8 * program.rhs.l2_norm());
      adamant::solve(program.matrix, program.solution = 0., program.rhs, ready.multigrid, control);
      EXPECT_LE(program.residual(), 1.1e-8);
    }
  // Only one rank has entries that are not zero.
  program.rhs = 0.;
  if (rank() == 0)
    for (const auto i : program.owned)
      if (!program.constraints.is_constrained(i))
        program.rhs(i) = 1e-50;
  program.rhs.compress(VectorOperation::insert);
  EXPECT_LE(program.cg(ready.multigrid), steps + 2);
}

TEST(UnusualOnRanks, OtherControls)
{
  Ready              ready;
  auto              &program   = *ready.program;
  const double       tolerance = 1e-6 * program.rhs.l2_norm();
  ConsecutiveControl own(30, tolerance, 3), control(30, tolerance, 3);
  SolverCG<TrilinosWrappers::MPI::Vector>(own).solve(program.matrix, program.solution, program.rhs, ready.multigrid);
  program.solution = 0.;
  adamant::solve(program.matrix, program.solution, program.rhs, ready.multigrid, control);
  EXPECT_NEAR(double(control.last_step()), double(own.last_step()), 1.);
  EXPECT_LE(program.residual(), 1e-6);
}

// One rank has the coarsest matrix, and inverts it; the others learn that rotations are in its kernel.
TEST(UnusualOnRanks, SingularCoarsestMatrix)
{
  parallel::distributed::Triangulation<2> mesh(world);
  GridGenerator::hyper_cube(mesh);
  mesh.refine_global(4);
  OfTrilinos program(mesh, FESystem<2>(FE_Q<2>(1), 2));
  program.set_up();
  Equation<2> with_mass;
  with_mass.mass = 1.;
  program.assemble(with_mass);
  Multigrid multigrid;
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  program.assemble();
  expect_refusal([&] { multigrid.initialize(program.matrix); }, "lack boundary conditions?");
  expect_refusal([&] { multigrid.initialize(program.matrix, program.dofs, program.constraints); },
                 "lack boundary conditions?");
}

// Two squares, each without boundary values.
TEST(UnusualOnRanks, KernelsOfTwoParts)
{
  Triangulation<2> left, right, both;
  GridGenerator::hyper_cube(left);
  GridGenerator::hyper_cube(right, 2., 3.);
  GridGenerator::merge_triangulations(left, right, both);
  parallel::distributed::Triangulation<2> mesh(world);
  mesh.copy_triangulation(both);
  mesh.refine_global(3);
  refine_some(mesh, 2);
  OfTrilinos program(mesh, FE_Q<2>(1));
  program.set_up();
  program.assemble();
  std::vector<double>                  sums(4, 0.);
  std::vector<types::global_dof_index> indices(4);
  IndexSet                             of_right(program.dofs.n_dofs());
  for (const auto &cell : program.dofs.active_cell_iterators())
    if (cell->is_locally_owned() && cell->center()[0] > 1.5)
      {
        cell->get_dof_indices(indices);
        of_right.add_indices(indices.begin(), indices.end());
      }
  for (const auto i : program.owned)
    if (!program.constraints.is_constrained(i))
      {
        const unsigned int part = of_right.is_element(i) ? 1 : 0;
        sums[part] += program.rhs(i);
        sums[2 + part] += 1.;
      }
  Utilities::MPI::sum(sums, world, sums);
  for (const auto i : program.owned)
    {
      const unsigned int part = of_right.is_element(i) ? 1 : 0;
      program.rhs(i) = program.constraints.is_constrained(i) ? 0. : program.rhs(i) - sums[part] / sums[2 + part];
    }
  program.rhs.compress(VectorOperation::insert);
  Multigrid multigrid;
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  EXPECT_LE(program.cg(multigrid), 14u);
}

TEST(UnusualOnRanks, PeriodicConstraints)
{
  for (const bool refined : {false, true})
    {
      parallel::distributed::Triangulation<2> mesh(world);
      GridGenerator::hyper_cube(mesh, 0., 1., true);
      std::vector<GridTools::PeriodicFacePair<Triangulation<2>::cell_iterator>> pairs;
      GridTools::collect_periodic_faces(mesh, 0, 1, 0, pairs);
      mesh.add_periodicity(pairs);
      mesh.refine_global(3);
      if (refined)
        {
          for (const auto &cell : mesh.active_cell_iterators())
            if (cell->is_locally_owned() && cell->center()[0] < 0.2 && std::abs(cell->center()[1] - 0.5) < 0.2)
              cell->set_refine_flag();
          mesh.execute_coarsening_and_refinement();
        }
      for (unsigned int degree = 1; degree < 3; ++degree)
        {
          OfTrilinos program(mesh, FE_Q<2>(degree));
          DoFTools::make_periodicity_constraints(program.dofs, 0, 1, 0, program.constraints);
          program.prescribe(2);
          program.set_up();
          program.assemble();
          Multigrid multigrid;
          expect_refused_pair(program, multigrid);
        }
    }
}

// Two cells: with three ranks one has none.
TEST(UnusualOnRanks, RanksWithoutCells)
{
  for (const unsigned int refine : {0, 1, 3})
    for (unsigned int degree = 1; degree <= 2; ++degree)
      {
        parallel::distributed::Triangulation<2> mesh(world);
        if (refine == 3)
          GridGenerator::hyper_cube(mesh, 0., 1., true);
        else
          GridGenerator::subdivided_hyper_rectangle(mesh, {2, 1}, Point<2>(0., 0.), Point<2>(2., 1.), true);
        mesh.refine_global(refine == 3 ? 0 : refine);
        SCOPED_TRACE(std::to_string(mesh.n_global_active_cells()) + " cells, degree " + std::to_string(degree));
        OfTrilinos program(mesh, FE_Q<2>(degree));
        program.make();
        Multigrid multigrid;
        multigrid.initialize(program.matrix, program.dofs, program.constraints);
        EXPECT_LE(program.cg(multigrid), 8u);
        multigrid.initialize(program.matrix);
        SolverControl control(30, 1e-8 * program.rhs.l2_norm());
        adamant::solve(program.matrix, program.solution = 0., program.rhs, multigrid, control);
        EXPECT_LE(program.residual(), 1.1e-8);
      }
}

// The mesh has as many cells as before, so that the DoFHandler's numbers fit on the whole.
TEST(UnusualOnRanks, MeshesThatMoved)
{
  using Mesh                = parallel::distributed::Triangulation<2>;
  const auto expect_refused = [](OfTrilinos &program) {
    Multigrid multigrid;
    expect_refusal([&] { multigrid.initialize(program.matrix, program.dofs, program.constraints); },
                   "was the mesh refined after distribute_dofs()");
  };
  Mesh on_one_rank(world, Triangulation<2>::none, Mesh::no_automatic_repartitioning);
  GridGenerator::hyper_cube(on_one_rank, 0., 1., true);
  on_one_rank.refine_global(4);
  OfTrilinos program(on_one_rank, FE_Q<2>(1));
  program.make();
  on_one_rank.repartition();
  if (n_ranks() > 1)
    expect_refused(program);

  Mesh mesh(world);
  GridGenerator::hyper_cube(mesh, 0., 1., true);
  mesh.refine_global(3);
  const auto refine = [&mesh](bool first_corner) {
    for (const auto &cell : mesh.active_cell_iterators())
      if (cell->is_locally_owned() && cell->level() == 4)
        cell->set_coarsen_flag();
      else if (cell->is_locally_owned() && (first_corner ? cell->center().norm() < 0.25 : cell->center().norm() > 1.2))
        cell->set_refine_flag();
    mesh.execute_coarsening_and_refinement();
  };
  refine(true);
  const auto n_cells = mesh.n_global_active_cells();
  OfTrilinos moved(mesh, FE_Q<2>(2));
  moved.make();
  refine(false);
  EXPECT_EQ(mesh.n_global_active_cells(), n_cells);
  expect_refused(moved);
}

// deal.II and p4est may refine other cells around a line in which cells run in two directions.
TEST(UnusualOnRanks, LinesInTwoDirections)
{
  for (unsigned int seed = 0; seed < 4; ++seed)
    {
      parallel::distributed::Triangulation<3> mesh(world);
      GridGenerator::moebius(mesh, 6, 1, 2., 0.5);
      mesh.refine_global(2);
      for (int cycle = 0; cycle < 3; ++cycle)
        {
          for (const auto &cell : mesh.active_cell_iterators())
            if (cell->is_locally_owned() &&
                std::mt19937(seed + cycle + std::hash<std::string>()(cell->id().to_string()))() % 10 == 0)
              cell->set_refine_flag();
          mesh.execute_coarsening_and_refinement();
        }
      Program<3, TrilinosWrappers::SparseMatrix, TrilinosWrappers::MPI::Vector> program(mesh, FE_Q<3>(1));
      program.make();
      adamant::DealiiOptions options;
      options.coarsest_cells = 1;
      Multigrid multigrid(options);
      try
        {
          multigrid.initialize(program.matrix, program.dofs, program.constraints);
          EXPECT_LE(program.cg(multigrid), 30u);
        }
      catch (const adamant::RunError &error)
        {
          EXPECT_NE(std::string(error.what()).find("in two directions"), std::string::npos) << error.what();
        }
    }
}
