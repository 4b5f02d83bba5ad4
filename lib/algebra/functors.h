#pragma once

#include "algebra/device.h"
#include "algebra/functors/row_functors.h"
#include "algebra/host/for_each_row.h"
#include "algebra/host/sums.h"

// The definitions of Device::sums and Device::for_each_row, for sources that call them. They stand apart from device.h,
// as they bring the host's matrix format.

namespace adamant
{
template <typename Functor>
void Device::sums(int n, const Functor &f, Scalars &s, int first) const
{
  double *result = s.storage().on_device + first;
#if ADAMANT_WITH_CUDA
  if (asynchronous())
    return cuda::sums(*device, n, f, result);
#endif
  host::sums(device->n_threads(), n, f, result);
  communicator().sum(result, Functor::n_sums);
}

template <typename Functor, class Control>
bool Device::sums(int n, const Functor &f, Scalars &s, int first, const Control &control,
                  const LoopAnswer &answer) const
{
#if ADAMANT_WITH_CUDA
  if (asynchronous())
    {
      cuda::sums(*device, n, f, s.storage().on_device + first, control, answer);
      return true;
    }
#endif
  (void)answer;
  sums(n, f, s, first);
  return control();
}

template <class F, class G, class Control>
bool Device::sums(int n, const F &f, const G &g, Scalars &s, const Control &control, const LoopAnswer &answer) const
{
#if ADAMANT_WITH_CUDA
  if (asynchronous())
    {
      cuda::sums(*device, n, f, g, s.storage().on_device, control, answer);
      return true;
    }
#endif
  sums(n, f, s, 0);
  return sums(n, WithSums<G>{g, s.data()}, s, F::n_sums, control, answer);
}

/// Returns the operand that for_each_row multiplies: a vector's entries, or the functor itself.
template <typename Number>
Entries<Number> entries_of(const Vector<Number> &x)
{
  return {x.data()};
}
template <class Gather>
const Gather &entries_of(const Gather &x)
{
  return x;
}

template <typename Number, class X, class Functor>
void Device::for_each_row(const Matrix<Number> &A, const X &x, const Functor &f) const
{
  const auto gather = entries_of(x);
#if ADAMANT_WITH_CUDA
  if (asynchronous())
    return cuda::for_each_row(*device, A.storage(), gather, f);
#endif
  host::for_each_row(device->n_threads(), A.storage(), gather, f);
}

template <typename Number, class X, class Functor>
void Device::for_each_row(const Matrix<Number> &A, const X &x, const Functor &f, const List<int> &rows) const
{
  for_each_row(A, x, Listed<Functor>{f, rows.data(), A.node_size()});
}
} // namespace adamant
