#include "base/communicator.h"
#include "base/exceptions.h"
#include "fem/meshes/mesh.h"
#include "fem/spaces/numbering.h"
#include "fem/spaces/position_order.h"

#include <deal.II/base/index_set.h>
#include <deal.II/base/mpi.h>

#include <boost/serialization/vector.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace adamant
{
namespace
{
using Index = dealii::types::global_dof_index;

template <int dim>
std::vector<unsigned int> n_dofs_of_kinds(const dealii::FiniteElement<dim> &fe)
{
  std::vector<unsigned int> n = {fe.n_dofs_per_vertex(), fe.n_dofs_per_line(), fe.n_dofs_per_quad(),
                                 fe.n_dofs_per_hex()};
  n.resize(dim + 1);
  return n;
}

template <int dim>
unsigned int n_of_kind(int kind) // in a cell
{
  using Geometry = dealii::GeometryInfo<dim>;
  return kind == dim ?
           1 :
           std::array{Geometry::vertices_per_cell, Geometry::lines_per_cell, Geometry::faces_per_cell}[kind];
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
    for (int kind = 0; kind <= dim; ++kind)
      {
        const int n = n_dofs_of_kind[kind];
        first.push_back(first.back() + (n == 0 ? 0 : kind == dim ? cells.size() : cells.end_of(kind)));
        for (unsigned int number = 0; n > 0 && number < n_of_kind<dim>(kind); ++number)
          {
            const int part = n_of_cell(), first_dof = static_cast<int>(part_of_dof.size());
            parts.push_back({kind, number, first_dof}); // deal.II numbers a cell's DoFs in this order
            part_of_dof.insert(part_of_dof.end(), n, part);
          }
      }
    to_index(size(), "vertices, lines, faces and cells");
  }

  std::size_t size() const { return first.back(); }
  Index       n_dofs(int entity) const // on an entity of the mesh
  {
    return n_dofs_of_kind[std::upper_bound(first.begin(), first.end(), std::size_t(entity)) - first.begin() - 1];
  }

  // The parts of a cell are the entities that have DoFs.
  int  n_of_cell() const { return static_cast<int>(parts.size()); }
  int  first_dof(int part) const { return parts[part].first_dof; } // in the cell; the part's other DoFs follow
  int  n_dofs_of(int part) const { return static_cast<int>(n_dofs_of_kind[parts[part].kind]); }
  int  part_of(int dof) const { return part_of_dof[dof]; }
  bool is_interior(int part) const { return parts[part].kind == dim; }
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

// The cells where this rank's cells meet others': `own` ones, and the `ghosts` of other ranks. Each rank sends numbers
// that its own cells have to the ranks that have these cells as ghosts.
template <int dim>
class Borders
{
public:
  using Cell = typename CellList<dim>::Cell;

  explicit Borders(const CellList<dim> &cells)
    : comm(cells.mesh()->get_communicator())
  {
    if (Communicator(comm).size() == 1)
      return;
    std::map<unsigned int, std::set<dealii::types::subdomain_id>> ranks_at; // vertices
    Array<char>                                                   is_shared(cells.end_of(0), 0);
    for (const auto &cell : cells.mesh()->active_cell_iterators())
      if (cell->is_ghost())
        {
          ghosts[cell->subdomain_id()].push_back(cell);
          for (const unsigned int v : cell->vertex_indices())
            {
              ranks_at[cell->vertex_index(v)].insert(cell->subdomain_id());
              is_shared[cell->vertex_index(v)] = 1;
            }
        }
    for (const auto cell : cells)
      {
        std::set<dealii::types::subdomain_id> ranks;
        for (const unsigned int v : cell->vertex_indices())
          if (is_shared[cell->vertex_index(v)] != 0)
            ranks.insert(ranks_at[cell->vertex_index(v)].begin(), ranks_at[cell->vertex_index(v)].end());
        for (const auto rank : ranks)
          sent[rank].push_back(cell);
        if (!ranks.empty())
          own.push_back(cell);
      }
    for (auto *of_ranks : {&sent, &ghosts}) // in an order that both ranks know
      for (auto &[rank, list] : *of_ranks)
        std::sort(list.begin(), list.end(), [](const Cell &a, const Cell &b) {
          return a->global_active_cell_index() < b->global_active_cell_index();
        });
  }

  // Calls take(ghost, part, number) with the ghost's own rank's number of a part. All ranks call it together.
  template <class NumberOf, class Take>
  void exchange(int n_parts, const NumberOf &number_of, const Take &take) const
  {
    std::map<unsigned int, std::vector<Index>> messages;
    for (const auto &[rank, list] : sent)
      for (const auto &cell : list)
        for (int part = 0; part < n_parts; ++part)
          messages[rank].push_back(number_of(cell, part));
    const auto received = dealii::Utilities::MPI::some_to_some(comm, messages);
    double     differ   = 0.;
    for (const auto &[rank, list] : ghosts)
      if (const auto found = received.find(rank);
          found == received.end() || found->second.size() != list.size() * std::size_t(n_parts))
        differ = 1.;
    Communicator(comm).max(&differ, 1);
    if (differ > 0.)
      throw RunError(
        "degrees of freedom: two ranks have different cells at their border; do cells run through a line of "
        "the coarse mesh in two directions? A serial Triangulation takes such meshes");
    for (const auto &[rank, list] : ghosts)
      {
        auto number = received.at(rank).begin();
        for (const auto &cell : list)
          for (int part = 0; part < n_parts; ++part)
            take(cell, part, *number++);
      }
  }

  std::vector<Cell>                                        own;
  std::map<dealii::types::subdomain_id, std::vector<Cell>> ghosts;

private:
  const MPI_Comm                                           comm;
  std::map<dealii::types::subdomain_id, std::vector<Cell>> sent;
};

constexpr Index no_number = dealii::numbers::invalid_dof_index;

// Numbers the DoFs of a list of cells by the entities on which they lie.
template <int dim>
class NumberingByEntities
{
public:
  using Cell = typename CellList<dim>::Cell;

  NumberingByEntities(const CellList<dim> &cells, const dealii::FiniteElement<dim> &fe)
    : cells(cells)
    , fe(fe)
  {}

  Numbering<dim> operator()()
  {
    mark_borders();
    number_owned();
    const bool alone = Communicator(comm).size() == 1;
    for (int round = 0; round < 2 && !alone; ++round) // the owners' numbers, then all that other ranks' cells have
      borders.exchange(
        entities.n_of_cell(), [this](const Cell &cell, int part) { return number(cell, part); },
        [this](const Cell &cell, int part, Index dof) {
          if (dof != no_number && !entities.is_interior(part))
            first_dof[entities.of_cell(cell, part)] = dof;
        });
    auto partition = make_partition();
    auto hanging   = constraints(*partition);
    return {{}, {}, partition, local_numbers(*partition), std::move(hanging)};
  }

private:
  static constexpr char of_lower_rank = 1, of_own_cell = 2; // bits; a lower rank owns the DoFs

  Index number(const Cell &cell, int part) const { return first_dof[entities.of_cell(cell, part)]; }

  // A DoF belongs to the lowest rank whose cells have it.
  void mark_borders()
  {
    if (borders.ghosts.empty())
      return;
    on_borders.assign(entities.size(), 0);
    const auto mark = [this](const Cell &cell, char bit) {
      for (int part = 0; part < entities.n_of_cell(); ++part)
        if (!entities.is_interior(part))
          on_borders[entities.of_cell(cell, part)] |= bit;
    };
    for (const auto &cell : borders.own)
      mark(cell, of_own_cell);
    for (const auto &[rank, list] : borders.ghosts)
      for (const auto &cell : list)
        if (rank < cells.mesh()->locally_owned_subdomain())
          mark(cell, of_lower_rank);
  }
  bool is_on_border(int entity, char bit) const { return !on_borders.empty() && (on_borders[entity] & bit) != 0; }

  void number_owned()
  {
    std::vector<dealii::Point<dim>> points;
    for (int part = 0; part < entities.n_of_cell(); ++part)
      points.push_back(fe.unit_support_point(entities.first_dof(part)));
    PositionOrder<dim> order(cells, points, entities.size());
#pragma omp parallel for schedule(static)
    for (std::size_t c = 0; c < cells.size(); ++c)
      {
        const auto cell = cells[c];
        order.place(cell, [&](std::size_t part) {
          const int entity = entities.of_cell(cell, static_cast<int>(part));
          return is_on_border(entity, of_lower_rank) ? -1 : entity;
        });
      }
    const auto    sorted = order.sorted();
    std::uint64_t n_dofs = 0;
#pragma omp parallel for schedule(static) reduction(+ : n_dofs)
    for (std::size_t k = 0; k < sorted.size(); ++k)
      n_dofs += entities.n_dofs(sorted[k]);
    to_index(n_dofs, "degrees of freedom");
    owned      = owned_range(n_dofs, comm);
    first      = n_dofs == 0 ? 0 : owned.nth_index_in_set(0);
    Index next = first;
    for (const int entity : sorted)
      {
        first_dof[entity] = next;
        next += entities.n_dofs(entity);
      }
  }

  // Calls action(DoF, the parent of a cell that has it, weights of the parent's DoFs) for DoFs of own cells. A DoF
  // hangs on a face that is a part of its parent's face, which the coarser neighbour has: there it is what the parent's
  // DoFs make it. Where none of the own cells has this face, a ghost may have it.
  template <class Action>
  void for_each_hanging(const Action &action) const
  {
    const auto on_face   = dofs_on_faces(fe);
    const auto of_parent = rows_of_children<dim>([&](unsigned int child) { return fe.get_prolongation_matrix(child); });
    const auto of_cell   = [&](const Cell &cell, bool is_own) {
      for (const unsigned int face : cell->face_indices())
        if (cells.meets_coarser(cell, face))
          for (const int i : on_face[face])
            if (is_own || is_on_border(entities.of_cell(cell, entities.part_of(i)), of_own_cell))
              action(dof_of(cell, i), cell->parent(), of_parent[child_number(cell)][i]);
    };
    Array<char> hangs(cells.size(), 0);
#pragma omp parallel for schedule(static)
    for (std::size_t c = 0; c < cells.size(); ++c)
      {
        const auto cell = cells[c];
        for (const unsigned int face : cell->face_indices())
          hangs[c] |= cells.meets_coarser(cell, face);
      }
    for (std::size_t c = 0; c < cells.size(); ++c)
      if (hangs[c] != 0)
        of_cell(cells[c], true);
    for (const auto &[rank, list] : borders.ghosts)
      for (const auto &cell : list)
        of_cell(cell, false);
  }
  Index dof_of(const Cell &cell, int i) const
  {
    const int part = entities.part_of(i);
    return number(cell, part) + i - entities.first_dof(part);
  }

  // The local DoFs are the DoFs of the own cells and the DoFs that constrain them.
  std::shared_ptr<const Partitioner> make_partition() const
  {
    std::vector<Index> ghosts;
    const auto         add = [&](Index dof) {
      if (!is_owned(dof)) // else the list would be long
        ghosts.push_back(dof);
    };
    for (const auto &cell : borders.own)
      for (unsigned int i = 0; i < fe.n_dofs_per_cell(); ++i)
        if (!entities.is_interior(entities.part_of(static_cast<int>(i))))
          add(dof_of(cell, static_cast<int>(i)));
    if (!on_borders.empty())
      for_each_hanging([&](Index, const Cell &parent, const Row &row) {
        for (const auto &[j, weight] : row)
          add(dof_of(parent, j));
      });
    return make_partitioner(owned, std::move(ghosts), comm);
  }
  bool is_owned(Index dof) const
  {
    return dof >= first && dof - first < owned.n_elements();
  }

  dealii::AffineConstraints<double> constraints(const Partitioner &partition) const
  {
    dealii::IndexSet local = owned;
    local.add_indices(partition.ghost_indices());
    dealii::AffineConstraints<double>     constraints(local);
    std::vector<std::pair<Index, double>> entries;
    for_each_hanging([&](Index dof, const Cell &parent, const Row &row) {
      if (constraints.is_constrained(dof))
        return;
      entries.clear();
      for (const auto &[j, weight] : row)
        entries.emplace_back(dof_of(parent, j), weight);
      if (entries.size() == 1 && entries[0].first == dof) // the parent has it, too
        return;
      constraints.add_line(dof);
      constraints.add_entries(dof, entries);
    });
    constraints.close();
    return constraints;
  }

  Array<int> local_numbers(const Partitioner &partition) const
  {
    const std::size_t per_cell = fe.n_dofs_per_cell();
    Array<int>        numbers(cells.size() * per_cell);
#pragma omp parallel for schedule(static)
    for (std::size_t c = 0; c < cells.size(); ++c)
      {
        const auto cell = cells[c];
        for (int part = 0; part < entities.n_of_cell(); ++part)
          {
            const Index dof   = number(cell, part);
            int        *local = &numbers[c * per_cell + entities.first_dof(part)];
            std::iota(local, local + entities.n_dofs_of(part),
                      static_cast<int>(is_owned(dof) ? dof - first : partition.global_to_local(dof)));
          }
      }
    return numbers;
  }

  const CellList<dim>              &cells;
  const dealii::FiniteElement<dim> &fe;
  const CellEntities<dim>           entities{cells, fe};
  const Borders<dim>                borders{cells};
  const MPI_Comm                    comm = cells.mesh()->get_communicator();
  Array<char>                       on_borders; // bits of each entity; empty where all cells are this rank's
  Array<Index>                      first_dof = Array<Index>(entities.size(), no_number); // global, of each entity
  dealii::IndexSet                  owned;
  Index                             first = 0; // owned one
};
} // namespace

template <int dim>
bool entities_suffice(const dealii::FiniteElement<dim> &fe)
{
  if (!fe.has_support_points() || !fe.is_primitive())
    return false;
  const auto                      n_dofs = n_dofs_of_kinds(fe);
  std::set<std::vector<unsigned>> met; // kind, number and component
  unsigned int                    dof = 0;
  for (unsigned int kind = 0; kind <= dim; ++kind)
    for (unsigned int number = 0; number < n_of_kind<dim>(kind); ++number)
      for (unsigned int k = 0; k < n_dofs[kind]; ++k, ++dof)
        if (!met.insert({kind, number, fe.system_to_component_index(dof).first}).second ||
            (kind == dim && fe.has_support_on_face(dof, 0))) // as that of a constant
          return false;
  return true;
}

template <int dim>
Numbering<dim> number_by_entities(const CellList<dim> &cells, const dealii::FiniteElement<dim> &fe)
{
  return NumberingByEntities<dim>(cells, fe)();
}

template bool         entities_suffice(const dealii::FiniteElement<2> &);
template bool         entities_suffice(const dealii::FiniteElement<3> &);
template Numbering<2> number_by_entities(const CellList<2> &, const dealii::FiniteElement<2> &);
template Numbering<3> number_by_entities(const CellList<3> &, const dealii::FiniteElement<3> &);
} // namespace adamant
