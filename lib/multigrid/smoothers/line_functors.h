#pragma once

#include "algebra/compressed_rows.h"
#include "base/host_device.h"

// For Device::for_each: tridiagonal solves along disjoint lines of rows (multigrid/smoothers/line_solver.h). T holds
// the couplings of each row to the one before in its line, its diagonal, and the couplings to the one behind: T[row],
// T[n + row], T[2 n + row]; what leads out of a line is zero.

namespace adamant
{
/// The most rows of a piece, a multiple of 8.
constexpr int longest_piece = 16;

/// Pieces of lines, each for one thread; 32 of them lie side by side, so that threads read neighbouring places: row k
/// of piece p is place(p) + 32 k.
struct Pieces
{
  int        n_rows;
  const int *slice, *length, *row;

  ADAMANT_HOST_DEVICE int place(int piece) const { return slice[piece / 32] + piece % 32; }
};

/// T[i] = value[place[i]], 0 where the place is -1.
struct GatherTridiagonal
{
  const EntryNumber *place;
  const double      *value;
  double            *T;

  ADAMANT_HOST_DEVICE void operator()(int i) const { T[i] = place[i] < 0 ? 0. : value[place[i]]; }
};

/// A piece's factors: (T y)_k = r_k is solved by y_k = inverse_k r_k - lower_k y_{k-1}, then y_k -= upper_k y_{k+1}.
/// The spikes before and behind, by rows, are what the pieces' solutions of the couplings to the separators at both
/// ends are.
template <typename Number>
struct FactorPieces
{
  Pieces        pieces;
  const double *T;
  Number       *lower, *inverse, *upper;
  double       *before, *behind; ///< null without separators

  ADAMANT_HOST_DEVICE void operator()(int p) const
  {
    const int  n = pieces.n_rows, length = pieces.length[p], first = pieces.place(p);
    double     above = 0, spike = 0;
    const auto row_of = [&](int k) { return pieces.row[first + 32 * k]; };
    for (int k = 0; k < length; ++k)
      {
        const int    at = first + 32 * k, row = row_of(k);
        const double coupling = k > 0 ? T[row] : 0.;
        const double inv      = 1. / (T[n + row] - coupling * above);
        above                 = k + 1 < length ? inv * T[2 * n + row] : 0.;
        lower[at]             = static_cast<Number>(inv * coupling);
        inverse[at]           = static_cast<Number>(inv);
        upper[at]             = static_cast<Number>(above);
        if (before == nullptr)
          continue;
        spike       = k == 0 ? inv * T[row] : -inv * coupling * spike;
        before[row] = spike;
        behind[row] = k + 1 < length ? 0. : inv * T[2 * n + row];
      }
    for (int k = length - 2; before != nullptr && k >= 0; --k)
      {
        const double u = upper[first + 32 * k];
        before[row_of(k)] -= u * before[row_of(k + 1)];
        behind[row_of(k)] -= u * behind[row_of(k + 1)];
      }
  }
};

/// The separators' own tridiagonal matrix, by their slots: what is left when the pieces are eliminated.
struct FactorSeparators
{
  int           n_rows, n_slots;
  const int    *row, *row_before, *row_behind, *slot;
  const double *T, *before, *behind;
  double       *reduced; ///< a T of n_slots rows

  ADAMANT_HOST_DEVICE void operator()(int s) const
  {
    const int    i = row[s], p = row_before[s], q = row_behind[s];
    const double to_p = T[i], to_q = T[2 * n_rows + i];
    reduced[slot[s]]               = -to_p * before[p];
    reduced[n_slots + slot[s]]     = T[n_rows + i] - to_p * behind[p] - to_q * before[q];
    reduced[2 * n_slots + slot[s]] = -to_q * behind[q];
  }
};

/// y = T⁻¹ r within each piece. Entries are read `ahead` at a time, before any of them is used: on a GPU the time is
/// that of reads that wait for each other.
template <typename Number>
struct SolvePieces
{
  static constexpr int ahead = 8;

  Pieces        pieces;
  const Number *lower, *inverse, *upper, *r;
  Number       *y;

  ADAMANT_HOST_DEVICE void operator()(int p) const
  {
    const int length = pieces.length[p], first = pieces.place(p);
    const int last  = first + 32 * (length - 1);
    Number    value = 0, solution[longest_piece];
    for (int k = 0; k < length; k += ahead)
      {
        Number a[ahead], l[ahead];
#pragma unroll
        for (int j = 0; j < ahead; ++j)
          {
            const int at = first + 32 * (k + j) < last ? first + 32 * (k + j) : last;
            a[j]         = inverse[at] * r[pieces.row[at]];
            l[j]         = lower[at];
          }
#pragma unroll
        for (int j = 0; j < ahead; ++j)
          {
            value           = a[j] - l[j] * value;
            solution[k + j] = value;
          }
      }
    value = 0;
    for (int k = (length - 1) / ahead * ahead; k >= 0; k -= ahead)
      {
        Number u[ahead];
        int    row[ahead];
#pragma unroll
        for (int j = 0; j < ahead; ++j)
          {
            const int at = first + 32 * (k + j) < last ? first + 32 * (k + j) : last;
            u[j]         = upper[at];
            row[j]       = pieces.row[at];
          }
#pragma unroll
        for (int j = ahead - 1; j >= 0; --j)
          if (k + j < length)
            {
              value     = solution[k + j] - u[j] * value;
              y[row[j]] = value;
            }
      }
  }
};

/// The separators' right-hand side, by their slots.
template <typename Number>
struct SeparatorResidual
{
  int           n_rows;
  const int    *row, *row_before, *row_behind, *slot;
  const double *T;
  const Number *r, *y;
  Number       *reduced;

  ADAMANT_HOST_DEVICE void operator()(int s) const
  {
    const int i      = row[s];
    reduced[slot[s]] = static_cast<Number>(r[i] - T[i] * y[row_before[s]] - T[2 * n_rows + i] * y[row_behind[s]]);
  }
};

/// Entry i of T⁻¹ r: y_i without lines that are cut; else with the spikes times the separators before and behind row i,
/// which are at slots next to each other. Of a separator y is zero, and `before` picks its own slot.
template <typename Number>
struct LineSolution
{
  const Number *y, *before, *behind, *separators;
  const int    *slot;

  ADAMANT_HOST_DEVICE Number operator()(int i) const
  {
    if (slot == nullptr)
      return y[i];
    const Number *s = separators + slot[i];
    return y[i] - before[i] * s[0] - behind[i] * s[1];
  }
};

/// x = a z.
template <typename Number>
struct TakeSolution
{
  Number                     a;
  LineSolution<Number>       z;
  Number                    *x;
  ADAMANT_HOST_DEVICE Number value(int i) const { return a * z(i); }
  ADAMANT_HOST_DEVICE void   store(int i, Number value) const { x[i] = value; }
};

/// d = alpha d_old + beta z, x += d. `d` may be null; d_old is not read with alpha = 0.
template <typename Number>
struct CorrectBySolution
{
  Number               alpha, beta;
  LineSolution<Number> z;
  const Number        *d_old;
  Number              *d, *x;

  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    const Number direction = (alpha == Number(0) ? Number(0) : alpha * d_old[i]) + beta * z(i);
    if (d != nullptr)
      d[i] = direction;
    x[i] += direction;
  }
};
} // namespace adamant
