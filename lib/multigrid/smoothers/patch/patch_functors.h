#pragma once

#include "algebra/compressed_rows.h"
#include "algebra/teams.h"
#include "base/host_device.h"

#include <cmath>

// Functors for Device::for_each, for_each_by_lanes and for_each_by_teams: the inverses of patches, and smoothers made
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
/// No patch has more than `most` unknowns. Each lane holds every Lanes::size-th row in registers, where loops have a
/// fixed length.
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

/// Inverts the matrices of patches of more than `more_than` unknowns, in device memory. A lane takes columns.
template <typename Number>
struct InvertPatches<Number, 0>
{
  RowsView    A;
  PatchesView patches;
  Number     *inverse, least;
  int         more_than;

  template <class Lanes>
  ADAMANT_HOST_DEVICE void operator()(int p, const Lanes &lanes) const
  {
    const int n = patches.n_unknowns(p);
    if (n <= more_than)
      return;
    gather_patch(A, patches, p, lanes, inverse);
    lanes.wait();
    for (int pivot = 0; pivot < n; ++pivot)
      {
        Number *const column   = inverse + patches.place(p, 0, pivot);
        const Number  value    = column[pivot];
        const int     row      = patches.row(p, pivot);
        const bool    vanishes = fabs(value) <= least * static_cast<Number>(fabs(A.entry(row, row)));
        const Number  scale    = vanishes ? Number(0) : Number(1) / value;
        for (int j = lanes.number(); j < n; j += Lanes::size)
          if (Number *const other = inverse + patches.place(p, 0, j); j != pivot)
            {
              const Number of_pivot = other[pivot] *= scale;
              for (int i = 0; i < n; ++i)
                if (i != pivot)
                  other[i] -= column[i] * of_pivot;
            }
        lanes.wait();
        for (int i = lanes.number(); i < n; i += Lanes::size)
          column[i] = i == pivot ? scale : -column[i] * scale;
        lanes.wait();
      }
  }
};

/// Inverts patches of up to 16 tiles as InvertPatches does, for for_each_by_teams over the patches. A thread of a team
/// holds a tile of tile x tile entries, in registers up to tile 9. The pivots of a diagonal tile K are taken at once:
/// A_KK <- A_KK⁻¹, A_KJ <- A_KK A_KJ, A_IJ <- A_IJ - A_IK A_KJ, A_IK <- -A_IK A_KK.
template <typename Number, int tile>
struct InvertByTiles
{
  static constexpr int  side = 16, largest_team = side * side, least_teams = tile <= 6 ? 2 : 1, most = side * tile;
  static constexpr bool writes_matrix = false;
  using Tile                          = Number[tile][tile];
  struct Kept
  {
    Tile a;
  };
  struct Shared
  {
    Number row[tile][most], column[tile][most], diagonal[most]; // A_KJ and A_IK
    Tile   pivots;                                              // A_KK
  };
  RowsView    A;
  PatchesView patches;
  Number     *inverse, least;
  int         more_than; ///< patches of so many unknowns or fewer are left out, and of more than `most`

  template <class EachKept, class Team>
  ADAMANT_HOST_DEVICE void fetch(int, EachKept &, const Team &) const
  {}
  template <class EachKept, class Team>
  ADAMANT_HOST_DEVICE void operator()(int p, Shared &shared, EachKept &kept, const Team &team) const
  {
    const int n = patches.n_unknowns(p), tiles = (n + tile - 1) / tile;
    if (n <= more_than || n > most)
      return;
    const auto for_each_tile = [&](const auto &action) {
      team.for_each(largest_team, [&](int t) {
        if (const int i = t / side, j = t % side; i < tiles && j < tiles)
          action(i, j, kept[t].a);
      });
    };
    const int n_nodes = n / patches.m;
    team.for_each(largest_team, [&](int t) { // a thread takes a row and a node after the other
      for (int e = t; e < n * n_nodes; e += largest_team)
        patches.for_each_entry_of(patches.node[patches.start[p] + e % n_nodes], A, patches.row(p, e / n_nodes),
                                  [&](int c, EntryNumber k) {
                                    inverse[patches.place(p, e / n_nodes, e % n_nodes * patches.m + c)] =
                                      k != EntryNumber(-1) ? static_cast<Number>(A.value[k]) : Number(0);
                                  });
    });
    for_each_tile([&](int i, int j, Tile &a) {
      for_each_entry([&](int r, int c) { // 1 on the diagonal behind the end
        const int row = i * tile + r, column = j * tile + c;
        a[r][c] = row < n && column < n ? inverse[patches.place(p, row, column)] : Number(row == column);
        if (row == column)
          shared.diagonal[row] = a[r][c];
      });
    });
    for (int K = 0; K < tiles; ++K)
      {
        for_each_tile([&](int i, int j, Tile &a) {
          if (i == K && j == K)
            invert(shared.diagonal + K * tile, a);
          if (j == K)
            for_each_entry(
              [&](int r, int c) { (i == K ? shared.pivots[r][c] : shared.column[c][i * tile + r]) = a[r][c]; });
        });
        for_each_tile([&](int i, int j, Tile &a) {
          if (i == K && j != K)
            multiply(shared, j * tile, a);
        });
        for_each_tile([&](int i, int j, Tile &a) {
          if (i != K && j != K)
            subtract(shared, i * tile, j * tile, a);
          else if (i != K)
            multiply_column(shared.pivots, a);
        });
      }
    for_each_tile([&](int i, int j, Tile &a) {
      for_each_entry([&](int r, int c) {
        if (i * tile + r < n && j * tile + c < n)
          inverse[patches.place(p, i * tile + r, j * tile + c)] = a[r][c];
      });
    });
  }

private:
  template <class Action>
  ADAMANT_HOST_DEVICE static void for_each_entry(const Action &action)
  {
#pragma unroll
    for (int c = 0; c < tile; ++c)
#pragma unroll
      for (int r = 0; r < tile; ++r)
        action(r, c);
  }

  ADAMANT_HOST_DEVICE void invert(const Number *diagonal, Tile &a) const
  {
#pragma unroll
    for (int k = 0; k < tile; ++k)
      {
        const bool   vanishes = fabs(a[k][k]) <= least * fabs(diagonal[k]);
        const Number scale    = vanishes ? Number(0) : Number(1) / a[k][k];
        a[k][k]               = Number(1);
#pragma unroll
        for (int c = 0; c < tile; ++c)
          a[k][c] *= scale;
#pragma unroll
        for (int r = 0; r < tile; ++r)
          if (r != k)
            {
              const Number factor = vanishes ? Number(0) : a[r][k];
              a[r][k]             = Number(0);
#pragma unroll
              for (int c = 0; c < tile; ++c)
                a[r][c] -= factor * a[k][c];
            }
      }
  }

  // A_KJ <- A_KK A_KJ, where J begins with column j of the patch.
  ADAMANT_HOST_DEVICE static void multiply(Shared &shared, int j, Tile &a)
  {
#pragma unroll
    for (int c = 0; c < tile; ++c)
      {
        Number old[tile];
#pragma unroll
        for (int k = 0; k < tile; ++k)
          old[k] = a[k][c];
#pragma unroll
        for (int r = 0; r < tile; ++r)
          {
            a[r][c] = Number(0);
#pragma unroll
            for (int k = 0; k < tile; ++k)
              a[r][c] += shared.pivots[r][k] * old[k];
            shared.row[r][j + c] = a[r][c];
          }
      }
  }

  ADAMANT_HOST_DEVICE static void multiply_column(const Tile &pivots, Tile &a)
  {
#pragma unroll
    for (int r = 0; r < tile; ++r)
      {
        Number old[tile];
#pragma unroll
        for (int k = 0; k < tile; ++k)
          old[k] = a[r][k];
#pragma unroll
        for (int c = 0; c < tile; ++c)
          {
            a[r][c] = Number(0);
#pragma unroll
            for (int k = 0; k < tile; ++k)
              a[r][c] -= old[k] * pivots[k][c];
          }
      }
  }

  ADAMANT_HOST_DEVICE static void subtract(const Shared &shared, int i, int j, Tile &a)
  {
    for (int k = 0; k < tile; ++k)
      for_each_entry([&](int r, int c) { a[r][c] -= shared.column[k][i + r] * shared.row[k][j + c]; });
  }
};

/// Inverts the matrices of all patches, see InvertPatches.
template <typename Number>
void invert_patches(const Device &device, const RowsView &A, const PatchLists &lists, Number *inverse, Number least)
{
  const int  n       = lists.start.size() - 1;
  const auto by_team = [&](auto functor) { for_each_by_teams(device, n, functor.largest_team, functor); };
  if (lists.most <= 12)
    device.for_each_by_lanes(n, InvertPatches<Number, 12>{A, lists.view(), inverse, least});
  else if (lists.most <= 32)
    device.for_each_by_lanes(n, InvertPatches<Number, 32>{A, lists.view(), inverse, least});
  else
    {
      by_team(InvertByTiles<Number, 6>{A, lists.view(), inverse, least, 0});
      if (lists.most > 96)
        by_team(InvertByTiles<Number, 9>{A, lists.view(), inverse, least, 96});
      if (lists.most > 144)
        by_team(InvertByTiles<Number, 12>{A, lists.view(), inverse, least, 144});
      if (lists.most > 192)
        device.for_each_by_lanes(n, InvertPatches<Number, 0>{A, lists.view(), inverse, least, 192});
    }
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
