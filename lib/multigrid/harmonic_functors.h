#pragma once

#include "multigrid/smoothers/patch/patch_functors.h"

// Functors for Device::for_each_by_lanes: the rows of an interpolation inside cells that follow a matrix.

namespace adamant
{
/// Computes A_ib P_b for the unknowns i of a node inside a cell, a patch, for Device::for_each_by_lanes over most_nodes
/// of each cell. The entries take the places of the entries of P. Rows of a node that have equally many columns in A
/// have the same ones, as all its rows in P. A lane takes entries of rows of P_b.
struct MultiplyAround
{
  RowsView    A, P, around; ///< around: P_b, see HarmonicRows
  PatchesView cells;
  int         most_nodes;
  double     *value;

  template <class Lanes>
  ADAMANT_HOST_DEVICE void operator()(int node, const Lanes &lanes) const
  {
    const int p = node / most_nodes, n = node % most_nodes * cells.m;
    if (n >= cells.n_unknowns(p))
      return;
    const auto length = [&](int row) { return A.row_start[row + 1] - A.row_start[row]; };
    const int  first = cells.row(p, n), end = first + cells.m;
    for (int i = first, together = 1; i < end; i += together)
      {
        for (together = 1; i + together < end && length(i + together) == length(i);)
          ++together;
        multiply(i, together, length(i), lanes);
      }
  }

private:
  template <class Lanes>
  ADAMANT_HOST_DEVICE void multiply(int i, int n_rows, EntryNumber n_A, const Lanes &lanes) const
  {
    const EntryNumber first = P.row_start[i], n_P = P.row_start[i + 1] - first;
    for (EntryNumber e = lanes.number(); e < n_P * n_rows; e += Lanes::size)
      value[first + e] = 0.;
    for (EntryNumber k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
      {
        const EntryNumber end = around.row_start[A.column[k] + 1];
        EntryNumber       b   = around.row_start[A.column[k]];
        if (b == end)
          continue;
        lanes.wait(); // other lanes have added to the same entries
        for (b += lanes.number(); b < end; b += Lanes::size)
          {
            const EntryNumber e = P.lower_bound(i, around.column[b]);
            for (int c = 0; c < n_rows; ++c)
              value[e + c * n_P] += A.value[k + c * n_A] * around.value[b];
          }
      }
  }
};

/// Computes a row -A_ii⁻¹ (A_ib P_b) of P inside a cell from the values of MultiplyAround, and as that is called. A
/// lane takes columns, several at a time.
struct SolveInside
{
  RowsView      P;
  PatchesView   cells;
  int           most_unknowns;
  const double *inverse, *right;
  double       *value; ///< of P

  template <class Lanes>
  ADAMANT_HOST_DEVICE void operator()(int unknown, const Lanes &lanes) const
  {
    constexpr int several = 4;
    const int     p = unknown / most_unknowns, i = unknown % most_unknowns;
    if (i >= cells.n_unknowns(p))
      return;
    const EntryNumber first = P.row_start[cells.row(p, i)], n_columns = P.row_start[cells.row(p, i) + 1] - first;
    for (EntryNumber begin = lanes.number(); begin < n_columns; begin += several * Lanes::size)
      {
        double sum[several] = {};
#pragma unroll 4
        for (int j = 0; j < cells.n_unknowns(p); ++j)
          {
            const double        a   = inverse[cells.place(p, i, j)];
            const double *const row = right + P.row_start[cells.row(p, j)];
#pragma unroll
            for (int s = 0; s < several; ++s)
              if (const EntryNumber c = begin + s * Lanes::size; c < n_columns)
                sum[s] -= a * row[c];
          }
#pragma unroll
        for (int s = 0; s < several; ++s)
          if (const EntryNumber c = begin + s * Lanes::size; c < n_columns)
            value[first + c] = sum[s];
      }
  }
};
} // namespace adamant
