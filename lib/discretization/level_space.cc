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
namespace
{
// A point's coordinates on a grid of 2^-20 of the mesh's bounding box, as one number; the axis with the most different
// vertex positions varies fastest.
template <int dim>
class PositionKey
{
public:
  explicit PositionKey(const std::vector<dealii::Point<dim>> &vertices)
    : lower(vertices[0])
    , upper(vertices[0])
  {
    for (const auto &v : vertices)
      for (int d = 0; d < dim; ++d)
        {
          lower[d] = std::min(lower[d], v[d]);
          upper[d] = std::max(upper[d], v[d]);
        }
    std::array<std::size_t, dim> n_positions;
    for (int d = 0; d < dim; ++d)
      {
        std::vector<bool> taken((1 << 20) + 1, false);
        for (const auto &v : vertices)
          taken[on_grid(v, d)] = true;
        n_positions[d] = std::count(taken.begin(), taken.end(), true);
      }
    std::iota(axes.rbegin(), axes.rend(), 0);
    std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) { return n_positions[a] < n_positions[b]; });
    std::swap(axes[0], axes[dim == 3 ? 1 : 0]); // in 3D the shortest is the middle one, which keeps the planes small
  }

  std::uint64_t operator()(const dealii::Point<dim> &p) const
  {
    std::uint64_t key = 0;
    for (const int d : axes)
      key = (key << 21) | on_grid(p, d);
    return key;
  }

private:
  std::uint64_t on_grid(const dealii::Point<dim> &p, int d) const
  {
    return std::uint64_t(std::lround((p[d] - lower[d]) / (upper[d] - lower[d]) * (1 << 20)));
  }

  dealii::Point<dim>   lower, upper;
  std::array<int, dim> axes; // the slowest first
};
} // namespace

template <int dim>
LevelSpace<dim>::LevelSpace(std::shared_ptr<const dealii::Triangulation<dim>> mesh_,
                            const dealii::FiniteElement<dim> &fe, const DirichletBoundary &dirichlet)
  : mesh(std::move(mesh_))
  , dofs(std::make_unique<dealii::DoFHandler<dim>>(*mesh))
{
  dofs->distribute_dofs(fe);
  to_index(dofs->n_dofs(), "degrees of freedom");
  fill_cell_table();
  sort_by_position();

  if (mesh->has_hanging_nodes())
    dealii::DoFTools::make_hanging_node_constraints(*dofs, hanging_nodes);
  hanging_nodes.close();
  mark_constrained(dirichlet);
  build_constraint_matrices();
}

template <int dim>
void LevelSpace<dim>::fill_cell_table()
{
  cells.reserve(mesh->n_active_cells());
  for (const auto &cell : dofs->active_cell_iterators())
    cells.push_back(cell);
  per_cell = static_cast<int>(dofs->get_fe().n_dofs_per_cell());
  table.resize(to_index(cells.size() * per_cell, "DoFs of all cells"));
#pragma omp parallel
  {
    std::vector<dealii::types::global_dof_index> indices(per_cell);
#pragma omp for schedule(static)
    for (int c = 0; c < n_cells(); ++c)
      {
        cells[c]->get_dof_indices(indices);
        std::copy(indices.begin(), indices.end(), table.begin() + std::size_t(c) * per_cell);
      }
  }
}

// Numbers the DoFs by their positions, line by line, so that neighbours on a line are neighbours in memory and products run
// through the vector units without indirection. Lines run along the axis with the most different positions, so that they
// stay long where a mesh is refined towards a face; in 3D the axis with the least comes next, which keeps the planes small
// and the ranges of rows that threads own compact. The components of a node stay together. Positions are those of the
// straight-sided cells.
template <int dim>
void LevelSpace<dim>::sort_by_position()
{
  constexpr unsigned int                      n_vertices = dealii::GeometryInfo<dim>::vertices_per_cell;
  const PositionKey<dim>                      key(mesh->get_vertices());
  const auto                                 &unit_points = dofs->get_fe().get_unit_support_points();
  std::vector<std::array<double, n_vertices>> weights(per_cell);
  for (int i = 0; i < per_cell; ++i)
    for (unsigned int v = 0; v < n_vertices; ++v)
      weights[i][v] = dealii::GeometryInfo<dim>::d_linear_shape_function(unit_points[i], v);

  const int                                  n = static_cast<int>(dofs->n_dofs());
  std::vector<std::pair<std::uint64_t, int>> order(n);
#pragma omp        parallel for schedule(static)
  for (int c = 0; c < n_cells(); ++c)
    {
             std::array<dealii::Point<dim>, n_vertices> vertices;
             for (unsigned int v = 0; v < n_vertices; ++v)
        vertices[v] = cells[c]->vertex(v);
      for (int i = 0; i < per_cell; ++i)
        {
                 dealii::Point<dim> p;
                 for (unsigned int v = 0; v < n_vertices; ++v)
            p += weights[i][v] * vertices[v];
            // Cells that share the DoF write the same key, but for those where rounding splits it: any will do.
#pragma omp atomic write
          order[cell_dofs(c)[i]].first = key(p);
        }
    }
  for (int i = 0; i < n; ++i)
    order[i].second = i;
  std::sort(order.begin(), order.end());
  std::vector<dealii::types::global_dof_index> new_number(n);
  for (int i = 0; i < n; ++i)
    new_number[order[i].second] = i;
  dofs->renumber_dofs(new_number);
#pragma omp parallel for schedule(static)
  for (int c = 0; c < n_cells(); ++c)
    for (std::size_t k = std::size_t(c) * per_cell; k < std::size_t(c + 1) * per_cell; ++k)
      table[k] = static_cast<int>(new_number[table[k]]);
}

// Sorts the DoFs into free, hanging and prescribed ones: the latter lie on faces of a boundary where their component is
// prescribed. A hanging DoF on the boundary stays hanging, so that the solution stays continuous.
template <int dim>
void LevelSpace<dim>::mark_constrained(const DirichletBoundary &dirichlet)
{
  const auto &fe = dofs->get_fe();
  constrained.assign(dofs->n_dofs(), free);
#pragma omp        parallel for schedule(static)
  for (int c = 0; c < n_cells(); ++c)
    for (const unsigned int f : cells[c]->face_indices())
      {
               if (!cells[c]->at_boundary(f))
          continue;
        const auto boundary = dirichlet.find(cells[c]->face(f)->boundary_id());
               for (int i = 0; i < per_cell && boundary != dirichlet.end(); ++i)
          if (boundary->second[fe.system_to_component_index(i).first] && fe.has_support_on_face(i, f))
#pragma omp atomic write
            constrained[cell_dofs(c)[i]] = fixed;
      }
  for (const auto &line : hanging_nodes.get_lines())
    constrained[line.index] = hanging;
  for (int i = 0; i < static_cast<int>(dofs->n_dofs()); ++i)
    if (constrained[i] == fixed)
      prescribed.push_back(i);
  constrained_cell.resize(n_cells());
#pragma omp parallel for schedule(static)
  for (int c = 0; c < n_cells(); ++c)
    constrained_cell[c] = std::any_of(cell_dofs(c), cell_dofs(c) + per_cell, [this](int i) { return !is_free(i); });
}

template <int dim>
void LevelSpace<dim>::build_constraint_matrices()
{
  const int  n = static_cast<int>(dofs->n_dofs());
  Array<int> column_in_B(n);
  for (std::size_t k = 0; k < prescribed.size(); ++k)
    column_in_B[prescribed[k]] = static_cast<int>(k);

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

template class LevelSpace<2>;
template class LevelSpace<3>;
} // namespace adamant
