#pragma once

#include "base/csr/csr_matrix.h"
#include "base/host_device.h"

// Cell kernels are integrands of bilinear forms as functors, for host and GPU. So this header does not include deal.II.
// ```
//   struct Diffusion                                 // ∫ k ∇φ_i · ∇φ_j
//   {
//     static constexpr int rows = 1, columns = 1;    // components of a node of the rows' and the columns' field
//     const double *k;                               // at the quadrature points, in the memory of the device
//     template <int dim>
//     ADAMANT_HOST_DEVICE void operator()(const IntegrationPoint<dim> &at, double (&local)[rows][columns]) const
//     {
//       local[0][0] += k[at.point] * dot<dim>(at.gradient_i, at.gradient_j) * at.JxW;
//     }
//   };
// ```
// A .cu file instantiates `cuda::for_each` for AssembleBlocks<dim, Diffusion>.

namespace adamant
{
/// A quadrature point of a cell, with the shape function φ_i of a node of the rows' field and φ_j of a node of the
/// columns' field. Kernels read coefficients by the number of the cell (on this rank and level,
/// LevelSpace::active_cells) or of the point (as in quadrature_points()).
template <int dim>
struct IntegrationPoint
{
  int           cell, point, a, b; ///< a, b: numbers of the nodes in the cell
  double        JxW;
  double        value_i, value_j;
  const double *gradient_i, *gradient_j; ///< dim numbers each
  double        laplacian_j;             ///< 0 where the form was made without update_hessians
};

template <int dim>
ADAMANT_HOST_DEVICE double dot(const double *a, const double *b)
{
  double sum = 0;
  for (int d = 0; d < dim; ++d)
    sum += a[d] * b[d];
  return sum;
}

/// Shape functions of a cell's n nodes at its n_q quadrature points, for each shape of cells; see QuadratureData.
struct ShapesView
{
  int                n, n_q;
  View<const double> value;     ///< of node a at point q: [q n + a]
  View<const double> gradient;  ///< derivative d in cells of shape s: [((s n_q + q) n + a) dim + d]
  View<const double> laplacian; ///< [(s n_q + q) n + a], or null
  View<const double> JxW;       ///< [s n_q + q]
  View<const int>    shape;     ///< number of each cell's shape
  View<const int>    node;      ///< number of node a of a cell: [cell n + a]
};

/// Calls f(point, u, ∇u) at a quadrature point, for Device::for_each. The function u is component `component` of the
/// field with the nodal values `u`, which has `components` in each node.
template <int dim, class F>
struct AtQuadraturePoints
{
  ShapesView    shapes;
  const double *u;
  int           components, component;
  F             f;

  ADAMANT_HOST_DEVICE void operator()(int point) const
  {
    const int  cell = point / shapes.n_q, q = point % shapes.n_q;
    const long place         = (static_cast<long>(shapes.shape[cell]) * shapes.n_q + q) * shapes.n;
    double     value         = 0;
    double     gradient[dim] = {};
    for (int a = 0; a < shapes.n; ++a)
      {
        const long    node   = shapes.node[static_cast<long>(cell) * shapes.n + a];
        const double  nodal  = u[node * components + component];
        const double *grad_a = shapes.gradient + (place + a) * dim;
        value += nodal * shapes.value[q * shapes.n + a];
        for (int d = 0; d < dim; ++d)
          gradient[d] += nodal * grad_a[d];
      }
    f(point, value, gradient);
  }
};

/// A cell in which a node of the rows' field acts, through node a of the cell. `weight` is the number of the weight: 0
/// for 1, or a weight at a hanging node. `hanging` says whether nodes of the columns' field in the cell may be
/// interpolated.
struct CellOfNode
{
  int            cell;
  unsigned char  a, hanging;
  unsigned short weight;
};

/// A node from which a hanging node is interpolated, and the number of its weight.
struct MasterNode
{
  int node, weight;
};

/// A cell's share in a block of the matrix: the entries of its nodes a and b, pair = a n_columns + b. `weight` is the
/// number of their weight in a table: 1, or a product of weights at hanging nodes.
struct Contribution
{
  int            cell;
  unsigned short pair, weight;
};

/// Finds a block's contributions, for Device::for_each over the blocks. They come from the cells of the row's node, by
/// ascending number, and there from nodes that are the column's node or interpolated from it.
struct FindContributions
{
  const int        *row, *column;  ///< nodes of each block
  const int        *first_cell;    ///< first place of each row's node in `cells`, and the end
  const CellOfNode *cells;         ///< cells of each node, ascending
  int               nodes_of_cell; ///< in the columns' field
  const int        *node;          ///< number of node b of a cell: [cell nodes_of_cell + b]
  const int        *first_master;  ///< first place of each node in `masters`; only hanging nodes have masters
  const MasterNode *masters;
  int               n_column_weights;
  int              *start;         ///< first of each block; when counting, block b's number goes to [b + 1]
  Contribution     *contributions; ///< null: they are counted

  ADAMANT_HOST_DEVICE void operator()(int block) const
  {
    const int     j    = column[block];
    Contribution *next = contributions == nullptr ? nullptr : contributions + start[block];
    int           n    = 0;
    const auto    add  = [&](const CellOfNode &at, int b, int weight) {
      ++n;
      if (next != nullptr)
        *next++ = {at.cell, static_cast<unsigned short>(at.a * nodes_of_cell + b),
                   static_cast<unsigned short>(at.weight * n_column_weights + weight)};
    };
    for (int k = first_cell[row[block]]; k < first_cell[row[block] + 1]; ++k)
      {
        const CellOfNode at    = cells[k];
        const int       *nodes = node + static_cast<long>(at.cell) * nodes_of_cell;
        for (int b = 0; b < nodes_of_cell; ++b)
          if (nodes[b] == j)
            add(at, b, 0);
          else if (at.hanging)
            for (int l = first_master[nodes[b]]; l < first_master[nodes[b] + 1]; ++l)
              if (masters[l].node == j)
                add(at, b, masters[l].weight);
      }
    if (contributions == nullptr)
      start[block + 1] = n;
  }
};

/// Nodes where one component follows from the others, as u . n = 0 has it. At node k it is u = T x, where the m x m
/// matrix T begins at matrix[number[k] m m], by rows. A negative number stands for the unit matrix, and null for no
/// such node.
struct TiltedNodes
{
  const int    *number;
  const double *matrix;

  /// Computes block <- Tᵀ block for the rows of a node, or block <- block T for its columns.
  template <bool of_rows, int m, int n>
  ADAMANT_HOST_DEVICE void apply(int node, double (&block)[m][n]) const
  {
    if (number == nullptr || number[node] < 0)
      return;
    constexpr int k            = of_rows ? m : n;
    const double *T            = matrix + number[node] * (k * k);
    double        result[m][n] = {};
    for (int c = 0; c < m; ++c)
      for (int d = 0; d < n; ++d)
        for (int e = 0; e < k; ++e)
          result[c][d] += of_rows ? T[e * k + c] * block[of_rows ? e : c][d] : block[c][of_rows ? d : e] * T[e * k + d];
    for (int c = 0; c < m; ++c)
      for (int d = 0; d < n; ++d)
        block[c][d] = result[c][d];
  }
};

/// The data from which the blocks of a matrix take their values; see AssemblyTables.
struct AssemblyView
{
  ShapesView           row_shapes, column_shapes;
  const int           *start;         ///< first contribution of each block, and the end
  const Contribution  *contributions; ///< by ascending cell in each block
  const double        *weights;
  const int           *row, *column;           ///< nodes of each block
  const int           *first_block;            ///< of each row's node
  const EntryNumber   *row_start;              ///< first entry of each row of the matrix
  const unsigned char *free_row, *free_column; ///< whether an unknown is free; null: all columns are
  TiltedNodes          row_tilts, column_tilts;

  /// Stores the sum of a block's contributions as its entries of the matrix.
  template <int m, int n>
  ADAMANT_HOST_DEVICE void store(int block, double (&sum)[m][n], double *values) const
  {
    const int i = row[block], j = column[block], place = block - first_block[i];
    row_tilts.apply<true>(i, sum);
    column_tilts.apply<false>(j, sum);
    for (int c = 0; c < m; ++c)
      if (free_row[i * m + c])
        for (int d = 0; d < n; ++d)
          values[row_start[i * m + c] + static_cast<EntryNumber>(place) * n + d] =
            free_column == nullptr || free_column[j * n + d] ? sum[c][d] : 0.;
  }
};

/// Local matrices that were computed before, in place of a kernel. There is one for several cells or one for each.
/// Entry (c, d) of the block of a cell's nodes a and b is `values[((table n_pairs + a n_columns + b) m + c) n + d]`.
template <int m, int n>
struct LocalMatrices
{
  static constexpr int rows = m, columns = n;
  const double        *values;
  const int           *table; ///< number of each cell's matrix
  int                  n_pairs;

  ADAMANT_HOST_DEVICE void get(int cell, int pair, double (&local)[m][n]) const
  {
    const double *block = values + (static_cast<long>(table[cell]) * n_pairs + pair) * (m * n);
    for (int c = 0; c < m; ++c)
      for (int d = 0; d < n; ++d)
        local[c][d] = block[c * n + d];
  }
};

/// Computes block = Σ weight ∫ kernel, in the order of the contributions, for Device::for_each over blocks.
template <int dim, class Kernel>
struct AssembleBlocks
{
  static constexpr int m = Kernel::rows, n = Kernel::columns;

  AssemblyView A;
  Kernel       kernel;
  double      *values; ///< entries of the matrix

  ADAMANT_HOST_DEVICE void operator()(int block) const
  {
    double sum[m][n] = {};
    for (int k = A.start[block]; k < A.start[block + 1]; ++k)
      {
        double             local[m][n] = {};
        const Contribution part        = A.contributions[k];
        integrate(kernel, part, local);
        for (int c = 0; c < m; ++c)
          for (int d = 0; d < n; ++d)
            sum[c][d] += A.weights[part.weight] * local[c][d];
      }
    A.store(block, sum, values);
  }

private:
  ADAMANT_HOST_DEVICE void integrate(const LocalMatrices<m, n> &tabulated, const Contribution &part,
                                     double (&local)[m][n]) const
  {
    tabulated.get(part.cell, part.pair, local);
  }
  template <class OfPoint>
  ADAMANT_HOST_DEVICE void integrate(const OfPoint &of_point, const Contribution &part, double (&local)[m][n]) const
  {
    const ShapesView &rows = A.row_shapes, &columns = A.column_shapes;
    const int         cell = part.cell, a = part.pair / columns.n, b = part.pair % columns.n;
    const long        first = static_cast<long>(rows.shape[cell]) * rows.n_q;
    for (int q = 0; q < rows.n_q; ++q)
      {
        const long i = (first + q) * rows.n + a, j = (first + q) * columns.n + b;
        of_point(IntegrationPoint<dim>{cell, cell * rows.n_q + q, a, b, rows.JxW[first + q], rows.value[q * rows.n + a],
                                       columns.value[q * columns.n + b], rows.gradient + i * dim,
                                       columns.gradient + j * dim,
                                       columns.laplacian == nullptr ? 0. : columns.laplacian[j]},
                 local);
      }
  }
};

/// Sets values[place[k]] = 1, for the rows of constrained unknowns.
struct SetOnes
{
  const EntryNumber *place;
  double            *values;

  ADAMANT_HOST_DEVICE void operator()(int k) const { values[place[k]] = 1.; }
};
} // namespace adamant
