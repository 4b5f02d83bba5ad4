#pragma once

#include "direct/column_matrix.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace adamant
{
/// Nested spaces, given by their prolongations alone, in host memory. These have all nodes, prescribed ones included,
/// from a coarse level to the finest. A row with a single 1 is an old node, an empty row a hanging node; all other
/// nodes are new.
struct NestedNodes
{
  /// Throws InputError where a coarser node is found twice in a finer level, or not at all. `unknowns` are the nodes of
  /// the finest level that are not prescribed, ascending.
  NestedNodes(const std::vector<std::shared_ptr<const CSRMatrix<double>>> &prolongations, const Array<int> &unknowns);

  int n_levels() const { return static_cast<int>(finest_node.size()); }

  std::vector<std::shared_ptr<const CSRMatrix<double>>> prolongations; ///< [l] from level l to l + 1
  std::vector<Array<int>>                               finest_node;   ///< of each node of a level
  std::vector<Array<int>>                               new_nodes;     ///< [l]: numbers of nodes new on level l + 1
  Array<int> unknown;  ///< number among the unknowns of each node of the finest level, or -1
  Array<int> unknowns; ///< the nodes that are unknowns
  int        n_unknowns = 0;
  bool       hanging    = false; ///< whether there are hanging nodes
};

/// Returns S_l as a matrix of unknowns: the identity, plus interpolation in the rows of nodes new on level l + 1. It
/// turns unknowns of the hierarchical basis into nodal values of level l + 1; S = ... S_1 S_0 gives nodal values of the
/// finest level.
CSRMatrix<double> hierarchical_step(const NestedNodes &nodes, int l);

/// Returns the rows of S_l that have entries beside the diagonal, without the diagonal: they interpolate nodes new on
/// level l + 1 from older ones. `own` gets the numbers of these nodes. All numbers are among the unknowns.
CSRMatrix<double> interpolation(const NestedNodes &nodes, int l, Array<int> &own);

/// Returns a matrix with row[i] of A for each i, or an empty row where row[i] is -1; column j becomes number[j], in the
/// order that A has.
CSRMatrix<double> renumbered_rows(const CSRMatrix<double> &A, const Array<int> &row, const Array<int> &number);

/// Returns the rows and columns of A with these numbers, in the order of the lists. Other columns are dropped, and so
/// are entries that are zero. All matrices are in host memory.
CSRMatrix<double> submatrix(const CSRMatrix<double> &A, const Array<int> &rows, const Array<int> &columns);

/// Computes x[own[i]] += Σ_k value[k] x[column[k]] for W columns at a time. No row is another row's column.
template <typename Number, int W>
struct AddInterpolation
{
  ColumnWarps<W>     tiles;
  const int         *own;
  ColumnRows<Number> A;
  Number            *x;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    constexpr int R = ColumnWarps<W>::rows_at_once;
    int           first, s, row[R];
    if (!tiles.find(index, first, s))
      return;
    tiles.rows(first, row);
    const int          columns = tiles.n_columns;
    Number            *to      = x + s, *target[R];
    Several<Number, W> sum[R];
    for (int r = 0; r < R; ++r)
      target[r] = to + std::size_t(own[row[r]]) * columns;
    for (int r = 0; r < R; ++r)
      sum[r] = Several<Number, W>::at(target[r]);
    const auto load = [=](int j) { return Several<Number, W>::at(to + std::size_t(j) * columns); };
    add_rows(row, A.row_start, A.column, A.value, load, sum);
    for (int r = 0; r < R; ++r)
      sum[r].to(target[r]);
  }
};

/// Applies S and Sᵀ in place, level by level, to the flat vectors of multi_vector.h, in O(n) operations a column. With
/// `finest` = false it leaves out the finest step, for callers that apply this step themselves.
template <typename Number>
class HierarchicalBasis
{
public:
  HierarchicalBasis() = default;
  HierarchicalBasis(const Device &device, const NestedNodes &nodes)
    : device(device)
  {
    for (int l = 0; l + 1 < nodes.n_levels(); ++l)
      {
        Array<int> own;
        const auto rows = interpolation(nodes, l, own);
        steps.push_back({{device, own}, {device, rows}});
        // Transposed: rows of old nodes, columns are the new ones' numbers.
        const CSRMatrix<double> columns = transpose(rows);
        Array<int>              old;
        for (int j = 0; j < columns.n_rows; ++j)
          if (columns.row_start[j + 1] > columns.row_start[j])
            old.push_back(j);
        transposed.push_back({{device, old}, {device, renumbered_rows(columns, old, own)}});
      }
  }

  /// Computes x = S x.
  void to_nodal(int n_columns, Vector<Number> &x, bool finest = true) const
  {
    for (std::size_t l = 0; l + !finest < steps.size(); ++l)
      apply(steps[l], n_columns, x);
  }
  /// Computes b = Sᵀ b.
  void load_to_hierarchical(int n_columns, Vector<Number> &b, bool finest = true) const
  {
    for (std::size_t l = transposed.size() - !finest; l-- > 0;)
      apply(transposed[l], n_columns, b);
  }

private:
  struct Step
  {
    List<int>            own;
    ColumnMatrix<Number> rows;
  };
  void apply(const Step &step, int n_columns, Vector<Number> &x) const
  {
    with_columns_at_once<Number>(n_columns, [&](auto W) {
      const ColumnWarps<W> tiles{step.own.size(), n_columns};
      device.for_each(tiles.size(), AddInterpolation<Number, W>{tiles, step.own.data(), step.rows.view(), x.data()});
    });
  }

  Device            device;
  std::vector<Step> steps, transposed; // from the coarsest level on
};
} // namespace adamant
