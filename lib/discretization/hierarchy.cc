#include "discretization/hierarchy.h"

#include "discretization/transfer.h"

namespace adamant
{
template <int dim>
Hierarchy<dim>::Hierarchy(dealii::Triangulation<dim>       &mesh,
                          const dealii::FiniteElement<dim> &fe,
                          const DirichletBoundary          &dirichlet,
                          unsigned int                      coarsest_cells)
  : meshes(create_level_meshes(mesh, coarsest_cells))
  , spaces(meshes.size())
  , level_data(meshes.size())
{
  for (std::size_t l = 0; l < meshes.size(); ++l)
    {
      spaces[l]                = std::make_unique<LevelSpace<dim>>(meshes[l].mesh, fe, dirichlet);
      level_data[l].block_size = static_cast<int>(fe.n_components());
      if (l > 0)
        {
          level_data[l].prolongation = prolongation_matrix(meshes[l], *spaces[l], *spaces[l - 1]);
          level_data[l].restriction  = transpose(level_data[l].prolongation);
        }
    }
}

template <int dim>
void Hierarchy<dim>::assemble(const dealii::Mapping<dim>    &mapping,
                              const dealii::Quadrature<dim> &quadrature,
                              dealii::UpdateFlags            flags,
                              const CellAssembler<dim>      &cell_assembler)
{
  assemblies.resize(n_levels());
  for (std::size_t l = 0; l < n_levels(); ++l)
    {
      if (!assemblies[l])
        assemblies[l] =
          std::make_unique<Assembly<dim>>(*spaces[l], mapping, quadrature, flags, std::vector<Columns>{Columns::unknowns});
      else
        std::swap(assemblies[l]->matrices[0], level_data[l].matrix);
      assemblies[l]->assemble(cell_assembler);
      std::swap(assemblies[l]->matrices[0], level_data[l].matrix);
    }
}

template class Hierarchy<2>;
template class Hierarchy<3>;
} // namespace adamant
