#include "fem/spaces/mesh_change.h"

#include "base/exceptions.h"
#include "base/parallel_for.h"
#include "base/row_ranges.h"
#include "fem/meshes/forest.h"
#include "fem/meshes/mesh.h"

#include <deal.II/distributed/solution_transfer.h>
#include <deal.II/distributed/tria.h>

#include <boost/signals2/connection.hpp>

#include <algorithm>
#include <optional>

namespace adamant
{
// The vectors of one space. Those of serial meshes are carried by tables of their own; see OnForest.
template <int dim>
class MeshChange<dim>::Transfer
{
public:
  explicit Transfer(const LevelSpace<dim> &space)
    : id(&space)
  {}
  virtual ~Transfer() = default;

  bool is_of(const LevelSpace<dim> &space) const { return id == &space; }

  std::size_t add(NodalVector &&values)
  {
    vectors.push_back(std::move(values));
    return vectors.size() - 1;
  }

  virtual void prepare() = 0;
  // In the numbers of the space on the new mesh.
  virtual NodalVector values(std::size_t which, const LevelSpace<dim> &space) = 0;

protected:
  std::vector<NodalVector> vectors;

private:
  const void *id; // while the vectors are added
};

// deal.II's own class takes three numberings of the DoFs, and maps of cells.
template <int dim>
class MeshChange<dim>::OnSerialMesh : public MeshChange<dim>::Transfer
{
public:
  explicit OnSerialMesh(const LevelSpace<dim> &space, const std::shared_ptr<const FormerCells<dim>> &former)
    : Transfer(space)
    , former(former)
    , former_dofs(space.cell_dofs(0), space.cell_dofs(space.n_cells()))
    , changed(space.element())
  {}

  void prepare() override {}

  NodalVector values(std::size_t which, const LevelSpace<dim> &space) override
  {
    if (first.empty())
      find_cells(space);
    NodalVector   result   = nodal_vector(space);
    const double *u        = this->vectors[which].begin();
    const int     per_cell = space.dofs_per_cell();
#pragma omp parallel for schedule(static)
    for (int i = 0; i < space.n_owned(); ++i)
      result.local_element(i) =
        changed.value(*former, origins[first[i] / per_cell], first[i] % per_cell, former_dofs.data(), u);
    return result;
  }

private:
  // Of the cells that have a DoF the first gives its value: they agree but for rounding.
  void find_cells(const LevelSpace<dim> &space)
  {
    origins.resize(space.n_cells());
#pragma omp parallel for schedule(static)
    for (int c = 0; c < space.n_cells(); ++c)
      origins[c] = former->origin_of(space.active_cells()[c]);
    first = first_places(space.cell_dofs(0), space.n_cells() * space.dofs_per_cell(), space.n_owned());
  }

  const std::shared_ptr<const FormerCells<dim>> former;
  const Array<int>                              former_dofs;
  const ChangedCell<dim>                        changed;
  Array<Origin>                                 origins; // of the new space's cells
  Array<int>                                    first;   // where the table of its cells' DoFs has each of them first
};

// On a mesh of p4est, by deal.II. The DoFHandler is numbered anew on the new mesh: deal.II wants the same one before
// and after.
template <int dim>
class MeshChange<dim>::OnForest : public MeshChange<dim>::Transfer
{
public:
  explicit OnForest(const LevelSpace<dim> &space)
    : Transfer(space)
    , dofs(space.shared_dof_handler())
    , transfer(*dofs)
  {}

  void prepare() override
  {
    std::vector<const NodalVector *> all;
    for (auto &vector : this->vectors)
      {
        vector.update_ghost_values(); // copies, as a std::vector makes them, have none
        all.push_back(&vector);
      }
    transfer.prepare_for_coarsening_and_refinement(all);
  }

  // In the numbers of the space, which sorts the DoFs in its own way.
  NodalVector values(std::size_t which, const LevelSpace<dim> &space) override
  {
    if (!interpolated) // the ranks do it together, also one that owns no DoF
      {
        interpolate();
        find_numbers(space);
        interpolated = true;
      }
    NodalVector result = nodal_vector(space);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < space.n_owned(); ++i)
      result.local_element(i) = this->vectors[which](numbers[i]);
    return result;
  }

private:
  void interpolate()
  {
    dofs->distribute_dofs(dofs->get_fe());
    std::vector<NodalVector>   all(this->vectors.size(), nodal_vector(*dofs));
    std::vector<NodalVector *> pointers;
    for (auto &vector : all)
      pointers.push_back(&vector);
    transfer.interpolate(pointers);
    this->vectors.swap(all);
    for (auto &vector : this->vectors)
      vector.update_ghost_values();
  }

  void find_numbers(const LevelSpace<dim> &space)
  {
    numbers.resize(space.n_owned());
#pragma omp parallel
    {
      std::vector<dealii::types::global_dof_index> of_cell(space.dofs_per_cell());
#pragma omp for schedule(static)
      for (int c = 0; c < space.n_cells(); ++c)
        {
          with_dofs(space.active_cells()[c], *dofs)->get_dof_indices(of_cell);
          for (int i = 0; i < space.dofs_per_cell(); ++i)
            if (const int dof = space.cell_dofs(c)[i]; dof < space.n_owned())
              write_atomically(numbers[dof], of_cell[i]);
        }
    }
  }

  const std::shared_ptr<dealii::DoFHandler<dim>>                    dofs;
  dealii::parallel::distributed::SolutionTransfer<dim, NodalVector> transfer;
  Array<dealii::types::global_dof_index>                            numbers; // of the new space's owned DoFs in `dofs`
  bool                                                              interpolated = false;
};

namespace
{
// Makes what deal.II does with a mesh of p4est depend on the flags alone, not on the partition, as long as it lives.
// deal.II first changes the flags by its rules for hanging nodes, near other ranks' cells without knowing theirs: they
// are put back, and p4est sees to 2:1. Then it asks for the weight of each of the refined forest's quadrants, in their
// order.
template <int dim>
class IndependentOfRanks
{
public:
  explicit IndependentOfRanks(dealii::parallel::distributed::Triangulation<dim> &mesh)
    : mesh(mesh)
  {
    for (const auto &cell : owned_cells(mesh))
      flags.push_back(cell->refine_flag_set() ? 1 : cell->coarsen_flag_set() ? -1 : 0);
    restores = mesh.signals.pre_distributed_refinement.connect([this] { restore_flags(); });
    weighs   = mesh.signals.weight.connect([this](const auto &, const auto) { return next_weight(); });
  }

private:
  void restore_flags()
  {
    std::size_t next = 0;
    for (const auto &cell : owned_cells(mesh))
      {
        cell->clear_refine_flag();
        cell->clear_coarsen_flag();
        if (const signed char flag = flags[next++]; flag > 0)
          cell->set_refine_flag();
        else if (flag < 0)
          cell->set_coarsen_flag();
      }
  }

  unsigned int next_weight()
  {
    if (weights.empty())
      weights = forest::weights<dim>(const_cast<forest::Forest<dim> *>(mesh.get_p4est()));
    return weights.at(n_weighed++);
  }

  dealii::parallel::distributed::Triangulation<dim> &mesh;
  std::vector<signed char>                           flags;
  std::vector<int>                                   weights;
  std::size_t                                        n_weighed = 0;
  boost::signals2::scoped_connection                 restores, weighs;
};

// What p4est cannot coarsen.
template <int dim>
void drop_incomplete_families(dealii::Triangulation<dim> &mesh)
{
  for (const auto &cell : owned_cells(mesh))
    if (cell->coarsen_flag_set())
      {
        bool complete = cell->level() > 0;
        for (unsigned int c = 0; complete && c < cell->parent()->n_children(); ++c)
          {
            const auto &sibling = cell->parent()->child(c);
            complete            = sibling->is_active() && sibling->is_locally_owned() && sibling->coarsen_flag_set();
          }
        if (!complete)
          cell->clear_coarsen_flag();
      }
}
} // namespace

template <int dim>
MeshChange<dim>::MeshChange(dealii::Triangulation<dim> &mesh)
  : mesh(mesh)
{
  const auto any_flag = [&mesh](bool refine) {
    for (const auto &cell : mesh.active_cell_iterators())
      if (cell->is_locally_owned() && (refine ? cell->refine_flag_set() : cell->coarsen_flag_set()))
        return true;
    return false;
  };
  // On a serial mesh the flags come to what deal.II's rules for hanging nodes allow in execute(), once more and not
  // cheaply; they take away no flag for refinement.
  const bool refines = any_flag(true);
  if (is_distributed(mesh))
    drop_incomplete_families(mesh);
  else if (!refines)
    mesh.prepare_coarsening_and_refinement();
  double n = refines || any_flag(false) ? 1. : 0.;
  Communicator(mesh.get_communicator()).sum(&n, 1);
  changes = n > 0.;
}

template <int dim>
MeshChange<dim>::~MeshChange() = default;

template <int dim>
typename MeshChange<dim>::Transfer &MeshChange<dim>::transfer_of(const LevelSpace<dim> &space)
{
  for (const auto &transfer : transfers)
    if (transfer->is_of(space))
      return *transfer;
  if (is_distributed(mesh))
    return *transfers.emplace_back(std::make_unique<OnForest>(space));
  if (!former)
    former = std::make_shared<const FormerCells<dim>>(mesh);
  return *transfers.emplace_back(std::make_unique<OnSerialMesh>(space, former));
}

template <int dim>
void MeshChange<dim>::keep(const LevelSpace<dim> &space, const double *owned)
{
  NodalVector values = nodal_vector(space, owned);
  space.hanging_nodes.distribute(values);
  auto &transfer = transfer_of(space);
  kept.push_back({&transfer, transfer.add(std::move(values))});
}

template <int dim>
void MeshChange<dim>::prepare()
{
  for (const auto &transfer : transfers)
    transfer->prepare();
}

template <int dim>
void MeshChange<dim>::execute()
{
  std::optional<IndependentOfRanks<dim>> of_p4est;
  if (auto *distributed = dynamic_cast<dealii::parallel::distributed::Triangulation<dim> *>(&mesh))
    of_p4est.emplace(*distributed);
  mesh.execute_coarsening_and_refinement();
}

template <int dim>
Array<double> MeshChange<dim>::take(const LevelSpace<dim> &space)
{
  if (taken == kept.size())
    throw RunError("more vectors are taken from a change of the mesh than were kept");
  const Place place  = kept[taken++];
  NodalVector values = place.transfer->values(place.vector, space);
  space.hanging_nodes.distribute(values);
  return Array<double>(values.begin(), values.begin() + space.n_owned());
}

template class MeshChange<2>;
template class MeshChange<3>;
} // namespace adamant
