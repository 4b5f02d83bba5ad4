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
  bool        apart; ///< whether P_b couples no components with each other, so that their entries are added at once
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
    const int m = apart && Lanes::size >= cells.m ? cells.m : 1, at_once = Lanes::size / m,
              c = lanes.number() / at_once;
    for (EntryNumber k = A.row_start[i], end = A.row_start[i + 1]; k < end;)
      {
        lanes.wait(); // other lanes have added to the same entries
        if (const int j = A.column[k]; j % m == 0 && k + m <= end && A.column[k + m - 1] == j + m - 1)
          {
            if (c < m)
              add(i, n_rows, n_A, n_P, k + c, lanes.number() % at_once, at_once);
            k += m;
          }
        else
          {
            add(i, n_rows, n_A, n_P, k, lanes.number(), Lanes::size);
            ++k;
          }
      }
  }

  // Adds the products of the entries k of n_rows rows of A with every at_once-th entry of a row of P_b.
  ADAMANT_HOST_DEVICE void add(int i, int n_rows, EntryNumber n_A, EntryNumber n_P, EntryNumber k, int from,
                               int at_once) const
  {
    const int column = A.column[k];
    for (EntryNumber b = around.row_start[column] + from; b < around.row_start[column + 1]; b += at_once)
      {
        const EntryNumber e = P.lower_bound(i, around.column[b]);
        for (int r = 0; r < n_rows; ++r)
          value[e + r * n_P] += A.value[k + r * n_A] * around.value[b];
      }
  }
};

/// Computes rows -A_ii⁻¹ (A_ib P_b) of P inside a cell from the values of MultiplyAround, `rows` for each call, for
/// Device::for_each_by_lanes over ceil(most_unknowns / rows) of each cell. All rows of a cell have the same columns, of
/// which a lane takes some.
struct SolveInside
{
  static constexpr int rows = 4, columns = 3;

  RowsView      P;
  PatchesView   cells;
  int           most_unknowns;
  const double *inverse, *right;
  double       *value; ///< of P

  template <class Lanes>
  ADAMANT_HOST_DEVICE void operator()(int call, const Lanes &lanes) const
  {
    const int calls = (most_unknowns + rows - 1) / rows, p = call / calls, i = call % calls * rows,
              n = cells.n_unknowns(p);
    if (i >= n)
      return;
    const EntryNumber n_columns = P.row_start[cells.row(p, i) + 1] - P.row_start[cells.row(p, i)];
    for (EntryNumber begin = lanes.number(); begin < n_columns; begin += columns * Lanes::size)
      {
        double sum[rows][columns] = {};
#pragma unroll 2
        for (int j = 0; j < n; ++j)
          {
            const double *const row = right + P.row_start[cells.row(p, j)];
#pragma unroll
            for (int s = 0; s < columns; ++s)
              if (const EntryNumber c = begin + s * Lanes::size; c < n_columns)
                {
                  const double b = row[c];
#pragma unroll
                  for (int r = 0; r < rows; ++r)
                    if (i + r < n)
                      sum[r][s] -= inverse[cells.place(p, i + r, j)] * b;
                }
          }
#pragma unroll
        for (int r = 0; r < rows; ++r)
#pragma unroll
          for (int s = 0; s < columns; ++s)
            if (const EntryNumber c = begin + s * Lanes::size; i + r < n && c < n_columns)
              value[P.row_start[cells.row(p, i + r)] + c] = sum[r][s];
      }
  }
};
} // namespace adamant
