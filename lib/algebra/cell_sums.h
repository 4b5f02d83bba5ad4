#pragma once

#include "algebra/matrix.h"
#include "base/array.h"
#include "base/exchange_plan.h"
#include "base/host_device.h"

#include <memory>

namespace adamant
{
/// A matrix, in host memory, whose rows add up products with local matrices L_c of cells. With x_c the `width` entries
/// of x that belong to cell c, from entry c width on, a product has the rows
///
///   y_i = Σ_k w_k (L_c x_c)_a,   start[i] <= k < start[i + 1], place[k] = c 2^shift + a.
///
/// Here a is a row of L_c, a < height <= 2^shift, and w_k is 1 or a weight of interpolation at a hanging node. Many
/// cells share a local matrix, so that this takes a small part of the memory of the matrix's entries.
struct CellSums
{
  int                   n_cells = 0, height = 0, width = 0, shift = 0;
  Array<int>            start, place;
  Array<unsigned short> weight;  ///< for each k the place of w_k in `weights`; empty: all w_k are 1
  Array<double>         weights; ///< the different weights
  Array<double>         local;   ///< the different local matrices, row-major, one after the other
  Array<int>            table;   ///< for each cell the number of its local matrix; empty: all cells have the first one

  /// Where rows are spread over ranks, this is the plan of the vector y, whose ghosts are the last rows here. The
  /// owners of these rows add up the ranks' values, in the order of the ranks. It is null on one rank.
  std::shared_ptr<const ExchangePlan> plan;
};

/// Returns the matrix `sums` on a device, for products (Device::multiply) alone: its rows cannot be visited, and its
/// values cannot be updated. All ranks call it together.
Matrix<double> make_matrix(const Device &device, const CellSums &sums);

/// A functor for Device::for_each that sets y = factor A x + factor_of_y y. Row 0 is the row to which start[0] belongs.
/// width_ is the width where the compiler knows it, or 0.
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
