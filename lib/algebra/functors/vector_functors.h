#pragma once

#include "base/host_device.h"

// The elementwise operations of vectors, for host and GPU.

namespace adamant
{
/// Sets to = from, converted.
template <typename From, typename To>
struct Convert
{
  const From              *from;
  To                      *to;
  ADAMANT_HOST_DEVICE To   value(int i) const { return static_cast<To>(from[i]); }
  ADAMANT_HOST_DEVICE void store(int i, To value) const { to[i] = value; }
};

/// Sets x = a x.
template <typename Number>
struct Scale
{
  Number                     a;
  Number                    *x;
  ADAMANT_HOST_DEVICE Number value(int i) const { return a * x[i]; }
  ADAMANT_HOST_DEVICE void   store(int i, Number value) const { x[i] = value; }
};

/// Sets y = a x + b y. Where b = 0, y is not read.
template <typename Number>
struct AddScaled
{
  Number                     a, b;
  const Number              *x;
  Number                    *y;
  ADAMANT_HOST_DEVICE Number value(int i) const { return b == Number(0) ? a * x[i] : a * x[i] + b * y[i]; }
  ADAMANT_HOST_DEVICE void   store(int i, Number value) const { y[i] = value; }
};
} // namespace adamant
