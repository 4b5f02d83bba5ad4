#pragma once

#include "algebra/compressed_rows.h"
#include "base/host_device.h"

// Functors for for_each_by_teams: tridiagonal solves along disjoint lines of rows
// (multigrid/smoothers/line/line.h). With n rows, T[row] holds the coupling of a row to the row before it in its
// line. T[n + row] holds the diagonal entry, and T[2 n + row] the coupling to the row behind it. At the ends of a line
// the couplings are zero.

namespace adamant
{
/// The most rows of a piece, the most pieces of a group, and the most reductions that their separators take. Registers
/// and shared memory of a team have room for so many.
constexpr int longest_piece = 16, most_reductions = 9;
template <typename Number>
constexpr int most_pieces = 2048 / sizeof(Number);

/// The lines of a team: w lines with equally many pieces each. Piece i of line l is piece first_piece + i w + l. The
/// group has the entries of LinePieces::ordered_row from its first_row up to the first_row of the next group.
struct LineGroup
{
  int first_piece, w, pieces_per_line, first_row;

  ADAMANT_HOST_DEVICE int n_pieces() const { return w * pieces_per_line; }
};

/// Lines, cut into pieces and collected in groups. One thread works on a piece, which has at most longest_piece rows.
/// Behind each piece, but for the last one of a line, stands a separator, a single row. The factors of T store 32
/// pieces side by side. Vectors are read and written in the order of the group's rows, so that neighbouring threads
/// have neighbouring entries. The team's memory has another order: slot_of(k, i) is the slot of row k of piece i of the
/// group. With k = longest_piece it is the slot of the separator behind the piece.
struct LinePieces
{
  int                   n_rows, n_pieces; ///< n_pieces counts unused pieces, too: groups begin at multiples of 32
  const LineGroup      *group;            ///< the groups, and an empty one behind the last
  const int            *length;           ///< number of rows of each piece
  const int            *separator;        ///< the row behind each piece, -1 where a line ends
  const int            *row;              ///< the row at each place
  const int            *ordered_row;      ///< all rows of each group in ascending order
  const unsigned short *slot;             ///< the slot of each entry of ordered_row

  /// Returns the place of row k of a piece, by which the factors of T are stored.
  ADAMANT_HOST_DEVICE int place(int piece, int k) const { return 32 * (longest_piece * (piece / 32) + k) + piece % 32; }
};

/// Returns the slot of row k of piece i, see LinePieces. The rows of a piece lie in different banks of a GPU's shared
/// memory.
template <typename Number>
ADAMANT_HOST_DEVICE int slot_of(int k, int i)
{
  return k * (most_pieces<Number> + 1) + i;
}

/// The factors of T that a solve reads, stored by places or by pieces. The equations T_p y = r of a piece are solved by
///   `f_k = inverse_k r_k - lower_k f_{k-1}`,   `y_k = f_k - upper_k y_{k+1}`,
/// where f_{-1} is the separator before the piece, and y_{length} the separator behind it. The first and the last row
/// of T_p⁻¹ eliminate the piece from the equations of the separators. Parallel cyclic reduction solves these equations
/// (Hockney, J. ACM 12, 1965; Hockney & Jesshope, Parallel Computers, 1981). Reduction s adds to equation j of a line
/// before_s times equation j - 2ˢ and behind_s times equation j + 2ˢ. In the end each equation has one unknown.
template <typename Number>
struct LineFactors
{
  Number *lower, *inverse, *upper; ///< by places
  Number *to_before, *to_behind;   ///< by places: rows of T_p⁻¹ times the couplings of the separators to the piece
  Number *reduction;               ///< before_s at 2 s n_pieces + piece, behind_s at (2 s + 1) n_pieces + piece
  Number *inverse_diagonal;        ///< by pieces: one over the coefficient of the final equation of one unknown
};

/// Calls action(s, distance) for each reduction s of the separators of w lines, which have n pieces in all. Reduction s
/// combines equations that are `distance` pieces apart.
template <class Action>
ADAMANT_HOST_DEVICE void for_each_reduction(int w, int n, const Action &action)
{
#pragma unroll
  for (int s = 0; s < most_reductions; ++s)
    if (w << s < n - w)
      action(s, w << s);
}

/// Sets T[i] = value[place[i]], or 0 where the place is -1.
struct GatherTridiagonal
{
  const EntryNumber *place;
  const double      *value;
  double            *T;

  ADAMANT_HOST_DEVICE void operator()(int i) const { T[i] = place[i] < 0 ? 0. : value[place[i]]; }
};

/// Computes the factors of T for each group. T and all intermediate numbers are in double.
template <typename Number>
struct FactorLines
{
  static constexpr bool writes_matrix = true;
  static constexpr int  largest_team = most_pieces<Number>, least_teams = 1;

  LinePieces          pieces;
  const double       *T;
  LineFactors<Number> factors;

  /// The equation of the separator behind a piece, with its couplings to the separators before and behind it.
  struct Equation
  {
    double before, diagonal, behind;
  };
  struct Shared
  {
    Equation equation[2][most_pieces<Number>];
    double   diagonal_before[most_pieces<Number>]; ///< added by each piece to the diagonal of the separator before it
  };

  struct Kept
  {
  };
  template <class Kepts, class Team>
  ADAMANT_HOST_DEVICE void fetch(int, Kepts &, const Team &) const
  {}

  template <class Kepts, class Team>
  ADAMANT_HOST_DEVICE void operator()(int g, Shared &shared, Kepts &, const Team &team) const
  {
    const LineGroup group = pieces.group[g];
    const int       first = group.first_piece, w = group.w, n = group.n_pieces();
    // Each piece contributes to the equations of two separators. The part of the separator before it is added later.
    team.for_each(n, [&](int i) {
      const int before = i < w ? -1 : pieces.separator[first + i - w];
      factor_piece(first + i, before, shared.equation[1][i], shared.diagonal_before[i]);
    });
    team.for_each(n, [&](int i) {
      const int   s   = pieces.separator[first + i];
      const auto &own = shared.equation[1][i];
      shared.equation[0][i] =
        s < 0 ? Equation{0., 1., 0.} :
                Equation{own.before, T[pieces.n_rows + s] + own.diagonal + shared.diagonal_before[i + w],
                         shared.equation[1][i + w].behind};
    });
    int from = 0;
    for_each_reduction(w, n, [&](int reduction, int distance) {
      team.for_each(n, [&](int i) {
        shared.equation[1 - from][i] = reduced(shared.equation[from], i, distance, n, reduction, first + i);
      });
      from = 1 - from;
    });
    team.for_each(n, [&](int i) {
      factors.inverse_diagonal[first + i] = static_cast<Number>(1. / shared.equation[from][i].diagonal);
    });
  }

private:
  // equation.behind becomes the coupling of the separator before the piece to the separator behind the piece.
  ADAMANT_HOST_DEVICE void factor_piece(int p, int before, Equation &equation, double &diagonal_before) const
  {
    const int n = pieces.n_rows, length = pieces.length[p], separator = pieces.separator[p];
    double    lower[longest_piece], inverse[longest_piece], upper[longest_piece];
    for (int k = 0; k < length; ++k)
      {
        const int row = pieces.row[pieces.place(p, k)];
        inverse[k]    = 1. / (T[n + row] - (k > 0 ? T[row] * upper[k - 1] : 0.));
        lower[k]      = inverse[k] * T[row];
        upper[k]      = inverse[k] * T[2 * n + row];
      }
    // The last row of T_p⁻¹ is inverse_k q_k with q_k = -lower_{k+1} q_{k+1}. The first row is inverse_k g_k with
    // g_k = p_k - lower_{k+1} g_{k+1} and p_k = -upper_{k-1} p_{k-1}.
    double p_of[longest_piece];
    p_of[0] = 1.;
    for (int k = 1; k < length; ++k)
      p_of[k] = -upper[k - 1] * p_of[k - 1];
    const double to_before = before < 0 ? 0. : T[2 * n + before], to_behind = separator < 0 ? 0. : T[separator];
    double       q = 0., g = 0., q_last = 0., g_last = 0.;
    for (int k = length - 1; k >= 0; --k)
      {
        const int at          = pieces.place(p, k);
        q                     = k == length - 1 ? 1. : -lower[k + 1] * q;
        g                     = k == length - 1 ? p_of[k] : p_of[k] - lower[k + 1] * g;
        q_last                = k == length - 1 ? q * upper[k] : q_last;
        g_last                = k == length - 1 ? g * upper[k] : g_last;
        factors.lower[at]     = static_cast<Number>(lower[k]);
        factors.inverse[at]   = static_cast<Number>(inverse[k]);
        factors.upper[at]     = static_cast<Number>(upper[k]);
        factors.to_before[at] = static_cast<Number>(to_before * inverse[k] * g);
        factors.to_behind[at] = static_cast<Number>(to_behind * inverse[k] * q);
      }
    equation        = {-to_behind * q * lower[0], -to_behind * q_last, -to_before * g_last};
    diagonal_before = -to_before * g * lower[0];
  }

  ADAMANT_HOST_DEVICE Equation reduced(const Equation *of, int i, int distance, int n, int reduction, int piece) const
  {
    const Equation none{0., 1., 0.}, own = of[i], above = i < distance ? none : of[i - distance],
                                     below = i + distance < n ? of[i + distance] : none;
    const double before = -own.before / above.diagonal, behind = -own.behind / below.diagonal;
    Number      *to     = factors.reduction + 2L * reduction * pieces.n_pieces + piece;
    to[0]               = static_cast<Number>(before);
    to[pieces.n_pieces] = static_cast<Number>(behind);
    return {before * above.before, own.diagonal + before * above.behind + behind * below.before, behind * below.behind};
  }
};

/// Computes z = T⁻¹ r and hands it to `finish`. finish.fetch(row) loads the operands of a row, and
/// finish(row, z_row, operands) uses z_row. All loads of a step are under way together.
template <typename Number, class Finish>
struct SolveLines
{
  static constexpr bool writes_matrix = false;
  static constexpr int  largest_team = most_pieces<Number>, least_teams = 1;

  LinePieces          pieces;
  LineFactors<Number> factors;
  const Number       *r;
  Finish              finish;

  struct Shared
  {
    Number before[most_pieces<Number>], behind[most_pieces<Number>], x[2][most_pieces<Number>];
    Number entry[(longest_piece + 1) * (most_pieces<Number> + 1)];
  };
  struct Kept
  {
    int      length, has_separator, n_ordered, row[longest_piece + 1];
    unsigned slots[longest_piece / 2 + 1]; // two in a word
    Number   to_before[longest_piece], to_behind[longest_piece], reduce_before[most_reductions],
      reduce_behind[most_reductions], inverse_diagonal;
    Number r[longest_piece], lower[longest_piece], inverse[longest_piece], upper[longest_piece];
  };

  template <class Kepts, class Team>
  ADAMANT_HOST_DEVICE void fetch(int g, Kepts &kept, const Team &team) const
  {
    const LineGroup group = pieces.group[g];
    const int       n = group.n_pieces(), n_rows = pieces.group[g + 1].first_row - group.first_row;
    team.for_each(n, [&](int i) {
      Kept     &own     = kept[i];
      const int p       = group.first_piece + i;
      own.length        = pieces.length[p];
      own.has_separator = pieces.separator[p] >= 0;
      if (Team::one_thread) // the thread's cache has the remaining factors
        return;
      // Thread i takes the entries i, i + n, ... of the group's rows in their order.
      own.n_ordered = (n_rows - i + n - 1) / n;
#pragma unroll
      for (int e = 0; e <= longest_piece; ++e)
        if (e < own.n_ordered)
          {
            own.row[e]          = pieces.ordered_row[group.first_row + i + e * n];
            const unsigned slot = pieces.slot[group.first_row + i + e * n];
            own.slots[e / 2]    = e % 2 == 0 ? slot : own.slots[e / 2] | slot << 16;
          }
#pragma unroll
      for (int k = 0; k < longest_piece; ++k)
        if (k < own.length)
          {
            own.to_before[k] = factors.to_before[pieces.place(p, k)];
            own.to_behind[k] = factors.to_behind[pieces.place(p, k)];
          }
    });
  }

  template <class Kepts, class Team>
  ADAMANT_HOST_DEVICE void operator()(int g, Shared &shared, Kepts &kept, const Team &team) const
  {
    const LineGroup group = pieces.group[g];
    const int       first = group.first_piece, w = group.w, n = group.n_pieces();
    team.for_each(Team::one_thread ? 1 : n, [&](int i) { spread<Team>(g, kept[i], shared.entry); });
    team.for_each(n, [&](int i) {
      eliminate<Team>(first + i, kept[i], i, shared);
      if (!Team::one_thread)
        load_factors(first + i, w, n, kept[i]);
    });
    team.for_each(n, [&](int i) {
      shared.x[0][i] = !kept[i].has_separator ?
                         Number(0) :
                         shared.entry[slot_of<Number>(longest_piece, i)] - shared.behind[i] - shared.before[i + w];
    });
    int from = 0;
    for_each_reduction(w, n, [&](int reduction, int distance) {
      team.for_each(n, [&](int i) {
        const Number *x     = shared.x[from];
        Number        value = x[i];
        const long    at    = 2L * reduction * pieces.n_pieces + first + i;
        if (i >= distance)
          value += loaded<Team>(kept[i].reduce_before[reduction], factors.reduction, at) * x[i - distance];
        if (i + distance < n)
          value +=
            loaded<Team>(kept[i].reduce_behind[reduction], factors.reduction, at + pieces.n_pieces) * x[i + distance];
        shared.x[1 - from][i] = value;
      });
      from = 1 - from;
    });
    team.for_each(n, [&](int i) {
      shared.before[i] = shared.entry[slot_of<Number>(longest_piece, i)] =
        loaded<Team>(kept[i].inverse_diagonal, factors.inverse_diagonal, first + i) * shared.x[from][i];
    });
    team.for_each(n, [&](int i) {
      substitute<Team>(first + i, kept[i], i, i < w ? Number(0) : shared.before[i - w], shared.before[i], shared.entry);
    });
    team.for_each(Team::one_thread ? 1 : n, [&](int i) { collect<Team>(g, kept[i], shared.entry); });
  }

private:
  // Returns where loops over a piece end: on the host at its n rows; on a GPU at a number that the compiler knows.
  template <class Team>
  ADAMANT_HOST_DEVICE static int end(int n)
  {
    return Team::one_thread ? n : longest_piece;
  }

  // Returns a number that `fetch` or load_factors has put into a register of a GPU's thread; on the host, loads it.
  template <class Team>
  ADAMANT_HOST_DEVICE static Number loaded(const Number &kept, const Number *there, long at)
  {
    return Team::one_thread ? there[at] : kept;
  }

  ADAMANT_HOST_DEVICE static int slot_at(const Kept &own, int e)
  {
    return own.slots[e / 2] >> 16 * (e % 2) & 0xffff;
  }

  // Copies the entries of r of the group into the team's memory.
  template <class Team>
  ADAMANT_HOST_DEVICE void spread(int g, const Kept &own, Number *entry) const
  {
    if (Team::one_thread)
      {
        for (int j = pieces.group[g].first_row; j < pieces.group[g + 1].first_row; ++j)
          entry[pieces.slot[j]] = r[pieces.ordered_row[j]];
        return;
      }
    Number value[longest_piece + 1];
#pragma unroll
    for (int e = 0; e <= longest_piece; ++e)
      if (e < own.n_ordered)
        value[e] = r[own.row[e]];
#pragma unroll
    for (int e = 0; e <= longest_piece; ++e)
      if (e < own.n_ordered)
        entry[slot_at(own, e)] = value[e];
  }

  template <class Team>
  ADAMANT_HOST_DEVICE void eliminate(int p, Kept &own, int i, Shared &shared) const
  {
    Number to_before = 0, to_behind = 0;
#pragma unroll
    for (int k = 0; k < end<Team>(own.length); ++k)
      if (k < own.length)
        {
          own.r[k] = shared.entry[slot_of<Number>(k, i)];
          to_before += loaded<Team>(own.to_before[k], factors.to_before, pieces.place(p, k)) * own.r[k];
          to_behind += loaded<Team>(own.to_behind[k], factors.to_behind, pieces.place(p, k)) * own.r[k];
        }
    shared.before[i] = to_before;
    shared.behind[i] = to_behind;
  }

  ADAMANT_HOST_DEVICE void load_factors(int p, int w, int n, Kept &own) const
  {
    own.inverse_diagonal = factors.inverse_diagonal[p];
    for_each_reduction(w, n, [&](int reduction, int) {
      const Number *coefficients   = factors.reduction + 2L * reduction * pieces.n_pieces + p;
      own.reduce_before[reduction] = coefficients[0];
      own.reduce_behind[reduction] = coefficients[pieces.n_pieces];
    });
#pragma unroll
    for (int k = 0; k < longest_piece; ++k)
      if (k < own.length)
        {
          own.lower[k]   = factors.lower[pieces.place(p, k)];
          own.inverse[k] = factors.inverse[pieces.place(p, k)];
          own.upper[k]   = factors.upper[pieces.place(p, k)];
        }
  }

  template <class Team>
  ADAMANT_HOST_DEVICE void substitute(int p, Kept &own, int i, Number before, Number behind, Number *entry) const
  {
#pragma unroll
    for (int k = 0; k < end<Team>(own.length); ++k)
      if (k < own.length)
        own.r[k] = before = loaded<Team>(own.inverse[k], factors.inverse, pieces.place(p, k)) * own.r[k] -
                            loaded<Team>(own.lower[k], factors.lower, pieces.place(p, k)) * before;
#pragma unroll
    for (int k = end<Team>(own.length) - 1; k >= 0; --k)
      if (k < own.length)
        entry[slot_of<Number>(k, i)] = behind =
          own.r[k] - loaded<Team>(own.upper[k], factors.upper, pieces.place(p, k)) * behind;
  }

  // Hands the entries of the solution of the group from the team's memory to `finish`.
  template <class Team>
  ADAMANT_HOST_DEVICE void collect(int g, const Kept &own, const Number *entry) const
  {
    if (Team::one_thread)
      {
        for (int j = pieces.group[g].first_row; j < pieces.group[g + 1].first_row; ++j)
          finish(pieces.ordered_row[j], entry[pieces.slot[j]], finish.fetch(pieces.ordered_row[j]));
        return;
      }
    decltype(finish.fetch(0)) operands[longest_piece + 1];
#pragma unroll
    for (int e = 0; e <= longest_piece; ++e)
      if (e < own.n_ordered)
        operands[e] = finish.fetch(own.row[e]);
#pragma unroll
    for (int e = 0; e <= longest_piece; ++e)
      if (e < own.n_ordered)
        finish(own.row[e], entry[slot_at(own, e)], operands[e]);
  }
};

/// A `finish` of SolveLines that sets x = a z.
template <typename Number>
struct TakeSolution
{
  Number  a;
  Number *x;

  struct Nothing
  {
  };
  ADAMANT_HOST_DEVICE Nothing fetch(int) const { return {}; }
  ADAMANT_HOST_DEVICE void    operator()(int i, Number z, Nothing) const { x[i] = a * z; }
};

/// A `finish` of SolveLines that sets d = alpha d_old + beta z and adds d to x. `d` may be null. With alpha = 0, d_old
/// is not read.
template <typename Number>
struct CorrectBySolution
{
  Number        alpha, beta;
  const Number *d_old;
  Number       *d, *x;

  struct Old
  {
    Number d, x;
  };
  ADAMANT_HOST_DEVICE Old  fetch(int i) const { return {alpha == Number(0) ? Number(0) : alpha * d_old[i], x[i]}; }
  ADAMANT_HOST_DEVICE void operator()(int i, Number z, const Old &old) const
  {
    const Number direction = old.d + beta * z;
    if (d != nullptr)
      d[i] = direction;
    x[i] = old.x + direction;
  }
};
} // namespace adamant
