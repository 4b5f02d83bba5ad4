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
void Device::sums_on_host(int n, const Functor &f, double *result) const
{
  host::sums(device->n_threads(), n, f, result);
  communicator().sum(result, Functor::n_sums);
}

template <typename Functor>
void Device::sums(int n, const Functor &f, Scalars &s, int first) const
{
  if constexpr (built_with_cuda)
    if (traits().kernels)
      return cuda::sums(*device, n, f, s.data() + first);
  sums_on_host(n, f, s.data() + first);
}

template <typename Functor, class Control>
bool Device::sums(int n, const Functor &f, Scalars &s, int first, const Control &control,
                  const LoopAnswer &answer) const
{
  if constexpr (built_with_cuda)
    if (traits().kernels)
      {
        cuda::sums(*device, n, f, s.data() + first, control, answer);
        return true;
      }
  sums_on_host(n, f, s.data() + first);
  return control();
}

template <class F, class G, class Control>
bool Device::sums(int n, const F &f, const G &g, Scalars &s, const Control &control, const LoopAnswer &answer) const
{
  if constexpr (built_with_cuda)
    if (traits().kernels)
      {
        cuda::sums(*device, n, f, g, s.data(), control, answer);
        return true;
      }
  sums_on_host(n, f, s.data());
  sums_on_host(n, WithSums<G>{g, s.data()}, s.data() + F::n_sums);
  return control();
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
  if constexpr (built_with_cuda)
    if (traits().kernels)
      return cuda::for_each_row(*device, A.storage(), gather, f);
  host::for_each_row(device->n_threads(), A.storage(), gather, f);
}

template <typename Number, class X, class Functor>
void Device::for_each_row(const Matrix<Number> &A, const X &x, const Functor &f, const List<int> &rows) const
{
  for_each_row(A, x, Listed<Functor>{f, rows.data(), A.node_size()});
}
} // namespace adamant
