#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace adamant
{
/// Allocator for large numeric arrays: 64-byte aligned, and `resize` leaves new elements uninitialised, so that
/// the threads that first write them also place their pages.
template <typename T>
class UninitializedAllocator
{
public:
  using value_type = T;
  UninitializedAllocator() = default;
  template <typename U>
  UninitializedAllocator(const UninitializedAllocator<U> &)
  {}

  T *allocate(std::size_t n) { return static_cast<T *>(::operator new(n * sizeof(T), std::align_val_t(64))); }
  void deallocate(T *p, std::size_t) { ::operator delete(p, std::align_val_t(64)); }

  template <typename U>
  void construct(U *p) noexcept
  {
    ::new (static_cast<void *>(p)) U;
  }
  template <typename U, typename... Args>
  void construct(U *p, Args &&...args)
  {
    ::new (static_cast<void *>(p)) U(std::forward<Args>(args)...);
  }

  template <typename U>
  bool operator==(const UninitializedAllocator<U> &) const
  {
    return true;
  }
  template <typename U>
  bool operator!=(const UninitializedAllocator<U> &) const
  {
    return false;
  }
};

/// Host array. Elements made by `resize` or `Array(n)` are uninitialised; those of `Array(n, value)` are not.
template <typename T>
using Array = std::vector<T, UninitializedAllocator<T>>;
} // namespace adamant
