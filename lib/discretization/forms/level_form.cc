#include "discretization/forms/level_form.h"

#include "base/exceptions.h"
#include "discretization/forms/same_shape.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace adamant
{
namespace
{
// Of the columns' element; the rows' FEValues has the rest.
dealii::UpdateFlags flags_of_functions(dealii::UpdateFlags flags)
{
  return flags & (dealii::update_values | dealii::update_gradients | dealii::update_hessians);
}
} // namespace

template <int dim>
std::shared_ptr<const Partitioner> LevelColumns<dim>::numbers() const
{
  const auto keep = [](const Partitioner &numbers) {
    return std::shared_ptr<const Partitioner>(&numbers, [](const void *) {});
  };
  const MPI_Comm comm = rows.partition().get_mpi_communicator();
  switch (kind)
    {
      case ColumnKind::prescribed_values: return keep(space->prescribed_partition());
      case ColumnKind::quadrature_points: return std::make_shared<Partitioner>(owned_range(n(), comm), comm);
      default: return keep(space->partition());
    }
}

template <int dim>
LevelForm<dim>::LevelForm(std::size_t level, const LevelSpace<dim> &rows, const LevelColumns<dim> &columns,
                          const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature,
                          dealii::UpdateFlags flags)
  : level(level)
  , rows(rows)
  , columns_(columns)
  , mapping(mapping)
  , quadrature(quadrature)
  , flags(flags)
  , row_component(components_of_cell(rows))
  , cells(rows, columns)
  , representative(cells_of_same_shape(rows, cells.numbers(), mapping, flags))
{
  if (columns.is_by_component())
    column_component = components_of_cell(*columns.functions());
  matrix = std::make_shared<CSRMatrix<double>>(make_pattern(rows, columns, cells));
}

template <int dim>
void LevelForm<dim>::assemble(const typename Form<dim>::Kernel &kernel)
{
  std::exception_ptr error;
  // Each thread owns a range of rows and computes every cell that reaches into it.
  for_row_ranges(rows.n_dofs(), [&](int first, int end) {
    try
      {
        assemble_rows(first, end, kernel);
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

template <int dim>
void LevelForm<dim>::assemble_rows(int first, int end, const typename Form<dim>::Kernel &kernel)
{
  clear_rows(first, end);
  const auto                          *functions = columns_.functions();
  dealii::FEValues<dim>                row_values(mapping, rows.dof_handler().get_fe(), quadrature, flags);
  std::optional<dealii::FEValues<dim>> other_values; // where the columns have another space
  if (functions != nullptr && functions != &rows)
    other_values.emplace(mapping, functions->dof_handler().get_fe(), quadrature, flags_of_functions(flags));

  CellContext<dim> cell;
  cell.level_ = level;
  cell.rows_  = {row_values, rows, cell.of_one_cell};
  if (functions != nullptr)
    cell.columns_ = {other_values ? *other_values : row_values, *functions, cell.of_one_cell};
  dealii::FullMatrix<double> local(rows.dofs_per_cell(), columns_.per_cell());
  bool                       shared = false; // whether the local matrix is that of all cells of the current shape
  for (int k = 0, current = -1; k < cells.size(); ++k)
    if (cells.reach(k, first, end))
      {
        if (current != representative[k])
          {
            current = representative[k];
            row_values.reinit(rows.active_cells()[current]);
            if (other_values)
              other_values->reinit(functions->active_cells()[current]);
            shared = false;
          }
        if (!shared)
          {
            cell.move_to(cells[k]);
            local = 0.;
            kernel(cell, local);
            shared = !cell.of_one_cell;
          }
        add_cell(cells[k], first, end, local);
      }
}

template <int dim>
void LevelForm<dim>::clear_rows(int first, int end)
{
  auto      &A  = *matrix;
  const auto at = [&A](int row) { return A.value.begin() + A.row_start[row]; };
  std::fill(at(first), at(end), 0.);
  for (int row = first; row < end; ++row)
    if (columns_.has_identity(row))
      {
        const int *begin = A.column.data() + A.row_start[row], *end_of_row = A.column.data() + A.row_start[row + 1];
        at(row)[std::lower_bound(begin, end_of_row, row) - begin] = 1.;
      }
}

// Adds the local matrix of a cell to the rows from `first` to `end`.
template <int dim>
void LevelForm<dim>::add_cell(int cell, int first, int end, const dealii::FullMatrix<double> &local)
{
  struct Entry
  {
    int    local, column, place; // place: in the last row that was written
    double weight;
  };
  thread_local std::vector<Entry> entries;
  entries.clear();
  for (int j = 0; j < columns_.per_cell(); ++j)
    columns_.for_each(cell, j, [&](int column, double weight) { entries.push_back({j, column, 0, weight}); });
  auto      &A            = *matrix;
  const bool by_component = columns_.is_by_component();
  for_each_row_of_cell(rows, cell, [&](int i, int row, double row_weight) {
    if (row < first || row >= end)
      return;
    const int *columns = A.column.data() + A.row_start[row],
              n        = static_cast<int>(A.row_start[row + 1] - A.row_start[row]);
    double *values     = A.value.data() + A.row_start[row];
    int     place      = -1;
    for (auto &entry : entries)
      {
        if (by_component && row_component[i] != column_component[entry.local])
          continue;
        // Often where the row before had it, or beside the entry before.
        const auto is_at = [&](int k) { return k < n && columns[k] == entry.column; };
        if (is_at(entry.place))
          place = entry.place;
        else if (!is_at(++place))
          place = static_cast<int>(std::lower_bound(columns, columns + n, entry.column) - columns);
        entry.place = place;
        values[place] += row_weight * entry.weight * local(i, entry.local);
      }
  });
}

template class LevelColumns<2>;
template class LevelColumns<3>;
template class LevelForm<2>;
template class LevelForm<3>;
} // namespace adamant
