#pragma once

#include <type_traits>

namespace adamant
{
/// Whether a functor has value(i) and store(i, value): an operation on independent elements.
template <typename Functor, typename = void>
struct IsElementwise : std::false_type
{};
template <typename Functor>
struct IsElementwise<Functor, std::void_t<decltype(std::declval<const Functor &>().value(0))>> : std::true_type
{};

namespace host
{
/// Short loops are not worth waking threads for.
inline int threads_for(int n_threads, int n)
{
  return n < 4096 ? 1 : n_threads;
}

/// f(i) for 0 <= i < n.
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
