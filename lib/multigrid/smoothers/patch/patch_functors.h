#pragma once

#include "algebra/compressed_rows.h"
#include "algebra/teams.h"
#include "base/exceptions.h"
#include "base/host_device.h"

#include <cmath>

// Functors for Device::for_each and for_each_by_teams: the inverses of patches, and smoothers made
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
  template <typename Action>
  ADAMANT_HOST_DEVICE void for_each_entry_of(int j, const RowsView &A, int i, const Action &action) const
  {
    const EntryNumber end = A.row_start[i + 1];
    EntryNumber       k   = A.lower_bound(i, j * m);
    for (int c = 0; c < m; ++c)
      action(c, k < end && A.column[k] == j * m + c ? k++ : EntryNumber(-1));
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

/// Inverts the matrix R A Rᵀ of each patch by Gauss-Jordan elimination without pivoting, for for_each_by_teams over the
/// patches. An unknown whose pivot vanishes beside its diagonal entry, such as a pressure between walls alone, is left
/// out: its row and column of the inverse are zero. It vanishes where it is at most `least` times that entry. The
/// pivots of a diagonal block K are taken at once:
/// A_KK <- A_KK⁻¹, A_KJ <- A_KK A_KJ, A_IJ <- A_IJ - A_IK A_KJ, A_IK <- -A_IK A_KK.
/// Patches of up to `most_inside` unknowns are inverted in the team's memory, which has room for so many numbers, and
/// larger ones where the inverse goes.
template <typename Number, int most_inside, int room, int most, int threads, int teams>
struct InvertByTeams
{
  static constexpr int  largest_team = threads, least_teams = teams, block = 6;
  static constexpr bool writes_matrix = false;
  struct Kept
  {
    Number row[block]; // of A_KK
  };
  struct Shared
  {
    Number matrix[room], diagonal[most_inside], row_of_pivot[2][block]; // steps take turns
  };
  RowsView    A;
  PatchesView patches;
  Number     *inverse, least;
  int         more_than; ///< patches of so many unknowns or fewer are left out

  template <class EachKept, class Team>
  ADAMANT_HOST_DEVICE void fetch(int, EachKept &, const Team &) const
  {}
  template <class EachKept, class Team>
  ADAMANT_HOST_DEVICE void operator()(int p, Shared &shared, EachKept &kept, const Team &team) const
  {
    const int n = patches.n_unknowns(p);
    if (n <= more_than || n > most)
      return;
    if (n <= most_inside)
      {
        const Dense<Team, true> a(n, shared.matrix);
        invert(p, a, shared, kept, team);
        team.for_each(n * n, [&](int e) { inverse[patches.place(p, 0, 0) + e] = a(e % n, e / n); });
      }
    else if constexpr (most > most_inside)
      invert(p, Dense<Team, false>(n, inverse + patches.place(p, 0, 0)), shared, kept, team);
  }

private:
  // A matrix by columns, and the tiles of its products. Threads that follow each other have rows that do so.
  template <class Team, bool inside_>
  struct Dense
  {
    static constexpr bool inside = inside_;                     // in the team's memory
    static constexpr bool fixed  = inside && !Team::one_thread; // with room for all rows of tiles, at known places
    static constexpr int  tile   = Team::one_thread ? block : 4;

    ADAMANT_HOST_DEVICE Dense(int n, Number *entry)
      : n(n)
      , entry(entry)
    {}
    ADAMANT_HOST_DEVICE int     n_tiles() const { return ((fixed ? most_inside : n) + tile - 1) / tile; }
    ADAMANT_HOST_DEVICE int     leading() const { return fixed ? room / most_inside : n; }
    ADAMANT_HOST_DEVICE Number &operator()(int i, int j) const { return entry[j * leading() + i]; }
    ADAMANT_HOST_DEVICE int     step() const { return Team::one_thread ? 1 : n_tiles(); } // between rows of a tile
    ADAMANT_HOST_DEVICE int     begin(int t) const { return Team::one_thread ? t * tile : t; }
    ADAMANT_HOST_DEVICE int     rows(int t) const
    {
      const int left = (n - begin(t) + step() - 1) / step();
      return left < tile ? left : tile;
    }

    int     n;
    Number *entry;
  };

  template <class Matrix, class EachKept, class Team>
  ADAMANT_HOST_DEVICE void invert(int p, const Matrix &a, Shared &shared, EachKept &kept, const Team &team) const
  {
    static_assert(room >= most_inside * most_inside && (most == most_inside || room >= (2 * block + 1) * most));
    Number *const diagonal = Matrix::inside ? shared.diagonal : shared.matrix + 2 * block * a.n; // behind panels
    gather(p, a, team);
    team.for_each(a.n, [&](int i) { diagonal[i] = a(i, i); });
    for (int first = 0; first < a.n; first += block)
      {
        team.for_each(block + (first > 0 ? a.n : 0), [&](int i) {
          if (i < block)
            take_row(a, first, i, kept[i].row, shared);
          else
            multiply_by_pivots(a, first - block, i - block, false);
        });
#pragma unroll
        for (int k = 0; k < block; ++k)
          team.for_each(block, [&](int r) { take_pivot(a, first, k, r, kept[r].row, diagonal, shared); });
        team.for_each(a.n, [&](int j) { multiply_by_pivots(a, first, j, true); });
        const auto panels = panels_of(a, first, shared, team);
        team.for_each(a.n_tiles() * a.n_tiles(),
                      [&](int t) { subtract(a, panels, t % a.n_tiles(), t / a.n_tiles(), first); });
      }
    team.for_each(a.n, [&](int i) { multiply_by_pivots(a, (a.n - 1) / block * block, i, false); });
  }

  template <class Matrix, class Team>
  ADAMANT_HOST_DEVICE void gather(int p, const Matrix &a, const Team &team) const
  {
    const int n_nodes = a.n / patches.m;
    team.for_each(a.n * n_nodes, [&](int e) { // a thread takes a row and a node
      patches.for_each_entry_of(patches.node[patches.start[p] + e % n_nodes], A, patches.row(p, e / n_nodes),
                                [&](int c, EntryNumber k) {
                                  a(e / n_nodes, e % n_nodes * patches.m + c) =
                                    k != EntryNumber(-1) ? static_cast<Number>(A.value[k]) : Number(0);
                                });
    });
  }

  // Whether i is no row of the block that begins with `first`.
  ADAMANT_HOST_DEVICE static bool outside(int first, int i)
  {
    return i < first || i >= first + block;
  }

  // Takes row r of A_KK, where K begins with `first`. Behind the end of the matrix the diagonal is 1.
  template <class Matrix>
  ADAMANT_HOST_DEVICE static void take_row(const Matrix &a, int first, int r, Number *row, Shared &shared)
  {
#pragma unroll
    for (int c = 0; c < block; ++c)
      {
        row[c] = first + r < a.n && first + c < a.n ? a(first + r, first + c) : Number(r == c);
        if (r == 0)
          shared.row_of_pivot[0][c] = row[c];
      }
  }

  // The k-th of the steps that invert A_KK, in row r.
  template <class Matrix>
  ADAMANT_HOST_DEVICE void take_pivot(const Matrix &a, int first, int k, int r, Number *row, const Number *diagonal,
                                      Shared &shared) const
  {
    const Number *const of_pivot = shared.row_of_pivot[k % 2];
    const bool          vanishes = first + k < a.n && fabs(of_pivot[k]) <= least * fabs(diagonal[first + k]);
    const Number        scale = vanishes ? Number(0) : Number(1) / of_pivot[k], factor = row[k] * scale;
#pragma unroll
    for (int c = 0; c < block; ++c)
      {
        row[c] = r == k ? (c == k ? scale : of_pivot[c] * scale) : c == k ? -factor : row[c] - factor * of_pivot[c];
        if (r == k + 1)
          shared.row_of_pivot[r % 2][c] = row[c];
        if (k + 1 == block && first + r < a.n && first + c < a.n)
          a(first + r, first + c) = row[c];
      }
  }

  // Column i of A_KJ <- A_KK A_KJ, or row i of A_IK <- -A_IK A_KK, where K begins with `first`.
  template <class Matrix>
  ADAMANT_HOST_DEVICE static void multiply_by_pivots(const Matrix &a, int first, int i, bool is_column)
  {
    if (!outside(first, i))
      return;
    const int           width = a.n - first, step = is_column ? 1 : a.leading(), other = is_column ? a.leading() : 1;
    const Number *const pivots = &a(first, first);
    Number *const       x      = is_column ? &a(first, i) : &a(i, first);
    Number              old[block];
#pragma unroll
    for (int k = 0; k < block; ++k)
      old[k] = k >= width ? Number(0) : is_column ? x[k * step] : -x[k * step];
#pragma unroll
    for (int r = 0; r < block; ++r)
      if (r < width)
        {
          Number sum = 0;
#pragma unroll
          for (int k = 0; k < block; ++k)
            if (k < width)
              sum += pivots[r * step + k * other] * old[k];
          x[r * step] = sum;
        }
  }

  // A_IK and A_KJ in the team's memory: entry (i, k) is left[k left_leading + i], entry (k, j) top[j top_leading + k].
  struct Panels
  {
    const Number *left, *top;
    int           left_leading, top_leading;
  };
  template <class Team, bool inside>
  ADAMANT_HOST_DEVICE static Panels panels_of(const Dense<Team, inside> &a, int first, Shared &shared, const Team &team)
  {
    if constexpr (inside)
      return {&a(0, first), &a(first, 0), a.leading(), a.leading()};
    Number *const left = shared.matrix, *const top = left + block * a.n;
    team.for_each(a.n, [&](int i) {
      for (int k = 0; k < block && first + k < a.n; ++k)
        {
          left[k * a.n + i]  = a(i, first + k);
          top[i * block + k] = a(first + k, i);
        }
    });
    return {left, top, a.n, block};
  }

  // A_IJ <- A_IJ - A_IK A_KJ in a tile. Entries of the tile that are not outside of K stay.
  template <class Team, bool inside>
  ADAMANT_HOST_DEVICE static void subtract(const Dense<Team, inside> &a, const Panels &panels, int t, int u, int first)
  {
    if (Team::one_thread && !(outside(first, a.begin(t)) && outside(first, a.begin(u))))
      return;
    constexpr int tile = Dense<Team, inside>::tile;
    if (Team::one_thread && a.rows(t) == tile && a.rows(u) == tile)
      subtract<true, true>(a, panels, t, u, first);
    else
      subtract<Dense<Team, inside>::fixed, false>(a, panels, t, u, first);
  }
  template <bool all_rows, bool all_columns, class Team, bool inside> // which of them are in the matrix for sure
  ADAMANT_HOST_DEVICE static void subtract(const Dense<Team, inside> &a, const Panels &panels, int t, int u, int first)
  {
    constexpr int       tile = Dense<Team, inside>::tile;
    const int           rows = a.rows(t), columns = a.rows(u), width = a.n - first, step = a.step();
    Number *const       x    = &a(a.begin(t), a.begin(u));
    const Number *const left = panels.left + a.begin(t), *const top = panels.top + a.begin(u) * panels.top_leading;
    Number sum[tile][tile];
#pragma unroll
    for (int c = 0; c < tile; ++c)
#pragma unroll
      for (int r = 0; r < tile; ++r)
        sum[c][r] =
          (all_columns || c < columns) && (all_rows || r < rows) ? x[c * step * a.leading() + r * step] : Number(0);
#pragma unroll
    for (int k = 0; k < block; ++k)
      if (k < width)
        {
          Number of_left[tile];
#pragma unroll
          for (int r = 0; r < tile; ++r)
            of_left[r] = all_rows || r < rows ? left[k * panels.left_leading + r * step] : Number(0);
#pragma unroll
          for (int c = 0; c < tile; ++c)
            {
              const Number of_top = (all_columns || c < columns) ? top[c * step * panels.top_leading + k] : Number(0);
#pragma unroll
              for (int r = 0; r < tile; ++r)
                sum[c][r] -= of_left[r] * of_top;
            }
        }
#pragma unroll
    for (int c = 0; c < tile; ++c)
      if ((all_columns || c < columns) && (Team::one_thread || outside(first, a.begin(u) + c * step)))
#pragma unroll
        for (int r = 0; r < tile; ++r)
          if ((all_rows || r < rows) && (Team::one_thread || outside(first, a.begin(t) + r * step)))
            x[c * step * a.leading() + r * step] = sum[c][r];
  }
};

constexpr int most_unknowns_of_patch = 960;

/// InvertByTeams with the memory of 16 teams, four or two on a multiprocessor of an H100. Columns of 40 and 85 numbers
/// put tiles beside each other into other banks of that memory.
template <typename Number>
using InvertTiny = InvertByTeams<Number, 32, 32 * 40, 32, 32, 16>;
template <typename Number>
using InvertSmall = InvertByTeams<Number, 81, 81 * 85, 81, 224, 4>;
template <typename Number>
using InvertLarge = InvertByTeams<Number, 112, 112 * 112, most_unknowns_of_patch, 384, 2>;

/// Inverts the matrices of all patches, see InvertByTeams.
template <typename Number>
void invert_patches(const Device &device, const RowsView &A, const PatchLists &lists, Number *inverse, Number least)
{
  const auto by_team = [&](auto functor) {
    for_each_by_teams(device, lists.start.size() - 1, functor.largest_team, functor);
  };
  require(lists.most <= most_unknowns_of_patch, "a patch of ", lists.most, " unknowns; at most ",
          most_unknowns_of_patch, " can be inverted");
  if (lists.most <= 32)
    return by_team(InvertTiny<Number>{A, lists.view(), inverse, least, 0});
  by_team(InvertSmall<Number>{A, lists.view(), inverse, least, 0});
  if (lists.most > 81)
    by_team(InvertLarge<Number>{A, lists.view(), inverse, least, 81});
}

/// Computes the rows of S = Σ_p R_pᵀ W_p (R_p A R_pᵀ)⁻¹ W_p R_p, for for_each_by_teams over the nodes. W_p² is
/// `weight`; where `weight` is 0, it is one over the number of patches that have a node. A node without a patch has
/// rows of the identity. Entries outside of the pattern of S are left out.
template <typename Number>
struct SumPatches
{
  static constexpr int  largest_team = 128, least_teams = 8;
  static constexpr bool writes_matrix = false;
  using Kept                          = char; // none
  using Shared                        = char;
  PatchesView   patches;
  double        weight;
  const Number *inverse;
  const int    *first, *patch, *place; ///< of each node: its patches from `first` on, and its place in each of them
  RowsView      S;
  double       *value; ///< of S

  template <class EachKept, class Team>
  ADAMANT_HOST_DEVICE void fetch(int, EachKept &, const Team &) const
  {}
  template <class EachKept, class Team>
  ADAMANT_HOST_DEVICE void operator()(int node, Shared &, EachKept &, const Team &team) const
  {
    const int         m = patches.m, begin = first[node], end = first[node + 1];
    const EntryNumber start = S.row_start[node * m], size = S.row_start[(node + 1) * m] - start;
    team.for_each(static_cast<int>(size), [&](int k) { value[start + k] = 0.; });
    if (begin == end)
      team.for_each(m, [&](int c) {
        if (const EntryNumber k = S.find(node * m + c, node * m + c); k != EntryNumber(-1))
          value[k] = 1.;
      });
    for (int n = begin; n < end; ++n)
      team.for_each(m * (patches.start[patch[n] + 1] - patches.start[patch[n]]),
                    [&](int t) { add(node, t % m, patch[n], place[n], t / m, end - begin); });
  }

private:
  // Adds entries of the inverse of patch p, in which this node has place a: of a row of the node, and of the columns of
  // the patch's node b.
  ADAMANT_HOST_DEVICE void add(int node, int row, int p, int a, int b, int n_patches) const
  {
    const int    m = patches.m, other = patches.node[patches.start[p] + b];
    const double count = static_cast<double>(n_patches) * (first[other + 1] - first[other]),
                 W_W   = weight > 0. ? weight : 1. / sqrt(count);
    patches.for_each_entry_of(other, S, node * m + row, [&](int c, EntryNumber k) {
      if (k != EntryNumber(-1))
        value[k] += inverse[patches.place(p, a * m + row, b * m + c)] * W_W;
    });
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
