#pragma once

#include "base/host_device.h"

#include <cstdint>
#include <cstring>

// Numbers of 16 bits for storage; arithmetic on them is done in float. They are plain C++, so that every source may use
// them.

namespace adamant
{
/// Convert a float to its bits, and back.
/// @{
ADAMANT_HOST_DEVICE inline std::uint32_t bits_of(float x)
{
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}
ADAMANT_HOST_DEVICE inline float float_of(std::uint32_t bits)
{
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}
/// @}

/// Returns x rounded to so many of the 23 bits of its mantissa, to the nearest, ties to even; Inf and NaN do not
/// change.
ADAMANT_HOST_DEVICE inline float round_mantissa(float x, int bits)
{
  const std::uint32_t all = bits_of(x);
  if ((all & 0x7f800000u) == 0x7f800000u)
    return x;
  const int           dropped = 23 - bits;
  const std::uint32_t half    = (1u << (dropped - 1)) - 1 + ((all >> dropped) & 1u);
  return float_of((all + half) & ~((1u << dropped) - 1));
}

/// bfloat16: the upper half of a float, 8 bits of exponent and 7 of mantissa.
struct BFloat16
{
  std::uint16_t bits = 0;

  BFloat16() = default;
  ADAMANT_HOST_DEVICE explicit BFloat16(float x)
    : bits(static_cast<std::uint16_t>(bits_of(round_mantissa(x, 7)) >> 16))
  {}
  ADAMANT_HOST_DEVICE explicit operator float() const { return float_of(static_cast<std::uint32_t>(bits) << 16); }
};

/// IEEE's binary16: 5 bits of exponent and 10 of mantissa. It ranges up to 65504, larger numbers become Inf; 6e-8 is
/// the smallest.
struct Float16
{
  std::uint16_t bits = 0;

  Float16() = default;
  ADAMANT_HOST_DEVICE explicit Float16(float x)
#ifdef __CUDA_ARCH__
  {
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  }
#else
    : bits(rounded(x))
  {}
#endif

  ADAMANT_HOST_DEVICE explicit operator float() const
  {
#ifdef __CUDA_ARCH__
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
#else
    const std::uint32_t sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
    // The bits are a float with an exponent too small by 112: the product is exact, for subnormal numbers, too.
    if (magnitude >= 0x7c00u)
      return float_of(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
    return float_of(sign | bits_of(float_of(magnitude << 13) * 0x1p112f));
#endif
  }

private:
  static std::uint16_t rounded(float x)
  {
    const std::uint32_t sign = (bits_of(x) >> 16) & 0x8000u, magnitude = bits_of(x) & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
      return static_cast<std::uint16_t>(sign | 0x7e00u); // NaN
    const float a = float_of(magnitude);
    if (a >= 65520.f)
      return static_cast<std::uint16_t>(sign | 0x7c00u);
    if (a < 0x1p-14f) // subnormal: adding 1/2 leaves the bits that count, rounded
      return static_cast<std::uint16_t>(sign | (bits_of(a + 0.5f) - bits_of(0.5f)));
    return static_cast<std::uint16_t>(sign | ((bits_of(round_mantissa(a, 10)) >> 13) - (112u << 10)));
  }
};
} // namespace adamant
