#include "flow/cell_sizes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace adamant
{
namespace
{
template <class Cell>
double shortest_edge_of(const Cell &cell)
{
  using Lines     = dealii::GeometryInfo<Cell::AccessorType::dimension>;
  double shortest = std::numeric_limits<double>::infinity();
  for (const unsigned int line : cell->line_indices())
    shortest = std::min(shortest, cell->vertex(Lines::line_to_cell_vertices(line, 0))
                                    .distance(cell->vertex(Lines::line_to_cell_vertices(line, 1))));
  return shortest;
}
} // namespace

template <int dim>
Array<double> shortest_edges(const LevelSpace<dim> &space)
{
  Array<double>                                at_node(space.n_owned(), std::numeric_limits<double>::infinity());
  std::vector<dealii::types::global_dof_index> nodes(space.dofs_per_cell());
  for (const auto &cell : space.dof_handler().active_cell_iterators())
    {
      if (cell->is_artificial())
        continue;
      const double shortest = shortest_edge_of(cell);
      cell->get_dof_indices(nodes);
      for (const auto node : nodes)
        if (space.partition().in_local_range(node))
          {
            double &shortest_at_node = at_node[space.partition().global_to_local(node)];
            shortest_at_node         = std::min(shortest_at_node, shortest);
          }
    }
  return at_node;
}

template <int dim>
double shortest_edge(const dealii::Triangulation<dim> &mesh, int level)
{
  double largest_negative = -std::numeric_limits<double>::infinity();
  for (const auto &cell : mesh.active_cell_iterators())
    if (cell->is_locally_owned())
      largest_negative =
        std::max(largest_negative, -std::ldexp(shortest_edge_of(cell), std::min(cell->level() - level, 0)));
  Communicator(mesh.get_communicator()).max(&largest_negative, 1);
  return -largest_negative;
}

template <int dim>
double fastest_crossing(const LevelSpace<dim> &space, const Array<double> &edges, const Array<double> &u)
{
  const std::size_t n       = edges.size();
  double            fastest = 0;
  for (std::size_t i = 0; i < n; ++i)
    {
      double square = 0;
      for (unsigned int c = 0; c < dim; ++c)
        square += u[c * n + i] * u[c * n + i];
      fastest = std::max(fastest, std::sqrt(square) / edges[i]);
    }
  space.communicator().max(&fastest, 1);
  return fastest;
}

#define INSTANTIATE(dim)                                                         \
  template Array<double> shortest_edges(const LevelSpace<dim> &);                \
  template double        shortest_edge(const dealii::Triangulation<dim> &, int); \
  template double        fastest_crossing(const LevelSpace<dim> &, const Array<double> &, const Array<double> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
