#pragma once

#include "base/csr_matrix.h"
#include "base/host_device.h"

// Cell kernels: integrands of bilinear forms as functors, for host and GPU, so this header knows nothing of deal.II.
//
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
//
// A .cu file instantiates `cuda::for_each` for AssembleBlocks<dim, Diffusion>.

namespace adamant
{
/// A quadrature point of a cell, with the shape function φ_i of a node of the rows' field and φ_j of one of the
/// columns'. Kernels read coefficients by the numbers of the cell (on this rank and level, LevelSpace::active_cells)
/// and of the point, as quadrature_points() numbers them.
template <int dim>
struct IntegrationPoint
{
  int           cell, point;
  double        JxW;
  double        value_i, value_j;
  const double *gradient_i, *gradient_j; ///< dim numbers
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

/// Shape functions of the n nodes of a cell at its n_q quadrature points, for each shape of cells; see QuadratureData.
struct ShapesView
{
  int           n, n_q;
  const double *value;     ///< of node a: [q n + a]
  const double *gradient;  ///< its derivative d in cells of shape s: [((s n_q + q) n + a) dim + d]
  const double *laplacian; ///< [(s n_q + q) n + a], or null
  const double *JxW;       ///< [s n_q + q]
  const int    *shape;     ///< of each cell
  const int    *node;      ///< number of node a of a cell: [cell n + a]
};

/// For Device::for_each over quadrature points: f(point, u, ∇u) for component `component` of a field with `components`
/// in each node, u its nodal values.
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

/// A cell that a node of the rows' field acts on: by its node a, with a weight of the table's, 1 or that of the
/// interpolation at a hanging node. `hanging`: some node of the columns' field there is interpolated.
struct CellOfNode
{
  int            cell;
  unsigned char  a, hanging;
  unsigned short weight;
};

/// A node that a hanging one is interpolated from.
struct MasterNode
{
  int    node;
  double weight;
};

/// Where the blocks of a matrix take their values from; see AssemblyTables.
struct AssemblyView
{
  ShapesView           row_shapes, column_shapes;
  const int           *first_cell; ///< of each node of the rows among `cells`, and behind the last one
  const CellOfNode    *cells;      ///< of a node: ascending
  const double        *weights;
  const int           *first_master; ///< likewise, of the nodes of the columns; of hanging ones alone there are some
  const MasterNode    *masters;
  const int           *row, *column;           ///< nodes of each block
  const int           *first_block;            ///< of the node of each row
  const EntryNumber   *row_start;              ///< of the matrix's rows
  const unsigned char *free_row, *free_column; ///< whether an unknown is free; null: all columns are
};

/// In place of a kernel: local matrices that were computed before, one for several cells or for each. Entry (c, d) of
/// the block of the nodes a and b of a cell is values[((table n_pairs + a n_columns + b) m + c) n + d].
template <int m, int n>
struct LocalMatrices
{
  static constexpr int rows = m, columns = n;
  const double        *values;
  const int           *table; ///< of each cell
  int                  n_pairs;

  ADAMANT_HOST_DEVICE void get(int cell, int pair, double (&local)[m][n]) const
  {
    const double *block = values + (static_cast<long>(table[cell]) * n_pairs + pair) * (m * n);
    for (int c = 0; c < m; ++c)
      for (int d = 0; d < n; ++d)
        local[c][d] = block[c * n + d];
  }
};

/// For Device::for_each over the blocks of a matrix: block = Σ weight ∫ kernel over the cells of the row's node, by
/// ascending number, and their nodes that are the column's or interpolated from it.
template <int dim, class Kernel>
struct AssembleBlocks
{
  static constexpr int m = Kernel::rows, n = Kernel::columns;

  AssemblyView A;
  Kernel       kernel;
  double      *values; ///< of the matrix

  ADAMANT_HOST_DEVICE void operator()(int block) const
  {
    const int row = A.row[block], column = A.column[block], place = block - A.first_block[row];
    double    sum[m][n] = {};
    for (int k = A.first_cell[row]; k < A.first_cell[row + 1]; ++k)
      add_cell(A.cells[k], column, sum);
    for (int c = 0; c < m; ++c)
      if (A.free_row[row * m + c])
        for (int d = 0; d < n; ++d)
          values[A.row_start[row * m + c] + static_cast<EntryNumber>(place) * n + d] =
            A.free_column == nullptr || A.free_column[column * n + d] ? sum[c][d] : 0.;
  }

private:
  ADAMANT_HOST_DEVICE void add_cell(const CellOfNode &at, int column, double (&sum)[m][n]) const
  {
    const int *nodes = A.column_shapes.node + static_cast<long>(at.cell) * A.column_shapes.n;
    for (int b = 0; b < A.column_shapes.n; ++b)
      if (nodes[b] == column)
        add(at, b, 1., sum);
      else if (at.hanging)
        for (int k = A.first_master[nodes[b]]; k < A.first_master[nodes[b] + 1]; ++k)
          if (A.masters[k].node == column)
            add(at, b, A.masters[k].weight, sum);
  }

  ADAMANT_HOST_DEVICE void add(const CellOfNode &at, int b, double column_weight, double (&sum)[m][n]) const
  {
    double       local[m][n] = {};
    const double weight      = A.weights[at.weight] * column_weight;
    integrate(kernel, at, b, local);
    for (int c = 0; c < m; ++c)
      for (int d = 0; d < n; ++d)
        sum[c][d] += weight * local[c][d];
  }

  ADAMANT_HOST_DEVICE void integrate(const LocalMatrices<m, n> &tabulated, const CellOfNode &at, int b,
                                     double (&local)[m][n]) const
  {
    tabulated.get(at.cell, at.a * A.column_shapes.n + b, local);
  }
  template <class OfPoint>
  ADAMANT_HOST_DEVICE void integrate(const OfPoint &of_point, const CellOfNode &at, int b, double (&local)[m][n]) const
  {
    const ShapesView &rows = A.row_shapes, &columns = A.column_shapes;
    const long        first = static_cast<long>(rows.shape[at.cell]) * rows.n_q;
    for (int q = 0; q < rows.n_q; ++q)
      {
        const long i = (first + q) * rows.n + at.a, j = (first + q) * columns.n + b;
        of_point(IntegrationPoint<dim>{at.cell, at.cell * rows.n_q + q, rows.JxW[first + q],
                                       rows.value[q * rows.n + at.a], columns.value[q * columns.n + b],
                                       rows.gradient + i * dim, columns.gradient + j * dim,
                                       columns.laplacian == nullptr ? 0. : columns.laplacian[j]},
                 local);
      }
  }
};

/// values[place[k]] = 1: the rows of constrained unknowns.
struct SetOnes
{
  const EntryNumber *place;
  double            *values;

  ADAMANT_HOST_DEVICE void operator()(int k) const { values[place[k]] = 1.; }
};
} // namespace adamant
