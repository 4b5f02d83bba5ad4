#pragma once

#include "algebra/several.h"
#include "base/host_device.h"
#include "base/small_floats.h"

#include <cstddef>

// The elementwise steps of fast diagonalization, for host and GPU, W columns at a time. `row` numbers of the first
// direction follow each other in what products take, of which n count; `columns` at a node, of which n_columns count.

namespace adamant
{
/// to = b times scale[s], in the storage type of products; index (line row + i) columns / W + group.
template <typename T, int W>
struct PackColumns
{
  int           n, row, columns, n_columns;
  const double *b, *scale;
  T            *to;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int     groups = columns / W, at = index / groups, s = (index - at * groups) * W;
    const int     line = n == row ? 0 : at / row, i = n == row ? at : at - line * row;
    Several<T, W> packed = {};
    if (n == row || i < n)
      {
        const double *from = b + (n == row ? std::size_t(at) : std::size_t(line) * n + i) * n_columns + s;
        const auto    f    = Several<double, W>::at(scale + s);
        if (n_columns == columns)
          {
            const auto value = Several<double, W>::at(from);
            for (int j = 0; j < W; ++j)
              packed.v[j] = T(static_cast<float>(value.v[j] * f.v[j]));
          }
        else
          for (int j = 0; j < W && s + j < n_columns; ++j)
            packed.v[j] = T(static_cast<float>(from[j] * f.v[j]));
      }
    packed.to(to + std::size_t(index) * W);
  }
};

/// x = from times back[s]; index (node) columns / W + group.
template <int W>
struct UnpackColumns
{
  int           n, row, columns, n_columns;
  const float  *from;
  const double *back;
  double       *x;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int  groups = columns / W, node = index / groups, s = (index - node * groups) * W;
    const int  line  = n == row ? 0 : node / n;
    const auto at    = std::size_t(n == row ? node : line * row + (node - line * n));
    const auto value = Several<float, W>::at(from + at * columns + s);
    const auto f     = Several<double, W>::at(back + s);
    double    *to    = x + std::size_t(node) * n_columns + s;
    if (n_columns == columns)
      {
        Several<double, W> result;
        for (int j = 0; j < W; ++j)
          result.v[j] = f.v[j] * value.v[j];
        result.to(to);
      }
    else
      for (int j = 0; j < W && s + j < n_columns; ++j)
        to[j] = f.v[j] * value.v[j];
  }
};

/// x = factor x, the factor of each coefficient: the inverse between the transforms.
template <typename T, typename Number, int W>
struct DivideByEigenvalues
{
  int           groups; // columns / W
  const Number *factor;
  T            *x;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const Number f     = factor[W == 1 && groups == 1 ? index : index / groups];
    auto         value = Several<T, W>::at(x + std::size_t(index) * W);
    for (int j = 0; j < W; ++j)
      value.v[j] = T(f * static_cast<Number>(value.v[j]));
    value.to(x + std::size_t(index) * W);
  }
};
} // namespace adamant
