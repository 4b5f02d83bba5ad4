#pragma once

#ifdef ADAMANT_CHECKED
#include "base/checked.h"

#include <cstdint>
#include <cstdio>
#include <type_traits>
#endif

/// Marks the call operator of a functor that runs on the host and, where nvcc compiles it, on the GPU.
#ifdef __CUDACC__
#define ADAMANT_HOST_DEVICE __host__ __device__
#else
#define ADAMANT_HOST_DEVICE
#endif

namespace adamant
{
#ifndef ADAMANT_CHECKED
/// An array in the memory of a device, as functors see it: its address. In the checked build a view knows its size,
/// too.
template <typename T>
using View = T *;

/// Returns a view of the elements of an Array, a List or a Vector.
template <class Container>
auto elements(const Container &container)
{
  return container.data();
}
#else
/// An array in the memory of a device, as functors see it. The view checks indices, on the host and on a GPU. A view
/// that is made of an address alone does not know its size, and refuses negative indices only.
template <typename T>
class View
{
public:
  View() = default;
  ADAMANT_HOST_DEVICE View(T *first, std::int64_t size = INT64_MAX)
    : first(first)
    , size(size)
  {}

  template <typename Index>
  ADAMANT_HOST_DEVICE T &operator[](Index i) const
  {
    if (static_cast<std::int64_t>(i) < 0 || static_cast<std::int64_t>(i) >= size)
      fail(static_cast<std::int64_t>(i));
    return first[i];
  }
  template <typename Index, typename = std::enable_if_t<std::is_integral_v<Index>>>
  ADAMANT_HOST_DEVICE View operator+(Index i) const
  {
    return {first + i, size == INT64_MAX ? size : size - static_cast<std::int64_t>(i)};
  }
  ADAMANT_HOST_DEVICE operator T *() const { return first; }

private:
  ADAMANT_HOST_DEVICE void fail(std::int64_t i) const
  {
#ifdef __CUDA_ARCH__
    printf("checked build: index %lld of a view of %lld elements of %d bytes at %p\n", static_cast<long long>(i),
           static_cast<long long>(size), static_cast<int>(sizeof(T)), static_cast<const void *>(first));
    __trap();
#else
    checked::out_of_range(static_cast<std::size_t>(i), static_cast<std::size_t>(size), first, typeid(T));
#endif
  }

  T           *first = nullptr;
  std::int64_t size  = 0;
};

template <class Container>
auto elements(const Container &container)
{
  return View<std::remove_pointer_t<decltype(container.data())>>(container.data(),
                                                                 static_cast<std::int64_t>(container.size()));
}
#endif
} // namespace adamant
