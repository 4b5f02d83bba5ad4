#include "fem/spaces/numbering.h"

#include "base/communicator.h"
#include "base/exceptions.h"
#include "base/parallel_for.h"
#include "fem/meshes/mesh.h"

#include <deal.II/base/index_set.h>
#include <deal.II/base/point.h>
#include <deal.II/dofs/dof_tools.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <parallel/algorithm>
#include <set>
#include <utility>

namespace adamant
{
namespace
{
using Index = dealii::types::global_dof_index;

// Turns a point into one number: its coordinates on a grid of 2^-20 of the bounding box of some cells. The axis on
// which the cells' vertices have the most different positions varies fastest: lines stay long where a mesh is refined
// towards a face. In 3D the axis with the fewest is the middle one, which keeps the planes small and the ranges of rows
// that threads own compact.
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
    std::swap(axes[0], axes[dim == 3 ? 1 : 0]);
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

// Sorts items, such as DoFs, by their positions in the straight-sided cells, line by line. Neighbours on a line are
// then neighbours in memory, and products run through the vector units without indirection.
template <int dim>
class PositionOrder
{
public:
  // The items lie at some of the `unit_points` of the cells.
  PositionOrder(const CellList<dim> &cells, const std::vector<dealii::Point<dim>> &unit_points, std::size_t n_items)
    : key(cells)
    , weights(unit_points.size())
    , order(n_items)
  {
    for (std::size_t i = 0; i < unit_points.size(); ++i)
      for (unsigned int v = 0; v < n_vertices; ++v)
        weights[i][v] = dealii::GeometryInfo<dim>::d_linear_shape_function(unit_points[i], v);
#pragma omp parallel for schedule(static)
    for (std::size_t k = 0; k < order.size(); ++k)
      order[k] = {unused, static_cast<int>(k)};
  }

  // item_of(i) returns the item at point i of the cell; it is negative where there is none. Threads may do it at once.
  template <class ItemOf>
  void place(const typename CellList<dim>::Cell &cell, const ItemOf &item_of)
  {
    std::array<dealii::Point<dim>, n_vertices> vertices;
    for (unsigned int v = 0; v < n_vertices; ++v)
      vertices[v] = cell->vertex(v);
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (const int item = item_of(i); item >= 0 && __atomic_load_n(&order[item].first, __ATOMIC_RELAXED) == unused)
        {
          dealii::Point<dim> p;
          for (unsigned int v = 0; v < n_vertices; ++v)
            p += weights[i][v] * vertices[v];
          // Any of the cells that share the item may do it.
          write_atomically(order[item].first, key(p));
        }
  }

  // Returns the items that have a place, in their order.
  Array<int> sorted()
  {
    __gnu_parallel::sort(order.begin(), order.end()); // all are different: the same for any number of threads
    const auto end =
      std::partition_point(order.begin(), order.end(), [](const auto &item) { return item.first != unused; });
    Array<int> items(end - order.begin());
#pragma omp parallel for schedule(static)
    for (std::size_t k = 0; k < items.size(); ++k)
      items[k] = order[k].second;
    order = Array<std::pair<std::uint64_t, int>>(); // not beside what deal.II needs for renumbering
    return items;
  }

private:
  static constexpr unsigned int  n_vertices = dealii::GeometryInfo<dim>::vertices_per_cell;
  static constexpr std::uint64_t unused     = -1;

  const PositionKey<dim>                      key;
  std::vector<std::array<double, n_vertices>> weights; // of the vertices at each point
  Array<std::pair<std::uint64_t, int>>        order;
};

template <int dim>
void sort_by_position(const CellList<dim> &cells, dealii::DoFHandler<dim> &dofs)
{
  const int          n     = to_index(dofs.n_locally_owned_dofs(), "degrees of freedom");
  const Index        first = n > 0 ? dofs.locally_owned_dofs().nth_index_in_set(0) : 0;
  PositionOrder<dim> order(cells, dofs.get_fe().get_unit_support_points(), n);
  for_dofs_of_cells(cells, dofs, [&](int c, const std::vector<Index> &of_cell) {
    order.place(cells[c], [&](std::size_t i) {
      return of_cell[i] >= first && of_cell[i] - first < Index(n) ? static_cast<int>(of_cell[i] - first) : -1;
    });
  });
  const auto         sorted = order.sorted();
  std::vector<Index> new_number(n);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i)
    new_number[sorted[i]] = first + i;
  dofs.renumber_dofs(new_number);
}

template <int dim>
Numbering<dim> number_by_dof_handler(const CellList<dim> &cells, const dealii::FiniteElement<dim> &fe)
{
  Numbering<dim> result;
  result.dofs = std::make_shared<dealii::DoFHandler<dim>>(*cells.mesh());
  auto &dofs  = *result.dofs;
  dofs.distribute_dofs(fe);
  sort_by_position(cells, dofs);
  result.hanging_nodes = hanging_node_constraints(dofs);

  // The local DoFs are the DoFs of the owned cells and the DoFs that constrain them.
  const auto        &owned = dofs.locally_owned_dofs();
  std::vector<Index> ghosts, of_cell(fe.n_dofs_per_cell());
  const auto         add = [&](Index dof) {
    if (!owned.is_element(dof)) // else the list would be long
      ghosts.push_back(dof);
  };
  if (dofs.n_dofs() != owned.n_elements())
    for (const auto cell : cells)
      {
        with_dofs(cell, dofs)->get_dof_indices(of_cell);
        for (const Index dof : of_cell)
          {
            add(dof);
            if (result.hanging_nodes.is_constrained(dof))
              for (const auto &[master, weight] : *result.hanging_nodes.get_constraint_entries(dof))
                add(master);
          }
      }
  result.partition = make_partitioner(owned, std::move(ghosts), cells.mesh()->get_communicator());
  result.cell_dofs.resize(cells.size() * fe.n_dofs_per_cell());
  for_dofs_of_cells(cells, dofs, [&](int c, const std::vector<Index> &numbers) {
    std::transform(numbers.begin(), numbers.end(), result.cell_dofs.begin() + c * numbers.size(),
                   [&](Index dof) { return static_cast<int>(result.partition->global_to_local(dof)); });
  });
  return result;
}

// The entities on which the DoFs of an element lie: the vertices, lines, faces and interiors of cells. The entities of
// a mesh are numbered one kind after the other, including unused ones. Cells share entities where they touch, and a
// refined cell still has its vertices, lines and faces.
template <int dim>
class CellEntities
{
public:
  using Cell = typename CellList<dim>::Cell;

  CellEntities(const CellList<dim> &cells, const dealii::FiniteElement<dim> &fe)
    : cells(cells)
    , n_dofs_of_kind(n_dofs_of_kinds(fe))
  {
    const auto of_cell = n_of_kinds();
    for (int kind = 0; kind <= dim; ++kind)
      {
        const int n = n_dofs_of_kind[kind];
        first.push_back(first.back() + (n == 0 ? 0 : kind == dim ? cells.size() : cells.end_of(kind)));
        for (unsigned int number = 0; n > 0 && number < of_cell[kind]; ++number)
          {
            const int part = n_of_cell(), first_dof = static_cast<int>(part_of_dof.size());
            parts.push_back({kind, number, first_dof}); // deal.II numbers a cell's DoFs in this order
            part_of_dof.insert(part_of_dof.end(), n, part);
          }
      }
    to_index(size(), "vertices, lines, faces and cells");
  }

  // Whether no entity has more than one DoF of a component. Then the orientation of lines and faces plays no part.
  static bool suffice(const dealii::FiniteElement<dim> &fe)
  {
    if (!fe.has_support_points() || !fe.is_primitive())
      return false;
    const auto                      n_dofs = n_dofs_of_kinds(fe), n = n_of_kinds();
    std::set<std::vector<unsigned>> met; // kind, number and component
    unsigned int                    dof = 0;
    for (unsigned int kind = 0; kind <= dim; ++kind)
      for (unsigned int number = 0; number < n[kind]; ++number)
        for (unsigned int k = 0; k < n_dofs[kind]; ++k, ++dof)
          if (!met.insert({kind, number, fe.system_to_component_index(dof).first}).second)
            return false;
    return true;
  }

  std::size_t size() const { return first.back(); }
  int         n_dofs(int entity) const // on an entity of the mesh
  {
    return static_cast<int>(
      n_dofs_of_kind[std::upper_bound(first.begin(), first.end(), std::size_t(entity)) - first.begin() - 1]);
  }

  // The parts of a cell are the entities that have DoFs.
  int n_of_cell() const { return static_cast<int>(parts.size()); }
  int first_dof(int part) const { return parts[part].first_dof; } // in the cell; the part's other DoFs follow
  int n_dofs_of(int part) const { return static_cast<int>(n_dofs_of_kind[parts[part].kind]); }
  int part_of(int dof) const { return part_of_dof[dof]; }
  // Returns the mesh's number of the entity at `part` of `cell`. An interior has to be of a cell in the list.
  int of_cell(const Cell &cell, int part) const
  {
    const auto &[kind, number, first_dof] = parts[part];
    unsigned int index                    = 0;
    if (kind == 0)
      index = cell->vertex_index(number);
    else if (kind == dim)
      index = cells.number(cell);
    else if (kind == 1)
      index = cell->line_index(number);
    else
      index = cell->face_index(number);
    return static_cast<int>(first[kind] + index);
  }

private:
  static std::vector<unsigned int> n_dofs_of_kinds(const dealii::FiniteElement<dim> &fe)
  {
    std::vector<unsigned int> n = {fe.n_dofs_per_vertex(), fe.n_dofs_per_line(), fe.n_dofs_per_quad(),
                                   fe.n_dofs_per_hex()};
    n.resize(dim + 1);
    return n;
  }
  static std::vector<unsigned int> n_of_kinds()
  {
    using Geometry              = dealii::GeometryInfo<dim>;
    std::vector<unsigned int> n = {Geometry::vertices_per_cell, Geometry::lines_per_cell, Geometry::quads_per_cell, 1};
    n.resize(dim + 1);
    return n;
  }

  struct Part
  {
    int          kind; // 0: a vertex, 1: a line, ..., dim: the interior
    unsigned int number;
    int          first_dof;
  };
  const CellList<dim>      &cells;
  std::vector<Part>         parts;
  std::vector<int>          part_of_dof;
  std::vector<unsigned int> n_dofs_of_kind;
  std::vector<std::size_t>  first = {0}; // number of the first entity of each kind, and the end
};

// The closed constraints on the marked cells. A DoF hangs on a face that is a part of its parent's face, which the
// coarser neighbour has: there it is what the parent's DoFs make it.
template <int dim>
dealii::AffineConstraints<double> constrain_hanging(const CellList<dim> &cells, const Array<char> &hangs,
                                                    const CellEntities<dim> &entities, const Array<int> &first_dof,
                                                    const dealii::FiniteElement<dim> &fe, std::size_t n_dofs)
{
  using Cell = typename CellList<dim>::Cell;
  dealii::AffineConstraints<double>     constraints(dealii::complete_index_set(n_dofs));
  std::vector<std::pair<Index, double>> entries;
  const auto                            on_face = dofs_on_faces(fe);
  const auto of_parent = rows_of_children<dim>([&](unsigned int child) { return fe.get_prolongation_matrix(child); });

  const auto dof_of = [&](const Cell &cell, int i) {
    const int part = entities.part_of(i);
    return first_dof[entities.of_cell(cell, part)] + i - entities.first_dof(part);
  };
  const auto constrain = [&](int dof, const Cell &parent, const Row &row) {
    if (constraints.is_constrained(dof))
      return;
    entries.clear();
    for (const auto &[j, weight] : row)
      entries.emplace_back(dof_of(parent, j), weight);
    if (entries.size() == 1 && static_cast<int>(entries[0].first) == dof) // the parent has it, too
      return;
    constraints.add_line(dof);
    constraints.add_entries(dof, entries);
  };
  for (std::size_t c = 0; c < cells.size(); ++c)
    if (hangs[c] != 0)
      {
        const auto cell = cells[c];
        for (const unsigned int face : cell->face_indices())
          if (cells.meets_coarser(cell, face))
            for (const int i : on_face[face])
              constrain(dof_of(cell, i), cell->parent(), of_parent[child_number(cell)][i]);
      }
  constraints.close();
  return constraints;
}

template <int dim>
Numbering<dim> number_by_entities(const CellList<dim> &cells, const dealii::FiniteElement<dim> &fe)
{
  const CellEntities<dim>         entities(cells, fe);
  std::vector<dealii::Point<dim>> points;
  for (int part = 0; part < entities.n_of_cell(); ++part)
    points.push_back(fe.unit_support_point(entities.first_dof(part)));
  const std::size_t  per_cell = fe.n_dofs_per_cell();
  Array<int>         cell_dofs(cells.size() * per_cell); // at first the entity, at the first DoF of each part
  PositionOrder<dim> order(cells, points, entities.size());
#pragma omp parallel for schedule(static)
  for (std::size_t c = 0; c < cells.size(); ++c)
    {
      const auto cell = cells[c];
      order.place(cell, [&](std::size_t part) {
        return cell_dofs[c * per_cell + entities.first_dof(part)] = entities.of_cell(cell, static_cast<int>(part));
      });
    }
  Array<int>  first_dof(entities.size());
  std::size_t n_dofs = 0;
  for (const int entity : order.sorted())
    {
      first_dof[entity] = static_cast<int>(n_dofs);
      n_dofs += entities.n_dofs(entity);
    }
  to_index(n_dofs, "degrees of freedom");

  Array<char> hangs(cells.size());
#pragma omp parallel for schedule(static)
  for (std::size_t c = 0; c < cells.size(); ++c)
    {
      const auto cell = cells[c];
      for (int part = 0; part < entities.n_of_cell(); ++part)
        {
          int *own = &cell_dofs[c * per_cell + entities.first_dof(part)];
          std::iota(own, own + entities.n_dofs_of(part), first_dof[*own]);
        }
      hangs[c] = 0;
      for (unsigned int face = 0; face < dealii::GeometryInfo<dim>::faces_per_cell; ++face)
        if (cells.meets_coarser(cell, face))
          hangs[c] = 1;
    }
  auto hanging_nodes = constrain_hanging(cells, hangs, entities, first_dof, fe, n_dofs);
  auto partition     = make_partitioner(dealii::complete_index_set(n_dofs), {}, cells.mesh()->get_communicator());
  return {{}, {}, std::move(partition), std::move(cell_dofs), std::move(hanging_nodes)};
}
} // namespace

template <int dim>
dealii::AffineConstraints<double> hanging_node_constraints(const dealii::DoFHandler<dim> &dofs, bool periodic)
{
  dealii::AffineConstraints<double> constraints(dealii::DoFTools::extract_locally_relevant_dofs(dofs));
  const auto                       &mesh = dofs.get_triangulation();
  if (mesh.has_hanging_nodes())
    dealii::DoFTools::make_hanging_node_constraints(dofs, constraints);
  using Cell = typename dealii::DoFHandler<dim>::cell_iterator;
  if (periodic)
    dealii::DoFTools::make_periodicity_constraints<dim, dim>(
      periodic_faces(mesh, [&](const auto &cell) { return Cell(&mesh, 0, cell->index(), &dofs); }), constraints);
  constraints.close();
  return constraints;
}

template <int dim>
Numbering<dim> number_dofs(std::shared_ptr<const CellList<dim>> cells, const dealii::FiniteElement<dim> &fe)
{
  const bool by_entities = Communicator(cells->mesh()->get_communicator()).size() == 1 &&
                           CellEntities<dim>::suffice(fe) && cells->mesh()->get_periodic_face_map().empty();
  if (!by_entities)
    cells = CellList<dim>::as_active(cells);
  auto result  = by_entities ? number_by_entities(*cells, fe) : number_by_dof_handler(*cells, fe);
  result.cells = std::move(cells);
  return result;
}

template dealii::AffineConstraints<double> hanging_node_constraints(const dealii::DoFHandler<2> &, bool);
template dealii::AffineConstraints<double> hanging_node_constraints(const dealii::DoFHandler<3> &, bool);
template Numbering<2> number_dofs(std::shared_ptr<const CellList<2>>, const dealii::FiniteElement<2> &);
template Numbering<3> number_dofs(std::shared_ptr<const CellList<3>>, const dealii::FiniteElement<3> &);
} // namespace adamant
