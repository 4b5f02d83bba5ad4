#include "fem/forms/hierarchy_builder.h"

#include "fem/forms/level_form.h"
#include "fem/forms/patches.h"
#include "fem/meshes/level_meshes.h"
#include "fem/spaces/field.h"

#include <limits>

namespace adamant
{
template <int dim>
std::vector<LevelData> HierarchyBuilder<dim>::levels(std::size_t at_once)
{
  form.release();
  if (!form.rowless.empty())
    at_once = std::numeric_limits<std::size_t>::max();
  std::vector<LevelData> levels;
  for (std::size_t l = 0; l < field.n_levels(); ++l)
    {
      levels.push_back({MadeOnDemand{[this, l] { return make_transfer(l); }, [this, l] { return make_matrix(l); }},
                        nullptr, nullptr, field.node_size(),
                        [&field = field, l](PatchKind kind) { return make_patches(field.space(l), kind); }});
      if (l != first || (l > 0 && field.space(l).partition().size() > at_once))
        continue;
      if (form.stores(l))
        {
          form.update(l);
          keep_matrix(l);
        }
      levels[l].values       = form.level(l).values;
      levels[l].prolongation = field.prolongation(l);
      levels[l].restriction  = field.restriction(l);
      ++first;
    }
  return levels;
}

template <int dim>
std::pair<SharedMatrix, SharedMatrix> HierarchyBuilder<dim>::make_transfer(std::size_t level)
{
  if (level > first)
    release_entries(level - 1);
  field.space(level - 1);
  field.at(level - 1).space->release_mesh();
  if (level + 1 == field.n_levels())
    {
      meshes.kept = meshes.finest(); // which still tells how its cells lie in the next coarser mesh
      meshes.levels.clear();
    }
  const std::pair transfer(field.prolongation(level), field.restriction(level));
  release_transfer(level);
  return transfer;
}

template <int dim>
SharedMatrix HierarchyBuilder<dim>::make_matrix(std::size_t level)
{
  if (level == made)
    return form.matrix(level);
  release_below(level);
  form.update(level);
  made = level;
  return keep_matrix(level);
}

template <int dim>
void HierarchyBuilder<dim>::release()
{
  for (std::size_t level = 0; level < field.n_levels(); ++level)
    {
      if (form.stores(level))
        {
          keep_matrix(level);
          release_entries(level);
        }
      release_transfer(level);
    }
  release_below(field.n_levels() - 1);
}

template <int dim>
SharedMatrix HierarchyBuilder<dim>::keep_matrix(std::size_t level)
{
  form.matrix(level); // which throws where there is none
  if (form.level_forms[level])
    form.kept[level] = form.level_forms[level]->sum;
  form.level_forms[level].reset();
  return form.kept[level];
}

template <int dim>
void HierarchyBuilder<dim>::release_entries(std::size_t level)
{
  auto &entries  = *form.kept[level];
  entries.column = Array<int>(); // which {} would not free
  entries.value  = Array<double>();
}

template <int dim>
void HierarchyBuilder<dim>::release_transfer(std::size_t level)
{
  field.at(level).prolongation.reset();
  field.at(level).restriction.reset();
}

template <int dim>
void HierarchyBuilder<dim>::release_below(std::size_t level)
{
  for (std::size_t l = 0; l < level; ++l)
    field.at(l).space.reset();
  if (level + 1 < field.n_levels())
    return;
  meshes.kept.reset();
  meshes.levels.clear();
}

template class HierarchyBuilder<2>;
template class HierarchyBuilder<3>;
} // namespace adamant
