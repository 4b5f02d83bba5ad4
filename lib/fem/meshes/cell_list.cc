#include "fem/meshes/cell_list.h"

#include "fem/meshes/mesh.h"

#include <algorithm>
#include <utility>

namespace adamant
{
namespace
{
// Corresponding cells of a mesh under construction and of the tree.
template <int dim>
using CellPairs =
  std::vector<std::pair<typename dealii::Triangulation<dim>::cell_iterator, typename CellList<dim>::Cell>>;

// Refines `mesh`, the coarse cells of the tree, until it has the cells of the list; returns its active ones with them.
template <int dim>
CellPairs<dim> refine_to(dealii::Triangulation<dim> &mesh, const CellList<dim> &list)
{
  CellPairs<dim> active, front, next;
  auto           of_tree = list.mesh()->begin(0);
  for (auto cell = mesh.begin(0); cell != mesh.end(0); ++cell, ++of_tree)
    front.emplace_back(cell, of_tree);
  while (!front.empty())
    {
      bool refine = false;
      for (const auto &[cell, partner] : front)
        if (list.number(partner) < 0)
          {
            cell->set_refine_flag();
            refine = true;
          }
      if (refine)
        mesh.execute_coarsening_and_refinement();
      next.clear();
      for (const auto &[cell, partner] : front)
        if (cell->has_children())
          for (unsigned int c = 0; c < cell->n_children(); ++c)
            next.emplace_back(cell->child(c), partner->child(c));
        else
          active.emplace_back(cell, partner);
      front.swap(next);
    }
  return active;
}

// What users may have moved and set.
template <int dim>
void copy_ids_and_vertices(const CellPairs<dim> &active)
{
  for (const auto &[cell, partner] : active)
    {
      cell->set_material_id(material_id(partner));
      for (const unsigned int v : cell->vertex_indices())
        cell->vertex(v) = partner->vertex(v);
      for (const unsigned int f : cell->face_indices())
        if (cell->face(f)->at_boundary())
          cell->face(f)->set_boundary_id(boundary_id(partner->face(f)));
    }
}

template <int dim>
std::array<std::size_t, 3> all_entities(const dealii::Triangulation<dim> &mesh)
{
  std::array<std::size_t, 3> n = {{mesh.n_vertices(), mesh.n_raw_lines(), 0}};
  if constexpr (dim == 3)
    n[2] = mesh.n_raw_quads();
  return n;
}
} // namespace

template <int dim>
CellList<dim>::CellList(std::shared_ptr<const Mesh> mesh)
  : mesh_(std::move(mesh))
  , ends(all_entities(*mesh_))
{
  if (is_distributed(*mesh_))
    {
      for (const auto &cell : owned_cells(*mesh_))
        places.push_back({cell->level(), cell->index()});
      number_active_cells();
    }
  else
    {
      places.resize(mesh_->n_active_cells());
      for (unsigned int level = 0; level < mesh_->n_levels(); ++level)
        for_each_cell_on_level(*mesh_, level, [&](const Cell &cell) {
          if (!cell->has_children())
            places[cell->active_cell_index()] = {cell->level(), cell->index()};
        });
    }
}

template <int dim>
CellList<dim>::CellList(std::shared_ptr<const Mesh> tree, const Refined &refined)
  : mesh_(std::move(tree))
  , number_in_tree(refined.size() + 1)
{
  for (std::size_t level = 0; level < number_in_tree.size(); ++level)
    {
      Array<int> &number = number_in_tree[level];
      number.assign(mesh_->n_raw_cells(static_cast<unsigned int>(level)), -1);
      for_each_cell_on_level(*mesh_, static_cast<unsigned int>(level), [&](const Cell &cell) {
        if ((level == refined.size() || refined[level][cell->index()] == 0) &&
            (level == 0 || refined[level - 1][cell->parent_index()] != 0))
          number[cell->index()] = 0;
      });
      int size = static_cast<int>(places.size());
      for (int &of_cell : number)
        if (of_cell == 0)
          of_cell = size++;
      places.resize(size);
#pragma omp parallel for schedule(static)
      for (std::size_t index = 0; index < number.size(); ++index)
        if (number[index] >= 0)
          places[number[index]] = {static_cast<int>(level), static_cast<int>(index)};
    }
  count_entities();
}

template <int dim>
CellList<dim>::CellList(std::shared_ptr<const Mesh> mesh, Array<Place> places)
  : mesh_(std::move(mesh))
  , places(std::move(places))
  , ends(all_entities(*mesh_))
{
  number_active_cells();
}

template <int dim>
void CellList<dim>::number_active_cells()
{
  number_of_active.assign(mesh_->n_active_cells(), -1);
  for (std::size_t k = 0; k < size(); ++k)
    number_of_active[(*this)[k]->active_cell_index()] = static_cast<int>(k);
}

template <int dim>
void CellList<dim>::count_entities()
{
  using Geometry      = dealii::GeometryInfo<dim>;
  unsigned int vertex = 0, line = 0, face = 0; // the largest numbers
#pragma omp parallel for schedule(static) reduction(max : vertex, line, face)
  for (std::size_t k = 0; k < size(); ++k)
    {
      const Cell cell = (*this)[k];
      for (unsigned int v = 0; v < Geometry::vertices_per_cell; ++v)
        vertex = std::max(vertex, cell->vertex_index(v));
      for (unsigned int l = 0; l < Geometry::lines_per_cell; ++l)
        line = std::max(line, cell->line_index(l));
      for (unsigned int f = 0; f < Geometry::faces_per_cell; ++f)
        face = std::max(face, cell->face_index(f));
    }
  ends = {{std::size_t(vertex) + 1, std::size_t(line) + 1, std::size_t(face) + 1}};
}

template <int dim>
std::shared_ptr<const CellList<dim>> CellList<dim>::as_active(const std::shared_ptr<const CellList> &list)
{
  if (list->are_active())
    return list;
  if (!list->active)
    {
      // Of the smoothing, only the rule that the space may rely on; the others are wishes about refinement.
      const auto mesh = std::make_shared<Mesh>(static_cast<typename Mesh::MeshSmoothing>(
        list->mesh_->get_mesh_smoothing() & Mesh::limit_level_difference_at_vertices));
      copy_coarse_cells(*list->mesh_, *mesh);
      const auto cells = refine_to(*mesh, *list);
      copy_ids_and_vertices<dim>(cells);
      Array<Place> places(list->size());
      for (const auto &[cell, partner] : cells)
        places[list->number(partner)] = {cell->level(), cell->index()};
      list->active = std::shared_ptr<const CellList>(new CellList(mesh, std::move(places)));
    }
  return list->active;
}

template class CellList<2>;
template class CellList<3>;
} // namespace adamant
