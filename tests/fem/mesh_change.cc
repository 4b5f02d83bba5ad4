// Nodal values over a change of their mesh, and the cells that are flagged for it.
#include "fem/spaces/mesh_change.h"

#include "fem/functions/points.h"
#include "fem/meshes/flag_cells.h"
#include "fem/support.h"

#include <deal.II/base/function_lib.h>
#include <deal.II/base/mpi.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/numerics/solution_transfer.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace test;

namespace
{
template <int dim>
std::shared_ptr<const Triangulation<dim>> shared(const Triangulation<dim> &mesh)
{
  return {&mesh, [](const auto *) {}};
}

// The Monomial x^p y^p z^p.
template <int dim>
Functions::Monomial<dim> monomial(double exponent)
{
  Tensor<1, dim> exponents;
  for (int d = 0; d < dim; ++d)
    exponents[d] = exponent;
  return Functions::Monomial<dim>(exponents);
}

// Polynomials of the space go through refinement and coarsening unchanged, several vectors of two spaces at once.
template <int dim>
void expect_polynomials_are_kept(bool distributed)
{
  const auto mesh = adamant::create_mesh<dim>(adamant::Communicator(), distributed);
  GridGenerator::hyper_cube(*mesh);
  adamant::refine_global(*mesh, 2);
  const MappingQ1<dim> mapping;
  for (int change = 0; change < 3; ++change)
    {
      const FE_Q<dim> linear(1), quadratic(2);
      const auto      values = [&](const adamant::LevelSpace<dim> &space, double exponent) {
        return adamant::nodal_values(space, mapping, monomial<dim>(exponent));
      };
      Point<dim> centre;
      centre[0] = 0.2 + 0.3 * change;
      for (const auto &cell : mesh->active_cell_iterators())
        if (cell->center().distance(centre) < 0.4)
          cell->set_refine_flag();
        else
          cell->set_coarsen_flag();
      adamant::MeshChange<dim> both(*mesh);
      EXPECT_TRUE(both.any());
      {
        const adamant::LevelSpace<dim> q1(shared(*mesh), linear, {}), q2(shared(*mesh), quadratic, {});
        both.keep(q1, values(q1, 1.).data());
        both.keep(q2, values(q2, 2.).data());
        both.keep(q1, values(q1, 0.).data());
        both.prepare();
      } // the spaces are gone
      both.execute();
      const adamant::LevelSpace<dim> q1(shared(*mesh), linear, {}), q2(shared(*mesh), quadratic, {});
      const auto                     expect = [&](const adamant::LevelSpace<dim> &space, double exponent) {
        const auto taken = both.take(space), expected = values(space, exponent);
        ASSERT_EQ(taken.size(), expected.size());
        for (std::size_t i = 0; i < taken.size(); ++i)
          ASSERT_NEAR(taken[i], expected[i], 1e-13) << "x^" << exponent << ", DoF " << i << ", change " << change;
      };
      expect(q1, 1.);
      expect(q2, 2.);
      expect(q1, 0.);
      EXPECT_THROW(both.take(q1), adamant::RunError) << "nothing is left";
    }
}

TEST(MeshChange, KeepsPolynomials)
{
  expect_polynomials_are_kept<2>(false);
  expect_polynomials_are_kept<3>(false);
  expect_polynomials_are_kept<2>(true);
  expect_polynomials_are_kept<3>(true);
}

// The values of a vector of the space, by its own numbers, in the numbers of another DoFHandler of the mesh; or back.
template <int dim, class Action>
void for_each_number(const adamant::LevelSpace<dim> &space, const DoFHandler<dim> &dofs, const Action &action)
{
  std::vector<types::global_dof_index> numbers(space.dofs_per_cell());
  for (int c = 0; c < space.n_cells(); ++c)
    {
      const auto &cell = space.active_cells()[c];
      typename DoFHandler<dim>::active_cell_iterator(&cell->get_triangulation(), cell->level(), cell->index(), &dofs)
        ->get_dof_indices(numbers);
      for (int i = 0; i < space.dofs_per_cell(); ++i)
        action(space.cell_dofs(c)[i], numbers[i]);
    }
}

// Any nodal values become the values of deal.II's SolutionTransfer, on meshes where cells take the places of others.
template <int dim>
void expect_those_of_dealii(const FiniteElement<dim> &element, int n_changes)
{
  Triangulation<dim> mesh;
  GridGenerator::hyper_cube(mesh);
  mesh.refine_global(2);
  DoFHandler<dim> dofs(mesh);
  std::mt19937    random(dim);
  for (int change = 0; change < n_changes; ++change)
    {
      for (const auto &cell : mesh.active_cell_iterators())
        if (random() % 10 == 0)
          cell->set_refine_flag();
        else if ((cell->parent()->index() + change) % 2 == 0)
          cell->set_coarsen_flag();
      adamant::MeshChange<dim>                      own(mesh);
      SolutionTransfer<dim, dealii::Vector<double>> of_dealii(dofs);
      dealii::Vector<double>                        before, after;
      {
        const adamant::LevelSpace<dim> space(shared(mesh), element, {});
        dealii::Vector<double>         u = random_vector(space.n_owned(), change);
        own.keep(space, u.begin());
        space.hanging_nodes.distribute(u);
        dofs.distribute_dofs(element);
        before.reinit(dofs.n_dofs());
        for_each_number(space, dofs, [&](int mine, types::global_dof_index other) { before(other) = u(mine); });
        own.prepare();
      }
      mesh.prepare_coarsening_and_refinement();
      of_dealii.prepare_for_coarsening_and_refinement(before);
      own.execute();
      dofs.distribute_dofs(element);
      after.reinit(dofs.n_dofs());
      of_dealii.interpolate(before, after);
      AffineConstraints<double> hanging;
      DoFTools::make_hanging_node_constraints(dofs, hanging);
      hanging.close();
      hanging.distribute(after);
      const adamant::LevelSpace<dim> space(shared(mesh), element, {});
      const auto                     u = own.take(space);
      for_each_number(space, dofs, [&](int mine, types::global_dof_index other) {
        EXPECT_NEAR(u[mine], after(other), 1e-13) << "change " << change;
      });
    }
}

TEST(MeshChange, AgreesWithSolutionTransfer)
{
  expect_those_of_dealii<2>(FE_Q<2>(1), 12);
  expect_those_of_dealii<2>(FE_Q<2>(3), 6);
  expect_those_of_dealii<2>(FESystem<2>(FE_Q<2>(2), 2, FE_Q<2>(1), 1), 6);
  expect_those_of_dealii<3>(FE_Q<3>(1), 4);
  expect_those_of_dealii<3>(FE_Q<3>(2), 3);
}

// deal.II would refine the larger neighbours by its rules, which on several ranks it cannot everywhere; p4est does it.
TEST(MeshChange, FlagsReachP4estAsTheyAre)
{
  const auto mesh = adamant::create_mesh<2>(adamant::Communicator(), true);
  GridGenerator::hyper_cube(*mesh);
  adamant::refine_global(*mesh, 2);
  const auto flag_at = [&](const Point<2> &point) {
    for (const auto &cell : mesh->active_cell_iterators())
      if (cell->point_inside(point))
        cell->set_refine_flag();
  };
  flag_at(Point<2>(0.3, 0.3));
  adamant::execute_refinement(*mesh);
  ASSERT_EQ(mesh->n_active_cells(), 19u);
  flag_at(Point<2>(0.26, 0.26)); // its neighbours are of level 2
  unsigned int flagged = 0;
  mesh->signals.post_p4est_refinement.connect([&] {
    for (const auto &cell : mesh->active_cell_iterators())
      flagged += cell->refine_flag_set() ? 1 : 0;
  });
  adamant::MeshChange<2> change(*mesh);
  change.prepare();
  change.execute();
  EXPECT_EQ(flagged, 1u) << "expected no other flags than those given";
  EXPECT_EQ(mesh->n_active_cells(), 19u + 3u + 3u * 3u) << "expected 2:1 over faces and corners";
}

TEST(MeshChange, NothingFlaggedIsNoChange)
{
  Triangulation<2> mesh;
  GridGenerator::hyper_cube(mesh);
  mesh.refine_global(2);
  EXPECT_FALSE(adamant::MeshChange<2>(mesh).any());
}

struct Flags
{
  int refine = 0, coarsen = 0;
};

// 16 cells with indicators 1, 2, ..., 16 times a factor.
Flags flagged(double refine, double coarsen, adamant::FractionsOf of, double factor = 1.)
{
  Triangulation<2> mesh;
  GridGenerator::hyper_cube(mesh);
  mesh.refine_global(2);
  dealii::Vector<float> indicators(16);
  for (unsigned int i = 0; i < 16; ++i)
    indicators[i] = static_cast<float>(factor * (i + 1));
  adamant::flag_cells(mesh, indicators, refine, coarsen, of);
  Flags n;
  for (const auto &cell : mesh.active_cell_iterators())
    {
      n.refine += cell->refine_flag_set() ? 1 : 0; // which way, for deal.II
      n.coarsen += cell->coarsen_flag_set() ? 1 : 0;
    }
  return n;
}

TEST(FlagCells, FractionsOfCellsAndOfTheError)
{
  const auto cells = flagged(0.25, 0.5, adamant::FractionsOf::cells);
  EXPECT_EQ(cells.refine, 4);
  EXPECT_EQ(cells.coarsen, 8);
  // The squares' sum is 1496: 16² + 15² + 14² = 677 of it are less than half; 1² + ... + 7² = 140 less than a tenth.
  const auto error = flagged(0.5, 0.1, adamant::FractionsOf::error);
  EXPECT_EQ(error.refine, 4);
  EXPECT_EQ(error.coarsen, 8);
  const auto scaled = flagged(0.5, 0.1, adamant::FractionsOf::error, 1e-20);
  EXPECT_EQ(scaled.refine, 4) << "the scale of the indicators does not matter";
  const auto none = flagged(0., 0., adamant::FractionsOf::cells);
  EXPECT_EQ(none.refine + none.coarsen, 0);
  const auto zero = flagged(0.5, 0.5, adamant::FractionsOf::cells, 0.);
  EXPECT_EQ(zero.refine, 0) << "a solution that is resolved everywhere is not refined";
}
// A random mesh refined once more, serial or of p4est.
template <int dim>
std::unique_ptr<Triangulation<dim>> mesh_of_families(bool distributed)
{
  auto mesh = adamant::create_mesh<dim>(adamant::Communicator(), distributed);
  GridGenerator::subdivided_hyper_cube(*mesh, 2);
  adamant::refine_global(*mesh, 2);
  return mesh;
}

// The same flags at the same places.
template <int dim>
void flag_by_place(Triangulation<dim> &mesh, unsigned int change)
{
  const auto hash = [change](const CellId &id) {
    return std::hash<std::string>()(id.to_string() + std::to_string(change)) % 100;
  };
  for (const auto &cell : mesh.active_cell_iterators())
    if (hash(cell->id()) < 3)
      cell->set_refine_flag();
    else if (cell->level() > 1 && hash(cell->parent()->parent()->id()) < 60)
      cell->set_coarsen_flag();
}

template <int dim>
std::set<std::string> cells_of(const Triangulation<dim> &mesh)
{
  std::set<std::string> cells;
  for (const auto &cell : mesh.active_cell_iterators())
    cells.insert(cell->id().to_string());
  return cells;
}

template <int dim>
void expect_families(const Triangulation<dim> &mesh)
{
  std::vector<int> smallest(mesh.n_vertices(), 100), largest(mesh.n_vertices(), 0);
  for (const auto &cell : mesh.active_cell_iterators())
    {
      ASSERT_EQ(cell->parent()->n_active_descendants(), cell->parent()->n_children()) << "in " << cell->id();
      for (const unsigned int v : cell->vertex_indices())
        {
          smallest[cell->vertex_index(v)] = std::min(smallest[cell->vertex_index(v)], cell->level());
          largest[cell->vertex_index(v)]  = std::max(largest[cell->vertex_index(v)], cell->level());
        }
    }
  for (unsigned int v = 0; v < mesh.n_vertices(); ++v)
    if (mesh.vertex_used(v))
      {
        ASSERT_LE(largest[v], smallest[v] + 1) << "expected 2:1 over corners";
      }
}

// Whatever is flagged the last refinement stays global; what may be refined is, and serial meshes are p4est's.
template <int dim>
void expect_families_to_stay()
{
  const auto   serial = mesh_of_families<dim>(false), distributed = mesh_of_families<dim>(true);
  unsigned int n_coarsened = 0;
  for (unsigned int change = 0; change < (dim == 2 ? 12 : 4); ++change)
    {
      SCOPED_TRACE("change " + std::to_string(change));
      std::set<std::string> wanted;
      for (auto *mesh : {serial.get(), distributed.get()})
        {
          flag_by_place(*mesh, change);
          wanted.clear();
          for (const auto &cell : mesh->active_cell_iterators())
            if (cell->refine_flag_set() != RefinementCase<dim>::no_refinement)
              wanted.insert(cell->id().to_string());
          adamant::flag_families(*mesh);
          for (const auto &cell : mesh->active_cell_iterators())
            n_coarsened += cell->coarsen_flag_set() ? 1 : 0;
          adamant::MeshChange<dim> both(*mesh);
          both.prepare();
          both.execute();
          expect_families(*mesh);
        }
      const auto cells = cells_of(*serial);
      EXPECT_TRUE(cells == cells_of(*distributed));
      for (const auto &id : wanted)
        EXPECT_EQ(cells.count(id), 0u) << id << " is to be refined";
    }
  EXPECT_GT(n_coarsened, 100u) << "the test is of nothing";
}

TEST(FamilyFlags, TheLastRefinementStaysGlobal)
{
  expect_families_to_stay<2>();
  expect_families_to_stay<3>();
}

TEST(FamilyFlags, AFamilyHasTheSumOfItsIndicators)
{
  const auto            mesh = mesh_of_families<2>(false);
  dealii::Vector<float> indicators(mesh->n_active_cells());
  for (const auto &cell : mesh->active_cell_iterators())
    indicators[cell->active_cell_index()] = cell == cell->parent()->child(1) ? 3.f :
                                            cell == cell->parent()->child(2) ? 4.f :
                                                                               0.f;
  adamant::sum_over_families(*mesh, indicators);
  for (const float indicator : indicators)
    EXPECT_FLOAT_EQ(indicator, 5.f);
}
} // namespace
