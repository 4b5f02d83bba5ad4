#pragma once

#include "algebra/functors/elementwise.h"

namespace adamant
{
namespace host
{
/// Returns the number of threads for a loop over n elements; short loops are not worth waking threads for.
inline int threads_for(int n_threads, int n)
{
  return n < 4096 ? 1 : n_threads;
}

/// Calls f(i), or f.store(i, f.value(i)) of an elementwise functor, for 0 <= i < n.
template <typename Functor>
void for_each(int n_threads, int n, const Functor &f)
{
  if constexpr (IsElementwise<Functor>::value)
    {
#pragma omp parallel for simd num_threads(threads_for(n_threads, n)) schedule(static)
      for (int i = 0; i < n; ++i)
        f.store(i, f.value(i));
    }
  else
    {
#pragma omp parallel for num_threads(threads_for(n_threads, n)) schedule(static)
      for (int i = 0; i < n; ++i)
        f(i);
    }
}
} // namespace host
} // namespace adamant
