#include "fem/forms/level_form.h"

#include "base/parallel_for.h"
#include "base/row_ranges.h"
#include "fem/forms/cell_loop.h"
#include "fem/ranks/distributed_rows.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace adamant
{
namespace
{
// Calls action(first, end) on all threads as for_row_ranges does; the action may throw.
template <typename Action>
void for_ranges(int n, const Action &action)
{
  const std::size_t n_ranges = omp_get_max_threads();
  parallel_for(n_ranges, [&](std::size_t r) {
    action(static_cast<int>(n * r / n_ranges), static_cast<int>(n * (r + 1) / n_ranges));
  });
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
      case ColumnKind::prescribed_values: return keep(functions->prescribed_partition());
      case ColumnKind::quadrature_points: return std::make_shared<Partitioner>(owned_range(n(), comm), comm);
      default: return keep(functions->partition());
    }
}

template <int dim>
LevelForm<dim>::LevelForm(const Form<dim> &form, std::size_t level)
  : rows(form.rows().space(level))
  , columns{form.columns().kind, form.columns().field != nullptr ? &form.columns().field->space(level) : nullptr, rows,
            static_cast<int>(form.quadrature.size())}
  , cells(columns.acting_cells())
  , form(form)
  , level(level)
  , row_component(components_of_cell(rows))
  , column_component(columns.is_points() ? row_component : components_of_cell(*columns.functions))
  , representative(cells_of_same_shape(rows, cells, form.mapping, form.flags))
  , row_cells(std::in_place, rows, cells)
{}

template <int dim>
void LevelForm<dim>::make_pattern()
{
  auto pattern = adamant::make_pattern(rows, columns, *row_cells);
  sum = matrix = std::make_shared<CSRMatrix<double>>(std::move(pattern.matrix));
  repeats      = std::move(pattern.repeats);
}

template <int dim>
void LevelForm<dim>::update()
{
  assemble();
  sum_over_ranks();
}

template <int dim>
void LevelForm<dim>::sum_over_ranks()
{
  if (rows.partition().n_mpi_processes() == 1)
    return;
  auto owned = sum_rows(*matrix, rows.partition(), *columns.numbers());
  if (sum == matrix)
    sum = std::make_shared<CSRMatrix<double>>(std::move(owned));
  else
    *sum = std::move(owned);
}

template <int dim>
void LevelForm<dim>::update(const Device &device)
{
  tables(device).assemble_tabulated(device, [this](auto &local) { tabulate(local); });
  sum_over_ranks(device);
}

template <int dim>
AssemblyTables<dim> &LevelForm<dim>::tables(const Device &device)
{
  if (!assembly)
    {
      assembly = std::make_unique<AssemblyTables<dim>>(device, *this, form.mapping, form.quadrature, form.flags);
      row_cells.reset(); // which only the first values in host memory need
      matrix->value = Array<double>();
    }
  return *assembly;
}

template <int dim>
void LevelForm<dim>::sum_over_ranks(const Device &device)
{
  if (rows.partition().n_mpi_processes() == 1)
    return;
  if (!summed)
    {
      matrix->value.assign(matrix->n_nonzeros(), 0.);
      sum_over_ranks();
      matrix->value = sum->value = Array<double>(); // a device has them
      summed                     = std::make_shared<CompressedRows>(device, *sum);
      G = Matrix<double>(device, summation(*matrix, *sum, rows.partition(), *columns.numbers()));
    }
  device.multiply(1., G, assembly->matrix->values, 0., summed->values);
}

template <int dim>
std::shared_ptr<const CompressedRows> LevelForm<dim>::on_device() const
{
  return summed || !assembly ? summed : assembly->matrix;
}

template <int dim>
void LevelForm<dim>::assemble()
{
  constexpr std::size_t most = 256;           // local matrices that are kept
  matrix->value.resize(matrix->n_nonzeros()); // which assembly on a device has freed
  const auto         shapes = shapes_of(rows, cells, representative);
  std::vector<Local> local(std::min(shapes.first.size(), most));
  if (shapes.first.size() <= most &&
      evaluate(shapes.first, [&](int shape, const Local &of_shape) { local[shape] = of_shape; }))
    {
      if (!row_cells)
        row_cells.emplace(rows, cells);
      // Rows with constraints take longer: small blocks share them out.
      const int further = 2 * rows.node_size(),
                block   = std::clamp(rows.n_dofs() / (16 * omp_get_max_threads()), 64, 4096);
#pragma omp parallel for schedule(dynamic)
      for (int first = 0; first < rows.n_dofs(); first += block)
        for (int row = first; row < first + std::min(block, rows.n_dofs() - first); ++row)
          if (auto *values = matrix->value.data();
              row >= first + further && repeats[row] && same_local_matrices(row, row - further, shapes.number))
            std::copy(values + matrix->row_start[row - further], values + matrix->row_start[row - further + 1],
                      values + matrix->row_start[row]);
          else
            add_cells_to_row(row, shapes.number, local);
      return row_cells.reset();
    }
  row_cells.reset();
  // Each thread owns a range of rows and computes every cell that reaches into it.
  for_ranges(rows.n_dofs(), [&](int first, int end) {
    clear_rows(first, end);
    Evaluation evaluation(*this);
    for (std::size_t k = 0; k < cells.size(); ++k)
      {
        bool reaches = false;
        for_each_row_of_cell(rows, cells[k],
                             [&](int, int row, double) { reaches = reaches || (row >= first && row < end); });
        if (reaches)
          add_cell(cells[k], first, end, evaluation.at(k));
      }
  });
}

template <int dim>
bool LevelForm<dim>::same_local_matrices(int row, int other, const Array<int> &shapes) const
{
  auto l = row_cells->start[other];
  for (auto k = row_cells->start[row]; k < row_cells->start[row + 1]; ++k, ++l)
    if (shapes[row_cells->cell[k]] != shapes[row_cells->cell[l]] || row_cells->dof[k] != row_cells->dof[l])
      return false;
  return row_cells->size(row) == row_cells->size(other);
}

// Computes a row from the local matrices of the cells' shapes: the same sums in the same order as cell by cell.
template <int dim>
void LevelForm<dim>::add_cells_to_row(int row, const Array<int> &shapes, const std::vector<Local> &local)
{
  clear_rows(row, row + 1);
  const int *begin = matrix->column.data() + matrix->row_start[row],
            *end = matrix->column.data() + matrix->row_start[row + 1], *at = begin;
  double *values = matrix->value.data() + matrix->row_start[row];
  for (auto k = row_cells->start[row]; k < row_cells->start[row + 1]; ++k)
    {
      const int    cell = row_cells->cell[k], i = row_cells->dof[k];
      const auto  &of_shape   = local[shapes[cell]];
      const double row_weight = rows.has_constraints(cell) ? entry(rows.H, rows.cell_dofs(cell)[i], row) : 1.;
      at                      = begin;
      for (int j = 0; j < columns.per_cell(); ++j)
        if (!columns.is_by_component() || row_component[i] == column_component[j])
          columns.for_each(cell, j, [&](int column, double weight) {
            if (at == end || *at != column) // often beside the one before
              at = std::lower_bound(begin, end, column);
            values[at++ - begin] += row_weight * weight * of_shape(i, j);
          });
    }
}

// A kernel's view of one cell after the other, and its local matrix there.
template <int dim>
struct LevelForm<dim>::Evaluation
{
  const LevelForm                     &of;
  dealii::FEValues<dim>                row_values;
  std::optional<dealii::FEValues<dim>> other_values; // where the columns have another space
  CellContext<dim>                     cell;
  Local                                local;
  int                                  current = -1;    // shape
  bool                                 shared  = false; // whether the local matrix is that of all cells of this shape
  bool                                 of_one_cell = false; // whether the kernel has asked for data of one cell

  explicit Evaluation(const LevelForm &of)
    : of(of)
    , row_values(of.form.mapping, of.rows.element(), of.form.quadrature, of.form.flags)
    , local(of.rows.dofs_per_cell(), of.columns.per_cell())
  {
    const auto *functions = of.columns.functions;
    if (functions != nullptr && functions != &of.rows)
      other_values.emplace(of.form.mapping, functions->element(), of.form.quadrature,
                           of.form.flags &
                             (dealii::update_values | dealii::update_gradients | dealii::update_hessians));
    cell.level_      = of.level;
    cell.values      = &row_values;
    cell.space       = &of.rows;
    cell.of_one_cell = cell.columns_.of_one_cell = &of_one_cell;
    cell.columns_.values = functions == nullptr ? nullptr : other_values ? &*other_values : &row_values;
    cell.columns_.space  = functions;
  }
  Evaluation(const Evaluation &)            = delete; // the context holds addresses
  Evaluation &operator=(const Evaluation &) = delete;

  // The local matrix of the k-th acting cell.
  const Local &at(int k)
  {
    if (current != of.representative[k])
      {
        current = of.representative[k];
        row_values.reinit(of.rows.active_cells()[current]);
        if (other_values)
          other_values->reinit(of.columns.functions->active_cells()[current]);
        shared = false;
      }
    if (!shared)
      {
        cell.number = cell.columns_.number = of.cells[k];
        of_one_cell                        = false;
        local                              = 0.;
        of.form.kernel(cell, local);
        shared = !of_one_cell;
      }
    return local;
  }
};

// Calls take(k, local matrix) for each of these acting cells, on all threads. Returns false, perhaps early, where they
// are not all acting cells and the kernel has asked for what cells of one shape do not share.
template <int dim>
bool LevelForm<dim>::evaluate(const Array<int> &of_cells, const std::function<void(int, const Local &)> &take) const
{
  std::atomic<bool> useful = true;
  for_ranges(static_cast<int>(of_cells.size()), [&](int first, int end) {
    if (first == end)
      return;
    Evaluation evaluation(*this);
    for (int k = first; k < end && useful; ++k)
      {
        take(k, evaluation.at(of_cells[k]));
        if (!evaluation.shared && of_cells.size() < cells.size())
          useful = false;
      }
  });
  return useful;
}

template <int dim>
void LevelForm<dim>::tabulate(TabulatedMatrices &result) const
{
  auto &[values, shapes] = result;
  if (shapes.first.empty())
    shapes = shapes_of(rows, cells, representative);
  const std::size_t per_cell = std::size_t(rows.dofs_per_cell()) * columns.per_cell();
  const auto copy = [&, &to = values](int k, const Local &local) { copy_blocks(local, to.data() + k * per_cell); };
  values.resize(shapes.first.size() * per_cell);
  if (evaluate(shapes.first, copy))
    return;
  const int n  = static_cast<int>(cells.size());
  shapes.first = numbers_below(n);
  for (int k = 0; k < n; ++k)
    shapes.number[cells[k]] = k;
  values.resize(n * per_cell);
  evaluate(shapes.first, copy);
}

// Blocks of nodes, one after the other.
template <int dim>
void LevelForm<dim>::copy_blocks(const Local &local, double *to) const
{
  if (columns.is_points())
    {
      std::copy_n(&local(0, 0), local.n_elements(), to);
      return;
    }
  const auto        &row_fe = rows.element(), &column_fe = columns.functions->element();
  const unsigned int m = row_fe.n_components(), n = column_fe.n_components(), per_row = row_fe.n_dofs_per_cell() / m,
                     per_column = column_fe.n_dofs_per_cell() / n;
  for (unsigned int a = 0; a < per_row; ++a)
    for (unsigned int b = 0; b < per_column; ++b)
      for (unsigned int c = 0; c < m; ++c)
        for (unsigned int d = 0; d < n; ++d)
          *to++ = local(row_fe.component_to_system_index(c, a), column_fe.component_to_system_index(d, b));
}

template <int dim>
void LevelForm<dim>::clear_rows(int first, int end)
{
  auto      &A  = *matrix;
  const auto at = [&A](int row) { return A.value.begin() + A.row_start[row]; };
  std::fill(at(first), at(end), 0.);
  for (int row = first; row < end; ++row)
    if (columns.has_identity(row))
      {
        const int *begin = A.column.data() + A.row_start[row], *end_of_row = A.column.data() + A.row_start[row + 1];
        at(row)[std::lower_bound(begin, end_of_row, row) - begin] = 1.;
      }
}

// Adds the local matrix of a cell to the rows from `first` to `end`.
template <int dim>
void LevelForm<dim>::add_cell(int cell, int first, int end, const Local &local)
{
  struct Entry
  {
    int    local, column, place; // place: in the last row that was written
    double weight;
  };
  thread_local std::vector<Entry> entries;
  entries.clear();
  for (int j = 0; j < columns.per_cell(); ++j)
    columns.for_each(cell, j, [&](int column, double weight) { entries.push_back({j, column, 0, weight}); });
  auto      &A            = *matrix;
  const bool by_component = columns.is_by_component();
  for_each_row_of_cell(rows, cell, [&](int i, int row, double row_weight) {
    if (row < first || row >= end)
      return;
    const int *of_row = A.column.data() + A.row_start[row],
              n       = static_cast<int>(A.row_start[row + 1] - A.row_start[row]);
    double *values    = A.value.data() + A.row_start[row];
    int     place     = -1;
    for (auto &entry : entries)
      {
        if (by_component && row_component[i] != column_component[entry.local])
          continue;
        // Often where the row before had it, or beside the entry before.
        const auto is_at = [&](int k) { return k < n && of_row[k] == entry.column; };
        if (is_at(entry.place))
          place = entry.place;
        else if (!is_at(++place))
          place = static_cast<int>(std::lower_bound(of_row, of_row + n, entry.column) - of_row);
        entry.place = place;
        values[place] += row_weight * entry.weight * local(i, entry.local);
      }
  });
}

template struct LevelColumns<2>;
template struct LevelColumns<3>;
template class LevelForm<2>;
template class LevelForm<3>;
} // namespace adamant
