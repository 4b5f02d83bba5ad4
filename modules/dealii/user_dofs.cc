#include "dealii/user_dofs.h"

#include "base/exceptions.h"
#include "base/parallel_for.h"
#include "dealii/ranks.h"
#include "fem/meshes/mesh.h"
#include "fem/spaces/numbering.h"

#include <deal.II/base/mpi.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

namespace adamant
{
namespace
{
using Index = dealii::types::global_dof_index;

// The element that is behind one component of a system.
template <int dim>
const dealii::FiniteElement<dim> &scalar_element(const dealii::FiniteElement<dim> &fe, unsigned int component)
{
  const auto *system = dynamic_cast<const dealii::FESystem<dim> *>(&fe);
  if (system == nullptr)
    return fe;
  const auto [base, within] = system->component_to_base_index(component);
  return scalar_element(system->base_element(base), within);
}

template <int dim>
std::vector<unsigned int> selected(const dealii::DoFHandler<dim> &dofs, const dealii::ComponentMask &components)
{
  std::vector<unsigned int> list;
  for (unsigned int c = 0; c < dofs.get_fe().n_components(); ++c)
    if (components[c])
      list.push_back(c);
  return list;
}

// For each DoF of a cell of the selected components, its number among all DoFs of the cell.
template <int dim>
std::vector<unsigned int> places_in_cell(const dealii::FiniteElement<dim> &part, const dealii::DoFHandler<dim> &dofs,
                                         const dealii::ComponentMask &components)
{
  std::vector<unsigned int> places(part.n_dofs_per_cell());
  std::iota(places.begin(), places.end(), 0);
  const auto list = selected(dofs, components);
  if (list.size() < dofs.get_fe().n_components())
    for (unsigned int i = 0; i < places.size(); ++i)
      {
        const auto [component, k] = part.system_to_component_index(i);
        places[i]                 = dofs.get_fe().component_to_system_index(list[component], k);
      }
  return places;
}

// The owned DoFs of the selected components, in the DoFHandler's numbers.
template <int dim>
dealii::IndexSet owned_dofs(const CellList<dim> &cells, const dealii::DoFHandler<dim> &dofs,
                            const std::vector<unsigned int> &places)
{
  const dealii::IndexSet &all = dofs.locally_owned_dofs();
  std::vector<Index>      mine, of_cell(dofs.get_fe().n_dofs_per_cell());
  for (const auto cell : cells)
    {
      with_dofs(cell, dofs)->get_dof_indices(of_cell);
      for (const unsigned int i : places)
        if (all.is_element(of_cell[i]))
          mine.push_back(of_cell[i]);
    }
  std::sort(mine.begin(), mine.end());
  mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
  dealii::IndexSet set(dofs.n_dofs());
  set.add_indices(mine.begin(), mine.end());
  set.compress();
  return set;
}

// Counts from the first DoF of all ranks. Throws where others lie between them.
dealii::IndexSet as_block(const dealii::IndexSet &dofs, const Communicator &ranks, Index &first)
{
  double ends[] = {-static_cast<double>(dofs.size()), 0.}; // minus the first, and one behind the last
  double n      = static_cast<double>(dofs.n_elements());
  if (dofs.n_elements() > 0)
    {
      ends[0] = -static_cast<double>(dofs.nth_index_in_set(0));
      ends[1] = static_cast<double>(dofs.nth_index_in_set(dofs.n_elements() - 1)) + 1.;
    }
  ranks.max(ends, 2);
  ranks.sum(&n, 1);
  first = static_cast<Index>(-ends[0]);
  if (ends[1] + ends[0] != n)
    refuse("the DoFs of the selected components do not follow each other, so that they are no block of a matrix; "
           "DoFRenumbering::component_wise numbers them so");
  return dofs.get_view(first, first + static_cast<Index>(n));
}

// The number of this rank's DoFs as the mesh is by now: on the vertices, lines, faces and interiors of its cells,
// unless a lower rank has them, too.
template <int dim>
Index count_dofs(const dealii::DoFHandler<dim> &dofs)
{
  const auto &mesh = dofs.get_triangulation();
  const auto &fe   = dofs.get_fe();
  const auto  mine = mesh.locally_owned_subdomain();
  Array<char> vertices(fe.n_dofs_per_vertex() > 0 ? mesh.n_vertices() : 0, 0);
  Array<char> lines(fe.n_dofs_per_line() > 0 ? mesh.n_raw_lines() : 0, 0), quads;
  if constexpr (dim == 3)
    quads.assign(fe.n_dofs_per_quad() > 0 ? mesh.n_raw_quads() : 0, 0);
  Index      n    = 0;
  const auto mark = [&](const auto &cell, char value) {
    for (const unsigned int v : cell->vertex_indices())
      if (!vertices.empty())
        vertices[cell->vertex_index(v)] = value;
    for (const unsigned int l : cell->line_indices())
      if (!lines.empty())
        lines[cell->line_index(l)] = value;
    for (const unsigned int f : cell->face_indices())
      if (!quads.empty())
        quads[cell->face_index(f)] = value;
  };
  for (const auto &cell : mesh.active_cell_iterators())
    if (cell->is_locally_owned())
      {
        mark(cell, 1);
        n += dim == 2 ? fe.n_dofs_per_quad() : fe.n_dofs_per_hex();
      }
  for (const auto &cell : mesh.active_cell_iterators())
    if (cell->is_ghost() && cell->subdomain_id() < mine)
      mark(cell, 0);
  n += fe.n_dofs_per_vertex() * std::count(vertices.begin(), vertices.end(), 1);
  n += fe.n_dofs_per_line() * std::count(lines.begin(), lines.end(), 1);
  n += fe.n_dofs_per_quad() * std::count(quads.begin(), quads.end(), 1);
  return n;
}

// All of UserDofs but the numbers.
template <int dim>
UserDofs rows_of(const CellList<dim> &cells, const dealii::DoFHandler<dim> &dofs,
                 const std::vector<unsigned int> &places)
{
  UserDofs result;
  result.ranks = Communicator(dofs.get_communicator());
  if (places.size() == dofs.get_fe().n_dofs_per_cell())
    result.set_owned(dofs.locally_owned_dofs());
  else
    result.set_owned(as_block(owned_dofs(cells, dofs, places), result.ranks, result.first));
  return result;
}
} // namespace

template <int dim>
void check_mesh_of(const dealii::DoFHandler<dim> &dofs)
{
  const Index n = count_dofs(dofs);
  agreed(Communicator(dofs.get_communicator()), [&] {
    if (n != dofs.n_locally_owned_dofs())
      refuse("the DoFHandler has " + std::to_string(dofs.n_locally_owned_dofs()) +
             " DoFs on a rank, but the mesh has " + std::to_string(n) +
             "; was the mesh refined after distribute_dofs()?");
  });
}

template <int dim>
const dealii::FiniteElement<dim> *element_of_each(const dealii::FiniteElement<dim> &fe)
{
  for (unsigned int c = 1; c < fe.n_components(); ++c)
    if (scalar_element(fe, c).get_name() != scalar_element(fe, 0).get_name())
      return nullptr;
  return &scalar_element(fe, 0);
}

void UserDofs::set_owned(dealii::IndexSet rows)
{
  owned = std::move(rows);
  owned.compress();
  contiguous = owned.is_contiguous();
  begin      = owned.n_elements() > 0 ? owned.nth_index_in_set(0) : 0;
  number.assign(owned.n_elements(), -1);
}

std::vector<Index> UserDofs::numbers_in_space(const std::vector<Index> &rows) const
{
  agreed(ranks, [&] {
    for (const Index row : rows)
      if (row >= owned.size())
        refuse("row " + std::to_string(row) + " is asked for, but the matrix has " + std::to_string(owned.size()));
  });
  std::vector<Index> numbers(rows.size());
  if (ranks.size() == 1)
    {
      for (std::size_t k = 0; k < rows.size(); ++k)
        numbers[k] = number[place(rows[k])];
      return numbers;
    }
  const MPI_Comm     comm   = ranks.handle();
  std::vector<Index> sorted = rows;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  dealii::IndexSet set(owned.size());
  set.add_indices(sorted.begin(), sorted.end());
  set.compress();
  const auto                                 owner = dealii::Utilities::MPI::compute_index_owner(owned, set, comm);
  std::map<unsigned int, std::vector<Index>> questions;
  for (std::size_t k = 0; k < sorted.size(); ++k)
    questions[owner[k]].push_back(sorted[k]);
  const auto                                 asked = dealii::Utilities::MPI::some_to_some(comm, questions);
  std::map<unsigned int, std::vector<Index>> answers;
  for (const auto &[rank, list] : asked)
    for (const Index row : list)
      answers[rank].push_back(first_in_space + number[place(row)]);
  const auto         found = dealii::Utilities::MPI::some_to_some(comm, answers);
  std::vector<Index> of_sorted(sorted.size());
  for (const auto &[rank, list] : questions)
    for (std::size_t k = 0; k < list.size(); ++k)
      of_sorted[std::lower_bound(sorted.begin(), sorted.end(), list[k]) - sorted.begin()] = found.at(rank)[k];
  for (std::size_t k = 0; k < rows.size(); ++k)
    numbers[k] = of_sorted[std::lower_bound(sorted.begin(), sorted.end(), rows[k]) - sorted.begin()];
  return numbers;
}

template <int dim>
void check_dofs(const dealii::DoFHandler<dim> &dofs, const dealii::ComponentMask &components)
{
  if (dofs.n_dofs() == 0)
    refuse("the DoFHandler has no DoFs; has distribute_dofs() been called?");
  if (dofs.has_hp_capabilities())
    refuse(
      "the DoFHandler is one of hp::FECollection, which is not supported; multigrid needs one element on all cells");
  if (!dofs.get_triangulation().all_reference_cells_are_hyper_cube())
    refuse("the mesh has simplices, wedges or pyramids; only quadrilaterals and hexahedra are supported");
  const auto &fe = dofs.get_fe();
  if (components.size() != 0 && components.size() != fe.n_components())
    refuse("the component mask is for " + std::to_string(components.size()) + " components, but " + fe.get_name() +
           " has " + std::to_string(fe.n_components()));
  const auto list = selected(dofs, components);
  if (list.empty())
    refuse("no component is selected");
  for (const unsigned int c : list)
    {
      const auto &scalar = scalar_element(fe, c);
      if (dynamic_cast<const dealii::FE_Q<dim> *>(&scalar) == nullptr)
        refuse("component " + std::to_string(c) + " has the element " + scalar.get_name() +
               ", but only FE_Q and FESystem of FE_Q are supported; select the other components by an extractor");
      if (list.size() < fe.n_components() && scalar.get_name() != scalar_element(fe, list[0]).get_name())
        refuse("the selected components have different elements, " + scalar_element(fe, list[0]).get_name() + " and " +
               scalar.get_name() + "; make a preconditioner for each");
    }
}

template <int dim>
std::unique_ptr<dealii::FiniteElement<dim>> element_of(const dealii::DoFHandler<dim> &dofs,
                                                       const dealii::ComponentMask   &components)
{
  const auto &fe   = dofs.get_fe();
  const auto  list = selected(dofs, components);
  if (list.size() == fe.n_components())
    return fe.clone();
  const auto &scalar = scalar_element(fe, list[0]);
  if (list.size() == 1)
    return scalar.clone();
  return std::make_unique<dealii::FESystem<dim>>(scalar, static_cast<unsigned int>(list.size()));
}

template <int dim>
UserDofs user_dofs(const LevelSpace<dim> &space, const dealii::DoFHandler<dim> &dofs)
{
  check_mesh_of(dofs);
  UserDofs result;
  result.ranks          = space.communicator();
  result.first_in_space = space.partition().local_range().first;
  result.set_owned(dofs.locally_owned_dofs());
  for_dofs_of_cells(space.active_cells(), dofs, [&](int c, const std::vector<Index> &rows) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (result.is_owned(rows[i]))
        write_atomically(result.number[result.place(rows[i])], space.cell_dofs(c)[i]);
  });
  agreed(result.ranks, [&] {
    if (static_cast<int>(result.number.size()) != space.n_owned())
      refuse("this rank has " + std::to_string(result.number.size()) + " DoFs of the DoFHandler, but " +
             std::to_string(space.n_owned()) + " of multigrid");
    for (std::size_t k = 0; k < result.number.size(); ++k)
      if (result.number[k] < 0 || result.number[k] >= space.n_owned())
        refuse("DoF " + std::to_string(result.row(k)) +
               " belongs to this rank in the DoFHandler, but not in multigrid");
  });
  return result;
}

namespace
{
// The DoFs of a cell node by node, where each node has all components; else in their order.
template <int dim>
std::vector<unsigned int> node_by_node(const dealii::FiniteElement<dim> &fe)
{
  std::vector<unsigned int> order(fe.n_dofs_per_cell());
  std::iota(order.begin(), order.end(), 0);
  if (element_of_each(fe) != nullptr)
    std::stable_sort(order.begin(), order.end(), [&](unsigned int i, unsigned int j) {
      const auto a = fe.system_to_component_index(i), b = fe.system_to_component_index(j);
      return std::tie(a.second, a.first) < std::tie(b.second, b.first);
    });
  return order;
}

// Calls action for the cell, or for its children and their children, until it has reached active cells.
template <class Cell, class Action>
void for_leaves(const Cell &cell, const Action &action)
{
  if (!cell->has_children())
    return action(cell);
  for (unsigned int c = 0; c < cell->n_children(); ++c)
    for_leaves(cell->child(c), action);
}

// Numbers the owned DoFs in the order in which the leaves of the tree of cells meet them, as neighbours in space should
// be neighbours in memory.
template <int dim>
void number_along_cells(const CellList<dim> &cells, const dealii::FiniteElement<dim> &fe, const Array<Index> &rows,
                        UserDofs &dofs)
{
  const auto order   = node_by_node(fe);
  int        n       = 0;
  const auto of_cell = [&](int c) {
    for (const unsigned int i : order)
      if (const Index row = rows[std::size_t(c) * order.size() + i]; dofs.is_owned(row))
        if (int &number = dofs.number[dofs.place(row)]; number < 0)
          number = n++;
  };
  if (is_distributed(*cells.mesh())) // the list has the order of the forest
    for (int c = 0; c < static_cast<int>(cells.size()); ++c)
      of_cell(c);
  else
    for (const auto &cell : cells.mesh()->cell_iterators_on_level(0))
      for_leaves(typename CellList<dim>::Cell(cell), [&](const auto &leaf) { of_cell(cells.number(leaf)); });
  agreed(dofs.ranks, [&] {
    if (n != static_cast<int>(dofs.number.size()))
      refuse("a rank owns " + std::to_string(dofs.number.size()) + " DoFs, of which " + std::to_string(n) +
             " are on its cells; was the mesh refined after distribute_dofs(), or do cells run through a line of "
             "the coarse mesh in two directions?");
  });
}
} // namespace

template <int dim>
UserDofs number_user_dofs(const CellList<dim> &cells, const dealii::DoFHandler<dim> &dofs,
                          const dealii::ComponentMask &components, Array<int> &table)
{
  const auto element    = element_of(dofs, components);
  const auto places     = places_in_cell(*element, dofs, components);
  const auto per_cell   = places.size();
  UserDofs   result     = rows_of(cells, dofs, places);
  const int  n          = static_cast<int>(result.number.size());
  const auto owned      = owned_range(n, result.ranks.handle());
  result.first_in_space = owned.n_elements() > 0 ? owned.nth_index_in_set(0) : 0;
  agreed(result.ranks, [&] { to_index(cells.size() * per_cell, "DoFs of all cells"); });
  Array<Index> rows(cells.size() * per_cell);
  for_dofs_of_cells(cells, dofs, [&](int c, const std::vector<Index> &of_cell) {
    for (std::size_t i = 0; i < per_cell; ++i)
      rows[c * per_cell + i] = of_cell[places[i]] - result.first;
  });
  number_along_cells(cells, *element, rows, result);
  table.resize(rows.size());
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < table.size(); ++k)
    table[k] = result.is_owned(rows[k]) ? result.number[result.place(rows[k])] : n;
  return result;
}

template <int dim>
std::unique_ptr<LevelSpace<dim>> user_space(std::shared_ptr<const CellList<dim>> cells,
                                            const dealii::FiniteElement<dim> &element, const UserDofs &dofs,
                                            Array<int> table, const dealii::AffineConstraints<double> &of_mesh)
{
  const int   n = static_cast<int>(dofs.number.size());
  Array<char> is_free(n + 1, 1);
  is_free[n] = 0;
  for (const auto &line : of_mesh.get_lines())
    if (const Index row = line.index - dofs.first; dofs.is_owned(row))
      is_free[dofs.number[dofs.place(row)]] = 0;
  const auto one_where_free = [&](int i, Row &row) {
    if (is_free[i] != 0)
      row.emplace_back(i, 1.);
  };
  const MPI_Comm comm = dofs.ranks.handle();
  return std::make_unique<LevelSpace<dim>>(std::move(cells), element, make_partitioner(owned_range(n, comm), {}, comm),
                                           std::move(table), matrix_of_rows(n + 1, n, one_where_free, 1));
}

namespace
{
using ConstraintEntries = std::vector<std::pair<Index, double>>;

// The kind by the user's constraints; `hangs` says whether the mesh makes it a hanging node.
char kind_of(Index dof, bool hangs, const dealii::AffineConstraints<double> &constraints)
{
  if (!constraints.is_constrained(dof))
    {
      if (hangs)
        refuse("DoF " + std::to_string(dof) +
               " is a hanging node, but the constraints leave it free; call DoFTools::make_hanging_node_constraints()");
      return free_dof;
    }
  const auto *entries = constraints.get_constraint_entries(dof);
  if (!hangs && entries != nullptr && !entries->empty())
    refuse("DoF " + std::to_string(dof) + " is constrained to DoF " + std::to_string(entries->front().first) +
           ", but is no hanging node; of other constraints, such as those of periodic boundaries, only prescribed "
           "values are supported");
  return hangs && entries != nullptr && !entries->empty() ? hanging_dof : prescribed_dof;
}

// Compares a user's constraint with the mesh's one, of which prescribed DoFs may have been left out.
void check_hanging(Index dof, const ConstraintEntries &entries, const ConstraintEntries &of_mesh,
                   const dealii::AffineConstraints<double> &constraints)
{
  const auto find = [](const auto &list, Index master) {
    return std::find_if(list.begin(), list.end(), [=](const auto &entry) { return entry.first == master; });
  };
  const auto is_free = [&](Index master) {
    const auto &known = constraints.get_local_lines();
    return !((known.size() == 0 || known.is_element(master)) && constraints.is_constrained(master));
  };
  for (const auto &[master, weight] : entries)
    if (const auto same = find(of_mesh, master); same == of_mesh.end() || !(std::abs(same->second - weight) <= 1e-8))
      refuse("the hanging DoF " + std::to_string(dof) + " is constrained to DoF " + std::to_string(master) +
             " in another way than the mesh does it, as with periodic boundaries, which are not supported");
  for (const auto &[master, weight] : of_mesh)
    if (std::abs(weight) > 1e-8 && find(entries, master) == entries.end() && is_free(master))
      refuse("the constraint of the hanging DoF " + std::to_string(dof) +
             " lacks a DoF that the mesh's own constraint has; are the constraints closed?");
}
} // namespace

Array<char> dof_kinds(const UserDofs &dofs, const dealii::AffineConstraints<double> &constraints,
                      const dealii::AffineConstraints<double> &of_mesh)
{
  Array<char> kinds(dofs.number.size());
  agreed(dofs.ranks, [&] {
    for_ranges(dofs.number.size(), omp_get_max_threads(), [&](int first, int end) {
      for (int k = first; k < end; ++k)
        {
          const Index dof   = dofs.first + dofs.row(k);
          const bool  hangs = of_mesh.is_constrained(dof);
          const char  kind = kinds[dofs.number[k]] = kind_of(dof, hangs, constraints);
          if (kind == hanging_dof)
            check_hanging(dof, *constraints.get_constraint_entries(dof), *of_mesh.get_constraint_entries(dof),
                          constraints);
        }
    });
  });
  return kinds;
}

#define INSTANTIATE(dim)                                          \
  template decltype(check_dofs<dim>)       check_dofs<dim>;       \
  template decltype(check_mesh_of<dim>)    check_mesh_of<dim>;    \
  template decltype(element_of_each<dim>)  element_of_each<dim>;  \
  template decltype(element_of<dim>)       element_of<dim>;       \
  template decltype(user_dofs<dim>)        user_dofs<dim>;        \
  template decltype(number_user_dofs<dim>) number_user_dofs<dim>; \
  template decltype(user_space<dim>)       user_space<dim>;
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
