#pragma once

#include "algebra/functors/sums.h"
#include "base/host_device.h"

#include <cmath>

// The elementwise operations of vectors and their inner products, for host and GPU.

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

/// The sum is x . y.
template <typename Number>
struct InnerProduct
{
  static constexpr int n_sums = 1;

  const Number               *x, *y;
  ADAMANT_HOST_DEVICE Nothing prepare() const { return {}; }
  ADAMANT_HOST_DEVICE Sums<1> operator()(int i, Nothing) const
  {
    return {{static_cast<double>(x[i]) * static_cast<double>(y[i])}};
  }
};

/// The sums are x . x and y . y.
template <typename Number>
struct Squares
{
  static constexpr int n_sums = 2;

  const Number               *x, *y;
  ADAMANT_HOST_DEVICE Nothing prepare() const { return {}; }
  ADAMANT_HOST_DEVICE Sums<2> operator()(int i, Nothing) const
  {
    const double x_i = x[i], y_i = y[i];
    return {{x_i * x_i, y_i * y_i}};
  }
};

/// Asked behind sums, takes their square roots where `roots` says so, and copies them to the host.
struct ToHost
{
  int     n;
  bool    roots;
  double *sums, *on_host;

  ADAMANT_HOST_DEVICE bool operator()() const
  {
    for (int s = 0; s < n; ++s)
      on_host[s] = sums[s] = roots ? std::sqrt(sums[s]) : sums[s];
    return false;
  }
};
} // namespace adamant
