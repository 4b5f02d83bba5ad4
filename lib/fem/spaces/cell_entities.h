#pragma once

#include "base/array.h"
#include "base/parallel_for.h"
#include "fem/meshes/cell_list.h"

#include <deal.II/base/point.h>
#include <deal.II/fe/fe.h>
#include <deal.II/lac/affine_constraints.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace adamant
{
/// Turns a point into one number: its coordinates on a grid of 2^-20 of the bounding box of some cells. The axis on
/// which the cells' vertices have the most different positions varies fastest.
template <int dim>
class PositionKey
{
public:
  explicit PositionKey(const CellList<dim> &cells)
  {
    const auto &vertices = cells.mesh()->get_vertices();
    // Only these cells' vertices count, not the vertices of vanished cells, finer cells or other ranks' cells.
    Array<char> taken(cells.end_of(0), 0);
#pragma omp parallel for schedule(static)
    for (std::size_t c = 0; c < cells.size(); ++c)
      for (unsigned int v = 0; v < dealii::GeometryInfo<dim>::vertices_per_cell; ++v)
        write_atomically(taken[cells[c]->vertex_index(v)], 1);
    std::array<std::size_t, dim> n_positions;
    for (int d = 0; d < dim; ++d)
      {
        double low = std::numeric_limits<double>::max(), high = -low;
#pragma omp parallel for schedule(static) reduction(min : low) reduction(max : high)
        for (std::size_t v = 0; v < taken.size(); ++v)
          if (taken[v] != 0)
            {
              low  = std::min(low, vertices[v][d]);
              high = std::max(high, vertices[v][d]);
            }
        lower[d] = low;
        upper[d] = high;
        std::vector<char> found((1 << 20) + 1, 0);
#pragma omp parallel for schedule(static)
        for (std::size_t v = 0; v < taken.size(); ++v)
          if (taken[v] != 0)
            write_atomically(found[on_grid(vertices[v], d)], 1);
        n_positions[d] = std::count(found.begin(), found.end(), 1);
      }
    std::iota(axes.rbegin(), axes.rend(), 0);
    std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) { return n_positions[a] < n_positions[b]; });
    std::swap(axes[0], axes[dim == 3 ? 1 : 0]); // in 3D the axis with the fewest is the middle one: small planes
  }

  std::uint64_t operator()(const dealii::Point<dim> &p) const
  {
    std::uint64_t key = 0;
    for (const int d : axes)
      key = (key << 21) | on_grid(p, d);
    return key;
  }

private:
  std::uint64_t on_grid(const dealii::Point<dim> &p, int d) const
  {
    const double extent = upper[d] - lower[d]; // 0 in meshes without volume, which other code refuses
    return extent > 0. ? std::uint64_t(std::lround((p[d] - lower[d]) / extent * (1 << 20))) : 0;
  }

  dealii::Point<dim>   lower, upper;
  std::array<int, dim> axes; // the slowest first
};

/// The entities on which the DoFs of an element lie: the vertices, lines, faces and interiors of cells. The entities of
/// a mesh are numbered one kind after the other, including unused ones. Cells share entities where they touch, and a
/// refined cell still has its vertices, lines and faces.
template <int dim>
class CellEntities
{
public:
  using Cell = typename dealii::Triangulation<dim>::cell_iterator;

  /// Whether no entity has more than one DoF of a component, as with Q1 and Q2. Then the orientation of a line or a
  /// face in a cell plays no part.
  static bool suffice(const dealii::FiniteElement<dim> &fe);

  /// Numbers the entities of `cells`, which must outlive the object. Throws IndexOverflow where an int cannot count
  /// them.
  CellEntities(const CellList<dim> &cells, const dealii::FiniteElement<dim> &fe);

  std::size_t size() const { return first.back(); }
  int         n_dofs(int entity) const; ///< number of DoFs on an entity of the mesh

  /// @name The parts of a cell: the entities that have DoFs
  /// @{
  int n_of_cell() const { return static_cast<int>(parts.size()); }
  int first_dof(int part) const { return parts[part].first_dof; } ///< first DoF in the cell; the part's others follow
  int n_dofs_of(int part) const { return n_dofs_of_kind[parts[part].kind]; }
  int part_of(int dof) const { return part_of_dof[dof]; }
  /// Returns the mesh's number of the entity at `part` of `cell`. An interior has to be of a cell in the list.
  int of_cell(const Cell &cell, int part) const;
  /// @}

private:
  struct Part
  {
    int          kind; // 0: a vertex, 1: a line, ..., dim: the interior
    unsigned int number;
    int          first_dof;
  };
  const CellList<dim>     &cells;
  std::vector<Part>        parts;
  std::vector<int>         part_of_dof, n_dofs_of_kind;
  std::vector<std::size_t> first; // number of the first entity of each kind, and the end
};

/// The numbers of the DoFs of all cells, and the closed constraints at hanging nodes. A DoFHandler and
/// make_hanging_node_constraints have them, too, with maps that other functions of deal.II need.
template <int dim>
struct EntityNumbering
{
  std::size_t                       n_dofs;
  Array<int>                        cell_dofs; // [cell * dofs per cell + i]
  dealii::AffineConstraints<double> hanging_nodes;
};

/// Numbers the DoFs of all `cells` of a serial mesh; CellEntities have to suffice for `fe`. The DoFs are sorted by
/// their positions (PositionKey). The DoFs of one vertex, line, face or interior follow each other. Throws
/// IndexOverflow where an int cannot count them.
template <int dim>
EntityNumbering<dim> number_by_entities(const CellList<dim> &cells, const dealii::FiniteElement<dim> &fe);
} // namespace adamant
