#pragma once

#ifdef ADAMANT_CHECKED
#include "base/checked.h"
#else
#include <sys/mman.h>
#endif

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace adamant
{
/// Allocator for large numeric arrays. Memory is aligned to 64 bytes. It lies on huge pages where the system grants
/// them, as indirect access to vectors would otherwise wait for address translation. In the checked build it lies
/// between red zones (base/checked.h). `resize` leaves new elements uninitialised, so that the threads that write them
/// first also place their pages.
template <typename T>
class UninitializedAllocator
{
public:
  using value_type         = T;
  UninitializedAllocator() = default;
  template <typename U>
  UninitializedAllocator(const UninitializedAllocator<U> &)
  {}

#ifdef ADAMANT_CHECKED
  T *allocate(std::size_t n)
  {
    return static_cast<T *>(checked::allocate(n * sizeof(T)));
  }
  void deallocate(T *p, std::size_t n)
  {
    checked::deallocate(p, n, sizeof(T), typeid(T));
  }
#else
  T *allocate(std::size_t n)
  {
    const std::size_t bytes = n * sizeof(T);
    void *p                 = ::operator new(bytes, alignment(bytes));
    if (bytes >= huge_page)
      madvise(p, bytes, MADV_HUGEPAGE); // a request: its failure does no harm
    return static_cast<T *>(p);
  }
  void deallocate(T *p, std::size_t n)
  {
    ::operator delete(p, alignment(n * sizeof(T)));
  }
#endif

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

#ifndef ADAMANT_CHECKED
private:
  static constexpr std::size_t huge_page = std::size_t(1) << 21;
  static std::align_val_t      alignment(std::size_t bytes)
  {
    return std::align_val_t(bytes >= huge_page ? huge_page : 64);
  }
#endif
};

#ifndef ADAMANT_CHECKED
/// Host array. `resize` and `Array(n)` leave new elements uninitialised; `Array(n, value)` sets them. In the checked
/// build it checks its indices.
template <typename T>
using Array = std::vector<T, UninitializedAllocator<T>>;
#else
template <typename T>
class Array : public std::vector<T, UninitializedAllocator<T>>
{
  using Base = std::vector<T, UninitializedAllocator<T>>;

public:
  using Base::Base;

  T &operator[](std::size_t i) { return Base::data()[checked_index(i)]; }
  const T &operator[](std::size_t i) const { return Base::data()[checked_index(i)]; }
  T &front() { return (*this)[0]; }
  const T &front() const { return (*this)[0]; }
  T &back() { return (*this)[Base::size() - 1]; }
  const T &back() const { return (*this)[Base::size() - 1]; }

private:
  std::size_t checked_index(std::size_t i) const
  {
    if (i >= Base::size())
      checked::out_of_range(i, Base::size(), Base::data(), typeid(T));
    return i;
  }
};
#endif
} // namespace adamant
