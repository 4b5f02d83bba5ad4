#pragma once

#include "base/host_device.h"
#include "tensor/multi_vector_functors.h"
#include "tensor/several.h"
#include "tensor/small_floats.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

// The elementwise steps of fast diagonalization, for host and GPU, W columns at a time. A node stores `columns`
// numbers, of which the first n_columns count. Rows of `columns` and of n_columns begin at multiples of W.

namespace adamant
{
/// Division by a number that is known beforehand: a product and a shift (Granlund & Montgomery 1994), where a GPU's own
/// division takes some twenty instructions. It divides 0 <= n < 2^31 by 0 < divisor < 2^31.
class Divisor
{
public:
  explicit Divisor(int divisor = 1)
    : divisor(divisor)
  {
    while ((std::int64_t(1) << (shift - 31)) < divisor)
      ++shift;
    factor = static_cast<std::uint32_t>((std::uint64_t(1) << shift) / divisor + 1);
  }

  /// Replaces n by the remainder and returns the quotient.
  ADAMANT_HOST_DEVICE int divide(int &n) const
  {
    const int quotient = static_cast<int>(std::uint64_t(std::uint32_t(n)) * factor >> shift);
    n -= quotient * divisor;
    return quotient;
  }
  ADAMANT_HOST_DEVICE int value() const { return divisor; }

private:
  int           divisor, shift = 31;
  std::uint32_t factor;
};

/// How products see one direction. Where it has two parts, the even part holds sums of mirrored nodes, the odd part
/// their differences; else there is one part. A part has m rows, of which the last may be zero.
struct FoldedDirection
{
  int nodes = 1, parts = 1, m = 1;

  ADAMANT_HOST_DEVICE int row() const { return parts * m; }
  int                     rows() const { return parts == 1 ? nodes : m; } ///< rows of a part that nodes fill
  ADAMANT_HOST_DEVICE int first_nodes() const { return parts == 1 ? nodes : (nodes + 1) / 2; } ///< unmirrored nodes
  /// Returns the position of row k of part p in direction d. Direction 0 stores one part after the other, as a product
  /// with lines reads rows of a part in sequence. Other directions store both parts of a node together, as they are
  /// computed together.
  ADAMANT_HOST_DEVICE int position(int d, int p, int k) const { return d == 0 ? p * m + k : k * parts + p; }
};

/// Indices of the rows of first parts; in the last direction they are the n rows from `first` on. A node has C corners:
/// itself and, if some direction has two parts, the 2^dim - 1 nodes that may mirror it. The index is node times groups
/// of columns.
struct FoldedNodes
{
  FoldedDirection direction[3];
  int             last, first, n;
  Divisor         groups, rows_of[3];

  FoldedNodes(const FoldedDirection (&directions)[3], int last, int first, int n, int groups)
    : direction{directions[0], directions[1], directions[2]}
    , last(last)
    , first(first)
    , n(n)
    , groups(groups)
  {
    for (int d = 0; d <= last; ++d)
      rows_of[d] = Divisor(d == last ? n : direction[d].m);
  }

  int size() const { return groups.value() * rows_of[0].value() * rows_of[1].value() * rows_of[2].value(); }
  /// Sets k[d] to the row in direction d and returns the group of columns.
  ADAMANT_HOST_DEVICE int rows(int index, int (&k)[3]) const
  {
    int group = index, rest = groups.divide(group);
    for (int d = 0; d < 3; ++d)
      {
        k[d] = rest;
        rest = rows_of[d].divide(k[d]);
        k[d] += d == last ? first : 0;
      }
    return group;
  }
  ADAMANT_HOST_DEVICE bool has_part(int corner) const
  {
    for (int d = 0; d < 3; ++d)
      if ((corner >> d & 1) != 0 && direction[d].parts == 1)
        return false;
    return true;
  }
  /// Returns the number of a corner's node, or -1 where the node lies beyond the last one or is another corner's node.
  ADAMANT_HOST_DEVICE int node(const int (&k)[3], int corner) const
  {
    int number = 0;
    for (int d = 2; d >= 0; --d)
      {
        const auto &f        = direction[d];
        const bool  mirrored = (corner >> d & 1) != 0;
        const int   i        = mirrored ? f.nodes - 1 - k[d] : k[d];
        if (k[d] >= f.first_nodes() || (mirrored && (f.parts == 1 || i == k[d])))
          return -1;
        number = number * f.nodes + i;
      }
    return number;
  }
  /// Returns the position of a part's number within the n planes; bit d of `corner` is the part in direction d.
  ADAMANT_HOST_DEVICE int position(const int (&k)[3], int corner) const
  {
    int at = 0;
    for (int d = 2; d >= 0; --d) // constant bounds keep k and direction in registers
      {
        const auto &f = direction[d];
        at            = at * f.row() + f.position(d, corner >> d & 1, k[d] - (d == last ? first : 0));
      }
    return at;
  }
  /// Replaces values at corners that mirror each other by sums and differences, direction by direction.
  template <typename Number, int W, int C>
  ADAMANT_HOST_DEVICE void fold(Several<Number, W> (&value)[C]) const
  {
    for (int d = 0; d < (C == 8 ? 3 : C == 4 ? 2 : 0); ++d)
      if (direction[d].parts == 2)
        for (int corner = 0; corner < C; ++corner)
          if ((corner >> d & 1) == 0)
            for (int j = 0; j < W; ++j)
              {
                const Number sum = value[corner].v[j], difference = value[corner | 1 << d].v[j];
                value[corner].v[j]          = sum + difference;
                value[corner | 1 << d].v[j] = sum - difference;
              }
  }
};

/// The type in which functors compute numbers that products store as T.
template <typename T>
using Computed = std::conditional_t<sizeof(T) == sizeof(double), double, float>;

/// Stores the parts of b, times scale[s] if given, in the storage type of products.
template <typename From, typename T, int W, int C>
struct PackColumns
{
  FoldedNodes   nodes;
  int           columns, n_columns;
  const From   *b;
  const double *scale;
  T            *to;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    using Number = Computed<T>;
    int                k[3];
    const int          s        = nodes.rows(index, k) * W;
    const auto         factors  = column_factors<From, Number, W>(scale, s);
    Several<Number, W> value[C] = {};
    for (int corner = 0; corner < C; ++corner)
      if (const int node = nodes.node(k, corner); node >= 0 && s < n_columns)
        {
          const auto from = Several<From, W>::last_at(b + std::size_t(node) * n_columns + s);
          for (int j = 0; j < W; ++j)
            value[corner].v[j] = Number(from.v[j] * factors.v[j]);
        }
    nodes.fold(value);
    for (int corner = 0; corner < C; ++corner)
      if (nodes.has_part(corner))
        {
          Several<T, W> packed;
          for (int j = 0; j < W; ++j)
            packed.v[j] = T(value[corner].v[j]);
          packed.to(to + std::size_t(nodes.position(k, corner)) * columns + s);
        }
  }
};

/// Computes x = (with `add`: x +=) the nodes' values from the parts in `from`, times factor[s] if given.
template <typename T, typename To, int W, int C>
struct UnpackColumns
{
  FoldedNodes   nodes;
  int           columns, n_columns;
  const T      *from;
  const double *factor;
  bool          add;
  To           *x;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    using Number = Computed<T>;
    int       k[3];
    const int s = nodes.rows(index, k) * W;
    if (nodes.node(k, 0) < 0 || s >= n_columns)
      return;
    const auto         factors = column_factors<Number, To, W>(factor, s);
    Several<Number, W> value[C];
    for (int corner = 0; corner < C; ++corner)
      {
        Several<T, W> part = {};
        if (nodes.has_part(corner))
          part = Several<T, W>::at(from + std::size_t(nodes.position(k, corner)) * columns + s);
        for (int j = 0; j < W; ++j)
          value[corner].v[j] = static_cast<Number>(part.v[j]);
      }
    nodes.fold(value);
    for (int corner = 0; corner < C; ++corner)
      if (const auto node = nodes.node(k, corner); node >= 0)
        {
          Several<To, W> scaled;
          for (int j = 0; j < W; ++j)
            scaled.v[j] = To(value[corner].v[j] * factors.v[j]);
          store_columns(scaled, add, x + std::size_t(node) * n_columns + s);
        }
  }
};

/// Computes x = factor x, the inverse between the transforms. Each row has the coefficients first, ..., first + n - 1
/// of `all`. The index is (row n + i) columns / W + group.
template <typename T, int W>
struct DivideByEigenvalues
{
  Divisor      groups, n; // groups: columns / W
  int          all, first;
  const float *factor;
  T           *x;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    int         group = index, i = groups.divide(group);
    const int   row   = n.divide(i);
    const float f     = factor[row * all + first + i];
    auto        value = Several<T, W>::at(x + std::size_t(index) * W);
    for (int j = 0; j < W; ++j)
      value.v[j] = T(f * static_cast<float>(value.v[j]));
    value.to(x + std::size_t(index) * W);
  }
};

/// Computes V diag(f_s) for part p of the last direction: an m x m matrix for each coefficient s = first, first + 1,
/// ... of the other directions. `factor` is as in DivideByEigenvalues. The index is ((s - first) m + i) m + k.
struct ScaleEigenvectors
{
  int           m, parts, p, slice, first;
  const double *V;
  const float  *factor;
  double       *to;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int square = m * m, s = first + index / square, entry = index % square, k = entry % m;
    to[index] = V[entry] * factor[std::size_t(k * parts + p) * slice + s];
  }
};

/// Computes to = scale from, in the precision of products.
template <typename T>
struct RoundScaled
{
  float         scale;
  const double *from;
  T            *to;

  ADAMANT_HOST_DEVICE T    value(int i) const { return T(static_cast<float>(from[i]) * scale); }
  ADAMANT_HOST_DEVICE void store(int i, T value) const { to[i] = value; }
};

/// Solves the systems of TridiagonalLines: to = w_s (λ_s M + K)⁻¹ from. Elimination begins at both ends of a line at
/// once, and substitution where they meet: two threads do a line, with W columns in a group.
template <int W>
struct LineSystems
{
  int           n_lines, groups, parts, m, singular;
  const double *lambda, *weight, *K, *M, *inverse, *singular_inverse;
  const double *from;
  double       *to;

  ADAMANT_HOST_DEVICE int middle() const { return m / 2; }
  ADAMANT_HOST_DEVICE std::size_t at_pivot(int k, int p, int s) const
  {
    return std::size_t(k * parts + p) * n_lines + s;
  }
  ADAMANT_HOST_DEVICE std::size_t at(int k, int p, int s, int group) const
  {
    return (at_pivot(k, p, s) * groups + group) * W;
  }
  ADAMANT_HOST_DEVICE double coupling(int k, int p, int s) const // of entries k and k + 1
  {
    return lambda[s] * M[p * m + k] + K[p * m + k];
  }
};

/// Sweeps from an end to the middle, y_k = b_k - l y_j with the entry j before k and l = e / pivot; e is the matrix's
/// entry between the two. Or it sweeps back, x_k = (w y_k - e x_j) / pivot. The index is ((half parts + p) n_lines + s)
/// groups + group. On the way back the singular line's entries have indices behind all others: row groups + group.
template <int W, bool towards>
struct SweepLines
{
  LineSystems<W> lines;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int rest = index / lines.groups, group = index % lines.groups, s = rest % lines.n_lines,
              p = rest / lines.n_lines % lines.parts, half = rest / lines.n_lines / lines.parts;
    if (half > 1)
      return apply_pseudo_inverse(rest - 2 * lines.parts * lines.n_lines, group);
    if (s != lines.singular)
      sweep(half, p, s, group);
  }

private:
  // Several entries are loaded at a time, and the next ones before these are used: a step waits for the one before it.
  static constexpr int block = W == 1 ? 16 : 6;
  struct Block
  {
    Several<double, W> entry[block] = {};
    double             pivot[block] = {}, coupling[block] = {};
  };

  ADAMANT_HOST_DEVICE int n_entries(int half) const
  {
    return half == 0 ? lines.middle() : lines.m - 1 - lines.middle();
  }
  ADAMANT_HOST_DEVICE int entry(int half, int i) const // the i-th of a sweep
  {
    const int from_end = towards ? i : n_entries(half) - 1 - i;
    return half == 0 ? from_end : lines.m - 1 - from_end;
  }
  ADAMANT_HOST_DEVICE Block load(int half, int first, int p, int s, int group) const
  {
    const int     n      = n_entries(half);
    const double *source = towards ? lines.from : lines.to;
    Block         loaded;
    for (int i = 0; i < block; ++i)
      if (first + i < n)
        {
          const int k        = entry(half, first + i);
          loaded.entry[i]    = Several<double, W>::at(source + lines.at(k, p, s, group));
          loaded.pivot[i]    = lines.inverse[lines.at_pivot(k, p, s)];
          loaded.coupling[i] = lines.coupling(half == 0 ? k : k - 1, p, s);
        }
    return loaded;
  }
  ADAMANT_HOST_DEVICE void sweep(int half, int p, int s, int group) const
  {
    const int          n      = n_entries(half);
    const double       w      = lines.weight[s];
    Several<double, W> last   = {};
    double             factor = 0.;
    if (!towards)
      last = Several<double, W>::at(lines.to + lines.at(lines.middle(), p, s, group));
    Block now = load(half, 0, p, s, group);
    for (int first = 0; first < n; first += block)
      {
        const Block next = load(half, first + block, p, s, group);
        for (int i = 0; i < block; ++i)
          {
            for (int j = 0; j < W; ++j)
              now.entry[i].v[j] = last.v[j] = towards ?
                                                now.entry[i].v[j] - factor * last.v[j] :
                                                now.pivot[i] * (w * now.entry[i].v[j] - now.coupling[i] * last.v[j]);
            factor = now.coupling[i] * now.pivot[i];
          }
        for (int i = 0; i < block; ++i)
          if (first + i < n)
            now.entry[i].to(lines.to + lines.at(entry(half, first + i), p, s, group));
        now = next;
      }
  }
  ADAMANT_HOST_DEVICE void apply_pseudo_inverse(int row, int group) const
  {
    const int          k = row / lines.parts, p = row % lines.parts;
    Several<double, W> sum = {};
    for (int i = 0; i < lines.m; ++i)
      {
        const double factor = lines.singular_inverse[(std::size_t(p) * lines.m + i) * lines.m + k];
        const auto   value  = Several<double, W>::at(lines.from + lines.at(i, p, lines.singular, group));
        for (int j = 0; j < W; ++j)
          sum.v[j] += factor * value.v[j];
      }
    sum.to(lines.to + lines.at(k, p, lines.singular, group));
  }
};

/// Solves for the entry in the middle, x_k = w (b_k - l y_{k-1} - l' y_{k+1}) / pivot; the index is (p n_lines + s)
/// groups + group.
template <int W>
struct MeetInLines
{
  LineSystems<W> lines;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int rest = index / lines.groups, group = index % lines.groups, s = rest % lines.n_lines,
              p = rest / lines.n_lines, k = lines.middle();
    if (s == lines.singular)
      return;
    auto value = Several<double, W>::at(lines.from + lines.at(k, p, s, group));
    for (const int other : {k - 1, k + 1})
      if (other >= 0 && other < lines.m)
        {
          const double factor =
            lines.coupling(other < k ? other : k, p, s) * lines.inverse[lines.at_pivot(other, p, s)];
          const auto y = Several<double, W>::at(lines.to + lines.at(other, p, s, group));
          for (int j = 0; j < W; ++j)
            value.v[j] -= factor * y.v[j];
        }
    const double factor = lines.weight[s] * lines.inverse[lines.at_pivot(k, p, s)];
    for (int j = 0; j < W; ++j)
      value.v[j] *= factor;
    value.to(lines.to + lines.at(k, p, s, group));
  }
};
} // namespace adamant
