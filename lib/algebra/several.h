#pragma once

#include "base/host_device.h"

#include <cstddef>
#include <type_traits>

namespace adamant
{
/// W numbers that follow each other, which a GPU loads and stores 16 bytes at a time where W > 1: then their address is
/// a multiple of 16 bytes, or of their size where that is less.
template <typename T, int W>
struct alignas(W == 1             ? sizeof(T) :
               sizeof(T) * W < 16 ? sizeof(T) * W :
                                    16) Several
{
  T v[W];

  ADAMANT_HOST_DEVICE static Several at(const T *p) { return *reinterpret_cast<const Several *>(p); }
  ADAMANT_HOST_DEVICE void           to(T *p) const { *reinterpret_cast<Several *>(p) = *this; }
};

/// How many columns functors take at a time: 8 where rows begin at multiples of that.
constexpr int columns_at_once = 8;

/// Calls f(integral constant 8 or 1), which launches functors for so many columns at a time.
template <typename Launch>
void with_columns_at_once(int n_columns, const Launch &launch)
{
  if (n_columns % columns_at_once == 0)
    launch(std::integral_constant<int, columns_at_once>());
  else
    launch(std::integral_constant<int, 1>());
}
} // namespace adamant
