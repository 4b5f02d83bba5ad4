#include "fem/spaces/cell_entities.h"

#include "base/exceptions.h"
#include "base/parallel_for.h"
#include "fem/ranks/distributed_rows.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <parallel/algorithm>
#include <set>
#include <utility>

namespace adamant
{
namespace
{
template <int dim>
std::vector<int> n_dofs_of_kinds(const dealii::FiniteElement<dim> &fe)
{
  std::vector<unsigned int> n = {fe.n_dofs_per_vertex(), fe.n_dofs_per_line(), fe.n_dofs_per_quad(),
                                 fe.n_dofs_per_hex()};
  return {n.begin(), n.begin() + dim + 1};
}

template <int dim>
std::vector<unsigned int> n_of_kinds()
{
  using Geometry              = dealii::GeometryInfo<dim>;
  std::vector<unsigned int> n = {Geometry::vertices_per_cell, Geometry::lines_per_cell, Geometry::quads_per_cell, 1};
  n.resize(dim + 1);
  return n;
}
} // namespace

template <int dim>
CellEntities<dim>::CellEntities(const CellList<dim> &cells, const dealii::FiniteElement<dim> &fe)
  : cells(cells)
  , n_dofs_of_kind(n_dofs_of_kinds(fe))
  , first(1, 0)
{
  const auto of_cell = n_of_kinds<dim>();
  for (int kind = 0; kind <= dim; ++kind)
    {
      const int n = n_dofs_of_kind[kind];
      first.push_back(first.back() + (n == 0 ? 0 : kind == dim ? cells.size() : cells.end_of(kind)));
      for (unsigned int number = 0; n > 0 && number < of_cell[kind]; ++number)
        {
          const int part = static_cast<int>(parts.size()), first_dof = static_cast<int>(part_of_dof.size());
          parts.push_back({kind, number, first_dof}); // deal.II numbers a cell's DoFs in this order
          part_of_dof.insert(part_of_dof.end(), n, part);
        }
    }
  to_index(size(), "vertices, lines, faces and cells");
}

template <int dim>
bool CellEntities<dim>::suffice(const dealii::FiniteElement<dim> &fe)
{
  if (!fe.has_support_points() || !fe.is_primitive())
    return false;
  const auto                      n_dofs = n_dofs_of_kinds(fe);
  const auto                      n      = n_of_kinds<dim>();
  std::set<std::vector<unsigned>> met; // kind, number and component
  unsigned int                    dof = 0;
  for (unsigned int kind = 0; kind <= dim; ++kind)
    for (unsigned int number = 0; number < n[kind]; ++number)
      for (int k = 0; k < n_dofs[kind]; ++k, ++dof)
        if (!met.insert({kind, number, fe.system_to_component_index(dof).first}).second)
          return false;
  return true;
}

template <int dim>
int CellEntities<dim>::n_dofs(int entity) const
{
  int kind = 0;
  while (static_cast<std::size_t>(entity) >= first[kind + 1])
    ++kind;
  return n_dofs_of_kind[kind];
}

template <int dim>
int CellEntities<dim>::of_cell(const Cell &cell, int part) const
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

namespace
{
// The first DoF of each entity that the cells have, and how many DoFs there are.
template <int dim>
std::pair<Array<int>, std::size_t> sort_entities(const CellEntities<dim> &entities, const CellList<dim> &cells,
                                                 const dealii::FiniteElement<dim> &fe)
{
  constexpr unsigned int                      n_vertices = dealii::GeometryInfo<dim>::vertices_per_cell;
  constexpr std::uint64_t                     unused     = -1;
  const PositionKey<dim>                      key(cells);
  std::vector<std::array<double, n_vertices>> weights(entities.n_of_cell());
  for (int part = 0; part < entities.n_of_cell(); ++part)
    for (unsigned int v = 0; v < n_vertices; ++v)
      weights[part][v] =
        dealii::GeometryInfo<dim>::d_linear_shape_function(fe.unit_support_point(entities.first_dof(part)), v);

  Array<std::pair<std::uint64_t, int>> order(entities.size());
#pragma omp parallel for schedule(static)
  for (std::size_t e = 0; e < order.size(); ++e)
    order[e] = {unused, static_cast<int>(e)};
#pragma omp parallel for schedule(static)
  for (std::size_t c = 0; c < cells.size(); ++c)
    for (int part = 0; part < entities.n_of_cell(); ++part)
      {
        dealii::Point<dim> p;
        for (unsigned int v = 0; v < n_vertices; ++v)
          p += weights[part][v] * cells[c]->vertex(v);
        const std::uint64_t position = key(p);
        // Cells that share it write the same, but for those where rounding splits it: any will do.
        write_atomically(order[entities.of_cell(cells[c], part)].first, position);
      }
  __gnu_parallel::sort(order.begin(), order.end()); // all are different: the same for any number of threads

  Array<int>  first_dof(entities.size());
  std::size_t n = 0;
  for (const auto &[position, entity] : order)
    {
      if (position == unused)
        break;
      first_dof[entity] = static_cast<int>(n);
      n += entities.n_dofs(entity);
    }
  to_index(n, "degrees of freedom");
  return {std::move(first_dof), n};
}

// A DoF of a child on a face of its parent, by the parent's functions there: Σ weight times the parent's DoF.
struct FaceRow
{
  int dof;
  Row of_parent;
};

template <int dim>
std::vector<FaceRow> rows_on_face(const dealii::FiniteElement<dim> &fe, unsigned int child, unsigned int face)
{
  const auto          &embedding = fe.get_prolongation_matrix(child);
  std::vector<FaceRow> rows;
  for (unsigned int i = 0; i < embedding.m(); ++i)
    if (fe.has_support_on_face(i, face))
      {
        rows.push_back({static_cast<int>(i), {}});
        for (unsigned int j = 0; j < embedding.n(); ++j)
          if (std::abs(embedding(i, j)) > 1e-12)
            rows.back().of_parent.emplace_back(static_cast<int>(j), embedding(i, j));
      }
  return rows;
}

// A DoF hangs on a face that is a part of its parent's face, which the coarser neighbour has: there it is what the
// parent's DoFs make it.
template <int dim>
class HangingNodes
{
public:
  HangingNodes(const CellList<dim> &cells, const CellEntities<dim> &entities, const Array<int> &first_dof,
               const dealii::FiniteElement<dim> &fe, std::size_t n_dofs)
    : cells(cells)
    , entities(entities)
    , first_dof(first_dof)
    , fe(fe)
    , rows(dealii::GeometryInfo<dim>::max_children_per_cell)
  {
    constraints.reinit(dealii::complete_index_set(n_dofs));
  }

  dealii::AffineConstraints<double> constraints;

  void add(const typename CellList<dim>::Cell &cell)
  {
    const auto   parent = cell->parent();
    unsigned int child  = 0;
    while (parent->child(child) != cell)
      ++child;
    while (rows[child].size() < cell->n_faces())
      rows[child].push_back(rows_on_face(fe, child, static_cast<unsigned int>(rows[child].size())));
    for (const unsigned int face : cell->face_indices())
      if (cells.meets_coarser(cell, face))
        for (const auto &[i, of_parent] : rows[child][face])
          add(dof_of(cell, i), parent, of_parent);
  }

private:
  using Index = dealii::types::global_dof_index;

  int dof_of(const typename CellList<dim>::Cell &cell, int i) const
  {
    const int part = entities.part_of(i);
    return first_dof[entities.of_cell(cell, part)] + i - entities.first_dof(part);
  }

  void add(int dof, const typename CellList<dim>::Cell &parent, const Row &of_parent)
  {
    if (constraints.is_constrained(dof))
      return;
    entries.clear();
    for (const auto &[j, weight] : of_parent)
      entries.emplace_back(dof_of(parent, j), weight);
    if (entries.size() == 1 && static_cast<int>(entries[0].first) == dof) // the parent has it, too
      return;
    constraints.add_line(dof);
    constraints.add_entries(dof, entries);
  }

  const CellList<dim>                           &cells;
  const CellEntities<dim>                       &entities;
  const Array<int>                              &first_dof;
  const dealii::FiniteElement<dim>              &fe;
  std::vector<std::vector<std::vector<FaceRow>>> rows; // by child and face
  std::vector<std::pair<Index, double>>          entries;
};
} // namespace

template <int dim>
EntityNumbering<dim> number_by_entities(const CellList<dim> &cells, const dealii::FiniteElement<dim> &fe)
{
  const CellEntities<dim> entities(cells, fe);
  const auto              numbers   = sort_entities(entities, cells, fe);
  const auto             &first_dof = numbers.first;
  const std::size_t       per_cell  = fe.n_dofs_per_cell();
  Array<int>              cell_dofs(cells.size() * per_cell);
  Array<char>             hangs(cells.size());
#pragma omp parallel for schedule(static)
  for (std::size_t c = 0; c < cells.size(); ++c)
    {
      const auto cell = cells[c];
      for (int part = 0; part < entities.n_of_cell(); ++part)
        for (int k = 0, dof = first_dof[entities.of_cell(cell, part)]; k < entities.n_dofs_of(part); ++k)
          cell_dofs[c * per_cell + entities.first_dof(part) + k] = dof + k;
      hangs[c] = 0;
      for (unsigned int face = 0; face < dealii::GeometryInfo<dim>::faces_per_cell; ++face)
        if (cells.meets_coarser(cell, face))
          hangs[c] = 1;
    }
  HangingNodes<dim> hanging(cells, entities, first_dof, fe, numbers.second);
  for (std::size_t c = 0; c < cells.size(); ++c)
    if (hangs[c] != 0)
      hanging.add(cells[c]);
  hanging.constraints.close();
  return {numbers.second, std::move(cell_dofs), std::move(hanging.constraints)};
}

template class CellEntities<2>;
template class CellEntities<3>;
template EntityNumbering<2> number_by_entities(const CellList<2> &, const dealii::FiniteElement<2> &);
template EntityNumbering<3> number_by_entities(const CellList<3> &, const dealii::FiniteElement<3> &);
} // namespace adamant
