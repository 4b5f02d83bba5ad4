#pragma once

#include "algebra/matrix.h"
#include "base/array.h"
#include "base/exchange_plan.h"
#include "base/host_device.h"

#include <memory>

namespace adamant
{
/// A matrix that gives each row the sum of what local matrices L_c of cells make of x_c, the `width` entries of x that
/// belong to cell c, from entry c width on:
///
///   y_i = Σ_k w_k (L_c x_c)_a,   start[i] <= k < start[i + 1], place[k] = c 2^shift + a,
///
/// row a of L_c, a < height <= 2^shift, w_k = 1 or a weight of interpolation at a hanging node. Many cells share a
/// local matrix, so that this takes a small part of the memory of its entries. Host memory.
struct CellSums
{
  int                   n_cells = 0, height = 0, width = 0, shift = 0;
  Array<int>            start, place;
  Array<unsigned short> weight;  ///< of each k the number among `weights`; empty: all are 1
  Array<double>         weights; ///< the different ones
  Array<double>         local;   ///< the different matrices, row-major, one after the other
  Array<int>            table;   ///< of each cell the number of its matrix; empty: all have the first one

  /// Of rows that are spread over ranks: that of the vector of rows, whose ghosts are the last rows here. Their owners
  /// add them up, in the order of the ranks. Null on one rank.
  std::shared_ptr<const ExchangePlan> plan;
};

/// That matrix on a device, for products (Device::multiply) alone: its rows are not visited and have no update. All
/// ranks call it together.
Matrix<double> make_matrix(const Device &device, const CellSums &sums);

/// For Device::for_each over rows, from `start` on: y = factor A x + factor_of_y y. width_: the width that the compiler
/// knows, or 0.
template <int width_>
struct SumOverCells
{
  int                   height, any_width, shift;
  const int            *start, *place;
  const unsigned short *weight;
  const double         *weights, *local;
  const int            *table;
  double                factor, factor_of_y;
  const double         *x;
  double               *y;

  ADAMANT_HOST_DEVICE void operator()(int row) const
  {
    const int width = width_ > 0 ? width_ : any_width;
    double    sum   = 0;
    for (int k = start[row]; k < start[row + 1]; ++k)
      {
        const int     cell = place[k] >> shift, a = place[k] & ((1 << shift) - 1);
        const long    of_cell = table == nullptr ? a : static_cast<long>(table[cell]) * height + a;
        const double *L = local + of_cell * width, *x_c = x + static_cast<long>(cell) * width;
        double        product = 0;
        for (int q = 0; q < width; ++q)
          product += L[q] * x_c[q];
        sum += weight == nullptr ? product : weights[weight[k]] * product;
      }
    y[row] = factor_of_y == 0. ? factor * sum : factor * sum + factor_of_y * y[row];
  }
};
} // namespace adamant
