// The levels of a mesh of p4est that are forests alone, on any number of ranks: run by mpirun.
#include "base/exchange_plan.h"
#include "dealii/forest_space.h"
#include "dealii/user_dofs.h"
#include "fem/spaces/field.h"
#include "programs.h"

#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_tools.h>

#include <random>

using namespace test;

namespace
{
template <int dim>
using Mesh = parallel::distributed::Triangulation<dim>;

// What a nodal value at a node is made of: the node's coordinates and its component.
template <int dim>
struct Nodes
{
  std::array<adamant::Array<double>, dim + 1> facts;
  bool                                        axes_parallel = true;

  // With the values at the ghosts.
  Nodes with_ghosts(const adamant::CSRMatrix<double> &A) const
  {
    Nodes all = *this;
    for (auto &fact : all.facts)
      if (A.ghosts)
        fact = adamant::with_ghosts(*A.ghosts, std::move(fact));
    return all;
  }
  // A polynomial of the degree along each axis, another one for each component; a linear one where cells are turned.
  double polynomial(std::size_t i, unsigned int degree) const
  {
    double value = 1. + facts[dim][i];
    if (!axes_parallel)
      return value + facts[0][i] - 2. * facts[1][i] + 3. * facts[dim - 1][i];
    for (int d = 0; d < dim; ++d)
      value *= std::pow(1.3 + d + facts[d][i], degree) - 2. * facts[d][i] + facts[dim][i];
    return value;
  }
};

template <int dim>
Nodes<dim> nodes_of(const DoFHandler<dim> &dofs, const adamant::UserDofs &user)
{
  std::map<types::global_dof_index, Point<dim>> points;
  DoFTools::map_dofs_to_support_points(MappingQ1<dim>(), dofs, points);
  Nodes<dim> nodes;
  for (auto &fact : nodes.facts)
    fact.resize(user.number.size());
  for (unsigned int c = 0; c < dofs.get_fe().n_components(); ++c)
    {
      ComponentMask mask(dofs.get_fe().n_components(), false);
      mask.set(c, true);
      for (const auto dof : DoFTools::extract_dofs(dofs, mask))
        nodes.facts[dim][user.number[user.place(dof)]] = c;
    }
  for (std::size_t k = 0; k < user.number.size(); ++k)
    for (int d = 0; d < dim; ++d)
      nodes.facts[d][user.number[k]] = points.at(user.row(k))[d];
  return nodes;
}

// The coarse nodes: each lies at the fine node where its function is one.
template <int dim>
Nodes<dim> coarser(const adamant::CSRMatrix<double> &R, const Nodes<dim> &fine)
{
  const auto of_column = fine.with_ghosts(R);
  Nodes<dim> nodes     = fine;
  for (auto &fact : nodes.facts)
    fact.assign(R.n_rows, std::numeric_limits<double>::quiet_NaN());
  for (int j = 0; j < R.n_rows; ++j)
    for (auto k = R.row_start[j]; k < R.row_start[j + 1]; ++k)
      if (std::abs(R.value[k] - 1.) < 1e-12)
        for (int f = 0; f <= dim; ++f)
          nodes.facts[f][j] = of_column.facts[f][R.column[k]];
  return nodes;
}

template <int dim>
void expect_polynomials(const adamant::CSRMatrix<double> &P, const adamant::LevelSpace<dim> &fine,
                        const Nodes<dim> &of_fine, const Nodes<dim> &of_coarse)
{
  const auto of_column = of_coarse.with_ghosts(P);
  const auto degree    = fine.element().degree;
  int        n         = 0;
  for (int i = 0; i < P.n_rows; ++i)
    if (fine.is_free(i))
      {
        double value = 0.;
        for (auto k = P.row_start[i]; k < P.row_start[i + 1]; ++k)
          value += P.value[k] * of_column.polynomial(P.column[k], degree);
        const double expected = of_fine.polynomial(i, degree);
        ASSERT_NEAR(value, expected, 1e-10 * (1. + std::abs(expected))) << "DoF " << i;
        ++n;
      }
  EXPECT_TRUE(n > 0 || P.n_rows == 0);
}

// P maps the nodal values of a polynomial to its values on the finer level. p4est has as many nodes as a DoFHandler on
// a Triangulation has free DoFs.
template <int dim>
void test_forests(unsigned int cells_per_rank, Mesh<dim> &mesh, const FiniteElement<dim> &fe, std::size_t n_levels,
                  bool axes_parallel)
{
  SCOPED_TRACE(fe.get_name());
  DoFHandler<dim> dofs(mesh);
  dofs.distribute_dofs(fe);
  adamant::LevelMeshOptions options;
  options.cells_per_rank = cells_per_rank;
  const adamant::LevelMeshes<dim> expected(mesh, options);
  options.forests_alone = true;
  const adamant::LevelMeshes<dim> meshes(mesh, options);
  ASSERT_EQ(meshes.size(), expected.size());
  EXPECT_GE(meshes.size(), n_levels) << "else this test tests little";
  adamant::Array<int> table;
  const auto          user          = adamant::number_user_dofs(*meshes.finest_cells(), dofs, ComponentMask(), table);
  const auto          hanging_nodes = adamant::hanging_node_constraints(dofs);
  auto                space         = adamant::user_space(meshes.finest_cells(), fe, user, table, hanging_nodes);
  auto                nodes         = nodes_of(dofs, user);
  nodes.axes_parallel               = axes_parallel;
  double n_ghosts                   = 0.;
  for (std::size_t l = meshes.size() - 1; l > 0; --l)
    {
      SCOPED_TRACE("level " + std::to_string(l - 1));
      EXPECT_EQ(meshes[l].child, expected[l].child);
      EXPECT_EQ(meshes[l].coarse_cell, expected[l].coarse_cell);
      auto       coarse         = adamant::forest_space(meshes[l - 1], fe);
      const auto by_dof_handler = adamant::LevelSpace<dim>(expected[l - 1].cells, fe, adamant::DirichletBoundary());
      const auto n_hanging      = by_dof_handler.n_hanging();
      EXPECT_EQ(coarse->n_global_dofs(), by_dof_handler.n_global_dofs() - n_hanging);
      n_ghosts += coarse->partition().n_ghost_indices();
      const auto [P, R]  = adamant::transfer_matrices(meshes[l], *space, *coarse);
      const auto on_mesh = coarser(R, nodes);
      expect_polynomials(P, *space, nodes, on_mesh);
      nodes = on_mesh;
      space = std::move(coarse);
    }
  adamant::Communicator(MPI_COMM_WORLD).sum(&n_ghosts, 1);
  EXPECT_EQ(n_ghosts > 0., Utilities::MPI::n_mpi_processes(MPI_COMM_WORLD) > 1 && cells_per_rank < 1000);
}

// With levels on all ranks, on some of them, and on one.
template <int dim>
void test_forests(Mesh<dim> &mesh, const FiniteElement<dim> &fe, std::size_t n_levels, bool axes_parallel = true)
{
  for (const unsigned int cells_per_rank : {1, 20, 100000})
    test_forests(cells_per_rank, mesh, fe, n_levels, axes_parallel);
}

template <int dim>
void refine_at_random(Mesh<dim> &mesh, unsigned int seed, unsigned int cycles, unsigned int percent)
{
  for (unsigned int cycle = 0; cycle < cycles; ++cycle)
    {
      for (const auto &cell : mesh.active_cell_iterators())
        if (cell->is_locally_owned()) // the same cells on any number of ranks
          if (std::mt19937(seed + cycle + std::hash<std::string>()(cell->id().to_string()))() % 100 < percent)
            cell->set_refine_flag();
      mesh.execute_coarsening_and_refinement();
    }
}
} // namespace

TEST(Forests, PolynomialsAreKept2D)
{
  for (unsigned int seed = 0; seed < 3; ++seed)
    {
      Mesh<2> mesh(MPI_COMM_WORLD);
      GridGenerator::hyper_L(mesh);
      mesh.refine_global(2);
      refine_at_random(mesh, seed, 4, 25);
      test_forests(mesh, FE_Q<2>(1), 6);
      test_forests(mesh, FE_Q<2>(2), 6);
      test_forests(mesh, FESystem<2>(FE_Q<2>(2), 1, FE_Q<2>(2), 2), 6);
    }
}

TEST(Forests, PolynomialsAreKept3D)
{
  for (unsigned int seed = 0; seed < 2; ++seed)
    {
      Mesh<3> mesh(MPI_COMM_WORLD);
      GridGenerator::hyper_L(mesh);
      mesh.refine_global(1);
      refine_at_random(mesh, seed, 3, 15);
      test_forests(mesh, FE_Q<3>(1), 4);
      test_forests(mesh, FE_Q<3>(2), 4);
      test_forests(mesh, FESystem<3>(FE_Q<3>(1), 3), 4);
    }
}

// The coarse cells of a ball have faces in all positions to each other. Its refined cells stay straight, so that each
// function is made of the coarse ones.
TEST(Forests, TurnedTrees)
{
  for (const bool shell : {false, true})
    {
      Mesh<3> mesh(MPI_COMM_WORLD);
      if (shell)
        GridGenerator::hyper_shell(mesh, Point<3>(), 0.5, 1., 6);
      else
        GridGenerator::hyper_ball(mesh);
      mesh.reset_all_manifolds();
      mesh.refine_global(1);
      refine_at_random(mesh, 7, 2, 20);
      ASSERT_TRUE(adamant::numbered_by_forest(mesh, FE_Q<3>(2)));
      test_forests(mesh, FE_Q<3>(1), 3, false);
      test_forests(mesh, FE_Q<3>(2), 3, false);
    }
}

TEST(Forests, WhatIsNotTaken)
{
  Mesh<2> mesh(MPI_COMM_WORLD), periodic(MPI_COMM_WORLD);
  GridGenerator::hyper_cube(mesh);
  EXPECT_TRUE(adamant::numbered_by_forest(mesh, FESystem<2>(FE_Q<2>(2), 2)));
  EXPECT_FALSE(adamant::numbered_by_forest(mesh, FE_Q<2>(3)));
  EXPECT_TRUE(adamant::numbered_by_forest(mesh, FESystem<2>(FESystem<2>(FE_Q<2>(2), 2), 1, FE_Q<2>(2), 1)));
  EXPECT_FALSE(adamant::numbered_by_forest(mesh, FESystem<2>(FE_Q<2>(2), 2, FE_Q<2>(1), 1)));
  const Quadrature<1> unsymmetric(std::vector<Point<1>>{Point<1>(0.), Point<1>(0.3), Point<1>(1.)});
  EXPECT_FALSE(adamant::numbered_by_forest(mesh, FE_Q<2>(unsymmetric)));
  GridGenerator::hyper_cube(periodic, 0., 1., true);
  std::vector<GridTools::PeriodicFacePair<Mesh<2>::cell_iterator>> pairs;
  GridTools::collect_periodic_faces(periodic, 0, 1, 0, pairs);
  periodic.add_periodicity(pairs);
  EXPECT_FALSE(adamant::numbered_by_forest(periodic, FE_Q<2>(1)));
  Triangulation<2> serial;
  GridGenerator::hyper_cube(serial);
  EXPECT_FALSE(adamant::numbered_by_forest(serial, FE_Q<2>(1)));
  Mesh<3> turned(MPI_COMM_WORLD);
  GridGenerator::non_standard_orientation_mesh(turned, true, false, true, false);
  EXPECT_FALSE(adamant::numbered_by_forest(turned, FE_Q<3>(1)));
}
