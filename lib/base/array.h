#pragma once
#ifndef ADAMANT_CHECKED
#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace adamant
{
/// Allocator for large numeric arrays. Memory is aligned to 64 bytes. It lies on huge pages where the system grants
/// them, as indirect access to vectors would otherwise wait for address translation. `resize` leaves new elements
/// uninitialised, so that the threads that write them first also place their pages.
template <typename T>
class UninitializedAllocator
{
public:
  using value_type         = T;
  UninitializedAllocator() = default;
  template <typename U>
  UninitializedAllocator(const UninitializedAllocator<U> &)
  {}

  T *allocate(std::size_t n)
  {
    const std::size_t bytes = n * sizeof(T);
    void *p                 = ::operator new(bytes, alignment(bytes));
    if (bytes >= huge_page)
      madvise(p, bytes, MADV_HUGEPAGE); // a request: its failure does no harm
    return static_cast<T *>(p);
  }
  void deallocate(T *p, std::size_t n) { ::operator delete(p, alignment(n * sizeof(T))); }

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

private:
  static constexpr std::size_t huge_page = std::size_t(1) << 21;
  static std::align_val_t alignment(std::size_t bytes) { return std::align_val_t(bytes >= huge_page ? huge_page : 64); }
};

/// Host array. `resize` and `Array(n)` leave new elements uninitialised; `Array(n, value)` sets them.
template <typename T>
using Array = std::vector<T, UninitializedAllocator<T>>;
} // namespace adamant
#else
#include "base/checked_array.h"
#endif
