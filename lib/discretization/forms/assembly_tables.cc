#include "discretization/forms/assembly_tables.h"

#include "base/exceptions.h"
#include "discretization/forms/level_form.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace adamant
{
namespace
{
// A node that a node of a cell acts on, and with which weight.
using Master = std::pair<int, double>;

// The masters of all nodes of a space: itself, or those that a hanging node is interpolated from; none where it is
// prescribed.
template <int dim>
class Masters
{
public:
  explicit Masters(const LevelSpace<dim> &space)
    : H(space.H)
    , m(space.node_size())
    , space(space)
  {}

  // Of all components together: where one of them is prescribed at a master, that is left out there.
  void find(int node, std::vector<Master> &masters) const
  {
    masters.clear();
    for (int c = 0; c < m; ++c)
      for (auto k = H.row_start[node * m + c]; k < H.row_start[node * m + c + 1]; ++k)
        if (std::none_of(masters.begin(), masters.end(),
                         [&](const Master &other) { return other.first == H.column[k] / m; }))
          masters.emplace_back(H.column[k] / m, H.value[k]);
    for (int c = 0; c < m; ++c)
      for (const auto &[master, weight] : masters)
        if (space.is_free(master * m + c) != (entry(H, node * m + c, master * m + c) != 0.))
          throw RunError("assembly on a device: a hanging node is interpolated from different nodes in its components");
  }

private:
  const CSRMatrix<double> &H;
  const int                m;
  const LevelSpace<dim>   &space;
};

// The blocks of a matrix, by rows of nodes, and their contributions, in host memory.
template <int dim>
struct Blocks
{
  const LevelForm<dim>  &form;
  const LevelSpace<dim> &rows, &columns;
  const int              m, n;
  Array<int>             first, row, column, start;
  Array<Contribution>    contributions;
  std::vector<double>    weights = {1.};

  explicit Blocks(const LevelForm<dim> &form)
    : form(form)
    , rows(form.row_space())
    , columns(*form.columns().functions())
    , m(rows.node_size())
    , n(columns.node_size())
  {
    list_blocks();
    list_weights();
    start.assign(row.size() + 1, 0);
    visit([this](int block, const Contribution &) { ++start[block + 1]; });
    std::size_t total = 0;
    for (int &s : start)
      s = to_index(total += s, "contributions of cells to a matrix");
    contributions.resize(total);
    Array<int> next(start.begin(), start.end() - 1);
    visit([&](int block, const Contribution &contribution) { contributions[next[block]++] = contribution; });
  }

private:
  // The first row of a free unknown of a node, or -1: all of them have the same columns.
  int free_row(int node) const
  {
    for (int r = node * m; r < (node + 1) * m; ++r)
      if (rows.is_free(r))
        return r;
    return -1;
  }

  void list_blocks()
  {
    const auto &A       = *form.matrix;
    const int   n_nodes = A.n_rows / m;
    first.assign(n_nodes + 1, 0);
    std::size_t total = 0;
    for (int node = 0; node < n_nodes; ++node)
      {
        const int r = free_row(node);
        total += r < 0 ? 0 : (A.row_start[r + 1] - A.row_start[r]) / n;
        first[node + 1] = to_index(total, "blocks of a matrix");
      }
    row.resize(total);
    column.resize(total);
#pragma omp parallel for schedule(static)
    for (int node = 0; node < n_nodes; ++node)
      for (int block = first[node], r = free_row(node); block < first[node + 1]; ++block)
        {
          row[block]    = node;
          column[block] = A.column[A.row_start[r] + (block - first[node]) * n] / n;
        }
  }

  // All products of two weights of constraints; few, as those of hanging nodes are.
  void list_weights()
  {
    std::vector<double> of_rows = {1.}, of_columns = {1.};
    const auto          collect = [](const LevelSpace<dim> &space, std::vector<double> &weights) {
      for (const double weight : space.H.value)
        if (weight != weights.back() && std::find(weights.begin(), weights.end(), weight) == weights.end())
          weights.push_back(weight);
    };
    collect(rows, of_rows);
    if (form.columns().kind_of() == ColumnKind::unknowns)
      collect(columns, of_columns);
    for (const double a : of_rows)
      for (const double b : of_columns)
        if (std::find(weights.begin(), weights.end(), a * b) == weights.end())
          weights.push_back(a * b);
    if (weights.size() > 65535)
      throw RunError("assembly on a device: hanging nodes have too many different weights");
  }

  unsigned short number_of(double weight) const
  {
    return static_cast<unsigned short>(std::find(weights.begin(), weights.end(), weight) - weights.begin());
  }

  // action(block, contribution) for the contributions of all cells in turn; each thread has the blocks of its rows.
  template <typename Action>
  void visit(const Action &action) const
  {
    const Masters<dim> row_masters(rows), column_masters(columns);
    const auto         row_nodes    = first_components(rows.dof_handler().get_fe());
    const auto         column_nodes = first_components(columns.dof_handler().get_fe());
    const bool         constrained  = form.columns().kind_of() == ColumnKind::unknowns;
    for_row_ranges(static_cast<int>(first.size()) - 1, [&](int begin, int end) {
      std::vector<Master>              masters;
      std::vector<std::vector<Master>> of_columns(column_nodes.size());
      for (int k = 0; k < form.acting_cells().size(); ++k)
        if (form.acting_cells().reach(k, begin * m, end * m))
          {
            const int  cell          = form.acting_cells()[k];
            const bool plain_rows    = !rows.has_constraints(cell),
                       plain_columns = !constrained || !columns.has_constraints(cell);
            for (std::size_t b = 0; b < column_nodes.size(); ++b)
              {
                const int node = columns.cell_dofs(cell)[column_nodes[b]] / n;
                if (plain_columns)
                  of_columns[b].assign(1, {node, 1.});
                else
                  column_masters.find(node, of_columns[b]);
              }
            for (std::size_t a = 0; a < row_nodes.size(); ++a)
              {
                const int node_a = rows.cell_dofs(cell)[row_nodes[a]] / m;
                if (plain_rows)
                  masters.assign(1, {node_a, 1.});
                else
                  row_masters.find(node_a, masters);
                for (const auto &[node, weight] : masters)
                  if (node >= begin && node < end)
                    visit_row(cell, static_cast<int>(a), node, weight, of_columns, action);
              }
          }
    });
  }

  template <typename Action>
  void visit_row(int cell, int a, int node, double weight, const std::vector<std::vector<Master>> &of_columns,
                 const Action &action) const
  {
    const int  n_columns = static_cast<int>(of_columns.size());
    const auto begin = column.begin() + first[node], end = column.begin() + first[node + 1];
    for (int b = 0; b < n_columns; ++b)
      for (const auto &[other, other_weight] : of_columns[b])
        {
          const int block = static_cast<int>(std::lower_bound(begin, end, other) - column.begin());
          action(block, {cell, static_cast<unsigned short>(a * n_columns + b), number_of(weight * other_weight)});
        }
  }
};

template <int dim>
Array<unsigned char> free_flags(const LevelSpace<dim> &space)
{
  Array<unsigned char> flags(space.n_dofs());
  for (int i = 0; i < space.n_dofs(); ++i)
    flags[i] = space.is_free(i);
  return flags;
}

template <int dim>
int node_size_of(const LevelSpace<dim> *space)
{
  if (space == nullptr)
    throw RunError("assembly on a device: columns of a form at quadrature points");
  return space->node_size();
}
} // namespace

template <int dim>
AssemblyTables<dim>::AssemblyTables(const Device &device, const LevelForm<dim> &form,
                                    const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature,
                                    dealii::UpdateFlags flags)
  : matrix(std::make_shared<CompressedRows>(device, *form.matrix))
  , m(form.row_space().node_size())
  , n(node_size_of(form.columns().functions()))
  , row_data(device, form.row_space(), mapping, quadrature, flags)
{
  const ColumnKind kind = form.columns().kind_of();
  if (kind != ColumnKind::unknowns && kind != ColumnKind::nodal_values)
    throw RunError("assembly on a device: the columns of the form are neither unknowns nor all nodal values");
  if (form.columns().functions() != &form.row_space())
    column_data.emplace(device, *form.columns().functions(), mapping, quadrature, flags);
  const Blocks<dim> blocks(form);
  start         = List<int>(device, blocks.start);
  row           = List<int>(device, blocks.row);
  column        = List<int>(device, blocks.column);
  first_block   = List<int>(device, blocks.first);
  contributions = List<Contribution>(device, blocks.contributions);
  weights       = List<double>(device, Array<double>(blocks.weights.begin(), blocks.weights.end()));
  row_start     = List<EntryNumber>(device, form.matrix->row_start);
  free_row      = List<unsigned char>(device, free_flags(form.row_space()));
  if (kind == ColumnKind::unknowns)
    free_column = List<unsigned char>(device, free_flags(*form.columns().functions()));

  Array<EntryNumber> ones;
  for (int i = 0; i < form.matrix->n_rows; ++i)
    if (form.columns().has_identity(i))
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
  return {row_data.view(),
          column_data ? column_data->view() : row_data.view(),
          start.data(),
          contributions.data(),
          weights.data(),
          row.data(),
          column.data(),
          first_block.data(),
          row_start.data(),
          free_row.data(),
          free_column.size() > 0 ? free_column.data() : nullptr};
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
} // namespace adamant
