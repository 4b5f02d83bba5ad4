// Which ranks the cells of small levels go to.
#include "fem/meshes/level_meshes.h"

#include "fem/meshes/mesh.h"
#include "rows.h"

#include <vector>

using namespace test;

// Ranks that give up their cells do so inside their machine, then to neighbouring machines, then to one machine.
TEST(Gathering, StaysOnMachinesFirst)
{
  using Ranks         = std::vector<int>;
  const Ranks several = {0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8}, one(6, 0), apart = {0, 1, 0, 1, 0, 1};
  EXPECT_EQ(adamant::gathering(several, 1200, 100), (Ranks{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(adamant::gathering(several, 1199, 100), (Ranks{0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10}));
  EXPECT_EQ(adamant::gathering(several, 500, 100), (Ranks{0, 0, 0, 3, 4, 4, 4, 7, 8, 8, 8, 11})) << "groups of three";
  EXPECT_EQ(adamant::gathering(several, 400, 100), (Ranks{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3})) << "one machine";
  EXPECT_EQ(adamant::gathering(several, 99, 100), Ranks(12, 0));
  EXPECT_EQ(adamant::gathering({0, 0, 2, 2, 4, 4, 6, 6, 8, 8}, 300, 100), (Ranks{0, 0, 0, 0, 4, 4, 4, 4, 8, 8}))
    << "two machines together";
  EXPECT_EQ(adamant::gathering(one, 300, 100), (Ranks{0, 0, 2, 2, 4, 4})) << "neighbours on the only machine";
  EXPECT_EQ(adamant::gathering(apart, 300, 100), (Ranks{0, 0, 2, 2, 4, 4})) << "ranks placed in turn";
}

// Cells of small levels go to one machine where its ranks are enough.
TEST(Ranks, SmallLevelsAreOnOneMachine)
{
  const adamant::Communicator ranks(world);
  const auto                  machines = ranks.machines();
  const auto                  mesh     = adaptive_mesh<2>(world);
  const auto                  n_cells  = mesh->n_global_active_cells();
  for (const unsigned int part : {3, 5, 8, 12, 20})
    {
      const adamant::LevelMeshes<2> levels(*mesh, {5, static_cast<unsigned int>(n_cells / part)});
      for (std::size_t l = 0; l < levels.size(); ++l)
        {
          const unsigned long n      = levels[l].cells->n_global();
          const bool          first  = machines[ranks.rank()] == 0;
          const unsigned long inside = std::count(machines.begin(), machines.end(), 0);
          const unsigned long owned  = levels[l].cells->size();
          EXPECT_EQ(Utilities::MPI::sum(owned, world), n);
          if (n / (n_cells / part) <= inside && n < n_cells) // the ranks of one machine are enough
            {
              EXPECT_TRUE(first || owned == 0) << n << " cells";
            }
        }
    }
}
