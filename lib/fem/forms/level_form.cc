#include "fem/forms/level_form.h"

#include "base/exceptions.h"
#include "fem/forms/cell_loop.h"
#include "fem/ranks/distributed_rows.h"

#include <algorithm>
#include <exception>
#include <numeric>
#include <optional>
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
  , representative(cells.are_all() ? cells_of_same_shape(rows, mapping, flags) :
                                     cells_of_same_shape(rows, cells.numbers(), mapping, flags))
{
  if (columns.is_by_component())
    column_component = components_of_cell(*columns.functions());
  row_cells.emplace(rows, cells);
}

template <int dim>
void LevelForm<dim>::make_pattern()
{
  auto pattern = adamant::make_pattern(rows, columns_, *row_cells);
  sum = matrix = std::make_shared<CSRMatrix<double>>(std::move(pattern.matrix));
  repeats      = std::move(pattern.repeats);
}

template <int dim>
void LevelForm<dim>::update(const typename Form<dim>::Kernel &kernel)
{
  assemble(kernel);
  sum_over_ranks();
}

template <int dim>
void LevelForm<dim>::sum_over_ranks()
{
  if (rows.partition().n_mpi_processes() == 1)
    return;
  auto owned = sum_rows(*matrix, rows.partition(), *columns_.numbers());
  if (sum == matrix)
    sum = std::make_shared<CSRMatrix<double>>(std::move(owned));
  else
    *sum = std::move(owned);
}

template <int dim>
void LevelForm<dim>::update(const Device &device, const typename Form<dim>::Kernel &kernel)
{
  tables(device).assemble_tabulated(device, [&](auto &local) { tabulate(kernel, local); });
  sum_over_ranks(device);
}

template <int dim>
AssemblyTables<dim> &LevelForm<dim>::tables(const Device &device)
{
  if (!assembly)
    {
      assembly = std::make_unique<AssemblyTables<dim>>(device, *this, mapping, quadrature, flags);
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
      G = Matrix<double>(device, summation(*matrix, *sum, rows.partition(), *columns_.numbers()));
    }
  device.multiply(1., G, assembly->matrix->values, 0., summed->values);
}

template <int dim>
std::shared_ptr<const CompressedRows> LevelForm<dim>::on_device() const
{
  return summed || !assembly ? summed : assembly->matrix;
}

template <int dim>
typename LevelForm<dim>::Shapes LevelForm<dim>::list_shapes() const
{
  Shapes           shapes;
  std::vector<int> number(rows.n_cells(), -1);
  shapes.of_number.resize(rows.n_cells());
  for (int k = 0; k < cells.size(); ++k)
    {
      int &shape = number[representative[k]];
      if (shape < 0)
        {
          shape = static_cast<int>(shapes.of_cells.size());
          shapes.of_cells.push_back(k);
        }
      shapes.of_number[cells[k]] = shape;
    }
  return shapes;
}

// The sum of one row after the other, where all cells of a shape have the same local matrix: the same sums in the same
// order as cell by cell.
template <int dim>
struct LevelForm<dim>::RowSum
{
  LevelForm                                     &form;
  const RowCells                                &row_cells;
  const Array<int>                              &shape_of_cell;
  const std::vector<dealii::FullMatrix<double>> &local;
  CSRMatrix<double>                             &A = *form.matrix;

  void operator()(int first, int end) const
  {
    const int further = 2 * form.rows.node_size();
    for (int row = first; row < end; ++row)
      if (row >= first + further && form.repeats[row] && same_local_matrices(row, row - further))
        std::copy_n(A.value.data() + A.row_start[row - further], A.row_start[row + 1] - A.row_start[row],
                    A.value.data() + A.row_start[row]);
      else
        {
          form.clear_rows(row, row + 1);
          for (auto k = row_cells.start[row]; k < row_cells.start[row + 1]; ++k)
            add(row, row_cells.cell[k], row_cells.dof[k]);
        }
  }

private:
  bool same_local_matrices(int row, int other) const
  {
    auto l = row_cells.start[other];
    for (auto k = row_cells.start[row]; k < row_cells.start[row + 1]; ++k, ++l)
      if (shape_of_cell[row_cells.cell[k]] != shape_of_cell[row_cells.cell[l]] || row_cells.dof[k] != row_cells.dof[l])
        return false;
    return row_cells.size(row) == row_cells.size(other);
  }

  double weight(int row, int cell, int i) const
  {
    return form.rows.has_constraints(cell) ? entry(form.rows.H, form.rows.cell_dofs(cell)[i], row) : 1.;
  }

  void add(int row, int cell, int i) const
  {
    const auto  &columns    = form.columns_;
    const auto  &of_shape   = local[shape_of_cell[cell]];
    const double row_weight = weight(row, cell, i);
    const int   *begin = A.column.data() + A.row_start[row], *end = A.column.data() + A.row_start[row + 1], *at = begin;
    double      *values = A.value.data() + A.row_start[row];
    for (int j = 0; j < columns.per_cell(); ++j)
      if (!columns.is_by_component() || form.row_component[i] == form.column_component[j])
        columns.for_each(cell, j, [&](int column, double weight) {
          if (at == end || *at != column) // often beside the one before
            at = std::lower_bound(begin, end, column);
          values[at++ - begin] += row_weight * weight * of_shape(i, j);
        });
  }
};

template <int dim>
void LevelForm<dim>::assemble(const typename Form<dim>::Kernel &kernel)
{
  matrix->value.resize(matrix->n_nonzeros()); // which assembly on a device has freed
  const Shapes shapes = list_shapes();
  if (const auto local = local_matrices(kernel, shapes.of_cells); !local.empty() || cells.size() == 0)
    {
      if (!row_cells)
        row_cells.emplace(rows, cells);
      for_row_ranges(rows.n_dofs(), RowSum{*this, *row_cells, shapes.of_number, local});
      return row_cells.reset();
    }
  row_cells.reset();
  std::exception_ptr error;
  // Each thread owns a range of rows and computes every cell that reaches into it.
  for_row_ranges(rows.n_dofs(), [&](int first, int end) {
    try
      {
        assemble_cells(first, end, kernel);
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

// A kernel's view of one cell after the other, and its local matrix there.
template <int dim>
struct LevelForm<dim>::Evaluation
{
  const LevelForm                     &form;
  const typename Form<dim>::Kernel    &kernel;
  dealii::FEValues<dim>                row_values;
  std::optional<dealii::FEValues<dim>> other_values; // where the columns have another space
  CellContext<dim>                     cell;
  dealii::FullMatrix<double>           local;
  int                                  current = -1;    // shape
  bool                                 shared  = false; // whether the local matrix is that of all cells of this shape

  Evaluation(const LevelForm &form, const typename Form<dim>::Kernel &kernel)
    : form(form)
    , kernel(kernel)
    , row_values(form.mapping, form.rows.element(), form.quadrature, form.flags)
    , local(form.rows.dofs_per_cell(), form.columns_.per_cell())
  {
    const auto *functions = form.columns_.functions();
    if (functions != nullptr && functions != &form.rows)
      other_values.emplace(form.mapping, functions->element(), form.quadrature, flags_of_functions(form.flags));
    cell.level_ = form.level;
    cell.rows_  = {row_values, form.rows, cell.of_one_cell};
    if (functions != nullptr)
      cell.columns_ = {other_values ? *other_values : row_values, *functions, cell.of_one_cell};
  }
  Evaluation(const Evaluation &)            = delete; // the context holds addresses
  Evaluation &operator=(const Evaluation &) = delete;

  // The local matrix of the k-th acting cell.
  const dealii::FullMatrix<double> &at(int k)
  {
    if (current != form.representative[k])
      {
        current = form.representative[k];
        row_values.reinit(form.rows.active_cells()[current]);
        if (other_values)
          other_values->reinit(form.columns_.functions()->active_cells()[current]);
        shared = false;
      }
    if (!shared)
      {
        cell.move_to(form.cells[k]);
        local = 0.;
        kernel(cell, local);
        shared = !cell.of_one_cell;
      }
    return local;
  }
};

// The local matrices of these acting cells; none where there are many, or where the kernel has asked for what cells of
// one shape do not share.
template <int dim>
std::vector<dealii::FullMatrix<double>> LevelForm<dim>::local_matrices(const typename Form<dim>::Kernel &kernel,
                                                                       const Array<int>                 &of_cells) const
{
  constexpr std::size_t                   most = 256;
  std::vector<dealii::FullMatrix<double>> local;
  if (of_cells.size() > most)
    return local;
  Evaluation evaluation(*this, kernel);
  for (const int k : of_cells)
    {
      local.push_back(evaluation.at(k));
      if (!evaluation.shared)
        return {};
    }
  return local;
}

template <int dim>
void LevelForm<dim>::assemble_cells(int first, int end, const typename Form<dim>::Kernel &kernel)
{
  clear_rows(first, end);
  Evaluation evaluation(*this, kernel);
  for (int k = 0; k < cells.size(); ++k)
    if (cells.reach(k, first, end))
      add_cell(cells[k], first, end, evaluation.at(k));
}

template <int dim>
void LevelForm<dim>::tabulate(const typename Form<dim>::Kernel &kernel, TabulatedMatrices &result) const
{
  if (result.of_cells.empty())
    {
      auto [of_cells, of_number] = list_shapes();
      result.of_cells            = std::move(of_cells);
      result.table               = std::move(of_number);
    }
  if (tabulate(kernel, result.of_cells, result.values))
    return;
  result.of_cells.resize(cells.size());
  std::iota(result.of_cells.begin(), result.of_cells.end(), 0);
  for (int k = 0; k < cells.size(); ++k)
    result.table[cells[k]] = k;
  tabulate(kernel, result.of_cells, result.values);
}

// Of these acting cells. Returns whether the kernel has asked for nothing that cells of one shape do not share.
template <int dim>
bool LevelForm<dim>::tabulate(const typename Form<dim>::Kernel &kernel, const Array<int> &of_cells,
                              Array<double> &values) const
{
  const std::size_t per_cell = std::size_t(rows.dofs_per_cell()) * columns_.per_cell();
  values.resize(of_cells.size() * per_cell);
  std::exception_ptr error;
  bool               shared = true;
#pragma omp parallel reduction(&& : shared)
  try
    {
      Evaluation evaluation(*this, kernel);
      const long thread = omp_get_thread_num(), n_threads = omp_get_num_threads(), n_cells = of_cells.size();
      for (long k = n_cells * thread / n_threads; k < n_cells * (thread + 1) / n_threads; ++k)
        {
          const auto &local = evaluation.at(of_cells[k]);
          shared            = shared && evaluation.shared;
          copy_blocks(local, values.data() + k * per_cell);
        }
    }
  catch (...)
    {
#pragma omp critical
      error = std::current_exception();
    }
  if (error)
    std::rethrow_exception(error);
  return shared;
}

// Blocks of nodes, one after the other.
template <int dim>
void LevelForm<dim>::copy_blocks(const dealii::FullMatrix<double> &local, double *to) const
{
  if (columns_.is_points())
    {
      std::copy_n(&local(0, 0), local.n_elements(), to);
      return;
    }
  const auto        &row_fe = rows.element(), &column_fe = columns_.functions()->element();
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
