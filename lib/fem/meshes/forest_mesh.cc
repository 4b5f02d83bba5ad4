#include "fem/meshes/forest.h"

#include <deal.II/grid/tria.h>

#include <boost/signals2/connection.hpp>

#include <algorithm>
#include <utility>

namespace adamant
{
namespace
{
using forest::Forest;
using forest::Quadrant;

// A cell that has to be refined, as the quadrants of the forest inside it are smaller. They follow each other.
template <int dim>
struct Branch
{
  typename dealii::Triangulation<dim>::cell_iterator cell;
  const Quadrant<dim>                               *quadrants;
  std::size_t                                        n, number; // of quadrants; of the first one
};

// Calls action(child, first quadrant in it, number of quadrants) for the children of a cell that have quadrants.
template <int dim, class Action>
void for_each_child(const Branch<dim> &branch, const Action &action)
{
  constexpr int max_level = forest::choose<dim>(P4EST_MAXLEVEL, P8EST_MAXLEVEL);
  const int     shift     = max_level - branch.cell->level() - 1;
  const auto    child_of  = [shift](const Quadrant<dim> &quadrant) {
    unsigned int child = (quadrant.x >> shift & 1) + 2 * (quadrant.y >> shift & 1);
    if constexpr (dim == 3)
      child += 4 * (quadrant.z >> shift & 1);
    return child;
  };
  const auto *quadrant = branch.quadrants, *end = quadrant + branch.n;
  while (quadrant != end)
    {
      const unsigned int child = child_of(*quadrant);
      const auto *next = std::partition_point(quadrant, end, [&](const auto &q) { return child_of(q) <= child; });
      action(child, quadrant, next - quadrant);
      quadrant = next;
    }
}
} // namespace

// Lets deal.II take the forest and its ghosts, and ends what follows before the first refinement.
template <int dim>
void ForestMesh<dim>::take_forest(const Forest<dim> *forest)
{
  struct Taken
  {
  };
  const auto smoothing = this->smooth_grid;
  {
    const boost::signals2::scoped_connection end =
      this->signals.pre_refinement.connect([] { throw Taken(); }, boost::signals2::at_front);
    try
      {
        this->load(forest);
      }
    catch (const Taken &)
      {}
  }
  this->smooth_grid = smoothing;
  for (auto cell = this->begin_active(0); cell != this->end_active(0); ++cell)
    {
      cell->clear_refine_flag();
      cell->set_subdomain_id(dealii::numbers::artificial_subdomain_id);
    }
}

template <int dim>
void ForestMesh<dim>::refine_to(const Forest<dim> *wanted)
{
  if (!this->get_periodic_face_map().empty())
    return this->load(wanted);
  take_forest(wanted);
  auto *forest = const_cast<Forest<dim> *>(this->get_p4est());
  auto *ghosts = forest::Functions<dim>::ghost_new(forest, forest::touching<dim>);

  const std::size_t        n_own = forest->local_num_quadrants; // which are numbered first, then the ghosts
  std::vector<Branch<dim>> branches, parents;
  this->local_cell_relations.resize(n_own);
  const auto add = [&](const auto &cell, const Quadrant<dim> *quadrants, std::size_t n, std::size_t number) {
    if (n > 1 || quadrants->level > cell->level())
      {
        cell->set_refine_flag();
        branches.push_back({cell, quadrants, n, number});
        return;
      }
    if (number < n_own)
      {
        this->local_cell_relations[number] = {cell, {}}; // of a cell that stays
        return cell->set_subdomain_id(this->my_subdomain);
      }
    const auto *of_rank = ghosts->proc_offsets, *end = of_rank + ghosts->mpisize + 1;
    cell->set_subdomain_id(static_cast<dealii::types::subdomain_id>(
      std::upper_bound(of_rank, end, static_cast<p4est_locidx_t>(number - n_own)) - of_rank - 1));
  };

  const auto &trees = this->get_p4est_tree_to_coarse_cell_permutation();
  for (std::size_t t = 0; t < trees.size(); ++t)
    {
      const typename dealii::Triangulation<dim>::active_cell_iterator cell(this, 0, static_cast<int>(trees[t]));
      const auto                                                      tree = static_cast<forest::Tree>(t);
      const auto first = ghosts->tree_offsets[t], end = ghosts->tree_offsets[t + 1];
      if (tree >= forest->first_local_tree && tree <= forest->last_local_tree)
        {
          const auto &own = *forest::tree<dim>(forest->trees, tree);
          add(cell, reinterpret_cast<const Quadrant<dim> *>(own.quadrants.array), own.quadrants.elem_count,
              own.quadrants_offset);
        }
      if (first < end)
        add(cell, reinterpret_cast<const Quadrant<dim> *>(ghosts->ghosts.array) + first, end - first, n_own + first);
    }
  const auto smoothing = std::exchange(this->smooth_grid, dealii::Triangulation<dim>::none); // the forest is balanced
  while (!branches.empty())
    {
      dealii::Triangulation<dim>::execute_coarsening_and_refinement();
      parents.swap(branches);
      branches.clear();
      for (const auto &parent : parents)
        for_each_child(parent, [&](unsigned int child, const Quadrant<dim> *quadrants, std::size_t n) {
          add(parent.cell->child(child), quadrants, n, parent.number + (quadrants - parent.quadrants));
        });
    }
  this->smooth_grid = smoothing;
  forest::Functions<dim>::ghost_destroy(ghosts);
  this->update_periodic_face_map();
  this->update_number_cache();
}

template class ForestMesh<2>;
template class ForestMesh<3>;
} // namespace adamant
