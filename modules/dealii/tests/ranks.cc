// Multigrid from a user's distributed matrix, on any number of ranks: run by mpirun.
#include "dealii/petsc.h"
#include "dealii/trilinos.h"
#include "levels.h"
#include "programs.h"
#include "ranks/cuda_ranks.h"

#include <deal.II/base/mpi.h>
#include <deal.II/lac/block_sparsity_pattern.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/petsc_solver.h>
#include <deal.II/lac/petsc_sparse_matrix.h>
#include <deal.II/lac/petsc_vector.h>
#include <deal.II/lac/trilinos_block_sparse_matrix.h>
#include <deal.II/lac/trilinos_solver.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>
#include <deal.II/lac/trilinos_vector.h>

#include <limits>

using namespace test;

namespace
{
const MPI_Comm world = MPI_COMM_WORLD;

template <int dim>
using OfTrilinos = Program<dim, TrilinosWrappers::SparseMatrix, TrilinosWrappers::MPI::Vector>;
template <int dim>
using OfPETSc = Program<dim, PETScWrappers::MPI::SparseMatrix, PETScWrappers::MPI::Vector>;

template <int dim>
struct Mesh : parallel::distributed::Triangulation<dim>
{
  Mesh()
    : parallel::distributed::Triangulation<dim>(world)
  {
    make_mesh(*this);
  }
};

adamant::DealiiOptions with_coarsest(unsigned int cells)
{
  adamant::DealiiOptions options;
  options.coarsest_cells = cells;
  return options;
}

template <class Program, int dim>
void expect_steps(const FiniteElement<dim> &fe, unsigned int most)
{
  SCOPED_TRACE(fe.get_name());
  const Mesh<dim> mesh;
  Program         program(mesh, fe);
  program.make();
  adamant::DealiiPreconditioner<> multigrid(with_coarsest(16));
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  EXPECT_LE(program.cg(multigrid), most);
  EXPECT_LE(program.residual(), 1.1e-8);
  EXPECT_EQ(multigrid.check(program.matrix).largest, 0.);

  SolverControl control(30, 1e-10 * program.rhs.l2_norm());
  program.solution = 0.;
  adamant::solve(program.matrix, program.solution, program.rhs, multigrid, control);
  EXPECT_LE(program.residual(), 1.1e-10);

  Equation<dim> other; // new values
  other.mass = 2.;
  other.a    = [](const Point<dim> &p) { return 1. + p[0]; };
  program.assemble(other);
  multigrid.initialize(program.matrix);
  EXPECT_LE(program.cg(multigrid), most + 1);
  EXPECT_LE(program.residual(), 1.1e-8);
}
} // namespace

TEST(DealiiRanks, NewValuesOnADevice)
{
  const auto device = adamant::Device::host(1, adamant::Communicator(world));
  expect_equal_levels<2, OfTrilinos<2>, Mesh<2>>(FE_Q<2>(2), device);
  expect_equal_levels<3, OfTrilinos<3>, Mesh<3>>(FESystem<3>(FE_Q<3>(1), 3), device);
}

TEST_F(CudaRanks, NewValuesOnADevice)
{
  expect_equal_levels<2, OfTrilinos<2>, Mesh<2>>(FE_Q<2>(2), device);
  expect_equal_levels<3, OfTrilinos<3>, Mesh<3>>(FESystem<3>(FE_Q<3>(1), 3), device);
}

TEST(DealiiRanks, FewStepsOfCG)
{
  expect_steps<OfTrilinos<2>>(FE_Q<2>(1), 8);
  expect_steps<OfTrilinos<2>>(FE_Q<2>(2), 8);
  expect_steps<OfTrilinos<2>>(FE_Q<2>(3), 10);
  expect_steps<OfTrilinos<3>>(FE_Q<3>(1), 8);
  expect_steps<OfTrilinos<2>>(FESystem<2>(FE_Q<2>(1), 2), 12);
  expect_steps<OfPETSc<2>>(FE_Q<2>(2), 8);
  expect_steps<OfPETSc<3>>(FESystem<3>(FE_Q<3>(1), 3), 12);
}

TEST(DealiiRanks, TheirOwnSolvers)
{
  const Mesh<2> mesh;
  {
    OfTrilinos<2> program(mesh, FE_Q<2>(2));
    program.make();
    adamant::DealiiPreconditioner<double> multigrid;
    multigrid.initialize(program.matrix, program.dofs, program.constraints);
    const adamant::TrilinosPreconditioner preconditioner(multigrid, program.matrix);
    SolverControl                         control(30, 1e-8 * program.rhs.l2_norm());
    TrilinosWrappers::SolverCG            solver(control);
    solver.solve(program.matrix, program.solution, program.rhs, preconditioner);
    EXPECT_LE(control.last_step(), 12u);
    EXPECT_LE(program.residual(), 1e-6);
    TrilinosWrappers::MPI::Vector one(program.rhs), two(program.rhs);
    multigrid.vmult(one, program.rhs);
    preconditioner.vmult(two, program.rhs);
    one -= two;
    EXPECT_EQ(one.l2_norm(), 0.);
  }
  {
    OfPETSc<2> program(mesh, FE_Q<2>(2));
    program.make();
    adamant::DealiiPreconditioner<double> multigrid;
    multigrid.initialize(program.matrix, program.dofs, program.constraints);
    const adamant::PETScPreconditioner preconditioner(multigrid, program.matrix);
    SolverControl                      control(30, 1e-8 * program.rhs.l2_norm());
    PETScWrappers::SolverCG            solver(control, world);
    solver.solve(program.matrix, program.solution, program.rhs, preconditioner);
    EXPECT_LE(control.last_step(), 12u);
    EXPECT_LE(program.residual(), 1e-6);
  }
}

TEST(DealiiRanks, VectorsWithGhosts)
{
  const Mesh<2> mesh;
  OfTrilinos<2> program(mesh, FE_Q<2>(1));
  program.make();
  adamant::DealiiPreconditioner<> multigrid;
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  TrilinosWrappers::MPI::Vector expected(program.rhs), found(program.rhs);
  multigrid.vmult(expected, program.rhs);
  TrilinosWrappers::MPI::Vector ghosted(program.owned, program.relevant, world);
  ghosted = program.rhs;
  multigrid.vmult(found, ghosted);
  found -= expected;
  EXPECT_EQ(found.l2_norm(), 0.);
  LinearAlgebra::distributed::Vector<double> src(program.owned, program.relevant, world), dst(program.owned, world);
  for (const auto i : program.owned)
    src(i) = program.rhs(i);
  src.update_ghost_values();
  multigrid.vmult(dst, src);
  for (const auto i : program.owned)
    ASSERT_EQ(dst(i), expected(i));
}

TEST(DealiiRanks, NeumannProblems)
{
  const Mesh<2> mesh;
  OfTrilinos<2> program(mesh, FE_Q<2>(1));
  program.set_up();
  program.assemble();
  // Free entries of the right-hand side sum to zero.
  double sums[] = {0., 0.};
  for (const auto i : program.owned)
    if (!program.constraints.is_constrained(i))
      {
        sums[0] += program.rhs(i);
        sums[1] += 1.;
      }
  const double mean = Utilities::MPI::sum(sums[0], world) / Utilities::MPI::sum(sums[1], world);
  for (const auto i : program.owned)
    program.rhs(i) = program.constraints.is_constrained(i) ? 0. : program.rhs(i) - mean;
  program.rhs.compress(VectorOperation::insert);
  adamant::DealiiPreconditioner<> multigrid;
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  EXPECT_LE(program.cg(multigrid), 14u);
}

namespace
{
// Elasticity and a mass matrix, as two blocks of one DoFHandler.
struct Blocks
{
  Blocks()
    : fe(FE_Q<2>(2), 2, FE_Q<2>(1), 1)
    , dofs(mesh)
  {
    dofs.distribute_dofs(fe);
    DoFRenumbering::component_wise(dofs, {0, 0, 1});
    const auto n = DoFTools::count_dofs_per_fe_block(dofs, {0, 0, 1});
    IndexSet   all;
    DoFTools::extract_locally_relevant_dofs(dofs, all);
    owned    = {dofs.locally_owned_dofs().get_view(0, n[0]), dofs.locally_owned_dofs().get_view(n[0], n[0] + n[1])};
    relevant = {all.get_view(0, n[0]), all.get_view(n[0], n[0] + n[1])};
    constraints.reinit(all);
    DoFTools::make_hanging_node_constraints(dofs, constraints);
    VectorTools::interpolate_boundary_values(dofs, 0, Functions::ZeroFunction<2>(3), constraints, fe.component_mask(u));
    constraints.close();
    BlockDynamicSparsityPattern dsp(relevant);
    DoFTools::make_sparsity_pattern(dofs, dsp, constraints, false);
    SparsityTools::distribute_sparsity_pattern(dsp, dofs.locally_owned_dofs(), world, all);
    matrix.reinit(owned, dsp, world);
    FEValues<2>                          values(fe, QGauss<2>(3), update_values | update_gradients | update_JxW_values);
    FullMatrix<double>                   local(fe.n_dofs_per_cell(), fe.n_dofs_per_cell());
    std::vector<types::global_dof_index> indices(fe.n_dofs_per_cell());
    for (const auto &cell : dofs.active_cell_iterators())
      if (cell->is_locally_owned())
        {
          values.reinit(cell);
          local = 0.;
          for (const unsigned int q : values.quadrature_point_indices())
            for (const unsigned int i : values.dof_indices())
              for (const unsigned int j : values.dof_indices())
                local(i, j) += (2. * (values[u].symmetric_gradient(i, q) * values[u].symmetric_gradient(j, q)) +
                                values[p].value(i, q) * values[p].value(j, q)) *
                               values.JxW(q);
          cell->get_dof_indices(indices);
          constraints.distribute_local_to_global(local, indices, matrix);
        }
    matrix.compress(VectorOperation::add);
  }
  template <class Multigrid>
  unsigned int steps(const Multigrid &M, unsigned int block)
  {
    TrilinosWrappers::MPI::Vector x(owned[block], world), b(owned[block], world);
    for (const auto i : owned[block])
      b(i) = std::sin(3. * i);
    b.compress(VectorOperation::insert);
    SolverControl control(100, 1e-8 * b.l2_norm());
    SolverCG<TrilinosWrappers::MPI::Vector>(control).solve(matrix.block(block, block), x, b, M);
    return control.last_step();
  }

  const FEValuesExtractors::Vector    u{0};
  const FEValuesExtractors::Scalar    p{2};
  const Mesh<2>                       mesh;
  FESystem<2>                         fe;
  DoFHandler<2>                       dofs;
  std::vector<IndexSet>               owned, relevant;
  AffineConstraints<double>           constraints;
  TrilinosWrappers::BlockSparseMatrix matrix;
};
} // namespace

TEST(DealiiRanks, BlocksOfALargerDoFHandler)
{
  Blocks                          blocks;
  adamant::DealiiPreconditioner<> multigrid;
  multigrid.initialize(blocks.matrix.block(0, 0), blocks.dofs, blocks.constraints, blocks.u);
  EXPECT_LE(blocks.steps(multigrid, 0), 14u);
  multigrid.initialize(blocks.matrix.block(1, 1), blocks.dofs, blocks.constraints, blocks.p);
  EXPECT_LE(blocks.steps(multigrid, 1), 14u);
}

// What one rank finds is said by all.
TEST(DealiiRanks, RefusalsReachAllRanks)
{
  const Mesh<2> mesh;
  OfTrilinos<2> program(mesh, FE_Q<2>(1));
  program.make();
  adamant::DealiiPreconditioner<> multigrid;

  // A DoF of the last rank is constrained to another one.
  const unsigned int        last = Utilities::MPI::n_mpi_processes(world) - 1;
  AffineConstraints<double> constraints(program.relevant);
  DoFTools::make_hanging_node_constraints(program.dofs, constraints);
  if (Utilities::MPI::this_mpi_process(world) == last)
    {
      std::vector<types::global_dof_index> free;
      for (const auto i : program.owned)
        if (!constraints.is_constrained(i) && free.size() < 2)
          free.push_back(i);
      constraints.add_line(free[0]);
      constraints.add_entry(free[0], free[1], 1.);
    }
  constraints.close();
  expect_refusal([&] { multigrid.initialize(program.matrix, program.dofs, constraints); }, "is no hanging node");

  // A diagonal entry of the last rank is no number.
  types::global_dof_index row = 0;
  if (Utilities::MPI::this_mpi_process(world) == last)
    for (const auto i : program.owned)
      if (!program.constraints.is_constrained(i))
        row = i;
  row = Utilities::MPI::max(row, world);
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  if (program.owned.is_element(row))
    program.matrix.set(row, row, std::numeric_limits<double>::quiet_NaN());
  program.matrix.compress(VectorOperation::insert);
  const auto difference = multigrid.check(program.matrix);
  EXPECT_TRUE(std::isinf(difference.largest));
  EXPECT_EQ(difference.row, row);
  expect_refusal([&] { multigrid.initialize(program.matrix); }, "the diagonal entry of DoF " + std::to_string(row));

  // A device of one rank for a mesh of several, and the other way round.
  adamant::DealiiPreconditioner<> alone(adamant::Device::host(1));
  program.assemble();
  if (last > 0)
    expect_refusal([&] { alone.initialize(program.matrix, program.dofs, program.constraints); }, "the mesh has");
  else
    alone.initialize(program.matrix, program.dofs, program.constraints);
  SparseMatrix<double>   on_each_rank;
  SparsityPattern        pattern;
  DynamicSparsityPattern dsp(program.dofs.n_dofs());
  for (unsigned int i = 0; i < program.dofs.n_dofs(); ++i)
    dsp.add(i, i);
  pattern.copy_from(dsp);
  on_each_rank.reinit(pattern);
  if (last > 0)
    expect_refusal([&] { multigrid.initialize(on_each_rank, program.dofs, program.constraints); },
                   "which are not those of its");
}

// Nothing to coarsen: the only level is spread over ranks.
TEST(DealiiRanks, OneLevel)
{
  parallel::distributed::Triangulation<2> mesh(world);
  GridGenerator::subdivided_hyper_cube(mesh, 6, 0., 1., true);
  OfTrilinos<2> program(mesh, FE_Q<2>(1));
  program.make();
  adamant::DealiiPreconditioner<> multigrid;
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  EXPECT_LE(program.cg(multigrid), 12u);
  program.assemble(Equation<2>{1.});
  multigrid.initialize(program.matrix);
  EXPECT_LE(program.cg(multigrid), 12u);
}

// More than the dense inverse takes.
TEST(DealiiRanks, CoarseMeshOfManyCells)
{
  parallel::distributed::Triangulation<2> mesh(world);
  GridGenerator::subdivided_hyper_cube(mesh, 45, 0., 1., true);
  mesh.refine_global(1);
  OfTrilinos<2> program(mesh, FE_Q<2>(1));
  program.make();
  adamant::DealiiPreconditioner<> multigrid;
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  EXPECT_LE(program.cg(multigrid), 12u);
}
