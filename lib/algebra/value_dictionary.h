#pragma once

#include "base/host_device.h"

#include <cmath>
#include <vector>

// The few different values of a matrix, for formats that store a code of one byte in their place. Assembled in different orders (around
// hanging nodes, at the borders of ranks) equal rows differ by rounding, and would fill the dictionary.

namespace adamant
{
/// What the values of a row are rounded to: 48 bits of its largest magnitude; 0, for no rounding, where that is out of range.
ADAMANT_HOST_DEVICE inline double rounding_unit(double largest)
{
  const int exponent = largest > 0 ? ilogb(largest) : 0;
  return exponent > 900 || exponent < -900 ? 0. : ldexp(1., exponent - 48);
}

/// A rounded value and the smallest unit of the rows that have it.
struct RoundedValue
{
  double value, unit;
};

/// The dictionary for these values, ascending. Rounding separates values at the limit between two units: those a unit apart become the
/// one nearer to zero.
std::vector<double> value_dictionary(std::vector<RoundedValue> values);

/// Position in the dictionary, which ascends, of the value nearest to this one.
template <typename Number>
ADAMANT_HOST_DEVICE int code_of(Number value, const Number *dictionary, int n_values)
{
  int low = 0, high = n_values - 1; // the first that is not smaller, or the last
  while (low < high)
    {
      const int middle = (low + high) / 2;
      if (dictionary[middle] < value)
        low = middle + 1;
      else
        high = middle;
    }
  return low > 0 && value - dictionary[low - 1] <= dictionary[low] - value ? low - 1 : low;
}
} // namespace adamant
