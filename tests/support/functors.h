#pragma once

#include "algebra/functors/functor_types.h"
#include "base/host_device.h"

namespace adamant::test
{
/// y[i] += x[i]² + i.
template <typename Number>
struct AddSquare
{
  const Number            *x;
  Number                  *y;
  ADAMANT_HOST_DEVICE void operator()(int i) const { y[i] += x[i] * x[i] + i; }
};

/// y += a x; the sums are x . y and y . y of the result.
template <typename Number>
struct AddAndSum
{
  static constexpr int n_sums = 2;

  const double              *a;
  const Number              *x;
  Number                    *y;
  ADAMANT_HOST_DEVICE double prepare() const { return *a; }
  ADAMANT_HOST_DEVICE Sums<2> operator()(int i, double factor) const
  {
    const Number y_i = static_cast<Number>(y[i] + factor * x[i]);
    y[i]             = y_i;
    return {{double(x[i]) * y_i, double(y_i) * y_i}};
  }
};

/// Goes on until the counter is at `limit`, and counts the answers.
struct CountTo
{
  int                     *counter, *answers;
  int                      limit;
  ADAMANT_HOST_DEVICE bool operator()() const
  {
    ++*answers;
    return *counter < limit;
  }
};

/// The compute capability that kernels were compiled for, times 100; 0 on the host.
struct CompiledFor
{
  int                     *architecture;
  ADAMANT_HOST_DEVICE void operator()(int) const
  {
#ifdef __CUDA_ARCH__
    *architecture = __CUDA_ARCH__;
#else
    *architecture = 0;
#endif
  }
};

/// Adds one to a counter.
struct Count
{
  int                     *counter;
  ADAMANT_HOST_DEVICE void operator()(int) const { ++*counter; }
};
} // namespace adamant::test
