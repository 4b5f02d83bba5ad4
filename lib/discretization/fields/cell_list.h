#pragma once

#include "base/array.h"

#include <deal.II/dofs/dof_accessor.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/grid/tria.h>
#include <deal.II/grid/tria_accessor.h>
#include <deal.II/grid/tria_iterator.h>

#include <cstddef>
#include <vector>

namespace adamant
{
/// Cells of a mesh, in eight bytes each: an iterator has 16.
template <int dim>
class CellList
{
public:
  using Cell = typename dealii::Triangulation<dim>::cell_iterator;

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

  CellList() = default;
  /// Those of `mesh` that this rank owns, in the order of owned_cells; it has to outlive the list.
  explicit CellList(const dealii::Triangulation<dim> &mesh);

  std::size_t size() const { return places.size(); }
  Cell        operator[](std::size_t k) const { return Cell(mesh, places[k].level, places[k].index); }
  Iterator    begin() const { return {*this, 0}; }
  Iterator    end() const { return {*this, size()}; }

private:
  struct Place
  {
    int level, index;
  };
  const dealii::Triangulation<dim> *mesh = nullptr;
  Array<Place>                      places;
};

/// A cell as deal.II's DoFHandlers know it.
template <int dim>
typename dealii::DoFHandler<dim>::active_cell_iterator
with_dofs(const typename dealii::Triangulation<dim>::cell_iterator &cell, const dealii::DoFHandler<dim> &dofs)
{
  return {&dofs.get_triangulation(), cell->level(), cell->index(), &dofs};
}
} // namespace adamant
