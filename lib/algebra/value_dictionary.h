#pragma once

#include "base/host_device.h"

#include <cmath>
#include <vector>

// The few different values of a matrix, for formats that store a code of one byte in place of each value. Equal rows
// that are assembled in different orders (around hanging nodes, at the borders of ranks) differ by rounding, and would
// fill the dictionary.

namespace adamant
{
/// Rows are taken as equal, and stored once, where all their values differ by no more than this times the largest
/// magnitude of the row: 16 units in the last place. The stored values are the first row's.
template <typename Number>
constexpr double same_value = 16 * (sizeof(Number) == sizeof(double) ? 2.2204460492503131e-16 : 1.1920928955078125e-7);

/// Returns the difference below which values of a row with this largest magnitude are taken as equal. This is 16 units
/// in the last place of the magnitude as a double, and 2 units as a float. It is 0, so that no values are equal, where
/// the magnitude is out of range.
template <typename Number>
ADAMANT_HOST_DEVICE double rounding_unit(double largest)
{
  const int exponent = largest > 0 ? ilogb(largest) : 0, bits = sizeof(Number) == sizeof(double) ? 48 : 22;
  return exponent > 900 || exponent < -900 ? 0. : ldexp(1., exponent - bits);
}

/// A value, the smallest rounding unit of the rows that have it, and how often it was found, at least in a sample.
struct FoundValue
{
  double value, unit;
  int    count;
};

/// Returns the dictionary for these values, ascending. Of values that are no more than a unit apart it holds the most
/// frequent one, so that most rows keep their values to the bit. It is empty where more than `most` values are needed.
std::vector<double> value_dictionary(std::vector<FoundValue> values, std::size_t most);

/// Returns the position of the nearest value in the dictionary, which ascends.
template <typename Number>
ADAMANT_HOST_DEVICE int code_of(Number value, const Number *dictionary, int n_values)
{
  int low = 0, high = n_values - 1; // ends at the first entry that is not smaller, or at the last entry
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
