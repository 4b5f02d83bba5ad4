#pragma once

#include "algebra/compressed_rows.h"
#include "base/host_device.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

// Functors for Device::for_each and for_each_by_lanes: the inverses of patches, and smoothers and interpolations made of
// them.

namespace adamant
{
/// The patches of nodes, and the places of their dense inverses, which are stored by columns in device memory. Patch p
/// has the nodes node[start[p]], ..., node[start[p + 1] - 1].
struct PatchesView
{
  int                     m;           ///< rows of a node
  View<const int>         start, node; ///< the nodes of each patch
  View<const EntryNumber> first;       ///< place of the first entry of each patch's inverse

  ADAMANT_HOST_DEVICE int         n_unknowns(int p) const { return (start[p + 1] - start[p]) * m; }
  ADAMANT_HOST_DEVICE int         row(int p, int i) const { return node[start[p] + i / m] * m + i % m; }
  ADAMANT_HOST_DEVICE EntryNumber place(int p, int i, int j) const
  {
    return first[p] + static_cast<EntryNumber>(j) * n_unknowns(p) + i;
  }

  /// Calls action(c, k) for c < m, where k is the number of the entry (i, j m + c) of A, or -1 without such an entry.
  /// The columns of a node j mostly follow each other, so that one search finds them.
  template <typename Action>
  ADAMANT_HOST_DEVICE void for_each_entry_of(int j, const RowsView &A, int i, const Action &action) const
  {
    const int         column = j * m;
    const EntryNumber k      = A.find(i, column);
    for (int c = 0; c < m; ++c)
      action(c, k != EntryNumber(-1) && k + c < A.row_start[i + 1] && A.column[k + c] == column + c ?
                  k + c :
                  A.find(i, column + c));
  }
};

/// Patches of nodes in device memory, for PatchesView.
struct PatchLists
{
  PatchLists() = default;
  /// Patch p has the nodes node[start[p]], ..., node[start[p + 1] - 1], given in host memory, with m rows each. The
  /// inverses of a part of the patches are in memory together. They have at most `most_entries` entries, where one does.
  PatchLists(const Device &device, const Array<int> &start, const Array<int> &node, int m,
             EntryNumber most_entries = std::numeric_limits<EntryNumber>::max())
    : m(m)
    , start(device, start)
    , node(device, node)
  {
    Array<EntryNumber> first;
    EntryNumber        next = 0;
    for (std::size_t p = 0; p + 1 < start.size(); ++p)
      {
        const int n = (start[p + 1] - start[p]) * m;
        if (next > 0 && next + EntryNumber(n) * n > most_entries)
          {
            parts.push_back(static_cast<int>(p));
            next = 0;
          }
        first.push_back(next);
        next += EntryNumber(n) * n;
        most      = n > most ? n : most;
        n_entries = std::max(n_entries, static_cast<std::size_t>(next));
      }
    parts.push_back(static_cast<int>(first.size()));
    first_entry = List<EntryNumber>(device, first);
  }
  /// Returns a view of the patches from `patch` on, which is the first of a part.
  PatchesView view(int patch = 0) const
  {
    return {m, elements(start) + patch, elements(node), elements(first_entry) + patch};
  }

  int               m = 1, most = 0; ///< rows of a node; unknowns of the largest patch
  List<int>         start, node;
  List<EntryNumber> first_entry;
  std::vector<int>  parts     = {0}; ///< the first patch of each part, and the number of patches
  std::size_t       n_entries = 0;   ///< of the inverses of a part
};

/// Copies the rows of the matrix R A Rᵀ of patch p that belong to this lane to the place of the patch's inverse.
template <typename Number, class Lanes>
ADAMANT_HOST_DEVICE void gather_patch(const RowsView &A, const PatchesView &patches, int p, const Lanes &lanes,
                                      Number *inverse)
{
  for (int i = lanes.number(); i < patches.n_unknowns(p); i += Lanes::size)
    for (int n = patches.start[p], j = 0; n < patches.start[p + 1]; ++n, j += patches.m)
      patches.for_each_entry_of(patches.node[n], A, patches.row(p, i), [&](int c, EntryNumber k) {
        inverse[patches.place(p, i, j + c)] = k == EntryNumber(-1) ? Number(0) : static_cast<Number>(A.value[k]);
      });
}

/// Inverts the matrix R A Rᵀ of each patch by Gauss-Jordan elimination without pivoting, for Device::for_each_by_lanes
/// over the patches. An unknown whose pivot vanishes beside its diagonal entry, such as a pressure between walls alone,
/// is left out: its row and column of the inverse are zero. It vanishes where it is at most `least` times that entry. No
/// patch has more than `most` unknowns. Each lane holds every Lanes::size-th row in registers, where loops have a fixed
/// length.
template <typename Number, int most>
struct InvertPatches
{
  RowsView    A;
  PatchesView patches;
  Number     *inverse, least;

  template <class Lanes>
  ADAMANT_HOST_DEVICE void operator()(int p, const Lanes &lanes) const
  {
    constexpr int n_rows = (most + Lanes::size - 1) / Lanes::size;
    const int     k      = patches.n_unknowns(p);
    Number        a[n_rows][most], diagonal[n_rows];
    gather_patch(A, patches, p, lanes, inverse);
#pragma unroll
    for (int r = 0; r < n_rows; ++r)
      {
        const int i = r * Lanes::size + lanes.number();
        diagonal[r] = i < k ? inverse[patches.place(p, i, i)] : Number(1);
#pragma unroll
        for (int j = 0; j < most; ++j)
          a[r][j] = i < k && j < k ? inverse[patches.place(p, i, j)] : Number(0);
      }
#pragma unroll
    for (int pivot = 0; pivot < most; ++pivot)
      if (pivot < k)
        eliminate(a, diagonal, pivot, lanes);
#pragma unroll
    for (int r = 0; r < n_rows; ++r)
#pragma unroll
      for (int j = 0; j < most; ++j)
        if (const int i = r * Lanes::size + lanes.number(); i < k && j < k)
          inverse[patches.place(p, i, j)] = a[r][j];
  }

private:
  template <class Lanes, int n_rows>
  ADAMANT_HOST_DEVICE void eliminate(Number (&a)[n_rows][most], const Number (&diagonal)[n_rows], int pivot,
                                     const Lanes &lanes) const
  {
    const int    owner = pivot % Lanes::size, of_owner = pivot / Lanes::size;
    const Number value    = lanes.from(a[of_owner][pivot], owner);
    const bool   vanishes = fabs(value) <= least * static_cast<Number>(fabs(lanes.from(diagonal[of_owner], owner)));
    const Number scale    = vanishes ? Number(0) : Number(1) / value;
    Number       factor[n_rows];
#pragma unroll
    for (int r = 0; r < n_rows; ++r)
      factor[r] = vanishes ? Number(0) : a[r][pivot];
#pragma unroll
    for (int j = 0; j < most; ++j)
      {
        const Number of_pivot = (j == pivot ? Number(1) : lanes.from(a[of_owner][j], owner)) * scale;
#pragma unroll
        for (int r = 0; r < n_rows; ++r)
          a[r][j] = r * Lanes::size + lanes.number() == pivot ?
                      of_pivot :
                      (j == pivot ? Number(0) : a[r][j]) - factor[r] * of_pivot;
      }
  }
};

/// Inverts the matrices of patches of any size, in device memory instead of registers.
template <typename Number>
struct InvertPatches<Number, 0>
{
  RowsView    A;
  PatchesView patches;
  Number     *inverse, least;

  template <class Lanes>
  ADAMANT_HOST_DEVICE void operator()(int p, const Lanes &lanes) const
  {
    const int  k = patches.n_unknowns(p);
    const auto a = [&](int i, int j) -> Number & { return inverse[patches.place(p, i, j)]; };
    gather_patch(A, patches, p, lanes, inverse);
    lanes.wait();
    for (int pivot = 0; pivot < k; ++pivot)
      {
        const int    row      = patches.row(p, pivot);
        const Number value    = a(pivot, pivot);
        const bool   vanishes = fabs(value) <= least * static_cast<Number>(fabs(A.entry(row, row)));
        const Number scale    = vanishes ? Number(0) : Number(1) / value;
        lanes.wait();
        for (int j = lanes.number(); j < k; j += Lanes::size)
          a(pivot, j) = (j == pivot ? Number(1) : a(pivot, j)) * scale;
        lanes.wait();
        for (int i = lanes.number(); i < k; i += Lanes::size)
          if (i != pivot)
            {
              const Number factor = vanishes ? Number(0) : a(i, pivot);
              a(i, pivot)         = Number(0);
              for (int j = 0; j < k; ++j)
                a(i, j) -= factor * a(pivot, j);
            }
        lanes.wait();
      }
  }
};

/// Inverts the matrices of a part of the patches, see InvertPatches.
template <typename Number>
void invert_patches(const Device &device, const RowsView &A, const PatchLists &lists, Number *inverse, Number least,
                    std::size_t part = 0)
{
  const int  first = lists.parts[part], n = lists.parts[part + 1] - first;
  const auto patches = lists.view(first);
  if (lists.most <= 12)
    device.for_each_by_lanes(n, InvertPatches<Number, 12>{A, patches, inverse, least});
  else if (lists.most <= 32)
    device.for_each_by_lanes(n, InvertPatches<Number, 32>{A, patches, inverse, least});
  else
    device.for_each_by_lanes(n, InvertPatches<Number, 0>{A, patches, inverse, least});
}

/// Computes the rows of S = Σ_p R_pᵀ W_p (R_p A R_pᵀ)⁻¹ W_p R_p, for Device::for_each_by_lanes over the nodes. W_p² is
/// `weight`; where `weight` is 0, it is one over the number of patches that have a node. A node without a patch has
/// rows of the identity. Entries outside of the pattern of S are left out.
template <typename Number>
struct SumPatches
{
  PatchesView   patches;
  double        weight;
  const Number *inverse;
  const int    *first, *patch, *place; ///< of each node: its patches from `first` on, and its place in each of them
  RowsView      S;
  double       *value; ///< of S

  template <class Lanes>
  ADAMANT_HOST_DEVICE void operator()(int node, const Lanes &lanes) const
  {
    const int begin = first[node], end = first[node + 1];
    set_rows(node, begin == end ? 1. : 0., lanes);
    for (int n = begin; n < end; ++n)
      {
        lanes.wait(); // other lanes have added to the same rows
        add(node, patch[n], place[n], end - begin, lanes);
      }
  }

private:
  template <class Lanes>
  ADAMANT_HOST_DEVICE void set_rows(int node, double diagonal, const Lanes &lanes) const
  {
    const EntryNumber end = S.row_start[(node + 1) * patches.m];
    for (EntryNumber k = S.row_start[node * patches.m] + lanes.number(); k < end; k += Lanes::size)
      value[k] = 0.;
    lanes.wait();
    for (int i = node * patches.m + lanes.number(); i < (node + 1) * patches.m; i += Lanes::size)
      if (const EntryNumber k = S.find(i, i); k != EntryNumber(-1))
        value[k] = diagonal;
  }

  // Adds the inverse of patch p, in which this node has place a. A lane takes a row of the node and a node of the
  // patch.
  template <class Lanes>
  ADAMANT_HOST_DEVICE void add(int node, int p, int a, int n_patches, const Lanes &lanes) const
  {
    const int m = patches.m, start = patches.start[p], n_blocks = m * (patches.start[p + 1] - start);
    for (int t = lanes.number(); t < n_blocks; t += Lanes::size)
      {
        const int    b = t / m, row = t % m, other = patches.node[start + b];
        const double count = static_cast<double>(n_patches) * (first[other + 1] - first[other]),
                     W_W   = weight > 0. ? weight : 1. / sqrt(count);
        patches.for_each_entry_of(other, S, node * m + row, [&](int c, EntryNumber k) {
          if (k != EntryNumber(-1))
            value[k] += inverse[patches.place(p, a * m + row, b * m + c)] * W_W;
        });
      }
  }
};

/// Computes A_ib P_b for the unknowns i inside each cell, a patch, for Device::for_each_by_lanes. The entries take the
/// places of the entries of P. A lane takes columns. The rows of a node mostly have the same columns, so that one search
/// finds the entries of all of them.
struct MultiplyAround
{
  RowsView        A, P, around; ///< around: the columns of each cell's P_b
  PatchesView     cells;
  View<const int> first; ///< of each cell in `around`
  double         *value;

  template <class Lanes>
  ADAMANT_HOST_DEVICE void operator()(int p, const Lanes &lanes) const
  {
    for (int n = 0; n < cells.n_unknowns(p); n += cells.m)
      for (int c = lanes.number(); c < first[p + 1] - first[p]; c += Lanes::size)
        {
          const int row = cells.row(p, n), column = first[p] + c;
          for (int i = row; i < row + cells.m; ++i)
            value[P.row_start[i] + c] = 0.;
          for (EntryNumber e = around.row_start[column]; e < around.row_start[column + 1]; ++e)
            {
              const int         b     = around.column[e];
              const EntryNumber place = A.lower_bound(row, b) - A.row_start[row];
              for (int i = row; i < row + cells.m; ++i)
                {
                  const EntryNumber k = A.row_start[i] + place;
                  value[P.row_start[i] + c] +=
                    (k < A.row_start[i + 1] && A.column[k] == b ? A.value[k] : A.entry(i, b)) * around.value[e];
                }
            }
        }
  }
};

/// Computes the rows -A_ii⁻¹ (A_ib P_b) of P inside each cell from the values of MultiplyAround.
struct SolveInside
{
  RowsView        P;
  PatchesView     cells;
  View<const int> first;
  const double   *inverse, *right;
  double         *value; ///< of P

  template <class Lanes>
  ADAMANT_HOST_DEVICE void operator()(int p, const Lanes &lanes) const
  {
    constexpr int at_once = 4; // columns of a lane
    const int     n = cells.n_unknowns(p), n_columns = first[p + 1] - first[p];
    for (int i = 0; i < n; ++i)
      for (int begin = lanes.number(); begin < n_columns; begin += at_once * Lanes::size)
        {
          double sum[at_once] = {};
          for (int j = 0; j < n; ++j)
            {
              const double        a   = inverse[cells.place(p, i, j)];
              const double *const row = right + P.row_start[cells.row(p, j)];
#pragma unroll
              for (int k = 0; k < at_once; ++k)
                if (const int c = begin + k * Lanes::size; c < n_columns)
                  sum[k] -= a * row[c];
            }
#pragma unroll
          for (int k = 0; k < at_once; ++k)
            if (const int c = begin + k * Lanes::size; c < n_columns)
              value[P.row_start[cells.row(p, i)] + c] = sum[k];
        }
  }
};

/// The most unknowns of a patch in SolvePatches.
constexpr int most_unknowns_in_sweeps = 128;

/// Adds R_pᵀ (R_p A R_pᵀ)⁻¹ R_p (b - A x) to x for the patches p = first, first + 1, ... These patches do not couple,
/// and each has at most most_unknowns_in_sweeps unknowns.
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
