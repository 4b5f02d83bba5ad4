#include "discretization/meshes/mesh_change.h"

#include "base/exceptions.h"
#include "discretization/meshes/forest.h"
#include "discretization/meshes/owned_cells.h"

#include <deal.II/distributed/solution_transfer.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/numerics/solution_transfer.h>

#include <boost/signals2/connection.hpp>

#include <algorithm>
#include <optional>

namespace adamant
{
// The DoFHandler is numbered anew on the new mesh: deal.II's classes want the same one before and after.
template <int dim>
class MeshChange<dim>::Transfer
{
public:
  explicit Transfer(const LevelSpace<dim> &space)
    : dofs(space.shared_dof_handler())
    , distributed(is_distributed(dofs->get_triangulation()))
  {}

  const dealii::DoFHandler<dim> &dof_handler() const { return *dofs; }

  std::size_t add(NodalVector &&values)
  {
    vectors.push_back(std::move(values));
    return vectors.size() - 1;
  }

  void prepare()
  {
    for (auto &vector : vectors) // copies, as a std::vector makes them, have no ghosts
      vector.update_ghost_values();
    if (!distributed)
      return serial.emplace(*dofs).prepare_for_coarsening_and_refinement(vectors);
    std::vector<const NodalVector *> all;
    for (const auto &vector : vectors)
      all.push_back(&vector);
    of_p4est.emplace(*dofs).prepare_for_coarsening_and_refinement(all);
  }

  void interpolate()
  {
    dofs->distribute_dofs(dofs->get_fe());
    std::vector<NodalVector> all(vectors.size(), nodal_vector(*dofs));
    if (!distributed)
      serial->interpolate(vectors, all);
    else
      {
        std::vector<NodalVector *> pointers;
        for (auto &vector : all)
          pointers.push_back(&vector);
        of_p4est->interpolate(pointers);
      }
    vectors.swap(all);
    for (auto &vector : vectors)
      vector.update_ghost_values();
  }

  // In the numbers of the space, which sorts the DoFs in its own way.
  NodalVector values(std::size_t which, const LevelSpace<dim> &space)
  {
    if (numbers.empty())
      find_numbers(space);
    NodalVector result = nodal_vector(space.dof_handler());
#pragma omp parallel for schedule(static)
    for (int i = 0; i < space.n_owned(); ++i)
      result.local_element(i) = vectors[which](numbers[i]);
    return result;
  }

private:
  using OfP4est = dealii::parallel::distributed::SolutionTransfer<dim, NodalVector>;

  void find_numbers(const LevelSpace<dim> &space)
  {
    numbers.resize(space.n_owned());
#pragma omp parallel
    {
      std::vector<dealii::types::global_dof_index> of_cell(space.dofs_per_cell());
#pragma omp for schedule(static)
      for (int c = 0; c < space.n_cells(); ++c)
        {
          const auto &cell = space.active_cells()[c];
          typename LevelSpace<dim>::Cell(&cell->get_triangulation(), cell->level(), cell->index(), dofs.get())
            ->get_dof_indices(of_cell);
          for (int i = 0; i < space.dofs_per_cell(); ++i)
            if (const int dof = space.cell_dofs(c)[i]; dof < space.n_owned())
#pragma omp atomic write
              numbers[dof] = of_cell[i];
        }
    }
  }

  const std::shared_ptr<dealii::DoFHandler<dim>>            dofs;
  const bool                                                distributed;
  std::vector<NodalVector>                                  vectors; // before the change, then after it
  std::optional<dealii::SolutionTransfer<dim, NodalVector>> serial;
  std::optional<OfP4est>                                    of_p4est;
  Array<dealii::types::global_dof_index>                    numbers; // of the new space's owned DoFs in `dofs`
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
  if (is_distributed(mesh))
    drop_incomplete_families(mesh);
  else
    mesh.prepare_coarsening_and_refinement();
  const auto cells = owned_cells(mesh);
  double     n     = static_cast<double>(std::count_if(
            cells.begin(), cells.end(), [](const auto &cell) { return cell->refine_flag_set() || cell->coarsen_flag_set(); }));
  Communicator(mesh.get_communicator()).sum(&n, 1);
  changes = n > 0.;
}

template <int dim>
MeshChange<dim>::~MeshChange() = default;

template <int dim>
typename MeshChange<dim>::Transfer &MeshChange<dim>::transfer_of(const LevelSpace<dim> &space)
{
  for (const auto &transfer : transfers)
    if (&transfer->dof_handler() == &space.dof_handler())
      return *transfer;
  return *transfers.emplace_back(std::make_unique<Transfer>(space));
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
  if (taken == 0)
    for (const auto &transfer : transfers)
      transfer->interpolate();
  const Place place  = kept[taken++];
  NodalVector values = place.transfer->values(place.vector, space);
  space.hanging_nodes.distribute(values);
  return Array<double>(values.begin(), values.begin() + space.n_owned());
}

template class MeshChange<2>;
template class MeshChange<3>;
} // namespace adamant
