// Changes of p4est's meshes on several ranks against changes on one rank.
#include "fem/meshes/flag_cells.h"
#include "fem/meshes/stored_mesh.h"
#include "fem/spaces/mesh_change.h"
#include "rows.h"

using namespace test;

namespace
{
int hash_of(const CellId &id)
{
  return static_cast<int>(std::hash<std::string>()(id.to_string()) % 100);
}

// Flags that depend on the place alone: some cells are refined, of the others whole families coarsened.
template <int dim>
void flag(Triangulation<dim> &mesh)
{
  for (const auto &cell : mesh.active_cell_iterators())
    if (!cell->is_locally_owned())
      continue;
    else if (hash_of(cell->id()) < 5)
      cell->set_refine_flag();
    else if (hash_of(cell->parent()->parent()->id()) < 60)
      cell->set_coarsen_flag();
}

// The mesh that `flags` leads to, as its cells' levels, on the first rank.
template <int dim, class Flags>
std::vector<signed char> changed_mesh(MPI_Comm comm, const Flags &flags)
{
  auto mesh = adaptive_mesh<dim>(comm);
  adamant::refine_global(*mesh, 1);
  const auto before = adamant::gather_levels(dynamic_cast<parallel::distributed::Triangulation<dim> &>(*mesh));
  flags(*mesh);
  adamant::MeshChange<dim> change(*mesh);
  EXPECT_TRUE(change.any());
  change.prepare();
  change.execute();
  const auto after = adamant::gather_levels(dynamic_cast<parallel::distributed::Triangulation<dim> &>(*mesh));
  EXPECT_TRUE(after != before || after.empty());
  return after;
}

template <int dim, class Flags>
void expect_that_of_one_rank(const Flags &flags)
{
  const auto levels = changed_mesh<dim>(world, flags), alone = changed_mesh<dim>(MPI_COMM_SELF, flags);
  if (Utilities::MPI::this_mpi_process(world) == 0)
    {
      EXPECT_TRUE(levels == alone) << levels.size() << " cells instead of " << alone.size();
    }
}
} // namespace

// deal.II would change flags near other ranks' cells, whose own it does not know.
TEST(Ranks, AChangeOfAMeshIsThatOfOneRank)
{
  expect_that_of_one_rank<2>([](auto &mesh) { flag(mesh); });
  expect_that_of_one_rank<3>([](auto &mesh) { flag(mesh); });
}

TEST(Ranks, AChangeOfFamiliesIsThatOfOneRank)
{
  const auto families = [](auto &mesh) {
    flag(mesh);
    adamant::flag_families(mesh);
  };
  expect_that_of_one_rank<2>(families);
  expect_that_of_one_rank<3>(families);
}

// A rank that owns no node in the end interpolates together with the others, once for all fields.
TEST(Ranks, AChangeOfAMeshMayLeaveARankWithoutNodes)
{
  const MappingQ1<2>                      mapping;
  const std::shared_ptr<Triangulation<2>> mesh = adamant::create_mesh<2>(adamant::Communicator(world), true);
  GridGenerator::hyper_cube(*mesh);
  adamant::refine_global(*mesh, 2);
  for (const auto &cell : mesh->active_cell_iterators())
    if (cell->is_locally_owned())
      cell->set_coarsen_flag();
  adamant::MeshChange<2> change(*mesh);
  {
    const adamant::LevelSpace<2> space(mesh, FE_Q<2>(1), {});
    const auto                   points = adamant::support_points(space, mapping);
    change.keep(space, points.data()); // x and y
    change.keep(space, points.data() + space.n_owned());
    change.prepare();
  }
  change.execute();
  EXPECT_EQ(mesh->n_global_active_cells(), 4);
  const adamant::LevelSpace<2> space(mesh, FE_Q<2>(1), {});
  const auto                   points = adamant::support_points(space, mapping);
  const auto                   x = change.take(space), y = change.take(space);
  for (int i = 0; i < space.n_owned(); ++i)
    {
      EXPECT_NEAR(x[i], points[i], 1e-14);
      EXPECT_NEAR(y[i], points[space.n_owned() + i], 1e-14);
    }
}
