#include "fem/spaces/field.h"

#include "base/exceptions.h"
#include "fem/spaces/transfer.h"

#include <utility>

namespace adamant
{
namespace
{
// Active ones, on coarser meshes too: programs ask the finest level for more than multigrid does.
template <int dim>
std::shared_ptr<const CellList<dim>> finest_cells(const LevelMeshes<dim> &meshes, const std::optional<std::size_t> &top,
                                                  const std::string &name)
{
  if (!top)
    return meshes.finest_cells();
  if (*top >= meshes.size())
    throw RunError("field " + name + ": its finest level is to be " + std::to_string(*top) + ", but there are " +
                   std::to_string(meshes.size()) + " level meshes");
  return CellList<dim>::as_active(meshes[*top].cells);
}
} // namespace

template <int dim>
Field<dim>::Field(const LevelMeshes<dim> &meshes, std::string name, const dealii::FiniteElement<dim> &element,
                  const DirichletBoundary &dirichlet, std::optional<std::size_t> top)
  : level_meshes(meshes)
  , name_(std::move(name))
  , dirichlet(dirichlet)
  , top(top)
  , finest_space(std::make_unique<LevelSpace<dim>>(finest_cells(meshes, top, name_), element, dirichlet))
{}

template <int dim>
typename Field<dim>::Level &Field<dim>::at(std::size_t level) const
{
  if (level >= n_levels())
    throw RunError("field " + name_ + " has no level " + std::to_string(level) + ", it has " +
                   std::to_string(n_levels()) + " levels");
  levels.resize(n_levels());
  return levels[level];
}

template <int dim>
typename Field<dim>::Level &Field<dim>::with_transfer(std::size_t level) const
{
  auto &made = at(level);
  if (!made.prolongation && level > 0)
    {
      auto transfer     = transfer_matrices(level_meshes[level], space(level), space(level - 1));
      made.prolongation = std::make_shared<const CSRMatrix<double>>(std::move(transfer.prolongation));
      made.restriction  = std::make_shared<const CSRMatrix<double>>(std::move(transfer.restriction));
    }
  return made;
}

template <int dim>
const LevelSpace<dim> &Field<dim>::space(std::size_t level) const
{
  auto &made = at(level);
  if (level + 1 == n_levels())
    return *finest_space;
  if (!made.space)
    made.space = std::make_unique<LevelSpace<dim>>(level_meshes[level].cells, element(), dirichlet);
  return *made.space;
}

template <int dim>
const std::shared_ptr<const CSRMatrix<double>> &Field<dim>::prolongation(std::size_t level) const
{
  return with_transfer(level).prolongation;
}

template <int dim>
const std::shared_ptr<const CSRMatrix<double>> &Field<dim>::restriction(std::size_t level) const
{
  return with_transfer(level).restriction;
}

template <int dim>
void Field<dim>::release_mesh(std::size_t level)
{
  space(level);
  at(level).space->release_mesh();
}

template <int dim>
void Field<dim>::release_spaces_below(std::size_t level)
{
  for (std::size_t l = 0; l < level; ++l)
    at(l).space.reset();
}

template <int dim>
void Field<dim>::release_transfer(std::size_t level)
{
  at(level).prolongation.reset();
  at(level).restriction.reset();
}

template class Field<2>;
template class Field<3>;
} // namespace adamant
