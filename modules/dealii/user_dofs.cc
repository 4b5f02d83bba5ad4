#include "dealii/user_dofs.h"

#include "base/exceptions.h"
#include "base/parallel_for.h"
#include "dealii/ranks.h"

#include <deal.II/base/mpi.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
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
dealii::IndexSet owned_dofs(const LevelSpace<dim> &space, const dealii::DoFHandler<dim> &dofs,
                            const std::vector<unsigned int> &places)
{
  const dealii::IndexSet &all = dofs.locally_owned_dofs();
  if (places.size() == dofs.get_fe().n_dofs_per_cell())
    return all;
  std::vector<Index> mine, of_cell(dofs.get_fe().n_dofs_per_cell());
  for (int c = 0; c < space.n_cells(); ++c)
    {
      with_dofs(space.active_cells()[c], dofs)->get_dof_indices(of_cell);
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
dealii::IndexSet as_block(const dealii::IndexSet &dofs, Index n, const Communicator &ranks, Index &first)
{
  double ends[] = {-static_cast<double>(dofs.size()), 0.}; // minus the first, and one behind the last
  if (dofs.n_elements() > 0)
    {
      ends[0] = -static_cast<double>(dofs.nth_index_in_set(0));
      ends[1] = static_cast<double>(dofs.nth_index_in_set(dofs.n_elements() - 1)) + 1.;
    }
  ranks.max(ends, 2);
  first = static_cast<Index>(-ends[0]);
  if (static_cast<Index>(ends[1]) - first != n)
    refuse("the DoFs of the selected components do not follow each other, so that they are no block of a matrix; "
           "DoFRenumbering::component_wise numbers them so");
  return dofs.get_view(first, first + n);
}
} // namespace

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
UserDofs user_dofs(const LevelSpace<dim> &space, const dealii::DoFHandler<dim> &dofs,
                   const dealii::ComponentMask &components)
{
  const auto places = places_in_cell(space.element(), dofs, components);
  // Cells of a mesh refined since have no DoFs to ask for.
  if (places.size() == dofs.get_fe().n_dofs_per_cell() && dofs.n_dofs() != space.n_global_dofs())
    refuse("the DoFHandler has " + std::to_string(dofs.n_dofs()) + " DoFs, but multigrid " +
           std::to_string(space.n_global_dofs()) + "; was the mesh refined after distribute_dofs()?");
  UserDofs result;
  result.ranks          = space.communicator();
  result.first_in_space = space.partition().local_range().first;
  result.set_owned(owned_dofs(space, dofs, places));
  if (places.size() < dofs.get_fe().n_dofs_per_cell())
    result.set_owned(as_block(result.owned, space.n_global_dofs(), result.ranks, result.first));

  for_dofs_of_cells(space.active_cells(), dofs, [&](int c, const std::vector<Index> &of_cell) {
    for (std::size_t i = 0; i < places.size(); ++i)
      if (const Index row = of_cell[places[i]] - result.first; result.is_owned(row))
        write_atomically(result.number[result.place(row)], space.cell_dofs(c)[i]);
  });
  agreed(result.ranks, [&] {
    if (static_cast<int>(result.number.size()) != space.n_owned())
      refuse("this rank has " + std::to_string(result.number.size()) + " DoFs of the DoFHandler, but " +
             std::to_string(space.n_owned()) + " of multigrid; was the mesh refined after distribute_dofs()?");
    for (std::size_t k = 0; k < result.number.size(); ++k)
      if (result.number[k] < 0 || result.number[k] >= space.n_owned())
        refuse("DoF " + std::to_string(result.first + result.owned.nth_index_in_set(k)) +
               " belongs to this rank in the DoFHandler, but not in multigrid");
  });
  return result;
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
template <class KindOf>
void check_hanging(Index dof, const ConstraintEntries &entries, const Index *numbers, const ConstraintEntries &of_mesh,
                   const KindOf &kind_of)
{
  const auto find = [](const auto &list, const auto &is_it) { return std::find_if(list.begin(), list.end(), is_it); };
  for (std::size_t k = 0; k < entries.size(); ++k)
    {
      const auto same = find(of_mesh, [&](const auto &entry) { return entry.first == numbers[k]; });
      if (same == of_mesh.end() || !(std::abs(same->second - entries[k].second) <= 1e-8))
        refuse("the hanging DoF " + std::to_string(dof) + " is constrained to DoF " + std::to_string(entries[k].first) +
               " in another way than the mesh does it, as with periodic boundaries, which are not supported");
    }
  for (const auto &[master, weight] : of_mesh)
    if (std::abs(weight) > 1e-8 && kind_of(master) == free_dof &&
        std::find(numbers, numbers + entries.size(), master) == numbers + entries.size())
      refuse("the constraint of the hanging DoF " + std::to_string(dof) +
             " lacks a DoF that the mesh's own constraint has; are the constraints closed?");
}
} // namespace

template <int dim>
Array<char> dof_kinds(const LevelSpace<dim> &space, const UserDofs &dofs,
                      const dealii::AffineConstraints<double> &constraints)
{
  const std::size_t  n = dofs.number.size();
  Array<char>        kinds(space.n_owned());
  Array<std::size_t> first_master(n + 1); // of the masters below: the DoFs that the value of a hanging one is made of
  const auto         dof_of = [&](std::size_t k) { return dofs.first + dofs.row(k); };
  agreed(dofs.ranks, [&] {
    for_ranges(n, omp_get_max_threads(), [&](int first, int end) {
      for (int k = first; k < end; ++k)
        {
          const char kind = kinds[dofs.number[k]] = kind_of(dof_of(k), !space.is_free(dofs.number[k]), constraints);
          first_master[k + 1] = kind == hanging_dof ? constraints.get_constraint_entries(dof_of(k))->size() : 0;
        }
    });
  });
  first_master[0] = 0;
  std::partial_sum(first_master.begin(), first_master.end(), first_master.begin());
  std::vector<Index> masters(first_master[n]); // rows of the matrix
  for_ranges(n, omp_get_max_threads(), [&](int first, int end) {
    for (int k = first; k < end; ++k)
      if (kinds[dofs.number[k]] == hanging_dof)
        std::transform(constraints.get_constraint_entries(dof_of(k))->begin(),
                       constraints.get_constraint_entries(dof_of(k))->end(), masters.begin() + first_master[k],
                       [&](const auto &entry) { return entry.first - dofs.first; }); // of another block: no row
  });
  const auto    numbers = dofs.numbers_in_space(masters);
  Array<double> values(kinds.begin(), kinds.end());
  values = space.local_values(values.data());
  agreed(dofs.ranks, [&] {
    for_ranges(n, omp_get_max_threads(), [&](int first, int end) {
      for (int k = first; k < end; ++k)
        if (kinds[dofs.number[k]] == hanging_dof)
          check_hanging(dof_of(k), *constraints.get_constraint_entries(dof_of(k)), numbers.data() + first_master[k],
                        *space.hanging_nodes.get_constraint_entries(space.partition().local_to_global(dofs.number[k])),
                        [&](Index master) { return values[space.partition().global_to_local(master)]; });
    });
  });
  return kinds;
}

#define INSTANTIATE(dim)                                                                           \
  template void check_dofs(const dealii::DoFHandler<dim> &, const dealii::ComponentMask &);        \
  template std::unique_ptr<dealii::FiniteElement<dim>> element_of(const dealii::DoFHandler<dim> &, \
                                                                  const dealii::ComponentMask &);  \
  template UserDofs    user_dofs(const LevelSpace<dim> &, const dealii::DoFHandler<dim> &,         \
                                 const dealii::ComponentMask &);                                   \
  template Array<char> dof_kinds(const LevelSpace<dim> &, const UserDofs &, const dealii::AffineConstraints<double> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
