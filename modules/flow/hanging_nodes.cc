#include "flow/hanging_nodes.h"

#include "base/exceptions.h"
#include "fem/ranks/distributed_rows.h"
#include "flow/flow_functors.h"

#include <deal.II/base/geometry_info.h>

#include <cmath>
#include <utility>

namespace adamant
{
namespace
{
// Lists the rank's own hanging nodes; returns the rows of H that interpolate there, with columns of own nodes and
// ghosts.
template <int dim>
CSRMatrix<double> hanging_rows(const LevelSpace<dim> &space, Array<int> &nodes)
{
  for (int i = 0; i < space.n_owned(); ++i)
    if (!space.is_free(i))
      nodes.push_back(i);
  const auto       &H    = space.H;
  CSRMatrix<double> rows = matrix_of_rows(H.n_rows, H.n_cols, [&](int i, Row &row) {
    if (i < space.n_owned() && !space.is_free(i))
      for (auto k = H.row_start[i]; k < H.row_start[i + 1]; ++k)
        row.emplace_back(H.column[k], H.value[k]);
  });
  rows = sum_rows(std::move(rows), space.partition(), space.partition()); // with the ghosts that occur
  // The other rows are empty.
  rows.n_rows = static_cast<int>(nodes.size());
  for (int k = 0; k < rows.n_rows; ++k)
    rows.row_start[k + 1] = rows.row_start[nodes[k] + 1];
  rows.row_start.resize(rows.n_rows + 1);
  return rows;
}
} // namespace

template <int dim>
HangingNodes<dim>::HangingNodes(const Device &device, const LevelSpace<dim> &space, int n_components)
  : device(device)
  , n_components(n_components)
  , n(space.n_owned())
  , none(space.n_hanging() == 0)
{
  Array<int> hanging;
  rows   = Matrix<double>(device, by_components(hanging_rows(space, hanging), n_components));
  nodes  = List<int>(device, hanging);
  values = Vector<double>(device, n_components * nodes.size());
}

template <int dim>
void HangingNodes<dim>::apply(Vector<double> &u)
{
  if (none)
    return;
  device.multiply(1., rows, u, 0., values);
  device.for_each(nodes.size(), SetAtNodes{n_components, nodes.size(), n, nodes.data(), values.data(), u.data()});
}

template class HangingNodes<2>;
template class HangingNodes<3>;

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
  check_cells(mesh);
}

// Cells with children are checked, too, as coarser levels have them. deal.II's form is the Jacobian's determinant at a vertex.
template <int dim>
void HangingVertices<dim>::check_cells(const dealii::Triangulation<dim> &mesh) const
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
