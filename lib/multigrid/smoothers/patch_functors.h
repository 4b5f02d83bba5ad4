#pragma once

#include "algebra/compressed_rows.h"
#include "base/host_device.h"

#include <cmath>

// For Device::for_each: what the smoother by patches makes of a matrix.

namespace adamant
{
/// The patches of nodes and their dense inverses, in the memory of a device. On a GPU the entry (i, j) of the inverse of
/// a patch stands beside those of 31 other patches, so that threads read and write next to each other; on the host each
/// inverse is by itself.
struct PatchesView
{
  int                m, lanes;     ///< rows of a node, patches whose entries stand beside each other
  const int         *start, *node; ///< of each patch
  const EntryNumber *group;        ///< where each `lanes` patches begin, divided by `lanes`

  ADAMANT_HOST_DEVICE int  n_unknowns(int p) const { return (start[p + 1] - start[p]) * m; }
  ADAMANT_HOST_DEVICE int  row(int p, int i) const { return node[start[p] + i / m] * m + i % m; }
  ADAMANT_HOST_DEVICE long place(int p, int i, int j) const
  {
    return (group[p / lanes] + static_cast<long>(i) * n_unknowns(p) + j) * lanes + p % lanes;
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
/// column of the inverse are zero. `most` is at least a patch's number of unknowns, whose matrix is then a thread's own;
/// 0: any number, in the place of the inverse.
template <typename Number, int most>
struct InvertPatches
{
  RowsView    A;
  PatchesView patches;
  Number     *inverse;

  ADAMANT_HOST_DEVICE void operator()(int p) const
  {
    const int  k        = patches.n_unknowns(p);
    const auto in_place = [&](int i, int j) -> Number & { return inverse[patches.place(p, i, j)]; };
    if constexpr (most == 0)
      invert(p, k, in_place);
    else
      {
        Number a[most * most];
        invert(p, k, [&](int i, int j) -> Number & { return a[i * k + j]; });
        for (int i = 0; i < k; ++i)
          for (int j = 0; j < k; ++j)
            in_place(i, j) = a[i * k + j];
      }
  }

private:
  template <typename Entry>
  ADAMANT_HOST_DEVICE void invert(int p, int k, const Entry &a) const
  {
    for (int i = 0; i < k; ++i)
      patches.for_each_entry(p, A, patches.row(p, i), [&](int j, EntryNumber place) {
        a(i, j) = place == EntryNumber(-1) ? Number(0) : static_cast<Number>(A.value[place]);
      });
    for (int i = 0; i < k; ++i)
      eliminate(a, k, i, static_cast<Number>(A.entry(patches.row(p, i), patches.row(p, i))));
  }

  template <typename Entry>
  ADAMANT_HOST_DEVICE static void eliminate(const Entry &a, int k, int pivot, Number diagonal)
  {
    const Number vanishing = Number(1e-5) * fabs(diagonal), value = a(pivot, pivot);
    const bool   vanishes = fabs(value) <= vanishing;
    a(pivot, pivot)       = Number(1);
    for (int j = 0; j < k; ++j)
      a(pivot, j) = vanishes ? Number(0) : a(pivot, j) / value;
    for (int i = 0; i < k; ++i)
      if (i != pivot)
        {
          const Number factor = vanishes ? Number(0) : a(i, pivot);
          a(i, pivot)         = Number(0);
          for (int j = 0; j < k; ++j)
            a(i, j) -= factor * a(pivot, j);
        }
  }
};

/// Row i of S = Σ_p R_pᵀ W_p (R_p A R_pᵀ)⁻¹ W_p R_p, W_p² = `weight`, or, where that is 0, one over the numbers of
/// patches that have the nodes of p; that of the identity where no patch has it. What is outside of the pattern of S is
/// left out.
template <typename Number>
struct SumPatches
{
  PatchesView   patches;
  double        weight;
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
            value[k] += inverse[patches.place(p, row, j)] * (weight > 0. ? weight : 1. / sqrt(count));
        });
      }
  }
};

constexpr int most_unknowns_in_sweeps = 64;

/// x <- x + R_pᵀ (R_p A R_pᵀ)⁻¹ R_p (b - A x) for the patches p = first, first + 1, ..., which do not couple, of at most
/// most_unknowns_in_sweeps unknowns.
template <typename Number>
struct SolvePatches
{
  RowsView      A;
  PatchesView   patches;
  const Number *inverse;
  int           first;
  const Number *b;
  Number       *x;

  ADAMANT_HOST_DEVICE void operator()(int k) const
  {
    const int p = first + k, n = patches.n_unknowns(p);
    Number    r[most_unknowns_in_sweeps];
    for (int i = 0; i < n; ++i)
      {
        const int row = patches.row(p, i);
        r[i]          = b[row];
        for (EntryNumber e = A.row_start[row]; e < A.row_start[row + 1]; ++e)
          r[i] -= static_cast<Number>(A.value[e]) * x[A.column[e]];
      }
    for (int i = 0; i < n; ++i)
      {
        Number sum = 0;
        for (int j = 0; j < n; ++j)
          sum += inverse[patches.place(p, i, j)] * r[j];
        x[patches.row(p, i)] += sum;
      }
  }
};
} // namespace adamant
