#include "base/exceptions.h"
#include "discretization/forms/cell_rows.h"

#include <algorithm>
#include <vector>

namespace adamant
{
namespace
{
// The cells that act on each row, ascending: those of row i are cell[k], start[i] <= k < start[i + 1].
struct CellsOfRows
{
  Array<std::size_t> start;
  Array<int>         cell;

  const int *begin(int row) const { return cell.data() + start[row]; }
  const int *end(int row) const { return cell.data() + start[row + 1]; }
};

template <int dim>
CellsOfRows find_cells_of_rows(const LevelSpace<dim> &rows, const CellRows<dim> &cells)
{
  const int  n = rows.n_dofs();
  Array<int> last(n);
  const auto visit = [&](const auto &action) {
    for_row_ranges(n, [&](int first, int end) {
      std::fill(last.begin() + first, last.begin() + end, -1);
      for (int k = 0; k < cells.size(); ++k)
        if (cells.reach(k, first, end))
          for_each_row_of_cell(rows, cells[k], [&](int, int row, double) {
            if (row >= first && row < end && last[row] != k)
              {
                last[row] = k;
                action(row, cells[k]);
              }
          });
    });
  };
  CellsOfRows result;
  auto       &start = result.start;
  start.assign(n + 2, 0);
  visit([&](int row, int) { ++start[row + 2]; });
  for (int i = 0; i <= n; ++i)
    start[i + 1] += start[i];
  result.cell.resize(start.back());
  // start[row + 1] is where the row begins; it moves to where it ends.
  visit([&](int row, int cell) { result.cell[start[row + 1]++] = cell; });
  return result;
}

// Finds the columns of one row after the other, by groups: column / width.
template <int dim>
class RowPattern
{
public:
  RowPattern(const LevelSpace<dim> &rows, const LevelColumns<dim> &columns, const CellsOfRows &cells)
    : rows(rows)
    , columns(columns)
    , cells(cells)
    , width(columns.group())
    , row_component(components_of_cell(rows))
  {
    if (columns.is_by_component())
      column_component = components_of_cell(*columns.functions());
  }

  void collect(int row, std::vector<int> &found) const
  {
    found.clear();
    const auto add = [&](int column) {
      if (found.empty() || found.back() != column / width)
        found.push_back(column / width);
    };
    const unsigned int component = columns.is_by_component() ? component_of(row) : 0;
    const int          step      = columns.is_points() ? width : 1; // the points of a cell are one group
    for (const int *cell = cells.begin(row); cell != cells.end(row); ++cell)
      for (int j = 0; j < columns.per_cell(); j += step)
        if (!columns.is_by_component() || column_component[j] == component)
          columns.for_each(*cell, j, [&](int column, double) { add(column); });
    if (columns.has_identity(row))
      add(row);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
  }

  // What the rows of a range have at most, in groups, but for constraints by many unknowns.
  std::size_t most_groups(int first, int end) const
  {
    return (cells.start[end] - cells.start[first]) * (columns.per_cell() / width) + (end - first);
  }

  // The rows of a node that have the same cells have the same columns, which are found once.
  bool repeats_row_before(int row) const
  {
    return row % rows.node_size() != 0 && (!columns.is_by_component() || width > 1) && !columns.has_identity(row) &&
           !columns.has_identity(row - 1) &&
           std::equal(cells.begin(row - 1), cells.end(row - 1), cells.begin(row), cells.end(row));
  }

private:
  unsigned int component_of(int row) const
  {
    unsigned int component = 0;
    if (cells.begin(row) != cells.end(row))
      for_each_row_of_cell(rows, *cells.begin(row), [&](int i, int of_cell, double) {
        if (of_cell == row)
          component = row_component[i];
      });
    return component;
  }

  const LevelSpace<dim>    &rows;
  const LevelColumns<dim>  &columns;
  const CellsOfRows        &cells;
  const int                 width;
  std::vector<unsigned int> row_component, column_component; // of each DoF of a cell
};
} // namespace

template <int dim>
CellRows<dim>::CellRows(const LevelSpace<dim> &rows, const LevelColumns<dim> &columns)
{
  cells.reserve(columns.is_prescribed() ? 0 : rows.n_cells());
  for (int cell = 0; cell < rows.n_cells(); ++cell)
    if (columns.act_on(cell))
      cells.push_back(cell);
  const int n = size();
  lowest.resize(n);
  highest.resize(n);
#pragma omp parallel for schedule(static)
  for (int k = 0; k < n; ++k)
    {
      lowest[k]  = rows.n_dofs();
      highest[k] = -1;
      for_each_row_of_cell(rows, cells[k], [&](int, int row, double) {
        lowest[k]  = std::min(lowest[k], row);
        highest[k] = std::max(highest[k], row);
      });
    }
}

template <int dim>
CSRMatrix<double> make_pattern(const LevelSpace<dim> &rows, const LevelColumns<dim> &columns,
                               const CellRows<dim> &cells)
{
  const auto            cells_of_rows = find_cells_of_rows(rows, cells);
  const RowPattern<dim> pattern(rows, columns, cells_of_rows);
  const int             width = columns.group(), stored = columns.is_by_component() ? 1 : width; // of a group in a row
  CSRMatrix<double>     A;
  A.n_rows = rows.n_dofs();
  A.n_cols = columns.n();
  A.row_start.resize(A.n_rows + 1);

  // Each thread keeps what it has found until the places are known.
  std::vector<Array<int>> kept(omp_get_max_threads());
  for_row_ranges(A.n_rows, [&](int first, int end) {
    std::vector<int> found;
    Array<int>      &own = kept[omp_get_thread_num()];
    own.reserve(pattern.most_groups(first, end)); // pages that stay empty cost nothing, copies while it grows do
    for (int row = first; row < end; ++row)
      {
        if (row == first || !pattern.repeats_row_before(row))
          {
            pattern.collect(row, found);
            own.insert(own.end(), found.begin(), found.end());
          }
        A.row_start[row + 1] = static_cast<std::int64_t>(found.size()) * stored;
      }
  });
  finish_row_starts(A);
  for_row_ranges(A.n_rows, [&](int first, int end) {
    const int *next = kept[omp_get_thread_num()].data(), *found = next;
    for (int row = first; row < end; ++row)
      {
        const auto n_groups = (A.row_start[row + 1] - A.row_start[row]) / stored;
        if (row == first || !pattern.repeats_row_before(row))
          {
            found = next;
            next += n_groups;
          }
        int *column = A.column.data() + A.row_start[row];
        for (std::int64_t g = 0; g < n_groups; ++g)
          for (int k = 0; k < stored; ++k)
            *column++ = found[g] * width + (stored < width ? row % width : k);
      }
  });
  return A;
}

template class CellRows<2>;
template class CellRows<3>;
template CSRMatrix<double> make_pattern(const LevelSpace<2> &, const LevelColumns<2> &, const CellRows<2> &);
template CSRMatrix<double> make_pattern(const LevelSpace<3> &, const LevelColumns<3> &, const CellRows<3> &);
} // namespace adamant
