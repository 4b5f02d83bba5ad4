// Level meshes against deal.II's own sequence of global coarsening.
#include "fem/meshes/level_meshes.h"
#include "base/exceptions.h"
#include "fem/spaces/field.h"
#include "fem/support.h"

#include <deal.II/distributed/shared_tria.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/grid/cell_id.h>
#include <deal.II/multigrid/mg_transfer_global_coarsening.h>

#include <omp.h>

#include <random>
#include <set>

using namespace test;
using adamant::boundary_id;
using adamant::CellList;
using adamant::LevelMesh;
using adamant::LevelMeshes;
using adamant::material_id;

namespace
{
template <int dim>
auto cells_by_id(const Triangulation<dim> &mesh)
{
  std::map<CellId, typename Triangulation<dim>::active_cell_iterator> cells;
  for (const auto &cell : mesh.active_cell_iterators())
    cells[cell->id()] = cell;
  return cells;
}

template <int dim>
void expect_same_mesh(const Triangulation<dim> &found, const Triangulation<dim> &expected)
{
  const auto cells = cells_by_id(expected);
  ASSERT_EQ(found.n_active_cells(), expected.n_active_cells());
  for (const auto &cell : found.active_cell_iterators())
    {
      const auto other = cells.find(cell->id());
      ASSERT_NE(other, cells.end()) << "deal.II has no cell " << cell->id();
      for (const unsigned int v : cell->vertex_indices())
        ASSERT_LT(cell->vertex(v).distance(other->second->vertex(v)), 1e-14) << "vertex of cell " << cell->id();
      for (const unsigned int f : cell->face_indices())
        ASSERT_EQ(cell->face(f)->manifold_id(), other->second->face(f)->manifold_id());
    }
}

// The cells of a level as the active ones of a mesh, which deal.II's functions need.
template <int dim>
const Triangulation<dim> &mesh_of(const LevelMesh<dim> &level)
{
  return *CellList<dim>::as_active(level.cells)->mesh();
}

// The list has the mesh's cells, knows their numbers, and which of their faces meet a coarser cell.
template <int dim>
void expect_same_cells(const CellList<dim> &cells, const Triangulation<dim> &mesh)
{
  const auto partners = cells_by_id(mesh);
  ASSERT_EQ(cells.size(), mesh.n_active_cells());
  unsigned int n_in_tree = 0;
  for (const auto &cell : cells.mesh()->cell_iterators())
    n_in_tree += cells.number(cell) >= 0;
  EXPECT_EQ(n_in_tree, cells.size()) << "cells of the tree that have a number in the list";
  for (std::size_t k = 0; k < cells.size(); ++k)
    {
      const auto cell    = cells[k];
      const auto partner = partners.find(cell->id());
      ASSERT_NE(partner, partners.end()) << cell->id();
      ASSERT_EQ(cells.number(cell), static_cast<int>(k)) << cell->id();
      for (const unsigned int f : cell->face_indices())
        ASSERT_EQ(cells.meets_coarser(cell, f),
                  !cell->at_boundary(f) && partner->second->neighbor_level(f) < partner->second->level())
          << "face " << f << " of " << cell->id();
    }
}

// Each cell is the cell or the child of its coarse cell that the link names.
template <int dim>
void expect_right_links(const LevelMesh<dim> &fine, const LevelMesh<dim> &coarse)
{
  ASSERT_EQ(fine.coarse_cell.size(), fine.cells->size());
  unsigned int n_children = 0;
  for (std::size_t i = 0; i < fine.cells->size(); ++i)
    {
      const auto cell  = (*fine.cells)[i];
      const int  child = fine.child[i];
      const auto owner = child == LevelMesh<dim>::same_cell ? cell->id() : cell->parent()->id();
      ASSERT_EQ(owner, (*coarse.cells)[fine.coarse_cell[i]]->id()) << "coarse cell of " << cell->id();
      if (child != LevelMesh<dim>::same_cell)
        {
          ++n_children;
          ASSERT_EQ(cell->parent()->child(child)->id(), cell->id());
        }
    }
  EXPECT_EQ(fine.cells->size() - coarse.cells->size(),
            n_children / GeometryInfo<dim>::max_children_per_cell * (GeometryInfo<dim>::max_children_per_cell - 1));
}

template <int dim>
void compare_with_dealii(Triangulation<dim> &mesh, const std::string &what)
{
  SCOPED_TRACE(what);
  const auto             expected = MGTransferGlobalCoarseningTools::create_geometric_coarsening_sequence(mesh);
  const LevelMeshes<dim> levels(mesh, {1});
  std::string            sizes = "cells of deal.II's sequence:";
  for (const auto &level : expected)
    sizes += " " + std::to_string(level->n_active_cells());
  sizes += ", found:";
  for (std::size_t l = 0; l < levels.size(); ++l)
    sizes += " " + std::to_string(levels[l].cells->size());
  ASSERT_EQ(levels.size(), expected.size()) << sizes;
  EXPECT_EQ(levels.finest_mesh().get(), &mesh) << "the finest mesh is the user's, not a copy";
  EXPECT_TRUE(levels[0].coarse_cell.empty());
  for (std::size_t l = 0; l < levels.size(); ++l)
    {
      SCOPED_TRACE("level " + std::to_string(l));
      expect_same_cells(*levels[l].cells, *expected[l]);
      expect_same_mesh(mesh_of(levels[l]), *expected[l]);
      if (l > 0)
        expect_right_links(levels[l], levels[l - 1]);
    }
}

template <int dim>
void test_random_meshes()
{
  for (const unsigned int seed : {1, 2, 3})
    {
      Triangulation<dim> mesh;
      make_random_mesh(mesh, seed);
      compare_with_dealii(mesh, "random mesh, seed " + std::to_string(seed));
    }
}

template <int dim>
void test_curved_meshes()
{
  Triangulation<dim> ball, corner;
  GridGenerator::hyper_ball(ball);
  ball.refine_global(1);
  refine_randomly(ball, 3, 0.1, 4);
  compare_with_dealii(ball, "hyper_ball");
  GridGenerator::hyper_L(corner);
  refine_randomly(corner, 5, 0.1, 5);
  compare_with_dealii(corner, "hyper_L");
  // Vertices that a user has moved stay where they are, on every level that has them.
  for (const auto &cell : corner.active_cell_iterators())
    for (const unsigned int v : cell->vertex_indices())
      if (auto &p = cell->vertex(v); p[0] > -2.)
        p[0] += 0.05 * std::sin(5. * p[1]) - 10.; // each vertex once: the condition fails afterwards
  compare_with_dealii(corner, "moved hyper_L");
}

// On the left cells come and vanish, on the right they come later. The finer ones there take the places of the left
// ones. So refined cells have lines with larger numbers than all cells of a coarser level.
template <int dim>
void make_mesh_of_used_places(Triangulation<dim> &mesh)
{
  std::vector<unsigned int> n(dim, 1);
  n[0] = 16;
  Point<dim> corner;
  for (int d = 0; d < dim; ++d)
    corner[d] = n[d];
  GridGenerator::subdivided_hyper_rectangle(mesh, n, Point<dim>(), corner);
  const auto refine = [&](int cell, int to_level) {
    for (int level = 0; level < to_level; ++level)
      {
        for (const auto &c : mesh.active_cell_iterators())
          if (c->center()[0] > cell && c->center()[0] < cell + 1 && c->level() == level)
            c->set_refine_flag();
        mesh.execute_coarsening_and_refinement();
      }
  };
  const int to_level = dim == 2 ? 5 : 4;
  refine(0, to_level);
  refine(12, 1);
  while (mesh.begin(0)->has_children())
    {
      for (const auto &c : mesh.active_cell_iterators())
        if (c->center()[0] < 8. && c->level() > 0)
          c->set_coarsen_flag();
      mesh.execute_coarsening_and_refinement();
    }
  refine(12, to_level);
}

// The largest number of a line that a refined cell has on the level, against that of the level's cells.
template <int dim>
bool has_lines_of_refined_cells_behind(const CellList<dim> &cells)
{
  unsigned int last_of_refined = 0;
  for (auto cell : cells)
    while (cell->level() > 0)
      {
        cell = cell->parent();
        for (unsigned int l = 0; l < cell->n_lines(); ++l)
          last_of_refined = std::max(last_of_refined, cell->line_index(l));
      }
  return last_of_refined >= cells.end_of(1);
}

// Levels, spaces and transfer on such a mesh; that arrays are not overrun shows at the test's end (red_zones.cc).
template <int dim>
void test_used_places()
{
  for (const auto smoothing : {Triangulation<dim>::none, Triangulation<dim>::limit_level_difference_at_vertices})
    {
      Triangulation<dim> mesh(smoothing);
      make_mesh_of_used_places(mesh);
      const LevelMeshes<dim> levels(mesh, {1});
      bool                   behind = false;
      for (std::size_t l = 0; l < levels.size(); ++l)
        behind = behind || has_lines_of_refined_cells_behind(*levels[l].cells);
      EXPECT_TRUE(behind) << "the history should give refined cells lines behind those of a level's cells";
      compare_with_dealii(mesh, "cells in the places of others");
      for (const auto &fe : elements<dim>())
        for (std::size_t l = 1; l < levels.size(); ++l)
          {
            SCOPED_TRACE(fe->get_name() + ", level " + std::to_string(l));
            const adamant::LevelSpace<dim> fine(levels[l].cells, *fe, {}), coarse(levels[l - 1].cells, *fe, {});
            const auto                     P = adamant::transfer_matrices(levels[l], fine, coarse).prolongation;
            Vector<double>                 ones(coarse.n_dofs());
            ones               = 1.;
            const auto on_fine = multiply(P, ones);
            for (int i = 0; i < fine.n_dofs(); ++i)
              ASSERT_NEAR(on_fine[i], fine.is_free(i) ? 1. : 0., 1e-14) << "DoF " << i;
          }
    }
}

TEST(LevelMeshes, PlacesOfLinesUsedAgain2D)
{
  test_used_places<2>();
}
TEST(LevelMeshes, PlacesOfLinesUsedAgain3D)
{
  test_used_places<3>();
}
TEST(LevelMeshes, RandomMeshes2D)
{
  test_random_meshes<2>();
}
TEST(LevelMeshes, RandomMeshes3D)
{
  test_random_meshes<3>();
}
TEST(LevelMeshes, CurvedAndMovedMeshes2D)
{
  test_curved_meshes<2>();
}
TEST(LevelMeshes, CurvedAndMovedMeshes3D)
{
  test_curved_meshes<3>();
}

// The levels of a serial mesh and of the same mesh of p4est have equal cells.
template <int dim>
void compare_lists_with_forests()
{
  const auto ids = [](const CellList<dim> &cells) {
    std::set<CellId> set;
    for (const auto cell : cells)
      set.insert(cell->id());
    return set;
  };
  for (unsigned int seed = 0; seed < 5; ++seed)
    {
      std::mt19937                              random(seed);
      parallel::distributed::Triangulation<dim> mesh(MPI_COMM_SELF);
      Triangulation<dim>                        serial(Triangulation<dim>::limit_level_difference_at_vertices);
      GridGenerator::hyper_L(mesh);
      GridGenerator::hyper_L(serial);
      mesh.refine_global(1);
      for (int cycle = 0; cycle < (dim == 2 ? 5 : 3); ++cycle)
        {
          for (const auto &cell : mesh.active_cell_iterators())
            if (random() % 100 < (dim == 2 ? 25 : 12))
              cell->set_refine_flag();
          mesh.execute_coarsening_and_refinement();
        }
      for (bool refined = true; refined;)
        {
          refined = false;
          for (const auto &cell : serial.active_cell_iterators())
            if (mesh.create_cell_iterator(cell->id())->has_children())
              {
                cell->set_refine_flag();
                refined = true;
              }
          serial.execute_coarsening_and_refinement();
        }
      const LevelMeshes<dim> forests(mesh, {}), lists(serial, {});
      ASSERT_EQ(lists.size(), forests.size());
      EXPECT_GE(lists.size(), dim == 2 ? 5u : 4u) << "else this test tests little";
      for (std::size_t l = 0; l < lists.size(); ++l)
        {
          EXPECT_EQ(ids(*lists[l].cells), ids(*forests[l].cells)) << "level " << l << ", seed " << seed;
          EXPECT_EQ(lists[l].cells->are_active(), l + 1 == lists.size());
        }
    }
}

TEST(LevelMeshes, ListsAndForests2D)
{
  compare_lists_with_forests<2>();
}
TEST(LevelMeshes, ListsAndForests3D)
{
  compare_lists_with_forests<3>();
}

TEST(LevelMeshes, LimitAtVerticesIsObeyed)
{
  Triangulation<2> mesh(Triangulation<2>::limit_level_difference_at_vertices);
  GridGenerator::hyper_cube(mesh);
  mesh.refine_global(2);
  refine_randomly(mesh, 5, 0.1, 6);
  compare_with_dealii(mesh, "limit_level_difference_at_vertices");
}

// The wishes of maximum_smoothing about islands bind the finest mesh only; the levels still shrink down to one cell.
TEST(LevelMeshes, SmoothedMeshesCoarsen)
{
  Triangulation<2> mesh(Triangulation<2>::maximum_smoothing);
  GridGenerator::hyper_cube(mesh);
  mesh.refine_global(2);
  refine_randomly(mesh, 5, 0.1, 6);
  const LevelMeshes<2> levels(mesh, {1});
  EXPECT_EQ(levels[0].cells->size(), 1u) << "cells of the coarsest level";
  for (std::size_t l = 1; l < levels.size(); ++l)
    EXPECT_LT(levels[l - 1].cells->size(), levels[l].cells->size()) << "cells of level " << l - 1;
}

TEST(LevelMeshes, FlagsAreRestored)
{
  Triangulation<2> mesh;
  make_random_mesh(mesh, 7);
  std::mt19937 random(8);
  for (const auto &cell : mesh.active_cell_iterators())
    if (const double r = random_number(random); r < 0.3)
      cell->set_refine_flag();
    else if (r < 0.6)
      cell->set_coarsen_flag();
  std::vector<bool> refine, coarsen, refine_after, coarsen_after;
  mesh.save_refine_flags(refine);
  mesh.save_coarsen_flags(coarsen);
  const LevelMeshes<2> levels(mesh, {1});
  mesh.save_refine_flags(refine_after);
  mesh.save_coarsen_flags(coarsen_after);
  EXPECT_EQ(refine, refine_after);
  EXPECT_EQ(coarsen, coarsen_after);
}

TEST(LevelMeshes, EndsAtTheGivenSize)
{
  Triangulation<2> mesh;
  GridGenerator::hyper_cube(mesh);
  mesh.refine_global(4);
  const LevelMeshes<2> levels(mesh, {60});
  ASSERT_EQ(levels.size(), 3u) << "256, 64, 16 cells";
  EXPECT_EQ(levels[0].cells->size(), 16u);
}

// What users may have set on the cells and faces of a mesh, also on refined ones.
template <int dim>
std::vector<std::size_t> user_data(const Triangulation<dim> &mesh)
{
  std::vector<std::size_t> data;
  for (const auto &cell : mesh.cell_iterators())
    {
      data.insert(data.end(), {cell->material_id(), cell->manifold_id(), cell->user_index(), cell->user_flag_set()});
      if (cell->is_active())
        data.insert(data.end(), {cell->refine_flag_set(), cell->coarsen_flag_set(), cell->subdomain_id()});
      for (const unsigned int f : cell->face_indices())
        data.insert(data.end(), {cell->face(f)->boundary_id(), cell->face(f)->manifold_id(),
                                 cell->face(f)->user_index(), cell->face(f)->user_flag_set()});
    }
  return data;
}

// Ids that the user set on the active cells arrive on all levels, also where no coarse cell ever had them. The mesh
// stays as it was.
TEST(LevelMeshes, BoundaryAndMaterialIds)
{
  Triangulation<3> mesh;
  GridGenerator::hyper_cube(mesh);
  mesh.refine_global(3);
  const auto material = [](const Point<3> &p) { return p[0] < 0.5 ? 3u : 5u; };
  const auto boundary = [](const Point<3> &p) { return p[2] > 0.999 && p[0] > 0.5 ? 7u : 2u; };
  for (const auto &cell : mesh.active_cell_iterators())
    {
      cell->set_material_id(material(cell->center()));
      for (const unsigned int f : cell->face_indices())
        if (cell->face(f)->at_boundary())
          cell->face(f)->set_boundary_id(boundary(cell->face(f)->center()));
    }
  unsigned int number = 0;
  for (const auto &cell : mesh.cell_iterators())
    {
      cell->set_user_index(++number);
      cell->face(number % 6)->set_user_index(number);
      if (number % 3 == 0)
        cell->set_user_flag();
    }
  mesh.begin_active()->set_refine_flag();
  const auto           before = user_data(mesh);
  const LevelMeshes<3> levels(mesh, {8});
  ASSERT_EQ(levels.size(), 3u) << "512, 64, 8 cells";
  for (std::size_t l = 0; l < levels.size(); ++l)
    for (const auto &cells : {levels[l].cells, CellList<3>::as_active(levels[l].cells)})
      for (const auto &cell : *cells)
        {
          EXPECT_EQ(material_id(cell), material(cell->center()));
          for (const unsigned int f : cell->face_indices())
            {
              const auto face = cell->face(f);
              EXPECT_EQ(boundary_id(face),
                        face->at_boundary() ? boundary(face->center()) : numbers::internal_face_boundary_id)
                << face->center();
            }
        }
  const adamant::Field<3> u(levels, "u", FE_Q<3>(1), {{7, ComponentMask()}});
  EXPECT_EQ(user_data(mesh), before);
}

TEST(LevelMeshes, AnisotropicMeshesAreRefused)
{
  Triangulation<2> mesh;
  GridGenerator::hyper_cube(mesh);
  mesh.begin_active()->set_refine_flag(RefinementCase<2>::cut_x);
  mesh.execute_coarsening_and_refinement();
  mesh.begin_active()->set_refine_flag();
  mesh.execute_coarsening_and_refinement();
  EXPECT_THROW(LevelMeshes<2>(mesh, {1}), adamant::RunError);

  // In the finest cells too.
  Triangulation<2> finest;
  GridGenerator::hyper_cube(finest);
  finest.begin_active()->set_refine_flag(RefinementCase<2>::cut_x);
  finest.execute_coarsening_and_refinement();
  EXPECT_THROW(LevelMeshes<2>(finest, {1}), adamant::RunError);
}

TEST(LevelMeshes, ParallelMeshesAreRefused)
{
  parallel::shared::Triangulation<2> mesh(MPI_COMM_WORLD);
  GridGenerator::hyper_cube(mesh);
  mesh.refine_global(2);
  EXPECT_THROW(LevelMeshes<2>(mesh, {1}), adamant::RunError);
}

// The meshes do not depend on the number of threads; flags stay.
TEST(LevelMeshes, OfAnyNumberOfThreads)
{
  const int threads_before = omp_get_max_threads();
  for (const int threads : {1, 2})
    {
      omp_set_num_threads(threads);
      Triangulation<2> mesh;
      make_random_mesh(mesh, 15);
      compare_with_dealii(mesh, std::to_string(threads) + " threads");
      mesh.begin_active()->set_refine_flag();
      EXPECT_EQ(LevelMeshes<2>(mesh, {16}).finest().cells->mesh().get(), &mesh);
      EXPECT_TRUE(mesh.begin_active()->refine_flag_set());
      EXPECT_EQ(LevelMeshes<2>(mesh, {adamant::finest_level_only}).size(), 1u);

      mesh.begin_active()->set_refine_flag(RefinementCase<2>::cut_x);
      mesh.execute_coarsening_and_refinement();
      EXPECT_THROW(LevelMeshes<2>(mesh, {16}), adamant::RunError) << "anisotropic";
    }
  omp_set_num_threads(threads_before);
}
} // namespace
