#pragma once

#include "base/host_device.h"

#include <cstdint>

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
} // namespace adamant
