#pragma once

#include "base/array.h"

#include <deal.II/dofs/dof_accessor.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/grid/tria.h>
#include <deal.II/grid/tria_accessor.h>
#include <deal.II/grid/tria_iterator.h>

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace adamant
{
/// Tells which cells of a Triangulation have children in a coarser mesh that the tree of cells contains: entry
/// [level][index] is nonzero for these cells. There are as many levels as have such cells.
using Refined = std::vector<Array<char>>;

/// A list of the cells of a mesh, eight bytes each (an iterator has 16). The mesh consists of the active cells of a
/// Triangulation, or is a coarser mesh that the Triangulation's tree contains. Global coarsening stores the coarser
/// meshes of a serial Triangulation as such lists. As Triangulations, they would have a third (2D) of the finest mesh's
/// cells.
template <int dim>
class CellList
{
public:
  using Mesh = dealii::Triangulation<dim>;
  using Cell = typename Mesh::cell_iterator;

  class Iterator
  {
  public:
    Iterator(const CellList &list, std::size_t k)
      : list(list)
      , k(k)
    {}
    Cell      operator*() const { return list[k]; }
    Iterator &operator++() { return ++k, *this; }
    bool      operator!=(const Iterator &other) const { return k != other.k; }

  private:
    const CellList &list;
    std::size_t     k;
  };

  /// Lists the active cells that this rank owns, in the order of owned_cells().
  explicit CellList(std::shared_ptr<const Mesh> mesh);
  /// Lists the cells of a coarser mesh that a serial `tree` contains, by level and then by index.
  CellList(std::shared_ptr<const Mesh> tree, const Refined &refined);

  /// Returns the Triangulation that has the cells: as its active cells, or anywhere in its tree.
  const std::shared_ptr<const Mesh> &mesh() const { return mesh_; }
  /// Returns whether the list consists of active cells of mesh().
  bool        are_active() const { return number_in_tree.empty(); }
  std::size_t size() const { return places.size(); }
  std::size_t n_global() const { return are_active() ? mesh_->n_global_active_cells() : size(); } ///< on all ranks
  Cell        operator[](std::size_t k) const { return Cell(mesh_.get(), places[k].level, places[k].index); }
  Iterator    begin() const { return {*this, 0}; }
  Iterator    end() const { return {*this, size()}; }

  /// Returns the place of a cell of mesh() in the list, or -1 where the list does not have it.
  int number(const Cell &cell) const
  {
    if (!are_active())
      return static_cast<std::size_t>(cell->level()) < number_in_tree.size() ?
               number_in_tree[cell->level()][cell->index()] :
               -1;
    if (cell->has_children())
      return -1;
    const int index = static_cast<int>(cell->active_cell_index());
    return number_of_active.empty() ? index : number_of_active[index];
  }

  /// Returns whether a face of a cell of the list is a part of a larger face of a coarser neighbour in the list.
  bool meets_coarser(const Cell &cell, unsigned int face) const
  {
    if (cell->at_boundary(face) || cell->level() == 0)
      return false;
    if (cell->neighbor_level(face) < cell->level()) // in the tree there is no neighbour of the cell's size
      return true;
    return !are_active() && number(cell->neighbor(face)->parent()) >= 0;
  }

  /// Returns a number above the numbers of all vertices (kind 0), lines (1) or, in 3D, faces (2) of the cells.
  std::size_t end_of(int kind) const { return ends[kind]; }

  /// Returns a list of the same cells in the same order that are active cells of a Triangulation, as a DoFHandler needs
  /// them. This is `list` itself where are_active(), else a list that is made once. Threads must not call it at once.
  static std::shared_ptr<const CellList> as_active(const std::shared_ptr<const CellList> &list);

private:
  struct Place
  {
    int level, index;
  };
  CellList(std::shared_ptr<const Mesh> mesh, Array<Place> places);

  void number_active_cells();
  void count_entities();

  std::shared_ptr<const Mesh>             mesh_;
  Array<Place>                            places;
  Array<int>                              number_of_active; // by active index; empty: the active index is the number
  std::vector<Array<int>>                 number_in_tree;   // by level and index; -1: the cell is not in the list
  std::array<std::size_t, 3>              ends{};
  mutable std::shared_ptr<const CellList> active; // the list that as_active has made
};

/// Calls action(cell) for all cells of a level, refined cells too, on all threads. `action` must not throw.
template <int dim, typename Action>
void for_each_cell_on_level(const dealii::Triangulation<dim> &mesh, unsigned int level, const Action &action)
{
  const int n = static_cast<int>(mesh.n_raw_cells(level));
#pragma omp parallel for schedule(static)
  for (int index = 0; index < n; ++index)
    if (const dealii::TriaRawIterator<dealii::CellAccessor<dim>> cell(&mesh, static_cast<int>(level), index);
        cell->used())
      action(typename CellList<dim>::Cell(&mesh, static_cast<int>(level), index));
}

/// Returns the material id of a cell, or the boundary id of a face. A refined one has the id of its first child, and so
/// on: users may have set ids on active cells alone.
/// @{
template <class Cell>
dealii::types::material_id material_id(Cell cell)
{
  while (cell->has_children())
    cell = cell->child(0);
  return cell->material_id();
}
template <class Face>
dealii::types::boundary_id boundary_id(Face face)
{
  while (face->has_children())
    face = face->child(0);
  return face->boundary_id();
}
/// @}

/// Returns the cell as an iterator of `dofs`, which gives the cell's DoFs.
template <int dim>
typename dealii::DoFHandler<dim>::active_cell_iterator
with_dofs(const typename dealii::Triangulation<dim>::cell_iterator &cell, const dealii::DoFHandler<dim> &dofs)
{
  return {&dofs.get_triangulation(), cell->level(), cell->index(), &dofs};
}

/// Calls action(c, numbers) for all cells on all threads: `dofs` gives cell c these `numbers`. `action` must not throw.
template <int dim, class Action>
void for_dofs_of_cells(const CellList<dim> &cells, const dealii::DoFHandler<dim> &dofs, const Action &action)
{
  std::vector<dealii::types::global_dof_index> numbers(dofs.get_fe().n_dofs_per_cell());
#pragma omp parallel for schedule(static) firstprivate(numbers)
  for (int c = 0; c < static_cast<int>(cells.size()); ++c)
    {
      with_dofs(cells[c], dofs)->get_dof_indices(numbers);
      action(c, numbers);
    }
}
} // namespace adamant
