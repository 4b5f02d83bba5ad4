// Multigrid from a user's matrix, DoFHandler and constraints on one rank.
#include "base/csr/csr_operations.h"
#include "levels.h"
#include "programs.h"
#include "support/devices.h"

#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/linear_operator.h>
#include <deal.II/lac/solver_gmres.h>
#include <deal.II/lac/sparse_direct.h>
#include <deal.II/numerics/matrix_tools.h>

#include <omp.h>

#include <limits>
#include <map>
#include <set>

using namespace test;

namespace
{
adamant::DealiiOptions with_coarsest(unsigned int cells)
{
  adamant::DealiiOptions options;
  options.coarsest_cells = cells;
  return options;
}

template <int dim>
void expect_steps(const FiniteElement<dim> &fe, unsigned int most, const Equation<dim> &equation = {})
{
  SCOPED_TRACE(fe.get_name());
  Triangulation<dim> mesh;
  make_mesh(mesh);
  Program<dim> program(mesh, fe);
  DoFRenumbering::random(program.dofs);
  program.start_constraints();
  program.make(equation);
  adamant::DealiiPreconditioner<> multigrid(with_coarsest(8));
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  EXPECT_GE(multigrid.n_levels(), dim == 2 ? 3u : 2u);
  EXPECT_LE(program.cg(multigrid), most);
  EXPECT_LE(program.residual(), 1.1e-8);
}
} // namespace

TEST(UserMatrix, FewStepsOfCG)
{
  expect_steps(FE_Q<2>(1), 8);
  expect_steps(FE_Q<2>(2), 8);
  expect_steps(FE_Q<2>(3), 10);
  expect_steps(FE_Q<3>(1), 8);
  expect_steps(FE_Q<3>(2), 8);
  expect_steps(FESystem<2>(FE_Q<2>(1), 2), 12);
  expect_steps(FESystem<3>(FE_Q<3>(1), 3), 12);
  expect_steps(FESystem<2>(FE_Q<2>(1), 9), 10); // more than block_jacobi takes
  Equation<2> variable;
  variable.a = [](const Point<2> &p) { return 1. + 0.9 * std::sin(6. * p[0]) * std::cos(5. * p[1]); };
  expect_steps(FE_Q<2>(2), 10, variable);
}

TEST(UserMatrix, CoarserMatricesAreGalerkinProducts)
{
  Triangulation<3> mesh;
  make_mesh(mesh);
  Program<3> program(mesh, FE_Q<3>(2));
  program.make();
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const auto one = levels_of(program, adamant::matrix_rows(program.matrix), 8);
  omp_set_num_threads(8); // coarser spaces in a thread of their own
  auto eight = levels_of(program, adamant::matrix_rows(program.matrix), 8);
  omp_set_num_threads(threads);
  const auto &levels = one.levels();
  ASSERT_GE(levels.size(), 2u);
  for (std::size_t l = levels.size() - 1; l > 0; --l)
    {
      const auto &P = *levels[l].prolongation, &R = *levels[l].restriction;
      const auto  expected = adamant::local_product(R, adamant::local_product(levels[l].matrix(), P));
      const auto &found    = levels[l - 1].matrix();
      EXPECT_EQ(found.value, eight.levels()[l - 1].matrix().value) << "threads";
      for (int i = 0; i < found.n_rows; ++i)
        for (int j = 0; j < found.n_rows; ++j)
          {
            const bool constrained = R.row_start[i] == R.row_start[i + 1] && i == j;
            ASSERT_NEAR(entry(found, i, j), constrained ? 1. : entry(expected, i, j), 1e-12);
          }
    }
  const auto before = eight.levels()[0].matrix().value;
  EXPECT_TRUE(eight.update(adamant::matrix_rows(program.matrix)));
  EXPECT_EQ(eight.levels()[0].matrix().value, before) << "an update with the same values";
}

class LevelsOnDevice : public adamant::test::DeviceTest
{
};

TEST_P(LevelsOnDevice, TakeNewValues)
{
  expect_equal_levels<2, Program<2>, Triangulation<2>>(FE_Q<2>(2), device);
  expect_equal_levels<3, Program<3>, Triangulation<3>>(FE_Q<3>(2), device);
  expect_equal_levels<3, Program<3>, Triangulation<3>>(FESystem<3>(FE_Q<3>(1), 3), device);
}

// New values reach the V-cycle and Krylov's method, which share matrices in the device's memory, as a set-up would have
// it. Smoothers that need values on the host have them there.
TEST_P(LevelsOnDevice, SolveWithNewValues)
{
  Triangulation<2> mesh;
  make_mesh(mesh);
  Equation<2> other;
  other.mass = 20.;
  other.a    = [](const Point<2> &p) { return p[0] < 0.5 ? 1. : 30.; };
  for (const auto &[smoother, compose] : {std::pair("", 0), std::pair("fsai", 0), std::pair("jacobi", 1000)})
    for (const auto &fe : {FESystem<2>(FE_Q<2>(2), 1), FESystem<2>(FE_Q<2>(1), 2)})
      {
        SCOPED_TRACE(fe.get_name() + ", " + smoother);
        Program<2> program(mesh, fe);
        program.make();
        auto options                    = with_coarsest(4);
        options.multigrid.smoother.type = smoother;
        options.multigrid.compose_up_to = compose;
        adamant::DealiiPreconditioner<> multigrid(device, options), anew(device, options);
        const auto                      steps = [&](const auto &M) {
          SolverControl control(60, 1e-9 * program.rhs.l2_norm());
          program.solution = 0.;
          adamant::solve(program.matrix, program.solution, program.rhs, M, control);
          EXPECT_LE(program.residual(), 1.1e-9);
          return static_cast<int>(control.last_step());
        };
        multigrid.initialize(program.matrix, program.dofs, program.constraints);
        EXPECT_LE(steps(multigrid), 20);
        for (int update = 0; update < 3; ++update)
          {
            program.assemble(update == 1 ? Equation<2>() : other);
            multigrid.initialize(program.matrix);
            anew.initialize(program.matrix, program.dofs, program.constraints);
            EXPECT_NEAR(steps(multigrid), steps(anew), 1) << "update " << update;
          }
      }
}

INSTANTIATE_TEST_SUITE_P(Devices, LevelsOnDevice, adamant::test::all_places, adamant::test::place_name);

TEST(UserMatrix, RanksOfKeys)
{
  for (const int n : {0, 1, 9, 16, 17, 512, 513, 700})
    {
      std::vector<int> keys(n), ranks, sorted(n, 0);
      for (int k = 0; k < n; ++k)
        keys[k] = (k * 37 + 11) % 701 - 350; // all are different, as 701 is a prime number
      adamant::rank_keys(keys, ranks);
      for (int k = 0; k < n; ++k)
        sorted[ranks[k]] = keys[k];
      std::sort(keys.begin(), keys.end());
      EXPECT_EQ(sorted, keys);
    }
}

// The components of a node follow each other, as smoothers of node blocks need it.
TEST(UserMatrix, NumbersGoNodeByNode)
{
  Triangulation<2> mesh;
  make_mesh(mesh);
  const adamant::LevelMeshes<2> meshes(mesh, {});
  const FESystem<2>             elements[] = {FESystem<2>(FE_Q<2>(3), 2), FESystem<2>(FE_Q<2>(3), 1, FE_Q<2>(3), 2),
                                              FESystem<2>(FESystem<2>(FE_Q<2>(3), 2), 1, FE_Q<2>(3), 1)};
  for (const auto &fe : elements)
    {
      SCOPED_TRACE(fe.get_name());
      DoFHandler<2> dofs(mesh);
      dofs.distribute_dofs(fe);
      DoFRenumbering::random(dofs);
      adamant::Array<int> table;
      adamant::number_user_dofs(*meshes.finest_cells(), dofs, ComponentMask(), table);
      const int    m = static_cast<int>(fe.n_components());
      unsigned int n = 0;
      for (const int *cell = table.data(); cell != table.data() + table.size(); cell += fe.n_dofs_per_cell())
        for (unsigned int i = 0; i < fe.n_dofs_per_cell(); ++i)
          {
            const int first = cell[i] - static_cast<int>(fe.system_to_component_index(i).first);
            EXPECT_EQ(first % m, 0);
            for (unsigned int j = 0; j < fe.n_dofs_per_cell(); ++j, ++n)
              {
                const bool same = fe.unit_support_point(i).distance(fe.unit_support_point(j)) < 1e-10;
                const int  next = first + static_cast<int>(fe.system_to_component_index(j).first);
                ASSERT_TRUE(!same || cell[j] == next) << i << " and " << j;
              }
          }
      EXPECT_GT(n, 0u);
    }
}

// Coarse DoFs are constrained where a Field with the same boundary has them so, also where nodes do not meet.
TEST(UserMatrix, MarksOfCoarserLevels)
{
  for (unsigned int degree = 1; degree <= 4; ++degree)
    {
      SCOPED_TRACE(degree);
      Triangulation<2> mesh;
      make_mesh(mesh);
      Program<2> program(mesh, FE_Q<2>(degree));
      program.prescribe(0);
      program.prescribe(3);
      program.set_up();
      program.assemble();
      const auto                    levels = levels_of(program, adamant::matrix_rows(program.matrix), 1);
      const adamant::LevelMeshes<2> meshes(mesh, {1});
      const adamant::Field<2>       field(meshes, "u", FE_Q<2>(degree), {{0, {}}, {3, {}}});
      ASSERT_EQ(field.n_levels(), levels.levels().size());
      std::vector<int> own_number(field.finest().n_dofs()); // of each DoF of the field
      const auto       of_field = adamant::user_dofs(field.finest(), program.dofs).number;
      for (std::size_t k = 0; k < of_field.size(); ++k)
        own_number[of_field[k]] = levels.dofs().number[k];
      for (std::size_t l = 1; l < field.n_levels(); ++l)
        {
          const auto &R        = *levels.levels()[l].restriction;
          const auto &expected = *field.restriction(l);
          const bool  finest   = l + 1 == field.n_levels();
          ASSERT_EQ(R.row_start, expected.row_start) << "level " << l;
          for (int i = 0; i < R.n_rows; ++i)
            {
              std::set<int> columns(R.column.begin() + R.row_start[i], R.column.begin() + R.row_start[i + 1]);
              for (auto k = R.row_start[i]; k < R.row_start[i + 1]; ++k)
                columns.erase(finest ? own_number[expected.column[k]] : expected.column[k]);
              EXPECT_TRUE(columns.empty()) << "level " << l << ", row " << i;
            }
        }
    }
}

TEST(UserMatrix, BoundariesOfSingleComponentsAndValues)
{
  Triangulation<2> mesh;
  make_mesh(mesh);
  Program<2> program(mesh, FESystem<2>(FE_Q<2>(2), 2));
  program.prescribe(0, ComponentMask(std::vector<bool>{true, false}), 0.5);
  program.prescribe(2, ComponentMask(std::vector<bool>{false, true}));
  program.set_up();
  program.assemble();
  adamant::DealiiPreconditioner<> multigrid(with_coarsest(8));
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  EXPECT_LE(program.cg(multigrid), 14u);
}

TEST(UserMatrix, NewValues)
{
  Triangulation<2> mesh;
  make_mesh(mesh);
  Program<2> program(mesh, FE_Q<2>(2));
  program.make();
  adamant::DealiiPreconditioner<> multigrid, fresh;
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  Equation<2> other;
  other.mass = 3.;
  other.a    = [](const Point<2> &p) { return 1. + p[0]; };
  program.assemble(other);
  multigrid.initialize(program.matrix);
  fresh.initialize(program.matrix, program.dofs, program.constraints);
  Vector<double> x(program.dofs.n_dofs()), y(program.dofs.n_dofs());
  multigrid.vmult(x, program.rhs);
  fresh.vmult(y, program.rhs);
  EXPECT_TRUE(x == y);
  EXPECT_LE(program.cg(multigrid), 9u);
}

TEST(UserMatrix, NeumannProblemsAreFound)
{
  Triangulation<2> mesh;
  make_mesh(mesh);
  Program<2> program(mesh, FE_Q<2>(1));
  program.set_up();
  program.assemble();
  program.rhs.add(-program.rhs.mean_value()); // sums to zero, as (1, f) = 0 has it up to hanging nodes
  for (unsigned int i = 0; i < program.rhs.size(); ++i)
    if (program.constraints.is_constrained(i))
      program.rhs[i] = 0.;
  double sum = 0., n = 0.;
  for (unsigned int i = 0; i < program.rhs.size(); ++i)
    if (!program.constraints.is_constrained(i))
      {
        sum += program.rhs[i];
        n += 1.;
      }
  for (unsigned int i = 0; i < program.rhs.size(); ++i)
    if (!program.constraints.is_constrained(i))
      program.rhs[i] -= sum / n;
  adamant::DealiiPreconditioner<> multigrid;
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  EXPECT_LE(program.cg(multigrid), 14u);

  Equation<2> with_mass; // no kernel any more, and back
  with_mass.mass = 1.;
  program.assemble(with_mass);
  multigrid.initialize(program.matrix);
  EXPECT_LE(program.cg(multigrid), 10u);

  Program<2> pinned(mesh, FE_Q<2>(1));
  pinned.constraints.add_line(5);
  pinned.set_up();
  pinned.assemble();
  multigrid.initialize(pinned.matrix, pinned.dofs, pinned.constraints);
  EXPECT_LE(pinned.cg(multigrid), 25u);
}

TEST(UserMatrix, ConstantsOfSingleComponents)
{
  Triangulation<2> mesh;
  make_mesh(mesh);
  Program<2> program(mesh, FESystem<2>(FE_Q<2>(1), 2));
  for (const types::boundary_id id : {0, 1})
    program.prescribe(id, ComponentMask(std::vector<bool>{true, false}));
  program.set_up();
  program.assemble();
  // A right-hand side that does no work on the constant of component 1.
  const IndexSet second = DoFTools::extract_dofs(program.dofs, ComponentMask(std::vector<bool>{false, true}));
  double         sum = 0., n = 0.;
  for (const auto i : second)
    if (!program.constraints.is_constrained(i))
      {
        sum += program.rhs[i];
        n += 1.;
      }
  for (const auto i : second)
    program.rhs[i] = program.constraints.is_constrained(i) ? 0. : program.rhs[i] - sum / n;
  adamant::DealiiPreconditioner<> multigrid;
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  EXPECT_LE(program.cg(multigrid), 14u);
}

// Values by MatrixTools: the constraints have hanging nodes alone.
TEST(UserMatrix, DecoupledRows)
{
  Triangulation<2> mesh;
  GridGenerator::hyper_cube(mesh, 0., 1., true);
  mesh.refine_global(5);
  Program<2> program(mesh, FE_Q<2>(1));
  program.set_up();
  program.assemble();
  std::map<types::global_dof_index, double> values;
  VectorTools::interpolate_boundary_values(program.dofs, 0, Functions::ConstantFunction<2>(2.), values);
  VectorTools::interpolate_boundary_values(program.dofs, 1, Functions::ConstantFunction<2>(1.), values);
  Program<2> eliminated(mesh, FE_Q<2>(1));
  for (const bool eliminate : {true, false})
    {
      SCOPED_TRACE(eliminate);
      program.assemble();
      MatrixTools::apply_boundary_values(values, program.matrix, program.solution, program.rhs, eliminate);
      adamant::DealiiPreconditioner<> multigrid(with_coarsest(8));
      multigrid.initialize(program.matrix, program.dofs, program.constraints);
      SolverControl control(20, 1e-9 * program.rhs.l2_norm());
      program.solution = 0.;
      adamant::solve(program.matrix, program.solution, program.rhs, multigrid, control);
      EXPECT_LE(program.residual(), 1e-8) << "couplings to the prescribed columns count";
      EXPECT_NEAR(program.solution[values.begin()->first], values.begin()->second, 1e-12);

      // The same matrix without the values: the rows couple again.
      program.assemble(Equation<2>{1.});
      Vector<double> x(program.rhs);
      expect_refusal([&] { adamant::solve(program.matrix, x, program.rhs, multigrid, control); },
                     "call initialize(matrix)");
      multigrid.initialize(program.matrix);
      EXPECT_LE(program.cg(multigrid), 9u);
      EXPECT_LE(program.residual(), 1.1e-8);
    }
}

TEST(UserMatrix, OtherPattern)
{
  Triangulation<2> mesh;
  make_mesh(mesh, 4, 0); // whose last DoF is free
  Program<2> program(mesh, FE_Q<2>(1));
  program.make();
  adamant::DealiiPreconditioner<double> multigrid, fresh;
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  // One more entry, at the end of a row, in a matrix with another pattern.
  const unsigned int     n = program.dofs.n_dofs();
  DynamicSparsityPattern dsp(n);
  unsigned int           row = n;
  for (unsigned int i = 0; i < n; ++i)
    for (auto entry = program.matrix.begin(i); entry != program.matrix.end(i); ++entry)
      {
        dsp.add(i, entry->column());
        if (row == n && !program.constraints.is_constrained(i) && program.matrix.el(i, n - 1) == 0.)
          row = i;
      }
  ASSERT_FALSE(program.constraints.is_constrained(n - 1));
  dsp.add(row, n - 1);
  dsp.add(n - 1, row);
  SparsityPattern larger;
  larger.copy_from(dsp);
  SparseMatrix<double> matrix(larger);
  for (unsigned int i = 0; i < n; ++i)
    for (auto entry = program.matrix.begin(i); entry != program.matrix.end(i); ++entry)
      matrix.set(i, entry->column(), entry->value());
  matrix.set(row, n - 1, 0.1);
  matrix.set(n - 1, row, 0.1);
  multigrid.initialize(matrix);
  fresh.initialize(matrix, program.dofs, program.constraints);
  EXPECT_EQ(multigrid.check(matrix).largest, 0.);
  EXPECT_EQ(multigrid.check(program.matrix).largest, 0.1);
  Vector<double> x(n), y(n);
  multigrid.vmult(x, program.rhs);
  fresh.vmult(y, program.rhs);
  EXPECT_TRUE(x == y);
}

TEST(UserMatrix, CheckTellsWhere)
{
  Triangulation<2> mesh;
  make_mesh(mesh);
  Program<2> program(mesh, FE_Q<2>(1));
  program.make();
  adamant::DealiiPreconditioner<> multigrid;
  multigrid.initialize(program.matrix, program.dofs, program.constraints);
  EXPECT_EQ(multigrid.check(program.matrix).largest, 0.);
  unsigned int row = 0;
  while (program.constraints.is_constrained(row))
    ++row;
  program.matrix.add(row, row, 0.25);
  const auto difference = multigrid.check(program.matrix);
  EXPECT_NEAR(difference.largest, 0.25, 1e-14);
  EXPECT_EQ(difference.row, row);
  EXPECT_EQ(difference.column, row);
  program.matrix.diag_element(row) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isinf(multigrid.check(program.matrix).largest));
  expect_refusal([&] { multigrid.initialize(program.matrix); }, "the diagonal entry of DoF " + std::to_string(row));
  Vector<double> x(program.rhs);
  expect_refusal([&] { multigrid.vmult(x, program.rhs); }, "initialize() has not been called, or has failed");
}
