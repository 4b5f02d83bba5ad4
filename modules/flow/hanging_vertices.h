#pragma once

#include "base/exceptions.h"

#include <deal.II/base/geometry_info.h>
#include <deal.II/base/point.h>
#include <deal.II/grid/tria.h>

#include <cmath>
#include <map>

namespace adamant
{
/// The hanging vertices of a serial mesh whose edges manifolds bend. Bilinear cells have straight edges: a hanging
/// vertex off them leaves a gap, and forces and pressures near it are wrong. Placing all new vertices in the middle of
/// edges would keep the kinks of the coarse mesh for good. So only hanging vertices are moved, and only while they
/// hang:
///
///   HangingVertices<dim> hanging;
///   hanging.straighten(mesh);
///   ...
///   hanging.restore(mesh);      // before the mesh is refined, so that new vertices lie on the manifolds, too
///   mesh.execute_coarsening_and_refinement();
///   hanging.straighten(mesh);
template <int dim>
class HangingVertices
{
public:
  /// Moves hanging vertices to the middle of their edge, or to the average of the vertices of their face. The mesh may
  /// have been refined globally in the end, `refined` times. Then the function first moves the vertices that hung
  /// before, next the new vertices between them, and last the vertices that hang now. Throws InputError where a
  /// cell beside a vertex that moves is turned inside out: where it is flatter than the arc beside it.
  void straighten(dealii::Triangulation<dim> &mesh, unsigned int refined = 0);
  /// Moves the vertices back to their places before the last `straighten`; the mesh must not have been coarsened since.
  void restore(dealii::Triangulation<dim> &mesh);

private:
  // Edges, and in 3D faces.
  template <typename Cell, typename Visit>
  static void for_each_side(const Cell &cell, const Visit &visit)
  {
    for (unsigned int l = 0; l < dealii::GeometryInfo<dim>::lines_per_cell; ++l)
      visit(cell->line(l));
    if constexpr (dim == 3)
      for (const unsigned int f : cell->face_indices())
        visit(cell->face(f));
  }

  // The vertex in the middle of an edge, a face or a cell is the last one of its first child.
  template <typename Object>
  void straighten_middle(const Object &object)
  {
    dealii::Point<dim> average;
    for (const unsigned int v : object->vertex_indices())
      average += object->vertex(v) / double(object->n_vertices());
    const auto         child = object->child(0);
    const unsigned int last  = child->n_vertices() - 1;
    move(child->vertex(last), child->vertex_index(last), average);
  }
  // Moves the middle by the mean displacement of the vertices around it. Else cells beside a vertex that was moved far
  // would turn inside out.
  template <typename Object>
  void carry_middle(const Object &object)
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
  // Cells with children are checked, too, as coarser levels have them. deal.II's form is the Jacobian's determinant at
  // a vertex.
  void check_cells(const dealii::Triangulation<dim> &mesh) const
  {
    constexpr unsigned int n = dealii::GeometryInfo<dim>::vertices_per_cell;
    for (const auto &cell : mesh.cell_iterators())
      {
        dealii::Point<dim>        earlier[n], now[n];
        dealii::Tensor<0, dim>    earlier_volume[n], volume[n];
        const dealii::Point<dim> *moved = nullptr;
        for (const unsigned int v : cell->vertex_indices())
          {
            const auto found = before.find(cell->vertex_index(v));
            now[v]           = cell->vertex(v);
            earlier[v]       = found != before.end() ? found->second : now[v];
            moved            = found != before.end() ? &found->second : moved;
          }
        if (moved == nullptr)
          continue;
        dealii::GeometryInfo<dim>::alternating_form_at_vertices(earlier, earlier_volume);
        dealii::GeometryInfo<dim>::alternating_form_at_vertices(now, volume);
        for (unsigned int v = 0; v < n; ++v)
          require(earlier_volume[v] <= 1e-12 * std::pow(cell->diameter(), dim) || volume[v] > 1e-6 * earlier_volume[v],
                  "Mesh: the vertex (", *moved,
                  ") hangs on an arc. In the middle of its edge it turns the flat cell beside it, around (",
                  cell->center(), "), inside out; more Mesh/Refinements make the arcs flatter");
      }
  }
  void move(dealii::Point<dim> &vertex, unsigned int index, const dealii::Point<dim> &to)
  {
    before.emplace(index, vertex);
    vertex = to;
  }

  std::map<unsigned int, dealii::Point<dim>> before; // by vertex numbers
};
} // namespace adamant
