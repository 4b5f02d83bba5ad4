#include "discretization/forms/hierarchy.h"

#include "discretization/fields/transfer.h"

#include <future>
#include <iterator>
#include <omp.h>

namespace adamant
{
template <int dim>
Hierarchy<dim>::Hierarchy(dealii::Triangulation<dim> &mesh, const dealii::FiniteElement<dim> &fe,
                          const DirichletBoundary &dirichlet, unsigned int coarsest_cells, unsigned int cells_per_rank,
                          bool coarsest_on_one_rank)
{
  check_mesh(mesh);
  // deal.II's work on meshes is serial: one thread builds the coarser meshes while the others set up the finest space. Where
  // ranks talk to each other meanwhile, one follows the other.
  const bool beside  = omp_get_max_threads() > 1 && mesh.n_global_active_cells() == mesh.n_active_cells();
  auto       coarser = std::async(beside ? std::launch::async : std::launch::deferred, [&] {
    return create_level_meshes(mesh, coarsest_cells, cells_per_rank, coarsest_on_one_rank);
  });
  const std::shared_ptr<const dealii::Triangulation<dim>> same_mesh(&mesh, [](const void *) {});
  auto finest_space = std::make_unique<LevelSpace<dim>>(same_mesh, fe, dirichlet);

  meshes = coarser.get();
  spaces.resize(meshes.size());
  spaces.back() = std::move(finest_space);
  level_data.resize(meshes.size());
  for (std::size_t l = 0; l < meshes.size(); ++l)
    {
      if (!spaces[l])
        spaces[l] = std::make_unique<LevelSpace<dim>>(meshes[l].mesh, fe, dirichlet);
      level_data[l].block_size = static_cast<int>(fe.n_components());
      if (l > 0)
        {
          auto transfer              = transfer_matrices(meshes[l], *spaces[l], *spaces[l - 1]);
          level_data[l].prolongation = std::move(transfer.prolongation);
          level_data[l].restriction  = std::move(transfer.restriction);
        }
    }
}

template <int dim>
std::vector<CSRMatrix<double>>
Hierarchy<dim>::assemble(const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature,
                         dealii::UpdateFlags flags, const CellAssembler<dim> &cell_assembler,
                         const std::vector<Columns> &extra)
{
  assemblies.resize(n_levels());
  for (std::size_t l = 0; l < n_levels(); ++l)
    {
      std::vector<Columns> columns{Columns::unknowns};
      const bool           for_once = l + 1 == n_levels() && !extra.empty();
      if (for_once)
        columns.insert(columns.end(), extra.begin(), extra.end());
      auto &assembly = assemblies[l];
      if (!assembly)
        assembly = std::make_unique<Assembly<dim>>(*spaces[l], mapping, quadrature, flags, columns);
      else if (!is_distributed())
        std::swap(assembly->matrices[0], level_data[l].matrix);
      assembly->assemble(cell_assembler);
      if (is_distributed())
        level_data[l].matrix = sum_rows(for_once ? std::move(assembly->matrices[0]) : assembly->matrices[0],
                                        spaces[l]->partition(), spaces[l]->partition());
      else
        std::swap(assembly->matrices[0], level_data[l].matrix);
    }
  std::vector<CSRMatrix<double>> further(std::make_move_iterator(assemblies.back()->matrices.begin() + 1),
                                         std::make_move_iterator(assemblies.back()->matrices.end()));
  for (std::size_t m = 0; m < extra.size() && is_distributed(); ++m)
    further[m] =
      sum_rows(std::move(further[m]), finest().partition(), *numbers_of_columns(extra[m], quadrature.size()));
  if (!extra.empty())
    assemblies.back().reset(); // its other matrices are gone
  return further;
}

template <int dim>
bool Hierarchy<dim>::is_distributed() const
{
  return finest().partition().n_mpi_processes() > 1;
}

template <int dim>
std::shared_ptr<const Partitioner> Hierarchy<dim>::numbers_of_columns(Columns kind, std::size_t n_q) const
{
  const auto keep = [](const Partitioner &numbers) {
    return std::shared_ptr<const Partitioner>(&numbers, [](const void *) {});
  };
  switch (kind)
    {
      case Columns::prescribed: return keep(finest().prescribed_partition());
      case Columns::quadrature_points:
        {
          const MPI_Comm comm = finest().partition().get_mpi_communicator();
          return std::make_shared<Partitioner>(owned_range(n_q * finest().n_cells(), comm), comm);
        }
      default: return keep(finest().partition());
    }
}

template class Hierarchy<2>;
template class Hierarchy<3>;
} // namespace adamant
