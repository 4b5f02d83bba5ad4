#include "discretization/meshes/mesh_change.h"

#include "base/exceptions.h"
#include "discretization/meshes/forest.h"
#include "discretization/meshes/owned_cells.h"

#include <deal.II/distributed/solution_transfer.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/numerics/solution_transfer.h>

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
  NodalVector values(std::size_t which, const LevelSpace<dim> &space) const
  {
    NodalVector                                  result = nodal_vector(space.dof_handler());
    std::vector<dealii::types::global_dof_index> numbers(space.dofs_per_cell());
    for (int c = 0; c < space.n_cells(); ++c)
      {
        const auto &cell = space.active_cells()[c];
        typename LevelSpace<dim>::Cell(&cell->get_triangulation(), cell->level(), cell->index(), dofs.get())
          ->get_dof_indices(numbers);
        for (int i = 0; i < space.dofs_per_cell(); ++i)
          if (const int dof = space.cell_dofs(c)[i]; dof < space.n_owned())
            result.local_element(dof) = vectors[which](numbers[i]);
      }
    return result;
  }

private:
  using OfP4est = dealii::parallel::distributed::SolutionTransfer<dim, NodalVector>;

  const std::shared_ptr<dealii::DoFHandler<dim>>           dofs;
  const bool                                               distributed;
  std::vector<NodalVector>                                 vectors; // before the change, then after it
  std::optional<dealii::SolutionTransfer<dim, NodalVector>> serial;
  std::optional<OfP4est>                                   of_p4est;
};

namespace
{
// deal.II asks for the weight of each of the refined forest's quadrants, in their order.
template <int dim>
class WeightByWork
{
public:
  explicit WeightByWork(dealii::parallel::distributed::Triangulation<dim> &mesh)
    : mesh(mesh)
    , connection(mesh.signals.weight.connect([this](const auto &, const auto) { return next(); }))
  {}
  ~WeightByWork() { connection.disconnect(); }
  WeightByWork(const WeightByWork &)            = delete;
  WeightByWork &operator=(const WeightByWork &) = delete;

private:
  unsigned int next()
  {
    if (weights.empty())
      weights = forest::weights<dim>(const_cast<forest::Forest<dim> *>(mesh.get_p4est()));
    return weights.at(n_asked++);
  }

  dealii::parallel::distributed::Triangulation<dim> &mesh;
  std::vector<int>                                   weights;
  std::size_t                                        n_asked = 0;
  boost::signals2::connection                        connection;
};
} // namespace

template <int dim>
MeshChange<dim>::MeshChange(dealii::Triangulation<dim> &mesh)
  : mesh(mesh)
{
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
  values.update_ghost_values();
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
  std::optional<WeightByWork<dim>> weight;
  if (auto *distributed = dynamic_cast<dealii::parallel::distributed::Triangulation<dim> *>(&mesh))
    weight.emplace(*distributed);
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
