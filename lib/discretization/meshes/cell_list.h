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
/// By level and index of a Triangulation's cells, whether a cell has children in a mesh that its tree contains; on as
/// many levels as have such cells.
using Refined = std::vector<Array<char>>;

/// The cells of a mesh, in eight bytes each (an iterator has 16): the active cells of a Triangulation, or those of a
/// coarser mesh that its tree contains. Global coarsening has the coarser meshes of a serial Triangulation as such
/// lists: Triangulations of them would have a third (2D) of the finest one's cells.
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

  /// The active cells that this rank owns, in the order of owned_cells.
  explicit CellList(std::shared_ptr<const Mesh> mesh);
  /// Those of a serial mesh, in the order of their levels and indices.
  CellList(std::shared_ptr<const Mesh> tree, const Refined &refined);

  /// Where the cells are: their own mesh, or the one whose tree has them.
  const std::shared_ptr<const Mesh> &mesh() const { return mesh_; }
  /// Whether they are the active cells of mesh().
  bool        are_active() const { return number_in_tree.empty(); }
  std::size_t size() const { return places.size(); }
  std::size_t n_global() const { return are_active() ? mesh_->n_global_active_cells() : size(); } ///< of all ranks
  Cell        operator[](std::size_t k) const { return Cell(mesh_.get(), places[k].level, places[k].index); }
  Iterator    begin() const { return {*this, 0}; }
  Iterator    end() const { return {*this, size()}; }

  /// The place of a cell of mesh() in the list; -1 where it is not there.
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

  /// Whether the face of a cell of the list is a part of one of a coarser cell.
  bool meets_coarser(const Cell &cell, unsigned int face) const
  {
    if (cell->at_boundary(face) || cell->level() == 0)
      return false;
    if (cell->neighbor_level(face) < cell->level()) // in the tree there is no neighbour of the cell's size
      return true;
    return !are_active() && number(cell->neighbor(face)->parent()) >= 0;
  }

  /// One more than the largest number of a vertex (0), line (1) or face (2) that its cells have.
  std::size_t end_of(int kind) const { return ends[kind]; }

  /// The same cells in the same order as the active ones of a Triangulation: the list itself, or for others one that is
  /// made once, for what needs a DoFHandler. Threads must not call it at once.
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
  Array<int>                              number_of_active; // by active index; empty: it is that
  std::vector<Array<int>>                 number_in_tree;   // by level and index
  std::array<std::size_t, 3>              ends{};
  mutable std::shared_ptr<const CellList> active; // what as_active has made
};

/// action(cell) for the cells of a level, refined ones too, on all threads; it must not throw.
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

/// A cell as deal.II's DoFHandlers know it.
template <int dim>
typename dealii::DoFHandler<dim>::active_cell_iterator
with_dofs(const typename dealii::Triangulation<dim>::cell_iterator &cell, const dealii::DoFHandler<dim> &dofs)
{
  return {&dofs.get_triangulation(), cell->level(), cell->index(), &dofs};
}
} // namespace adamant
