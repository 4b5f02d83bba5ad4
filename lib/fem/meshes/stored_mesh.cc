#include "fem/meshes/stored_mesh.h"

#include "fem/meshes/forest.h"

#include <deal.II/base/mpi.h>

#include <cstdint>

namespace adamant
{
namespace
{
template <int dim>
using Mesh = dealii::parallel::distributed::Triangulation<dim>;
using forest::Tree;

// Where the cells of a tree begin: those before fill their trees.
template <int dim>
std::size_t first_cell_of_tree(const std::vector<signed char> &levels, Tree tree)
{
  constexpr int max_level = 60 / dim;
  std::size_t   cell      = 0;
  for (; tree > 0; --tree)
    for (std::uint64_t filled = 0; filled < std::uint64_t(1) << (dim * max_level); ++cell)
      filled += std::uint64_t(1) << (dim * (max_level - levels.at(cell)));
  return cell;
}
} // namespace

template <int dim>
std::vector<signed char> gather_levels(const Mesh<dim> &mesh)
{
  std::vector<signed char> all;
  for (const auto &of_rank : dealii::Utilities::MPI::gather(
         mesh.get_communicator(), forest::levels_of<dim>(const_cast<forest::Forest<dim> *>(mesh.get_p4est()))))
    all.insert(all.end(), of_rank.begin(), of_rank.end());
  return all;
}

template <int dim>
void refine_to_levels(Mesh<dim> &mesh, const std::vector<signed char> &levels)
{
  const auto         forest = forest::copy<dim>(mesh.get_p4est());
  const Tree         first  = forest->first_local_tree;
  const signed char *next   = levels.data() + (first >= 0 ? first_cell_of_tree<dim>(levels, first) : 0);
  forest->user_pointer      = &next;
  forest::Functions<dim>::refine(
    forest.get(), 1,
    [](forest::Forest<dim> *f, Tree, forest::Quadrant<dim> *quadrant) -> int {
      auto      &level = *static_cast<const signed char **>(f->user_pointer);
      const bool more  = quadrant->level < *level;
      level += !more;
      return more;
    },
    nullptr);
  forest::partition<dim>(forest.get());
  mesh.load(forest.get());
}

template std::vector<signed char> gather_levels(const Mesh<2> &);
template std::vector<signed char> gather_levels(const Mesh<3> &);
template void                     refine_to_levels(Mesh<2> &, const std::vector<signed char> &);
template void                     refine_to_levels(Mesh<3> &, const std::vector<signed char> &);
} // namespace adamant
