#pragma once

#include "algebra/compressed_rows.h"
#include "base/host_device.h"

#include <cmath>

// For Device::for_each: what the smoother by patches makes of a matrix.

namespace adamant
{
/// The patches of nodes and their dense inverses, in the memory of a device. The entry (i, j) of the inverse of patch
/// p, which has k unknowns of at most `most`, stands beside those of 31 other patches, so that threads of a GPU read
/// and write next to each other.
struct PatchesView
{
  int        m, most;      ///< rows of a node, unknowns of the largest patch
  const int *start, *node; ///< of each patch

  ADAMANT_HOST_DEVICE int  n_unknowns(int p) const { return (start[p + 1] - start[p]) * m; }
  ADAMANT_HOST_DEVICE int  row(int p, int i) const { return node[start[p] + i / m] * m + i % m; }
  ADAMANT_HOST_DEVICE long place(int p, int i, int j) const
  {
    return ((p / 32) * static_cast<long>(most) * most + i * n_unknowns(p) + j) * 32 + p % 32;
  }

  /// Calls action(j, place of the entry (i, row(p, j)) of A, or -1) for all unknowns j of patch p. Mostly the columns
  /// of a node follow each other, so that one search finds them.
  template <typename Action>
  ADAMANT_HOST_DEVICE void for_each_entry(int p, const RowsView &A, int i, const Action &action) const
  {
    for (int n = start[p], j = 0; n < start[p + 1]; ++n)
      {
        const int         column = node[n] * m;
        const EntryNumber k      = A.find(i, column);
        for (int c = 0; c < m; ++c, ++j)
          action(j, k != EntryNumber(-1) && k + c < A.row_start[i + 1] && A.column[k + c] == column + c ?
                      k + c :
                      A.find(i, column + c));
      }
  }
};

/// The inverse of R A Rᵀ for each patch, R its unknowns, by Gauss-Jordan elimination without pivoting. An unknown whose
/// pivot vanishes beside its diagonal entry, such as one of the pressures between walls alone, is left out: its row and
/// column of the inverse are zero.
template <typename Number, int most>
struct InvertPatches
{
  RowsView    A;
  PatchesView patches;
  Number     *inverse;

  ADAMANT_HOST_DEVICE void operator()(int p) const
  {
    const int k = patches.n_unknowns(p);
    Number    a[most * most], diagonal[most];
    for (int i = 0; i < k; ++i)
      {
        Number *const row = a + i * k;
        patches.for_each_entry(p, A, patches.row(p, i), [&](int j, EntryNumber place) {
          row[j] = place == EntryNumber(-1) ? Number(0) : static_cast<Number>(A.value[place]);
        });
        diagonal[i] = a[i * k + i];
      }
    for (int i = 0; i < k; ++i)
      eliminate(a, k, i, diagonal[i]);
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < k; ++j)
        inverse[patches.place(p, i, j)] = a[i * k + j];
  }

private:
  ADAMANT_HOST_DEVICE static void eliminate(Number *a, int k, int pivot, Number diagonal)
  {
    const Number vanishing = Number(1e-5) * fabs(diagonal), value = a[pivot * k + pivot];
    const bool   vanishes = fabs(value) <= vanishing;
    Number       row[most]; // of the pivot, afterwards
    a[pivot * k + pivot] = Number(1);
    for (int j = 0; j < k; ++j)
      {
        row[j]           = vanishes ? Number(0) : a[pivot * k + j] / value;
        a[pivot * k + j] = row[j];
      }
    for (int i = 0; i < k; ++i)
      if (i != pivot)
        {
          const Number factor = vanishes ? Number(0) : a[i * k + pivot];
          a[i * k + pivot]    = Number(0);
          for (int j = 0; j < k; ++j)
            a[i * k + j] -= factor * row[j];
        }
  }
};

/// Row i of S = Σ_p R_pᵀ W_p (R_p A R_pᵀ)⁻¹ W_p R_p, W_p² one over the numbers of patches that have the nodes of p;
/// that of the identity where no patch has it. The pattern of S is that of A; what is outside is left out.
template <typename Number>
struct SumPatches
{
  PatchesView   patches;
  const Number *inverse;
  const int    *first, *patch, *place; ///< of each node: its patches, and which of their nodes it is
  RowsView      S;
  double       *value; ///< of S

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    const int m = patches.m, node = i / m, begin = first[node], end = first[node + 1];
    for (EntryNumber k = S.row_start[i]; k < S.row_start[i + 1]; ++k)
      value[k] = begin == end && S.column[k] == i ? 1. : 0.;
    for (int n = begin; n < end; ++n)
      {
        const int p = patch[n], row = place[n] * m + i % m;
        patches.for_each_entry(p, S, i, [&](int j, EntryNumber k) {
          const int    other = patches.node[patches.start[p] + j / m];
          const double count = static_cast<double>(end - begin) * (first[other + 1] - first[other]);
          if (k != EntryNumber(-1))
            value[k] += inverse[patches.place(p, row, j)] / sqrt(count);
        });
      }
  }
};
} // namespace adamant
