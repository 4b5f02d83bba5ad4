#pragma once

#include "multigrid/smoothers/patch/patch_functors.h"
#include "multigrid/smoothers/update_functors.h"

// Functors for Device::for_each_by_lanes: the rows of an interpolation inside refined cells, see HarmonicInterpolation.

namespace adamant
{
/// The nodes inside some cells, the rows of P_bᵀ that belong to each cell, and the place of A_ib P_b, stored by rows.
struct InsideView
{
  PatchesView             nodes;
  View<const int>         cell, first_column; ///< of each place in nodes.node; of each cell in `around`
  View<const EntryNumber> first;              ///< of each cell's A_ib P_b
  RowsView                around;             ///< the P_bᵀ of all cells
  double                 *right;              ///< A_ib P_b

  ADAMANT_HOST_DEVICE int n_columns(int p) const { return first_column[p + 1] - first_column[p]; }
  /// Returns the row of A_ib P_b that belongs to the first unknown of the node at this place.
  ADAMANT_HOST_DEVICE double *row(int place) const
  {
    const int p = cell[place];
    return right + first[p] + static_cast<EntryNumber>(place - nodes.start[p]) * nodes.m * n_columns(p);
  }
};

/// Computes the rows of A_ib P_b of a node, given by its place. A lane takes a column. The rows of a node mostly have
/// the same columns, so that one search finds the entries of all of them.
struct MultiplyAround
{
  RowsView   A;
  InsideView inside;

  template <class Lanes>
  ADAMANT_HOST_DEVICE void operator()(int place, const Lanes &lanes) const
  {
    const int m = inside.nodes.m, first_row = inside.nodes.node[place] * m, p = inside.cell[place],
              n_columns = inside.n_columns(p);
    double *const to    = inside.row(place);
    for (int c = lanes.number(); c < n_columns; c += Lanes::size)
      {
        double    sum[most_node_rows] = {};
        const int column              = inside.first_column[p] + c;
        for (EntryNumber e = inside.around.row_start[column]; e < inside.around.row_start[column + 1]; ++e)
          {
            const int         b = inside.around.column[e];
            const double      P = inside.around.value[e];
            const EntryNumber k = A.lower_bound(first_row, b) - A.row_start[first_row];
#pragma unroll
            for (int r = 0; r < most_node_rows; ++r)
              if (r < m)
                {
                  const int         i   = first_row + r;
                  const EntryNumber own = A.row_start[i] + k;
                  sum[r] += (own < A.row_start[i + 1] && A.column[own] == b ? A.value[own] : A.entry(i, b)) * P;
                }
          }
#pragma unroll
        for (int r = 0; r < most_node_rows; ++r)
          if (r < m)
            to[r * n_columns + c] = sum[r];
      }
  }
};

/// Computes the rows -A_ii⁻¹ (A_ib P_b) of a node, given by its place, in P. A lane takes some columns at once.
struct SolveInside
{
  InsideView    inside;
  const double *inverse; ///< of A_ii, see PatchesView
  RowsView      P;
  double       *value; ///< of P

  template <class Lanes>
  ADAMANT_HOST_DEVICE void operator()(int place, const Lanes &lanes) const
  {
    constexpr int      at_once = 4;
    const PatchesView &nodes   = inside.nodes;
    const int          p = inside.cell[place], i = (place - nodes.start[p]) * nodes.m, n = nodes.n_unknowns(p),
              n_columns       = inside.n_columns(p);
    const double *const right = inside.right + inside.first[p];
    for (int r = 0; r < nodes.m; ++r)
      for (int begin = 0; begin < n_columns; begin += at_once * Lanes::size)
        {
          double sum[at_once] = {};
          for (int j = 0; j < n; ++j)
            {
              const double a = inverse[nodes.place(p, i + r, j)];
#pragma unroll
              for (int k = 0; k < at_once; ++k)
                if (const int c = begin + k * Lanes::size + lanes.number(); c < n_columns)
                  sum[k] -= a * right[j * n_columns + c];
            }
#pragma unroll
          for (int k = 0; k < at_once; ++k)
            if (const int c = begin + k * Lanes::size + lanes.number(); c < n_columns)
              value[P.row_start[nodes.node[place] * nodes.m + r] + c] = sum[k];
        }
  }
};
} // namespace adamant
