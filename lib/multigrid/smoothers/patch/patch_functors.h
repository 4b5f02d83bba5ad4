#pragma once

#include "algebra/compressed_rows.h"
#include "base/host_device.h"

#include <cmath>

// Functors for Device::for_each and for_each_by_lanes: the inverses of patches, and smoothers and interpolations made
// of them.

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
  /// Patch p has the nodes node[start[p]], ..., node[start[p + 1] - 1], given in host memory, with m rows each.
  PatchLists(const Device &device, const Array<int> &start, const Array<int> &node, int m)
    : m(m)
    , start(device, start)
    , node(device, node)
  {
    Array<EntryNumber> first = {0};
    for (std::size_t p = 0; p + 1 < start.size(); ++p)
      {
        const int n = (start[p + 1] - start[p]) * m;
        most        = n > most ? n : most;
        first.push_back(first.back() + EntryNumber(n) * n);
      }
    first_entry = List<EntryNumber>(device, first);
    n_entries   = first.back();
  }
  PatchesView view() const { return {m, elements(start), elements(node), elements(first_entry)}; }

  int               m = 1, most = 0; ///< rows of a node; unknowns of the largest patch
  List<int>         start, node;
  List<EntryNumber> first_entry;
  std::size_t       n_entries = 0; ///< of the inverses of all patches
};

/// Copies the rows of the matrix R A Rᵀ of patch p that belong to this lane to the place of the patch's inverse. The
/// nodes of a patch ascend, as the columns of A do.
template <typename Number, class Lanes>
ADAMANT_HOST_DEVICE void gather_patch(const RowsView &A, const PatchesView &patches, int p, const Lanes &lanes,
                                      Number *inverse)
{
  for (int i = lanes.number(); i < patches.n_unknowns(p); i += Lanes::size)
    {
      const int         row = patches.row(p, i);
      const EntryNumber end = A.row_start[row + 1];
      EntryNumber       k   = A.row_start[row];
      for (int n = patches.start[p], j = 0; n < patches.start[p + 1]; ++n)
        for (int c = 0; c < patches.m; ++c, ++j)
          {
            const int column = patches.node[n] * patches.m + c;
            while (k < end && A.column[k] < column)
              ++k;
            inverse[patches.place(p, i, j)] =
              k < end && A.column[k] == column ? static_cast<Number>(A.value[k]) : Number(0);
          }
    }
}

/// Inverts the matrix R A Rᵀ of each patch by Gauss-Jordan elimination without pivoting, for Device::for_each_by_lanes
/// over the patches. An unknown whose pivot vanishes beside its diagonal entry, such as a pressure between walls alone,
/// is left out: its row and column of the inverse are zero. It vanishes where it is at most `least` times that entry.
/// No patch has more than `most` unknowns. Each lane holds every Lanes::size-th row in registers, where loops have a fixed
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

/// Inverts the matrices of patches of any size, in device memory. Pivots are taken in blocks K, so that other entries
/// are read and written once a block: A_KK <- A_KK⁻¹, A_KJ <- A_KK A_KJ, A_IJ <- A_IJ - A_IK A_KJ, A_IK <- -A_IK A_KK.
template <typename Number>
struct InvertPatches<Number, 0>
{
  RowsView    A;
  PatchesView patches;
  Number     *inverse, least;

  template <class Lanes>
  ADAMANT_HOST_DEVICE void operator()(int p, const Lanes &lanes) const
  {
    const int     n = patches.n_unknowns(p), lane = lanes.number();
    Number *const a = inverse + patches.first[p];
    gather_patch(A, patches, p, lanes, inverse);
    lanes.wait();
    for (int first = 0; first < n; first += width)
      {
        const int     n_pivots = first + width < n ? width : n - first, end = first + n_pivots;
        Number *const of_block = a + EntryNumber(first) * n, *const pivots = of_block + first;
        invert_block(p, first, n_pivots, pivots, n, lanes);
        for (int j = lane; j < n; j += Lanes::size)
          if (j < first || j >= end)
            multiply(n_pivots, pivots, 1, n, Number(1), a + EntryNumber(j) * n + first, 1);
        lanes.wait();
        for (int j = 0; j < n; ++j)
          if (Number *const column = a + EntryNumber(j) * n; j < first || j >= end)
            {
              Number factor[width];
#pragma unroll
              for (int k = 0; k < width; ++k)
                factor[k] = k < n_pivots ? column[first + k] : Number(0);
              subtract(lane, first, Lanes::size, of_block, n, n_pivots, factor, column);
              subtract(end + lane, n, Lanes::size, of_block, n, n_pivots, factor, column);
            }
        lanes.wait();
        for (int i = lane; i < n; i += Lanes::size)
          if (i < first || i >= end)
            multiply(n_pivots, pivots, n, 1, Number(-1), of_block + i, n);
        lanes.wait();
      }
  }

private:
  static constexpr int width = 8;

  // One pivot after the other, of the block of n_pivots x n_pivots entries at `a`.
  template <class Lanes>
  ADAMANT_HOST_DEVICE void invert_block(int p, int first, int n_pivots, Number *a, int n, const Lanes &lanes) const
  {
    for (int pivot = 0; pivot < n_pivots; ++pivot)
      {
        const int    row      = patches.row(p, first + pivot);
        const Number value    = a[pivot * n + pivot];
        const bool   vanishes = fabs(value) <= least * static_cast<Number>(fabs(A.entry(row, row)));
        const Number scale    = vanishes ? Number(0) : Number(1) / value;
        lanes.wait();
        for (int j = lanes.number(); j < n_pivots; j += Lanes::size)
          a[j * n + pivot] = (j == pivot ? Number(1) : a[j * n + pivot]) * scale;
        lanes.wait();
        for (int i = lanes.number(); i < n_pivots; i += Lanes::size)
          if (i != pivot)
            {
              const Number factor = vanishes ? Number(0) : a[pivot * n + i];
              a[pivot * n + i]    = Number(0);
              for (int j = 0; j < n_pivots; ++j)
                a[j * n + i] -= factor * a[j * n + pivot];
            }
        lanes.wait();
      }
  }

  // x <- sign D x, where D has the entries d[k step_k + l step_l].
  ADAMANT_HOST_DEVICE static void multiply(int n_pivots, const Number *d, int step_k, int step_l, Number sign,
                                           Number *x, int step)
  {
    Number old[width];
#pragma unroll
    for (int l = 0; l < width; ++l)
      old[l] = l < n_pivots ? sign * x[l * step] : Number(0);
    for (int k = 0; k < n_pivots; ++k)
      {
        Number sum = 0;
#pragma unroll
        for (int l = 0; l < width; ++l)
          sum += d[k * step_k + (l < n_pivots ? l : 0) * step_l] * old[l];
        x[k * step] = sum;
      }
  }

  // y_i -= Σ_k columns_ki factor_k for i = begin, begin + step, ... below `end`.
  ADAMANT_HOST_DEVICE static void subtract(int begin, int end, int step, const Number *__restrict__ columns, int n,
                                           int n_pivots, const Number (&factor)[width], Number *__restrict__ y)
  {
    int place[width]; // of column k
#pragma unroll
    for (int k = 0; k < width; ++k)
      place[k] = (k < n_pivots ? k : 0) * n;
    for (int i = begin; i < end; i += step)
      {
        Number sum = 0;
#pragma unroll
        for (int k = 0; k < width; ++k)
          sum += columns[place[k] + i] * factor[k];
        y[i] -= sum;
      }
  }
};

/// Inverts the matrices of all patches, see InvertPatches.
template <typename Number>
void invert_patches(const Device &device, const RowsView &A, const PatchLists &lists, Number *inverse, Number least)
{
  const int n = lists.start.size() - 1;
  if (lists.most <= 12)
    device.for_each_by_lanes(n, InvertPatches<Number, 12>{A, lists.view(), inverse, least});
  else if (lists.most <= 32)
    device.for_each_by_lanes(n, InvertPatches<Number, 32>{A, lists.view(), inverse, least});
  else
    device.for_each_by_lanes(n, InvertPatches<Number, 0>{A, lists.view(), inverse, least});
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
/// places of the entries of P. A lane takes rows.
struct MultiplyAround
{
  RowsView    A, P, around; ///< around: P_b, see HarmonicRows
  PatchesView cells;
  double     *value;

  template <class Lanes>
  ADAMANT_HOST_DEVICE void operator()(int p, const Lanes &lanes) const
  {
    for (int n = lanes.number(); n < cells.n_unknowns(p); n += Lanes::size)
      {
        const int i = cells.row(p, n);
        for (EntryNumber e = P.row_start[i]; e < P.row_start[i + 1]; ++e)
          value[e] = 0.;
        for (EntryNumber k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
          for (EntryNumber b = around.row_start[A.column[k]]; b < around.row_start[A.column[k] + 1]; ++b)
            value[P.lower_bound(i, around.column[b])] += A.value[k] * around.value[b];
      }
  }
};

/// Computes the rows -A_ii⁻¹ (A_ib P_b) of P inside each cell from the values of MultiplyAround. A lane takes columns.
struct SolveInside
{
  RowsView      P;
  PatchesView   cells;
  const double *inverse, *right;
  double       *value; ///< of P

  template <class Lanes>
  ADAMANT_HOST_DEVICE void operator()(int p, const Lanes &lanes) const
  {
    for (int i = 0; i < cells.n_unknowns(p); ++i)
      {
        const EntryNumber first = P.row_start[cells.row(p, i)], n_columns = P.row_start[cells.row(p, i) + 1] - first;
        for (EntryNumber c = lanes.number(); c < n_columns; c += Lanes::size)
          value[first + c] = 0.;
        for (int j = 0; j < cells.n_unknowns(p); ++j)
          {
            const double        a   = inverse[cells.place(p, i, j)];
            const double *const row = right + P.row_start[cells.row(p, j)];
            for (EntryNumber c = lanes.number(); c < n_columns; c += Lanes::size)
              value[first + c] -= a * row[c];
          }
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
