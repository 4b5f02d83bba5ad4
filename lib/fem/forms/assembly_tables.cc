#include "fem/forms/assembly_tables.h"

#include "base/csr/csr_matrix.h"
#include "base/exceptions.h"
#include "fem/forms/level_form.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace adamant
{
namespace
{
// The different weights of interpolation at hanging nodes, of m components each. They are the entries of H that link
// equal components. The first weight is 1.
Array<double> weights_of(const CSRMatrix<double> &H, int m = 1)
{
  Array<double> weights = {1.};
  for (int i = 0; i < H.n_rows; ++i)
    for (auto k = H.row_start[i]; k < H.row_start[i + 1]; ++k)
      if (const double weight = H.value[k]; weight != weights.back() && i % m == H.column[k] % m &&
                                            std::find(weights.begin(), weights.end(), weight) == weights.end())
        weights.push_back(weight);
  return weights;
}

int number_of(double weight, const Array<double> &weights)
{
  return static_cast<int>(std::find(weights.begin(), weights.end(), weight) - weights.begin());
}

// Finds the nodes that a node of a cell acts on, and their weights. They are the node itself, the nodes from which a
// hanging node is interpolated, or none where the node is prescribed.
template <int dim>
struct Masters
{
  const LevelSpace<dim> &space;

  const CSRMatrix<double> &H       = space.H;
  const int                m       = space.node_size();
  const Array<double>      weights = weights_of(H, m);

  // Of all components together: where one of them is not free at a master, that is left out there.
  void find(int node, std::vector<MasterNode> &masters) const
  {
    masters.clear();
    for (int c = 0; c < m; ++c)
      for (auto k = H.row_start[node * m + c]; k < H.row_start[node * m + c + 1]; ++k)
        if (H.column[k] % m == c && std::none_of(masters.begin(), masters.end(), [&](const MasterNode &other) {
              return other.node == H.column[k] / m;
            }))
          masters.push_back({H.column[k] / m, number_of(H.value[k], weights)});
    for (int c = 0; c < m; ++c)
      for (const auto &[master, weight] : masters)
        if (space.is_free(master * m + c) != (entry(H, node * m + c, master * m + c) != 0.))
          throw RunError("assembly on a device: a hanging node is interpolated from different nodes in its components");
  }

  // Lists the masters of each hanging node; other nodes get none.
  void list_hanging(Array<int> &first, Array<MasterNode> &masters) const
  {
    std::vector<MasterNode> found;
    first.assign(space.n_dofs() / m + 1, 0);
    for (int node = 0; node < space.n_dofs() / m; ++node)
      {
        bool hangs = false;
        for (int i = node * m; i < (node + 1) * m; ++i)
          hangs = hangs || (!space.is_free(i) && H.row_start[i] < H.row_start[i + 1]);
        if (hangs)
          {
            find(node, found);
            masters.insert(masters.end(), found.begin(), found.end());
          }
        first[node + 1] = to_index(masters.size(), "interpolations at hanging nodes");
      }
  }
};

// The number of prescribed column k among nodes: the DoFs of a field with one component come first.
template <int dim>
int node_of_prescribed(const LevelSpace<dim> &space, int k)
{
  return space.n_dofs() + k;
}

// Lists the columns that each DoF acts on, as Masters::list_hanging does. Returns the table of the weights.
template <int dim>
Array<double> list_columns(const LevelColumns<dim> &columns, Array<int> &first, Array<MasterNode> &masters)
{
  const LevelSpace<dim> &space = *columns.functions;
  if (!columns.is_prescribed())
    {
      const Masters<dim> of_columns{space};
      of_columns.list_hanging(first, masters);
      return of_columns.weights;
    }
  const CSRMatrix<double> &B       = space.B;
  const Array<double>      weights = weights_of(B);
  first                            = {0};
  for (int dof = 0; dof < space.n_dofs(); ++dof)
    {
      for (auto k = B.row_start[dof]; k < B.row_start[dof + 1]; ++k)
        masters.push_back({node_of_prescribed(space, B.column[k]), number_of(B.value[k], weights)});
      first.push_back(to_index(masters.size(), "prescribed values"));
    }
  return weights;
}

// Lists the cells that each node of the rows acts on, in host memory.
template <int dim>
void list_cells(const LevelForm<dim> &form, const Masters<dim> &masters_of, Array<int> &first, Array<CellOfNode> &cells)
{
  const LevelSpace<dim> &rows = form.rows, &columns = *form.columns.functions;
  const auto             first_of_node = first_components(rows.element());
  const bool             constrained   = form.columns.kind != ColumnKind::nodal_values;
  const int              m             = rows.node_size();
  list_by_rows(
    rows.n_dofs() / m, static_cast<int>(form.cells.size()), first,
    [&](int k, const auto &add) {
      const int               cell    = form.cells[k];
      const auto              hanging = static_cast<unsigned char>(constrained && columns.has_constraints(cell));
      std::vector<MasterNode> masters;
      for (std::size_t a = 0; a < first_of_node.size(); ++a)
        {
          const int  node   = rows.cell_dofs(cell)[first_of_node[a]] / m;
          CellOfNode acting = {cell, static_cast<unsigned char>(a), hanging, 0};
          if (!rows.has_constraints(cell))
            {
              add(node, acting);
              continue;
            }
          masters_of.find(node, masters);
          for (const auto &[master, weight] : masters)
            {
              acting.weight = static_cast<unsigned short>(weight);
              add(master, acting);
            }
        }
    },
    [&](std::size_t n) {
      to_index(n, "cells of nodes");
      cells.resize(n);
    },
    [&](int place, int, const CellOfNode &cell) { cells[place] = cell; });
}

// The nodes where H links different components, see TiltedNodes: their numbers, and their blocks of H.
template <int dim>
void list_tilts(const Device &device, const LevelSpace<dim> &space, List<int> &numbers, List<double> &blocks)
{
  const int     m = space.node_size();
  Array<int>    number(space.n_dofs() / m, -1);
  Array<double> tilts;
  for (int node = 0; node < space.n_dofs() / m; ++node)
    {
      bool tilted = false;
      for (int i = node * m; i < (node + 1) * m; ++i)
        for (auto k = space.H.row_start[i]; k < space.H.row_start[i + 1]; ++k)
          tilted = tilted || (space.H.column[k] != i && space.H.column[k] / m == node);
      if (!tilted)
        continue;
      number[node] = static_cast<int>(tilts.size()) / (m * m);
      for (int i = node * m; i < (node + 1) * m; ++i)
        for (int j = node * m; j < (node + 1) * m; ++j)
          tilts.push_back(entry(space.H, i, j));
    }
  if (tilts.empty())
    return;
  numbers = List<int>(device, number);
  blocks  = List<double>(device, tilts);
}

template <int dim>
Array<unsigned char> free_flags(const LevelSpace<dim> &space)
{
  Array<unsigned char> flags(space.n_dofs());
  for (int i = 0; i < space.n_dofs(); ++i)
    flags[i] = space.is_free(i);
  return flags;
}

// The space of the columns.
template <int dim>
const LevelSpace<dim> &column_space(const LevelForm<dim> &form)
{
  const auto &columns = form.columns;
  if (columns.is_points() || columns.is_by_component() ||
      (columns.is_prescribed() && columns.functions->node_size() > 1))
    throw RunError("assembly on a device: the columns of the form are neither unknowns, nor all nodal values, nor "
                   "prescribed values of one component");
  return *columns.functions;
}

// Of what each row is the sum of, by the numbers of the different ones.
template <int dim>
void add_weights(const LevelSpace<dim> &rows, const RowCells &cells, CellSums &sums)
{
  const Array<double> weights = weights_of(rows.H);
  if (weights.size() == 1)
    return;
  if (weights.size() > 65535)
    throw RunError("sums over cells: hanging nodes have too many different weights");
  sums.weights = weights;
  sums.weight.assign(cells.cell.size(), 0);
#pragma omp parallel for schedule(static)
  for (int row = 0; row < rows.n_dofs(); ++row)
    for (auto k = cells.start[row]; k < cells.start[row + 1]; ++k)
      if (const int cell = cells.cell[k]; rows.has_constraints(cell))
        sums.weight[k] =
          static_cast<unsigned short>(number_of(entry(rows.H, rows.cell_dofs(cell)[cells.dof[k]], row), weights));
}
} // namespace

template <int dim>
AssemblyTables<dim>::AssemblyTables(const Device &device, const LevelForm<dim> &form,
                                    const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature,
                                    dealii::UpdateFlags flags)
  : matrix(std::make_shared<CompressedRows>(device, *form.matrix))
  , m(form.rows.node_size())
  , n(column_space(form).node_size())
  , row_data(device, form.rows, mapping, quadrature, flags)
{
  if (form.columns.functions != &form.rows)
    column_data.emplace(device, *form.columns.functions, mapping, quadrature, flags);
  list_blocks(device, form);
  list_contributions(device, form);
  free_row = List<unsigned char>(device, free_flags(form.rows));
  list_tilts(device, form.rows, row_tilt, row_tilts);
  if (form.columns.kind == ColumnKind::unknowns)
    free_column = List<unsigned char>(device, free_flags(*form.columns.functions));
  if (form.columns.kind == ColumnKind::unknowns && column_data)
    list_tilts(device, *form.columns.functions, column_tilt, column_tilts);
  set_identity(device, form);
}

template <int dim>
void AssemblyTables<dim>::assemble_tabulated(const Device                                   &device,
                                             const std::function<void(TabulatedMatrices &)> &tabulate)
{
  const Array<int> before = local.shapes.first;
  tabulate(local);
  if (local.shapes.first != before)
    table = List<int>(device, local.shapes.number);
  const Vector<double> values(device, local.values);
  const int            n_pairs = row_data.view().n * (column_data ? *column_data : row_data).view().n;
  const auto           of_size = [&](auto size) {
    constexpr int k = decltype(size)::value;
    assemble(device, LocalMatrices<k, k>{values.data(), table.data(), n_pairs});
    device.synchronize(); // the values go
  };
  if (m == 1 && n == 1)
    of_size(std::integral_constant<int, 1>());
  else if (m == dim && n == dim)
    of_size(std::integral_constant<int, dim>());
  else
    throw RunError("assembly on a device: local matrices of nodes with " + std::to_string(m) + " and " +
                   std::to_string(n) + " components; write a cell kernel");
}

// The blocks of the matrix, by rows of nodes: all unknowns of a node have the same columns.
template <int dim>
void AssemblyTables<dim>::list_blocks(const Device &device, const LevelForm<dim> &form)
{
  const auto &A        = *form.matrix;
  const int   n_nodes  = A.n_rows / m;
  const auto  free_row = [&](int node) { // -1: there is none
    for (int r = node * m; r < (node + 1) * m; ++r)
      if (form.rows.is_free(r))
        return r;
    return -1;
  };
  Array<int>  first(n_nodes + 1);
  std::size_t total = first[0] = 0;
  for (int node = 0; node < n_nodes; ++node)
    {
      const int r = free_row(node);
      total += r < 0 ? 0 : (A.row_start[r + 1] - A.row_start[r]) / n;
      first[node + 1] = to_index(total, "blocks of a matrix");
    }
  Array<int> rows(total), columns(total);
#pragma omp parallel for schedule(static)
  for (int node = 0; node < n_nodes; ++node)
    for (int block = first[node], r = free_row(node); block < first[node + 1]; ++block)
      {
        rows[block]    = node;
        columns[block] = A.column[A.row_start[r] + (block - first[node]) * n] / n;
        if (form.columns.is_prescribed())
          columns[block] = node_of_prescribed(*form.columns.functions, columns[block]);
      }
  row         = List<int>(device, rows);
  column      = List<int>(device, columns);
  first_block = List<int>(device, first);
}

// They are counted first, block by block.
template <int dim>
void AssemblyTables<dim>::list_contributions(const Device &device, const LevelForm<dim> &form)
{
  const Masters<dim> row_masters{form.rows};
  Array<int>         first_of_nodes, first_of_masters;
  Array<CellOfNode>  of_nodes;
  Array<MasterNode>  of_hanging;
  list_cells(form, row_masters, first_of_nodes, of_nodes);
  const Array<double>    column_weights = list_columns(form.columns, first_of_masters, of_hanging);
  const List<int>        first_cell(device, first_of_nodes), first_master(device, first_of_masters);
  const List<CellOfNode> cells(device, of_nodes);
  const List<MasterNode> masters(device, of_hanging);
  const ShapesView       nodes = (column_data ? *column_data : row_data).view();

  Array<double> products;
  for (const double a : row_masters.weights)
    for (const double b : column_weights)
      products.push_back(a * b);
  if (products.size() > 65535)
    throw RunError("assembly on a device: hanging nodes have too many different weights");
  weights = List<double>(device, products);

  const int n_blocks = row.size();
  start              = List<int>(device, std::size_t(n_blocks) + 1, "tables");
  FindContributions find{row.data(),          column.data(),  first_cell.data(),
                         cells.data(),        nodes.n,        nodes.node,
                         first_master.data(), masters.data(), static_cast<int>(column_weights.size()),
                         start.data(),        nullptr};
  device.for_each(n_blocks, find);
  Array<int> starts(n_blocks + 1);
  device.interface().download(starts.data(), start.data(), start.bytes());
  std::size_t total = starts[0] = 0;
  for (int &s : starts)
    s = to_index(total += s, "contributions of cells to a matrix");
  device.interface().upload(start.data(), starts.data(), start.bytes());
  contributions      = List<Contribution>(device, total, "tables");
  find.contributions = contributions.data();
  device.for_each(n_blocks, find);
  device.synchronize(); // the lists go
}

// The rows of constrained unknowns.
template <int dim>
void AssemblyTables<dim>::set_identity(const Device &device, const LevelForm<dim> &form)
{
  Array<EntryNumber> ones;
  for (int i = 0; i < form.matrix->n_rows; ++i)
    if (form.columns.has_identity(i))
      {
        const int *begin = form.matrix->column.data() + form.matrix->row_start[i],
                  *end   = form.matrix->column.data() + form.matrix->row_start[i + 1];
        ones.push_back(std::lower_bound(begin, end, i) - form.matrix->column.data());
      }
  if (!ones.empty())
    {
      const List<EntryNumber> places(device, ones);
      device.for_each(places.size(), SetOnes{places.data(), matrix->values.data()});
      device.synchronize();
    }
}

template <int dim>
AssemblyView AssemblyTables<dim>::view() const
{
  const auto tilts = [](const List<int> &numbers, const List<double> &matrices) {
    return TiltedNodes{numbers.size() > 0 ? numbers.data() : nullptr, matrices.data()};
  };
  const TiltedNodes of_rows    = tilts(row_tilt, row_tilts);
  const TiltedNodes of_columns = column_data || free_column.size() == 0 ? tilts(column_tilt, column_tilts) : of_rows;
  return {row_data.view(),
          column_data ? column_data->view() : row_data.view(),
          start.data(),
          contributions.data(),
          weights.data(),
          row.data(),
          column.data(),
          first_block.data(),
          matrix->view().row_start,
          free_row.data(),
          free_column.size() > 0 ? free_column.data() : nullptr,
          of_rows,
          of_columns};
}

template <int dim>
void AssemblyTables<dim>::check(int row_components, int column_components) const
{
  if (row_components != m || column_components != n)
    throw RunError("a cell kernel for nodes of " + std::to_string(row_components) + " and " +
                   std::to_string(column_components) + " components meets fields of " + std::to_string(m) + " and " +
                   std::to_string(n));
}

template class AssemblyTables<2>;
template class AssemblyTables<3>;

template <int dim>
CellSums LevelForm<dim>::sums_over_cells() const
{
  TabulatedMatrices matrices;
  tabulate(matrices);
  CellSums sums;
  sums.n_cells = rows.n_cells();
  sums.height  = rows.dofs_per_cell();
  sums.width   = columns.per_cell();
  sums.local   = std::move(matrices.values);
  if (matrices.shapes.first.size() > 1)
    sums.table = std::move(matrices.shapes.number);

  while (1 << sums.shift < sums.height)
    ++sums.shift;
  to_index(std::size_t(sums.n_cells) << sums.shift, "rows of the matrices of cells");
  sums.start.assign(row_cells->start.begin(), row_cells->start.begin() + rows.n_dofs() + 1);
  sums.place.resize(row_cells->cell.size());
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < sums.place.size(); ++k)
    sums.place[k] = (row_cells->cell[k] << sums.shift) + row_cells->dof[k];
  add_weights(rows, *row_cells, sums);
  sums.plan = exchange_plan(rows.partition());
  return sums;
}

template CellSums LevelForm<2>::sums_over_cells() const;
template CellSums LevelForm<3>::sums_over_cells() const;
} // namespace adamant
