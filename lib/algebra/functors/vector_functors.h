#pragma once

#include "algebra/functors/functor_types.h"
#include "base/host_device.h"

#include <cmath>

// The operations on the entries of vectors, and inner products, for host and GPU.

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

/// A functor that sets to[i] = from[place[i]], converted, or zero where the place is -1.
template <typename From, typename To>
struct Gather
{
  const int               *place;
  const From              *from;
  To                      *to;
  ADAMANT_HOST_DEVICE To   value(int i) const { return place[i] < 0 ? To(0) : static_cast<To>(from[place[i]]); }
  ADAMANT_HOST_DEVICE void store(int i, To value) const { to[i] = value; }
};

/// Sets y to the entries of x in another order. In x the m components of a node lie together; in y the n_nodes entries
/// of a component do.
struct ToComponents
{
  int           n_nodes, m;
  const double *x;
  double       *y;

  ADAMANT_HOST_DEVICE double value(int i) const { return x[(i % n_nodes) * m + i / n_nodes]; }
  ADAMANT_HOST_DEVICE void   store(int i, double value) const { y[i] = value; }
};

/// Sets y = a x, and undoes the order of ToComponents: in y the m components of a node lie together.
struct ToNodes
{
  int           n_nodes, m;
  double        a;
  const double *x;
  double       *y;

  ADAMANT_HOST_DEVICE double value(int i) const { return a * x[(i % m) * n_nodes + i / m]; }
  ADAMANT_HOST_DEVICE void   store(int i, double value) const { y[i] = value; }
};

/// Sets v_i to x_i or -x_i with pseudo-random signs, which are equal in all runs. A null x stands for a vector of ones.
struct RandomSigns
{
  const double            *x;
  double                  *v;
  ADAMANT_HOST_DEVICE void operator()(int i) const
  {
    unsigned int mixed = static_cast<unsigned int>(i) * 0x9e3779b1u;
    mixed              = (mixed ^ (mixed >> 15)) * 0x85ebca77u;
    const double value = x != nullptr ? x[i] : 1.;
    v[i]               = (mixed >> 31) != 0 ? value : -value;
  }
};
} // namespace adamant
