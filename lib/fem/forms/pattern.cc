#include "base/exceptions.h"
#include "fem/forms/cell_rows.h"

#include <algorithm>
#include <vector>

namespace adamant
{
template <int dim>
RowCells::RowCells(const LevelSpace<dim> &rows, const Array<int> &cells)
{
  list_by_rows(
    rows.n_dofs(), cells.size(), start,
    [&](int k, const auto &add) { for_each_row_of_cell(rows, cells[k], [&](int i, int row, double) { add(row, i); }); },
    [&](std::size_t n) {
      to_index(n, "cells of rows");
      cell.resize(n);
      dof.resize(n);
    },
    [&](int place, int k, int i) {
      cell[place] = cells[k];
      dof[place]  = static_cast<unsigned short>(i);
    });
}

namespace
{
// Finds the columns of one row after the other, by groups: column / width.
template <int dim>
struct RowPattern
{
  const LevelSpace<dim>   &rows;
  const LevelColumns<dim> &columns;
  const RowCells          &cells;

  const int                       width         = columns.group();
  const std::vector<unsigned int> row_component = components_of_cell(rows), // of each DoF of a cell
    column_component = columns.functions != nullptr ? components_of_cell(*columns.functions) : row_component;
  const std::vector<int> first_columns = list_first_columns(); // of each group of a cell

  std::vector<int> list_first_columns() const
  {
    std::vector<int> first;
    for (int j = 0; !columns.is_points() && j < columns.per_cell(); ++j)
      if (width == 1 || column_component[j] == 0)
        first.push_back(j);
    return first;
  }

  // As the cells have them, with repetitions. Returns whether none of the cells has constraints.
  bool list(int row, std::vector<int> &found) const
  {
    found.clear();
    bool plain = !columns.has_identity(row);
    for (auto k = cells.start[row]; plain && k < cells.start[row + 1]; ++k)
      plain = !rows.has_constraints(cells.cell[k]) && !columns.constrains(cells.cell[k]);
    if (plain && !columns.is_by_component() && !columns.is_points())
      list_nodes(row, found);
    else
      list_all(row, found);
    return plain;
  }

  // What the rows of a range have at most, in groups, but for constraints by many unknowns.
  std::size_t most_groups(int first, int end) const
  {
    return std::size_t(cells.start[end] - cells.start[first]) * (columns.per_cell() / width) + (end - first);
  }

  // The rows of a node that have the same cells have the same columns, which are found once.
  bool same_cells_as_row_before(int row) const
  {
    const auto *of_row = cells.cell.data() + cells.start[row];
    return row % rows.node_size() != 0 && (!columns.is_by_component() || width > 1) && !columns.has_identity(row) &&
           !columns.has_identity(row - 1) && cells.size(row) == cells.size(row - 1) &&
           std::equal(of_row, of_row + cells.size(row), of_row - cells.size(row));
  }

  // The columns of a node are those of its first component.
  void list_nodes(int row, std::vector<int> &found) const
  {
    found.resize(cells.size(row) * first_columns.size());
    auto to = found.begin();
    for (auto k = cells.start[row]; k < cells.start[row + 1]; ++k)
      {
        const int *dofs = columns.functions->cell_dofs(cells.cell[k]);
        for (const int j : first_columns)
          *to++ = width == 1 ? dofs[j] : dofs[j] / width;
      }
  }

  void list_all(int row, std::vector<int> &found) const
  {
    const unsigned int component = cells.size(row) > 0 ? row_component[cells.dof[cells.start[row]]] : 0;
    const int          step      = columns.is_points() ? width : 1; // the points of a cell are one group
    for (auto k = cells.start[row]; k < cells.start[row + 1]; ++k)
      for (int j = 0; j < columns.per_cell(); j += step)
        if (!columns.is_by_component() || column_component[j] == component)
          columns.for_each(cells.cell[k], j, [&](int column, double) {
            if (found.empty() || found.back() != column / width)
              found.push_back(column / width);
          });
    if (columns.has_identity(row))
      found.push_back(row / width);
  }
};

// The columns of one row after the other, in groups. A row often has those of the row two before, moved: cells are
// numbered by families, and every other row of a line is in the middle of some.
template <int dim>
struct RowsInTurn
{
  const RowPattern<dim> &pattern;
  const int              node_size;

  bool repeats = false; // the row two nodes before, each column so much further
  int  further = 0;

  const std::vector<int> &columns() const { return last_two[turn].columns; } // ascending

  void move_to(int row)
  {
    turn             = 1 - turn;
    Found     &found = last_two[turn];
    const bool next  = found.row == row - 2 * node_size && row % node_size == 0;
    const bool plain = pattern.list(row, listed);
    further          = listed.empty() || found.listed.empty() ? 0 : listed[0] - found.listed[0];
    repeats =
      next && plain && found.plain && listed.size() == found.listed.size() &&
      std::equal(listed.begin(), listed.end(), found.listed.begin(), [this](int a, int b) { return a == b + further; });
    found.row   = row;
    found.plain = plain;
    found.listed.swap(listed);
    if (repeats)
      {
        for (int &column : found.columns)
          column += further;
        return;
      }
    found.columns = found.listed;
    std::sort(found.columns.begin(), found.columns.end());
    found.columns.erase(std::unique(found.columns.begin(), found.columns.end()), found.columns.end());
  }

  struct Found
  {
    int              row   = -1;
    bool             plain = false;
    std::vector<int> listed, columns;
  };

  Found            last_two[2]{};
  int              turn = 0;
  std::vector<int> listed{};
};

// The columns from what each thread has kept. A group has `width` columns, `stored` of them in a row.
template <class IsNew>
void fill_columns(const std::vector<Array<int>> &kept, const IsNew &is_new, int width, int stored, Pattern &result)
{
  CSRMatrix<double> &A = result.matrix;
  for_row_ranges(A.n_rows, [&](int first, int end) {
    const int       *next = kept[omp_get_thread_num()].data();
    std::vector<int> last_two[2];
    int              turn = 0;
    for (int row = first; row < end; ++row)
      {
        const auto length     = A.row_start[row + 1] - A.row_start[row];
        const bool is_new_row = is_new(row, first);
        turn                  = is_new_row ? 1 - turn : turn;
        auto &found           = last_two[turn];
        if (is_new_row && result.repeats[row])
          {
            const int further = *next++;
            for (int &group : found)
              group += further;
          }
        else if (is_new_row)
          {
            const auto n_groups = stored == 1 ? length : length / stored;
            found.assign(next, next + n_groups);
            next += n_groups;
          }
        int *column = A.column.data() + A.row_start[row];
        if (width == 1)
          std::copy(found.begin(), found.end(), column);
        else
          for (const int group : found)
            for (int k = 0; k < stored; ++k)
              *column++ = group * width + (stored < width ? row % width : k);
      }
  });
}
} // namespace

template <int dim>
Pattern make_pattern(const LevelSpace<dim> &rows, const LevelColumns<dim> &columns, const RowCells &cells)
{
  const RowPattern<dim> pattern{rows, columns, cells};
  const int             width = columns.group(), stored = columns.is_by_component() ? 1 : width; // of a group in a row
  Pattern               result;
  CSRMatrix<double>    &A = result.matrix;
  A.n_rows                = rows.n_dofs();
  A.n_cols                = columns.n();
  A.row_start.resize(A.n_rows + 1);
  result.repeats.resize(A.n_rows);

  // Each thread keeps what it has found until the places are known; of rows that repeat how far they are moved.
  std::vector<Array<int>> kept(omp_get_max_threads());
  const int               m      = rows.node_size();
  const auto              is_new = [&](int row, int first) {
    return m == 1 || row == first || !pattern.same_cells_as_row_before(row);
  };
  for_row_ranges(A.n_rows, [&](int first, int end) {
    RowsInTurn<dim> found{pattern, m};
    Array<int>     &own = kept[omp_get_thread_num()];
    own.reserve(pattern.most_groups(first, end)); // pages that stay empty cost nothing, copies while it grows do
    for (int row = first; row < end; ++row)
      {
        if (is_new(row, first))
          {
            found.move_to(row);
            if (found.repeats)
              own.push_back(found.further);
            else
              own.insert(own.end(), found.columns().begin(), found.columns().end());
          }
        result.repeats[row]  = found.repeats;
        A.row_start[row + 1] = static_cast<std::int64_t>(found.columns().size()) * stored;
      }
  });
  finish_row_starts(A);
  fill_columns(kept, is_new, width, stored, result);
  return result;
}

template RowCells::RowCells(const LevelSpace<2> &, const Array<int> &);
template RowCells::RowCells(const LevelSpace<3> &, const Array<int> &);
template decltype(make_pattern<2>) make_pattern<2>;
template decltype(make_pattern<3>) make_pattern<3>;
} // namespace adamant
