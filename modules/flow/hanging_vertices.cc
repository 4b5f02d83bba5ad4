#include "flow/hanging_vertices.h"

#include "frame/parameters/mesh_input.h"

#include <deal.II/base/geometry_info.h>

#include <string>

namespace adamant
{
namespace
{
// Edges, and in 3D faces.
template <int dim, typename Cell, typename Visit>
void for_each_side(const Cell &cell, const Visit &visit)
{
  for (unsigned int l = 0; l < dealii::GeometryInfo<dim>::lines_per_cell; ++l)
    visit(cell->line(l));
  if constexpr (dim == 3)
    for (const unsigned int f : cell->face_indices())
      visit(cell->face(f));
}
} // namespace

// A cell of a generation was active so many refinements ago. Where its neighbours were finer, its sides have children
// of a further generation. From coarse cells to fine ones: vertices that others hang between may hang themselves.
template <int dim>
void HangingVertices<dim>::straighten(dealii::Triangulation<dim> &mesh, unsigned int refined)
{
  for (unsigned int generation = refined + 1; generation-- > 0;)
    {
      for (const auto &cell : mesh.cell_iterators())
        if (cell->max_refinement_depth() == generation)
          for_each_side<dim>(cell, [&](const auto &side) {
            if (side->max_refinement_depth() > generation)
              straighten_middle(side);
          });
      if (generation > 0)
        for (const auto &cell : mesh.cell_iterators())
          if (cell->max_refinement_depth() == generation)
            {
              for_each_side<dim>(cell, [&](const auto &side) { carry_middle(side); });
              carry_middle(cell);
            }
    }
  check_refined_cells<dim>("Mesh, hanging vertices in the middle of their edges (which more Mesh/Refinements shorten)",
                           mesh, [](unsigned int cell) { return "cell " + std::to_string(cell); });
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

// The vertex in the middle of an edge, a face or a cell is the last one of its first child.
template <int dim>
template <typename Object>
void HangingVertices<dim>::straighten_middle(const Object &object)
{
  dealii::Point<dim> average;
  for (const unsigned int v : object->vertex_indices())
    average += object->vertex(v) / double(object->n_vertices());
  const auto         child = object->child(0);
  const unsigned int last  = child->n_vertices() - 1;
  move(child->vertex(last), child->vertex_index(last), average);
}

// By the average of the ways that the vertices around it have gone; cells beside one that was moved far would turn
// inside out.
template <int dim>
template <typename Object>
void HangingVertices<dim>::carry_middle(const Object &object)
{
  const auto         child = object->child(0);
  const unsigned int last  = child->n_vertices() - 1;
  if (before.count(child->vertex_index(last)) > 0)
    return;
  dealii::Tensor<1, dim> way;
  for (const unsigned int v : object->vertex_indices())
    if (const auto found = before.find(object->vertex_index(v)); found != before.end())
      way += (object->vertex(v) - found->second) / double(object->n_vertices());
  if (way.norm() > 0.)
    move(child->vertex(last), child->vertex_index(last), child->vertex(last) + way);
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
