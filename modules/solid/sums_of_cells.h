#pragma once

#include "algebra/device.h"
#include "algebra/vector.h"
#include "solid/stretch.h"

#include <cmath>
#include <vector>

namespace adamant
{
/// Puts together numbers of cells, by Device::for_each over n_parts parts of each number. Part p has the cells p,
/// p + n_parts, ... It is their sum for the first n_sums numbers, then the largest of `sign` times a number, then the
/// largest of a number.
struct PartsOfCells
{
  int      n_parts, n_sums;
  double   sign;
  ValuesAt of_cells, of_parts;

  ADAMANT_HOST_DEVICE void operator()(int index) const
  {
    const int k = index / n_parts, part = index % n_parts;
    double    result = k < n_sums ? 0. : -HUGE_VAL;
    for (long cell = part; cell < of_cells.n; cell += n_parts)
      {
        const double value = (k == n_sums ? sign : 1.) * of_cells(k, static_cast<int>(cell));
        result             = k < n_sums ? result + value : value > result ? value : result;
      }
    of_parts(k, part) = result;
  }
};

/// Puts together n numbers of all cells and ranks, in one order on all devices. All ranks call it together.
struct SumsOfCells
{
  static constexpr int n_parts = 2000;

  int     n = 0, n_sums = 0; ///< n_sums: how many are added up; then come the largest of -1 times a number, and of one
  Scalars of_parts;          ///< n n_parts of them

  std::vector<double> operator()(const Device &device, const ValuesAt &of_cells) const ///< waits
  {
    device.for_each(n * n_parts, PartsOfCells{n_parts, n_sums, -1., of_cells, {of_parts.on_host(), n_parts}});
    of_parts.fetch();
    std::vector<double> result(n);
    for (int k = 0; k < n; ++k)
      PartsOfCells{1, n_sums, 1., {of_parts.on_host(), n_parts}, {result.data(), 1}}(k);
    device.communicator().sum(result.data(), n_sums);
    device.communicator().max(result.data() + n_sums, n - n_sums);
    return result;
  }
};
} // namespace adamant
