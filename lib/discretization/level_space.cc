#include "discretization/level_space.h"

#include "base/exceptions.h"

#include <deal.II/dofs/dof_tools.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace adamant
{
template <int dim>
std::vector<typename dealii::DoFHandler<dim>::active_cell_iterator> active_cells(const dealii::DoFHandler<dim> &dofs)
{
  std::vector<typename dealii::DoFHandler<dim>::active_cell_iterator> cells;
  cells.reserve(dofs.get_triangulation().n_active_cells());
  for (const auto &cell : dofs.active_cell_iterators())
    cells.push_back(cell);
  return cells;
}

namespace
{
// Numbers the DoFs by their positions, line by line, so that neighbours on a line are neighbours in memory and products run
// through the vector units without indirection. Lines run along the axis with the most different positions, so that they
// stay long where a mesh is refined towards a face. The components of a node stay together. Positions are those of the
// straight-sided cells, on a grid of 2^-20 of the domain.
template <int dim>
void sort_by_position(dealii::DoFHandler<dim> &dofs)
{
  const auto                            &fe = dofs.get_fe();
  const auto                             cells = active_cells(dofs);
  const auto                             n     = dofs.n_dofs();
  const int                              n_cells = static_cast<int>(cells.size());
  std::vector<std::pair<std::uint64_t, int>> order(n);
  dealii::Point<dim>                     lower = cells[0]->vertex(0), upper = lower;
  for (const auto &v : dofs.get_triangulation().get_vertices())
    for (int d = 0; d < dim; ++d)
      {
        lower[d] = std::min(lower[d], v[d]);
        upper[d] = std::max(upper[d], v[d]);
      }
  const auto on_grid = [&](double x, int d) { return std::uint64_t(std::lround((x - lower[d]) / (upper[d] - lower[d]) * (1 << 20))); };
  std::array<std::size_t, dim> n_positions;
  for (int d = 0; d < dim; ++d)
    {
      std::vector<bool> taken((1 << 20) + 1, false);
      for (const auto &v : dofs.get_triangulation().get_vertices())
        taken[on_grid(v[d], d)] = true;
      n_positions[d] = std::count(taken.begin(), taken.end(), true);
    }
  std::array<int, dim> axes; // the slowest first
  std::iota(axes.rbegin(), axes.rend(), 0);
  std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) { return n_positions[a] < n_positions[b]; });
#pragma omp parallel
  {
    std::vector<dealii::types::global_dof_index> indices(fe.n_dofs_per_cell());
    const auto                                  &unit_points = fe.get_unit_support_points();
#pragma omp for schedule(static)
    for (int c = 0; c < n_cells; ++c)
      {
        cells[c]->get_dof_indices(indices);
        for (unsigned int i = 0; i < indices.size(); ++i)
          {
            dealii::Point<dim> p;
            for (unsigned int v = 0; v < dealii::GeometryInfo<dim>::vertices_per_cell; ++v)
              p += dealii::GeometryInfo<dim>::d_linear_shape_function(unit_points[i], v) * cells[c]->vertex(v);
            std::uint64_t key = 0;
            for (const int d : axes)
              key = (key << 21) | on_grid(p[d], d);
            // Cells that share the DoF write the same key, but for those where rounding splits it: any will do.
#pragma omp atomic write
            order[indices[i]].first = key;
          }
      }
  }
  for (std::size_t i = 0; i < n; ++i)
    order[i].second = static_cast<int>(i);
  std::sort(order.begin(), order.end());
  std::vector<dealii::types::global_dof_index> new_number(n);
  for (std::size_t i = 0; i < n; ++i)
    new_number[order[i].second] = i;
  dofs.renumber_dofs(new_number);
}
} // namespace

template <int dim>
LevelSpace<dim>::LevelSpace(std::shared_ptr<const dealii::Triangulation<dim>> mesh_,
                            const dealii::FiniteElement<dim>                 &fe,
                            const DirichletBoundary                          &dirichlet)
  : mesh(std::move(mesh_))
  , dofs(std::make_unique<dealii::DoFHandler<dim>>(*mesh))
{
  dofs->distribute_dofs(fe);
  to_index(dofs->n_dofs(), "degrees of freedom");
  sort_by_position(*dofs);
  cells    = static_cast<int>(mesh->n_active_cells());
  per_cell = static_cast<int>(fe.n_dofs_per_cell());

  if (mesh->has_hanging_nodes())
    dealii::DoFTools::make_hanging_node_constraints(*dofs, hanging_nodes);
  hanging_nodes.close();

  dealii::IndexSet prescribed_dofs(dofs->n_dofs());
  for (const auto &[id, mask] : dirichlet)
    prescribed_dofs.add_indices(dealii::DoFTools::extract_boundary_dofs(*dofs, mask, {id}));
  build_constraint_matrices(prescribed_dofs);
  fill_cell_table();
}

template <int dim>
void LevelSpace<dim>::build_constraint_matrices(const dealii::IndexSet &dirichlet)
{
  const int n = static_cast<int>(dofs->n_dofs());

  // A hanging DoF on the boundary stays hanging, so that the solution stays continuous.
  enum : unsigned char { free, hanging, fixed };
  constrained.assign(n, free);
  Array<int> column_in_B(n);
  for (const auto i : dirichlet)
    if (!hanging_nodes.is_constrained(i))
      {
        constrained[i] = fixed;
        column_in_B[i] = static_cast<int>(prescribed.size());
        prescribed.push_back(static_cast<int>(i));
      }
  for (const auto &line : hanging_nodes.get_lines())
    constrained[line.index] = hanging;

  H.n_rows = H.n_cols = B.n_rows = n;
  B.n_cols                       = static_cast<int>(prescribed.size());
  H.row_start.assign(n + 1, 0);
  B.row_start.assign(n + 1, 0);
  for (int i = 0; i < n; ++i)
    if (constrained[i] == free)
      H.row_start[i + 1] = 1;
    else if (constrained[i] == fixed)
      B.row_start[i + 1] = 1;
  for (const auto &line : hanging_nodes.get_lines())
    for (const auto &[j, weight] : line.entries)
      ++(constrained[j] == fixed ? B : H).row_start[line.index + 1];
  finish_row_starts(H);
  finish_row_starts(B);

  for (int i = 0; i < n; ++i)
    if (constrained[i] == free)
      {
        H.column[H.row_start[i]] = i;
        H.value[H.row_start[i]]  = 1.;
      }
    else if (constrained[i] == fixed)
      {
        B.column[B.row_start[i]] = column_in_B[i];
        B.value[B.row_start[i]]  = 1.;
      }
  for (const auto &line : hanging_nodes.get_lines())
    {
      auto entries = line.entries;
      std::sort(entries.begin(), entries.end());
      int in_H = H.row_start[line.index], in_B = B.row_start[line.index];
      for (const auto &[j, weight] : entries)
        {
          const bool is_fixed = constrained[j] == fixed;
          auto      &matrix   = is_fixed ? B : H;
          int       &k        = is_fixed ? in_B : in_H;
          matrix.column[k]    = is_fixed ? column_in_B[j] : static_cast<int>(j);
          matrix.value[k++]   = weight;
        }
    }
}

template <int dim>
void LevelSpace<dim>::fill_cell_table()
{
  to_index(std::size_t(cells) * per_cell, "DoFs of all cells");
  table.resize(std::size_t(cells) * per_cell);
  constrained_cell.assign(cells, 0);
  std::vector<dealii::types::global_dof_index> indices(per_cell);
  int                                          c = 0;
  for (const auto &cell : dofs->active_cell_iterators())
    {
      cell->get_dof_indices(indices);
      for (int i = 0; i < per_cell; ++i)
        {
          table[std::size_t(c) * per_cell + i] = static_cast<int>(indices[i]);
          constrained_cell[c] |= constrained[indices[i]] != 0;
        }
      ++c;
    }
}

template class LevelSpace<2>;
template class LevelSpace<3>;
template std::vector<dealii::DoFHandler<2>::active_cell_iterator> active_cells(const dealii::DoFHandler<2> &);
template std::vector<dealii::DoFHandler<3>::active_cell_iterator> active_cells(const dealii::DoFHandler<3> &);
} // namespace adamant
