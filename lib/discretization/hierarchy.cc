#include "discretization/hierarchy.h"

#include "discretization/transfer.h"

#include <future>
#include <iterator>
#include <omp.h>

namespace adamant
{
template <int dim>
Hierarchy<dim>::Hierarchy(dealii::Triangulation<dim> &mesh, const dealii::FiniteElement<dim> &fe,
                          const DirichletBoundary &dirichlet, unsigned int coarsest_cells)
{
  check_mesh(mesh);
  // deal.II's work on meshes is serial: one thread builds the coarser meshes while the others set up the finest space.
  auto coarser = std::async(omp_get_max_threads() > 1 ? std::launch::async : std::launch::deferred,
                            [&] { return create_level_meshes(mesh, coarsest_cells); });
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
          level_data[l].prolongation = prolongation_matrix(meshes[l], *spaces[l], *spaces[l - 1]);
          level_data[l].restriction  = transpose(level_data[l].prolongation);
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
      if (l + 1 == n_levels())
        columns.insert(columns.end(), extra.begin(), extra.end());
      auto &assembly = assemblies[l];
      if (!assembly)
        assembly = std::make_unique<Assembly<dim>>(*spaces[l], mapping, quadrature, flags, columns);
      else
        std::swap(assembly->matrices[0], level_data[l].matrix);
      assembly->assemble(cell_assembler);
      std::swap(assembly->matrices[0], level_data[l].matrix);
    }
  std::vector<CSRMatrix<double>> further(std::make_move_iterator(assemblies.back()->matrices.begin() + 1),
                                         std::make_move_iterator(assemblies.back()->matrices.end()));
  if (!extra.empty())
    assemblies.back().reset(); // its other matrices are gone
  return further;
}

template class Hierarchy<2>;
template class Hierarchy<3>;
} // namespace adamant
