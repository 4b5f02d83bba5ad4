#pragma once

#include "base/host_device.h"
#include "base/small_floats.h"

#include <cmath>
#include <cstddef>

// The elementwise steps of fast diagonalization, for host and GPU. `row` numbers of the first direction follow each
// other in what products take, of which n[0] count; `columns` at a node, of which n_columns count.

namespace adamant
{
/// to = b times length / ‖b_s‖, in the storage type of products.
template <typename T>
struct PackColumns
{
  int           n, row, columns, n_columns;
  double        length;
  const double *b, *square;
  T            *to;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int s = index % columns, i = index / columns % row, line = index / columns / row;
    double    value = 0.;
    if (i < n && s < n_columns && square[s] > 0.)
      value = b[(std::size_t(line) * n + i) * n_columns + s] * (length / sqrt(square[s]));
    to[index] = T(static_cast<float>(value));
  }
};

/// x = from times factor ‖b_s‖, index over the entries of x.
struct UnpackColumns
{
  int           n, row, columns, n_columns;
  double        factor;
  const float  *from;
  const double *square;
  double       *x;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int s = index % n_columns, i = index / n_columns % n, line = index / n_columns / n;
    x[index] = factor * sqrt(square[s]) * from[(std::size_t(line) * row + i) * columns + s];
  }
};

/// x = scale x w_i w_j w_k / (λ_i + λ_j + λ_k), which is the inverse between the transforms; zero eigenvalues give zero.
template <typename T>
struct DivideByEigenvalues
{
  int           row, columns, n[3];
  const double *value[3], *weight[3];
  double        zero; // eigenvalues up to this are the constants'
  double        scale;
  T            *x;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int i = index / columns % row, line = index / columns / row, j = line % n[1], k = line / n[1];
    if (i >= n[0])
      return;
    const double sum    = value[0][i] + value[1][j] + value[2][k];
    const double factor = sum > zero ? scale * weight[0][i] * weight[1][j] * weight[2][k] / sum : 0.;
    if constexpr (sizeof(T) == sizeof(double))
      x[index] *= factor;
    else
      x[index] = T(static_cast<float>(factor) * static_cast<float>(x[index]));
  }
};
} // namespace adamant
