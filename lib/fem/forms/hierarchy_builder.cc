#include "fem/forms/hierarchy_builder.h"

#include "fem/forms/patches.h"

namespace adamant
{
template <int dim>
HierarchyBuilder<dim>::HierarchyBuilder(LevelMeshes<dim> &meshes, Field<dim> &field, Form<dim> &form)
  : meshes(meshes)
  , field(field)
  , form(form)
{}

template <int dim>
std::vector<LevelData> HierarchyBuilder<dim>::levels(std::size_t at_once)
{
  form.release();
  std::vector<LevelData> levels(field.n_levels());
  for (; first == 0 || (first < levels.size() && field.space(first).partition().size() <= at_once); ++first)
    {
      form.update(first);
      form.keep_matrix(first);
      levels[first] = {form.matrix(first), field.prolongation(first), field.restriction(first)};
    }
  for (std::size_t l = 0; l < levels.size(); ++l)
    {
      levels[l].node_size = field.node_size();
      levels[l].patches   = [&field = field, l](PatchKind kind) { return make_patches(field.space(l), kind); };
      if (l >= first)
        levels[l].values = MadeOnDemand{[this, l] { return make_transfer(l); }, [this, l] { return make_matrix(l); }};
    }
  return levels;
}

template <int dim>
std::pair<SharedMatrix, SharedMatrix> HierarchyBuilder<dim>::make_transfer(std::size_t level)
{
  if (level > first)
    form.release_entries(level - 1);
  field.release_mesh(level - 1);
  if (level + 1 == field.n_levels())
    meshes.release_coarser();
  const std::pair transfer(field.prolongation(level), field.restriction(level));
  field.release_transfer(level);
  return transfer;
}

template <int dim>
SharedMatrix HierarchyBuilder<dim>::make_matrix(std::size_t level)
{
  if (level != made)
    {
      field.release_spaces_below(level);
      if (level + 1 == field.n_levels())
        meshes.release();
      form.update(level);
      form.keep_matrix(level);
    }
  made = level;
  return form.matrix(level);
}

template <int dim>
void HierarchyBuilder<dim>::release()
{
  for (std::size_t level = 0; level < field.n_levels(); ++level)
    {
      form.keep_matrix(level);
      form.release_entries(level);
      field.release_transfer(level);
    }
  field.release_spaces_below(field.n_levels() - 1);
  meshes.release();
}

template class HierarchyBuilder<2>;
template class HierarchyBuilder<3>;
} // namespace adamant
