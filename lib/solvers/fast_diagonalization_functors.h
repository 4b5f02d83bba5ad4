#pragma once

#include "algebra/multi_vector_functors.h"
#include "algebra/several.h"
#include "base/host_device.h"
#include "base/small_floats.h"

#include <cstddef>
#include <type_traits>

// The elementwise steps of fast diagonalization, for host and GPU, W columns at a time; `columns` at a node are stored,
// of which n_columns count.

namespace adamant
{
/// How products see one direction: where it has two parts, the even one are the sums of nodes and those that mirror
/// them, the odd one their differences; else there is one. Parts have m rows each, of which the last may be zero.
struct FoldedDirection
{
  int nodes = 1, parts = 1, m = 1;

  ADAMANT_HOST_DEVICE int row() const { return parts * m; }
  ADAMANT_HOST_DEVICE int first_nodes() const { return (nodes + parts - 1) / parts; } ///< without mirrored ones
  /// Of row k of part p in direction d: a product with lines takes rows of the first one that follow each other, in
  /// other directions both parts of a node stand together, so that they are computed together.
  ADAMANT_HOST_DEVICE int position(int d, int p, int k) const { return d == 0 ? p * m + k : k * parts + p; }
};

/// The rows of the first parts, in the last direction n of them from the first on; C = 2^dim corners of a node: itself
/// and those that mirror it. Index: node times groups of columns.
struct FoldedNodes
{
  FoldedDirection direction[3];
  int             last, first, n, groups;

  int size() const
  {
    return groups * direction[0].m * (last == 2 ? direction[1].m : 1) * n; // those of one direction fewer: n is its own
  }
  /// k[d]: the row; the return value is the group.
  ADAMANT_HOST_DEVICE int rows(int index, int (&k)[3]) const
  {
    int rest = index / groups;
    for (int d = 0; d < 3; ++d)
      {
        const int m = d < last ? direction[d].m : d == last ? n : 1;
        k[d]        = rest % m + (d == last ? first : 0);
        rest /= m;
      }
    return index % groups;
  }
  ADAMANT_HOST_DEVICE bool has_part(int corner) const
  {
    for (int d = 0; d < 3; ++d)
      if ((corner >> d & 1) != 0 && direction[d].parts == 1)
        return false;
    return true;
  }
  /// The number of a corner's node, or -1 where there is none: beyond the last one, or the same as another.
  ADAMANT_HOST_DEVICE std::ptrdiff_t node(const int (&k)[3], int corner) const
  {
    std::ptrdiff_t number = 0;
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
  /// Where a part has its number, corner d's bit the part in direction d, among those of the n planes.
  ADAMANT_HOST_DEVICE std::size_t position(const int (&k)[3], int corner) const
  {
    std::size_t at = 0;
    for (int d = 2; d >= 0; --d) // constant bounds keep all of it in registers
      {
        const auto &f = direction[d];
        at            = at * f.row() + f.position(d, corner >> d & 1, k[d] - (d == last ? first : 0));
      }
    return at;
  }
  /// Sums and differences of values at corners that mirror each other, direction by direction.
  template <typename Number, int W, int C>
  ADAMANT_HOST_DEVICE void fold(Several<Number, W> (&value)[C]) const
  {
    for (int d = 0; d < (C == 8 ? 3 : 2); ++d)
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

/// Numbers that functors compute with, of those that products store.
template <typename T>
using Computed = std::conditional_t<sizeof(T) == sizeof(double), double, float>;

/// to = the parts of b times scale[s] (without scales: of b), in the storage type of products.
template <typename T, int W, int C>
struct PackColumns
{
  FoldedNodes   nodes;
  int           columns, n_columns;
  const double *b, *scale;
  T            *to;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    using Number = Computed<T>;
    int                k[3];
    const int          s = nodes.rows(index, k) * W;
    Several<Number, W> value[C];
    for (int corner = 0; corner < C; ++corner)
      {
        const auto node = nodes.node(k, corner);
        for (int j = 0; j < W; ++j)
          value[corner].v[j] = 0;
        if (node >= 0)
          load(b + node * n_columns + s, s, value[corner]);
      }
    nodes.fold(value);
    for (int corner = 0; corner < C; ++corner)
      if (nodes.has_part(corner))
        {
          Several<T, W> packed;
          for (int j = 0; j < W; ++j)
            packed.v[j] = T(value[corner].v[j]);
          packed.to(to + nodes.position(k, corner) * columns + s);
        }
  }

private:
  template <typename Number>
  ADAMANT_HOST_DEVICE void load(const double *from, int s, Several<Number, W> &value) const
  {
    if (n_columns == columns)
      {
        const auto all = Several<double, W>::at(from);
        for (int j = 0; j < W; ++j)
          value.v[j] = static_cast<Number>(scale == nullptr ? all.v[j] : all.v[j] * scale[s + j]);
      }
    else
      for (int j = 0; j < W && s + j < n_columns; ++j)
        value.v[j] = static_cast<Number>(scale == nullptr ? from[j] : from[j] * scale[s + j]);
  }
};

/// x = (or, with `add`, +=) the nodes' values of `from`, which has parts, times factor[s] or, without, as they are.
template <typename T, int W, int C>
struct UnpackColumns
{
  FoldedNodes        nodes;
  int                columns, n_columns;
  const Computed<T> *from;
  const double      *factor;
  bool               add;
  double            *x;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    using Number = Computed<T>;
    int       k[3];
    const int s = nodes.rows(index, k) * W;
    if (nodes.node(k, 0) < 0)
      return;
    Several<Number, W> value[C];
    for (int corner = 0; corner < C; ++corner)
      if (nodes.has_part(corner))
        value[corner] = Several<Number, W>::at(from + nodes.position(k, corner) * columns + s);
      else
        for (int j = 0; j < W; ++j)
          value[corner].v[j] = 0;
    nodes.fold(value);
    for (int corner = 0; corner < C; ++corner)
      if (const auto node = nodes.node(k, corner); node >= 0)
        store(value[corner], s, x + node * n_columns + s);
  }

private:
  template <typename Number>
  ADAMANT_HOST_DEVICE void store(const Several<Number, W> &value, int s, double *to) const
  {
    Several<double, W> all;
    for (int j = 0; j < W; ++j)
      all.v[j] = factor == nullptr ? double(value.v[j]) : double(value.v[j]) * factor[s + j];
    store_columns(all, add, n_columns == columns ? W : n_columns - s, to);
  }
};

/// x = factor x, the inverse between the transforms: coefficients first, ..., first + n - 1 of `all` in each row; index
/// (row n + i) columns / W + group.
template <typename T, int W>
struct DivideByEigenvalues
{
  int          groups, n, all, first; // groups: columns / W
  const float *factor;
  T           *x;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int   at = groups == 1 ? index : index / groups, row = n == all ? 0 : at / n;
    const float f     = factor[n == all ? at : row * all + first + (at - row * n)];
    auto        value = Several<T, W>::at(x + std::size_t(index) * W);
    for (int j = 0; j < W; ++j)
      value.v[j] = T(f * static_cast<float>(value.v[j]));
    value.to(x + std::size_t(index) * W);
  }
};

/// to = w_s (λ_s M + K)⁻¹ from along the lines of TridiagonalLines: index ((p n_lines + s) groups + group), W columns
/// in a group. The entries of the singular line have an index each, behind all others: (row groups + group).
template <int W>
struct SolveLines
{
  int           n_lines, groups, parts, m, singular;
  const double *lambda, *weight, *K, *M, *inverse, *singular_inverse;
  const double *from;
  double       *to;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int rest = index / groups, group = index % groups, p = rest / n_lines, s = rest % n_lines;
    if (p >= parts)
      return apply_pseudo_inverse(rest - parts * n_lines, group);
    if (s == singular)
      return;
    sweep<true>(from, p, s, group);
    sweep<false>(to, p, s, group);
  }

private:
  // Entries are loaded so many at a time, and the next ones before these are used: each waits for the one before it.
  static constexpr int block = W == 1 ? 16 : 6;
  struct Block
  {
    Several<double, W> entry[block] = {};
    double             pivot[block] = {};
  };

  ADAMANT_HOST_DEVICE Block load(const double *source, bool down, int first, int p, int s, int group) const
  {
    Block loaded;
    for (int i = 0; i < block; ++i)
      if (const int k = down ? first + i : m - 1 - first - i; first + i < m)
        {
          loaded.entry[i] = Several<double, W>::at(source + at(k, p, s, group));
          loaded.pivot[i] = inverse[at_pivot(k, p, s)];
        }
    return loaded;
  }

  // Down the line: y_k = b_k - l_{k-1} y_{k-1}; up again: x_k = (y_k - e_k x_{k+1}) / pivot, e the matrix's next entry
  // and l = e / pivot.
  template <bool down>
  ADAMANT_HOST_DEVICE void sweep(const double *source, int p, int s, int group) const
  {
    const double       l = lambda[s], w = weight[s];
    Several<double, W> last   = {};
    double             factor = 0.;
    Block              now    = load(source, down, 0, p, s, group);
    for (int first = 0; first < m; first += block)
      {
        const Block next = load(source, down, first + block, p, s, group);
        for (int i = 0; i < block; ++i)
          if (const int k = down ? first + i : m - 1 - first - i; first + i < m)
            {
              const double e = coupling(l, k, p);
              for (int j = 0; j < W; ++j)
                {
                  last.v[j] =
                    down ? now.entry[i].v[j] - factor * last.v[j] : now.pivot[i] * (now.entry[i].v[j] - e * last.v[j]);
                  now.entry[i].v[j] = down ? last.v[j] : w * last.v[j];
                }
              factor = e * now.pivot[i];
            }
        for (int i = 0; i < block; ++i)
          if (const int k = down ? first + i : m - 1 - first - i; first + i < m)
            now.entry[i].to(to + at(k, p, s, group));
        now = next;
      }
  }

  ADAMANT_HOST_DEVICE std::size_t at_pivot(int k, int p, int s) const
  {
    return std::size_t(k * parts + p) * n_lines + s;
  }
  ADAMANT_HOST_DEVICE std::size_t at(int k, int p, int s, int group) const
  {
    return (at_pivot(k, p, s) * groups + group) * W;
  }
  ADAMANT_HOST_DEVICE double coupling(double l, int k, int p) const { return l * M[p * m + k] + K[p * m + k]; }

  ADAMANT_HOST_DEVICE void apply_pseudo_inverse(int row, int group) const
  {
    const int          k = row / parts, p = row % parts;
    Several<double, W> sum = {};
    for (int i = 0; i < m; ++i)
      {
        const double factor = singular_inverse[(std::size_t(p) * m + i) * m + k];
        const auto   value  = Several<double, W>::at(from + at(i, p, singular, group));
        for (int j = 0; j < W; ++j)
          sum.v[j] += factor * value.v[j];
      }
    sum.to(to + at(k, p, singular, group));
  }
};
} // namespace adamant
