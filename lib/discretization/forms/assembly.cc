#include "discretization/forms/assembly.h"

#include "base/exceptions.h"

#include <deal.II/fe/mapping_q.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <numeric>
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
  if (kind == Columns::dofs || kind == Columns::component_dofs)
    return action(dof, 1.);
  const auto &map = kind == Columns::unknowns ? space.H : space.B;
  for (int k = map.row_start[dof]; k < map.row_start[dof + 1]; ++k)
    action(map.column[k], map.value[k]);
}

// Calls action(first, end) in each thread with the range of rows that it owns.
template <typename Action>
void for_row_ranges(int n_rows, const Action &action)
{
#pragma omp parallel
  {
    const long thread = omp_get_thread_num(), n_threads = omp_get_num_threads();
    action(static_cast<int>(n_rows * thread / n_threads), static_cast<int>(n_rows * (thread + 1) / n_threads));
  }
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
  for (int i = 0; i < space.dofs_per_cell(); ++i)
    component.push_back(space.dof_handler().get_fe().system_to_component_index(i).first);
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
  find_cells_of_rows();
  for (std::size_t m = 0; m < columns.size(); ++m)
    build_pattern(columns[m], matrices[m]);
  cells_start   = Array<std::size_t>(); // which {} would not free
  cells_of_rows = Array<int>();
}

// The cells that act on each row, ascending: a CSR pattern without values.
template <int dim>
void Assembly<dim>::find_cells_of_rows()
{
  const int  n = space.n_dofs();
  Array<int> last(n);
  const auto visit = [&](const auto &action) {
    for_row_ranges(n, [&](int first, int end) {
      std::fill(last.begin() + first, last.begin() + end, -1);
      for (int cell = 0; cell < space.n_cells(); ++cell)
        if (reaches(cell, first, end))
          for_each_row_of_cell(space, cell, [&](int, int row, double) {
            if (row >= first && row < end && last[row] != cell)
              {
                last[row] = cell;
                action(row, cell);
              }
          });
    });
  };
  cells_start.assign(n + 1, 0);
  visit([&](int row, int) { ++cells_start[row + 1]; });
  for (int i = 0; i < n; ++i)
    cells_start[i + 1] += cells_start[i];
  cells_of_rows.resize(cells_start.back());
  Array<std::size_t> next(cells_start.begin(), cells_start.end() - 1);
  visit([&](int row, int cell) { cells_of_rows[next[row]++] = cell; });
}

// A cell that is an exact translation of another one shares its FEValues: on uniform meshes one cell serves all, on refined ones a cell
// of each size, so that equal cells have equal matrices, to the bit. Curved cells and data that depend on the position are excluded.
template <int dim>
void Assembly<dim>::find_representatives()
{
  constexpr std::size_t most_shapes = 16; // the last ones found: a distorted mesh has as many as cells
  const auto           &cells       = space.active_cells();
  const int             n           = space.n_cells();
  const bool may_share = (flags & dealii::update_quadrature_points) == 0 && mapping.preserves_vertex_locations() &&
                         dynamic_cast<const dealii::MappingQ<dim> *>(&mapping) != nullptr &&
                         static_cast<const dealii::MappingQ<dim> &>(mapping).get_degree() == 1;
  if (!may_share)
    return std::iota(representative.begin(), representative.end(), 0);
  const auto same = [&](int a, int b) {
    for (unsigned int v = 1; v < dealii::GeometryInfo<dim>::vertices_per_cell; ++v)
      if (cells[a]->vertex(v) - cells[a]->vertex(0) != cells[b]->vertex(v) - cells[b]->vertex(0))
        return false;
    return true;
  };
#pragma omp parallel for schedule(static)
  for (int c = 0; c < n; ++c)
    representative[c] = c > 0 && same(c - 1, c) ? -1 : c;
  std::deque<int> shapes;
  for (int c = 0; c < n; ++c)
    {
      if (representative[c] < 0)
        {
          representative[c] = representative[c - 1];
          continue;
        }
      const auto known = std::find_if(shapes.begin(), shapes.end(), [&](int shape) { return same(shape, c); });
      if (known != shapes.end())
        representative[c] = *known;
      else
        shapes.push_front(c);
      if (shapes.size() > most_shapes)
        shapes.pop_back();
    }
}

template <int dim>
void Assembly<dim>::build_pattern(Columns kind, CSRMatrix<double> &A)
{
  const int n_q = static_cast<int>(quadrature.size());
  A.n_rows      = space.n_dofs();
  A.n_cols      = kind == Columns::prescribed        ? space.B.n_cols :
                  kind == Columns::quadrature_points ? to_index(std::size_t(space.n_cells()) * n_q, "quadrature points") :
                                                       space.n_dofs();
  A.row_start.resize(A.n_rows + 1);
  const int local_columns = kind == Columns::quadrature_points ? n_q : space.dofs_per_cell();

  // Columns of DoFs come in whole nodes, whose components follow each other: products with dense blocks need fewer indices.
  const auto &fe      = space.dof_handler().get_fe();
  const bool  by_node = (kind == Columns::unknowns || kind == Columns::dofs) && fe.n_base_elements() == 1;
  const int   width   = by_node ? static_cast<int>(fe.n_components()) : 1;
  const auto  couples = [&](unsigned int c, int j) { return kind != Columns::component_dofs || component[j] == c; };
  const auto  collect = [&](int row, std::vector<int> &found) {
    found.clear();
    unsigned int row_component = 0;
    if (kind == Columns::component_dofs && cells_start[row] < cells_start[row + 1])
      for_each_row_of_cell(space, cells_of_rows[cells_start[row]], [&](int i, int of_cell, double) {
        if (of_cell == row)
          row_component = component[i];
      });
    const auto add = [&](int column) {
      if (found.empty() || found.back() != column / width)
        found.push_back(column / width);
    };
    for (std::size_t k = cells_start[row]; k < cells_start[row + 1]; ++k)
      for (int j = 0; j < local_columns; ++j)
        if (couples(row_component, j))
          for_each_column(space, kind, cells_of_rows[k], j, n_q, [&](int column, double) { add(column); });
    if (has_identity(kind, row))
      add(row);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
  };

  // Neighbouring rows with the same cells have the same columns, so that those of a node's components are found once.
  const auto repeats_row_before = [&](int row) {
    const auto cells = [&](int i) { return cells_of_rows.begin() + cells_start[i]; };
    return kind != Columns::component_dofs && space.is_free(row) &&
           std::equal(cells(row - 1), cells(row), cells(row), cells(row + 1));
  };

  // Each thread keeps what it has found until the places are known.
  std::vector<std::vector<int>> kept(omp_get_max_threads());
  for_row_ranges(A.n_rows, [&](int first, int end) {
    std::vector<int> found, &own = kept[omp_get_thread_num()];
    for (int row = first; row < end; ++row)
      {
        if (row == first || !repeats_row_before(row))
          {
            collect(row, found);
            own.insert(own.end(), found.begin(), found.end());
          }
        A.row_start[row + 1] = static_cast<int>(found.size()) * width;
      }
  });
  finish_row_starts(A);
  for_row_ranges(A.n_rows, [&](int first, int end) {
    const int *next = kept[omp_get_thread_num()].data(), *found = next;
    for (int row = first; row < end; ++row)
      {
        const int n = A.row_start[row + 1] - A.row_start[row];
        if (row == first || !repeats_row_before(row))
          {
            found = next;
            next += n / width;
          }
        for (int k = 0; k < n; ++k)
          A.column[A.row_start[row] + k] = found[k / width] * width + k % width;
      }
  });
}

// Adds the local matrices of a cell to the rows from `first` to `end`.
template <int dim>
void Assembly<dim>::add_cell(int cell, int first, int end, const std::vector<dealii::FullMatrix<double>> &local)
{
  struct Entry
  {
    int    local, column, place; // place: in the last row that was written
    double weight;
  };
  thread_local std::vector<Entry> entries;
  for (std::size_t m = 0; m < matrices.size(); ++m)
    {
      auto         &A             = matrices[m];
      const int     local_columns = static_cast<int>(local[m].n());
      const Columns kind          = columns[m];
      entries.clear();
      for (int j = 0; j < local_columns; ++j)
        for_each_column(space, columns[m], cell, j, local_columns, [&](int column, double weight) {
          entries.push_back({j, column, 0, weight});
        });
      for_each_row_of_cell(space, cell, [&](int i, int row, double row_weight) {
        if (row < first || row >= end)
          return;
        const int *columns = A.column.data() + A.row_start[row], n = A.row_start[row + 1] - A.row_start[row];
        double    *values = A.value.data() + A.row_start[row];
        int        place  = -1;
        for (auto &entry : entries)
          {
            // Often where the row before had it, or beside the entry before.
            if (kind == Columns::component_dofs && component[i] != component[entry.local])
              continue;
            const auto is_at = [&](int k) { return k < n && columns[k] == entry.column; };
            if (is_at(entry.place))
              place = entry.place;
            else if (!is_at(++place))
              place = static_cast<int>(std::lower_bound(columns, columns + n, entry.column) - columns);
            entry.place = place;
            values[place] += row_weight * entry.weight * local[m](i, entry.local);
          }
      });
    }
}

template <int dim>
void Assembly<dim>::clear_rows(int first, int end)
{
  for (std::size_t m = 0; m < matrices.size(); ++m)
    {
      auto      &A  = matrices[m];
      const auto at = [&A](int row) { return A.value.begin() + A.row_start[row]; };
      std::fill(at(first), at(end), 0.);
      for (int row = first; row < end; ++row)
        if (has_identity(columns[m], row))
          {
            const int *begin = A.column.data() + A.row_start[row], *end_of_row = A.column.data() + A.row_start[row + 1];
            at(row)[std::lower_bound(begin, end_of_row, row) - begin] = 1.;
          }
    }
}

template <int dim>
void Assembly<dim>::assemble(const CellAssembler<dim> &cell_assembler)
{
  const auto        &cells = space.active_cells();
  std::exception_ptr error;
  // Each thread owns a range of rows and computes every cell that reaches into it.
  for_row_ranges(space.n_dofs(), [&](int first, int end) {
    try
      {
        clear_rows(first, end);
        dealii::FEValues<dim>                   fe_values(mapping, space.dof_handler().get_fe(), quadrature, flags);
        std::vector<dealii::FullMatrix<double>> local;
        for (const Columns kind : columns)
          local.emplace_back(space.dofs_per_cell(),
                             kind == Columns::quadrature_points ? quadrature.size() : space.dofs_per_cell());
        for (int cell = 0, current = -1; cell < space.n_cells(); ++cell)
          if (reaches(cell, first, end))
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
  });
  if (error)
    std::rethrow_exception(error);
}

template class Assembly<2>;
template class Assembly<3>;
} // namespace adamant
