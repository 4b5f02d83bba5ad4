#include "discretization/assembly.h"

#include "base/exceptions.h"

#include <deal.II/fe/mapping_q.h>

#include <algorithm>
#include <exception>
#include <omp.h>

namespace adamant
{
namespace
{
// The rows of the free unknowns that the cell's DoFs act on, through H; with repetitions.
template <int dim, typename Action>
void for_each_row_of_cell(const LevelSpace<dim> &space, int cell, const Action &action)
{
  for (int i = 0; i < space.dofs_per_cell(); ++i)
    {
      const int dof = space.cell_dofs(cell)[i];
      for (int k = space.H.row_start[dof]; k < space.H.row_start[dof + 1]; ++k)
        action(i, space.H.column[k], space.H.value[k]);
    }
}

// The columns that local column j of the cell acts on, with weights.
template <int dim, typename Action>
void for_each_column(const LevelSpace<dim> &space, Columns kind, int cell, int j, int n_q, const Action &action)
{
  if (kind == Columns::quadrature_points)
    return action(cell * n_q + j, 1.);
  const int dof = space.cell_dofs(cell)[j];
  if (kind == Columns::dofs)
    return action(dof, 1.);
  const auto &map = kind == Columns::unknowns ? space.H : space.B;
  for (int k = map.row_start[dof]; k < map.row_start[dof + 1]; ++k)
    action(map.column[k], map.value[k]);
}

// Completes ascending columns to whole nodes, whose components follow each other: products with dense blocks need fewer indices.
void fill_nodes(std::vector<int> &columns, int node_size)
{
  std::vector<int> nodes;
  for (const int column : columns)
    if (nodes.empty() || nodes.back() != column / node_size)
      nodes.push_back(column / node_size);
  columns.clear();
  for (const int node : nodes)
    for (int c = 0; c < node_size; ++c)
      columns.push_back(node * node_size + c);
}

// The cells that act on each row, ascending: a CSR pattern without values.
template <int dim>
std::pair<std::vector<std::size_t>, Array<int>> cells_of_rows(const LevelSpace<dim> &space)
{
  std::vector<std::size_t> start(space.n_dofs() + 1, 0);
  Array<int>               last(space.n_dofs(), -1);
  const auto               visit = [&](const auto &action) {
    std::fill(last.begin(), last.end(), -1);
    for (int cell = 0; cell < space.n_cells(); ++cell)
      for_each_row_of_cell(space, cell, [&](int, int row, double) {
        if (last[row] != cell)
          {
            last[row] = cell;
            action(row, cell);
          }
      });
  };
  visit([&](int row, int) { ++start[row + 1]; });
  for (int i = 0; i < space.n_dofs(); ++i)
    start[i + 1] += start[i];
  Array<int>               cells(start.back());
  std::vector<std::size_t> next(start.begin(), start.end() - 1);
  visit([&](int row, int cell) { cells[next[row]++] = cell; });
  return {std::move(start), std::move(cells)};
}
} // namespace

template <int dim>
Assembly<dim>::Assembly(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                        const dealii::Quadrature<dim> &quadrature, dealii::UpdateFlags flags,
                        const std::vector<Columns> &columns)
  : matrices(columns.size())
  , space(space)
  , mapping(mapping)
  , quadrature(quadrature)
  , flags(flags)
  , columns(columns)
  , lowest_row(space.n_cells())
  , highest_row(space.n_cells())
  , representative(space.n_cells())
{
  const int n_cells = space.n_cells();
#pragma omp parallel for schedule(static)
  for (int cell = 0; cell < n_cells; ++cell)
    {
      lowest_row[cell]  = space.n_dofs();
      highest_row[cell] = -1;
      for_each_row_of_cell(space, cell, [&](int, int row, double) {
        lowest_row[cell]  = std::min(lowest_row[cell], row);
        highest_row[cell] = std::max(highest_row[cell], row);
      });
    }
  find_representatives();
  const auto [start, cells] = cells_of_rows(space);
  for (std::size_t m = 0; m < columns.size(); ++m)
    build_pattern(columns[m], start, cells, matrices[m]);
}

// A cell that is an exact translation of the one before it shares its FEValues: on uniform meshes one cell serves all.
// Curved cells and data that depend on the position are excluded.
template <int dim>
void Assembly<dim>::find_representatives()
{
  const auto cells     = active_cells(space.dof_handler());
  const int  n         = space.n_cells();
  const bool may_share = (flags & dealii::update_quadrature_points) == 0 && mapping.preserves_vertex_locations() &&
                         dynamic_cast<const dealii::MappingQ<dim> *>(&mapping) != nullptr &&
                         static_cast<const dealii::MappingQ<dim> &>(mapping).get_degree() == 1;
#pragma omp parallel for schedule(static)
  for (int c = 0; c < n; ++c)
    {
      bool same = may_share && c > 0;
      for (unsigned int v = 1; same && v < dealii::GeometryInfo<dim>::vertices_per_cell; ++v)
        same = cells[c]->vertex(v) - cells[c]->vertex(0) == cells[c - 1]->vertex(v) - cells[c - 1]->vertex(0);
      representative[c] = same ? -1 : c;
    }
  for (int c = 1; c < n; ++c)
    if (representative[c] < 0)
      representative[c] = representative[c - 1];
}

template <int dim>
void Assembly<dim>::build_pattern(Columns kind, const std::vector<std::size_t> &start, const Array<int> &cells,
                                  CSRMatrix<double> &A)
{
  const int n_q = static_cast<int>(quadrature.size());
  A.n_rows      = space.n_dofs();
  A.n_cols      = kind == Columns::prescribed        ? space.B.n_cols :
                  kind == Columns::quadrature_points ? to_index(std::size_t(space.n_cells()) * n_q, "quadrature points") :
                                                       space.n_dofs();
  A.row_start.resize(A.n_rows + 1);
  const int   local_columns = kind == Columns::quadrature_points ? n_q : space.dofs_per_cell();
  const auto &fe            = space.dof_handler().get_fe();
  const int   node_size     = fe.n_base_elements() == 1 ? static_cast<int>(fe.n_components()) : 1;
  const auto  collect       = [&](int row, std::vector<int> &found) {
    found.clear();
    for (std::size_t k = start[row]; k < start[row + 1]; ++k)
      for (int j = 0; j < local_columns; ++j)
        for_each_column(space, kind, cells[k], j, n_q, [&](int column, double) { found.push_back(column); });
    if (kind == Columns::unknowns && !space.is_free(row))
      found.push_back(row);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    if (kind == Columns::unknowns && node_size > 1)
      fill_nodes(found, node_size);
  };
  // Each thread keeps the columns of its rows until their places are known.
  std::vector<std::vector<int>> kept(omp_get_max_threads());
  const auto rows_of_thread = [&](std::size_t thread) { return static_cast<int>(A.n_rows * thread / kept.size()); };
#pragma omp parallel for schedule(static, 1)
  for (std::size_t thread = 0; thread < kept.size(); ++thread)
    {
      std::vector<int> found;
      for (int row = rows_of_thread(thread); row < rows_of_thread(thread + 1); ++row)
        {
          collect(row, found);
          A.row_start[row + 1] = static_cast<int>(found.size());
          kept[thread].insert(kept[thread].end(), found.begin(), found.end());
        }
    }
  finish_row_starts(A);
#pragma omp parallel for schedule(static, 1)
  for (std::size_t thread = 0; thread < kept.size(); ++thread)
    std::copy(kept[thread].begin(), kept[thread].end(), A.column.begin() + A.row_start[rows_of_thread(thread)]);
}

template <int dim>
void Assembly<dim>::add_cell(int cell, int first_row, int end_row, const std::vector<dealii::FullMatrix<double>> &local)
{
  for (std::size_t m = 0; m < matrices.size(); ++m)
    {
      auto     &A             = matrices[m];
      const int local_columns = static_cast<int>(local[m].n());
      for_each_row_of_cell(space, cell, [&](int i, int row, double row_weight) {
        if (row < first_row || row >= end_row)
          return;
        const int *begin = A.column.data() + A.row_start[row], *end = A.column.data() + A.row_start[row + 1];
        for (int j = 0; j < local_columns; ++j)
          for_each_column(space, columns[m], cell, j, local_columns, [&](int column, double column_weight) {
            const int *position = std::lower_bound(begin, end, column);
            A.value[position - A.column.data()] += row_weight * column_weight * local[m](i, j);
          });
      });
    }
}

template <int dim>
void Assembly<dim>::assemble(const CellAssembler<dim> &cell_assembler)
{
  const auto         cells = active_cells(space.dof_handler());
  const int          n = space.n_dofs(), n_cells = space.n_cells();
  std::exception_ptr error;
#pragma omp parallel
  {
    // Each thread owns a range of rows and computes every cell that reaches into it.
    const long thread = omp_get_thread_num(), n_threads = omp_get_num_threads();
    const int  first = static_cast<int>(n * thread / n_threads), end = static_cast<int>(n * (thread + 1) / n_threads);
    for (std::size_t m = 0; m < matrices.size(); ++m)
      for (int row = first; row < end; ++row)
        {
          auto &A = matrices[m];
          std::fill(A.value.begin() + A.row_start[row], A.value.begin() + A.row_start[row + 1], 0.);
          if (columns[m] == Columns::unknowns && !space.is_free(row))
            A.value[std::lower_bound(A.column.begin() + A.row_start[row], A.column.begin() + A.row_start[row + 1],
                                     row) -
                    A.column.begin()] = 1.;
        }
    try
      {
        dealii::FEValues<dim>                   fe_values(mapping, space.dof_handler().get_fe(), quadrature, flags);
        std::vector<dealii::FullMatrix<double>> local;
        for (const Columns kind : columns)
          local.emplace_back(space.dofs_per_cell(),
                             kind == Columns::quadrature_points ? quadrature.size() : space.dofs_per_cell());
        for (int cell = 0, current = -1; cell < n_cells; ++cell)
          if (lowest_row[cell] < end && highest_row[cell] >= first)
            {
              if (current != representative[cell])
                fe_values.reinit(cells[current = representative[cell]]);
              for (auto &matrix : local)
                matrix = 0.;
              cell_assembler(cells[cell], fe_values, local);
              add_cell(cell, first, end, local);
            }
      }
    catch (...)
      {
#pragma omp critical
        error = std::current_exception();
      }
  }
  if (error)
    std::rethrow_exception(error);
}

template class Assembly<2>;
template class Assembly<3>;
} // namespace adamant
