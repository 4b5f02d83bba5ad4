#include "flow/hanging_vertices.h"

#include <deal.II/base/geometry_info.h>

namespace adamant
{
// From coarse cells to fine ones: vertices that others hang between may hang themselves.
template <int dim>
void HangingVertices<dim>::straighten(dealii::Triangulation<dim> &mesh)
{
  constexpr unsigned int per_face = dealii::GeometryInfo<dim>::vertices_per_face;
  for (unsigned int level = 0; level < mesh.n_levels(); ++level)
    for (const auto &cell : mesh.active_cell_iterators_on_level(level))
      {
        for (unsigned int l = 0; l < dealii::GeometryInfo<dim>::lines_per_cell; ++l)
          if (cell->line(l)->has_children())
            straighten_edge(cell->line(l));
        if constexpr (dim == 3)
          for (const unsigned int f : cell->face_indices())
            if (const auto face = cell->face(f); face->has_children())
              {
                dealii::Point<dim> average;
                for (unsigned int v = 0; v < per_face; ++v)
                  average += face->vertex(v) / double(per_face);
                const auto child = face->child(0); // its last vertex is in the face's middle
                move(child->vertex(per_face - 1), child->vertex_index(per_face - 1), average);
              }
      }
}

template <int dim>
void HangingVertices<dim>::restore(dealii::Triangulation<dim> &mesh)
{
  if (before.empty())
    return;
  for (const auto &cell : mesh.active_cell_iterators())
    for (const unsigned int v : cell->vertex_indices())
      if (const auto found = before.find(cell->vertex_index(v)); found != before.end())
        cell->vertex(v) = found->second;
  before.clear();
}

template <int dim>
template <typename Edge>
void HangingVertices<dim>::straighten_edge(const Edge &edge)
{
  const auto child = edge->child(0);
  move(child->vertex(1), child->vertex_index(1), (edge->vertex(0) + edge->vertex(1)) / 2.);
}

template <int dim>
void HangingVertices<dim>::move(dealii::Point<dim> &vertex, unsigned int index, const dealii::Point<dim> &to)
{
  before.emplace(index, vertex);
  vertex = to;
}

template class HangingVertices<2>;
template class HangingVertices<3>;
} // namespace adamant
