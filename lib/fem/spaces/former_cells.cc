#include "fem/spaces/mesh_change.h"

#include <cmath>

namespace adamant
{
template <int dim>
FormerCells<dim>::FormerCells(const dealii::Triangulation<dim> &mesh)
  : places(mesh.n_levels())
{
  for (unsigned int level = 0; level < places.size(); ++level)
    places[level].resize(mesh.n_raw_cells(level));
  for (const auto &cell : mesh.active_cell_iterators())
    places[cell->level()][cell->index()] = {static_cast<int>(cell->active_cell_index()),
                                            cell->level() > 0 ? cell->parent_index() : -1};
  for (unsigned int level = 0; level + 1 < places.size(); ++level)
    for (const auto &cell : mesh.cell_iterators_on_level(level))
      if (cell->has_children())
        {
          Family family;
          bool   complete = true;
          for (unsigned int c = 0; c < family.size(); ++c)
            {
              family[c] = places[level + 1][cell->child_index(c)].number;
              complete  = complete && family[c] >= 0;
            }
          if (!complete)
            continue;
          places[level][cell->index()].number = -2 - static_cast<int>(families.size());
          families.push_back(family);
        }
}

template <int dim>
Origin FormerCells<dim>::origin_of(const typename dealii::Triangulation<dim>::cell_iterator &cell) const
{
  const std::size_t level = cell->level(), index = cell->index();
  const int         parent = level > 0 ? cell->parent_index() : -1;
  if (level < places.size() && index < places[level].size())
    {
      const Place &before = places[level][index];
      if (before.number >= 0 && before.parent == parent)
        return {Origin::same, 0, before.number};
      if (before.number <= -2)
        return {Origin::parent, 0, -2 - before.number};
    }
  unsigned char which = 0;
  while (cell->parent()->child_index(which) != cell->index())
    ++which;
  return {Origin::child, which, places[level - 1][parent].number};
}

template <int dim>
ChangedCell<dim>::ChangedCell(const dealii::FiniteElement<dim> &element)
  : per_cell(static_cast<int>(element.n_dofs_per_cell()))
  , of_child(n_children, std::vector<Row>(per_cell))
  , of_parent(per_cell)
{
  const auto append = [this](const dealii::FullMatrix<double> &matrix, int i, int first, Row &row) {
    for (int j = 0; j < per_cell; ++j)
      if (matrix(i, j) != 0.)
        row.emplace_back(first + j, matrix(i, j));
  };
  for (int c = 0; c < n_children; ++c)
    for (int i = 0; i < per_cell; ++i)
      {
        append(element.get_prolongation_matrix(c), i, 0, of_child[c][i]);
        Row of_this;
        append(element.get_restriction_matrix(c), i, c * per_cell, of_this);
        if (!of_this.empty() && !element.restriction_is_additive(i))
          of_parent[i].clear(); // each child at the node has the whole value
        of_parent[i].insert(of_parent[i].end(), of_this.begin(), of_this.end());
      }
}

template <int dim>
double ChangedCell<dim>::value(const FormerCells<dim> &former, const Origin &origin, int i, const int *dofs,
                               const double *u) const
{
  const auto at = [=](int cell, int j) { return u[dofs[std::size_t(cell) * per_cell + j]]; };
  if (origin.kind == Origin::same)
    return at(origin.cell, i);
  double sum = 0;
  if (origin.kind == Origin::child)
    for (const auto &[j, weight] : of_child[origin.which][i])
      sum += weight * at(origin.cell, j);
  else
    for (const auto &[j, weight] : of_parent[i])
      sum += weight * at(former.family(origin.cell)[j / per_cell], j % per_cell);
  return sum;
}

template class FormerCells<2>;
template class FormerCells<3>;
template class ChangedCell<2>;
template class ChangedCell<3>;
} // namespace adamant
